"""A metric of somebody's own, in a folder outside of this repository, wherever ours work."""

import json
import re
import runpy
import shutil
import sys
from pathlib import Path
from string import Template
from types import SimpleNamespace

import evaluate
import numpy as np
import pyarrow as pa
import pytest

import metric_commons
from metric_commons import State, rewards, score, scorers, trainer_hook
from metric_commons.__main__ import main
from metric_commons.apps.functions import modules
from metric_commons.evaluation.peers.promises import check_module
from metric_commons.evaluation.rows.libraries import on_executors
from metric_commons.evaluation.rows.rows import Fields
from metric_commons.module.catalog import catalog
from metric_commons.module.declaration import declared_module
from tests.programs import output
from tests.spec import METRICS, ROOT, nightly
from tests.tables import by_table

EXAMPLE = ROOT / "examples" / "own_metric"
ROWS = {"predictions": ["a b", "c"], "references": ["B c", "c"]}
SCORE = (1 / 3 + 1) / 2


@pytest.fixture
def only_ours(monkeypatch):
    """Whatever modules a test makes known to this process are unknown before and after."""
    monkeypatch.setattr(catalog, "_loaded", {})
    catalog.module_class.cache_clear()
    yield
    catalog.module_class.cache_clear()


@pytest.fixture
def folder(tmp_path, monkeypatch, capsys, only_ours):
    """The folder of a metric that `new` wrote."""
    monkeypatch.chdir(tmp_path)
    assert main(["new", "token_jaccard", "--in", "mine"]) == 0
    wrote = capsys.readouterr().out.split()
    assert wrote[1::2] == [
        f"mine/token_jaccard/{name}"
        for name in ("token_jaccard.py", "README.md", "test_token_jaccard.py")
    ]
    return tmp_path / "mine" / "token_jaccard"


@pytest.fixture
def data(tmp_path):
    rows = [{"a": "a b", "b": "x", "gold": "B c"}, {"a": "c", "b": "c", "gold": "c"}] * 20
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


FIELDS = ("-p", "a", "-p", "b", "-r", "gold")


def test_the_template_is_the_script_of_contributing():
    text = (ROOT / ".github" / "CONTRIBUTING.md").read_text("utf-8")
    (script,) = re.findall(r'^```python\n(""".*?)^```', text, re.DOTALL | re.MULTILINE)
    template = Path(modules.__file__).with_name("new_script.txt").read_text("utf-8")
    names = {"name": "token_jaccard", "class_name": "TokenJaccard", "title": "Token Jaccard"}

    assert Template(template).substitute(names, place="./metrics") == script


def test_python_takes_a_path_or_what_load_returns(folder):
    loaded = metric_commons.load(folder)
    assert loaded.compute(**ROWS) == {"token_jaccard": SCORE}
    by_row = loaded.compute(**ROWS, per_example=True)["per_example"]
    assert by_row == {"token_jaccard": [1 / 3, 1.0]}
    for module in (
        folder,
        str(folder),
        folder / "token_jaccard.py",
        loaded,
        evaluate.load(str(folder)),
    ):
        assert score(module, **ROWS)["predictions"] == {"token_jaccard": SCORE}
    strict = metric_commons.load(folder, lower=False)
    assert score(["qa_em", strict], **ROWS)["predictions"]["token_jaccard"] == {
        "token_jaccard": 0.5
    }
    assert "token_jaccard" in metric_commons.names()
    with pytest.raises(ValueError, match="loaded with seed=1, which is an argument of score"):
        score(metric_commons.load(folder, seed=1), **ROWS)


def test_it_is_compared_merged_and_a_hook(folder):
    columns = {name: column * 20 for name, column in ROWS.items()}
    systems = {"one": columns["predictions"], "other": ["x", "y"] * 20}
    results = score(folder, predictions=systems, references=columns["references"], compare=True)
    assert results.comparisons[0]["significant"]
    state, other = State(folder), State("token_jaccard")
    state.update(**columns)
    state.save("rows.parquet")
    other.merge(State.read("rows.parquet"))
    assert other.result() == metric_commons.load(folder).compute(**columns)

    words = {0: "a b", 1: "b c"}
    tokenizer = SimpleNamespace(
        pad_token_id=0, batch_decode=lambda rows, **_: [words[row[0]] for row in rows]
    )
    hook = trainer_hook(folder, task="generation", tokenizer=tokenizer)
    batch = SimpleNamespace(predictions=np.array([[0]]), label_ids=np.array([[1]]))
    assert hook(batch)["token_jaccard"] == 1 / 3


