"""Questions that may have no answer, as in SQuAD v2: their scores, and the best thresholds.

A question without an accepted answer is answered right by saying nothing. A system may also say how
likely it thinks that there is no answer; above a threshold its answer then counts as none. The
definitions are those of SQuAD's script evaluate-v2.0.py, which evaluate's `squad_v2` runs.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from ..numbers.arrays import Booleans, Floats, Integers
from ..numbers.checks import check_labels
from ..numbers.domains import Finite, Labels, checked_options
from ..statistics.summary import members, summarize
from ..texts.normalizers import squad
from .answers import exact_match, token_f1
from .squad_answers import matched_answers

_LASTING = re.compile("[b-dfgi-mo-su-zB-DFGI-MO-SU-Z0-9]")

Texts = Sequence[str]
ThresholdTies = Literal["official", "grouped"]


@dataclass(frozen=True)
class ScoredAnswers:
    """The answers to some questions, one per row, with scores as if each had been meant."""

    exact: Floats
    f1: Floats
    has_answer: Booleans  # whether the question has an accepted answer
    is_given: Booleans  # whether the answer is more than an empty text
    probability: Floats | None  # that there is no answer; None if systems say nothing about that

    def __len__(self) -> int:
        return len(self.exact)

    def take(self, rows: Integers | Booleans) -> Self:
        """Some rows."""
        probability = None if self.probability is None else self.probability[rows]
        return replace(
            self,
            exact=self.exact[rows],
            f1=self.f1[rows],
            has_answer=self.has_answer[rows],
            is_given=self.is_given[rows],
            probability=probability,
        )

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The answers of all parts.

        Raises:
            ValueError: some have probabilities, others have none.
        """
        if len({part.probability is None for part in parts}) > 1:
            raise ValueError("some rows have probabilities, others have none")
        probabilities = [part.probability for part in parts if part.probability is not None]
        return cls(
            np.concatenate([part.exact for part in parts]),
            np.concatenate([part.f1 for part in parts]),
            np.concatenate([part.has_answer for part in parts]),
            np.concatenate([part.is_given for part in parts]),
            np.concatenate(probabilities) if probabilities else None,
        )

    def at(self, threshold: float) -> dict[str, Floats]:
        """The scores where answers count as none above a threshold of the probability."""
        scores = {"exact": self.exact, "f1": self.f1}
        if self.probability is None:
            return scores
        withdrawn = self.probability > threshold
        return {
            name: np.where(withdrawn, ~self.has_answer, values) for name, values in scores.items()
        }


def scored_answers(
    predictions: Sequence[Any],
    references: Sequence[Any],
    *,
    no_answer_texts: Texts = (),
) -> ScoredAnswers:
    """The answers to questions with their scores, in the order of the predictions.

    Accepted answers of which the normalizer of SQuAD leaves nothing do not count; where there are
    no others, only what normalizes to nothing is right, yet the question has an answer.

    Args:
        predictions: texts, or dictionaries with `id`, `prediction_text`, `no_answer_probability`.
        references: lists of texts, or dictionaries with `id` and `answers`.
        no_answer_texts: predictions that say that there is no answer, compared once normalized.

    Raises:
        RowError: an id is on one side alone, or there twice.

    >>> answers = scored_answers(["Paris", "Oslo", ""], [["Paris"], [], ["Rome"]])
    >>> answers.exact.tolist(), answers.has_answer.tolist(), answers.is_given.tolist()
    ([1.0, 0.0, 0.0], [True, False, True], [True, True, False])
    """
    probability = None
    if isinstance(predictions[0], Mapping):
        probability = np.array([row["no_answer_probability"] for row in predictions], np.float64)
        predictions, references = matched_answers(predictions, references)
    refusals = set(map(squad, no_answer_texts))
    if refusals:
        predictions = ["" if squad(text) in refusals else text for text in predictions]
    accepted = [list(filter(_is_left, row)) or [""] for row in references]
    return ScoredAnswers(
        exact_match(predictions, accepted),
        token_f1(predictions, accepted).f1,
        np.array([len(row) > 0 for row in references]),
        np.array([text != "" for text in predictions]),
        probability,
    )


def _is_left(text: str) -> bool:
    """Whether the normalizer of SQuAD leaves anything; these characters are in no article.

    >>> _is_left("the Nile"), _is_left("the"), _is_left("The An-the")
    (True, False, True)
    """
    return _LASTING.search(text) is not None or squad(text) != ""


