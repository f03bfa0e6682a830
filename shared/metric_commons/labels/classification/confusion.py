"""Counts of right and wrong predictions of each label, and ratios of these counts.

A plain result is computed from exact numbers: counts are Python integers, sums of weights are
fractions, and every ratio is rounded once. Thousands of resamples are computed in float64, all at
once.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Floats
from ...statistics.arguments.domains import Range
from ...statistics.arithmetic.contingency import ContingencyTable
from .classes import Classes, Distances

_Numbers = NDArray[Any]  # Python's exact numbers for a plain result; float64 for resamples

_MOST_CELLS = 1 << 30  # of a confusion matrix, which takes 16 bytes per cell


@dataclass(frozen=True)
class LabelCounts:
    """The counts that determine the scores of predicted labels; with weights, their sums instead.

    Args:
        true_positives: rows whose reference and prediction are both the label, shape (labels, ...);
            any further axis is that of resamples.
        support: rows whose reference is the label.
        predicted_positives: rows whose prediction is the label.
        negatives: rows whose reference is another label.
        correct: rows whose prediction is entirely correct, shape (...).
        total: all rows.
        distance: the total distance between references and predictions over all rows, for a
            weighted kappa.

    """

    true_positives: _Numbers
    support: _Numbers
    predicted_positives: _Numbers
    negatives: _Numbers
    correct: Any
    total: Any
    distance: Any = None

    def select(self, positions: Any) -> "LabelCounts":
        """Return the counts of the labels at these positions."""
        return LabelCounts(
            self.true_positives[positions],
            self.support[positions],
            self.predicted_positives[positions],
            self.negatives[positions],
            self.correct,
            self.total,
        )

    def shown_support(self, positions: Sequence[int]) -> list[int] | list[float]:
        """Return the support of labels as integers, or with weights as floats."""
        support = self.support[list(positions)].tolist()
        is_whole = all(isinstance(number, int) for number in self.support.tolist())
        return support if is_whole else [*map(float, support)]


# Counts


def label_counts(
    table: ContingencyTable, task: Classes, distances: Distances | None = None
) -> LabelCounts:
    """Return the exact counts of all labels, from a table of references and predictions.

    >>> from ...statistics.arithmetic.contingency import contingency
    >>> from .classes import classes
    >>> counts = label_counts(contingency([0, 1, 1], [0, 0, 1]), classes([0, 1]))
    >>> counts.true_positives.tolist(), counts.support.tolist()
    ([1, 1], [1, 2])
    """
    rows, columns, sums = table.cells()
    references = task.positions(table.row_labels)[rows]
    predictions = task.positions(table.column_labels)[columns]
    numbers = exact_numbers(sums) if sums.dtype.kind == "f" else sums
    hits, support, predicted = (np.zeros(len(task.all_labels), numbers.dtype) for _ in range(3))
    is_hit = references == predictions
    np.add.at(support, references, numbers)
    np.add.at(predicted, predictions, numbers)
    np.add.at(hits, references[is_hit], numbers[is_hit])
    hits, support, predicted = (column.astype(object) for column in (hits, support, predicted))
    distance, total = None, support.sum()
    if distances is not None:
        distance = (distances[references, predictions].astype(object) * numbers).sum()
    return LabelCounts(hits, support, predicted, total - support, hits.sum(), total, distance)


def exact_numbers(numbers: NDArray[Any]) -> _Numbers:
    """Return counts as Python integers; sums of weights as fractions, without rounding.

    >>> exact_numbers(np.array([0.5, 0.1])).tolist()
    [Fraction(1, 2), Fraction(3602879701896397, 36028797018963968)]
    """
    if numbers.dtype.kind == "f":
        fractions: _Numbers = np.vectorize(Fraction, otypes=[object])(numbers)
        return fractions
    return numbers.astype(object)


# Scores


Beta = Annotated[float, Range(0, infinite=True)]
ZeroDivision = Annotated[float, Range(0, 1, nan=True)]
Terms = Callable[[], tuple[Any, Any]]  # numerators and denominators


@dataclass(frozen=True)
class LabelMeasures:
    """How scores follow from counts, which are exact numbers, or float64 of many draws.

    Precision, recall, F, false positive rate and specificity are for the positive label, or
    averages over the selected labels, or lists of them. The other scores are over all labels and
    rows. Every ratio of exact numbers is rounded once.

    Args:
        task: the labels, and the kind of average.
        beta: `f_beta` gives recall beta times the weight of precision; it is a score of its own
            if beta is not 1.
        zero_division: the value of a ratio without a denominator: a number from 0 to 1, or NaN,
            which averages leave out. A false positive rate of 0 would be perfect: without negatives
            it is NaN unless `zero_division` is another number than 0.
        adjusted: whether the balanced accuracy of chance is 0 instead of 1 / labels.
        distances: of labels, for a weighted kappa.
        multilabel: whether rows have several labels; then there is no balanced accuracy, MCC or
            kappa.
    """

    task: Classes
    beta: float = 1.0
    zero_division: float = 0.0
    adjusted: bool = False
    distances: Distances | None = None
    multilabel: bool = False

    def scores(
        self,
        counts: LabelCounts,
        names: Collection[str] | None = None,
        kinds: tuple[LabelCounts, _Numbers] | None = None,
    ) -> dict[str, Floats]:
        """Return the scores, by default all.

        Args:
            counts: the counts of all labels.
            names: the scores in question.
            kinds: the counts over the labels of one row of each kind, and how many rows are of this
                kind, for averages over rows of several labels.
        """
        task = self.task
        if kinds is None:
            selected = self.selected(counts)
            if task.average == "binary":
                selected = selected.select(0)
            average = partial(_averaged, task.average, selected.support)
        else:
            selected, average = kinds[0], partial(_averaged, "weighted", kinds[1])
        measures: dict[str, Callable[[], Floats]] = {
            "accuracy": lambda: _ratio(counts.correct, counts.total, math.nan)
        }
        for name, terms in self.terms(counts, selected).items():
            measures[name] = partial(_of_terms, average, terms, self.undefined(name))
        if self.multilabel:
            measures["hamming_loss"] = partial(_hamming_loss, counts)
        else:
            del measures["jaccard"]
            measures["balanced_accuracy"] = partial(_balanced_accuracy, counts, self.adjusted)
            measures["mcc"] = partial(_chance_corrected, counts, "mcc")
            measures["kappa"] = partial(_chance_corrected, counts, "kappa")
            if self.distances is not None:
                measures["kappa"] = partial(_weighted_kappa, counts, self.distances)
        wanted = measures.keys() if names is None else names
        found = {name: measure() for name, measure in measures.items() if name in wanted}
        # If all weights are 0, everything is undefined, and `zero_division` does not apply.
        is_empty = np.asarray(counts.total == 0, bool)
        if not is_empty.any():
            return found
        return {name: np.where(is_empty, math.nan, values) for name, values in found.items()}

    def selected(self, counts: LabelCounts) -> LabelCounts:
        """Return the counts of the labels to average over; of two labels those of the positive."""
        positions = self.task.averaged_positions
        is_all = positions == [*range(len(self.task.all_labels))]
        return counts.select(slice(None) if is_all else positions)  # a slice copies nothing

    def scores_of_rows(self, kinds: LabelCounts) -> dict[str, Floats]:
        """Return the ratios of each kind of row of several labels."""
        terms = self.terms(kinds, kinds)
        return {name: _ratio(*of_name(), self.undefined(name)) for name, of_name in terms.items()}

    def undefined(self, name: str) -> float:
        """Return the value of a ratio whose denominator is 0."""
        # Without negatives, a rate of 0, the default of `zero_division`, would look perfect.
        return self.zero_division or math.nan if name == "fpr" else self.zero_division

    def terms(self, counts: LabelCounts, selected: LabelCounts) -> dict[str, Terms]:
        """Return functions for numerator and denominator of the ratios of selected labels.

        Args:
            counts: the counts of all labels.
            selected: those of the labels in question.
        """
        hits, predicted = selected.true_positives, selected.predicted_positives
        support, negatives, task = selected.support, selected.negatives, self.task

        def rejected() -> Any:
            if task.average == "binary" and task.strays and task.negative is not None:
                # A stray label is wrong for negatives, too.
                right = counts.true_positives[[task.negative]]
                return right if np.ndim(hits) > np.ndim(counts.total) else right[0]
            return negatives - predicted + hits

        terms: dict[str, Terms] = {
            "precision": lambda: (hits, predicted),
            "recall": lambda: (hits, support),
            "f1": lambda: _f_beta_terms(selected, 1.0),
            "f_beta": lambda: _f_beta_terms(selected, self.beta),
            "fpr": lambda: (predicted - hits, negatives),
            "specificity": lambda: (rejected(), negatives),
            "jaccard": lambda: (hits, support + predicted - hits),
        }
        if self.beta == 1:
            del terms["f_beta"]
        if self.multilabel:
            terms["label_accuracy"] = lambda: (hits + rejected(), support + negatives)
        return terms


def _of_terms(average: Callable[..., Floats], terms: Terms, undefined: float) -> Floats:
    return average(*terms(), undefined)


def _hamming_loss(counts: LabelCounts) -> Floats:
    wrong = counts.support + counts.predicted_positives - 2 * counts.true_positives
    loss: Floats = _ratio(wrong.sum(axis=0), counts.total * len(wrong), math.nan)
    return loss


def _balanced_accuracy(counts: LabelCounts, adjusted: bool) -> Floats:
    mean = _mean_over_labels(_ratio(counts.true_positives, counts.support, math.nan))
    if not adjusted:
        return mean
    labels = (counts.support > 0).sum(axis=0).astype(np.float64)
    excess: Floats = _ratio(mean * labels - 1, labels - 1, math.nan)
    return excess


def _weighted_kappa(counts: LabelCounts, distances: Distances) -> Floats:
    weights = distances.astype(counts.support.dtype)
    expected = (counts.support * (weights @ counts.predicted_positives)).sum(axis=0)
    kappa: Floats = _ratio(expected - counts.total * counts.distance, expected, math.nan)
    return kappa


def _f_beta_terms(counts: LabelCounts, beta: float) -> tuple[_Numbers, _Numbers]:
    """Numerator and denominator of F-beta; from counts, it is defined even if precision is not.

    With b = beta**2, F-beta is TP / (s * support + (1 - s) * predicted positives) for s = b / (1 +
    b), which is an exact fraction of exact counts.
    """
    if math.isinf(beta):
        return counts.true_positives, counts.support
    if beta == 1:
        return 2 * counts.true_positives, counts.support + counts.predicted_positives
    p, q = (term**2 for term in float(beta).as_integer_ratio())
    share: Any = Fraction(p, p + q)
    if not _are_exact(counts.true_positives):
        share = float(share)
    return (
        counts.true_positives,
        share * counts.support + (1 - share) * counts.predicted_positives,
    )


def _chance_corrected(counts: LabelCounts, name: str) -> Floats:
    """Return Matthews' correlation coefficient, "mcc", or Cohen's kappa.

    With n rows, c of them correct, and with the support t and the predicted positives p of each
    label, the covariance is n * c - sum(t * p). For any number of labels, MCC is the covariance
    divided by sqrt((n**2 - sum(p**2)) * (n**2 - sum(t**2))), or 0 if that is 0; kappa is the
    covariance divided by n**2 - sum(t * p).

    Source:
        Gorodkin, Comparing two K-category assignments by a K-category correlation coefficient
        (2004); Cohen, A coefficient of agreement for nominal scales (1960).
    """
    total, support, predicted = counts.total, counts.support, counts.predicted_positives
    chance = _sum_of_products(support, predicted)
    covariance = total * counts.true_positives.sum(axis=0) - chance
    if name == "kappa":
        kappa: Floats = _ratio(covariance, total**2 - chance, math.nan)
        return kappa
    variances = total**2 - _sum_of_products(predicted, predicted)
    variances = variances * (total**2 - _sum_of_products(support, support))
    # Float64 may round the square to slightly more than 1.
    squared_mcc = np.minimum(np.maximum(_ratio(covariance**2, variances, 0.0), 0.0), 1.0)
    mcc: Floats = np.where(np.asarray(covariance < 0, bool), -1.0, 1.0) * np.sqrt(squared_mcc)
    return mcc


def _sum_of_products(left: _Numbers, right: _Numbers) -> Any:
    """Return the sum of products over labels, which are on the first axis."""
    return left.dot(right) if _are_exact(left) else (left * right).sum(axis=0)


def _averaged(
    average: str, support: _Numbers, numerators: _Numbers, denominators: _Numbers, undefined: float
) -> Any:
    """Return ratios averaged over labels, on the first axis."""
    if average == "micro":
        return _ratio(numerators.sum(axis=0), denominators.sum(axis=0), undefined)
    ratios = _ratio(numerators, denominators, undefined)
    if average in ("binary", "none"):
        return ratios
    return _mean_over_labels(ratios, support if average == "weighted" else None)


def _are_exact(numbers: Any) -> bool:
    """Return whether these are Python integers or fractions, in an array or alone."""
    return not isinstance(numbers, np.ndarray | np.generic) or numbers.dtype.hasobject


def _ratio(numerators: Any, denominators: Any, undefined: float) -> Any:
    """Return numerators over denominators, float64; `undefined` where the denominator is 0."""
    if not isinstance(numerators, np.ndarray | np.generic):
        return np.float64(float(numerators / denominators) if denominators else undefined)
    if _are_exact(numerators):
        terms = np.asarray(numerators, object), np.asarray(denominators, object)
        pairs = zip(*(numbers.ravel().tolist() for numbers in terms), strict=True)
        ratios = [float(top / bottom) if bottom else undefined for top, bottom in pairs]
        return np.array(ratios, np.float64).reshape(terms[0].shape)
    shape = np.broadcast(numerators, denominators).shape
    quotients = np.full(shape, undefined, np.float64)
    return np.divide(numerators, denominators, out=quotients, where=denominators != 0)


def _mean_over_labels(ratios: Floats, support: _Numbers | None = None) -> Floats:
    """Return the mean of the ratios that are not NaN, optionally weighted by support.

    If no label with a ratio has support, all of them are weighted equally, as in scikit-learn.
    """
    defined = ~np.isnan(ratios)
    weights = defined.astype(np.float64)
    if support is not None:
        supported = weights * support.astype(np.float64)
        weights = np.where(supported.sum(axis=0) > 0, supported, weights)
    total = (weights * np.where(defined, ratios, 0.0)).sum(axis=0)
    mean: Floats = _ratio(total, weights.sum(axis=0), math.nan)
    return mean


# The matrix


Matrix = bool | Literal["true", "pred", "all"]


def label_matrix(table: ContingencyTable, task: Classes) -> NDArray[Any]:
    """Rows are references, columns are predictions, in the order of the selected labels."""
    size = len(task.selection)
    if size**2 > _MOST_CELLS:
        raise ValueError(
            f"there are {size} labels, too many for a confusion matrix; "
            "labels=[...] must name those to average over and to show"
        )
    rows, columns, sums = table.cells()
    indices = np.full(len(task.all_labels), -1)
    indices[task.selection] = np.arange(size)
    references = indices[task.positions(table.row_labels)[rows]]
    predictions = indices[task.positions(table.column_labels)[columns]]
    selected = (references >= 0) & (predictions >= 0)
    matrix = np.zeros((size, size), sums.dtype)
    matrix[references[selected], predictions[selected]] = sums[selected]
    return matrix


def normalized_matrix(matrix: NDArray[Any], normalization: Matrix) -> NDArray[Any]:
    """Return the confusion matrix in the requested form, shape (labels, labels).

    Or one for each label.

    Args:
        matrix: rows are references, columns are predictions; possibly several, on the first axis.
        normalization: True for counts; "true", "pred" or "all" to divide by the total of the
            reference, of the prediction, or of all rows. 0 / 0 is 0, as in scikit-learn.

    >>> normalized_matrix(np.array([[3, 1], [0, 0]]), "true").tolist()
    [[0.75, 0.25], [0.0, 0.0]]
    """
    axes = {"true": (-1,), "pred": (-2,), "all": (-2, -1)}
    if isinstance(normalization, str):
        totals = matrix.sum(axis=axes[normalization], keepdims=True)
        matrix = np.divide(matrix, totals, out=np.zeros(matrix.shape), where=totals > 0)
    return matrix


Report = dict[str, Any]

_COLUMNS = {"precision": "precision", "recall": "recall", "f1": "f1-score"}


def label_report(
    measures: LabelMeasures, counts: LabelCounts, rows: tuple[LabelCounts, _Numbers] | None
) -> Report:
    """The scores of each label and their averages, as in scikit-learn's `classification_report`.

    Each label, as a string, and "macro avg" and "weighted avg" have "precision", "recall",
    "f1-score" and "support". "accuracy" is a number; if rows have several labels, or `labels` omits
    some, it is replaced by "micro avg".

    Args:
        measures: the labels and the options.
        counts: the counts of all labels.
        rows: those of rows of several labels, for "samples avg", as in `LabelMeasures.scores`.
    """
    task = measures.task
    shown = [position for position in task.selection if position not in task.absent]
    support = counts.shown_support(shown)

    def scores(average: str) -> dict[str, Any]:
        of_average = replace(task, average=average, selection=shown, absent=frozenset())
        found = replace(measures, task=of_average).scores(
            counts, ["accuracy", *_COLUMNS], rows if average == "samples" else None
        )
        return {_COLUMNS.get(name, name): values.tolist() for name, values in found.items()}

    by_label = scores("none")
    columns = {column: by_label[column] for column in _COLUMNS.values()} | {"support": support}
    report: Report = {
        str(task.all_labels[position]): {name: column[row] for name, column in columns.items()}
        for row, position in enumerate(shown)
    }
    averages = ["micro", "macro", "weighted"]
    if rows is not None:
        averages.append("samples")
    elif len(shown) + len(task.absent) >= len(task.all_labels):
        report["accuracy"] = by_label["accuracy"]
        averages.remove("micro")
    for average in averages:
        averaged = scores(average) | {"support": sum(support)}
        del averaged["accuracy"]
        report[f"{average} avg"] = averaged
    return report


def report_text(report: Mapping[str, Any], digits: int = 2) -> str:
    """Return the report as text, as returned by scikit-learn's `classification_report`.

    Args:
        report: the value of `report` in a result.
        digits: the number of decimals of precision, recall and F1.

    >>> row = {"precision": 1.0, "recall": 0.5, "f1-score": 0.667, "support": 2}
    >>> print(report_text({"yes": row, "weighted avg": row}))
                  precision    recall  f1-score   support
    <BLANKLINE>
             yes       1.00      0.50      0.67         2
    <BLANKLINE>
    weighted avg       1.00      0.50      0.67         2
    <BLANKLINE>
    """
    columns = [*_COLUMNS.values(), "support"]
    width = max(len("weighted avg"), digits, *map(len, report))
    total = report["weighted avg"]["support"]
    lines = [f"{'':>{width}s} " + "".join(f" {column:>9}" for column in columns), ""]
    is_average = False
    for name, row in report.items():
        if not is_average and (name == "accuracy" or name.endswith(" avg")):
            is_average = True
            lines.append("")
        if isinstance(row, Mapping):
            cells = [f"{row[column]:>9.{digits}f}" for column in columns[:-1]]
            cells.append(f"{row['support']:>9}")
        else:
            cells = [" " * 9, " " * 9, f"{row:>9.{digits}f}", f"{total:>9}"]
        lines.append(f"{name:>{width}s} " + "".join(f" {cell}" for cell in cells))
    return "\n".join([*lines, ""])
