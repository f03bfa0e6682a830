"""Recorded cases, and scikit-learn on generated input."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from sklearn import calibration, metrics

from metric_commons import load
from metric_commons.labels import report_text
from tests.spec import drawn_examples, recorded

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


def number(value):
    """A value of a case, in which NaN and infinity are words."""
    if isinstance(value, list):
        return [number(each) for each in value]
    return float(value) if value in ("NaN", "Infinity", "-Infinity") else value


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
    return number(case["sklearn"]["value"]) if "value" in case["sklearn"] else ValueError


def call(case):
    """The arguments of `compute` for a case."""
    options = {NAMES.get(name, name): number(value) for name, value in case["kwargs"].items()}
    options.pop("multi_class", None)
    if case["metric"] in AVERAGED:
        options["average"] = options.get("average", "binary") or "none"
    inputs = {name: number(case["inputs"][name]) for name in ("predictions", "references")}
    if case["metric"] in OF_SCORES:  # whole numbers are labels here
        inputs["predictions"] = np.array(inputs["predictions"], float).tolist()
        labels = np.unique(inputs["references"])
        if len(labels) == 2 and labels.dtype.kind == "U":  # of texts it must be said
            options.setdefault("pos_label", labels[1].item())
    for name in inputs:
        if f"dtype_{name}" in case["inputs"] and case["metric"] not in OF_SCORES:
            inputs[name] = np.array(inputs[name], case["inputs"][f"dtype_{name}"])
    return inputs | options


@pytest.fixture(scope="module")
def classification():
    return load("classification")


@pytest.mark.parametrize("case", cases(OF_LABELS))
def test_recorded_scores_of_labels(case, classification):
    key = {"fbeta": "f_beta"}.get(case["metric"], case["metric"])
    arguments = call(case)
    normalized = arguments.pop("normalize", None)
    if key == "confusion_matrix":
        arguments["confusion_matrix"] = normalized or True
    rows = len(arguments["references"]) if normalized is False else 1  # of a count, not a share
    check(lambda: classification.compute(**arguments)[key], scaled(expected(case), rows))


def scaled(value, rows):
    return value / rows if rows > 1 else value


@pytest.mark.parametrize("case", cases(OF_SCORES))
def test_recorded_scores_of_probabilities(case, classification):
    wanted = expected(case)
    arguments = call(case)
    flat = np.ravel(arguments["predictions"])
    if wanted is not ValueError and flat.size and not (flat.min() >= 0 and flat.max() <= 1):
        arguments["threshold"] = 0.0
    if case["metric"].endswith("curve"):
        arguments["curves"] = True
    key = case["metric"]

    def compute():
        result = classification.compute(**arguments)[key]
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


CLASSIFICATION = load("classification")


@pytest.mark.long
@SOME
@given(labelled(), st.sampled_from(["macro", "micro", "weighted", "none"]), st.data())
def test_scores_of_labels_are_those_of_scikit_learn(rows, average, data):
    references, predictions, weights = rows
    zero = data.draw(st.sampled_from([0.0, 1.0, math.nan]))
    beta = data.draw(st.sampled_from([0.0, 0.5, 2.0, math.inf]))
    result = CLASSIFICATION.compute(
        predictions=predictions,
        references=references,
        sample_weight=weights,
        average=average,
        zero_division=zero,
        beta=beta,
        confusion_matrix=True,
    )
    labels = sorted({*references, *predictions})
    of_peer = {"sample_weight": weights, "zero_division": zero}
    of_peer["average"] = None if average == "none" else average
    if len(labels) == 1 and average != "none":  # the other label has a row of zeros here
        labels = result["labels"]
    pair = references, predictions
    peer = {
        "precision": quiet(metrics.precision_score, *pair, **of_peer),
        "recall": quiet(metrics.recall_score, *pair, **of_peer),
        "f1": quiet(metrics.f1_score, *pair, **of_peer),
        "f_beta": quiet(metrics.fbeta_score, *pair, beta=beta, **of_peer),
    }
    weigh = {"sample_weight": weights}
    peer |= {
        "accuracy": metrics.accuracy_score(*pair, **weigh),
        "mcc": quiet(metrics.matthews_corrcoef, *pair, **weigh),
        "kappa": quiet(metrics.cohen_kappa_score, *pair, **weigh),
        "balanced_accuracy": quiet(metrics.balanced_accuracy_score, *pair, **weigh),
    }

    assert result["labels"] == labels
    assert np.array(result["confusion_matrix"]) == close(
        quiet(metrics.confusion_matrix, *pair, labels=labels, **weigh)
    )
    for key, value in peer.items():
        if key in ("mcc", "kappa"):  # their floats cancel with weights
            assert result[key] == pytest.approx(value, rel=1e-9, abs=1e-9, nan_ok=True), key
        else:
            assert result[key] == close(np.asarray(value).tolist()), key


@pytest.mark.long
@SOME
@given(labelled(), st.sampled_from(["linear", "quadratic"]))
def test_weighted_kappa_and_adjusted_accuracy_are_those_of_scikit_learn(rows, kappa_weights):
    references, predictions, weights = rows
    counting = np.array(references)[np.array(weights or [1] * len(references)) > 0]
    assume(len(np.unique(counting)) > 1)  # of one label, minus infinity where there is NaN here
    result = CLASSIFICATION.compute(
        predictions=predictions,
        references=references,
        sample_weight=weights,
        kappa_weights=kappa_weights,
        adjusted=True,
    )
    pair, weigh = (references, predictions), {"sample_weight": weights}
    kappa = quiet(metrics.cohen_kappa_score, *pair, weights=kappa_weights, **weigh)
    adjusted = quiet(metrics.balanced_accuracy_score, *pair, adjusted=True, **weigh)

    assert result["kappa"] == pytest.approx(kappa, rel=1e-9, abs=1e-9, nan_ok=True)
    assert result["balanced_accuracy"] == close(adjusted)


@pytest.mark.long
@SOME
@given(labelled(), st.sampled_from([0.0, 1.0]), st.data())
def test_the_report_is_that_of_scikit_learn(rows, zero, data):
    references, predictions, weights = rows
    labels = sorted({*references, *predictions})
    if data.draw(st.booleans()):
        labels = data.draw(st.permutations(labels))[: data.draw(st.integers(1, len(labels)))]
    options = {"labels": labels, "sample_weight": weights, "zero_division": zero}
    report = CLASSIFICATION.compute(
        predictions=predictions, references=references, report=True, **options
    )["report"]
    # There a label that is a bool is no text.
    peer = quiet(
        metrics.classification_report,
        *(references, predictions),
        target_names=[*map(str, labels)],
        output_dict=True,
        **options,
    )

    assert list(report) == list(peer)
    for name, row in peer.items():
        assert report[name] == close(row)
    # Where no row is right, it prints counts as floats.
    if weights is None and set(labels) & {a for a, b in zip(*rows[:2], strict=True) if a == b}:
        assert report_text(report, digits=3) == quiet(
            metrics.classification_report,
            *(references, predictions),
            target_names=[*map(str, labels)],
            digits=3,
            **options,
        )


@pytest.mark.long
@SOME
@given(labelled(), st.sampled_from([0.0, 1.0, math.nan]))
def test_binary_scores_are_those_of_scikit_learn(rows, zero):
    references, predictions, weights = rows
    labels = sorted({*references, *predictions})
    assume(len(labels) == 2)
    for positive in labels:
        result = CLASSIFICATION.compute(
            predictions=predictions,
            references=references,
            sample_weight=weights,
            pos_label=positive,
            zero_division=zero,
        )
        options = {"sample_weight": weights, "pos_label": positive, "zero_division": zero}
        for key, function in {
            "precision": metrics.precision_score,
            "recall": metrics.recall_score,
            "f1": metrics.f1_score,
        }.items():
            assert result[key] == close(quiet(function, references, predictions, **options)), key
        negative = options | {"pos_label": next(label for label in labels if label != positive)}
        assert result["specificity"] == close(
            quiet(metrics.recall_score, references, predictions, **negative)
        )
        if not math.isnan(result["fpr"]) and zero != 1:
            assert result["fpr"] == close(1 - result["specificity"])


@pytest.mark.long
@SOME
@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.tuples(*[st.lists(st.integers(0, 1), min_size=width, max_size=width)] * 2, WEIGHTS),
            min_size=1,
            max_size=20,
        )
    ),
    st.sampled_from(["macro", "micro", "weighted", "samples", "none"]),
    st.sampled_from([0.0, 1.0, math.nan]),
)
def test_scores_of_rows_of_labels_are_those_of_scikit_learn(rows, average, zero):
    references, predictions, weights = (list(column) for column in zip(*rows, strict=True))
    assume(sum(weights) > 0)
    assume(len(references[0]) > 1)  # of one column scikit-learn makes a flat list
    result = CLASSIFICATION.compute(
        predictions=predictions,
        references=references,
        average=average,
        sample_weight=weights,
        zero_division=zero,
        confusion_matrix=True,
    )
    pair = np.array(references), np.array(predictions)
    of_peer = {"average": None if average == "none" else average, "sample_weight": weights}
    for key, function in {
        "precision": metrics.precision_score,
        "recall": metrics.recall_score,
        "f1": metrics.f1_score,
        "jaccard": metrics.jaccard_score,
    }.items():
        if key == "jaccard" and math.isnan(zero):  # it has no NaN
            continue
        value = quiet(function, *pair, zero_division=zero, **of_peer)
        assert result[key] == close(np.asarray(value).tolist()), key
    assert np.mean(result["label_accuracy"]) == close(
        np.average(np.equal(*pair).mean(axis=1), weights=weights)
        if average != "weighted"
        else result["label_accuracy"]
    )
    assert result["hamming_loss"] == close(metrics.hamming_loss(*pair, sample_weight=weights))
    assert result["accuracy"] == close(metrics.accuracy_score(*pair, sample_weight=weights))
    matrices = metrics.multilabel_confusion_matrix(*pair, sample_weight=weights)
    assert np.array(result["confusion_matrix"]) == pytest.approx(matrices, rel=1e-9, abs=1e-9)


GRADES = [0.0, 0.25, 0.5, 0.75, 1.0, 0.1, 1e-9]


@pytest.mark.long
@SOME
@given(
    st.integers(2, 5).flatmap(
        lambda width: st.lists(
            st.tuples(
                st.lists(st.booleans(), min_size=width, max_size=width),
                st.lists(st.sampled_from(GRADES), min_size=width, max_size=width),
                st.floats(0.5, 3),
            ),
            min_size=2,
            max_size=20,
        )
    ),
    st.sampled_from(["macro", "micro", "weighted", "samples", "none"]),
    st.booleans(),
)
def test_scores_of_several_labels_of_a_row_are_those_of_scikit_learn(rows, average, weighted):
    references, scores, weights = (np.array(column) for column in zip(*rows, strict=True))
    axes = (0, 1) if average == "samples" else (0,)
    for axis in axes:
        assume((references.any(axis=axis) & ~references.all(axis=axis)).all())
    weigh = {"sample_weight": weights if weighted else None}
    result = CLASSIFICATION.compute(
        predictions=scores, references=references, average=average, calibration_bins=3, **weigh
    )
    of_peer = {"average": None if average == "none" else average, **weigh}

    assert result["roc_auc"] == close(
        np.asarray(metrics.roc_auc_score(references, scores, **of_peer)).tolist()
    )
    assert result["average_precision"] == close(
        np.asarray(metrics.average_precision_score(references, scores, **of_peer)).tolist()
    )
    losses = [
        metrics.log_loss(truth, column, labels=[False, True], **weigh)
        for truth, column in zip(references.T, scores.T, strict=True)
    ]
    support = references.T @ (weights if weighted else np.ones(len(weights)))
    expected = (
        losses
        if average == "none"
        else np.average(losses, weights=support if average == "weighted" else None)
    )
    assert result["log_loss"] == close(expected)
    labels = CLASSIFICATION.compute(
        predictions=scores >= 0.5, references=references.astype(float), average=average, **weigh
    )
    assert {name: result[name] for name in labels} == labels


@pytest.mark.long
@SOME
@given(
    st.lists(
        st.tuples(
            st.booleans(), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]), st.floats(0.5, 3)
        ),
        min_size=2,
        max_size=20,
    ),
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
    weigh = {"sample_weight": weights} if weighted else {}
    result = CLASSIFICATION.compute(
        predictions=table,
        references=references,
        average=average,
        **({"labels": labels} if listed else {}),
        **weigh,
    )
    positive = max(labels)
    of_positive = table[:, labels.index(positive)]
    decided = np.where(of_positive >= 0.5, positive, min(labels))
    truth = references == positive
    ordered = table if labels == sorted(labels) else table[:, ::-1]

    assert result["accuracy"] == close(metrics.accuracy_score(references, decided, **weigh))
    assert result["log_loss"] == close(
        metrics.log_loss(references, ordered, labels=sorted(labels), **weigh)
    )
    assert result["roc_auc"] == close(metrics.roc_auc_score(truth, of_positive, **weigh))
    assert result["average_precision"] == close(
        metrics.average_precision_score(truth, of_positive, **weigh)
    )
    assert result["brier"] == close(metrics.brier_score_loss(truth, of_positive, **weigh))
    of_f1 = {"average": average} if average else {"pos_label": positive}
    f1 = metrics.f1_score(references, decided, zero_division=0.0, **of_f1, **weigh)
    assert result["f1"] == close(f1)
    for label in labels:  # and areas of both columns are equal
        chosen = CLASSIFICATION.compute(
            predictions=ordered, references=references, pos_label=label, threshold=0.5, **weigh
        )
        assert chosen["roc_auc"] == pytest.approx(result["roc_auc"], abs=1e-12)
        assert chosen["log_loss"] == pytest.approx(result["log_loss"], rel=1e-9)


def test_one_column_and_the_labels_1_and_2_still_need_a_positive_label():
    for predictions, references in (
        ([0.2, 0.7], ["no", "yes"]),
        ([[0.2, 0.8], [0.7, 0.3]], [1, 2]),
    ):
        with pytest.raises(ValueError, match="pos_label must name the one that scores are for"):
            CLASSIFICATION.compute(predictions=predictions, references=references)


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
    result = CLASSIFICATION.compute(
        predictions=scores,
        references=references,
        sample_weight=weights,
        threshold=0.5,
        max_fpr=max_fpr,
        curves=["roc", "pr", "det"],
    )
    options = {"sample_weight": weights}
    area = metrics.roc_auc_score(references, scores, max_fpr=max_fpr, **options)
    assert result["partial_roc_auc"] == close(area)
    unweighted = CLASSIFICATION.compute(
        predictions=scores,
        references=references,
        threshold=0.5,
        curves=["roc", "pr", "det"],
    )
    for name, function in {
        "roc_curve": metrics.roc_curve,
        "pr_curve": metrics.precision_recall_curve,
        "det_curve": metrics.det_curve,
    }.items():
        points = function(references, scores)
        for ours, theirs in zip(unweighted[name].values(), points, strict=True):
            assert ours == close(theirs.tolist()), name
    counts = np.ceil(weights)  # whole, so that no step is off by its rounding
    repeated = CLASSIFICATION.compute(
        predictions=scores,
        references=references,
        sample_weight=counts,
        threshold=0.5,
        curves="roc",
    )
    points = metrics.roc_curve(references, scores, sample_weight=counts)
    for ours, theirs in zip(repeated["roc_curve"].values(), points, strict=True):
        assert ours == close(theirs.tolist())


@pytest.mark.parametrize(
    ("scores", "references", "kept"),
    [
        ([0.9, 0.8, 0.7, 0.6], [1, 1, 1, 0], [math.inf, 0.9, 0.7, 0.6]),
        ([0.9, 0.8, 0.7, 0.6], [0, 0, 0, 1], [math.inf, 0.9, 0.7, 0.6]),
        ([0.9, 0.9, 0.8, 0.8, 0.7], [1, 0, 1, 0, 1], [math.inf, 0.9, 0.8, 0.7]),
        ([0.9, 0.9, 0.8, 0.8, 0.7, 0.7], [1, 0] * 3, [math.inf, 0.9, 0.7]),
        ([0.9, 0.8, 0.8, 0.7], [1, 1, 1, 0], [math.inf, 0.9, 0.8, 0.7]),  # unequal steps
    ],
)
def test_a_point_between_two_equal_steps_is_left_out(scores, references, kept):
    curve = CLASSIFICATION.compute(predictions=scores, references=references, curves="roc")
    points = metrics.roc_curve(references, scores)

    assert curve["roc_curve"]["thresholds"] == kept
    for ours, theirs in zip(curve["roc_curve"].values(), points, strict=True):
        assert ours == close(theirs.tolist())


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
    result = CLASSIFICATION.compute(
        predictions=probabilities, references=references, average=average, multi_class="ovo"
    )
    expected = metrics.roc_auc_score(references, probabilities, multi_class="ovo", average=average)
    assert result["roc_auc"] == close(expected)

    rest = CLASSIFICATION.compute(
        predictions=scores, references=references, average=average, probabilities=False
    )
    is_positive = np.eye(4)[references]
    for name, function in {
        "roc_auc": metrics.roc_auc_score,
        "average_precision": metrics.average_precision_score,
    }.items():
        assert rest[name] == close(function(is_positive, scores, average=average))


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
    raw = np.array(raw, float)
    weigh = {"sample_weight": weights if weighted else None}
    result = CLASSIFICATION.compute(
        predictions=raw / raw.sum(axis=1, keepdims=True),
        references=references,
        labels=range(5),
        top_k=[1, 2, 5],
        **weigh,
    )

    for k in (1, 2, 5):
        expected = quiet(
            metrics.top_k_accuracy_score,
            references,
            raw / raw.sum(axis=1, keepdims=True),
            k=k,
            labels=range(5),
            **weigh,
        )
        assert result[f"top_{k}_accuracy"] == close(expected)


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
    result = CLASSIFICATION.compute(
        predictions=scores,
        references=references,
        sample_weight=weights,
        threshold=0.25,
        curves=True,
    )
    weigh = {"sample_weight": weights}
    precision, recall, thresholds = quiet(
        metrics.precision_recall_curve, references, scores, **weigh
    )

    assert result["roc_auc"] == close(quiet(metrics.roc_auc_score, references, scores, **weigh))
    assert result["average_precision"] == close(
        quiet(metrics.average_precision_score, references, scores, **weigh)
    )
    assert result["pr_auc"] == close(metrics.auc(recall, precision))
    assert result["pr_curve"]["precision"] == close(precision.tolist())
    assert result["pr_curve"]["recall"] == close(recall.tolist())
    assert result["pr_curve"]["thresholds"] == thresholds.tolist()
    if weights is None:  # with weights its sums of floats take straight lines for bent
        fpr, tpr, thresholds = quiet(metrics.roc_curve, references, scores)
        assert result["roc_curve"]["fpr"] == close(fpr.tolist())
        assert result["roc_curve"]["tpr"] == close(tpr.tolist())
        assert result["roc_curve"]["thresholds"] == thresholds.tolist()


@pytest.mark.long
@SOME
@given(scored(PROBABILITIES), st.integers(1, 12), st.sampled_from(["uniform", "quantile"]))
def test_losses_and_calibration_are_those_of_scikit_learn(rows, bins, strategy):
    scores, references, weights = rows
    result = CLASSIFICATION.compute(
        predictions=scores,
        references=references,
        sample_weight=weights,
        calibration_bins=bins,
        calibration_strategy=strategy,
    )
    weigh = {"sample_weight": weights}

    assert result["log_loss"] == close(metrics.log_loss(references, scores, **weigh))
    assert result["brier"] == close(metrics.brier_score_loss(references, scores, **weigh))
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
    result = CLASSIFICATION.compute(
        predictions=probabilities,
        references=names[references].tolist(),
        labels=names.tolist(),
        average=average,
        sample_weight=weights,
    )
    weigh = {"sample_weight": weights}

    assert result["roc_auc"] == close(
        metrics.roc_auc_score(
            references, probabilities, multi_class="ovr", average=average, **weigh
        )
    )
    one_hot = np.eye(3)[references]
    assert result["average_precision"] == close(
        metrics.average_precision_score(one_hot, probabilities, average=average, **weigh)
    )
    assert result["log_loss"] == close(metrics.log_loss(references, probabilities, **weigh))
    assert result["brier"] == close(metrics.brier_score_loss(references, probabilities, **weigh))
    predicted = probabilities.argmax(axis=1)
    assert result["accuracy"] == close(metrics.accuracy_score(references, predicted, **weigh))
