"""The two files of SQuAD: a dataset of articles, and predictions as `{id: text}`."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..files.json_rows import Row
from ..files.logs import Content, Log

FORM = "squad"


def recognizes(content: Content) -> bool:
    """Whether the document has articles with paragraphs, or a text for each id."""
    document = content.document
    if content.kind != "document" or not isinstance(document, Mapping):
        return False
    articles = document.get("data")
    if isinstance(articles, list):
        return bool(articles) and isinstance(articles[0], dict) and "paragraphs" in articles[0]
    return bool(document) and all(isinstance(text, str) for text in document.values())


def read(content: Content) -> Log:
    """The questions with their answers, or the predictions."""
    if isinstance(content.document.get("data"), list):
        return Log(
            form=FORM,
            rows=_questions(content.document["data"]),
            columns={
                "id": lambda record: record["id"],
                "references": _accepted,
                "accepted_answers": _accepted,
            },
        )
    predictions = content.document.items()
    return Log(
        form=FORM,
        rows=((None, {"id": name, "prediction": text}) for name, text in predictions),
        columns={
            "id": lambda record: record["id"],
            "prediction": lambda record: record["prediction"],
        },
    )


def _accepted(record: Mapping[str, Any]) -> list[str]:
    return [answer["text"] for answer in record["answers"]]


def _questions(
    articles: list[dict[str, list[dict[str, list[dict[str, object]]]]]],
) -> Iterator[Row]:
    for article in articles:
        for paragraph in article["paragraphs"]:
            yield from ((None, question) for question in paragraph["qas"])
