import hashlib
import json
import random
import re
import shutil
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

from metric_commons import load, names
from metric_commons.evaluation.results.results import Results
from metric_commons.frameworks.harnesses import ultrarag
from metric_commons.module.catalog import presets
from tests.apps.files import systems_in, write_rows
from tests.spec import ROOT
from tests.tables import by_table, tabled

ROWS = [
    {"q": "q0", "a": "The cat.", "b": "cat", "gold": ["cat", "tiger"], "topic": "pets"},
    {"q": "q1", "a": "dog", "b": "wolf", "gold": ["wolf"], "topic": "wild"},
    {"q": "q2", "a": "", "b": "bird", "gold": ["bird"], "topic": "pets"},
]
CONFIG = {
    "data": "x.jsonl",
    "modules": "qa_em",
    "predictions": {"A": "a", "B": "b"},
    "references": "gold",
}


@pytest.fixture(autouse=True)
def wide_screen_and_a_small_file(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    write_rows("x.jsonl", ROWS)


def write(content, name="c.yaml"):
    text = content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False)
    Path(name).write_text(text)
    return name


def results_of(run, content, *arguments):
    """What a configuration prints as JSON."""
    status, out, err = run("run", write(content), "--format", "json", *arguments)
    assert (status, err) == (0, "")
    return json.loads(out)


# What a file asks for


def test_every_key_that_the_example_mentions_is_one(run):
    shutil.copytree(ROOT / "examples", "examples")
    text = (ROOT / "examples" / "capitals.yaml").read_text()
    commented = re.sub(r"^(\s*)# (\w+:\s)", r"\1\2", text, flags=re.MULTILINE)
    content = yaml.safe_load(commented)

    assert {"preset", "scores", "jobs"} < content.keys()
    assert run("run", write(content | {"preset": "squad", "modules": ["qa_em", "qa_f1"]}))[0] == 1
    del content["preset"], content["options"]["substring_recall.match"]
    assert run("run", write(content))[0] == 0


@pytest.mark.long
def test_the_examples_run(run):
    shutil.copytree(ROOT / "examples", "examples")
    found = sorted(Path("examples").glob("*.yaml"))
    ran = {path.name: run("run", path) for path in found}
    page = Path("examples/README.md").read_text("utf-8")
    (shown,) = re.findall(r"^```text\n(.+?)^```$", page, re.MULTILINE | re.DOTALL)

    saved = Results.read("build/capitals.json")

    assert [status for status, _, _ in ran.values()] == [0, 0, 0, 0]
    assert [*saved.systems["atlas"]] == ["qa_em", "qa_f1", "substring_recall"]
    assert [*saved.systems["atlas"]["qa_em"].groups] == ["africa", "americas", "asia", "europe"]
    assert [each["options"]["correction"] for each in saved.comparisons] == ["bonferroni"] * 3
    assert len(Path("build/capitals_rows.jsonl").read_text().splitlines()) == 1 + 2 * 32
    assert ran["ultrarag_runs.yaml"][1] == shown


def test_scores_are_those_of_the_modules(run):
    saved = results_of(
        run,
        CONFIG
        | {"modules": ["qa_em", "qa_f1"]}
        | {"options": {"qa_em.normalizer": "none", "qa_f1.both_empty": 0}}
        | {"confidence_level": 0.9, "n_resamples": 50, "seed": 3},
    )
    columns = {"predictions": [row["b"] for row in ROWS], "references": [r["gold"] for r in ROWS]}
    for module, options in (("qa_em", {"normalizer": "none"}), ("qa_f1", {"both_empty": 0.0})):
        expected = load(module, **options).compute(
            **columns, confidence_level=0.9, n_resamples=50, seed=3
        )
        found = systems_in(saved)["B"][module]
        assert (found.values, found.rows) == (expected, 3)


def test_a_file_has_the_options_of_the_command(run):
    shutil.copy("x.jsonl", "x.log")
    content = CONFIG | {"data": "x.log", "source": "jsonl", "where": {"topic": "pets"}}

    saved = results_of(run, content)
    assert systems_in(saved)["B"]["qa_em"].rows == 2


