"""Corrected rates: worked examples, edge cases and what is refused."""

import math

import numpy as np
import pytest
from scipy import stats

from metric_commons import State, load
from tests.spec import Spec
from tests.tables import by_table, other_shapes

NAN = math.nan
SCORES = (
    *("judge_corrected", "standard_error", "judged_rate", "labelled_rate"),
    *("judge_bias", "power_tuning", "effective_labels"),
)
# Verdicts 1 1 0 0 with labels 1 0 0 0: their covariance is 1/8. The variance of all verdicts is
# 2/7 (ddof 1), so lambda is (1/8) / ((1 + 4/4) * 2/7) = 7/32.
LAMBDA = 7 / 32
VALUE = LAMBDA * 0.5 + 0.25 - LAMBDA * 0.5
# Residuals 1 - L, -L, 0, 0 with mean 1/4 - L/2.
RESIDUALS = [1 - LAMBDA, -LAMBDA, 0.0, 0.0]
MEAN = 0.25 - LAMBDA / 2
VARIANCE = sum((r - MEAN) ** 2 for r in RESIDUALS) / 16 + LAMBDA**2 * 0.25 / 4

# Four labels alone have the narrower interval: Clopper and Pearson's of one in four.
ENDS = [stats.beta.ppf(0.025, 1, 4), stats.beta.ppf(0.975, 2, 3)]


def of_rate(value):
    return {"judge_corrected": value}


SPEC = Spec(
    name="judge_corrected",
    sample={
        "predictions": [1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0],
        "references": [1.0, 0.0, 0.0, 0.0, NAN, NAN, NAN, NAN],
    },
    result={
        "judge_corrected": VALUE,
        "standard_error": math.sqrt(VARIANCE),
        "judged_rate": 0.5,
        "labelled_rate": 0.25,
        "judge_bias": 0.25,
        "power_tuning": LAMBDA,
        "effective_labels": 4 * (0.25 * 0.75 / 4) / VARIANCE,
        "labelled": 4,
        "n": 8,
        "confidence_interval": of_rate(ENDS),
        "interval": of_rate("law"),
        "effective_n": of_rate(8.0),
    },
    perfect={"predictions": [1.0, 1.0, 1.0], "references": [1.0, 1.0, NAN]},
    best={
        "judge_corrected": 1.0,
        "standard_error": 0.0,
        "judged_rate": 1.0,
        "labelled_rate": 1.0,
        "judge_bias": 0.0,
        "power_tuning": 0.0,
        "effective_labels": NAN,
        "labelled": 2,
        "n": 3,
        "confidence_interval": of_rate([math.sqrt(0.025), 1.0]),
        "interval": of_rate("law"),
        "effective_n": of_rate(3.0),
    },
    other_ranges=dict.fromkeys(SCORES, (-math.inf, math.inf))
    | dict.fromkeys(("standard_error", "effective_labels"), (0.0, math.inf)),
    wrong={"predictions": "1", "references": "1"},
    whole=True,
)


# Of four labels 1 the judge finds three, and of four labels 0 all; of eight other rows it passes
# three, so that 3/8 / (3/4) are right.
OTHER_SHAPES = other_shapes(__file__)


@pytest.fixture(scope="module")
def judge_corrected():
    return load("judge_corrected")


def rows(n_labelled, n_others, seed=0, judges=None):
    rng = np.random.default_rng(seed)
    total = n_labelled + n_others
    truth = (rng.random(total) < 0.7).astype(float)
    is_right = rng.random((total, judges or 1)) < 0.85
    verdicts = np.where(is_right, truth[:, np.newaxis], 1 - truth[:, np.newaxis])
    labels = np.where(np.arange(total) < n_labelled, truth, NAN)
    return (verdicts if judges else verdicts[:, 0]).tolist(), labels.tolist()


