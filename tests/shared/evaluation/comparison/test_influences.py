"""Scores that are not means of rows, compared by influences of rows, beside known tests."""

import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from metric_commons import compare as compare_results
from metric_commons import score
from metric_commons.judging.agreement import corrected_rates
from metric_commons.labels.classification.classification_measures import classification_scores
from metric_commons.labels.classification.label_influences import classification_influences
from metric_commons.regression.error_influences import regression_influences
from metric_commons.regression.errors import regression_scores
from metric_commons.statistics import compare

ROWS = 60


def labels(rng, kinds=2, right=0.8):
    references = rng.integers(0, kinds, ROWS)
    return np.where(rng.random(ROWS) < right, references, rng.integers(0, kinds, ROWS)), references


def confidences(rng):
    references = rng.integers(0, 2, ROWS)
    return np.clip(0.3 * references + 0.7 * rng.random(ROWS), 0, 1), references


def probabilities(rng):
    rows = rng.dirichlet([1, 1, 1], ROWS)
    return rows, np.array([rng.choice(3, p=row) for row in rows])


def indicators(rng, *, scored=False):
    references = rng.integers(0, 2, (ROWS, 3))
    if scored:
        return np.clip(0.3 * references + 0.7 * rng.random((ROWS, 3)), 0, 1), references
    return np.where(rng.random((ROWS, 3)) < 0.8, references, 1 - references), references


def numbers(rng, outputs=None):
    references = rng.gamma(2, 2, ROWS if outputs is None else (ROWS, outputs))
    return references * 0.7 + rng.gamma(2, 1, references.shape), references


MEASURES = [
    *("mae", "mse", "rmse", "r2", "mape", "smape", "explained_variance", "pearson", "spearman"),
    *("kendall", "concordance", "msle", "rmsle", "pinball(alpha=0.9)", "poisson_deviance"),
    *("gamma_deviance", "tweedie(power=1.5)", "d2_absolute_error", "d2_tweedie(power=1.5)"),
]
WEIGHTED = ["mae", "rmse", "r2", "pearson", "concordance"]
DRAWN = {"ece", "mce"}  # which are not smooth
# An average over rows of rates that may be undefined has another number of rows without one.
KINKED = {"fpr"}
CLASSIFIED = (classification_scores, classification_influences)
REGRESSED = (regression_scores, regression_influences)
INPUTS = [
    (CLASSIFIED, labels, {"beta": 2.0}),
    (CLASSIFIED, lambda rng: labels(rng, 4), {"kappa_weights": "linear"}),
    (CLASSIFIED, lambda rng: labels(rng, 4), {"average": "weighted", "sample_weight": True}),
    (CLASSIFIED, confidences, {"calibration_bins": 5, "max_fpr": 0.5}),
    (CLASSIFIED, probabilities, {"calibration_bins": 4, "top_k": 2}),
    (CLASSIFIED, indicators, {}),
    (CLASSIFIED, indicators, {"average": "samples"}),
    (CLASSIFIED, lambda rng: indicators(rng, scored=True), {"calibration_bins": 4}),
    (REGRESSED, numbers, {"measures": MEASURES}),
    (REGRESSED, numbers, {"measures": WEIGHTED, "sample_weight": True}),
    (REGRESSED, lambda rng: numbers(rng, 3), {"measures": WEIGHTED, "multioutput": [1, 2, 0]}),
]


