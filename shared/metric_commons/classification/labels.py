"""Scores of predicted labels, all from one table of how often each pair of labels occurs."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Real
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from ..numbers.arrays import Booleans, Column, Floats, Integers
from ..numbers.checks import RowError, check_weights
from ..numbers.contingency import Table, contingency
from ..numbers.domains import Range
from ..numbers.exact_sums import group_sums
from ..statistics.bootstrap import check_draws, check_probability, resampled_totals
from .classes import Classes, as_labels, classes

_Numbers = NDArray[Any]  # Python's own numbers, for one exact result; float64 for many

_MOST_CELLS = 1 << 30  # of a confusion matrix, which takes 16 bytes a cell


@dataclass(frozen=True)
class Counts:
    """How often each label is right, meant and predicted: all that the scores depend on.

    Args:
        hits: rows in which reference and prediction are this label, shape (labels, ...).
        relevant: rows in which the reference is.
        predicted: rows in which the prediction is.
        negatives: rows in which the reference is another.
        right: rows in which all is right, shape (...).
        total: all rows.

    """

    hits: _Numbers
    relevant: _Numbers
    predicted: _Numbers
    negatives: _Numbers
    right: _Numbers
    total: _Numbers

    def of(self, labels: list[int]) -> "Counts":
        """Those of some labels."""
        return Counts(
            self.hits[labels],
            self.relevant[labels],
            self.predicted[labels],
            self.negatives[labels],
            self.right,
            self.total,
        )


class Multilabel:
    """Rows of zeros and ones, one for each label, as tables of right and wrong.

    Args:
        predictions: rows of 0 and 1, shape (rows, labels); or lists of them.
        references: the same.
        sample_weight: a finite number a row, at least 0; None weighs all alike.

    Raises:
        ValueError: rows of unequal length, or a number that is not 0 or 1; names the row.

    >>> Multilabel([[0, 1]], [[0, 2]])
    Traceback (most recent call last):
    ValueError: references[0][1] is 2; each label is 0 or 1

    """

    def __init__(self, predictions: Column, references: Column, sample_weight: Any = None) -> None:
        self.predicted = _bits("predictions", predictions)
        self.relevant = _bits("references", references)
        self.weights = check_weights("sample_weight", sample_weight, len(self.relevant))
        widths = self.predicted.shape[1], self.relevant.shape[1]
        if widths[0] != widths[1]:
            raise ValueError(
                f"predictions have {widths[0]} labels a row, references {widths[1]}; "
                "they must have the same"
            )

    @cached_property
    def tables(self) -> _Numbers:
        """For each label the counts of pairs (reference, prediction), shape (labels, 2, 2)."""
        codes = (2 * self.relevant + self.predicted).T
        return np.array([_sums(column, self.weights, 4).reshape(2, 2) for column in codes])

    @cached_property
    def right(self) -> Any:
        """Rows in which every label is right, or the sum of their weights."""
        right = (self.relevant == self.predicted).all(axis=1)
        return _sums(right.view(np.uint8), self.weights, 2)[1]

    def counts(self) -> Counts:
        """The counts of the labels, as exact numbers."""
        tables = _exact(self.tables)
        return Counts(
            hits=tables[:, 1, 1],
            relevant=tables[:, 1].sum(axis=1),
            predicted=tables[:, :, 1].sum(axis=1),
            negatives=tables[:, 0].sum(axis=1),
            right=_exact(np.array(self.right)),
            total=tables[0].sum(),
        )

    def resampled(self, n_resamples: int, seed: int) -> Counts:
        """The counts of resamples of the rows, float64."""
        rows, width = self.relevant.shape
        weights = np.ones(rows) if self.weights is None else self.weights
        kinds, occurrences = np.unique(
            np.column_stack([self.relevant, self.predicted, weights]), axis=0, return_counts=True
        )
        relevant, predicted = kinds[:, :width] == 1, kinds[:, width:-1] == 1
        right = (relevant == predicted).all(axis=1)
        places = _places(relevant & predicted, relevant, predicted, right[:, None])
        totals = resampled_totals(
            occurrences,
            places,
            3 * width + 3,
            amounts=None if self.weights is None else _scaled(kinds[:, -1]),
            n_resamples=n_resamples,
            seed=seed,
        )
        return _of_totals(totals, width)


def tabulated(
    predictions: Column,
    references: Column,
    *,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = None,
    sample_weight: Any = None,
) -> tuple[Table | Multilabel, Classes]:
    """The table of references and predictions, and the labels in it.

    Args:
        predictions: a label a row, or a row of 0 and 1; a row of one label is that label.
        references: the same; labels may be whole numbers in floats.
        labels: those to be averaged and shown; of rows of 0 and 1 the positions.
        pos_label: the positive label of two.
        average: how to average over labels.
        sample_weight: a finite number a row, at least 0; None weighs all alike.

    Raises:
        ValueError: a row or an option is not what it may be.

    >>> tabulated([1, 0], [1.0, 1.0])[0].matrix().tolist()
    [[1, 1]]
    """
    options = {"labels": labels, "pos_label": pos_label, "average": average}
    predictions, references = _flattened(predictions, references)
    if np.ndim(references[0]):
        rows = Multilabel(predictions, references, sample_weight)
        places = range(rows.relevant.shape[1])
        if average == "binary":
            raise ValueError("average='binary' is of two labels, not of rows of several")
        found = classes([*places], **options | {"average": average or "macro"})
        if found.every != [*places]:
            raise ValueError(f"labels are the positions 0 to {len(places) - 1}, got {labels!r}")
        return rows, found
    weights = check_weights("sample_weight", sample_weight, len(references))
    table = contingency(
        as_labels("references", references), as_labels("predictions", predictions), weights
    )
    return table, classes([*table.first, *table.second], **options)


def _flattened(*columns: Column) -> list[Column]:
    """The columns with labels in place of rows, if every row of all of them holds one label."""
    if all(map(_holds_one_a_row, columns)):
        return [np.asarray(column).ravel() for column in columns]
    return list(columns)


def _holds_one_a_row(column: Column) -> bool:
    if isinstance(column, np.ndarray):
        return column.ndim == 2 and column.shape[1] == 1
    return isinstance(column[0], list) and set(map(len, column)) == {1}


def label_scores(
    table: Table | Multilabel,
    among: Classes,
    *,
    beside: Mapping[str, Any] | None = None,
    beta: float = 1.0,
    zero_division: float = 0.0,
    confidence_level: float | None = None,
    n_resamples: int = 10_000,
    seed: int = 0,
) -> dict[str, Any]:
    """The scores of predicted labels, and with them the confusion matrix.

    Precision, recall, F, false positive rate and specificity are those of the positive label, or
    averages over the chosen labels, or lists of them. The others are of all labels and rows. Every
    ratio is one of exact integers, or of exact sums of weights, rounded once.

    Args:
        table: how often references (first) and predictions (second) have which labels; or rows
            of several labels, which have no balanced accuracy, correlation and kappa.
        among: the labels, and how to average over them.
        beside: other scores of the same rows, to be returned along with these.
        beta: `f_beta` gives recall beta times the weight of precision; it is a score of its own
            if beta is not 1.
        zero_division: what a ratio is when there is nothing to divide by: a number from 0 to 1,
            or NaN, which averages leave out. A false positive rate of 0 would be perfect: without
            negatives it is NaN unless `zero_division` is another number than 0.
        confidence_level: also return percentile intervals of each score, such as 0.95, under
            `confidence_interval`.
        n_resamples: how often the rows are resampled for them.
        seed: of the resampling.

    Raises:
        ValueError: an option is not what it may be.

    >>> from .classes import classes
    >>> from .contingency import contingency
    >>> table = contingency([0, 1, 0, 1, 0], [0, 0, 1, 1, 0])
    >>> scores = label_scores(table, classes([0, 1]))
    >>> scores["accuracy"], scores["recall"], scores["confusion_matrix"]
    (0.6, 0.5, [[2, 1], [1, 1]])
    """
    check_beta(beta)
    check_zero_division(zero_division)
    check_draws(n_resamples=n_resamples, seed=seed)
    if confidence_level is not None:
        check_probability("confidence_level", confidence_level)
    multilabel = isinstance(table, Multilabel)
    counts = table.counts() if isinstance(table, Multilabel) else _counts(table, among)
    scores = _scores(counts, among, beta, zero_division, multilabel=multilabel)
    result: dict[str, Any] = {name: value.tolist() for name, value in scores.items()}
    result["confusion_matrix"] = _matrix(table, among)
    result["labels"] = among.labels
    others = dict(beside or {})
    intervals = others.pop("confidence_interval", {})
    result |= others
    if confidence_level is not None:
        if isinstance(table, Multilabel):
            resampled = table.resampled(n_resamples, seed)
        else:
            resampled = _resampled(table, among, n_resamples, seed)
        drawn = _scores(resampled, among, beta, zero_division, multilabel=multilabel)
        result["confidence_interval"] = {
            name: _ends(values, confidence_level).tolist() for name, values in drawn.items()
        } | intervals
    return result


Beta = Annotated[float, Range(0, infinite=True)]
ZeroDivision = Annotated[float, Range(0, 1, nan=True)]


def check_beta(beta: Any) -> None:
    """Nothing, if F may weigh recall so.

    >>> check_beta(-1)
    Traceback (most recent call last):
    ValueError: beta must be a number, at least 0, got -1
    """
    if isinstance(beta, bool) or not isinstance(beta, Real) or not float(beta) >= 0:
        raise ValueError(f"beta must be a number, at least 0, got {beta!r}")


def check_zero_division(value: Any) -> None:
    """Nothing, if a ratio of nothing may have this value.

    >>> check_zero_division("warn")
    Traceback (most recent call last):
    ValueError: zero_division must be a number from 0 to 1, or NaN, got 'warn'
    """
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not (0 <= float(value) <= 1 or math.isnan(float(value))):
        raise ValueError(f"zero_division must be a number from 0 to 1, or NaN, got {value!r}")


# From tables to counts


def _counts(table: Table, classes: Classes) -> Counts:
    """The counts of a table, as exact numbers."""
    rows, columns, sums = table.pairs()
    truth, guess = classes.places(table.first)[rows], classes.places(table.second)[columns]
    numbers, right = _exact(sums), truth == guess

    def summed(places: Integers, numbers: _Numbers) -> _Numbers:
        totals = np.zeros(len(classes.every), object)
        np.add.at(totals, places, numbers)
        return totals

    hits, relevant = summed(truth[right], numbers[right]), summed(truth, numbers)
    return Counts(
        hits=hits,
        relevant=relevant,
        predicted=summed(guess, numbers),
        negatives=relevant.sum() - relevant,
        right=np.array(hits.sum(), object),
        total=np.array(relevant.sum(), object),
    )


def _resampled(table: Table, classes: Classes, n_resamples: int, seed: int) -> Counts:
    """The counts of resamples of the rows of a table, float64."""
    size = len(classes.every)
    relevant = classes.places(table.first)[table.rows]
    predicted = classes.places(table.second)[table.columns]
    nowhere = 3 * size + 2
    right = relevant == predicted
    places = np.column_stack(
        [
            np.where(right, relevant, nowhere),
            size + relevant,
            2 * size + predicted,
            np.where(right, 3 * size, nowhere),
            np.full(right.size, 3 * size + 1),
        ]
    )
    totals = resampled_totals(
        table.counts,
        places,
        3 * size + 3,
        amounts=None if table.weights is None else _scaled(table.weights),
        n_resamples=n_resamples,
        seed=seed,
    )
    return _of_totals(totals, size)


def _places(*members: Booleans) -> Integers:
    """Where rows of each kind count, as lists of one length: what a row is not leads nowhere."""
    whole = np.column_stack(members)
    whole = np.column_stack([whole, np.ones(len(whole), bool)])
    nowhere = whole.shape[1]
    places: Integers = np.where(whole, np.arange(nowhere), nowhere)
    return places


def _of_totals(totals: NDArray[Any], size: int) -> Counts:
    """Counts from what has been counted in `size` places each, and in two more."""
    numbers = totals.astype(np.float64)
    return Counts(
        hits=numbers[:size],
        relevant=numbers[size : 2 * size],
        predicted=numbers[2 * size : 3 * size],
        negatives=numbers[3 * size + 1] - numbers[size : 2 * size],
        right=numbers[3 * size],
        total=numbers[3 * size + 1],
    )


def _scaled(weights: Floats) -> Floats:
    """The weights times a power of two, so that no product overflows; scores do not change."""
    return np.ldexp(weights, -math.frexp(float(weights.max()))[1])


def _exact(numbers: NDArray[Any]) -> _Numbers:
    """The numbers as Python's integers, or as fractions, which nothing rounds."""
    if numbers.dtype.kind == "f":
        fractions: _Numbers = np.vectorize(Fraction, otypes=[object])(numbers)
        return fractions
    return numbers.astype(object)


