"""States of modules whose answers count or not, by the probability that there is no answer."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Self

import numpy as np

from ..text.answerability import ScoredAnswers, scored_answers, summarize_answers
from .sufficient_statistics import Columns, RowLabels, SufficientStatistics, refuse_ids

_Label = tuple[str | None, str | None]  # group and cluster


class AnswersInOrder(SufficientStatistics):
    """Scores and probability of each answer, in the order in which parts are merged.

    The official walk over thresholds depends on the order of equal probabilities. Where they are
    grouped it does not, and answers of equal scores are stored once, with their number.
    """

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self._parts: list[ScoredAnswers] = []
        self._labels: list[_Label] = []

    def __len__(self) -> int:
        return len(self._labels)

    def update(self, columns: Columns, labels: RowLabels) -> None:
        refuse_ids(labels.ids)
        inputs = self._metric.checked(**columns)
        answers = scored_answers(**inputs, no_answer_texts=self._options["no_answer_texts"])
        unlabelled = [None] * len(answers)
        pairs = zip(labels.groups or unlabelled, labels.clusters or unlabelled, strict=True)
        self._take(answers, list(pairs))

    def merge(self, other: Self) -> None:
        if other._labels:
            self._take(other._answers(), list(other._labels))

    def result(self, **reporting: Any) -> dict[str, Any]:
        if reporting["per_example"]:
            raise ValueError("a state does not keep the scores of single rows")
        groups, clusters = (
            None if None in labels else labels for labels in zip(*self._labels, strict=True)
        )
        names = ("no_answer_threshold", "threshold_ties")
        options = {name: self._options[name] for name in names} | reporting
        return summarize_answers(self._answers(), **options, groups=groups, clusters=clusters)

    def to_plain(self) -> Any:
        if not self._labels:
            return []
        rows: list[Any] = list(zip(self._labels, _rows(self._answers()), strict=True))
        if self._options["threshold_ties"] == "grouped":
            rows.sort(key=repr)
        return [[*labels, row, len(list(run))] for (labels, row), run in groupby(rows)]

    def take_plain(self, plain: Any) -> None:
        if plain:
            labels, rows = zip(
                *(
                    ((group, cluster), row)
                    for group, cluster, row, count in plain
                    for _ in range(count)
                ),
                strict=True,
            )
            self._take(_answers(rows), labels)

    def _answers(self) -> ScoredAnswers:
        """All answers; parts are joined when they are needed, and not at every update."""
        if len(self._parts) > 1:
            self._parts = [_answers([row for part in self._parts for row in _rows(part)])]
        return self._parts[0]

    def _take(self, answers: ScoredAnswers, labels: Sequence[_Label]) -> None:
        if self._parts:
            if (answers.probability is None) != (self._parts[0].probability is None):
                raise ValueError("some rows have probabilities, others have none")
            pairs = zip(labels[0], self._labels[0], strict=True)
            for name, (new, label) in zip(("groups", "clusters"), pairs, strict=True):
                if (new is None) != (label is None):
                    raise ValueError(f"some rows have {name}, others have none")
        self._parts.append(answers)
        self._labels.extend(labels)


def _rows(answers: ScoredAnswers) -> list[tuple[Any, ...]]:
    """Plain values of each answer: its scores, whether there is one and it is given, probability.

    >>> _rows(scored_answers(["Oslo"], [[]]))
    [(0.0, 0.0, False, True, None)]
    """
    probability = answers.probability
    columns = (answers.exact, answers.f1, answers.has_answer, answers.is_given)
    probabilities = [None] * len(answers) if probability is None else probability.tolist()
    return list(zip(*(column.tolist() for column in columns), probabilities, strict=True))


def _answers(rows: Sequence[Sequence[Any]]) -> ScoredAnswers:
    """The inverse of `_rows`."""
    exact, f1, has_answer, is_given, probability = zip(*rows, strict=True)
    return ScoredAnswers(
        np.array(exact, np.float64),
        np.array(f1, np.float64),
        np.array(has_answer, dtype=bool),
        np.array(is_given, dtype=bool),
        None if None in probability else np.array(probability, np.float64),
    )
