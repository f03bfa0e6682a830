"""Corrected rates beside the formulas, row by row."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metric_commons.judging import judge_corrected
from tests.spec import drawn_examples

NUMBERS = st.sampled_from([0.0, 1.0]) | st.integers(0, 20).map(lambda n: n / 20)


@st.composite
def judged(draw):
    """Verdicts and labels, at least two rows with a label and two without."""
    binary = draw(st.booleans())
    values = st.sampled_from([0.0, 1.0]) if binary else NUMBERS
    n = draw(st.integers(2, 12))
    total = n + draw(st.integers(2, 15))
    verdicts = draw(st.lists(values, min_size=total, max_size=total))
    labels = draw(st.lists(values, min_size=n, max_size=n))
    return verdicts, labels + [math.nan] * (total - n)


def ppi_by_rows(verdicts, labels, *, method="ppi++"):
    """Value, error and lambda by ppi-python's formulas."""
    f, y = np.array(verdicts), np.array(labels)
    is_labelled = ~np.isnan(y)
    fl, yl, fu = f[is_labelled], y[is_labelled], f[~is_labelled]
    n, m = len(yl), len(fu)
    power = {"ppi": 1.0, "labelled": 0.0}.get(method)
    if power is None:
        variance = f.var(ddof=1)
        covariance = ((yl - yl.mean()) * (fl - fl.mean())).sum() / n
        power = covariance / ((1 + n / m) * variance) if variance > 1e-15 else 0.0
        power = power if abs(power) > 1e-12 else 0.0
        power = min(max(power, 0.0), 1.0)
    residuals = yl - power * fl
    error = residuals.var() / n + power**2 * fu.var() / m
    return power * fu.mean() + residuals.mean(), math.sqrt(error), power


@pytest.mark.long
@given(judged(), st.sampled_from(["ppi++", "ppi", "labelled"]))
@drawn_examples(200)
def test_values_and_errors_are_those_of_the_formulas(rows, method):
    result = judge_corrected(*rows, method=method)
    value, error, power = ppi_by_rows(*rows, method=method)
    assert result["judge_corrected"] == pytest.approx(value, abs=1e-9)
    assert result["standard_error"] == pytest.approx(error, abs=1e-7)
    assert result["power_tuning"] == pytest.approx(power, abs=1e-9)
    low, high = result["confidence_interval"]["judge_corrected"]
    assert 0 <= low <= min(max(value, 0), 1) + 1e-9
    assert min(max(value, 0), 1) - 1e-9 <= high <= 1


@pytest.mark.long
@given(judged())
@settings(deadline=None)
def test_the_interval_is_that_of_draws(rows):
    result = judge_corrected(*rows)
    value, _, power = ppi_by_rows(*rows)
    f, y = map(np.array, rows)
    is_labelled = ~np.isnan(y)
    rng = np.random.default_rng(0)

    def ends(power, value):
        residuals = (y - power * f)[is_labelled]
        verdicts = power * (f[~is_labelled] - f[~is_labelled].mean())
        weights = rng.exponential(size=(20_000, residuals.size + verdicts.size + 1))
        of_labels = weights[:, : residuals.size]
        noise = weights[:, residuals.size : -1] @ verdicts * residuals.size / verdicts.size
        shift, found = value - residuals.mean(), []
        for unseen, level in ((-power * f.max(), 0.025), (1 - power * f.min(), 0.975)):
            totals = of_labels @ residuals + noise + weights[:, -1] * unseen
            draws = totals / (of_labels.sum(axis=1) + weights[:, -1]) + shift
            found.append(float(np.clip(np.quantile(draws, level), 0, 1)))
        return found

    alone = ends(0.0, y[is_labelled].mean())
    widths = [high - low for low, high in (ends(power, value), alone)]
    low, high = result["confidence_interval"]["judge_corrected"]
    assert high - low == pytest.approx(min(widths), abs=0.03)
    assert low <= min(max(value, 0.0), 1.0) <= high


