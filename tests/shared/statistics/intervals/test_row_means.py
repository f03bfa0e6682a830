"""Means of rows beside ratios of sums: each has the value and the interval that it has alone."""

import math
import random
from types import SimpleNamespace

import numpy as np
import pytest

from metric_commons.evaluation.comparison.pairing import paired_scores
from metric_commons.evaluation.results.module_results import module_result
from metric_commons.evaluation.results.results import Results
from metric_commons.evaluation.states.score_kind import RowLabels
from metric_commons.evaluation.states.sums import SumsOfRows
from metric_commons.statistics.intervals.sum_distributions import SumRatio, row_mean
from metric_commons.statistics.intervals.summary import summarize
from metric_commons.statistics.intervals.sums import RowStatistics, summarize_sums

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


@pytest.mark.parametrize("interval", ["auto", "korn_graubard", "bootstrap"])
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
    result = summarize_sums(statistics(table), per_example=True, **options)
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
    result = summarize_sums(statistics(table), clusters=CLUSTERS, **options)
    alone = summarize({"exact": table[of_hard, 2]}, clusters=clusters[of_hard].tolist(), **options)

    assert result["hard_exact"] == alone["exact"]
    for key in KEYS:
        assert result[key]["hard_exact"] == alone[key]["exact"]


def test_a_mean_of_no_rows_is_undefined():
    result = summarize_sums(statistics(drawn_rows(1, hard=0)), confidence_level=0.9)

    assert math.isnan(result["hard_exact"])
    assert all(map(math.isnan, result["confidence_interval"]["hard_exact"]))


@pytest.mark.parametrize("seed", range(3))
def test_states_have_the_same_bits(seed):
    table = drawn_rows(seed)

    def row_statistics(rows=()):
        return statistics(table[list(rows)])

    metric = SimpleNamespace(
        options={}, row_statistics=row_statistics, check_sums=lambda statistics: None
    )
    chance = random.Random(seed)
    rows = chance.sample(range(ROWS), ROWS)
    parts = [SumsOfRows(metric) for _ in range(4)]
    for number, row in enumerate(rows):
        parts[number % 4].update({"rows": [row]}, RowLabels(clusters=[CLUSTERS[row]]))
    first, *others = parts
    for part in others:
        first.merge(part)
    first.check()
    options = {"per_example": False, "confidence_level": 0.9, "n_resamples": 100}

    assert first.result(**options) == dict(
        summarize_sums(statistics(table), clusters=CLUSTERS, **options)
    )


def test_means_are_compared_by_rows_and_ratios_by_sums():
    module = SimpleNamespace(
        options={},
        reports=frozenset(),
        row_texts=frozenset(),
        aggregation={"micro": "sums", "hard_*": "sums"},
        lower_is_better=frozenset(),
        main_score="share",
    )
    systems = {}
    for system, seed in (("first", 1), ("second", 2)):
        rows = statistics(drawn_rows(seed))
        result = summarize_sums(rows, per_example=True)
        systems[system] = {
            "mixed": module_result(
                "mixed",
                module,
                dict(result),
                rows=ROWS,
                options={},
                reported={},
                row_sums=rows.sums_of_rows(),
            )
        }
    (pair,) = paired_scores(Results(systems=systems), [("first", "second")])

    assert (pair.score, pair.sums_a) == ("share", None)
    assert pair.scores_a == drawn_rows(1)[:, 3].tolist()
