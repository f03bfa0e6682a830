"""The speeds in README and the guide are the ranges that the tables of the benchmarks show."""

import ast
import importlib
import re
from importlib.util import find_spec

import pytest

from tests.spec import ROOT

README = (ROOT / "README.md").read_text("utf-8")
# Per row of README's table: for each range of its last cell a table of ratios, and its lines.
LINES = {
    "EM + F1": [("qa", r"EM \+ F1 through compute\(\) against stock squad")],
    "ROUGE-1, 2 and L": [
        ("rouge", r"ROUGE-1/2/L(, 1,750 words)?( with stemmer)?, against rouge_score"),
        ("rouge", r"ROUGE-1/2/L(, 1,750 words)?( with stemmer)?, against rouge-score-rs"),
    ],
    "five ranking measures": [
        ("ranking", r"files(, all_trec)?, against pytrec_eval.*"),
        ("ranking", r"files, against ranx.*"),
        ("ranking", r"files, against ir_measures.*"),
    ],
    "all scores of 100,000": [
        ("classification", r"all scores of labels, against .*"),
        ("classification", r"areas, log loss and Brier .*"),
    ],
    "BLEU; chrF; TER": [
        ("translations", r"BLEU\b.*"),
        ("translations", r"chrF.*"),
        ("translations", r"TER.*"),
    ],
    "entities; mathematical": [
        ("spans", r"against f1_score of seqeval|against its report"),
        ("mathematics", r".*, against math-verify"),
    ],
}


def table(name):
    return (ROOT / "docs" / "tables" / f"{name}.txt").read_text("utf-8")


def ratios(name, label):
    """The ratios of a table's lines whose label matches a pattern."""
    lines = [re.fullmatch(r"(.*): ([\d.]+)x .*", line) for line in table(name).splitlines()]
    return [float(line[2]) for line in lines if line and re.fullmatch(label, line[1])]


def ranges(task):
    """The ranges in the last cell of a task's row; a single number is both ends."""
    (row,) = [line for line in README.splitlines() if line.startswith(f"| {task}")]
    cells = re.findall(r"([\d.,]+)(?: to ([\d.,]+))?", row.split("|")[-2])
    return [(low.replace(",", ""), (high or low).replace(",", "")) for low, high in cells]


def rounds_to(number, text):
    """Whether a text with as many digits may stand for a number."""
    half_a_unit = 0.5 * 10.0 ** -len(text.partition(".")[2])
    return abs(number - float(text)) <= half_a_unit * 1.001


@pytest.mark.parametrize("task", LINES)
def test_the_table_of_speeds_shows_whole_ranges(task):
    stated = ranges(task)
    assert len(stated) == len(LINES[task])
    for (low, high), (name, label) in zip(stated, LINES[task], strict=True):
        measured = ratios(name, label)
        assert rounds_to(min(measured), low), (name, label, min(measured))
        assert rounds_to(max(measured), high), (name, label, max(measured))


def test_the_command_trec_has_the_speed_of_its_table():
    processes = re.findall(r"^trec_eval .* ([\d.]+)x$", table("trec"), re.MULTILINE)
    (low, high), *others = ranges("`trec` as a whole")
    assert not others
    assert rounds_to(min(map(float, processes[:2])), low)
    assert rounds_to(max(map(float, processes[:2])), high)
    assert float(processes[2]) < 1  # 1,000 rows: "slower"


def test_a_billion_answers_take_the_hours_of_their_table():
    hours = {
        kind: [
            float(line.split(" hours")[0].rpartition(" ")[2])
            for line in table("scale").splitlines()
            if line.startswith(kind) and line.endswith("hours in all")
        ]
        for kind in ("Parquet", "JSON Lines")
    }
    guide = " ".join((ROOT / "docs" / "guides" / "scale.md").read_text("utf-8").split())
    stated = re.search(r"take ([\d.]+) hours .* Parquet, and ([\d.]+) to ([\d.]+) as JSON", guide)
    assert rounds_to(max(hours["Parquet"]), stated[1])
    assert rounds_to(min(hours["JSON Lines"]), stated[2])
    assert rounds_to(max(hours["JSON Lines"]), stated[3])


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda p: p.stem)
def test_a_benchmark_imports_what_there_is(path):
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("metric_commons"):
            module = importlib.import_module(node.module)
            assert all(
                hasattr(module, name.name) or find_spec(f"{node.module}.{name.name}")
                for name in node.names
            )
