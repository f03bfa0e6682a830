import math

import evaluate
import numpy as np
import pytest
from sklearn.metrics import recall_score

from metric_commons import State, load, score
from tests.spec import ROOT, Spec

OF_LABELS = (
    *("accuracy", "precision", "recall", "f1", "fpr", "specificity"),
    *("balanced_accuracy", "mcc", "kappa"),
)

SPEC = Spec(
    name="classification",
    # true: 2 of 3 positives are found among 4 predicted; one of 4 negatives is not
    sample={"predictions": [1, 1, 0, 1, 0, 0, 0], "references": [1, 1, 1, 0, 0, 0, 0], "beta": 2.0},
    result={
        "accuracy": 5 / 7,
        "precision": 2 / 3,
        "recall": 2 / 3,
        "f1": 2 / 3,
        "f_beta": 2 / 3,
        "fpr": 1 / 4,
        "specificity": 3 / 4,
        "balanced_accuracy": 17 / 24,
        "mcc": 5 / 12,
        "kappa": 5 / 12,
    },
    perfect={"predictions": ["no", "yes"], "references": ["no", "yes"], "beta": 2.0},
    best=dict.fromkeys((*OF_LABELS, "f_beta"), 1.0) | {"fpr": 0.0},
    other_ranges={"mcc": (-1.0, 1.0), "kappa": (-1.0, 1.0)},
    wrong={"predictions": [1.5], "references": [1]},
)

