"""Rows whose fields are named as in a well-known library: a table of names.

Source: explodinggradients/ragas, `dataset_schema.py`; confident-ai/deepeval, `LLMTestCase`;
NVIDIA/NeMo, the manifests of speech recognition.
"""

from operator import itemgetter
from typing import NamedTuple

from .logs import Content, Log, Marks

FORMAT = "datasets"


class Names(NamedTuple):
    """A library's names for the fields of a row."""

    marks: tuple[str, ...]  # fields that identify the library
    prediction: str
    references: str
    id: str | None = None


LIBRARIES = (
    Names(("user_input", "response", "reference"), "response", "reference"),  # ragas
    Names(("question", "answer", "contexts", "ground_truth"), "answer", "ground_truth"),  # its 0.1
    Names(
        ("question", "answer", "contexts", "ground_truths"), "answer", "ground_truths"
    ),  # its 0.0
    Names(("input", "actual_output"), "actual_output", "expected_output"),  # deepeval
    Names(("audio_filepath", "pred_text"), "pred_text", "text", "audio_filepath"),  # NeMo
)


MARKS = Marks(fields=tuple(names.marks for names in LIBRARIES))


def read(content: Content) -> Log:
    """Return the unmodified rows."""
    names = next((names for names in LIBRARIES if content.has(*names.marks)), None)
    if names is None:
        raise ValueError("the fields are not those of a known library")
    standard = {"prediction": names.prediction, "references": names.references, "id": names.id}
    return Log(
        rows=content.rows,
        columns={column: itemgetter(name) for column, name in standard.items() if name is not None},
    )