def _sums(codes: NDArray[Any], weights: Floats | None, size: int) -> NDArray[Any]:
    """How often each code occurs, or the sum of its weights."""
    if weights is None:
        return np.bincount(codes, minlength=size)
    return group_sums(weights, codes, size)


def _bits(name: str, rows: Column) -> NDArray[np.uint8]:
    """Rows of zeros and ones as an array, shape (rows, labels)."""
    if isinstance(rows, list):
        for row, values in enumerate(rows):
            if len(values) != len(rows[0]):
                raise RowError(
                    name, row, f"has {len(values)} labels, but the rows before {len(rows[0])}"
                )
    array = np.asarray(rows)
    if array.ndim != 2 or not array.shape[1]:
        raise ValueError(f"{name}[0] has no labels; a row holds a 0 or 1 for each label")
    wrong = (array != 0) & (array != 1)
    if wrong.any():
        row, place = divmod(int(wrong.argmax()), array.shape[1])
        raise RowError(name, row, f"[{place}] is {array[row, place]}; each label is 0 or 1")
    return array.astype(np.uint8)


# From counts to scores


def _scores(
    counts: Counts, classes: Classes, beta: float, zero_division: float, *, multilabel: bool
) -> dict[str, Floats]:
    """Each score of these counts, and of many in float64 as well as of one in exact numbers."""
    exact = counts.hits.dtype == object
    chosen = counts.of(classes.averaged)
    average = _averaging(classes.average, chosen, zero_division)
    no_negatives = zero_division if zero_division else math.nan
    negatives = chosen.negatives
    scores = {
        "accuracy": _ratio(counts.right, counts.total, math.nan),
        "precision": average(chosen.hits, chosen.predicted, zero_division),
        "recall": average(chosen.hits, chosen.relevant, zero_division),
        **{
            name: average(*_f_beta(chosen, weight, exact=exact), zero_division)
            for name, weight in ({"f1": 1.0} if beta == 1 else {"f1": 1.0, "f_beta": beta}).items()
        },
        "fpr": average(chosen.predicted - chosen.hits, negatives, no_negatives),
        "specificity": average(
            negatives - chosen.predicted + chosen.hits, negatives, zero_division
        ),
    }
    if not multilabel:
        recalls = _ratio(counts.hits, counts.relevant, math.nan)
        scores["balanced_accuracy"] = _mean(recalls)
        scores |= _beyond_chance(counts)
    nothing = counts.total == 0
    if not np.any(nothing):
        return scores
    # Nothing weighs anything: no score is defined, nor is one to be had by `zero_division`.
    return {name: np.where(nothing, math.nan, values) for name, values in scores.items()}


