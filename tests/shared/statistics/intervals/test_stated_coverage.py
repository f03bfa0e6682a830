"""What the page on statistics says of intervals and decisions is what its tables show."""

import math
import re
from importlib import import_module
from itertools import combinations

import numpy as np
import pytest

from metric_commons.regression.errors import regression_scores
from metric_commons.statistics import compare
from metric_commons.statistics.tests.laws import UnseenRow
from tests.spec import ROOT

TABLES = ROOT / "docs" / "tables"
COVERAGE = (TABLES / "interval_coverage.md").read_text("utf-8")
DECISIONS = (TABLES / "decisions.md").read_text("utf-8")
PAGE = " ".join((ROOT / "docs" / "statistics.md").read_text("utf-8").split())
STATED = {"means": "qa_em, ", "word error rates": "wer, ", "span F1": "precision, recall, f1"}


def cells(start, table=COVERAGE):
    (line,) = [line for line in table.splitlines() if line.startswith(f"| {start}")]
    return [cell.strip("* ") for cell in line.split("|")[2:-1]]


def wrong_decisions(start):
    return list(map(float, cells(start, DECISIONS)))


def test_the_stated_least_coverage_is_that_of_the_table():
    sentence = re.search(r"of (means.*?) with 10 to 1,000 rows .*? at least (\d+) % of", PAGE)
    for name, start in (STATED | {"BLEU": "bleu;"}).items():
        assert name in sentence[1]
        least = [float(cell.split(" / ")[0]) for cell in cells(start)]
        assert min(least) >= int(sentence[2]) / 100, name
    # What samples rarely show is not covered.
    assert min(float(cell.split(" / ")[0]) for cell in cells("wer: rare rows")) < 0.5


def test_the_worst_laws_are_those_of_the_table():
    lines = (TABLES / "worst_laws.md").read_text("utf-8").splitlines()[2:]
    found = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    means = [float(share) for name, _, share, _ in found if name == "means of rows"]
    assert "Means of rows hold even then." in PAGE
    assert min(means) >= 0.95 - 3 * (0.05 * 0.95 / 500) ** 0.5
    assert min(float(share) for _, _, share, _ in found) < 0.5


def test_a_law_of_the_search_has_the_mean_that_it_states(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    worst_laws = import_module("_worst_laws")
    law = worst_laws.Law(0.05, 5, 0.2, 10.0)
    sums, sizes = law.rows(np.random.default_rng(0), 200_000)
    _, truth = worst_laws.word_errors(law)
    assert sums.sum() / sizes.sum() == pytest.approx(truth, rel=0.02)


def test_a_loss_of_the_margin_rarely_passes_the_gate():
    stated = re.search(r"With (\d+) to (\d+) rows, `gate` .*? in at most (\d+) % of samples", PAGE)
    sizes = cells("wrong decisions", DECISIONS)
    assert (sizes[0], sizes[-1]) == stated.groups()[:2]
    for decision in (
        *(f"gate, true loss {losses}%" for losses in (2, 5, 25)),
        "gate, true loss = margin, by unequal clusters",
        "equivalence, true difference = margin, by rows",
        "equivalence, true difference = margin, by unequal clusters",
        "intervals of six pairs: at least one misses",
    ):
        assert max(wrong_decisions(decision)) <= int(stated[3]) / 100, decision


def test_the_stated_errors_of_tests_by_clusters_are_those_of_the_table():
    stated = re.search(r"with (\d+) to (\d+) unequal clusters err in (\d+) to (\d+) %", PAGE)
    sizes = cells("wrong decisions", DECISIONS)
    start, stop = sizes.index(stated[1]), sizes.index(stated[2]) + 1
    errors = [
        error
        for test in ("t", "permutation")
        for error in wrong_decisions(f'test="{test}" of equal systems')[start:stop]
    ]
    assert [round(100 * min(errors)), round(100 * max(errors))] == [int(stated[3]), int(stated[4])]


def test_the_recommended_rows_have_about_the_power():
    lines = (TABLES / "required_rows.md").read_text("utf-8").splitlines()[2:]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    for name, _, reached in rows:
        # The exact test of scores of 0 and 1 has less power than the t-test.
        least = 0.72 if "0/1" in name else 0.775
        assert float(reached) >= least, name


@pytest.mark.parametrize("losses", [0.02, 0.05, 0.25])
@pytest.mark.parametrize("rows", [5, 10, 30, 100, 300])
def test_false_passes_at_the_margin(rows, losses):
    rng = np.random.default_rng([7, rows])
    lost = rng.binomial(rows, losses, 4_000)
    laws = {
        number: UnseenRow(-1.0 * (np.arange(rows) < number), np.ones(rows), (-1.0, 1.0))
        for number in set(lost.tolist())
    }
    passes = {number: law.tail(-losses) < 0.05 for number, law in laws.items()}
    assert np.mean([passes[number] for number in lost.tolist()]) <= 0.05


@pytest.mark.long
def test_intervals_of_pairs_hold_together():
    rng = np.random.default_rng(5)
    right = np.linspace(0.6, 0.9, 4)
    truths = [right[a] - right[b] for a in range(4) for b in range(a + 1, 4)]
    hits = 0
    for _ in range(60):
        scores = (rng.random((4, 40)) < right[:, np.newaxis]).astype(float)
        ends = [
            compare(*pair, confidence_level=1 - 0.05 / 6)["confidence_interval"]
            for pair in combinations(scores, 2)
        ]
        hits += all(low <= t <= high for (low, high), t in zip(ends, truths, strict=True))
    assert hits >= 54  # of 60; of .95 or more this has a chance above .99


def test_constant_references_say_nothing():
    assert "Where nothing can be said,** the interval is the whole range" in PAGE
    predictions, measures = [1.0 + row % 3 for row in range(30)], ["r2", "explained_variance"]
    options = {"measures": measures, "confidence_level": 0.95, "n_resamples": 100}
    ends = regression_scores(predictions, [2.0] * 30, **options)["confidence_interval"]
    assert ends == {name: [-math.inf, 1.0] for name in measures}
