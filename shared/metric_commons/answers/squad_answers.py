"""Convert SQuAD's dictionaries to texts: predictions and accepted answers are matched by id.

A question is `{"id", "prediction_text"}` on one side and `{"id", "answers": {"text",
"answer_start"}}` on the other, as in the data set and in the scripts of transformers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..numbers.checks import RowError


def answer_texts(predictions: Any, references: Any) -> tuple[Any, Any]:
    """Predictions and accepted answers as texts, in the order of the predictions.

    Inputs that are not dictionaries are returned unchanged.

    Raises:
        RowError: an id occurs on one side only, or twice, or a question has no answer.

    >>> answer_texts(
    ...     [{"id": "b", "prediction_text": "Oslo"}, {"id": "a", "prediction_text": "Rome"}],
    ...     [
    ...         {"id": "a", "answers": {"text": ["Rome", "Roma"], "answer_start": [0, 9]}},
    ...         {"id": "b", "answers": {"text": ["Oslo"], "answer_start": [4]}},
    ...     ],
    ... )
    (['Oslo', 'Rome'], [['Oslo'], ['Rome', 'Roma']])
    """
    if not isinstance(predictions[0], Mapping):
        return predictions, references
    for row, reference in enumerate(references):
        if not reference["answers"]["text"]:
            raise RowError(
                "references", row, "has no answer; questions without one are for squad_v2"
            )
    return matched_answers(predictions, references)


def matched_answers(
    predictions: Sequence[Mapping[str, Any]], references: Sequence[Mapping[str, Any]]
) -> tuple[list[str], list[list[str]]]:
    """The texts of dictionaries, matched by id; a question may have no answer.

    If both sides have the same ids in the same order, an id may be repeated, as in a resample.

    Raises:
        RowError: an id occurs on one side only, or twice.
    """
    ids = [reference["id"] for reference in references]
    if [prediction["id"] for prediction in predictions] == ids:
        return (
            [prediction["prediction_text"] for prediction in predictions],
            [reference["answers"]["text"] for reference in references],
        )
    answers = _rows_by_id("references", references)
    for name, row in _rows_by_id("predictions", predictions).items():
        if name not in answers:
            raise RowError("predictions", row, f"has the id {name!r}, which no reference has")
    return (
        [prediction["prediction_text"] for prediction in predictions],
        [references[answers[prediction["id"]]]["answers"]["text"] for prediction in predictions],
    )


def _rows_by_id(column: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for number, row in enumerate(rows):
        if numbers.setdefault(row["id"], number) != number:
            raise RowError(column, number, f"has the id {row['id']!r} a second time")
    return numbers