def test_a_constant_judge_leaves_the_labels_alone(judge_corrected):
    labels = [1.0, 0.0, 1.0, 1.0]
    result = judge_corrected.compute(predictions=[1.0] * 9, references=labels + [NAN] * 5)
    alone = judge_corrected.compute(
        predictions=[1.0] * 9, references=labels + [NAN] * 5, method="labelled"
    )
    assert result["power_tuning"] == 0.0
    assert result["judge_corrected"] == 0.75
    assert result == alone


def test_labels_alone_have_the_interval_of_clopper_and_pearson(judge_corrected):
    from metric_commons.statistics.intervals.proportions import proportion_interval

    verdicts, labels = rows(40, 100)
    result = judge_corrected.compute(predictions=verdicts, references=labels, method="labelled")
    expected = proportion_interval(int(sum(labels[:40])), 40)
    assert result["confidence_interval"]["judge_corrected"] == pytest.approx(expected[:2])
    assert result["effective_labels"] == pytest.approx(40)


def test_labels_that_are_all_right_are_no_point(judge_corrected):
    result = judge_corrected.compute(predictions=[1.0, 0.0] * 10, references=[1.0] * 8 + [NAN] * 12)
    low, high = result["confidence_interval"]["judge_corrected"]
    assert (round(low, 4), high) == (0.6306, 1.0)


def test_the_order_of_rows_and_parts_leaves_every_bit(judge_corrected, tmp_path):
    rng = np.random.default_rng(1)
    verdicts, labels = rng.random(90), np.where(rng.random(90) < 0.4, rng.random(90), NAN)
    clusters = np.array([f"s{number}" for number in rng.integers(0, 3, 90)])
    order = rng.permutation(90)
    for name, column in (("clusters", clusters), (None, None)):
        options = {} if name is None else {name: column.tolist()}
        expected = judge_corrected.compute(
            predictions=verdicts.tolist(), references=labels.tolist(), **options
        )
        options = {} if name is None else {name: column[order].tolist()}
        shuffled = judge_corrected.compute(
            predictions=verdicts[order], references=labels[order], **options
        )
        assert shuffled == expected
        states = [State("judge_corrected") for _ in range(3)]
        for part, state in enumerate(states):
            of_part = order[part * 30 : part * 30 + 30]
            options = {} if name is None else {name: column[of_part].tolist()}
            state.update(predictions=verdicts[of_part], references=labels[of_part], **options)
        for state, ending in ((states[1], "jsonl"), (states[2], "parquet")):
            state.save(tmp_path / f"rows.{ending}")
        merged = State.read(tmp_path / "rows.parquet")
        merged.merge(states[0], State.read(tmp_path / "rows.jsonl"))
        assert merged.result() == expected


def test_several_judges(judge_corrected):
    verdicts, labels = rows(30, 100, judges=3)
    mean = judge_corrected.compute(predictions=verdicts, references=labels)
    of_means = judge_corrected.compute(
        predictions=[sum(row) / 3 for row in verdicts], references=labels
    )
    assert mean["judge_corrected"] == pytest.approx(of_means["judge_corrected"], rel=1e-12)


SOME = {"predictions": [1.0, 0.0, 1.0, 1.0], "references": [1.0, 0.0, NAN, NAN]}


@by_table("columns, options, message")
def test_what_is_refused(judge_corrected, columns, options, message):
    with pytest.raises(ValueError, match=message):
        judge_corrected.compute(**columns, **options)


def test_lists_of_labels_and_null_in_tables(judge_corrected):
    from metric_commons import score

    expected = judge_corrected.compute(**SOME)
    lists = [[1.0], [0.0], [], []]
    assert judge_corrected.compute(predictions=SOME["predictions"], references=lists) == expected
    table = {"judge": SOME["predictions"], "human": [1, 0, None, None]}
    results = score(
        "judge_corrected",
        data=table,
        predictions="judge",
        references="human",
        confidence_level=0.95,
    )
    assert results["judge"]["judge_corrected"]["judge_corrected"] == expected["judge_corrected"]