COUNTED = {
    "accuracy": 3 / 4,
    "precision": 1.0,
    "recall": 1 / 2,
    "f1": 2 / 3,
    "fpr": 0.0,
    "specificity": 1.0,
    "balanced_accuracy": 3 / 4,
    "mcc": 1 / math.sqrt(3),
    "kappa": 1 / 2,
}
OF_ROWS = (
    *("accuracy", "precision", "recall", "f1", "fpr", "specificity"),
    *("jaccard", "label_accuracy", "hamming_loss"),
)
AREAS = ("roc_auc", "pr_auc", "average_precision")
OTHER_SHAPES = (
    Spec(
        name="classification",
        shape="scores",
        sample={
            "predictions": [0.125, 0.25, 0.75, 0.125],
            "references": ["no", "yes", "yes", "no"],
            "curves": False,
            "calibration_bins": 2,
            "threshold": 0.3,
            "pos_label": "yes",
            "confusion_matrix": True,
        },
        result=COUNTED
        | {
            "confusion_matrix": [[2, 0], [1, 1]],
            "labels": ["no", "yes"],
            "roc_auc": 1.0,
            "pr_auc": 1.0,
            "average_precision": 1.0,
            "log_loss": -math.log(7 / 8 * 7 / 8 * 1 / 4 * 3 / 4) / 4,
            "brier": (1 / 64 + 1 / 64 + 9 / 16 + 1 / 16) / 4,
            "ece": (3 * abs(1 / 3 - 1 / 6) + 1 / 4) / 4,
            "mce": 1 / 4,
            "calibration": {"predicted": [1 / 6, 3 / 4], "observed": [1 / 3, 1.0], "rows": [3, 1]},
        },
        perfect={"predictions": [0.0, 1.0], "references": [0, 1], "calibration_bins": 2},
        best=dict.fromkeys((*OF_LABELS, *AREAS), 1.0)
        | dict.fromkeys(("fpr", "log_loss", "brier", "ece", "mce"), 0.0)
        | {"calibration": {"predicted": [0.0, 1.0], "observed": [0.0, 1.0], "rows": [1, 1]}},
        other_ranges=SPEC.other_ranges | {"log_loss": (0.0, math.inf)},
        wrong={"predictions": "a", "references": [1]},
    ),
    Spec(
        name="classification",
        shape="probabilities",
        sample={
            "predictions": [
                [0.5, 0.25, 0.25],
                [0.25, 0.5, 0.25],
                [0.25, 0.25, 0.5],
                [0.25, 0.25, 0.5],
            ],
            "references": [0, 1, 1, 2],
            "average": "none",
            "top_k": 2,
        },
        result={
            "accuracy": 3 / 4,
            "precision": [1.0, 1.0, 1 / 2],
            "recall": [1.0, 1 / 2, 1.0],
            "f1": [1.0, 2 / 3, 2 / 3],
            "fpr": [0.0, 0.0, 1 / 3],
            "specificity": [1.0, 1.0, 2 / 3],
            "balanced_accuracy": 5 / 6,
            "mcc": 7 / 10,
            "kappa": 7 / 11,
            "support": [1, 2, 1],
            "top_2_accuracy": 1.0,
            "labels": [0, 1, 2],
            "roc_auc": [1.0, 3 / 4, 5 / 6],
            "pr_auc": [1.0, 7 / 8, 3 / 4],
            "average_precision": [1.0, 3 / 4, 1 / 2],
            "log_loss": -math.log(1 / 2 * 1 / 2 * 1 / 4 * 1 / 2) / 4,
            "brier": (3 / 8 + 3 / 8 + 7 / 8 + 3 / 8) / 4,
        },
        perfect={
            "predictions": [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]],
            "references": ["a", "b", "c"],
            "top_k": 2,
        },
        best=dict.fromkeys((*OF_LABELS, *AREAS, "top_2_accuracy"), 1.0)
        | dict.fromkeys(("fpr", "log_loss", "brier"), 0.0),
        other_ranges=SPEC.other_ranges | {"log_loss": (0.0, math.inf), "brier": (0.0, 2.0)},
        wrong={"predictions": [0.5, "a", 0.5], "references": [1]},
    ),
    Spec(
        name="classification",
        shape="several labels a row",
        sample={
            "predictions": [[0, 1], [1, 1], [1, 0]],
            "references": [[0, 1], [0, 1], [1, 0]],
            "confusion_matrix": True,
        },
        result={
            "accuracy": 2 / 3,
            "precision": 3 / 4,
            "recall": 1.0,
            "f1": 5 / 6,
            "fpr": 1 / 4,
            "specificity": 3 / 4,
            "jaccard": 3 / 4,
            "label_accuracy": 5 / 6,
            "hamming_loss": 1 / 6,
            "confusion_matrix": [[[1, 1], [0, 1]], [[1, 0], [0, 2]]],
            "labels": [0, 1],
        },
        perfect={"predictions": [[0, 1], [1, 0]], "references": [[0, 1], [1, 0]]},
        best=dict.fromkeys(OF_ROWS, 1.0) | {"fpr": 0.0, "hamming_loss": 0.0},
        wrong={"predictions": [0, "a"], "references": 1},
    ),
    Spec(
        name="classification",
        shape="scores of several labels a row",
        sample={
            "predictions": [[0.25, 0.75], [0.5, 0.75], [1.0, 0.125]],
            "references": [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]],
        },
        result={
            "accuracy": 2 / 3,
            "precision": 3 / 4,
            "recall": 1.0,
            "f1": 5 / 6,
            "fpr": 1 / 4,
            "specificity": 3 / 4,
            "jaccard": 3 / 4,
            "label_accuracy": 5 / 6,
            "hamming_loss": 1 / 6,
            "roc_auc": 1.0,
            "pr_auc": 1.0,
            "average_precision": 1.0,
            "log_loss": -math.log(3 / 4 * 1 / 2 * 3 / 4 * 3 / 4 * 7 / 8) / 6,
            "brier": (1 / 16 + 1 / 4 + 1 / 16 + 1 / 16 + 1 / 64) / 6,
        },
        perfect={"predictions": [[0.0, 1.0], [1.0, 0.0]], "references": [[0, 1], [1, 0]]},
        best=dict.fromkeys((*OF_ROWS, *AREAS), 1.0)
        | dict.fromkeys(("fpr", "hamming_loss", "log_loss", "brier"), 0.0),
        other_ranges={"log_loss": (0.0, math.inf)},
        wrong={"predictions": [0.5, "a"], "references": 1},
    ),
)


@pytest.fixture(scope="module")
def classification():
    return load("classification")


