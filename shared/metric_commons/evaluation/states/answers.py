"""Scores of answers that count only below a threshold of the probability of no answer."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...module.declaration.row_module import RowModule
from ...statistics.arguments.domains import SHARES
from ...text.answers.answerability import ScoredAnswers, scored_answers, summarize_answers
from .row_tables import TabulatedStatistics, check_column, check_counts, runs
from .score_kind import Columns, RowLabels, ScoreKind, SufficientStatistics

_TRUTHS = ("has_answer", "is_given")
_THRESHOLDS = ("no_answer_threshold", "threshold_ties")
_READING = ("no_answer_texts", "thoughts", "extract")
_RATES = ("unparsed", "timed_out")
_SCORES = ("exact", "f1", "has_answer", "is_given")


class AnswersInOrder(TabulatedStatistics):
    """The scores and the probability of each answer, in the order in which parts are merged.

    The official search over thresholds depends on the order of equal probabilities. If they are
    grouped it does not, and answers with equal scores are stored once, with their number.
    """

    def __init__(self, metric: RowModule) -> None:
        super().__init__(metric, runs if metric.options["threshold_ties"] == "official" else None)

    def update(self, columns: Columns, labels: RowLabels) -> None:
        answers = KIND.score_block(self._metric, columns)
        scores = {name: getattr(answers, name) for name in _SCORES}
        if answers.probability is not None:
            scores["probabilities"] = answers.probability
        rates = {name: getattr(answers, name) for name in _RATES}
        scores |= {name: rate for name, rate in rates.items() if rate is not None}
        self._rows.update(scores | labels.columns())

    def result(self, **reporting: Any) -> dict[str, Any]:
        columns = self._rows.columns()
        scores = {name: columns.pop(name) for name in _SCORES}
        scores |= {name: columns.pop(name, None) for name in _RATES}
        answers = ScoredAnswers(**scores, probability=columns.pop("probabilities", None))
        return KIND.summarize_blocks(self._metric, [answers], **reporting, **columns)

    def check(self) -> None:
        for columns in self._rows.tables_of_numbers():
            check_counts(columns["count"])
            for name in _SCORES:
                if name not in columns or (columns[name].dtype == np.bool_) != (name in _TRUTHS):
                    raise ValueError(f"{name} is missing, or its values have another type")
            for name in (*_SCORES, "probabilities", *_RATES):
                if name in columns:
                    check_column(name, columns[name], SHARES)


class _AnswersKind(ScoreKind):
    scores_rows = separates_rows = True

    def statistics(self, metric: RowModule, *, with_intervals: bool) -> SufficientStatistics:
        return AnswersInOrder(metric)

    def score_block(self, metric: RowModule, columns: Mapping[str, Any]) -> ScoredAnswers:
        options = {name: metric.options[name] for name in _READING}
        return scored_answers(**metric.checked(**columns), **options)

    def summarize_blocks(
        self, metric: RowModule, blocks: Sequence[ScoredAnswers], **reporting: Any
    ) -> dict[str, Any]:
        options = {name: metric.options[name] for name in _THRESHOLDS}
        return summarize_answers(ScoredAnswers.joined(blocks), **options, **reporting)


KIND = _AnswersKind()
