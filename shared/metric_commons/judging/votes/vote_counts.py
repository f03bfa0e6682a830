"""Votes between two systems, as counts of equal votes.

Ratings and their errors are sums over votes, and equal votes add the same. So votes are counted
once, and later steps do not depend on their number. Counts are in the order of systems and
verdicts, so sums of floats do not depend on the order of rows or on their division into parts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Column, Floats, Integers
from ...statistics.arguments.checks import (
    RowError,
    check_labels,
    check_number_lists,
    check_weights,
    shown,
)

# The points of the first system, in halves.
VERDICTS = {"model_a": 2, "model_b": 0, "tie": 1, "tie (bothbad)": 1, "both_bad": 1}


@dataclass(frozen=True)
class Votes:
    """Distinct votes with their counts; arrays have one value per distinct vote.

    `first` and `second` are numbers of systems, `share` is the proportion of the points that the
    first one got (1 for a win, 0.5 for a tie), and `weight` the weight of each single vote.
    """

    systems: list[str]
    first: Integers
    second: Integers
    share: Floats
    weight: Floats
    count: Integers
    clusters: Integers | None  # a number from 0
    covariates: Floats | None  # shape (votes, covariates)
    weighted: bool = False

    @property
    def size(self) -> int:
        """Return the number of systems."""
        return len(self.systems)

    @property
    def rows(self) -> int:
        """Return the number of votes, counting equal ones."""
        return int(self.count.sum())

    @property
    def total_weight(self) -> Floats:
        """Return the weight of all votes that are equal."""
        return self.count * self.weight

    def take(self, selection: Integers) -> "Votes":
        """Return some of the distinct votes, by number, in this order; the systems stay."""
        names = ("first", "second", "share", "weight", "count", "clusters", "covariates")
        columns = {
            name: column.take(selection, axis=0)
            for name in names
            if (column := getattr(self, name)) is not None
        }
        return replace(self, **columns)

    def table(self, amounts: Floats) -> Floats:
        """Return the amounts added up by (first, second), shape (systems, systems)."""
        cells = self.first * self.size + self.second
        totals = np.bincount(cells, amounts, self.size**2).astype(np.float64, copy=False)
        return totals.reshape(self.size, self.size)

    def points(self, multiplicities: Floats | Integers | None = None) -> Floats:
        """Return the points that each system took from each other one, shape (systems, systems).

        Args:
            multiplicities: the number of times that each distinct vote counts; None for once.
        """
        weight = self.total_weight * (1 if multiplicities is None else multiplicities)
        return self.table(weight * self.share) + self.table(weight * (1 - self.share)).T

    def wins(self) -> Floats:
        """Return the wins of each system over each other one, shape (systems, systems)."""
        weight = self.total_weight
        return self.table(weight * (self.share == 1)) + self.table(weight * (self.share == 0)).T

    def ties(self) -> Floats:
        """The ties of each pair, and votes that share the points, shape (systems, systems)."""
        ties = self.table(self.total_weight * ((self.share > 0) & (self.share < 1)))
        return ties + ties.T

    def by_system(self, values: Any) -> dict[str, Any]:
        """Return values by the names of systems."""
        return dict(zip(self.systems, np.asarray(values).tolist(), strict=True))


class VoteRows(NamedTuple):
    """Votes in their order: numbers of systems and of verdicts."""

    systems: list[str]  # in the order of names
    first: Integers
    second: Integers
    shares: Floats  # the different proportions of the points of the first system
    verdicts: Integers  # the number of the proportion in each vote


def read_rows(model_a: Column, model_b: Column, winner: Column) -> VoteRows:
    """Read the columns of votes.

    Args:
        model_a: names of the systems shown first.
        model_b: names of the systems shown second.
        winner: "model_a", "model_b", "tie", "tie (bothbad)" or "both_bad"; or the part of the
            points that the first system gets, from 0 to 1.

    Raises:
        ValueError: there are no votes, lengths differ, a system is compared with itself, or a
            verdict is unknown.

    >>> read_rows(["b", "a"], ["a", "b"], ["tie", "model_a"])[:3]
    (['a', 'b'], array([1, 0]), array([0, 1]))
    """
    names_a, names_b = _listed(model_a), _listed(model_b)
    rows = len(names_a)
    if not rows:
        raise ValueError("model_a is empty; ratings of no votes are undefined")
    for name, column in (("model_b", names_b), ("winner", winner)):
        if len(column) != rows:
            raise ValueError(f"model_a has {rows} rows, but {name} has {len(column)}")
    systems = sorted({*names_a} | {*names_b})
    numbers = {name: number for number, name in enumerate(systems)}
    first = np.fromiter(map(numbers.__getitem__, names_a), np.int64, rows)
    second = np.fromiter(map(numbers.__getitem__, names_b), np.int64, rows)
    itself = first == second
    if itself.any():
        row = int(itself.argmax())
        raise RowError("model_b", row, f"is {shown(names_b[row])}, which is compared with itself")
    return VoteRows(systems, first, second, *_shares(winner))


def count_votes(
    rows: VoteRows,
    *,
    sample_weight: Sequence[float] | None = None,
    clusters: Sequence[Any] | None = None,
    covariates: Sequence[Sequence[float]] | None = None,
) -> Votes:
    """Count equal votes.

    Args:
        rows: the votes.
        sample_weight: the weight of each vote; None for 1.
        clusters: a label of each vote, such as its prompt.
        covariates: a list of numbers for each vote.

    Raises:
        ValueError: a column does not have one valid value for each vote.

    >>> votes = count_votes(read_rows(["a", "a", "b"], ["b", "b", "a"], ["tie", "tie", "model_b"]))
    >>> votes.rows, sorted(votes.count.tolist()), votes.by_system(votes.points().sum(axis=1))
    (3, [1, 2], {'a': 2.0, 'b': 1.0})
    """
    size = rows.first.size
    weights = check_weights("sample_weight", sample_weight, size)
    cluster_codes = None if clusters is None else _cluster_codes(clusters, size)
    votes = Votes(
        rows.systems,
        rows.first,
        rows.second,
        rows.shares[rows.verdicts],
        np.ones(size) if weights is None else weights + 0.0,
        np.ones(size, np.int64),
        cluster_codes,
        check_number_lists("covariates", covariates, size),
        weights is not None,
    )
    kinds = [rows.first, rows.second, rows.verdicts]  # what distinguishes votes
    if weights is not None:
        kinds.append(np.unique(votes.weight, return_inverse=True)[1])
    if cluster_codes is not None:
        kinds.append(cluster_codes)
    if votes.covariates is not None:  # with which votes are hardly ever equal
        return votes.take(np.lexsort([*votes.covariates.T, *kinds[::-1]]))
    distinct, counts = _distinct(kinds)
    return replace(votes.take(distinct), count=counts)


def _cluster_codes(clusters: Sequence[Any], rows: int) -> Integers:
    """Return the number of the cluster of each vote, in the order of their labels."""
    labels = check_labels("clusters", clusters, rows)
    codes = {label: code for code, label in enumerate(sorted(set(labels)))}
    return np.fromiter(map(codes.__getitem__, labels), np.int64, rows)


def _listed(column: Column) -> list[Any]:
    return column.tolist() if isinstance(column, np.ndarray) else column


def _shares(winner: Column) -> tuple[Floats, Integers]:
    """Return the distinct proportions of the points, and the index of each row's proportion.

    >>> _shares(["tie", "model_a", "both_bad"])
    (array([0. , 0.5, 1. ]), array([1, 2, 1]))
    """
    if not isinstance(winner, np.ndarray) and isinstance(winner[0], str):
        try:
            codes = np.fromiter(map(VERDICTS.__getitem__, winner), np.int64, len(winner))
        except KeyError:
            row = next(row for row, verdict in enumerate(winner) if verdict not in VERDICTS)
            verdicts = ", ".join(map(repr, VERDICTS))
            problem = f"is {shown(winner[row])}, but verdicts are {verdicts}"
            raise RowError("winner", row, problem) from None
        return np.array([0.0, 0.5, 1.0]), codes
    shares = np.asarray(winner, np.float64)
    wrong = ~((shares >= 0) & (shares <= 1))
    if wrong.any():
        row = int(wrong.argmax())
        problem = f"is {shares[row]}, but the points of model_a must lie between 0 and 1"
        raise RowError("winner", row, problem)
    values, numbers = np.unique(shares + 0.0, return_inverse=True)
    return values, numbers


def _distinct(kinds: Sequence[Integers]) -> tuple[Integers, Integers]:
    """Return a row of each distinct vote, and the number of votes that equal it."""
    codes = kinds[0]
    for kind in kinds[1:]:
        values = int(kind.max()) + 1
        if int(codes.max()) >= 2**62 // values:  # numbers of the votes so far are smaller
            codes = np.unique(codes, return_inverse=True)[1]
        codes = codes * values + kind
    _, rows, counts = np.unique(codes, return_index=True, return_counts=True)
    return rows, counts.astype(np.int64)
