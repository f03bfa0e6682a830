"""Tasks by name."""

from typing import Any

from ...statistics.arguments.checks import OptionError, nearest
from ...text.extraction.step_chains import Extract
from .text_tasks import Choice, Found
from .verdicts import Task

REPLY = "tagged_or_boxed"  # the step for completions of trained models
_STEPS = {"math": REPLY, "found": REPLY, "choice": "choice"}  # by default


def task(
    module: str,
    *,
    extract: Extract = None,
    score: str | None = None,
    name: str | None = None,
    extract_references: Extract = None,
    thoughts: Any = "strip",
    explain: bool = False,
    **options: Any,
) -> Task:
    r"""Return the task of a name.

    Args:
        module: "math", "choice", "found" or "code"; or the name of a module that compares texts,
            calls, JSON or instructions.
        extract: how to extract the answer from a text, or () for the whole text; by default
            "tagged_or_boxed" for "math" and "found", "choice" for "choice", and the whole text for
            modules.
        score: the name of a score of rows of the module; by default the main one.
        name: of the score, in logs.
        extract_references: as `extract`, for references.
        thoughts: as in `math`.
        explain: whether verdicts have a reason.
        **options: of the module.

    Raises:
        ValueError: the module, score or step is unknown, or an option is not valid.
        TypeError: an option is unknown.

    >>> task("math").verdict(r"\boxed{0.5}", "1/2").score
    1.0
    >>> task("math_equivalence").verdict("0.5", "1/2").score  # a module, so of the whole text
    1.0
    >>> task("qa_f1", normalizer="lower").verdict("a b", ["b", "c"]).score
    0.6666666666666666
    """
    settings: dict[str, Any] = {
        "name": name or "",
        "score": score,
        "extract": _STEPS.get(module) if extract is None else extract,
        "extract_references": extract_references,
        "thoughts": thoughts,
        "explain": explain,
        "options": options,
    }
    if module == "code":
        from .code_tasks import Code

        return Code(module, **settings)
    if score is not None and (module in _STEPS or module == "math_equivalence"):
        raise OptionError("score", f"is for modules, and not for {module!r}")
    if module in ("math", "math_equivalence"):
        from .math_tasks import Math

        return Math(module, **settings)
    if module in ("choice", "found"):
        return (Choice if module == "choice" else Found)(module, **settings)
    from ...module.catalog.catalog import is_known, is_path, name_of, names
    from .module_tasks import module_task

    if is_path(module):
        module = name_of(module)
    if not is_known(module):
        modules = [*_STEPS, *names()]
        raise ValueError(
            f"there is no module {module!r}{nearest(module, modules)}; "
            f"the modules are {', '.join(modules)}"
        )
    return module_task(module, **settings)