@pytest.mark.parametrize("number", range(len(INPUTS)))
def test_influences_are_what_leaving_out_a_row_shows(number):
    (scores, influences), draw, options = INPUTS[number]
    rng = np.random.default_rng(number)
    predictions, references = draw(rng)
    options = dict(options)
    if options.get("sample_weight"):
        options["sample_weight"] = rng.random(ROWS) + 0.5
    whole = scores(predictions, references, **options)
    twice = {k: np.tile(v, 2) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    both = [np.concatenate([column, column]) for column in (predictions, references)]
    values = {name: column[:ROWS] for name, column in influences(*both, **twice).items()}
    without = []
    for row in range(ROWS):
        kept = np.delete(np.arange(ROWS), row)
        of_rows = {k: v[kept] if isinstance(v, np.ndarray) else v for k, v in options.items()}
        without.append(scores(predictions[kept], references[kept], **of_rows))

    floats = {name for name, value in whole.items() if isinstance(value, float)}
    assert values.keys() == floats - DRAWN
    for name, column in values.items():
        jackknife = np.array([ROWS * whole[name] - (ROWS - 1) * part[name] for part in without])
        counting = ~np.isnan(column) & ~np.isnan(jackknife)
        if np.std(jackknife[counting]) > 1e-9:
            correlation = np.corrcoef(jackknife[counting], column[counting])[0, 1]
            assert correlation > (0.85 if name in KINKED else 0.98), name


def test_accuracy_has_the_exact_test_of_mcnemar():
    rng = np.random.default_rng(0)
    (first, references), second = labels(rng), labels(rng)[0]
    systems = {"a": first.tolist(), "b": second.tolist()}
    results = score("classification", predictions=systems, references=references, compare=True)
    won = int(((first == references) & (second != references)).sum())
    lost = int(((first != references) & (second == references)).sum())

    (comparison,) = results.comparisons
    assert comparison["p_value"] == pytest.approx(binomtest(won, won + lost).pvalue, rel=1e-12)
    assert (comparison["A_mean"], comparison["B_mean"]) == tuple(
        results[name]["accuracy"] for name in "ab"
    )


def delong(references, *systems):
    """The p-value of the normal test of two areas, from the placements of all pairs."""
    placements = []
    for scores in systems:
        positive, negative = scores[references == 1], scores[references == 0]
        wins = (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)
        placements.append((wins.mean(axis=1), wins.mean(axis=0)))
    (a1, a0), (b1, b0) = placements
    variance = np.var(a1 - b1, ddof=1) / len(a1) + np.var(a0 - b0, ddof=1) / len(a0)
    return 2 * norm.sf(abs(a1.mean() - b1.mean()) / math.sqrt(variance))


def drawn(rng, rows=100):
    """Two equally good classifiers and regressions with correlated errors."""
    references = (rng.random(rows) < 0.3).astype(int)
    common = rng.normal(size=rows)
    scores = [norm.cdf(references + 0.7 * common + 0.7 * rng.normal(size=rows) - 0.5) for _ in "ab"]
    true = rng.normal(size=rows)
    return (references, *scores), (true, *(true + common + rng.standard_t(5, rows) for _ in "ab"))


@pytest.mark.slow
def test_equal_systems_differ_in_at_most_one_of_twenty_samples():
    rng = np.random.default_rng(1)
    names = ("f1", "mcc", "roc_auc", "average_precision", "log_loss", "r2", "rmse", "pearson")
    rejected = dict.fromkeys(names, 0)
    distance = 0.0
    samples = 150
    for _ in range(samples):
        (references, *scores), (true, *predicted) = drawn(rng)
        values = classification_influences(np.concatenate(scores), np.tile(references, 2))
        columns = np.concatenate(predicted), np.tile(true, 2)
        values |= regression_influences(*columns, measures=["r2", "rmse", "pearson"])
        found = {n: compare(*np.split(values[n], 2), confidence_level=None) for n in names}
        found = {name: result["p_value"] for name, result in found.items()}
        for name, p in found.items():
            rejected[name] += p < 0.05
        distance = max(distance, abs(found["roc_auc"] - delong(references, *scores)))
    # Of 150 samples with an error of .06, one in a thousand has more than 19 errors.
    assert max(rejected.values()) <= 19, rejected
    assert distance < 0.1  # exchanged ranks and DeLong's normal distribution are two laws


def test_areas_do_not_depend_on_the_size_of_scores():
    (references, first, second), _ = drawn(np.random.default_rng(4))
    found = [
        classification_influences(
            np.concatenate([first, scores]), np.tile(references, 2), threshold=0.5
        )["roc_auc"]
        for scores in (second, norm.ppf(second) * 100 + 7)
    ]
    np.testing.assert_allclose(*found, atol=1e-9)
    areas = [np.mean(half) for half in np.split(found[0], 2)]
    exact = [classification_scores(each, references)["roc_auc"] for each in (first, second)]
    # The influences are scaled for DeLong's variance, which divides by one row less in each class.
    assert areas[0] - areas[1] == pytest.approx(exact[0] - exact[1], rel=0.02)


@pytest.mark.long
def test_a_median_is_compared_by_weights_of_rows():
    rng = np.random.default_rng(2)
    references = rng.normal(size=40)
    systems = {
        name: (references + spread * rng.standard_t(3, 40)).tolist()
        for name, spread in (("a", 0.5), ("b", 2.0), ("c", 0.5))
    }

    def compared(rival, *names):
        sides = {name: systems[name] for name in ("a", rival)}
        columns = {"predictions": sides, "references": references.tolist()}
        options = {"measures": names, "scores": names, "compare": True}
        return score("regression", **columns, **options).comparisons

    median, largest = compared("b", "median_ae", "max_error")
    assert largest["score"] == "max_error"
    assert median["p_value"] < 0.05 / 6
    assert median["test"] == "unseen_row"
    low, high = median["confidence_interval"]
    assert low < median["diff"] < high < 0
    assert compared("c", "median_ae")[0]["p_value"] > 0.1


@pytest.mark.parametrize(
    ("references", "measures"),
    [([1e308] * 3, ["mse", "r2"]), ([1e308, -1e308, 3.0], ["mae", "mse", "rmse", "pearson"]),
     ([1.0] * 3, ["r2", "pearson", "d2_absolute_error"])],
)  # fmt: skip
def test_sums_that_are_undefined_or_too_large_have_no_influences(references, measures):
    predictions = [-1e308, 1e308, 1e308]
    values = regression_influences(predictions, references, measures=measures)

    assert all(np.isfinite(column).all() for column in values.values())
    assert "r2" not in values

    def compared(**systems):
        options = {"measures": measures, "scores": measures, "compare": True}
        return score("regression", predictions=systems, references=references, **options)

    found = compared(a=predictions, b=references)
    assert len(found.systems) == 2
    assert {comparison["score"] for comparison in found.comparisons} <= {
        "pearson",
        "d2_absolute_error",
    }


def test_rows_that_are_alike_are_left_out_once(monkeypatch):
    calls = Counter()
    result = corrected_rates._result

    def counted(*columns):
        calls["result"] += 1
        return result(*columns)

    monkeypatch.setattr(corrected_rates, "_result", counted)
    rows = {"a": [0.0, 1.0, 1.0, 0.0] * 6, "b": [1.0, 1.0, 0.0, 0.0] * 6}
    labels = [1.0, 1.0, 0.0, 0.0] * 3 + [math.nan] * 12
    results = score("judge_corrected", predictions=rows, references=labels, compare=True)

    assert results.comparisons[0]["test"] == "sign_flip_exact"
    assert calls["result"] < 30


WORDS = "the cat sat on a mat and looked at the dogs in a park near an old town".split()


def texts(rng, rows):
    references = [list(rng.choice(WORDS, rng.integers(3, 12))) for _ in range(rows)]

    def answers(share):
        return [
            " ".join(w if rng.random() > share else rng.choice(WORDS) for w in text)
            for text in references
        ]

    shares = rng.uniform(0.02, 0.4, 2)
    return dict(zip("ab", map(answers, shares), strict=True)), [" ".join(r) for r in references]


def right_and_wrong(rng, rows):
    references = (rng.random(rows) < 0.3).astype(int)
    predictions = {
        name: np.clip(0.3 * references + 0.7 * rng.random(rows), 0, 1).tolist() for name in "ab"
    }
    return predictions, references.tolist()


def errors(rng, rows):
    references = rng.normal(size=rows)
    return {n: (references + rng.standard_t(3, rows)).tolist() for n in "ab"}, references.tolist()


KINDS = {
    "bleu": (texts, {}, None),
    "chrf": (texts, {}, None),
    "ter": (texts, {}, None),
    "error_rate": (texts, {}, ["wer", "wil"]),
    "qa_f1": (texts, {}, None),
    "qa_em": (texts, {}, None),
    "classification": (
        right_and_wrong,
        {"calibration_bins": 5},
        [
            *("accuracy", "precision", "recall", "f1", "mcc", "roc_auc", "average_precision"),
            *("brier", "ece", "mce"),
        ],
    ),
    "regression": (
        errors,
        {"measures": ["mae", "rmse", "r2", "pearson", "spearman", "median_ae", "max_error"]},
        ["mae", "rmse", "r2", "pearson", "spearman", "median_ae", "max_error"],
    ),
}


@pytest.mark.parametrize(  # more than 10,000 comparisons at night
    "tables", [pytest.param(8, marks=pytest.mark.long), pytest.param(160, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("module", KINDS)
def test_p_is_below_alpha_exactly_where_the_interval_excludes_0(module, tables):
    draw, options, scores = KINDS[module]
    rng = np.random.default_rng(sorted(KINDS).index(module))
    for number in range(tables):
        predictions, references = draw(rng, (6, 12, 30, 60)[number % 4])
        clusters = [row // 3 for row in range(len(references))] if number % 8 > 5 else None
        results = score(
            module,
            predictions=predictions,
            references=references,
            rows=True,
            options=options,
            clusters=clusters,
        )
        alphas = (0.3, 0.05) if number // 4 % 2 else (0.05, 0.3)
        for alternative, alpha in zip(("two-sided", "greater"), alphas, strict=True):
            testing = {"correction": "none", "alpha": alpha, "confidence_level": 1 - alpha}
            compared = compare_results(results, scores=scores, alternative=alternative, **testing)
            for each in compared.comparisons:
                low, high = each["confidence_interval"]
                assert (each["p_value"] < alpha) == (low > 0 or high < 0), each
                assert not math.isnan(low + high) or math.isinf(low)