def test_a_file_is_the_command_written_down(run):
    outputs = {"save": "out/r.json", "rows": "out/rows.jsonl", "format": "csv"}
    status, out, err = run("run", write(CONFIG | outputs))
    provenance = json.loads(Path("out/r.json").read_text())["provenance"]
    fields = ("-p", "A=a", "-p", "B=b", "-r", "gold", "--format", "csv")
    typed = run("score", "qa_em", "x.jsonl", *fields)

    assert (status, err) == (0, "")
    assert out == typed[1]
    assert provenance["versions"]["metric-commons"] == version("metric-commons")
    assert provenance["inputs"][0]["sha256"] == (
        hashlib.sha256(Path("x.jsonl").read_bytes()).hexdigest()
    )
    assert len(Path("out/rows.jsonl").read_text().splitlines()) == 1 + 6


# Presets


@pytest.mark.long
def test_presets_name_what_modules_have():
    for preset in presets.PRESETS.values():
        assert preset.modules
        for module, options in preset.modules.items():
            assert module in names()
            known = load(module).options
            assert set(options) <= set(known)


@by_table("preset, module, peer")
def test_presets_are_the_options_that_cards_claim(preset, module, peer):
    card = (ROOT / "metrics" / module / "README.md").read_text("utf-8")
    (cell,) = re.findall(rf"^\| {re.escape(peer)}[^|]*\|([^|]*)\|", card, re.MULTILINE)
    claimed = eval(f"dict({cell.strip(' `')})", {})
    defaults = load(module).options

    assert defaults | claimed == defaults | dict(presets.PRESETS[preset].modules[module])


def test_the_presets_are_listed_with_their_options(run):
    status, out, _ = run("presets")

    assert status == 0
    for name, preset in presets.PRESETS.items():
        assert f"\n{name} " in f"\n{out}"
        for module, options in preset.modules.items():
            for option, value in options.items():
                assert f"{option}={value}" in out
            assert f"{module}:" in out


def test_a_preset_sets_options_and_is_in_the_signature(run):
    saved = results_of(run, CONFIG | {"preset": "drop"})
    result = systems_in(saved)["A"]["qa_em"]

    assert result.options["normalizer"] == "drop"
    assert result.signature.startswith("qa_em|preset=drop|normalizer=drop|")
    assert saved["provenance"]["preset"] == "drop"


def test_a_filter_of_lm_eval_is_a_preset(run):
    rows = [
        {"gold": "#### 18", "said": "9 eggs make $18. #### 18."},
        {"gold": "#### 1,080", "said": "so 1080"},
    ]
    write_rows("gsm8k.jsonl", rows)
    columns = ("--predictions", "said", "--references", "gold", "--format", "json")
    scores = {}
    for preset in ("lm-eval-gsm8k", "lm-eval-gsm8k-flexible"):
        status, out, _ = run("score", "qa_em", "gsm8k.jsonl", *columns, "--preset", preset)
        assert status == 0
        scores[preset] = systems_in(out)["said"]["qa_em"]

    assert [result.scores for result in scores.values()] == [
        {"qa_em": 0.5, "unparsed": 0.5},
        {"qa_em": 1.0, "unparsed": 0.0},
    ]
    assert scores["lm-eval-gsm8k"].signature.startswith("qa_em|preset=lm-eval-gsm8k|")
    assert "|extract=gsm8k|" in scores["lm-eval-gsm8k"].signature


def test_options_of_one_s_own_win_and_leave_no_claim_in_the_signature(run):
    _, out, _ = run(
        *("score", "qa_em", "qa_f1", "x.jsonl", "--predictions", "a", "--references", "gold"),
        *("--preset", "triviaqa", "--set", "qa_em.normalizer=lower", "--format", "json"),
    )
    em, f1 = systems_in(out)["a"].values()

    assert em.options["normalizer"] == "lower"
    assert em.signature.startswith("qa_em|normalizer=lower|")
    assert f1.signature.startswith("qa_f1|preset=triviaqa|normalizer=triviaqa|")


@by_table("options, message")
def test_options_of_score_that_make_no_sense(refused, options, message):
    command = ["score", "qa_em", "x.jsonl", "--predictions", "a", "--references", "gold"]
    status, said = refused(*command, *options)

    assert status == 2
    assert said.startswith(message)