def _f_beta(counts: Counts, beta: float, *, exact: bool) -> tuple[_Numbers, _Numbers]:
    """Numerator and denominator of F from the counts, so that it is defined wherever it can be."""
    if math.isinf(beta):
        return counts.hits, counts.relevant
    square = Fraction(beta) ** 2
    recall, precision = square.numerator, square.denominator
    both = recall + precision
    if exact:
        return both * counts.hits, recall * counts.relevant + precision * counts.predicted
    return counts.hits, recall / both * counts.relevant + precision / both * counts.predicted


def _beyond_chance(counts: Counts) -> dict[str, Floats]:
    """Matthews' correlation coefficient, 0 where it has no denominator; and Cohen's kappa."""
    total, relevant, predicted = counts.total, counts.relevant, counts.predicted
    chance = (relevant * predicted).sum(axis=0)
    covariance = total * counts.hits.sum(axis=0) - chance
    spread = (total**2 - (predicted**2).sum(axis=0)) * (total**2 - (relevant**2).sum(axis=0))
    share = np.clip(_ratio(covariance**2, spread, 0.0), 0.0, 1.0)  # at most 1, if not for rounding
    return {
        "mcc": np.where(np.asarray(covariance < 0, bool), -1.0, 1.0) * np.sqrt(share),
        "kappa": _ratio(covariance, total**2 - chance, math.nan),
    }


