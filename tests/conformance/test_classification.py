"""Recorded cases, and scikit-learn on generated input."""

import math
import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from sklearn import calibration, metrics

from metric_commons import load
from metric_commons.labels import report_text
from tests.conformance.test_judges import plain
from tests.spec import drawn_examples, recorded
from tests.tables import by_table

OF_LABELS = [
    *("accuracy", "precision", "recall", "f1", "fbeta", "fpr", "specificity"),
    *("balanced_accuracy", "mcc", "kappa", "confusion_matrix"),
]
OF_SCORES = [
    *("roc_auc", "pr_auc", "average_precision", "log_loss", "brier", "ece"),
    *("roc_curve", "pr_curve"),
]
AVERAGED = {"precision", "recall", "f1", "fbeta", "fpr"}  # of one label, unless said otherwise
NAMES = {"n_bins": "calibration_bins", "weights": "kappa_weights"}
# Where this module has settled on something else than what the case recommends.
SETTLED = {
    "accuracy-18": 2 / 3,  # floats are scores, with a threshold of 0.5
    "log_loss-07": ValueError,  # probabilities of a row add up to 1
    "roc_auc-28": 1.0,  # two columns are those of both labels, as `predict_proba` returns them
}
SOME = drawn_examples(50)


def cases(kinds):
    return [
        pytest.param(case, id=case["id"]) for case in recorded("tabular") if case["metric"] in kinds
    ]


def expected(case):
    """What a case asks for: a value, or ValueError."""
    if case["id"] in SETTLED:
        return SETTLED[case["id"]]
    wanted = str(case.get("recommend") or "")
    if wanted.startswith("raise") and "or ovr" not in wanted:
        return ValueError
    if wanted.split(" ")[0] in ("0.0", "1.0", "NaN"):
        return float(wanted.split(" ")[0])
    if "clip" not in wanted and case["exact"] is not None:
        return case["exact"]
    if "or ovr" in wanted:
        return None  # either will do
    return plain(case["sklearn"]["value"]) if "value" in case["sklearn"] else ValueError


def call(case):
    """The arguments of `compute` for a case."""
    options = {NAMES.get(name, name): plain(value) for name, value in case["kwargs"].items()}
    options.pop("multi_class", None)
    if case["metric"] in AVERAGED:
        options["average"] = options.get("average", "binary") or "none"
    inputs = {name: plain(case["inputs"][name]) for name in ("predictions", "references")}
    if case["metric"] in OF_SCORES:  # whole numbers are labels here
        inputs["predictions"] = np.array(inputs["predictions"], float).tolist()
        labels = np.unique(inputs["references"])
        if len(labels) == 2 and labels.dtype.kind == "U":  # of texts it must be said
            options.setdefault("pos_label", labels[1].item())
    for name in inputs:
        if f"dtype_{name}" in case["inputs"] and case["metric"] not in OF_SCORES:
            inputs[name] = np.array(inputs[name], case["inputs"][f"dtype_{name}"])
    return inputs | options


CLASSIFICATION = load("classification")


@pytest.mark.parametrize("case", cases(OF_LABELS))
def test_recorded_scores_of_labels(case):
    key = {"fbeta": "f_beta"}.get(case["metric"], case["metric"])
    arguments = call(case)
    normalized = arguments.pop("normalize", None)
    if key == "confusion_matrix":
        arguments["confusion_matrix"] = normalized or True
    rows = len(arguments["references"]) if normalized is False else 1  # of a count, not a share
    wanted = expected(case)
    check(lambda: CLASSIFICATION.compute(**arguments)[key], wanted / rows if rows > 1 else wanted)


