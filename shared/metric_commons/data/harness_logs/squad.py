"""The two files of SQuAD: a dataset of articles, and predictions as `{id: text}`."""

from collections.abc import Iterator
from typing import Any

from ..files.json_rows import Row
from .logs import Content, LogFormat


def _is_squad(content: Content) -> bool:
    """Return whether a document has articles with paragraphs, or answers by their ids."""
    match content.document:
        case {"data": [{"paragraphs": _}, *_]}:
            return True
        case dict() as texts:
            return bool(texts) and all(isinstance(text, str) for text in texts.values())
    return False


def _questions(articles: Any) -> Iterator[Row]:
    for article in articles:
        for paragraph in article["paragraphs"]:
            yield from ((None, question) for question in paragraph["qas"])


def _columns(content: Content) -> dict[str, Any]:
    """Return the questions with their answers, or the predictions."""
    if isinstance(content.document.get("data"), list):
        answers = "answers[*].text"
        return {
            "rows": _questions(content.document["data"]),
            "columns": {"references": answers, "accepted_answers": answers},
        }
    texts = content.document.items()
    rows = ((None, {"id": name, "prediction": text}) for name, text in texts)
    return {"rows": rows, "columns": {"prediction": "prediction"}}


FORMATS = (
    LogFormat(
        name="squad",
        kinds=["document"],
        further=_is_squad,
        columns={"id": "id"},
        computed=_columns,
    ),
)
