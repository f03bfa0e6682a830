"""Results of `evaluate`'s modules for classification, such as `accuracy`, `roc_auc` and `glue`.

These modules pass their inputs to scikit-learn; labels are whole numbers. The parameters of each
function are the inputs and options of the module of this name.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from ...statistics.arguments.arrays import Column, single_precision
from ...statistics.arguments.checks import OptionError, RowError, check_weights
from ...statistics.arguments.domains import Proportion, Weights
from ...statistics.arguments.shapes import ListOf, NumberRows, Record, Scalar
from .classes import ListedLabels
from .classification_measures import classification_scores
from .confusion import ZeroDivision

LabelRows = Annotated[Any, Scalar(int), ListOf(Scalar(int)), Scalar(float), ListOf(Scalar(float))]
StockAverage = Literal["binary", "micro", "macro", "weighted", "samples"]
AreaAverage = Literal["micro", "macro", "weighted", "samples"]
StockZeroDivision = Literal["warn"] | ZeroDivision

_QUESTION = Record(tuple((name, Scalar(int)) for name in ("answer", "paragraph", "question")))
_MultircRows = Annotated[Any, Record((("idx", _QUESTION), ("prediction", Scalar(int))))]
_IntRows = Annotated[Any, Scalar(int)]
_BrierLabels = Annotated[Any, Scalar(int), Scalar(float), Scalar(str)]
_TagRows = Annotated[Any, ListOf(Scalar(str))]


def accuracy(
    *,
    predictions: LabelRows,
    references: LabelRows,
    normalize: bool = True,
    sample_weight: Weights | None = None,
) -> dict[str, float]:
    """The proportion of rows whose labels are all right, or without `normalize` their number.

    >>> accuracy(predictions=[0, 1, 1], references=[0, 1, 0], normalize=False)
    {'accuracy': 2.0}
    """
    predictions, references = _labels("predictions", predictions), _labels("references", references)
    scores = classification_scores(predictions, references, sample_weight=sample_weight)
    if normalize:
        return {"accuracy": scores["accuracy"]}
    hits = np.equal(predictions, references)
    hits = hits.all(axis=1) if hits.ndim == 2 else hits
    weights = check_weights("sample_weight", sample_weight, len(hits))
    return {"accuracy": float(hits.sum() if weights is None else weights[hits].sum())}


def _ratio(score: str, summary: str) -> Callable[..., dict[str, Any]]:
    """Return the function that takes the place of the module of this score."""

    def stock_score(
        *,
        predictions: LabelRows,
        references: LabelRows,
        labels: ListedLabels | None = None,
        pos_label: int = 1,
        average: StockAverage | None = "binary",
        sample_weight: Weights | None = None,
        zero_division: StockZeroDivision = "warn",
    ) -> dict[str, Any]:
        columns = _labels("predictions", predictions), _labels("references", references)
        is_binary = average == "binary"
        undefined = 0.0 if zero_division == "warn" else float(zero_division)
        if not is_binary and all(np.ndim(column[0]) == 0 for column in columns):
            present = {label for column in columns for label in np.unique(column).tolist()}
            labels = sorted(present) if labels is None else list(labels)
            if labels and not present.intersection(labels):  # so that nothing can be counted
                is_listed = average is None and len(labels) > 1
                return {score: [undefined] * len(labels) if is_listed else undefined}
        value = classification_scores(
            *columns,
            labels=None if is_binary else labels,
            pos_label=pos_label if is_binary else None,
            average=average or "none",
            sample_weight=sample_weight,
            zero_division=undefined,
        )[score]
        is_single = isinstance(value, list) and len(value) == 1
        return {score: value[0] if is_single else value}

    stock_score.__doc__ = f"""{summary}, without a warning.

    Differences:
        The values of several labels are a list; the module returns a numpy array.
    """
    return stock_score


f1 = _ratio("f1", "F1 of the positive label, or averaged, or of each label (`average=None`)")
precision = _ratio("precision", "Precision, as `f1`; 0 where a label is not predicted")
recall = _ratio("recall", "Recall, as `f1`; 0 where a label is not in the references")


def matthews_correlation(
    *,
    predictions: LabelRows,
    references: LabelRows,
    sample_weight: Weights | None = None,
    average: Literal["macro"] | None = None,
) -> dict[str, Any]:
    """MCC; of rows with several labels a list, with one value for each label, or its mean."""
    predictions, references = _labels("predictions", predictions), _labels("references", references)
    if np.ndim(references[0]) == 0:
        return {"matthews_correlation": _mcc(predictions, references, sample_weight)}
    widths = len(predictions[0]), len(references[0])
    if not widths[0]:
        raise RowError("predictions", 0, "has no labels")
    if widths[0] != widths[1]:
        raise RowError("predictions", 0, "has {} labels, but references[0] has {}".format(*widths))
    columns = zip(np.transpose(predictions), np.transpose(references), strict=True)
    values = [_mcc(*pair, sample_weight) for pair in columns]
    return {"matthews_correlation": _mean(values) if average == "macro" else values}


def _mcc(predictions: Column, references: Column, sample_weight: Any) -> float:
    scores = classification_scores(predictions, references, sample_weight=sample_weight)
    return float(scores["mcc"])


def roc_auc(
    *,
    references: LabelRows,
    prediction_scores: NumberRows,
    average: AreaAverage | None = "macro",
    sample_weight: Weights | None = None,
    max_fpr: Proportion | None = None,
    multi_class: Literal["raise", "ovr", "ovo"] = "raise",
    labels: ListedLabels | None = None,
) -> dict[str, Any]:
    """Return the area under the ROC curve.

    Scores are rounded to single precision first, as in the module.

    Differences:
        The values of several labels are a list; the module returns a numpy array. `max_fpr` is
        for scores of two labels. With `multi_class="ovo"`, the area is NaN if one of `labels` is
        in no row; the module leaves this label out.

    >>> roc_auc(references=[0, 1, 1, 0], prediction_scores=[0.5, 0.25, 0.75, 0.1])
    {'roc_auc': 0.75}
    """
    targets = _labels("references", references)
    scores = single_precision(prediction_scores)
    if scores.ndim == 2 and scores.shape[1] == 1:  # one column is one score per row
        scores, targets = scores[:, 0], np.ravel(targets)
    options: dict[str, Any] = {
        "threshold": 0.0,  # of scores of any kind; the area does not depend on it
        "average": average or "none",
        "sample_weight": sample_weight,
    }
    is_partial = max_fpr is not None and max_fpr < 1
    if scores.ndim == 2:
        is_multiclass = np.ndim(targets[0]) == 0
        if is_multiclass and multi_class == "raise":
            raise OptionError("multi_class", "must be 'ovr' or 'ovo' for scores of several labels")
        if is_partial:
            raise OptionError("max_fpr", "is for scores of two labels")
        if is_multiclass:
            options |= {"labels": labels, "multi_class": multi_class}
    else:
        options |= {"average": None, "pos_label": max(targets)}
        options |= {"max_fpr": max_fpr} if is_partial else {}
    result = classification_scores(scores, targets, **options)
    return {"roc_auc": result["partial_roc_auc" if is_partial else "roc_auc"]}


def brier_score(
    *,
    references: _BrierLabels,
    predictions: NumberRows,
    sample_weight: Weights | None = None,
    pos_label: int | str = 1,
) -> dict[str, float]:
    """Return the mean squared difference of probabilities and labels.

    Probabilities are rounded to single precision first, as in the module.

    Raises:
        OptionError: there are two labels or a text, and none is `pos_label`.

    >>> brier_score(references=["no", "yes"], predictions=[0.5, 1.0], pos_label="yes")
    {'brier_score': 0.125}
    """
    present = set(references)
    if len(present) > 2:
        raise ValueError(f"references have {len(present)} labels; brier_score is for two")
    if pos_label not in present and not (present <= {0, 1} or present <= {-1, 1}):
        raise OptionError("pos_label", f"{pos_label!r} is no label of the references")
    targets = [int(label == pos_label) for label in references]
    scores = single_precision(predictions)
    if scores.ndim != 1 or not ((scores >= 0) & (scores <= 1)).all():
        raise ValueError("predictions must be probabilities, one number from 0 to 1 a row")
    result = classification_scores(scores, targets, pos_label=1, sample_weight=sample_weight)
    return {"brier_score": result["brier"]}


def confusion_matrix(
    *,
    predictions: _IntRows,
    references: _IntRows,
    labels: ListedLabels | None = None,
    sample_weight: Weights | None = None,
    normalize: Literal["true", "pred", "all"] | None = None,
) -> dict[str, Any]:
    """Return how often each label of the references (rows) has each prediction (columns).

    Differences:
        The matrix is a list of lists; the module returns a numpy array.

    >>> confusion_matrix(predictions=[0, 1, 1], references=[0, 1, 0])
    {'confusion_matrix': [[1, 1], [0, 1]]}
    """
    if labels is not None and not set(labels) & set(references):
        raise OptionError("labels", "are not in the references")
    result = classification_scores(
        predictions,
        references,
        labels=labels,
        average="none",  # so that the only label is not one of two
        sample_weight=sample_weight,
        confusion_matrix=normalize or True,
    )
    return {"confusion_matrix": result["confusion_matrix"]}


def poseval(
    *,
    predictions: _TagRows,
    references: _TagRows,
    zero_division: StockZeroDivision = "warn",
) -> dict[str, Any]:
    """Return the report of all tags, each a label of its own.

    >>> result = poseval(predictions=[["NOUN", "VERB"]], references=[["NOUN", "NOUN"]])
    >>> result["NOUN"]["recall"], result["accuracy"]
    (0.5, 0.5)
    """
    for row, (predicted, tags) in enumerate(zip(predictions, references, strict=True)):
        if len(predicted) != len(tags):
            raise RowError(
                "predictions", row, f"has {len(predicted)} tags, but its reference {len(tags)}"
            )
    columns = [[tag for row in rows for tag in row] for rows in (predictions, references)]
    undefined = 0.0 if zero_division == "warn" else float(zero_division)
    options: Any = {"report": True, "average": "macro", "zero_division": undefined}
    weights: Any = np.ones(len(columns[0]))  # so that the support is a float
    report: dict[str, Any] = classification_scores(*columns, sample_weight=weights, **options)
    return report["report"]  # type: ignore[no-any-return]


def _labels(name: str, column: Column) -> Column:
    """Return the labels as whole numbers.

    Raises:
        RowError: a number is not whole.
    """
    values = column if isinstance(column, np.ndarray) else None
    if values is None and len(set(map(np.size, column))) == 1:
        values = np.asarray(column)
    if values is None or values.dtype.kind != "f":
        return column
    fractions = values != np.floor(values)
    if fractions.any():
        row = int(np.flatnonzero(fractions.reshape(len(values), -1).any(axis=1))[0])
        raise RowError(name, row, f"is {values[row]}; labels are whole numbers")
    return values.astype(np.int64)


def _of_task(summary: str, *measures: Callable[..., dict[str, Any]]) -> Callable[..., Any]:
    """Return the function of a task with these measures."""

    def stock_score(*, predictions: LabelRows, references: LabelRows) -> dict[str, Any]:
        columns = {"predictions": predictions, "references": references}
        return {name: value for of in measures for name, value in of(**columns).items()}

    stock_score.__doc__ = summary
    return stock_score


label_accuracy = _of_task("The proportion of right labels.", accuracy)
_and_f1 = _of_task("The proportion of right labels, and F1 of the label 1.", accuracy, f1)
_macro_f1 = partial(f1, average="macro")
_and_macro_f1 = _of_task("The proportion of right labels, and their mean F1.", accuracy, _macro_f1)
_correlation = _of_task("MCC.", matthews_correlation)


def multirc(*, predictions: _MultircRows, references: _IntRows) -> dict[str, float]:
    """Exact match and F1 of the answers to each question of MultiRC, and F1 of all answers."""
    questions: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for prediction, label in zip(predictions, references, strict=True):
        key = prediction["idx"]["paragraph"], prediction["idx"]["question"]
        questions.setdefault(key, []).append((prediction["prediction"], label))
    columns = [tuple(map(list, zip(*pairs, strict=True))) for pairs in questions.values()]
    answers = [prediction["prediction"] for prediction in predictions]
    return {
        "exact_match": _mean([float(p == r) for p, r in columns]),
        "f1_m": _mean([_macro_f1(predictions=p, references=r)["f1"] for p, r in columns]),
        "f1_a": f1(predictions=answers, references=references)["f1"],
    }


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


_ACCURACIES = ("sst2", "mnli", "mnli_mismatched", "mnli_matched", "qnli", "rte", "wnli", "hans")
_SUPER_ACCURACIES = ("boolq", "copa", "rte", "wic", "wsc", "wsc.fixed", "axg")
GLUE: Mapping[str, Callable[..., Any]] = {
    "glue/cola": _correlation,
    "glue/mrpc": _and_f1,
    "glue/qqp": _and_f1,
    **{f"glue/{name}": label_accuracy for name in _ACCURACIES},
}
SUPER_GLUE: Mapping[str, Callable[..., Any]] = {
    "super_glue/axb": _correlation,
    "super_glue/cb": _and_macro_f1,
    "super_glue/multirc": multirc,
    **{f"super_glue/{name}": label_accuracy for name in _SUPER_ACCURACIES},
}