@pytest.mark.parametrize("case", cases(OF_SCORES))
def test_recorded_scores_of_probabilities(case):
    wanted = expected(case)
    arguments = call(case)
    flat = np.ravel(arguments["predictions"])
    if wanted is not ValueError and flat.size and not (flat.min() >= 0 and flat.max() <= 1):
        arguments["threshold"] = 0.0
    if case["metric"].endswith("curve"):
        arguments["curves"] = True
    key = case["metric"]

    def compute():
        result = CLASSIFICATION.compute(**arguments)[key]
        return list(result.values()) if isinstance(result, dict) else result

    check(compute, wanted)


def check(compute, wanted):
    if wanted is ValueError:
        with pytest.raises(ValueError, match=r".+"):
            compute()
        return
    found = compute()
    if wanted is None:
        return
    assert np.shape(np.array(found, object)) == np.shape(np.array(wanted, object))
    for one, other in zip(flattened(found), flattened(wanted), strict=True):
        assert one == pytest.approx(other, rel=1e-12, abs=1e-15, nan_ok=True)


def flattened(value):
    if isinstance(value, list):
        return [leaf for each in value for leaf in flattened(each)]
    return [value]


# scikit-learn, on the same input

KINDS = [
    st.integers(0, 1),
    st.booleans(),
    st.sampled_from([-1, 1]),
    st.integers(0, 4),
    st.sampled_from([-(2**62), 0, 3, 2**40]),
    st.sampled_from(["a", "b", "ä", ""]),
]
WEIGHTS = st.integers(0, 5) | st.floats(0.001, 1000)


@st.composite
def labelled(draw):
    """References, predictions and weights, some of them none."""
    kind = draw(st.sampled_from(KINDS))
    rows = draw(st.lists(st.tuples(kind, kind, WEIGHTS), min_size=1, max_size=40))
    references, predictions, weights = (list(column) for column in zip(*rows, strict=True))
    assume(sum(weights) > 0)
    return references, predictions, weights if draw(st.booleans()) else None


