"""Results of MTEB, `results/<model>/<revision>/<Task>.json`: means of a task, without rows.

Since 1.11 a file has `scores.<split>`, a list with the scores of each subset, such as a language;
before, the scores were under the name of the split, possibly nested by language, and there was no
main score.

Source: embeddings-benchmark/mteb, `task_result.py`; files of embeddings-benchmark/results.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .logs import Content, Log, LoggedMeans, Marks

FORMAT = "mteb"
METADATA = "model_meta.json"  # of the model, beside the results of its tasks
_ABOUT = {"dataset_revision", "mteb_dataset_name", "mteb_version", "evaluation_time"}
_FAMILIES = {"cos_sim", "dot", "euclidean", "manhattan", "max"}  # of scores; others are subsets
_UNKNOWN = ("no_revision_available", "external")
_REVISION = re.compile(rf"[0-9a-f]{{7,40}}|{'|'.join(_UNKNOWN)}|\d+")


def is_result(content: Content) -> bool:
    """Return whether the fields of a document, or of its scores, are those of a result."""
    document = content.document
    if not isinstance(document, Mapping):
        return False
    scores = document.get("scores")
    if not isinstance(scores, Mapping):
        return "mteb_dataset_name" in document
    parts = [part for split in scores.values() if isinstance(split, list) for part in split]
    return bool(parts) and all(isinstance(p, Mapping) and "hf_subset" in p for p in parts)


MARKS = Marks(kinds=("document",), further=is_result)


def read(content: Content) -> Log:
    """Return the means of each split, without rows."""
    document = content.document
    task = document.get("task_name") or document.get("mteb_dataset_name") or content.path.stem
    return Log(
        rows=iter(()),
        system=_model(content),
        task=task,
        means=[
            LoggedMeans(
                split,
                _of_all(subsets),
                subsets if len(subsets) > 1 else {},
                {
                    "task": task,
                    "split": split,
                    "dataset_revision": document.get("dataset_revision"),
                    "subsets": sorted(subsets),  # their order in a file means nothing
                    "mteb_version": document.get("mteb_version"),
                },
            )
            for split, subsets in _splits(document)
        ],
    )


def _model(content: Content) -> str | None:
    """Return the name of the model, from its metadata or else from the folders."""
    metadata, _ = content.beside(content.path.with_name(METADATA))
    if metadata and (name := json.loads(metadata).get("name")):
        return str(name)
    folder = content.path.resolve().parent
    if is_revision(folder) or folder.parents[1].name == "results":
        folder = folder.parent
    return folder.name.replace("__", "/") or None


def is_revision(folder: Path) -> bool:
    """Return whether a folder has the results of a revision of a model.

    >>> is_revision(Path("results/org__model/1234567")), is_revision(Path("results/org__model"))
    (True, False)
    """
    return bool(_REVISION.fullmatch(folder.name)) or (folder / METADATA).is_file()


def newness(revision: str, version: str | None) -> tuple[bool, bool, list[int]]:
    """Return the key by which mteb sorts revisions of a model that its registry does not name.

    >>> newness("main", "1.9.0") < newness("main", "1.12.0.dev1") < newness("main", "1.12.0")
    True
    """
    numbers = [int(part) if part.isdigit() else -1 for part in (version or "").split(".")]
    return bool(version), revision not in _UNKNOWN, [*numbers, 0]


def _splits(document: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, dict[str, float]]]]:
    """Yield each split with the scores of its subsets."""
    if "scores" not in document:
        for split, scores in document.items():
            if split not in _ABOUT and isinstance(scores, Mapping):
                parts = {
                    name: part
                    for name, part in scores.items()
                    if isinstance(part, Mapping) and name not in _FAMILIES
                }
                yield split, {n: _numbers(s) for n, s in (parts or {"default": scores}).items()}
        return
    for split, subsets in document["scores"].items():
        yield split, {part["hf_subset"]: _numbers(part) for part in subsets}


def _numbers(scores: Mapping[str, Any], prefix: str = "") -> dict[str, float]:
    """Return the scores that are numbers, with nested ones named like `cos_sim.spearman`.

    >>> _numbers({"cos_sim": {"pearson": 0.5}, "evaluation_time": 3.1, "languages": ["eng-Latn"]})
    {'cos_sim.pearson': 0.5}
    """
    numbers: dict[str, float] = {}
    for name, value in scores.items():
        if isinstance(value, Mapping):
            numbers |= _numbers(value, f"{prefix}{name}.")
        elif isinstance(value, int | float) and name not in _ABOUT:
            numbers[prefix + name] = float(value)
    return numbers


def _of_all(subsets: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return the mean over subsets of each score that all of them have, as in MTEB."""
    first: Mapping[str, float] = next(iter(subsets.values()), {})
    columns: dict[str, Sequence[float]] = {
        name: [scores[name] for scores in subsets.values()]
        for name in first
        if all(name in scores for scores in subsets.values())
    }
    return {name: math.fsum(values) / len(values) for name, values in columns.items()}
