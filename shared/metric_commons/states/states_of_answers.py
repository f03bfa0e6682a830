"""States of modules whose answers count or not, by the probability that there is no answer."""

from typing import Any, Self

import numpy as np

from ..answers.answerability import ScoredAnswers, scored_answers, summarize_answers
from ..numbers.score_ranges import SHARES
from .row_tables import CountedRows
from .state_checks import check_at_most, check_column, check_counts
from .sufficient_statistics import Columns, RowLabels, SufficientStatistics, refuse_ids

_TRUTHS = ("has_answer", "is_given")
_SCORES = ("exact", "f1", "has_answer", "is_given")


class AnswersInOrder(SufficientStatistics):
    """Scores and probability of each answer, in the order in which parts are merged.

    The official walk over thresholds depends on the order of equal probabilities. Where they are
    grouped it does not, and all answers of equal scores are stored once, with their number.
    """

    def __init__(self, metric: Any) -> None:
        super().__init__(metric)
        self._rows = CountedRows(in_order=self._options["threshold_ties"] == "official")

    def __len__(self) -> int:
        return len(self._rows)

    def update(self, columns: Columns, labels: RowLabels) -> None:
        refuse_ids(labels.ids)
        inputs = self._metric.checked(**columns)
        answers = scored_answers(**inputs, no_answer_texts=self._options["no_answer_texts"])
        scores = {name: getattr(answers, name) for name in _SCORES}
        if answers.probability is not None:
            scores["probabilities"] = answers.probability
        self._rows.update(scores | labels.columns())

    def merge(self, other: Self) -> None:
        self._rows.merge(other._rows)

    def result(self, **reporting: Any) -> dict[str, Any]:
        if reporting["per_example"]:
            raise ValueError("a state does not keep the scores of single rows")
        columns = self._rows.columns()
        scores = {name: columns.pop(name) for name in _SCORES}
        answers = ScoredAnswers(**scores, probability=columns.pop("probabilities", None))
        names = ("no_answer_threshold", "threshold_ties")
        options = {name: self._options[name] for name in names} | reporting
        return summarize_answers(answers, **options, **columns)

    def to_plain(self) -> Any:
        return self._rows.to_plain()

    def take_plain(self, plain: Any) -> None:
        self._rows.take_plain(plain)

    def check(self) -> None:
        for columns in self._rows.tables_of_numbers():
            check_counts(columns["count"])
            for name in _SCORES:
                if name not in columns or (columns[name].dtype == np.bool_) != (name in _TRUTHS):
                    raise ValueError(f"{name} is no column, or one of another kind")
            for name in (*_SCORES, "probabilities"):
                if name in columns:
                    check_column(name, columns[name], SHARES)
            check_at_most(columns, "exact", "f1")
