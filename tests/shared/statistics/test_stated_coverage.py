"""What README says of intervals and decisions is what the tables of the simulations show."""

import re

import numpy as np
import pytest

from metric_commons.statistics import equivalence, simultaneous_intervals
from tests.spec import ROOT

TABLE = (ROOT / "docs" / "tables" / "interval_coverage.md").read_text("utf-8")
README = " ".join((ROOT / "README.md").read_text("utf-8").split())
STATED = {"means": "qa_em, ", "word error rates": "wer, ", "span F1": "precision, recall, f1"}


def cells(start):
    (line,) = [line for line in TABLE.splitlines() if line.startswith(f"| {start}")]
    return [cell.strip("* ") for cell in line.split("|")[2:-1]]


def test_the_stated_least_coverage_is_that_of_the_table():
    sentence = re.search(r"of (means.*?) with 10 to 1,000 rows, .*? at least (\d+)% of", README)
    for name, start in (STATED | {"BLEU": "bleu;"}).items():
        assert name in sentence[1]
        least = [float(cell.split(" / ")[0]) for cell in cells(start)]
        assert min(least) >= int(sentence[2]) / 100, name


def test_a_loss_of_the_margin_rarely_passes_the_gate():
    for losses in (2, 5, 25):
        assert max(map(float, cells(f"gate, true loss {losses}%"))) <= 0.05


@pytest.mark.parametrize("losses", [0.02, 0.05, 0.25])
@pytest.mark.parametrize("rows", [5, 10, 30, 100, 300])
def test_false_passes_at_the_margin(rows, losses):
    rng = np.random.default_rng([7, rows])
    lost = rng.binomial(rows, losses, 4_000)
    passes = {
        number: equivalence([-1.0] * number + [0.0] * (rows - number), losses).p_non_inferior < 0.05
        for number in set(lost.tolist())
    }
    assert np.mean([passes[number] for number in lost.tolist()]) <= 0.05


def test_intervals_of_pairs_hold_together():
    rng = np.random.default_rng(5)
    right = np.linspace(0.6, 0.9, 4)
    truths = [right[a] - right[b] for a in range(4) for b in range(a + 1, 4)]
    hits = 0
    for _ in range(60):
        ends = simultaneous_intervals((rng.random((4, 40)) < right[:, np.newaxis]).astype(float))
        hits += all(low <= t <= high for (low, high), t in zip(ends, truths, strict=True))
    assert hits >= 54  # of 60; of .95 or more this has a chance above .99
