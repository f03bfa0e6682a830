"""Steps of extraction by name, and chains of them.

A step is a function from the text of a model to the answer in it, or to None if there is none. Each
step of a chain reads the result of the previous one.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from numbers import Integral
from typing import Any, cast

from ...statistics.arguments.checks import nearest, shown
from .community_steps import (
    COMMUNITY_STEPS,
    Step,
    StepWithChoices,
    gpqa_choices,
    match_step,
)

Extract = (
    str | Mapping[str, Any] | Callable[[str], str | None] | Sequence[Any] | None
)  # as options take it
Chain = tuple[Any, ...]  # of names, of functions, and of ("regex", pattern, group)


def _final(name: str) -> Step:
    """Return a step of `final_answers`, whose patterns take long to compile, so only on use."""

    def step(text: str) -> str | None:
        from .final_answers import FINAL_ANSWER_STEPS

        return FINAL_ANSWER_STEPS[name](text)

    return step


_FINAL_ANSWERS = (
    *("choice", "boxed_all", "tagged_or_boxed", "final_answer"),
    *("final_number", "final_number_comma", "code_fence"),
)
STEPS: dict[str, Step | StepWithChoices] = {
    **COMMUNITY_STEPS,
    **{name: _final(name) for name in _FINAL_ANSWERS},
}
"""The steps of `extract` by name; the card of `qa_em` says what each finds."""

_EXCERPT = 60  # characters of a text in a message
_OR = "|"  # between alternatives


def step_functions(steps: Any) -> list[Any]:
    """Return the function of each step.

    Args:
        steps: one step, or a chain of them; "a|b" takes what `a` finds, or else what `b` finds.

    Raises:
        ValueError: a step is unknown, or there are no steps.
    """
    listed = steps if isinstance(steps, list | tuple) else [steps]
    chain = list(map(_function, listed))
    if not chain:
        raise ValueError("a chain needs at least one step")
    return chain


def answer_in(text: str, functions: Sequence[Any]) -> str | None:
    """Return the answer that steps find in a text, one after the other; None if one finds nothing.

    >>> answer_in("<think>hm</think>#### 18", step_functions(["strip_think", "gsm8k"]))
    '18'
    """
    for function in functions:
        answer: str | None = function(text)
        if answer is None:
            return None
        text = answer
    return text


def hashable_chain(steps: Extract) -> Chain:
    """Return a chain of steps as a value: equal, hashable, and picklable if its functions are.

    Args:
        steps: as in `step_functions`, or any sequence of them, such as a list of OmegaConf; or None
            for a chain without steps.

    Raises:
        ValueError: a step is unknown, or needs the choices of each row.

    >>> hashable_chain(["strip_think", {"regex": "[0-9]+", "group": -1}])
    ('strip_think', ('regex', '[0-9]+', -1))
    >>> hashable_chain("bxed")
    Traceback (most recent call last):
    ValueError: unknown step 'bxed'; did you mean 'boxed'?
    """
    if steps is None or steps == ():
        return ()
    is_chain = isinstance(steps, Sequence) and not isinstance(steps, str)
    step_list: Sequence[Any] = cast(Sequence[Any], steps) if is_chain else [steps]
    if not step_list:
        raise ValueError("a chain needs at least one step")
    chain: Chain = ()
    for step in step_list:
        if isinstance(step, Mapping) and not step.keys() - {"regex", "group"}:
            step = ("regex", step.get("regex"), step.get("group", 0))
        chain = (*chain, step)
    if gpqa_choices in chain_functions(chain):
        raise ValueError("the step 'gpqa_choices' needs the choices of each row; use 'gpqa'")
    return chain


@lru_cache(1024)
def chain_functions(chain: Chain) -> Sequence[Any]:
    """Return the functions of a chain that `hashable_chain` made.

    >>> [function("a 1 b 2") for function in chain_functions((("regex", "[0-9]+", -1),))]
    ['2']
    """
    return list(map(_function, chain))


def _function(step: Any) -> Any:
    if isinstance(step, tuple) and len(step) == 3:  # as `hashable_chain` has it
        step = {"regex": step[1], "group": step[2]}
    if isinstance(step, Mapping):
        return _pattern_step(step)
    if callable(step):
        return _checked_step(step)
    if isinstance(step, str):
        names = step.split(_OR)
        if all(name in STEPS for name in names):
            return STEPS[step] if len(names) == 1 else _alternatives(names)
        step = next(name for name in names if name not in STEPS)
    hint = nearest(step, STEPS) if isinstance(step, str) else ""
    hint = hint or f"; the steps are {', '.join(STEPS)}"
    raise ValueError(f"unknown step {shown(step)}{hint}")


def _alternatives(names: Sequence[str]) -> Step:
    """Return the step that takes the answer of the first of several steps that finds one."""
    steps: list[Any] = [STEPS[name] for name in names]
    if gpqa_choices in steps:
        raise ValueError("the step 'gpqa_choices' has no alternatives; use 'gpqa'")

    def step(text: str) -> str | None:
        return next(filter(lambda answer: answer is not None, (step(text) for step in steps)), None)

    return step


def _pattern_step(step: Mapping[str, Any]) -> Step:
    pattern, group = step.get("regex"), step.get("group", 0)
    if not isinstance(pattern, str) or step.keys() - {"regex", "group"}:
        raise ValueError(f"a pattern is 'regex' with optional 'group', not {shown(dict(step))}")
    if not isinstance(group, Integral) or isinstance(group, bool):
        raise ValueError(f"'group' must be the number of a match, got {shown(group)}")
    try:
        return match_step(pattern, int(group))
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"{shown(pattern)} is not a pattern: {error}") from error


def _checked_step(function: Callable[[str], Any]) -> Step:
    """Return a caller's function, with an error if it returns neither a text nor None."""

    def step(text: str) -> str | None:
        answer = function(text)
        if answer is None or isinstance(answer, str):
            return answer
        kind = type(answer).__name__
        raise ValueError(f"a step returns a str or None, got {kind} for {text[:_EXCERPT]!r}")

    return step
