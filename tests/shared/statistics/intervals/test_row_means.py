"""Means of rows beside ratios of sums: each has the value and the interval that it has alone."""

import math
import random
from types import SimpleNamespace

import numpy as np
import pytest

from metric_commons.evaluation.comparison.comparisons import paired_scores
from metric_commons.evaluation.results.module_results import module_result
from metric_commons.evaluation.results.results import Results
from metric_commons.evaluation.rows.row_tables import RowTable, joined
from metric_commons.evaluation.rows.row_tables import result as result_of
from metric_commons.statistics.intervals.sum_distributions import SumRatio, row_mean
from metric_commons.statistics.intervals.summary import summarize
from metric_commons.statistics.intervals.sums import RowStatistics

NAMES = ("right", "asked", "exact", "share", "hard", "hard_exact", "rows")
ROWS = 60


def scores(sums):
    def ratio(top, bottom):
        return sums[top] / sums[bottom] if sums[bottom] else math.nan

    return {
        "exact": ratio("exact", "rows"),
        "share": ratio("share", "rows"),
        "hard_exact": ratio("hard_exact", "hard"),
        "micro": ratio("right", "asked"),
    }


def row_scores(sums):
    return {"exact": sums["exact"], "share": sums["share"]}


def distributions(names):
    return {
        "exact": row_mean("exact"),
        "share": row_mean("share"),
        "hard_exact": row_mean("hard_exact", "hard"),
        "micro": SumRatio({"right": 1}, {"asked": 1}),
    }


def statistics(table):
    return RowStatistics(NAMES, table, scores, row_scores, distributions=distributions)


def drawn_rows(seed, hard=0.3):
    chance = random.Random(seed)
    rows = []
    for _ in range(ROWS):
        asked = chance.randint(1, 7)
        right = chance.choice([asked, chance.randint(0, asked)])
        is_hard = chance.random() < hard
        exact = right == asked
        rows.append([right, asked, exact, right / asked, is_hard, exact and is_hard, 1])
    return np.array(rows, np.float64)


CLUSTERS = [f"c{row % 7}" for row in range(ROWS)]
KEYS = ("confidence_interval", "interval", "standard_error", "effective_n", "design_effect")


@pytest.mark.parametrize("interval", ["auto", "bootstrap"])
@pytest.mark.parametrize("clusters", [None, CLUSTERS])
@pytest.mark.parametrize("seed", range(3))
def test_a_mean_is_that_of_a_module_of_means(interval, clusters, seed):
    table = drawn_rows(seed)
    options = {
        "confidence_level": 0.9,
        "interval": interval,
        "clusters": clusters,
        "n_resamples": 200,
        "groups": ["ab"[row % 2] for row in range(ROWS)],
    }
    result = summarize(statistics(table), per_example=True, **options)
    alone = summarize({"exact": table[:, 2], "share": table[:, 3]}, per_example=True, **options)

    for part, part_alone in [
        (result, alone),
        *zip(result["groups"].values(), alone["groups"].values(), strict=True),
    ]:
        for name in ("exact", "share"):
            assert part[name] == part_alone[name]
            for key in KEYS:
                assert part.get(key, {}).get(name) == part_alone.get(key, {}).get(name), key
    assert result["per_example"] == alone["per_example"]


def test_a_mean_of_some_rows_is_that_of_these_rows():
    table = drawn_rows(1)
    of_hard = table[:, 4] > 0
    options = {"confidence_level": 0.9}
    clusters = np.array(CLUSTERS)
    result = summarize(statistics(table), clusters=CLUSTERS, **options)
    alone = summarize({"exact": table[of_hard, 2]}, clusters=clusters[of_hard].tolist(), **options)

    assert result["hard_exact"] == alone["exact"]
    for key in KEYS:
        assert result[key]["hard_exact"] == alone[key]["exact"]


def test_a_mean_of_no_rows_is_undefined():
    result = summarize(statistics(drawn_rows(1, hard=0)), confidence_level=0.9)

    assert math.isnan(result["hard_exact"])
    assert all(map(math.isnan, result["confidence_interval"]["hard_exact"]))


def module():
    """A module of such scores."""
    return SimpleNamespace(
        name="mixed",
        score_kind="sums",
        options=dict.fromkeys(("confidence_level", "n_resamples", "clusters", "per_example")),
        reports=frozenset(),
        row_texts=frozenset(),
        aggregation={"micro": "sums", "hard_*": "sums"},
        lower_is_better=frozenset(),
        score_ranges={},
        main_score="share",
        also_compared=(),
        row_statistics=lambda: statistics(np.empty((0, len(NAMES)))),
        check_sums=lambda statistics: None,
    )


def table_of(rows, clusters=None):
    columns = dict(zip(NAMES, rows.T, strict=True))
    labels = {} if clusters is None else {"clusters": clusters}
    return RowTable(metric=module(), columns=columns, clusters=labels)


@pytest.mark.parametrize("seed", range(3))
def test_tables_have_the_same_bits(seed):
    rows = drawn_rows(seed)
    order = random.Random(seed).sample(range(ROWS), ROWS)
    parts = [
        table_of(rows[order[part::4]], [CLUSTERS[row] for row in order[part::4]])
        for part in range(4)
    ]
    options = {"confidence_level": 0.9, "n_resamples": 100}

    assert result_of(joined(parts), **options) == dict(
        summarize(statistics(rows), clusters=CLUSTERS, **options)
    )


def test_means_are_compared_by_rows_and_ratios_by_sums():
    tables = {
        system: {"mixed": table_of(drawn_rows(seed))}
        for system, seed in (("first", 1), ("second", 2))
    }
    systems = {
        system: {"mixed": module_result(of_system["mixed"], {})}
        for system, of_system in tables.items()
    }
    (pair,) = paired_scores(Results(systems=systems, rows=tables), [("first", "second")])

    first, second = (drawn_rows(seed)[:, 3] for seed in (1, 2))
    assert pair.score == "share"
    assert pair.differences.numbers.tolist() == (first - second).tolist()
