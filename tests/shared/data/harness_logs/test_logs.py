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
from tests.apps.files import sample_of_lm_eval
from tests.spec import CASES, ROOT
from tests.tables import by_table, tabled


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


LOGS = [json.loads(line) for line in (CASES / "logs.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("case", LOGS, ids=lambda case: case["id"])
def test_small_logs_of_every_kind(read, case):
    content = case.get("lines", case.get("text", json.dumps(case.get("document"))))
    if "error" in case:
        with pytest.raises(ValueError, match=case["error"]):
            read(content, case["fields"], case["name"])
        return
    source, columns = read(content, case["fields"], case["name"])

    assert repr(columns).replace("nan", "'nan'") == repr(case["expected"])
    known = {"format": source.log.format_name, "system": source.log.system}
    known |= {"task": source.log.task, "location": source.location(1)}
    assert known == known | {name: case[name] for name in known if name in case}


def generated(doc, answer, target, **scores):
    return sample_of_lm_eval(doc, answer, target, **scores) | {
        "doc": {"question": "?"},
        "arguments": {"gen_args_0": {"arg_0": "?", "arg_1": {"until": ["\n"]}}},
        "resps": [[f" {answer}"]],
    }


def test_filters_of_lm_eval(read):
    rows = [
        generated(doc, name, "a", exact_match=1.0) | {"filter": name}
        for name in ("strict", "flexible")
        for doc in (0, 1)
    ]

    with pytest.raises(ValueError, match=r"kinds of filter, strict \(2 rows\), .*--filter$"):
        read(rows, "prediction")
    assert read(rows, "prediction logged", filter="strict")[1] == {
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


def test_samples_of_an_archive_are_those_of_a_document(read):
    samples = [SAMPLE | {"id": "p", "epoch": epoch} for epoch in (2, 1)] + [SAMPLE]
    run, fields = run_of_inspect(samples), "id epoch prediction references logged error"

    expected = read(json.dumps(run), fields, "x.json")[1]
    assert read(archive(run), fields, "x.eval")[1] == expected


@by_table("run, message")
def test_a_run_that_did_not_end_is_refused(read, run, message):
    with pytest.raises(ValueError, match=message):
        read(archive(run), "prediction", "x.eval")
    assert read(archive(run), "prediction", "x.eval", incomplete=True)[1] == {"prediction": ["A."]}


def test_a_run_of_helm(read, tmp_path):
    [(document, statistics)] = tabled(__file__, "a_run_of_helm")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "per_instance_stats.json").write_text(json.dumps(statistics))
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
    [(row, expected)] = tabled(__file__, "details_of_lighteval")
    content = io.BytesIO()
    parquet.write_table(
        pa.Table.from_pylist([{mark.format(k): v for k, v in row.items()}]), content
    )
    fields = "id prediction references option_scores truth predicted label logged"

    source, columns = read(content.getvalue(), fields, "gpt/2026-01-01T00-00-00/x.parquet")

    assert (source.log.format_name, source.log.system) == ("lighteval", "gpt")
    assert columns == expected


def test_formats_are_found_by_their_files():
    assert {"lm-eval", "inspect", "helm", "rows", "jsonl"} <= {*format_names()}
    with pytest.raises(ValueError, match="there is no format 'inspct'; did you mean 'inspect'"):
        logs.format_named("inspct")


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
