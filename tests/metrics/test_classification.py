import math

import evaluate
import numpy as np
import pytest
from sklearn.metrics import recall_score

from metric_commons import State, load, score
from tests.spec import ROOT, Spec
from tests.tables import other_shapes, tabled

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

OTHER_SHAPES = other_shapes(__file__)


@pytest.fixture(scope="module")
def classification():
    return load("classification")


# The edge cases of the card, and what its text promises besides
CASES = tabled(__file__, "CASES")


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


REFUSED = tabled(__file__, "REFUSED")


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
