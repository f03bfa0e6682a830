"""Logs of Inspect: `.eval`, a zip archive with a file for each sample, and `.json`.

Source: UKGovernmentBEIS/inspect_ai, `log/_log.py`, `log/_recorders/eval.py`.
"""

import json
import math
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from io import SEEK_END
from typing import Any

from ..files.json_rows import Row
from ..files.streams import check_ratio, uncompressed
from .declared_formats import instructions
from .logs import Content, LogFormat, Record, listed

_ZSTANDARD = 93  # a zip compression method that `zipfile` supports from Python 3.14 on
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def _is_run(content: Content) -> bool:
    """Return whether an archive or a document has the marks of a run."""
    if content.kind == "zip":
        return any(name == "header.json" or name.startswith("_journal/") for name in content.first)
    return content.has("eval status")


def _run(content: Content) -> dict[str, Any]:
    """Return the run, even an unfinished one."""
    if content.kind == "zip":
        header, rows = _archive(content)
    else:
        header = content.document
        samples = sorted(header.get("samples") or [], key=lambda sample: sample.get("epoch", 1))
        rows = ((None, sample) for sample in samples)
    run, status = header.get("eval") or {}, header.get("status")

    def predicted(record: Record) -> Any:
        answers = [score.get("answer") for score in (record.get("scores") or {}).values()]
        return next((answer for answer in answers if answer is not None), None)

    return {
        "rows": rows,
        "columns": {
            "task": lambda _: run.get("task"),
            "predicted": predicted,
            "logged": lambda record: _logged(record.get("scores") or {}),
        },
        "system": run.get("model"),
        "task": run.get("task"),
        "samples": (header.get("results") or {}).get("total_samples"),
        "problem": None if status == "success" else f"the run has the state {status!r}",
    }


def _logged(scores: Mapping[str, Any]) -> dict[str, float]:
    """Return the scores of a sample, whose values may be dictionaries or lists of several."""
    logged: dict[str, float] = {}
    for name, score in scores.items():
        value = score["value"]
        parts = dict(enumerate(value)) if isinstance(value, list) else value
        if isinstance(parts, Mapping):
            logged |= {f"{name}.{key}": number(part) for key, part in parts.items()}
        else:
            logged[name] = number(value)
    return logged


def number(value: Any) -> float:
    """Return the number that a score stands for.

    >>> number("C"), number("yes"), number("0.5")
    (1.0, 1.0, 0.5)
    >>> number("Correct")
    Traceback (most recent call last):
    ValueError: score 'Correct' is not a number

    Raises:
        ValueError: it is not a number; inspect_ai itself warns and uses 0.
    """
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str):
        meaning = _LETTERS.get(value, _WORDS.get(value.lower()))
        if meaning is not None:
            return meaning
        with suppress(ValueError):
            if math.isfinite(converted := float(value)):
                return converted
    raise ValueError(f"score {value!r} is not a number")


def completion(record: Record) -> str | None:
    """Return the text of the answer; logs before May 2025 have it only in the message."""
    output = record.get("output") or {}
    if isinstance(output.get("completion"), str) or not output.get("choices"):
        return output.get("completion")
    content = output["choices"][0]["message"]["content"]
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part.get("type") == "text")


def message(record: Record) -> Any:
    """Return all tool calls of the conversation as one message, or else the answer."""
    turns = [turn for turn in record.get("messages") or [] if turn.get("role") == "assistant"]
    calls = [call for turn in turns for call in turn.get("tool_calls") or []]
    return {"role": "assistant", "tool_calls": calls} if calls else completion(record)


def reference(record: Record) -> Any:
    """Return the one target.

    Raises:
        ValueError: there are several.
    """
    targets = listed(record["target"])
    if len(targets) != 1:
        raise ValueError(f"there are {len(targets)} targets, but one is needed")
    return targets[0]


def _archive(content: Content) -> tuple[dict[str, Any], Iterator[Row]]:
    """Return the header and the samples, epoch by epoch."""
    file: Any = content.file
    archive = zipfile.ZipFile(file)
    members = {member.filename: member for member in archive.infolist()}  # the last one wins
    size = file.seek(0, SEEK_END)
    total = 0

    def document(name: str) -> Any:
        nonlocal total
        data = _member(archive, members[name])
        total += len(data)  # members may share stored bytes
        check_ratio(total, size, "the content of all members")
        return json.loads(data)

    if "header.json" in members:
        header = document("header.json")
    else:
        start = document("_journal/start.json") if "_journal/start.json" in members else {}
        header = {"eval": start.get("eval"), "status": "started"}

    def epoch(name: str) -> int:
        number = name.removesuffix(".json").rpartition("_epoch_")[2]
        return int(number) if number.isdigit() else 1

    names = sorted((name for name in members if name.startswith("samples/")), key=epoch)
    return header, ((None, document(name)) for name in names)


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return the bytes of a file in an archive, even if `zipfile` does not support its compression.

    Raises:
        ValueError: it is suspiciously large, or has an unknown compression.
    """
    size = member.file_size
    check_ratio(size, member.compress_size, member.filename)
    if member.compress_type == _ZSTANDARD:
        # The local header has 26 bytes, then the lengths of two fields before the data.
        file: Any = archive.fp
        file.seek(member.header_offset + 26)
        name, extra = (int.from_bytes(file.read(2), "little") for _ in range(2))
        file.seek(member.header_offset + 30 + name + extra)
        data = uncompressed(file.read(member.compress_size), size + 1)
        if len(data) > size:
            raise ValueError(f"{member.filename} has more content than the archive says")
        return data
    try:
        return archive.read(member)
    except NotImplementedError:
        raise ValueError(f"{member.filename} has an unknown compression") from None


FORMATS = (
    LogFormat(
        name="inspect",
        kinds=["zip", "document"],
        further=_is_run,
        columns={
            "id": "id",
            "epoch": lambda record: record.get("epoch", 1),
            "prediction": completion,
            "references": lambda record: listed(record["target"]),
            "message": message,
            "reference": reference,
            "label": lambda record: ", ".join(listed(record["target"])),
            "instructions": lambda record: instructions(record.get("metadata") or {}),
            "error": lambda record: bool(record.get("error")),
        },
        computed=_run,
    ),
)
