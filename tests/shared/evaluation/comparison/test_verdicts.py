"""Verdicts about a new system beside scipy, and plans for a benchmark."""

import math

import numpy as np
import pytest
from scipy import stats

from metric_commons.evaluation.comparison.combined_results import pairs_of_results
from metric_commons.evaluation.comparison.plans import plan_table, plans
from metric_commons.evaluation.comparison.verdicts import gate
from metric_commons.evaluation.results.module_results import ModuleResult
from metric_commons.evaluation.results.results import Results
from metric_commons.evaluation.rows.logged_scores import LoggedScores
from metric_commons.evaluation.rows.row_tables import RowTable
from metric_commons.evaluation.scoring.scoring import score
from metric_commons.statistics import detectable, rows_needed


def results(scores, system="bot", lower=False, clusters=None):
    """A result whose rows have these scores."""
    values = np.array(scores, float)
    module = ModuleResult(
        values={"error": float(values.mean())},
        rows=len(values),
        lower_is_better=["error"] if lower else [],
    )
    labels = {} if clusters is None else {"clusters": clusters}
    table = RowTable(metric=LoggedScores(), columns={"error": values}, clusters=labels)
    return Results(systems={system: {"m": module}}, rows={system: {"m": table}})


def samples(rows=80, shift=0.0):
    rng = np.random.default_rng(0)
    baseline = rng.random(rows)
    return baseline + shift + rng.normal(0, 0.1, rows), baseline


@pytest.mark.parametrize(
    ("shift", "margin", "verdict"),
    [
        (0.0, 0.05, "not inferior"),
        (0.3, 0.001, "not inferior"),
        (0.0, 0.001, "cannot tell"),
        (-0.05, 0.05, "cannot tell"),
        (-0.2, 0.05, "inferior"),
    ],
)
def test_a_verdict_is_near_that_of_two_one_sided_t_tests(shift, margin, verdict):
    new, old = samples(shift=shift)
    found = gate(results(new), results(old), score="error", margin=margin)
    t = stats.ttest_1samp(new - old, -margin, alternative="greater")

    assert found.verdict == verdict
    assert found.p_not_inferior == pytest.approx(t.pvalue, abs=1e-3)
    assert found.p_inferior == pytest.approx(1 - found.p_not_inferior, rel=1e-9, abs=1e-12)
    assert f"difference {np.mean(new - old):+.4f} [" in found.sentences[0]
    assert "80 rows" in found.sentences[1]
    assert len(found.sentences) == (3 if verdict == "cannot tell" else 2)


def test_less_may_be_better():
    new, old = samples(shift=0.2)
    worse = gate(results(new, lower=True), results(old, lower=True), score="m.error", margin=0.05)
    better = gate(results(old, lower=True), results(new, lower=True), score="error", margin=0.05)

    assert (worse.verdict, better.verdict) == ("inferior", "not inferior")
    assert worse.sentences[0].startswith(f"error: new {new.mean():.4f}, baseline {old.mean():.4f}")
    assert f"difference {np.mean(new - old):+.4f}" in worse.sentences[0]
    assert worse.sentences[0].endswith("; lower is better.")


def test_clusters_count():
    new, old = samples()
    clusters = [row // 8 for row in range(80)]
    found = gate(
        results(new, clusters=clusters), results(old, clusters=clusters), score="error", margin=0.01
    )
    assert found.comparison["n_clusters"] == 10
    assert "80 rows in 10 clusters" in found.sentences[1]
    one = gate(results([0.5]), results([0.4]), score="error", margin=0.01)
    assert one.verdict == "cannot tell"
    assert one.p_inferior > 0.4
    low, high = one.comparison["confidence_interval"]
    assert low < -0.8 < 0.9 < high


def test_what_cannot_be_judged_is_named():
    new, old = (results(column) for column in samples())
    two = score("qa_em", predictions={"a": ["x"], "b": ["y"]}, references=["x"], rows=True)
    for first, second, options, message in (
        (new, old, {"margin": 0}, "margin must be a number above 0, got 0"),
        (new, old, {"alpha": 5}, "for 5 % pass 0.05"),
        (new, old, {"score": "eror"}, "there is no score 'eror'; did you mean 'error'"),
        (two, old, {}, "the new result has the systems a, b; a gate is for one"),
    ):
        with pytest.raises(ValueError, match=message):
            gate(first, second, **{"score": "error", "margin": 0.1} | options)


def test_a_plan_is_that_of_students_t_for_the_error_of_the_difference():
    new, old = samples()
    pairs = pairs_of_results(results(new, "new"), results(old, "old"))
    (plan,) = plans(pairs, 0.02, alpha=0.01, power=0.9)
    deviation = (new - old).std(ddof=1)

    names = ("a", "b", "module", "score", "rows", "n_clusters")
    assert [plan[name] for name in names] == ["new", "old", "m", "error", 80, None]
    assert plan["deviation"] == pytest.approx(deviation, rel=1e-12)
    assert plan["mde"] == detectable(plan["deviation"], 80, 0.01, 0.9)
    assert plan["rows_needed"] == rows_needed(0.02, plan["deviation"], 0.01, 0.9)
    clusters = [row // 8 for row in range(80)]
    pair = (results(new, "new", clusters=clusters), results(old, "old", clusters=clusters))
    (plan,) = plans(pairs_of_results(*pair), 0.02)
    assert (plan["rows"], plan["n_clusters"]) == (80, 10)
    missing = [math.nan, *new[1:]]
    (plan,) = plans(pairs_of_results(results(missing, "new"), results(old, "old")), 0.02)
    assert plan["rows"] == 79
    assert plan["deviation"] == pytest.approx((new - old)[1:].std(ddof=1), rel=1e-12)
    with pytest.raises(ValueError, match="effect must be a number above 0"):
        plans(pairs, 0.0)


@pytest.mark.parametrize(("new", "old"), [([0.5], [0.1]), ([0.5, 1.0], [0.5, 1.0])])
def test_rows_that_do_not_vary_plan_nothing(new, old):
    pairs = pairs_of_results(results(new, "new"), results(old, "old"))
    (plan,) = plans(pairs, 0.02)
    assert (plan["mde"], plan["rows_needed"]) == (None, None)
    assert plan_table([plan], 0.02, 0.05, 0.8).header[-1] == "deviation"