def best_thresholds(answers: ScoredAnswers, *, ties: ThresholdTies) -> dict[str, float]:
    """The threshold of the probability at which each mean is greatest, and that mean.

    All questions start as unanswered, at the threshold 0. Then answers count one after another, the
    least probability first: one to a question with an answer adds its score, any other takes away
    the point for having said nothing. The first maximum counts.

    The official walk looks after every answer. Where probabilities are equal, as they are where a
    system gives none, its maximum may lie between them, at a score that no threshold has, and it
    depends on the order of rows. "grouped" looks only after the last of equal ones.

    >>> answers = scored_answers(["Paris", "Oslo"], [["Paris"], []])
    >>> answers = replace(answers, probability=np.array([0.5, 0.5]))
    >>> best_thresholds(answers, ties="official")["best_exact"]
    1.0
    >>> best_thresholds(answers, ties="grouped")["best_exact"]
    0.5
    """
    if answers.probability is None:
        return {}
    gains = np.where(answers.is_given, -1.0, 0.0)
    n_unanswerable = float(np.count_nonzero(~answers.has_answer))
    order = np.argsort(answers.probability, kind="stable")
    probabilities = answers.probability[order]
    result = {}
    for name, scores in (("exact", answers.exact), ("f1", answers.f1)):
        steps = np.where(answers.has_answer, scores, gains)
        if ties == "grouped" and name == "f1":  # its sums are rounded, so equals need an order
            order = np.lexsort((steps, answers.probability))
        totals = np.cumsum(np.concatenate([[n_unanswerable], steps[order]]))
        if ties == "grouped":
            totals[1:-1][probabilities[:-1] == probabilities[1:]] = -np.inf
        best = int(np.argmax(totals))
        result[f"best_{name}"] = float(totals[best]) / len(answers)
        result[f"best_{name}_thresh"] = float(probabilities[best - 1]) if best else 0.0
    return result


@checked_options
def summarize_answers(
    answers: ScoredAnswers,
    *,
    no_answer_threshold: Finite = 1.0,
    threshold_ties: ThresholdTies = "official",
    per_example: bool = False,
    clusters: Labels | None = None,
    groups: Labels | None = None,
    **uncertainty: Any,
) -> dict[str, Any]:
    """The result of SQuAD v2's script, from 0 to 1, and what is asked for; see `summarize`.

    Args:
        answers: one per row.
        no_answer_threshold: an answer counts as none if the probability is greater.
        threshold_ties: how `best_thresholds` treats equal probabilities.
        per_example: also return the scores of each row.
        clusters: one label per row.
        groups: one label per row.
        **uncertainty: the other options of `summarize`.

    >>> summarize_answers(scored_answers(["Paris", "Oslo"], [["Paris"], []]))["NoAns_exact"]
    0.0
    """
    rows = len(answers)
    labels = None if clusters is None else np.array(check_labels("clusters", clusters, rows))

    def summary(answers: ScoredAnswers, labels: Any) -> dict[str, Any]:
        scores = answers.at(no_answer_threshold)
        result: dict[str, Any] = {}
        extras: dict[str, Any] = {}
        for prefix, part in _parts(answers):
            values = {f"{prefix}{name}": column[part] for name, column in scores.items()}
            of_part = summarize(
                values, clusters=None if labels is None else labels[part].tolist(), **uncertainty
            )
            result |= {name: of_part.pop(name) for name in values}
            result[f"{prefix}total"] = int(np.count_nonzero(part))
            for key, value in of_part.items():
                extras[key] = extras.get(key, {}) | value if isinstance(value, dict) else value
        return result | best_thresholds(answers, ties=threshold_ties) | extras

    result = summary(answers, labels)
    if per_example:
        scores = answers.at(no_answer_threshold)
        result["per_example"] = {name: values.tolist() for name, values in scores.items()}
    if groups is not None:
        result["groups"] = {
            label: summary(answers.take(of_label), None if labels is None else labels[of_label])
            | {"n": len(of_label)}
            for label, of_label in members(check_labels("groups", groups, rows)).items()
        }
    return result


def _parts(answers: ScoredAnswers) -> Iterator[tuple[str, Booleans]]:
    """The questions that each group of keys is about, as far as there are any."""
    yield "", np.ones(len(answers), dtype=bool)
    for prefix, part in (("HasAns_", answers.has_answer), ("NoAns_", ~answers.has_answer)):
        if part.any():
            yield prefix, part