# The edge cases of the card, and what its text promises besides
CASES = [
    ([0, 0, 0], [0, 1, 1], {}, {"precision": 0.0, "recall": 0.0, "f1": 0.0}),
    ([0, 0, 0], [0, 1, 1], {"zero_division": 1.0}, {"precision": 1.0, "recall": 0.0}),
    ([0, 0, 0], [0, 1, 1], {"zero_division": math.nan}, {"precision": math.nan, "f1": 0.0}),
    ([0, 1, 0], [0, 0, 0], {}, {"recall": 0.0, "fpr": 1 / 3}),
    ([1, 0], [1, 1], {}, {"fpr": math.nan, "specificity": 0.0}),
    ([1, 1, 1], [0, 1, 1], {}, {"mcc": 0.0, "kappa": 0.0}),
    ([1, 1], [1, 1], {}, {"mcc": 0.0, "kappa": math.nan, "balanced_accuracy": 1.0}),
    ([0, 1, 2], [0, 1, 1], {}, {"recall": 0.5, "balanced_accuracy": 0.75, "labels": [0, 1, 2]}),
    ([0, 0], [0, 0], {}, {"confusion_matrix": [[2, 0], [0, 0]], "labels": [0, 1]}),
    ([True], [True], {}, {"confusion_matrix": [[0, 0], [0, 1]], "labels": [False, True]}),
    (["yes", "no"], ["yes", "yes"], {}, {"recall": 0.5, "labels": ["no", "yes"]}),
    (["yes", "no"], ["yes", "yes"], {"pos_label": "no"}, {"recall": 0.0, "precision": 0.0}),
    ([1, 0], [1.0, 0.0], {}, {"accuracy": 1.0, "labels": [0, 1]}),
    ([True, False], [1, 2], {}, {"accuracy": 0.5, "labels": [0, 1, 2]}),
    ([1, 1], [1, 1], {"adjusted": True}, {"balanced_accuracy": math.nan}),
    ([1, 0, 1], [1, -100, 0], {"ignore_index": -100}, {"accuracy": 0.5, "labels": [0, 1]}),
    ([0, 2], [0, 0], {"kappa_weights": "linear"}, {"kappa": 0.0}),
    ([0.7, 0.4], [1, 1], {}, {"recall": 0.5, "roc_auc": math.nan, "average_precision": 1.0}),
    ([0.7, 0.4], [0, 0], {}, {"roc_auc": math.nan, "pr_auc": math.nan, "fpr": 0.5}),
    ([3.5, -1.0], [1, 0], {"threshold": 0.0}, {"roc_auc": 1.0, "f1": 1.0, "log_loss": math.nan}),
    ([0.5, 0.25], [1, 0], {}, {"recall": 1.0, "specificity": 1.0}),
    ([0.0], [1], {}, {"log_loss": -math.log(2**-52), "brier": 1.0}),
    ([1, 0], [1, 1], {"sample_weight": [0, 0]}, {"accuracy": math.nan, "f1": math.nan}),
    ([1, 0], [1, 1], {"sample_weight": [0, 0]}, {"confusion_matrix": [[0.0, 0.0], [0.0, 0.0]]}),
    ([1, 0, 1], [1, 1, 0], {"beta": math.inf}, {"f_beta": 0.5}),
    (
        [0.2, 0.9],
        ["n", "y"],
        {"labels": ["y", "n"], "pos_label": "y"},
        {"confusion_matrix": [[1, 0], [0, 1]]},
    ),
    ([0.9, 0.6, 0.2], [2, 2, 1], {"pos_label": 2}, {"accuracy": 1.0, "roc_auc": 1.0}),
    ([0.9, 0.6, 0.2], [2, 2, 1], {"pos_label": 1}, {"accuracy": 0.0, "roc_auc": 0.0}),
    ([2, 2, 1], [2, 1, 1], {}, {"precision": 1.0, "recall": 0.5}),
    ([6, 6], [6, 6], {"average": "macro"}, {"f1": 1.0, "labels": [1, 6]}),
    (["a"], ["a"], {"average": "macro"}, {"f1": 1.0, "labels": ["a"]}),
    ([6, 6], [6, 6], {"average": "macro", "labels": [6, 7]}, {"f1": 0.5}),
    ([0.9, 0.7], [1, 1], {"average": "macro"}, {"f1": 1.0}),
    (
        [0.75, 0.25],
        ["spam", "spam"],
        {"pos_label": "spam"},
        {"recall": 0.5, "average_precision": 1.0, "brier": 5 / 16, "roc_auc": math.nan},
    ),
    ([0.75, 0.25], [2, 2], {"pos_label": 2}, {"recall": 0.5, "log_loss": -math.log(3 / 16) / 2}),
]


@pytest.mark.parametrize("label", [0, 1, 5, "a", True])
def test_a_list_has_no_label_that_is_in_no_row(label):
    rows = {"predictions": [label, label], "references": [label, label]}
    options = {"average": "none", "confusion_matrix": True, "confidence_level": 0.9}
    result = load("classification").compute(**rows, **options, kappa_weights="linear")

    assert (result["f1"], result["support"], result["labels"]) == ([1.0], [2], [label])
    assert result["confusion_matrix"] == [[2]]
    assert len(result["confidence_interval"]["f1"]) == 1


