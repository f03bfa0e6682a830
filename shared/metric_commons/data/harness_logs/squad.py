"""The two files of SQuAD: a dataset of articles, and predictions as `{id: text}`."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..files.json_rows import Row
from .logs import Content, LogFormat


def _is_squad(content: Content) -> bool:
    """Return whether a document has articles with paragraphs, or answers by their ids."""
    document = content.document
    if not isinstance(document, Mapping):
        return False
    articles = document.get("data")
    if isinstance(articles, list):
        return bool(articles) and isinstance(articles[0], dict) and "paragraphs" in articles[0]
    return bool(document) and all(isinstance(text, str) for text in document.values())


def _accepted(record: Mapping[str, Any]) -> list[str]:
    return [answer["text"] for answer in record["answers"]]


def _questions(
    articles: list[dict[str, list[dict[str, list[dict[str, object]]]]]],
) -> Iterator[Row]:
    for article in articles:
        for paragraph in article["paragraphs"]:
            yield from ((None, question) for question in paragraph["qas"])


def _columns(content: Content) -> dict[str, Any]:
    """Return the questions with their answers, or the predictions."""
    if isinstance(content.document.get("data"), list):
        columns = {"references": _accepted, "accepted_answers": _accepted}
        return {"rows": _questions(content.document["data"]), "columns": columns}
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