@pytest.mark.long
@given(judged())
@settings(deadline=None)
def test_clusters_of_one_row_have_the_value_of_rows_and_no_narrower_interval(rows):
    alone = judge_corrected(*rows)
    single = judge_corrected(*rows, clusters=list(range(len(rows[0]))))
    assert single["judge_corrected"] == alone["judge_corrected"]
    low, high = alone["confidence_interval"]["judge_corrected"]
    wide_low, wide_high = single["confidence_interval"]["judge_corrected"]
    assert wide_low <= low + 1e-9
    assert wide_high >= high - 1e-9
    assert single["n_clusters"] == len(rows[0])


def test_a_range_of_labels_moves_with_the_labels():
    rng = np.random.default_rng(0)
    verdicts = rng.random(60)
    labels = np.where(np.arange(60) < 20, np.clip(verdicts + rng.normal(0, 0.2, 60), 0, 1), np.nan)
    unit = judge_corrected(verdicts, labels)
    moved = judge_corrected(1 + 4 * verdicts, 1 + 4 * labels, score_range=(1, 5))
    ends = unit["confidence_interval"]["judge_corrected"]
    assert moved["judge_corrected"] == pytest.approx(1 + 4 * unit["judge_corrected"])
    assert moved["confidence_interval"]["judge_corrected"] == pytest.approx(
        [1 + 4 * end for end in ends]
    )
    assert moved["power_tuning"] == pytest.approx(unit["power_tuning"])


@pytest.mark.parametrize("column", ["predictions", "references"])
def test_a_number_whose_square_is_infinite_is_refused(column):
    columns = {"predictions": [0.0, 1.0, 1.0, 0.0], "references": [0.0, 1.0, np.nan, np.nan]}
    columns[column] = [1e308, *columns[column][1:]]
    with pytest.raises(ValueError, match=rf"{column}\[0\] is beyond 1e\+75"):
        judge_corrected(**columns, score_range=(-1e300, 1e300))
    with pytest.raises(ValueError, match=r"predictions\[0\] is beyond 1e\+75"):
        judge_corrected([[1e308, 1e308], [1.0, 0.0]], [0.0, 1.0])  # whose mean is infinite
    columns[column] = [1e75, *columns[column][1:]]
    assert math.isfinite(judge_corrected(**columns, score_range=(-1e300, 1e300))["judge_corrected"])


@pytest.mark.slow
def test_no_interval_with_a_judge_is_wider_than_without():
    rng = np.random.default_rng(0)
    narrower = beside = 0
    for number in range(1_000):
        labelled, rest = int(rng.choice([4, 10, 30, 100])), int(rng.choice([10, 100, 500]))
        rows = labelled + rest
        right, score_range = rng.random(rows) < rng.choice([0.6, 0.8, 0.97]), (0.0, 1.0)
        if number % 3 == 0:
            labels = (rng.random(rows) < rng.choice([0.02, 0.5, 0.9])).astype(float)
            verdicts = np.where(right, labels, 1 - labels)
        elif number % 3 == 1:
            labels = np.where(rng.random(rows) < 0.05, 0, 0.95 + 0.05 * rng.random(rows))
            verdicts = np.clip(labels + 0.1 * rng.normal(size=rows), 0, 1)
        else:
            labels, score_range = rng.choice([-1.0, 0.0, 1.0], rows, p=[0.1, 0.8, 0.1]), (-1.0, 1.0)
            verdicts = np.where(right, labels, 0.0)
        labels[labelled:] = math.nan
        options = {"score_range": score_range}
        if number % 5 == 4:
            options["clusters"] = rng.integers(0, rows // 3 + 2, rows).tolist()
        widths, ends, values = [], [], []
        for method in ("ppi++", "labelled"):
            result = judge_corrected(verdicts, labels, method=method, **options)
            values.append(result["judge_corrected"])
            ends.append(result["confidence_interval"]["judge_corrected"])
            widths.append(ends[-1][1] - ends[-1][0])
        narrower += widths[0] < 0.99 * widths[1]
        if not ends[1][0] <= values[0] <= ends[1][1]:
            beside += 1  # the interval of the labels alone does not hold the corrected rate
        else:
            assert widths[0] <= widths[1] * (1 + 1e-12), (number, widths)
    assert narrower > 100
    assert beside < 10
