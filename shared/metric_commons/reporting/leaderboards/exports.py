"""Export results to other formats: Every Eval Ever, the Hub's evaluation results, model cards.

The caller has to supply what a result does not contain: the model's owner, the dataset on the Hub,
and the scale of the leaderboard's scores. A scale is never guessed.

Sources:
    evaleval/every_eval_ever, `eval.schema.json` and `instance_level_eval.schema.json`, 0.3.0;
    huggingface/hub-docs, `eval_results.yaml` and `modelcard.md`.
"""

import hashlib
import json
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from ...data.files.access import sha256_of
from ...data.files.stored import option_text, to_jsonable
from ...data.tables.tables import Source
from ...evaluation.results.module_results import ModuleResult, version
from ...evaluation.results.results import Results
from .leaderboards import interval_of

_LEVEL = 0.95  # of intervals, if the result does not record it
_SCHEMA = "0.3.0"


@dataclass(frozen=True)
class Labels:
    """Values that a format needs in addition to a result; None for the result's default."""

    model: str | None = None
    dataset: str | None = None
    task: str | None = None
    organization: str = "unknown"
    relationship: str = "other"
    prompt: str | None = None  # the field of the questions, for row scores


@dataclass(frozen=True)
class ExportedDocument:
    """A file to write, as a JSON or YAML value, and the rows for a second file."""

    name: str  # of the file below the output folder, without a suffix
    content: Any
    rows: bytes = b""  # lines of JSON


def every_eval_ever(results: Results, labels: Labels, created: float) -> Iterator[ExportedDocument]:
    """Yield a document for each system, with its rows if the field of the questions is known.

    Args:
        results: results with row scores, if these are to be exported.
        labels: the labels of the model and the dataset.
        created: the time when the documents are made, in seconds of the epoch.

    Raises:
        ValueError: a score is undefined, or the inputs have changed.
    """
    for system, modules in results.systems.items():
        model, dataset = labels.model or system, labels.dataset or data_name(results, system)
        evaluated = created
        with suppress(ValueError):
            evaluated = datetime.fromisoformat(results.provenance.get("created", "")).timestamp()
        key = f"{dataset}/{model.replace('/', '_')}/{evaluated}"
        signatures = [result.signature for result in modules.values()]
        developer, _, model_name = model.rpartition("/")
        # The location of the file, and of its rows, in a repository of these documents. The name
        # looks like a random UUID, but is the same for the same result.
        digest = hashlib.sha256("\n".join([key, *signatures]).encode()).digest()
        folders = [
            re.sub(r"[^\w.-]+", "_", part).lstrip(".") or "unknown"
            for part in (dataset, developer, model_name)
        ]
        name = "/".join(["data", *folders, str(UUID(bytes=digest[:16], version=4))])
        rows = b""
        if labels.prompt is not None:
            lines = _samples(results, system, key, model, labels.prompt)
            rows = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        content: dict[str, Any] = {
            "schema_version": _SCHEMA,
            "evaluation_id": key,
            "evaluation_timestamp": str(evaluated),
            "retrieved_timestamp": str(created),
            "source_metadata": {
                "source_name": "metric-commons",
                "source_type": "evaluation_run",
                "source_organization_name": labels.organization,
                "evaluator_relationship": labels.relationship,
            },
            "eval_library": {"name": "metric-commons", "version": version("metric-commons")},
            "model_info": {
                "name": model,
                "id": model,
                **({"developer": developer} if developer else {}),
                "additional_details": {
                    "deployment_type": "unknown",
                    "model_availability": "unknown",
                },
            },
            "evaluation_results": [
                _evaluation(module, result, score, dataset)
                for module, result in modules.items()
                for score in _numbers(result)
            ],
        }
        if rows:
            content["detailed_evaluation_results"] = {
                "format": "jsonl",
                "file_path": f"{name}_samples.jsonl",
                "hash_algorithm": "sha256",
                "checksum": hashlib.sha256(rows).hexdigest(),
                "total_rows": rows.count(b"\n"),
            }
        yield ExportedDocument(name, content, rows)


def _evaluation(module: str, result: ModuleResult, score: str, dataset: str) -> dict[str, Any]:
    """Return one score: its definition, its rows, and its uncertainty."""
    value = result.scores[score]
    if not math.isfinite(value):
        raise ValueError(f"{score} is {value}, not a number; leave it out with --scores")
    options = to_jsonable(result.options)
    low, high = -math.inf, math.inf  # the possible scores, as far as known
    if score in result.value_counts:
        _, _, *scale = result.value_counts[score]
        low, high = scale[0] if scale else (0.0, 1.0)
    uncertainty: dict[str, Any] = {"num_samples": result.rows} if result.rows else {}
    level = result.options.get("confidence_level", _LEVEL)
    ends = interval_of(result, score, level)
    if ends is not None and all(map(math.isfinite, ends)):
        lower, upper = ends
        uncertainty["confidence_interval"] = {"lower": lower, "upper": upper}
        uncertainty["confidence_interval"]["confidence_level"] = level
        if score in result.interval:
            uncertainty["confidence_interval"]["method"] = result.interval[score]
    if result.interval.get(score) == "bootstrap":
        uncertainty["num_bootstrap_samples"] = result.options["n_resamples"]
    error = result.standard_error.get(score, math.nan)
    if math.isfinite(error):
        uncertainty["standard_error"] = {"value": error}
    return {
        "evaluation_name": f"{dataset} {score}",
        "source_data": {"dataset_name": dataset, "source_type": "other"},
        "metric_config": {
            "metric_id": f"{module}.{score}",
            "metric_name": score,
            "metric_parameters": {
                name: option
                if isinstance(option, str | int | float | None)
                else option_text(option)
                for name, option in options.items()
            },
            "lower_is_better": score in result.lower_is_better,
            "score_type": "continuous",
            "min_score": low if math.isfinite(low) else "-Infinity",
            "max_score": high if math.isfinite(high) else "Infinity",
        },
        "score_details": {
            "score": value,
            "details": {"signature": result.signature},
            "uncertainty": uncertainty,
        },
    }