def test_a_list_has_labels_that_only_decisions_have():
    result = load("classification").compute(
        predictions=[0.9, 0.2], references=[1, 1], average="none", confusion_matrix=True
    )

    assert (result["recall"], result["labels"]) == ([0.0, 0.5], [0, 1])
    assert result["confusion_matrix"] == [[0, 0], [1, 1]]


@pytest.mark.parametrize(("predictions", "references", "options", "expected"), CASES)
def test_an_edge_case(classification, predictions, references, options, expected):
    shown = {"confusion_matrix": True} if {"labels", "confusion_matrix"} & expected.keys() else {}
    result = classification.compute(
        predictions=predictions, references=references, **options, **shown
    )

    for name, value in expected.items():
        if isinstance(value, list):
            assert result[name] == value
        else:
            assert result[name] == pytest.approx(value, rel=1e-15, nan_ok=True), name


REFUSED = [
    ([0, 1], [0, 1], {"pos_label": 2}, "pos_label must be one of the labels 0, 1, got 2"),
    (["no"], ["yes"], {"average": "binary"}, "pos_label must be one of the labels 'no', 'yes'"),
    ([0, 0, 0], [0, 1, 2], {"average": "binary"}, "average='binary' needs two labels, but there"),
    ([0, 1, 2], [0, 1, 2], {"pos_label": 1}, "pos_label is for two labels, but references have 0"),
    ([3.2, 0.1], [1, 0], {}, r"predictions\[0\] is 3.2, so these look like logits"),
    ([0.2, 0.1, 0.3], [1, 0, 2], {}, "there are 3 labels, but one score per row"),
    ([1.0, 2.0, 0.0], [1.0, 2.0, 0.0], {}, "or if they are labels, be cast to int"),
    ([0.2, 0.9], ["no", "yes"], {}, "labels are 'no', 'yes': pos_label must name the one that"),
    ([0.2, 0.9], [1, 2], {}, "with scores the greater one is positive, with labels 1 is"),
    ([0, 1], ["no", "yes"], {}, r"predictions\[0\] is 0, a number, but .* or floats for scores"),
    ([0, 1], [0, 1], {"labels": [2, 3]}, "labels are 2, 3, but none of them occurs"),
    ([0.1, math.inf], [1, 0], {}, r"predictions\[1\] is inf; a score is a finite number"),
    ([0.1, math.nan], [1, 0], {}, r"predictions\[1\] is NaN; every row needs a number"),
    ([0.1, 0.2], [1, 0.5], {}, r"references\[1\] is 0.5; a label is a whole number"),
    (["a", 1], ["a", "b"], {}, r"predictions\[1\] is 1 \(int\)"),
    (["a", "b"], [0, 1], {}, "the inputs do not fit together"),
    ([[0.9, 0.1]], [0], {}, "2 columns, but there are 1 labels"),
    ([0, 1], [-1, -1], {"ignore_index": -1}, "ignore_index is -1, the reference of every row"),
    ([[0, 1]], [[0, 1]], {"ignore_index": 0}, "ignore_index needs one label per row"),
    ([[0, 1]], [[0, 1]], {"adjusted": True}, "adjusted needs one label per row, not several"),
    (
        [0, 1, 2],
        [0, 1, 2],
        {"kappa_weights": "linear", "labels": [0, 1]},
        r"kappa_weights needs an order of all labels, but labels=\[...\] leaves some out",
    ),
    ([0, 1], [0, 1], {"operating_point": "f1"}, "operating_point needs scores of two labels"),
    ([0, 1], [0, 1], {"max_fpr": 0.1}, "max_fpr needs scores, but predictions are labels"),
    ([0.5, 0.1], [0, 1], {"max_fpr": 0.0}, "max_fpr must be a number strictly between 0 and 1"),
    ([[0.5, 0.2, 0.3]], [1], {"max_fpr": 0.1, "labels": [0, 1, 2]}, "needs scores of two"),
    ([[0.5, 0.5]], [[1, 0]], {"multi_class": "ovo"}, "multi_class 'ovo' needs one label per row"),
    (
        [[0.5, 0.2, 0.3]],
        [1],
        {"multi_class": "ovo", "average": "micro", "labels": [0, 1, 2]},
        "multi_class 'ovo' needs average='macro' or 'weighted', got 'micro'",
    ),
    ([[0.5, 0.2]], [1], {"probabilities": False, "labels": [0, 1]}, "probabilities False is for"),
    ([0, 1], [0, 1], {"curves": True}, "curves needs scores, but predictions are labels"),
    ([0, 1], [0, 1], {"calibration_bins": 5}, "calibration_bins needs scores"),
    ([0, 1], [0, 1], {"sample_weight": [1]}, "sample_weight has 1 weights, but there are 2 rows"),
    ([0, 1], [0, 1], {"beta": -1}, "beta must be a number, at least 0"),
    ([[0, 1]], [[0, 1]], {"average": "binary"}, "average='binary' needs two labels, not rows"),
    ([[0, 1]], [[0, 1]], {"labels": [0, 2]}, "labels are the positions 0 to 1"),
    ([[0.5, 1.0]], [[0, 1]], {"average": "binary"}, "average='binary' needs two labels, not"),
    ([[0.5, 3.0]], [[0, 1]], {}, r"predictions\[0\]\[1\] is 3.0, so these look like logits"),
    ([[0.5, 0.5]], [[0.0, 0.5]], {}, r"references\[0\]\[1\] is 0.5; each label is 0 or 1"),
    ([0, 1], [0, 1], {"average": "samples"}, "average='samples' needs rows of several labels"),
    ([0.1, 0.9], [0, 1], {"average": "samples"}, "average='samples' needs rows of several labels"),
    ([0.1, 0.9], [0, 1], {"top_k": 2}, "top_k needs probabilities of several labels"),
    ([0, 1], [0, 1], {"top_k": 2}, "top_k needs scores, but predictions are labels"),
]


