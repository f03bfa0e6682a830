"""The form of verl: a function of a row or a batch, with settings from a configuration."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from .named_tasks import task
from .verdicts import STATUSES, Task, Verdict

if TYPE_CHECKING:
    from .code_tasks import Code

_ADDED = (  # keywords that its reward managers add to a call
    *("reward_router_address", "reward_model_tokenizer"),
    *("sandbox_fusion_url", "concurrent_semaphore", "memory_limit_mb"),
)
_CONFIGURED: dict[tuple[str, str], Task] = {}  # a run has one, which comes with every call


def configured(module: str, given: Mapping[str, Any], keywords: Mapping[str, Any]) -> Task:
    """Return a task with `reward_kwargs` of a configuration, without what verl itself adds.

    Args:
        module: as in `task`.
        given: the settings that the configuration replaces.
        keywords: of a call.

    Raises:
        TypeError: a setting is unknown.
    """
    added = {name: _plain(value) for name, value in keywords.items() if name not in _ADDED}
    settings = {**given, **added}
    key = module, repr(settings)
    if key not in _CONFIGURED:
        _CONFIGURED[key] = task(module, **settings)
    return _CONFIGURED[key]


def row_of(verdict: Verdict) -> dict[str, Any]:
    """Return a row for verl, which collates rows by their keys; `pred` is the only text."""
    score = verdict.score or 0.0
    statuses: dict[str, float] = {status: float(verdict.status == status) for status in STATUSES}
    return {"score": score, "acc": score, "pred": verdict.answer or "", **statuses}


def _plain(value: Any) -> Any:
    """Return a list of a configuration library as a list of Python."""
    is_list = isinstance(value, Sequence) and not isinstance(value, str | tuple)
    return list(value) if is_list else value


async def code_verl(
    data_source: Any = None,
    solution_str: Any = None,
    ground_truth: Any = None,
    extra_info: Any = None,
    **settings: Any,
) -> dict[str, Any]:
    r"""Return the form of verl for programs, which verl awaits; see `Reward.verl`.

    Args:
        data_source: not used.
        solution_str: the answer of the model.
        ground_truth: the tests, in a form that `execution.read_tests` reads.
        extra_info: not used.
        **settings: options of `code`, from `reward_kwargs` of a configuration; those that verl
            itself adds are ignored.

    Returns:
        The row of `Reward.verl`, with `passed_tests` and `tests`, their number.

    Raises:
        ValueError: running programs is not allowed, or an option is not valid.
        TypeError: an option is unknown.

    >>> import asyncio
    >>> tests = {"inputs": ["1", "2"], "outputs": ["2", "3"]}
    >>> program = "```\nprint(2)\n```"
    >>> row = asyncio.run(code_verl("toy", program, tests, allow_execution=True))
    >>> row["score"], row["passed_tests"], row["tests"]
    (0.5, 1.0, 2.0)
    """
    judged = cast("Code", configured("code", {}, settings))
    (verdict,) = await judged.awaited([solution_str], [ground_truth])
    return row_of(verdict) | {n: verdict.scores.get(n, 0.0) for n in ("passed_tests", "tests")}