def _samples(
    results: Results, system: str, key: str, model: str, prompt: str
) -> Iterator[dict[str, Any]]:
    """Yield a line for each row and module, with its main score."""
    columns = _columns(results, system, prompt)
    ids = results.row_labels.get(system, {}).get("id")
    for module, result in results.systems[system].items():
        score = result.main_score or next(iter(result.scores))
        if score not in result.per_example:
            raise ValueError(f"{module} has no {score} of rows; name their file with --rows")
        values = result.per_example[score]
        for row, (value, question, prediction, references) in enumerate(
            zip(values, *columns, strict=True)
        ):
            if math.isnan(value):
                continue  # a row that does not count, and is not part of the mean
            listed = references if isinstance(references, list) else [references]
            texts = [_text(text) for text in listed]
            yield {
                "schema_version": _SCHEMA,
                "evaluation_id": key,
                "model_id": model,
                "evaluation_name": f"{module}.{score}",
                "sample_id": str(ids[row] if ids else row),
                "interaction_type": "single_turn",
                "input": {"raw": _text(question), "reference": texts},
                "output": {"raw": [_text(prediction)]},
                "messages": None,
                "answer_attribution": [],
                "evaluation": {"score": value, "is_correct": value >= 1.0},
            }


def _columns(results: Results, system: str, prompt: str) -> list[list[Any]]:
    """Return questions, predictions and references of all rows, from unchanged inputs."""
    columns = results.provenance.get("columns", {}).get(system, {})
    if not {"predictions", "references"} <= columns.keys():
        raise ValueError("the result does not record the fields of its predictions and references")
    fields = [dict(columns["references"], field=prompt)]
    fields += [columns["predictions"], columns["references"]]
    contents = {source["path"]: source["sha256"] for source in results.provenance["inputs"]}
    columns_of_rows = []
    for column in fields:
        path = Path(column["path"])
        if sha256_of(path) != contents.get(column["path"]):
            raise ValueError(f"{path} has changed since it was scored")
        source = Source(path, [column["field"]], format_name=column["format"])
        columns_of_rows.append(source.columns()[column["field"]])
    return columns_of_rows


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(to_jsonable(value))


def eval_results(
    results: Results, labels: Labels, scale: float, scores: Sequence[str] | None
) -> Iterator[ExportedDocument]:
    """Yield for each system the list for a repository's `.eval_results/`: one score.

    Args:
        results: results of systems with one main score, unless one is named.
        labels: the dataset of the Hub's leaderboard, and the task of the dataset.
        scale: the factor to multiply scores by.
        scores: the name of the one score.

    Raises:
        ValueError: the score is ambiguous.
    """
    for system, modules in results.systems.items():
        names = [
            (result, score)
            for result in modules.values()
            for score in (
                _numbers(result) if scores else [result.main_score or _numbers(result)[0]]
            )
        ]
        if len(names) != 1:
            listed = ", ".join(score for _, score in names)
            raise ValueError(
                f"a leaderboard has one score per model; name one with --scores: {listed}"
            )
        ((result, score),) = names
        dataset = labels.dataset or data_name(results, system)
        entry = {
            "dataset": {"id": dataset, "task_id": labels.task or dataset},
            "value": _scaled(result.scores[score], scale),
            **({"date": results.provenance["created"]} if "created" in results.provenance else {}),
            "notes": result.signature,
        }
        yield ExportedDocument(labels.model or system, [entry])


def model_index(results: Results, labels: Labels, scale: float) -> ExportedDocument:
    """Return the front matter of model cards: for each system its scores."""
    entries = []
    for system, modules in results.systems.items():
        dataset = labels.dataset or data_name(results, system)
        metrics = [
            {
                "type": score,
                "value": _scaled(result.scores[score], scale),
                "name": score,
                "args": {"signature": result.signature},
            }
            for result in modules.values()
            for score in _numbers(result)
        ]
        evaluation = {
            "task": {"type": labels.task or "other"},
            "dataset": {"type": dataset, "name": dataset},
            "metrics": metrics,
        }
        entries.append({"name": labels.model or system, "results": [evaluation]})
    return ExportedDocument("model-index", {"model-index": entries})


def data_name(results: Results, system: str) -> str:
    """Return a name for the rows: the task of a log, or the file of the references; else "data"."""
    provenance = results.provenance
    if task := provenance.get("logs", {}).get(system, {}).get("task"):
        return str(task)
    columns = provenance.get("columns", {}).get(system, {})
    column = columns.get("references") or columns.get("predictions")
    return Path(column["path"]).name.partition(".")[0] if column else "data"


def _numbers(result: ModuleResult) -> list[str]:
    """Return the scores that are single numbers."""
    return [name for name, value in result.scores.items() if isinstance(value, int | float)]


def _scaled(value: float, scale: float) -> float:
    """Return a score on the scale of a leaderboard, without float noise: 0.412 becomes 41.2.

    >>> _scaled(0.29, 100)
    29.0
    """
    if not math.isfinite(value):
        raise ValueError(f"the score is {value}, which no leaderboard accepts")
    return float(f"{value * scale:.15g}")
