"""Questions and answers in the form of SQuAD."""

from collections.abc import Sequence
from typing import Any


def squad(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> dict[str, Any]:
    """The dictionaries of questions, which are numbered."""
    return {
        "predictions": [
            {"id": f"q{row}", "prediction_text": text} for row, text in enumerate(predictions)
        ],
        "references": [
            {"id": f"q{row}", "answers": {"text": [*texts], "answer_start": [0] * len(texts)}}
            for row, texts in enumerate(references)
        ],
    }
