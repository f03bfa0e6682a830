"""Runs of HELM: a folder with `scenario_state.json` and `per_instance_stats.json`.

A run may have instances of the splits `valid` and `test`; leaderboards report only `test`. It may
repeat instances with perturbations.

Source: stanford-crfm/helm, `metrics/evaluate_reference_metrics.py`.
"""

import json
import re
from typing import Any

from .logs import Content, LogFormat, Record

# Other statistics than metrics: lengths, costs and reasons to stop.
_BOOKKEEPING = re.compile(
    r"num_.*|training_.*|inference_.*|finish_reason_.*|batch_size|prompt_truncated|max_prob|logprob"
)
_Key = tuple[Any, Any, str]


def prediction(record: Record) -> str:
    """Return the answer; for multiple choice the text of the option, "" if there is none."""
    text = str(record["result"]["completions"][0]["text"]).strip()
    mapping = record.get("output_mapping")
    return str(mapping.get(text, "")) if mapping else text


def references(record: Record) -> list[str]:
    """Return the references that are marked as correct."""
    return [
        reference["output"]["text"]
        for reference in record["instance"]["references"]
        if "correct" in reference["tags"]
    ]


def _metrics(statistics: list[dict[str, Any]]) -> dict[_Key, dict[str, float]]:
    """Return the mean of each metric for each instance, trial and perturbation."""
    metrics: dict[_Key, dict[str, float]] = {}
    for instance in statistics:
        values = metrics.setdefault(_key(instance, instance["instance_id"]), {})
        for statistic in instance["stats"]:
            name = statistic["name"]
            is_metric = not _BOOKKEEPING.fullmatch(name["name"]) and name.get("sub_split") is None
            if is_metric and statistic["count"]:
                values[name["name"]] = statistic["sum"] / statistic["count"]
    return metrics


def _key(record: Record, name: Any) -> _Key:
    perturbation = record.get("perturbation") or record.get("instance", {}).get("perturbation")
    return name, record.get("train_trial_index"), json.dumps(perturbation, sort_keys=True)


def _run(content: Content) -> dict[str, Any]:
    """Return the run, with the metrics from the file of statistics beside it."""
    data = content.beside(content.path.with_name("per_instance_stats.json"))
    metrics = _metrics(json.loads(data or "[]"))
    return {
        "rows": ((None, state) for state in content.document["request_states"]),
        "columns": {
            "logged": lambda record: metrics.get(_key(record, record["instance"]["id"]), {})
        },
        "task": content.path.resolve().parent.name.partition(":")[0],
    }


FORMATS = (
    LogFormat(
        name="helm",
        kinds=["document"],
        marks=["adapter_spec request_states"],
        columns={
            "id": "instance.id",
            "epoch": lambda record: record.get("train_trial_index", 0) + 1,
            "split": lambda record: str(record["instance"].get("split")),
            "perturbation": lambda record: str(
                (record["instance"].get("perturbation") or {}).get("name", "none")
            ),
            "prediction": prediction,
            "references": references,
        },
        system="adapter_spec.model or adapter_spec.model_deployment",
        variants=["split", "perturbation"],
        computed=_run,
    ),
)
