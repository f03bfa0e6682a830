"""Blocks of resamples against all of them at once, which is the obvious way, and their memory."""

import math
import tracemalloc

import numpy as np
import pytest

from metric_commons.labels.classification.labels import label_scores, label_table
from metric_commons.labels.clustering.clustering_measures import clustering_scores
from metric_commons.regression.errors import regression_scores
from metric_commons.statistics import interval as mean_interval
from metric_commons.statistics.resampling import bootstrap, draws, resampled_totals

CHANCE = np.random.default_rng(0)
LABELS = CHANCE.integers(0, 12, (2, 200))  # numpy adds up eight numbers and more in another order
WEIGHTS = CHANCE.random(200)
CLUSTERS = [str(row // 8) for row in range(200)]
BOOTSTRAP = {"confidence_level": 0.9, "interval": "bootstrap"}


def small_blocks(monkeypatch, size):
    """Let blocks have so many resamples."""
    for name in ("RESAMPLES", "_FEWEST"):
        monkeypatch.setattr(resampled_totals, name, size)
    monkeypatch.setattr(bootstrap, "RESAMPLES", size)


def obvious_totals(occurrences, cells, size, amounts, n_resamples, seed):
    """All resamples at once, and each kind of row after the other, by its words in their order."""
    words, rows = np.random.PCG64(seed), int(occurrences.sum())
    kinds = list(zip(occurrences.tolist(), cells, amounts, strict=True))

    def add(totals, row_cells, row, numbers):
        for cell, amount in zip(row_cells, row, strict=True):
            totals[cell] += numbers * amount

    if len(kinds) <= 32:
        totals, lacking, left = np.zeros((size, n_resamples), amounts.dtype), rows, rows
        lacking = np.full(n_resamples, rows)
        for number, row_cells, row in kinds:
            left -= number
            numbers = lacking
            if left:
                numbers = draws.binomial_numbers(words, None, lacking, number, left)
            lacking = lacking - numbers
            add(totals, row_cells, row, numbers)
        return totals
    attempts = n_resamples + n_resamples // 64 + 16
    totals, lacking = np.zeros((size, attempts), amounts.dtype), np.full(attempts, rows)
    share = (rows - 3 * math.isqrt(rows)) / rows
    for number, row_cells, row in kinds:
        numbers = draws.poisson_numbers(words, number * share, attempts)
        lacking = lacking - numbers
        add(totals, row_cells, row, numbers)
    possible = np.flatnonzero(lacking >= 0)[:n_resamples]
    totals, lacking = totals[:, possible], lacking[possible]
    drawn = draws.random_rows(words, rows, int(lacking.sum()))
    kind_of_row = np.repeat(np.arange(len(kinds)), occurrences)
    resamples = np.repeat(np.arange(n_resamples), lacking)
    for resample, kind in zip(resamples, kind_of_row[drawn], strict=True):
        add(totals[:, resample], cells[kind], amounts[kind], 1)
    return totals


@pytest.mark.long
@pytest.mark.parametrize("size", [7, 64])
@pytest.mark.parametrize("n_resamples", [1, 22, 65])
@pytest.mark.parametrize("kinds", [2, 20, 40])
def test_blocks_draw_what_all_resamples_at_once_draw(monkeypatch, kinds, n_resamples, size):
    small_blocks(monkeypatch, size)
    chance = np.random.default_rng(kinds)
    occurrences = chance.integers(1, 30, kinds)
    cells = chance.integers(0, 3, (kinds, 2))
    for amounts in (np.ones((kinds, 2), np.int64), chance.integers(1, 9, (kinds, 2)) / 8):
        blocks = list(
            resampled_totals.resampled_totals(
                occurrences, cells, 3, amounts=amounts, n_resamples=n_resamples, seed=5
            )
        )
        expected = obvious_totals(occurrences, cells, 3, amounts, n_resamples, 5)

        assert np.array_equal(np.concatenate(blocks, axis=1), expected)
        assert min(block.shape[1] for block in blocks) > 1 or n_resamples == 1


@pytest.mark.parametrize("rows", [7, 2**20, 2**20 + 1])
def test_row_numbers_are_read_on_wherever_others_stopped(rows):
    words = draws.RandomWords(3)
    words.go_to(5)
    numbers = draws.RowNumbers(words, rows)
    parts = []
    for size in (1, 3, 0, 2, 5):
        parts.append(numbers.next(size))
        words.go_to(100 * size)
    words.go_to(5)

    assert np.array_equal(np.concatenate(parts), draws.random_rows(words, rows, 11))
    assert numbers.end == words.position


def _of_means():
    scores = np.append(np.round(WEIGHTS, 1), [0.123, 0.456])  # of which some are rare
    options = {"confidence_level": 0.9, "n_resamples": 501}
    return [
        mean_interval(values, method="bootstrap", clusters=clusters, **options)
        for values, clusters in ((scores, None), (WEIGHTS, None), (WEIGHTS, CLUSTERS))
    ]


def _of_labels(**options):
    rows, task = label_table(*LABELS, **options)
    return label_scores(rows, task, **BOOTSTRAP, n_resamples=501)


def _of_indicators():
    indicators = (LABELS[:, :, np.newaxis] >> np.arange(4) & 1).tolist()
    rows, task = label_table(*indicators, average="samples", sample_weight=WEIGHTS)
    return label_scores(rows, task, **BOOTSTRAP, n_resamples=501)


def _of_intervals():
    ends = [[x - 0.2, x + 0.3] for x in WEIGHTS.tolist()]
    return regression_scores(
        ends,
        (1 - WEIGHTS).tolist(),
        measures=["coverage", "winkler(alpha=0.1)"],
        sample_weight=WEIGHTS,
        confidence_level=0.9,
        n_resamples=501,
    )


@pytest.mark.long
@pytest.mark.parametrize(
    "scores",
    [
        _of_means,
        _of_labels,
        lambda: _of_labels(sample_weight=WEIGHTS, average="weighted"),
        lambda: _of_labels(average="none"),
        _of_indicators,
        _of_intervals,
        lambda: clustering_scores(
            *LABELS.tolist(), measures=["ari", "purity"], confidence_level=0.9, n_resamples=501
        ),
    ],
)
def test_intervals_are_the_same_for_any_size_of_blocks(monkeypatch, scores):
    expected = repr(scores())
    small_blocks(monkeypatch, 100)

    assert repr(scores()) == expected


@pytest.mark.parametrize("size", [2, 3, 1000])
def test_the_deviation_is_that_of_numpy(size):
    values = CHANCE.normal(size=size) * 1e3 + 7
    expected = np.std(values, ddof=1)

    assert bootstrap.deviation(values) == expected


def peak(call):
    tracemalloc.start()
    call()
    memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return memory


@pytest.mark.long
def test_memory_grows_by_the_values_of_scores_alone():
    """A float for each resample and score, which quantiles need, and some for the present score."""
    resamples, fewer, block = 1_000_000, 400_000, 40 << 20
    scores = np.rint(2 * WEIGHTS)
    rows, task = label_table(*(LABELS % 2))
    options = {"method": "bootstrap", "bounds": (0, 2), "n_resamples": resamples}

    assert peak(lambda: mean_interval(scores, **options)) < 12 * resamples + block // 4
    of_labels = peak(lambda: label_scores(rows, task, **BOOTSTRAP, n_resamples=fewer))
    assert of_labels < (8 * 9 + 9) * fewer + block
