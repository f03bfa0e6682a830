"""The form of verl: a function of a row or a batch, with settings from a configuration."""

from collections.abc import Mapping, Sequence
from typing import Any

from .verdicts import STATUSES, Verdict

_ADDED = (  # keywords that its reward managers add to a call
    *("reward_router_address", "reward_model_tokenizer"),
    *("sandbox_fusion_url", "concurrent_semaphore", "memory_limit_mb"),
)


def settings_of(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return `reward_kwargs` of a configuration, without what verl itself adds."""
    return {name: _plain(value) for name, value in keywords.items() if name not in _ADDED}


def row_of(verdict: Verdict) -> dict[str, Any]:
    """Return a row for verl, which collates rows by their keys; `pred` is the only text."""
    score = verdict.score or 0.0
    statuses: dict[str, float] = {status: float(verdict.status == status) for status in STATUSES}
    return {"score": score, "acc": score, "pred": verdict.answer or "", **statuses}


def _plain(value: Any) -> Any:
    """Return a list of a configuration library as a list of Python."""
    is_list = isinstance(value, Sequence) and not isinstance(value, str | tuple)
    return list(value) if is_list else value