# What a file must not say


@by_table("key, value, message")
def test_a_key_that_makes_no_sense_is_one_line(refused, key, value, message):
    write({**CONFIG, key: value})
    status, said = refused("run", "c.yaml")

    assert status == 1
    assert said.startswith(f"c.yaml: {message}")


@by_table("text, message")
def test_a_file_that_cannot_be_understood_is_one_line(refused, text, message):
    write(text)
    status, said = refused("run", "c.yaml")

    assert status == 1
    assert said.startswith(f"c.yaml: {message}")


def test_a_file_that_is_no_text_is_one_line(refused):
    Path("c.yaml").write_bytes(b"\xff")

    assert refused("run", "c.yaml")[1].startswith("c.yaml: 'utf-8' codec can't decode byte 0xff")
    assert refused("run", "none.yaml") == (1, "no such file: none.yaml")


def test_one_system_is_not_compared(refused):
    write(CONFIG | {"predictions": "a", "compare": True})

    assert refused("run", "c.yaml") == (
        1,
        "c.yaml: compare needs two systems; there is only 'a'",
    )


def test_rows_in_another_order_are_compared_by_their_ids(run):
    content = CONFIG | {"data": ["x.jsonl", "y.jsonl"], "predictions": "a", "ids": "q"}

    def found(rows):
        write_rows("y.jsonl", [row | {"a": row["b"]} for row in rows])
        path = write(content | {"compare": True})
        status, out, err = run("run", path, "--format", "json")
        assert status == 0, err
        return json.loads(out)["comparisons"], json.loads(out)["records"]

    assert found(ROWS[::-1]) == found(ROWS)


# UltraRAG's parameter files

PARAMETERS = """\
benchmark:
  benchmark:
    key_map:
      gt_ls: golden_answers
      q_ls: question
      pred_ls: pred_answer
    limit: -1
    name: nq
    path: data/sample_nq_10.jsonl
    name: evaluate
    path: answers.jsonl
    seed: 42
    shuffle: false
evaluation:
  metrics: [acc, f1, em, coverem, stringem, rouge-1, rouge-2, rouge-l]
  save_path: output/evaluate_results.json
"""
TREC_PARAMETERS = tabled(__file__, "TREC_PARAMETERS")
ANSWERS = tabled(__file__, "ANSWERS")
QRELS = "1 0 DOC123 1\n1 0 DOC456 0\n2 0 DOC321 1\n2 0 DOC654 1\n"
RUN = (
    "1 Q0 DOC123 1 12.34 bm25\n1 Q0 DOC456 2 11.21 bm25\n"
    "2 Q0 DOC654 1 13.89 bm25\n2 Q0 DOC321 2 12.01 bm25\n"
)


@pytest.fixture
def evaluated(run):
    """Run a parameter file: its table as rows of cells, the saved JSON, and what stderr says."""
    Path("data").mkdir()
    write_rows("answers.jsonl", ANSWERS)
    Path("data/qrels.txt").write_text(QRELS)
    Path("data/run_a.txt").write_text(RUN)
    Path("data/run_b.txt").write_text(RUN.replace("13.89", "1.5"))

    def evaluated(content, *arguments):
        status, out, err = run("run", write(content, "p.yaml"), *arguments)
        assert status == 0
        lines = [line for line in out.splitlines() if line.startswith("│")]
        table = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines]
        saved = json.loads(Path("output/evaluate_results.json").read_text())
        assert out.splitlines()[-1] == saved.pop("signature")
        return table, saved, err

    return evaluated


def test_a_run_is_evaluated_as_by_ultrarag(evaluated):
    table, saved, err = evaluated({"evaluation": TREC_PARAMETERS | {"run_path": "data/run_a.txt"}})

    assert table[:4] == [["Metric", "Value"], ["map", "1"], ["mrr", "1"], ["ndcg@1", "1"]]
    assert (saved["recall@1"], saved["P@5"]) == (0.75, pytest.approx(0.3, rel=1e-15))
    assert err == ""