def _averaging(average: str, counts: Counts, zero_division: float) -> Callable[..., Floats]:
    """What makes one score of the numerators and denominators of labels, on the first axis."""

    def averaged(numerators: _Numbers, denominators: _Numbers, undefined: float) -> Any:
        if average == "micro":
            return _ratio(numerators.sum(axis=0), denominators.sum(axis=0), undefined)
        ratios = _ratio(numerators, denominators, undefined)
        if average == "binary":
            return ratios[0]
        if average == "none":
            return ratios
        return _mean(ratios, counts.relevant if average == "weighted" else None)

    return averaged


def _ratio(numerators: Any, denominators: Any, undefined: float) -> Floats:
    """Numerators over denominators, with a value where there is nothing to divide by."""
    kind = getattr(numerators, "dtype", np.dtype(object))  # Python's own numbers may have none
    if kind.hasobject:
        both = np.asarray(numerators, object), np.asarray(denominators, object)
        pairs = zip(*(numbers.ravel().tolist() for numbers in both), strict=True)
        exact = [float(above / below) if below else undefined for above, below in pairs]
        return np.array(exact, np.float64).reshape(both[0].shape)
    defined = np.asarray(denominators != 0, bool)
    ratios = np.full(np.broadcast(numerators, denominators).shape, undefined, numerators.dtype)
    np.divide(numerators, denominators, out=ratios, where=defined)
    return ratios.astype(np.float64)