def test_it_is_a_reward_and_a_scorer(folder):
    reward = rewards.Reward(scorers.task(str(folder)), "gold")

    assert reward(["a b", "c"], gold=["B c", "c"]) == [1 / 3, 1.0]
    assert callable(scorers.scorer("promptfoo", str(folder)))


def test_a_plan_takes_it_to_a_process_that_does_not_know_it(folder, tmp_path):
    import pickle

    batch = pa.record_batch({"a": ["a b"], "b": ["B c"]})
    name = catalog.name_of(folder)
    fields = Fields(inputs={"": {name: {"predictions": "a", "references": "b"}}})
    run = on_executors({name: {}}, fields, "refuse")
    payload = next(c.cell_contents for c in run.__closure__ if isinstance(c.cell_contents, bytes))
    (tmp_path / "sent").write_bytes(pickle.dumps((payload, batch)))
    program = (
        "import pickle; payload, batch = pickle.load(open('sent', 'rb')); "
        "function, *arguments = pickle.loads(payload); "
        "tables = pickle.loads(function(*arguments, [batch])); "
        "print(tables['']['token_jaccard'].columns)"
    )
    assert "0.33333333" in output(program)


def run(capsys, *arguments):
    status = main([str(argument) for argument in arguments])
    return (status, *capsys.readouterr())


def test_every_command_takes_it(folder, data, capsys, tmp_path):
    files = ("--save", "r.json", "--rows", "rows.out.jsonl")
    status, out, _ = run(capsys, "score", folder, data, *FIELDS, "--compare", *files, "--explain")
    assert (status, "token_jaccard|lower=True" in out) == (0, True)
    assert run(capsys, "describe", folder)[0] == 0
    assert (
        run(capsys, "score", folder, data, *FIELDS[:2], *FIELDS[4:], "--rows", "1.parquet")[0] == 0
    )
    status, out, _ = run(capsys, "merge", folder, "1.parquet")
    assert (status, "0.6667" in out) == (0, True)
    config = {"modules": str(folder), "options": {"lower": False}, "predictions": ["a", "b"]}
    config |= {"data": str(data), "references": "gold"}
    Path("c.yaml").write_text(json.dumps(config))
    status, out, _ = run(capsys, "run", "c.yaml", "--explain")
    assert (status, "token_jaccard|lower=False" in out) == (0, True)


@pytest.mark.processes
def test_what_is_saved_is_read_where_nobody_knows_it(folder, data, capsys):
    files = ("--save", "r.json", "--rows", "rows.out.jsonl")
    assert run(capsys, "score", folder, data, *FIELDS, "--compare", *files)[0] == 0
    one = ("-p", "a", "-r", "gold", "--save", "one.json", "--confidence", "0.9")
    assert run(capsys, "score", folder, data, *one)[0] == 0
    commands = [
        ["compare", "r.json"],
        ["gate", "one.json", "--floor", "token_jaccard=0.5"],
        ["merge", "rows.out.jsonl", "--confidence", "0.9"],
        ["power", "r.json", "--effect", "0.1"],
        ["report", "r.json", "--save", "page.html"],
    ]
    program = (
        "from metric_commons.__main__ import main; "
        f"print([main(command) for command in {commands!r}])"
    )
    assert output(program).endswith("[0, 0, 0, 0, 0]\n")


def test_its_bundle_needs_nothing_of_ours(folder, capsys, monkeypatch):
    shutil.copytree(folder, "bare/token_jaccard")
    Path("bare/token_jaccard/README.md").unlink()
    status, *_ = run(capsys, "hub", "bundle", "out", "bare/token_jaccard")
    assert status == 0
    for name in [name for name in sys.modules if name.startswith("metric_commons")]:
        monkeypatch.setitem(sys.modules, name, None)

    module = evaluate.load("out/token_jaccard")

    assert type(module).__module__.startswith("evaluate_modules.")
    assert module.compute(**ROWS) == {"token_jaccard": SCORE}


