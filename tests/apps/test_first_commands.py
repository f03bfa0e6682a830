"""What users of other tools type first: the right number, or the line to type instead."""

import shlex
from pathlib import Path

import pytest

import metric_commons
from tests.apps.files import systems_in
from tests.spec import ROOT
from tests.tables import by_table, tabled

EXAMPLES = ROOT / "examples"


FILES = tabled(__file__, "FILES")


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(content)


@by_table("command, score, value")
def test_the_number_is_that_of_the_other_tool(run, command, score, value):
    status, out, _ = run("score", *shlex.split(command), "--format", "json")
    (modules,) = systems_in(out).values()
    (result,) = modules.values()

    assert status == 0
    assert result.scores[score] == pytest.approx(value, abs=6e-5)


@by_table("command, said")
def test_what_is_not_ours_has_the_line_to_type(run, command, said):
    for name in ("qrels", "run"):
        source = {"qrels": "qrels.txt", "run": "bm25.run.txt"}[name]
        Path(name).write_bytes((EXAMPLES / source).read_bytes())
    status, out, err = run(*shlex.split(command))

    assert status in (1, 2)
    assert out == ""
    assert said in err.replace("\n", "")


def test_no_command_shows_the_help_without_an_error(run):
    status, _, err = run()

    assert (status, err) == (2, "")


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        (lambda m: m.load("classification").compute(y_true=[1], y_pred=[1]), "'references'"),
        (lambda m: m.load("qa_em").compute(prediction=["a"], references=["a"]), "'predictions'"),
        (lambda m: m.score("qa_em", prediction=["a"], references=["a"]), "'predictions'"),
        (lambda m: m.score("qa_em", y_pred=["a"], references=["a"]), "'predictions'"),
        (lambda m: m.compare([1, 0], [0, 0]), r"compare_rows\(a, b\)"),
    ],
)
def test_calls_of_other_libraries_name_ours(call, hint):
    with pytest.raises(TypeError, match=hint):
        call(metric_commons)


@by_table("name, hint")
def test_functions_of_other_libraries_name_ours(name, hint):
    with pytest.raises(AttributeError) as error:
        getattr(metric_commons, name)

    assert str(error.value).startswith("module 'metric_commons' has no attribute")
    assert hint in str(error.value)


def test_a_page_on_lines_of_text_shows_them(run):
    line = "score bleu ter hyp.en -r ref.en --save lines.json --rows lines.jsonl"
    assert run(*line.split())[0] == 0
    assert run("report", "lines.json", "--save", "lines.html")[0] == 0
    page = Path("lines.html").read_text("utf-8")

    assert "It is raining in Paris today." in page
    assert "It rains in Paris today." in page