def _mean(ratios: Floats, weights: _Numbers | None = None) -> Floats:
    """The mean over labels of the ratios that are not NaN; unweighted where all weigh nothing."""
    known = ~np.isnan(ratios)
    if weights is not None:
        weighed = np.where(known, weights.astype(np.float64), 0.0)
        weighed = np.where(weighed.sum(axis=0) > 0, weighed, known)
    else:
        weighed = known.astype(np.float64)
    total = np.where(known, weighed * np.where(known, ratios, 0.0), 0.0).sum(axis=0)
    return _ratio(total, weighed.sum(axis=0), math.nan)


def _ends(values: Floats, level: float) -> Floats:
    """The ends of the percentile interval of resampled scores, on the last axis.

    Resamples in which a score is not defined are left out.
    """
    levels = [(1 - level) / 2, (1 + level) / 2]
    ends = [
        np.quantile(known, levels) if known.size else np.full(2, math.nan)
        for each in values.reshape(-1, values.shape[-1])
        for known in [each[~np.isnan(each)]]
    ]
    return np.array(ends).reshape(*values.shape[:-1], 2)


def _matrix(table: Table | Multilabel, classes: Classes) -> list[Any]:
    """Rows are references, columns predictions, in the order of the chosen labels."""
    if isinstance(table, Multilabel):
        tables: list[Any] = table.tables[classes.chosen].tolist()
        return tables
    if len(classes.chosen) ** 2 > _MOST_CELLS:
        raise ValueError(
            f"there are {len(classes.chosen)} labels, too many for a confusion matrix; "
            "labels=[...] must name those to average over and to show"
        )
    rows, columns, sums = table.pairs()
    place = np.full(len(classes.every), -1)
    place[classes.chosen] = np.arange(len(classes.chosen))
    truth = place[classes.places(table.first)[rows]]
    guess = place[classes.places(table.second)[columns]]
    shown = (truth >= 0) & (guess >= 0)
    matrix = np.zeros((len(classes.chosen), len(classes.chosen)), sums.dtype)
    matrix[truth[shown], guess[shown]] = sums[shown]
    lists: list[Any] = matrix.tolist()
    return lists