BY_DAY = ["bleu", "classification", "qa_f1"]


@pytest.mark.parametrize(
    "name", [*BY_DAY, *nightly(*(name for name in METRICS if name not in BY_DAY))]
)
def test_every_module_keeps_its_promises(name):
    assert [promise for promise in check_module(name) if promise[1]] == []


@by_table("old, new, promise, problem")
def test_a_broken_promise_is_named(folder, old, new, promise, problem):
    script = folder / "token_jaccard.py"
    text = script.read_text("utf-8")
    assert old in text
    script.write_text(text.replace(old, new))
    declared_module.declared_class.cache_clear()
    broken = [each for each in check_module(folder) if each[1]]

    assert any(promise in name or "its example" in name for name, _ in broken)
    assert problem in "".join(told for _, told in broken)


def test_check_and_new_end_as_they_say(folder, capsys):
    script = folder / "token_jaccard.py"
    script.write_text(script.read_text("utf-8").replace("jaccard': 0.33", "jaccard': 0.34"))
    status, out, error = run(capsys, "check", folder)
    assert (status, "Expected" in out, error) == (1, True, "")
    assert out.endswith("1 promise broken\n")
    assert run(capsys, "new", "qa_f1")[0] == run(capsys, "new", "Not-a-name")[0] == 2
    assert run(capsys, "new", "token_jaccard", "--in", "mine")[0] == 2


def test_what_is_no_module_is_an_error_with_its_path(folder, data, capsys, tmp_path):
    two = tmp_path / "two"
    two.mkdir()
    text = (folder / "token_jaccard.py").read_text("utf-8").replace("token_jaccard", "two")
    body = text[text.index("class TokenJaccard") :]
    (two / "two.py").write_text(text + "\n\n" + body.replace("class TokenJaccard", "class Other"))
    status, _, error = run(capsys, "score", "./two", data, *FIELDS)
    assert (status, "two.py needs one class" in error) == (1, True)
    ours = tmp_path / "qa_f1"
    ours.mkdir()
    (ours / "qa_f1.py").write_text(text)
    status, _, error = run(capsys, "score", "./qa_f1", data, *FIELDS)
    assert (status, "is another module of this name" in error) == (1, True)


def test_an_error_of_its_own_has_its_path_and_row(folder, data, capsys):
    script = folder / "token_jaccard.py"
    text = script.read_text("utf-8")
    script.write_text(
        text.replace(
            "        rows = [",
            "        ({} if 'c' in predictions else {'x': 1})['x']\n        rows = [",
        )
    )
    declared_module.declared_class.cache_clear()
    status, _, error = run(capsys, "score", folder, data, *FIELDS)
    assert (status, f"{script}: row 1: KeyError: 'x'" in error) == (1, True)


@pytest.mark.processes
def test_an_installed_package_makes_it_known_by_name(tmp_path):
    site = tmp_path / "site"
    shutil.copytree(EXAMPLE / "my_metrics", site / "my_metrics")
    information = site / "my_metrics-0.1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: my-metrics\nVersion: 0.1.0\n"
    )
    (information / "entry_points.txt").write_text(
        "[metric_commons.modules]\nword_overlap = my_metrics.word_overlap\n"
    )
    program = (
        f"import sys; sys.path.insert(0, {str(site)!r}); import metric_commons as m; "
        f"print(m.score('word_overlap', **{ROWS!r})['predictions'], 'word_overlap' in m.names())"
    )
    assert output(program) == f"{{'word_overlap': {SCORE}}} True\n"


def test_the_example_package_runs(capsys, only_ours):
    example = EXAMPLE / "my_metrics" / "word_overlap"
    status, out, _ = run(capsys, "check", example)
    assert (status, out.count("ok ")) == (0, len(out.splitlines()))
    tests = runpy.run_path(str(example / "test_word_overlap.py"))
    tests["test_words_that_both_have_count"]()