@pytest.mark.parametrize(("predictions", "references", "options", "message"), REFUSED)
def test_what_makes_no_sense_is_refused(classification, predictions, references, options, message):
    with pytest.raises(ValueError, match=message):
        classification.compute(predictions=predictions, references=references, **options)


@pytest.mark.parametrize("kind", ["bool", "int8", "uint8", "int64", "uint64", "float64"])
def test_references_of_any_number_type_are_the_same_labels(classification, kind):
    references, scores = [1, 0, 1, 1], [0.9, 0.2, 0.4, 0.7]
    plain = classification.compute(predictions=scores, references=references)
    result = classification.compute(
        predictions=np.array(scores), references=np.array(references, kind)
    )

    assert result == plain
    label_result = classification.compute(
        predictions=np.array([1, 1, 0, 1]), references=np.array(references, kind)
    )
    assert label_result == classification.compute(predictions=[1, 1, 0, 1], references=references)


def test_names_of_configurations_of_evaluate_are_known():
    for name in ("multilabel", "multiclass"):
        module = evaluate.load(str(ROOT / "metrics" / "classification"), name)
        assert module.compute(predictions=[[0, 1]], references=[[0.0, 1.0]])["f1"] == 0.5
    with pytest.raises(ValueError, match="there is no configuration 'multilable'"):
        evaluate.load(str(ROOT / "metrics" / "classification"), "multilable")


def test_a_row_without_positives_has_no_area(classification):
    rows = {"predictions": [[0.5, 0.1], [0.2, 0.3]], "references": [[0, 1], [0, 0]]}
    result = classification.compute(**rows, average="samples")

    assert math.isnan(result["average_precision"])
    assert result["log_loss"] == pytest.approx(-math.log(0.5 * 0.1 * 0.8 * 0.7) / 4)
    # Of no weight is what has no positives, as in scikit-learn.
    assert classification.compute(**rows, average="weighted")["roc_auc"] == 0.0
    assert math.isnan(classification.compute(**rows, average="macro")["roc_auc"])


def test_seed_and_number_of_resamples_count(classification):
    call = {"predictions": [0, 1, 1, 0, 1] * 9, "references": [0, 1, 0, 0, 1] * 9}
    default, seed_0, seed_1, few = (
        classification.compute(**call, confidence_level=0.9, **options)["confidence_interval"]
        for options in ({}, {"seed": 0}, {"seed": 1}, {"n_resamples": 10})
    )

    assert default == seed_0
    assert default != seed_1
    assert default != few


def test_what_is_better_low_is_known(classification):
    result = classification.compute(
        predictions=[0.1, 0.9], references=[0, 1], calibration_bins=2, beta=2
    )
    wrong = classification.compute(
        predictions=[0.9, 0.1], references=[0, 1], calibration_bins=2, beta=2
    )
    scores = {name for name, value in result.items() if isinstance(value, float)}

    lower = classification.lower_is_better - {"hamming_loss"}  # of rows of several labels
    assert {name for name in scores if result[name] < wrong[name]} == lower
    assert all(result[name] > wrong[name] for name in scores - classification.lower_is_better)


