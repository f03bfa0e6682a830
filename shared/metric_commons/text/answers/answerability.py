"""Questions that may be unanswerable, as in SQuAD v2: their scores, and the best thresholds.

The correct response to a question without accepted answers is to abstain. A system may also
report the probability that there is no answer; above a threshold its answer counts as abstaining.
The definitions equal those of SQuAD's script evaluate-v2.0.py, which evaluate's `squad_v2` runs.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from ...statistics.arguments.arrays import Booleans, Floats, Integers
from ...statistics.arguments.checks import check_labels
from ...statistics.arguments.domains import Finite, Labels, checked_options
from ...statistics.intervals.summary import members, summarize
from ..extraction.extraction import Extraction, read_answers
from ..tokens.normalizers import squad
from ..tokens.references import row_scores
from ..tokens.thoughts import Thoughts
from .answers import answer_pairs, matched_answers

_LASTING = re.compile("[b-dfgi-mo-su-zB-DFGI-MO-SU-Z0-9]")

Texts = Sequence[str]
ThresholdTies = Literal["official", "grouped"]


@dataclass(frozen=True)
class ScoredAnswers:
    """The answers to questions, one per row, scored as if no answer were withheld."""

    exact: Floats
    f1: Floats
    has_answer: Booleans  # whether the question has an accepted answer
    is_given: Booleans  # whether the answer is more than an empty text
    probability: Floats | None  # of there being no answer; None if systems do not report it
    unparsed: Floats | None = None  # 1 where no answer was found; None if texts are answers

    def __len__(self) -> int:
        return len(self.exact)

    def take(self, rows: Integers | Booleans) -> Self:
        """Select rows."""
        columns = {name: column for name, column in vars(self).items() if column is not None}
        return replace(self, **{name: column[rows] for name, column in columns.items()})

    def at(self, threshold: float) -> dict[str, Floats]:
        """Return the scores if answers are withheld above a threshold of the probability."""
        scores = {"exact": self.exact, "f1": self.f1}
        if self.probability is not None:
            withdrawn = self.probability > threshold
            scores = {
                name: np.where(withdrawn, ~self.has_answer, values)
                for name, values in scores.items()
            }
        return scores if self.unparsed is None else scores | {"unparsed": self.unparsed}


def scored_answers(
    predictions: Sequence[Any],
    references: Sequence[Any],
    *,
    no_answer_texts: Texts = (),
    thoughts: Thoughts = "keep",
    extract: Extraction = None,
) -> ScoredAnswers:
    """Score the answers to questions, in the order of the predictions.

    Accepted answers that SQuAD's normalizer reduces to nothing are ignored; if there are no others,
    only a prediction that normalizes to nothing is right, yet the question counts as answerable.

    Args:
        predictions: texts, or dictionaries with `id`, `prediction_text`, `no_answer_probability`.
        references: lists of texts, or dictionaries with `id` and `answers`.
        no_answer_texts: predictions that mean there is no answer, compared after normalization.
        thoughts: as in `qa_em`.
        extract: as in `qa_em`; a prediction without an answer is wrong.

    Raises:
        RowError: an id occurs on one side only, or twice.

    >>> answers = scored_answers(["Paris", "Oslo", ""], [["Paris"], [], ["Rome"]])
    >>> answers.exact.tolist(), answers.has_answer.tolist(), answers.is_given.tolist()
    ([1.0, 0.0, 0.0], [True, False, True], [True, True, False])
    """
    probability = None
    if isinstance(predictions[0], Mapping):
        probability = np.array([row["no_answer_probability"] for row in predictions], np.float64)
        predictions, references = matched_answers(predictions, references)
    predictions, rates = read_answers(predictions, thoughts=thoughts, extract=extract)
    refusals = set(map(squad, no_answer_texts))
    if refusals:
        predictions = ["" if squad(text) in refusals else text for text in predictions]
    accepted = [list(filter(_is_left, row)) or [""] for row in references]
    exact, f1 = [], []
    for pairs in answer_pairs(predictions, accepted):  # normalized once for both
        exact.append(pairs.hits(pairs.equal(), "max"))
        pair_scores = pairs.token_f1("multiset", both_empty=1.0)
        f1.append(row_scores(pair_scores, pairs.references, "max").f1)
    is_given = np.array([text != "" for text in predictions])
    scores = np.concatenate(exact), np.concatenate(f1)
    if rates:
        scores = scores[0] * (1 - rates["unparsed"]), scores[1] * (1 - rates["unparsed"])
        is_given |= rates["unparsed"] > 0
    has_answer = np.array([len(row) > 0 for row in references])
    return ScoredAnswers(*scores, has_answer, is_given, probability, **rates)


def _is_left(text: str) -> bool:
    """Return whether SQuAD's normalizer leaves anything; these characters do not occur in articles.

    >>> _is_left("the Nile"), _is_left("the"), _is_left("The An-the")
    (True, False, True)
    """
    return _LASTING.search(text) is not None or squad(text) != ""


def best_thresholds(answers: ScoredAnswers, *, ties: ThresholdTies) -> dict[str, float]:
    """Return for each mean the probability threshold that maximizes it, and its maximum.

    All questions start as unanswered, at the threshold 0. Then answers are counted one after
    another by increasing probability: the answer to an answerable question adds its score,
    any other loses the point for abstaining. The first maximum counts.

    The official script looks at the sum after every answer. If probabilities are tied, as they are
    when a system does not report any, its maximum may fall within a tie, at a score that no
    threshold attains and that depends on the order of rows. "grouped" looks only after the last of
    a tie.

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
        if ties == "grouped" and name == "f1":  # its sums are rounded, so ties need a fixed order
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
    """Return the result of SQuAD v2's script, from 0 to 1, with the further keys of `summarize`.

    Args:
        answers: one per row.
        no_answer_threshold: answers with a higher probability of no answer are withheld.
        threshold_ties: how `best_thresholds` treats equal probabilities.
        per_example: whether to return the scores of each row too.
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
            values = {
                f"{prefix}{name}": column[part]
                for name, column in scores.items()
                if not prefix or name in ("exact", "f1")
            }
            part_result = summarize(
                values, clusters=None if labels is None else labels[part].tolist(), **uncertainty
            )
            result |= {name: part_result.pop(name) for name in values}
            result[f"{prefix}total"] = int(np.count_nonzero(part))
            for key, value in part_result.items():
                extras[key] = extras.get(key, {}) | value if isinstance(value, dict) else value
        return result | best_thresholds(answers, ties=threshold_ties) | extras

    result = summary(answers, labels)
    if per_example:
        scores = answers.at(no_answer_threshold)
        result["per_example"] = {name: values.tolist() for name, values in scores.items()}
    if groups is not None:
        result["groups"] = {
            label: summary(answers.take(group_rows), None if labels is None else labels[group_rows])
            | {"n": len(group_rows)}
            for label, group_rows in members(check_labels("groups", groups, rows)).items()
        }
    return result


def _parts(answers: ScoredAnswers) -> Iterator[tuple[str, Booleans]]:
    """Yield the questions that each group of keys covers, omitting empty groups."""
    yield "", np.ones(len(answers), dtype=bool)
    for prefix, part in (("HasAns_", answers.has_answer), ("NoAns_", ~answers.has_answer)):
        if part.any():
            yield prefix, part