def test_stored_answers_are_evaluated_as_by_ultrarag(evaluated):
    table, saved, err = evaluated(PARAMETERS)

    assert table == [
        ["Metric", "Value"],
        *(["acc", "0"], ["f1", "0.2857"], ["em", "0"], ["coverem", "0"], ["stringem", "0"]),
        *(["rouge-1", "0.2857"], ["rouge-2", "0"], ["rouge-l", "0.2"]),
    ]
    assert [*saved][:8] == [row[0] for row in table[1:]]
    assert err.count("the last one counts") == 2


def test_what_belongs_to_other_servers_is_passed_over(evaluated):
    content = yaml.safe_load(PARAMETERS)
    content["evaluation"] |= {"ks": [1], "save_path": "output/evaluate_results.json"}
    others = {"prompt": {"template": "x"}, **content, "retriever": {"top_k": 5}}

    assert evaluated(others)[:2] == evaluated(PARAMETERS)[:2]


def test_limit_shuffle_and_seed_are_honoured(evaluated):
    rows = [{"golden_answers": ["x"], "pred_answer": "x " * i + "y"} for i in range(10)]
    write_rows("answers.jsonl", rows)
    order = list(range(10))
    random.Random(7).shuffle(order)
    content = yaml.safe_load(PARAMETERS)
    content["evaluation"]["metrics"] = ["f1"]
    flat = content["benchmark"]["benchmark"] | {"limit": 4}
    of_rows = ultrarag.evaluate(
        [row["pred_answer"] for row in rows],
        [row["golden_answers"] for row in rows],
        ["f1"],
    )["f1"]

    _, first, _ = evaluated({**content, "benchmark": flat})
    _, shuffled, _ = evaluated({**content, "benchmark": flat | {"shuffle": True, "seed": 7}})

    assert first["f1"] == of_rows[:4]
    assert shuffled["f1"] == [of_rows[row] for row in order[:4]]


def test_a_file_has_the_scores_of_the_tool(evaluated):
    rows = [{"golden_answers": ["x y"], "pred_answer": "x " * i + "z"} for i in range(1, 12)]
    write_rows("answers.jsonl", rows)
    _, saved, _ = evaluated(PARAMETERS)
    expected = ultrarag.evaluate(
        [row["pred_answer"] for row in rows],
        [row["golden_answers"] for row in rows],
        yaml.safe_load(PARAMETERS)["evaluation"]["metrics"],
    )

    assert saved == expected
    assert [*saved] == [*expected]
    text = Path("output/evaluate_results.json").read_text()
    assert text.startswith(json.dumps(expected, indent=4).removesuffix("\n}"))


def test_two_runs_are_compared_as_by_ultrarag(evaluated):
    runs = {"run_new_path": "data/run_a.txt", "run_old_path": "data/run_b.txt"}
    evaluation = TREC_PARAMETERS | runs | {"n_resamples": 100}
    table, saved, _ = evaluated({"evaluation": evaluation})

    assert table[0] == ["metrics", "A_mean", "B_mean", "Diff(A-B)", "p_value", "significant"]
    assert [*saved][:4] == ["mrr", "map", "recall@1", "recall@5"]
    assert [row[0] for row in table[1:]] == [*saved]
    assert set(saved["map"]) == {"A_mean", "B_mean", "diff", "p_value", "significant"}
    assert len(saved) == 2 + 3 * 6


def benchmark(**changes):
    content = yaml.safe_load(PARAMETERS)
    content["benchmark"]["benchmark"] |= changes
    return content


@by_table("content, message")
def test_parameters_that_make_no_sense_are_one_line(run, content, message):
    write_rows("answers.jsonl", ANSWERS)
    write_rows("null.jsonl", [ANSWERS[0], ANSWERS[1] | {"pred_answer": None}])
    Path("data").mkdir()
    Path("data/qrels.txt").write_text(QRELS)
    Path("data/run_a.txt").write_text(RUN)
    status, out, err = run("run", write(content, "p.yaml"))

    assert status == (2 if "overwritten" in message else 1)
    assert out == ""
    assert err.splitlines()[-1].startswith(message)
    assert not Path("output").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--format", "json"], "--format does not apply to a parameter file of UltraRAG"),
    ],
)
def test_options_that_a_parameter_file_cannot_use(refused, options, message):
    assert refused("run", write(PARAMETERS), *options) == (2, message)