def quiet(function, *arguments, **options):
    """What a peer returns, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


def close(value):
    return pytest.approx(value, rel=1e-12, abs=1e-13, nan_ok=True)


def ours(predictions, references, weights=None, **options):
    columns = {"predictions": predictions, "references": references}
    return CLASSIFICATION.compute(**columns, sample_weight=weights, **options)


def check_peers(result, functions, *columns, **options):
    """Our scores are those of these functions."""
    for key, function in functions.items():
        value = quiet(function, *columns, **options)
        if key in ("mcc", "kappa"):  # their floats cancel with weights
            assert result[key] == pytest.approx(value, rel=1e-9, abs=1e-9, nan_ok=True), key
        else:
            assert result[key] == close(np.asarray(value).tolist()), key


def check_points(curve, points):
    for found, theirs in zip(curve.values(), points, strict=True):
        assert found == close(theirs.tolist())
    assert curve["thresholds"] == points[2].tolist()


RATIOS = {
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "f1": metrics.f1_score,
}
OVERALL = {
    "accuracy": metrics.accuracy_score,
    "mcc": metrics.matthews_corrcoef,
    "kappa": metrics.cohen_kappa_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
}
AREAS = {"roc_auc": metrics.roc_auc_score, "average_precision": metrics.average_precision_score}
LOSSES = {"log_loss": metrics.log_loss, "brier": metrics.brier_score_loss}
ZERO = st.sampled_from([0.0, 1.0, math.nan])


@pytest.mark.long
@SOME
@given(
    labelled(),
    st.sampled_from(["macro", "micro", "weighted", "none"]),
    ZERO,
    st.sampled_from([0.0, 0.5, 2.0, math.inf]),
)
def test_scores_of_labels_are_those_of_scikit_learn(rows, average, zero, beta):
    references, predictions, weights = rows
    options = {"average": average, "zero_division": zero, "beta": beta}
    result = ours(predictions, references, weights, confusion_matrix=True, **options)
    labels = sorted({*references, *predictions})
    if len(labels) == 1 and average != "none":  # the other label has a row of zeros here
        labels = result["labels"]
    pair, weigh = (references, predictions), {"sample_weight": weights}
    of_peer = {"average": None if average == "none" else average, "zero_division": zero}
    check_peers(result, RATIOS, *pair, **of_peer, **weigh)
    check_peers(result, {"f_beta": metrics.fbeta_score}, *pair, beta=beta, **of_peer, **weigh)
    check_peers(result, OVERALL, *pair, **weigh)
    assert result["labels"] == labels
    matrix = quiet(metrics.confusion_matrix, *pair, labels=labels, **weigh)
    assert np.array(result["confusion_matrix"]) == close(matrix)


@pytest.mark.long
@SOME
@given(labelled(), st.sampled_from(["linear", "quadratic"]))
def test_weighted_kappa_and_adjusted_accuracy_are_those_of_scikit_learn(rows, kappa_weights):
    references, predictions, weights = rows
    counting = np.array(references)[np.array(weights or [1] * len(references)) > 0]
    assume(len(np.unique(counting)) > 1)  # of one label, minus infinity where there is NaN here
    result = ours(predictions, references, weights, kappa_weights=kappa_weights, adjusted=True)
    peers = {
        "kappa": partial(metrics.cohen_kappa_score, weights=kappa_weights),
        "balanced_accuracy": partial(metrics.balanced_accuracy_score, adjusted=True),
    }
    check_peers(result, peers, references, predictions, sample_weight=weights)


@pytest.mark.long
@SOME
@given(labelled(), st.sampled_from([0.0, 1.0]), st.data())
def test_the_report_is_that_of_scikit_learn(rows, zero, data):
    references, predictions, weights = rows
    labels = sorted({*references, *predictions})
    if data.draw(st.booleans()):
        labels = data.draw(st.permutations(labels))[: data.draw(st.integers(1, len(labels)))]
    options = {"labels": labels, "zero_division": zero}
    report = ours(predictions, references, weights, report=True, **options)["report"]
    # There a label that is a bool is no text.
    options |= {"sample_weight": weights, "target_names": [*map(str, labels)]}
    peer = partial(quiet, metrics.classification_report, references, predictions, **options)

    as_dict = peer(output_dict=True)
    assert list(report) == list(as_dict)
    for name, row in as_dict.items():
        assert report[name] == close(row)
    # Where no row is right, it prints counts as floats.
    if weights is None and set(labels) & {a for a, b in zip(*rows[:2], strict=True) if a == b}:
        assert report_text(report, digits=3) == peer(digits=3)


@pytest.mark.long
@SOME
@given(labelled(), ZERO)
def test_binary_scores_are_those_of_scikit_learn(rows, zero):
    references, predictions, weights = rows
    labels = sorted({*references, *predictions})
    assume(len(labels) == 2)
    for positive, negative in (labels, labels[::-1]):
        options = {"pos_label": positive, "zero_division": zero}
        result = ours(predictions, references, weights, **options)
        pair = references, predictions
        check_peers(result, RATIOS, *pair, sample_weight=weights, **options)
        specificity = {"specificity": partial(metrics.recall_score, pos_label=negative)}
        check_peers(result, specificity, *pair, sample_weight=weights, zero_division=zero)
        if not math.isnan(result["fpr"]) and zero != 1:
            assert result["fpr"] == close(1 - result["specificity"])


def rows_of_labels(weights, least, *lists):
    """At least so many rows of equally many values of each list, and a weight."""

    def of_width(width):
        columns = [st.lists(values, min_size=width, max_size=width) for values in lists]
        return st.lists(st.tuples(*columns, weights), min_size=least, max_size=20)

    return st.integers(2, 5).flatmap(of_width)


AVERAGES = st.sampled_from(["macro", "micro", "weighted", "samples", "none"])


@pytest.mark.long
@SOME
@given(rows_of_labels(WEIGHTS, 1, *[st.integers(0, 1)] * 2), AVERAGES, ZERO)
def test_scores_of_rows_of_labels_are_those_of_scikit_learn(rows, average, zero):
    references, predictions, weights = (list(column) for column in zip(*rows, strict=True))
    assume(sum(weights) > 0)
    options = {"average": average, "zero_division": zero, "confusion_matrix": True}
    result = ours(predictions, references, weights, **options)
    pair, weigh = (np.array(references), np.array(predictions)), {"sample_weight": weights}
    peers = RATIOS if math.isnan(zero) else RATIOS | {"jaccard": metrics.jaccard_score}  # no NaN
    of_peer = {"average": None if average == "none" else average, "zero_division": zero}
    check_peers(result, peers, *pair, **of_peer, **weigh)
    if average != "weighted":
        right = np.average(np.equal(*pair).mean(axis=1), weights=weights)
        assert np.mean(result["label_accuracy"]) == close(right)
    peers = {"hamming_loss": metrics.hamming_loss, "accuracy": metrics.accuracy_score}
    check_peers(result, peers, *pair, **weigh)
    matrices = metrics.multilabel_confusion_matrix(*pair, **weigh)
    assert np.array(result["confusion_matrix"]) == pytest.approx(matrices, rel=1e-9, abs=1e-9)


GRADES = [0.0, 0.25, 0.5, 0.75, 1.0, 0.1, 1e-9]


@pytest.mark.long
@SOME
@given(
    rows_of_labels(st.floats(0.5, 3), 2, st.booleans(), st.sampled_from(GRADES)),
    AVERAGES,
    st.booleans(),
)
def test_scores_of_several_labels_of_a_row_are_those_of_scikit_learn(rows, average, weighted):
    references, scores, weights = (np.array(column) for column in zip(*rows, strict=True))
    for axis in (0, 1) if average == "samples" else (0,):
        assume((references.any(axis=axis) & ~references.all(axis=axis)).all())
    weights = weights if weighted else None
    result = ours(scores, references, weights, average=average, calibration_bins=3)
    of_peer = {"average": None if average == "none" else average, "sample_weight": weights}
    check_peers(result, AREAS, references, scores, **of_peer)
    losses = [
        metrics.log_loss(truth, column, labels=[False, True], sample_weight=weights)
        for truth, column in zip(references.T, scores.T, strict=True)
    ]
    support = np.average(references, axis=0, weights=weights) if average == "weighted" else None
    expected = losses if average == "none" else np.average(losses, weights=support)
    assert result["log_loss"] == close(expected)
    labels = ours(scores >= 0.5, references.astype(float), weights, average=average)
    assert {name: result[name] for name in labels} == labels


@pytest.mark.long
@SOME
@given(
    st.lists(st.tuples(st.booleans(), st.sampled_from(GRADES[:-1]), st.floats(0.5, 3)), min_size=2),
    st.sampled_from([("no", "yes"), ("A", "a"), ("", " "), ("1", "0"), ("ß", "Ω")]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, "macro", "weighted", "micro"]),
)
def test_two_columns_of_texts_need_no_positive_label(rows, pair, weighted, listed, average):
    """Whichever is positive: accuracy, losses and areas are those of both labels alike."""
    truth, scores, weights = (np.array(column) for column in zip(*rows, strict=True))
    assume(truth.any() and not truth.all())
    labels = [*pair] if listed else sorted(pair)
    table = np.column_stack([1 - scores, scores])
    references = np.array(labels)[truth.astype(int)]
    weights = weights if weighted else None
    options = {"average": average} | ({"labels": labels} if listed else {})
    result = ours(table, references, weights, **options)
    positive, weigh = max(labels), {"sample_weight": weights}
    of_positive = table[:, labels.index(positive)]
    decided = np.where(of_positive >= 0.5, positive, min(labels))
    check_peers(result, {"accuracy": metrics.accuracy_score}, references, decided, **weigh)
    check_peers(result, AREAS | LOSSES, references == positive, of_positive, **weigh)
    of_f1 = {"average": average} if average else {"pos_label": positive}
    of_f1 |= weigh | {"zero_division": 0.0}
    check_peers(result, {"f1": metrics.f1_score}, references, decided, **of_f1)
    ordered = table if labels == sorted(labels) else table[:, ::-1]
    for label in labels:  # and areas of both columns are equal
        chosen = ours(ordered, references, weights, pos_label=label, threshold=0.5)
        assert chosen["roc_auc"] == pytest.approx(result["roc_auc"], abs=1e-12)
        assert chosen["log_loss"] == pytest.approx(result["log_loss"], rel=1e-9)


@pytest.mark.long
@SOME
@given(
    st.lists(
        st.tuples(st.booleans(), st.sampled_from([*GRADES, -3.0, 7.5]), st.floats(0.5, 3)),
        min_size=2,
        max_size=30,
    ),
    st.floats(0.01, 0.99),
)
def test_parts_of_areas_and_points_of_curves_are_those_of_scikit_learn(rows, max_fpr):
    references, scores, weights = (np.array(column) for column in zip(*rows, strict=True))
    assume(references.any() and not references.all())
    options = {"threshold": 0.5, "curves": ["roc", "pr", "det"]}
    result = ours(scores, references, weights, max_fpr=max_fpr, **options)
    area = {"partial_roc_auc": partial(metrics.roc_auc_score, max_fpr=max_fpr)}
    check_peers(result, area, references, scores, sample_weight=weights)
    unweighted = ours(scores, references, **options)
    for name, function in {
        "roc_curve": metrics.roc_curve,
        "pr_curve": metrics.precision_recall_curve,
        "det_curve": metrics.det_curve,
    }.items():
        check_points(unweighted[name], function(references, scores))
    counts = np.ceil(weights)  # whole, so that no step is off by its rounding
    repeated = ours(scores, references, counts, threshold=0.5, curves="roc")
    points = metrics.roc_curve(references, scores, sample_weight=counts)
    check_points(repeated["roc_curve"], points)


@by_table("scores, references, kept")
def test_a_point_between_two_equal_steps_is_left_out(scores, references, kept):
    curve = ours(scores, references, curves="roc")["roc_curve"]
    assert curve["thresholds"] == kept
    check_points(curve, metrics.roc_curve(references, scores))


@pytest.mark.long
@SOME
@given(
    st.lists(st.tuples(st.integers(0, 3), *[st.sampled_from(GRADES)] * 4), min_size=4, max_size=30),
    st.sampled_from(["macro", "weighted"]),
)
def test_areas_of_pairs_of_labels_are_those_of_scikit_learn(rows, average):
    references, *columns = (np.array(column) for column in zip(*rows, strict=True))
    assume(len(set(references.tolist())) == 4)
    scores = np.column_stack(columns) + 0.125
    probabilities = scores / scores.sum(axis=1, keepdims=True)
    options = {"average": average, "multi_class": "ovo"}
    result = ours(probabilities, references, **options)
    check_peers(result, {"roc_auc": metrics.roc_auc_score}, references, probabilities, **options)
    rest = ours(scores, references, average=average, probabilities=False)
    check_peers(rest, AREAS, np.eye(4)[references], scores, average=average)


@pytest.mark.long
@SOME
@given(
    st.lists(
        st.tuples(st.lists(st.integers(1, 4), min_size=5, max_size=5), st.integers(0, 4), WEIGHTS),
        min_size=1,
        max_size=30,
    ),
    st.booleans(),
)
def test_top_k_accuracy_is_that_of_scikit_learn(rows, weighted):
    raw, references, weights = (list(column) for column in zip(*rows, strict=True))
    assume(sum(weights) > 0)
    weights = weights if weighted else None
    scores = np.array(raw, float) / np.sum(raw, axis=1, keepdims=True)
    result = ours(scores, references, weights, labels=range(5), top_k=[1, 2, 5])
    peers = {f"top_{k}_accuracy": partial(metrics.top_k_accuracy_score, k=k) for k in (1, 2, 5)}
    check_peers(result, peers, references, scores, labels=range(5), sample_weight=weights)


PROBABILITIES = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1e-9, 1e-300]) | st.floats(0, 1)
NUMBERS = st.sampled_from([-0.0, 0.0, 1e308, -1e308, 5e-324, -3.0, 2.0]) | st.floats(
    -1e300, 1e300, allow_nan=False
)


@st.composite
def scored(draw, numbers):
    """Scores, references and weights; each class is there."""
    rows = draw(st.lists(st.tuples(numbers, st.integers(0, 1), WEIGHTS), min_size=2, max_size=40))
    scores, references, weights = (list(column) for column in zip(*rows, strict=True))
    assume(0 < sum(references) < len(references))
    if draw(st.booleans()):
        return scores, references, None
    of_class = [sum(w for w, r in zip(weights, references, strict=True) if r == k) for k in (0, 1)]
    assume(min(of_class) > 0)
    return scores, references, weights


@pytest.mark.long
@SOME
@given(scored(NUMBERS) | scored(PROBABILITIES))
@example(([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1], None))
def test_areas_and_curves_are_those_of_scikit_learn(rows):
    scores, references, weights = rows
    result = ours(scores, references, weights, threshold=0.25, curves=True)
    pair, weigh = (references, scores), {"sample_weight": weights}
    check_peers(result, AREAS, *pair, **weigh)
    precision, recall, thresholds = quiet(metrics.precision_recall_curve, *pair, **weigh)
    assert result["pr_auc"] == close(metrics.auc(recall, precision))
    check_points(result["pr_curve"], (precision, recall, thresholds))
    if weights is None:  # with weights its sums of floats take straight lines for bent
        check_points(result["roc_curve"], quiet(metrics.roc_curve, *pair))


@pytest.mark.long
@SOME
@given(scored(PROBABILITIES), st.integers(1, 12), st.sampled_from(["uniform", "quantile"]))
def test_losses_and_calibration_are_those_of_scikit_learn(rows, bins, strategy):
    scores, references, weights = rows
    options = {"calibration_bins": bins, "calibration_strategy": strategy}
    result = ours(scores, references, weights, **options)
    check_peers(result, LOSSES, references, scores, sample_weight=weights)
    if weights is None:
        observed, predicted = calibration.calibration_curve(
            references, scores, n_bins=bins, strategy=strategy
        )
        assert result["calibration"]["observed"] == close(observed.tolist())
        assert result["calibration"]["predicted"] == close(predicted.tolist())


@pytest.mark.long
@SOME
@given(
    st.lists(
        st.tuples(st.lists(st.integers(0, 8), min_size=3, max_size=3), st.integers(0, 2), WEIGHTS),
        min_size=3,
        max_size=30,
    ),
    st.sampled_from(["macro", "weighted", "micro"]),
    st.booleans(),
)
def test_scores_of_several_labels_are_those_of_scikit_learn(rows, average, weighted):
    raw, references, weights = (list(column) for column in zip(*rows, strict=True))
    assume(set(references) == {0, 1, 2})
    assume(np.bincount(references, weights, 3).all())
    weights = weights if weighted else None
    raw = np.array(raw) + 0.5
    probabilities = raw / raw.sum(axis=1, keepdims=True)
    names = np.array(["c", "a", "b"])  # the order of columns is that of `labels`
    options = {"labels": names.tolist(), "average": average}
    result = ours(probabilities, names[references].tolist(), weights, **options)
    weigh, one_hot = {"sample_weight": weights}, np.eye(3)[references]
    check_peers(result, AREAS, one_hot, probabilities, average=average, **weigh)
    check_peers(result, LOSSES, references, probabilities, **weigh)
    decided = probabilities.argmax(axis=1)
    check_peers(result, {"accuracy": metrics.accuracy_score}, references, decided, **weigh)