@pytest.mark.parametrize("kind", [list, np.array])
@pytest.mark.parametrize("scores", [False, True])
def test_ignored_rows_are_as_if_they_were_not_there(classification, scores, kind):
    rng = np.random.default_rng(5)
    references = rng.choice([0, 1, -100], 40)
    columns = {
        "predictions": rng.random(40).round(1) if scores else rng.integers(0, 2, 40),
        "references": references,
        "sample_weight": rng.random(40),
        "clusters": rng.integers(0, 6, 40),
        "groups": rng.integers(0, 2, 40),
    }
    options = {"confidence_level": 0.9, "n_resamples": 20, "kappa_weights": "linear"}
    counted = {name: kind(column[references != -100]) for name, column in columns.items()}
    everything = {name: kind(column) for name, column in columns.items()}

    result = classification.compute(**everything, ignore_index=-100, **options)
    assert repr(result) == repr(classification.compute(**counted, **options))


def test_rows_of_any_scores_have_areas_and_no_losses(classification):
    rows = {"predictions": [[3.0, -1.0, 0.5], [0.0, 2.0, 9.0], [-2.0, 1.0, 4.0]]}
    rows["references"] = ["a", "b", "c"]
    result = classification.compute(
        **rows, probabilities=False, calibration_bins=2, confidence_level=0.9, top_k=2
    )

    assert result["accuracy"] == 2 / 3
    assert result["top_2_accuracy"] == 1.0
    assert result["average_precision"] == pytest.approx(np.mean([1, 1, 0.5]))
    for name in ("log_loss", "brier", "ece", "mce"):
        assert math.isnan(result[name])
        assert all(map(math.isnan, result["confidence_interval"][name]))
    assert not math.isnan(result["confidence_interval"]["roc_auc"][0])


def test_whole_numbers_of_a_row_are_probabilities():
    """What a decision tree returns, also where a file has made integers of it."""
    rows, labels = [[0, 1], [1, 0], [0, 1], [0, 1]], [1, 0, 1, 0]
    metric = load("classification", average="binary")
    result = metric.compute(predictions=rows, references=labels)

    assert (result["accuracy"], result["roc_auc"]) == (0.75, 0.75)
    assert result == metric.compute(
        predictions=[list(map(float, row)) for row in rows], references=labels
    )
    with pytest.raises(ValueError, match="needs two labels, not rows of several"):
        metric.compute(predictions=rows, references=rows)


@pytest.mark.parametrize("options", [{}, {"pos_label": "yes"}, {"average": "binary"}])
def test_a_label_that_no_reference_has_is_wrong_and_keeps_the_task_binary(options):
    references = ["yes", "no", "yes", "no", "yes", "no"]
    predictions = ["yes", "no", "no", "yes", "yes", "no"]
    if "average" in options:
        options = {**options, "pos_label": "yes"}
    stray = [*predictions[:-2], "Yes", "No"]  # of a positive and of a negative row
    wrong = [*predictions[:-2], "no", "yes"]

    strays, expected = (
        score("classification", predictions=rows, references=references, options=options)
        for rows in (stray, wrong)
    )
    found, plain = (dict(result["predictions"]) for result in (strays, expected))

    assert found.keys() == plain.keys()
    for name in ("accuracy", "recall", "specificity"):
        assert found[name] == plain[name]
    assert found["precision"] == 0.5  # of the two that were predicted as positive
    of_negatives = recall_score(references, stray, labels=["no"], average=None)
    assert [found["specificity"]] == of_negatives.tolist()
    assert found["fpr"] + found["specificity"] < 1
    assert "average=binary" in strays.signatures()[0]
    state = State("classification", **options)
    for part in (slice(3), slice(3, None)):
        state.update(predictions=stray[part], references=references[part])
    assert state.result() == found


def test_systems_of_one_table_have_one_average():
    systems = {"a": [0, 1, 0], "b": [0, 1, 2]}
    with pytest.raises(ValueError, match=r"'a' has average='binary', and 'b' has 'macro'"):
        score("classification", predictions=systems, references=[0, 0, 0])
    results = score("classification", predictions=systems, references=[0, 0, 0], pos_label=0)
    assert results["b"]["recall"] == 1 / 3
