"""The speeds in README and the guide are the ranges that the tables of the benchmarks show."""

import ast
import importlib
import re
from importlib.util import find_spec

import pytest

from tests.spec import ROOT

README = (ROOT / "README.md").read_text("utf-8")
# Per row of README's table, by its task and its peer: a table of ratios, and its lines.
ROUGE = r"ROUGE-1/2/L(, 1,750 words)?( with stemmer)?, against {}"
LINES = {
    ("EM + F1", "`squad`"): ("qa", r"EM \+ F1 through compute\(\) against stock squad"),
    ("ROUGE-1, 2 and L", "rouge_score"): ("rouge", ROUGE.format("rouge_score")),
    ("ROUGE-1, 2 and L", "rouge-score-rs"): ("rouge", ROUGE.format("rouge-score-rs")),
    ("five ranking measures", "pytrec_eval"): (
        "ranking",
        r"files(, all_trec)?, against pytrec_eval.*",
    ),
    ("five ranking measures", "ranx"): ("ranking", r"files, against ranx.*"),
    ("five ranking measures", "ir_measures"): ("ranking", r"files, against ir_measures.*"),
    ("all scores of labels", "scikit-learn"): (
        "classification",
        r"all scores of labels, against .*",
    ),
    ("all scores of probabilities", "scikit-learn"): (
        "classification",
        r"areas, log loss and Brier .*",
    ),
    ("BLEU", "sacrebleu"): ("translations", r"BLEU\b.*"),
    ("chrF", "sacrebleu"): ("translations", r"chrF.*"),
    ("TER", "sacrebleu"): ("translations", r"TER.*"),
    ("entities", "seqeval"): ("spans", r"against f1_score of seqeval|against its report"),
    ("mathematical answers", "math-verify"): ("mathematics", r".*, against math-verify"),
}


def table(name):
    return (ROOT / "docs" / "tables" / f"{name}.txt").read_text("utf-8")


def ratios(name, label):
    """The ratios of a table's lines whose label matches a pattern."""
    lines = [re.fullmatch(r"(.*): ([\d.]+)x .*", line) for line in table(name).splitlines()]
    return [float(line[2]) for line in lines if line and re.fullmatch(label, line[1])]


def stated(task, peer):
    """The ends of the range in a row of README's table; a single number is both ends."""
    row = re.search(rf"^\| {re.escape(task)}.*\| {re.escape(peer)}.*$", README, re.MULTILINE)[0]
    low, high = re.search(r"([\d.,]+)(?: to ([\d.,]+))? \|$", row).groups()
    return low.replace(",", ""), (high or low).replace(",", "")


def rounds_to(number, text):
    """Whether a text with as many digits may stand for a number."""
    half_a_unit = 0.5 * 10.0 ** -len(text.partition(".")[2])
    return abs(number - float(text)) <= half_a_unit * 1.001


@pytest.mark.parametrize(("task", "peer"), LINES)
def test_the_table_of_speeds_shows_whole_ranges(task, peer):
    low, high = stated(task, peer)
    measured = ratios(*LINES[task, peer])
    assert rounds_to(min(measured), low), min(measured)
    assert rounds_to(max(measured), high), max(measured)


def test_the_command_trec_has_the_speed_of_its_table():
    processes = re.findall(r"^trec_eval .* ([\d.]+)x$", table("trec"), re.MULTILINE)
    low, high = stated("`trec` as a whole process, two", "trec_eval")
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
    said = re.search(r"take ([\d.]+) hours .* Parquet, and ([\d.]+) to ([\d.]+) as JSON", guide)
    assert rounds_to(max(hours["Parquet"]), said[1])
    assert rounds_to(min(hours["JSON Lines"]), said[2])
    assert rounds_to(max(hours["JSON Lines"]), said[3])


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda p: p.stem)
def test_a_benchmark_imports_what_there_is(path):
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("metric_commons"):
            module = importlib.import_module(node.module)
            assert all(
                hasattr(module, name.name) or find_spec(f"{node.module}.{name.name}")
                for name in node.names
            )
