"""Results of `evaluate`'s modules for short answers: `squad`, `squad_v2`, `exact_match`, ReCoRD.

The parameters of each function are the inputs and options of the module of this name.
"""

import math
import re
import string
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from ...statistics.arguments.arrays import single_precision
from ...statistics.arguments.domains import Finite
from ...statistics.arguments.shapes import ListOf, Record, Scalar, TextRows
from .answerability import scored_answers, summarize_answers
from .answers import answer_texts, token_f1
from .answers import exact_match as exact_matches

_TEXT = Scalar(str)
_ANSWERS = Record((("text", ListOf(_TEXT)), ("answer_start", ListOf(Scalar(int)))))
_ANSWER = (("id", _TEXT), ("prediction_text", _TEXT))
_INDEX = Record((("passage", Scalar(int)), ("query", Scalar(int))))

AnswerRows = Annotated[Any, Record(_ANSWER)]
RatedAnswerRows = Annotated[Any, Record((*_ANSWER, ("no_answer_probability", Scalar(float))))]
QuestionRows = Annotated[Any, Record((("id", _TEXT), ("answers", _ANSWERS)))]
RecordAnswerRows = Annotated[Any, Record((("idx", _INDEX), ("prediction_text", _TEXT)))]
RecordQuestionRows = Annotated[Any, Record((("idx", _INDEX), ("answers", ListOf(_TEXT))))]


def squad(*, predictions: AnswerRows, references: QuestionRows) -> dict[str, float]:
    """Return exact match and F1, in percent.

    Differences:
        Both sides must have the same ids; the module gives a question without a prediction 0,
        prints its id, and ignores predictions for other questions. Ids may be repeated if both
        sides have them in the same order; the module then takes the last prediction for each.

    >>> answers = {"text": ["Oslo"], "answer_start": [0]}
    >>> squad(
    ...     predictions=[{"id": "a", "prediction_text": "in Oslo"}],
    ...     references=[{"id": "a", "answers": answers}],
    ... )
    {'exact_match': 0.0, 'f1': 66.66666666666666}
    """
    return _exact_match_and_f1(*answer_texts(predictions, references), scale=100.0)


def record(*, predictions: RecordAnswerRows, references: RecordQuestionRows) -> dict[str, float]:
    """Return exact match and F1 of ReCoRD, from 0 to 1; `query` joins answers and questions.

    Differences:
        Both sides must have the same queries. They may be repeated if both sides have them in the
        same order; the module then takes the last prediction for each.
    """
    answers = [
        {"id": row["idx"]["query"], "prediction_text": row["prediction_text"]}
        for row in predictions
    ]
    questions = [
        {"id": row["idx"]["query"], "answers": {"text": row["answers"]}} for row in references
    ]
    return _exact_match_and_f1(*answer_texts(answers, questions), scale=1.0)


def _exact_match_and_f1(
    predictions: Sequence[str], references: Sequence[list[str]], scale: float
) -> dict[str, float]:
    exact = exact_matches(predictions, references)
    f1 = token_f1(predictions, references, both_empty=0.0).f1
    return {
        "exact_match": scale * math.fsum(exact) / len(exact),
        "f1": scale * math.fsum(f1) / len(f1),
    }


def squad_v2(
    *, predictions: RatedAnswerRows, references: QuestionRows, no_answer_threshold: Finite = 1.0
) -> dict[str, Any]:
    """Return the scores of SQuAD v2's script in percent, its counts, and the best thresholds.

    Probabilities are rounded to single precision first, as in the module.

    Differences:
        Both sides must have the same ids. They may be repeated if both sides have them in the same
        order; the module then takes the last question and the last prediction.
    """
    answers = scored_answers(predictions, references)
    answers = replace(answers, probability=single_precision(answers.probability))
    result = summarize_answers(answers, no_answer_threshold=no_answer_threshold)
    return {
        name: value if name.endswith(("total", "_thresh")) else 100.0 * value
        for name, value in result.items()
    }


def exact_match(
    *,
    predictions: TextRows,
    references: TextRows,
    regexes_to_ignore: Sequence[str] | None = None,
    ignore_case: bool = False,
    ignore_punctuation: bool = False,
    ignore_numbers: bool = False,
) -> dict[str, float]:
    """Return the proportion of equal texts, after ignored parts are deleted.

    Differences:
        An empty list `regexes_to_ignore` changes nothing; the module then compares all rows at
        once if nothing else is to be ignored, and its score is 0 or 1.

    >>> exact_match(predictions=["It is 5."], references=["it is"], ignore_case=True)
    {'exact_match': 0.0}
    """
    expressions = list(map(re.compile, regexes_to_ignore or ()))
    deleted = string.punctuation * ignore_punctuation + string.digits * ignore_numbers
    table = str.maketrans("", "", deleted)

    def compared(text: str) -> str:
        for expression in expressions:
            text = expression.sub("", text)
        return (text.lower() if ignore_case else text).translate(table)

    hits = exact_matches(predictions, references, normalizer=compared)
    return {"exact_match": float(np.count_nonzero(hits)) / len(hits)}
