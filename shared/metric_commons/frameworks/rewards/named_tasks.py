"""Tasks by name."""

from functools import cache
from typing import Any

from ...statistics.arguments.checks import OptionError, nearest
from ...text.extraction.step_chains import Extract
from .verdicts import Task

_ROWS = {  # modules whose rows are not texts, with a row that any options allow
    "tool_calls": ("", []),
    "json_match": ("null", "null"),
    "instruction_following": (
        "",
        {"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]},
    ),
}
_KINDS = ("math", "choice", "found")


def task(
    module: str,
    *,
    score: str | None = None,
    extract: Extract = None,
    extract_references: Extract = None,
    explain: bool = False,
    name: str | None = None,
    **options: Any,
) -> Task:
    r"""Return the task of a name.

    Args:
        module: "math", "choice" or "found"; or the name of a module that compares texts, calls,
            JSON or instructions.
        score: the name of a score of rows of the module; by default the main one.
        extract: what cuts the answer out of a text, or () for the whole text; by default
            "tagged_or_boxed" for "math" and "found", "choice" for "choice", and the whole text for
            modules.
        extract_references: the same for references.
        explain: whether verdicts have a reason.
        name: of the score, in logs.
        **options: of the module.

    Raises:
        ValueError: there is no such module, score or step, or an option is not valid.
        TypeError: there is no such option.

    >>> task("math").verdict(r"\boxed{0.5}", "1/2").score
    1.0
    >>> task("math_equivalence").verdict("0.5", "1/2").score  # a module, so of the whole text
    1.0
    >>> task("qa_f1", normalizer="lower").verdict("a b", ["b", "c"]).score
    0.6666666666666666
    """
    settings: dict[str, Any] = {"explain": explain} | ({} if name is None else {"name": name})
    if module in _ROWS:
        from .module_tasks import ModuleRows

        steps = {"extract": extract, "extract_references": extract_references}
        options |= {name: step for name, step in steps.items() if step is not None}  # unknown here
        sample = _ROWS[module]
        if module == "tool_calls" and options.get("tools") is None:
            sample = "", {"tool_calls": [], "tools": []}  # tools may stand beside the calls
        return ModuleRows(module=module, score=score, options=options, sample=sample, **settings)
    if score is not None and module in (*_KINDS, "math_equivalence"):
        raise OptionError("score", f"is for modules, and not for {module!r}")
    if extract is not None:
        settings["extract"] = extract
    if extract_references is not None:
        settings["extract_references"] = extract_references
    if module in ("math", "math_equivalence"):
        from .math_tasks import Math

        if module == "math_equivalence":
            settings = {"name": module, "extract": None, **settings}
        return Math().with_settings({**settings, **options})
    if module in ("choice", "found"):
        from .text_tasks import Choice, Found

        kind: Task = Choice() if module == "choice" else Found()
        return kind.with_settings({**settings, **options})
    from ...module.catalog.catalog import is_path, name_of
    from .module_tasks import ModuleTexts

    if is_path(module):
        module = name_of(module)
    if not compares_texts(module):
        listed = ", ".join(row_modules())
        raise ValueError(
            f"{module} does not compare a text with a reference; modules that do are {listed}"
        )
    return ModuleTexts(module=module, score=score, options=options, **settings)


@cache
def compares_texts(module: str) -> bool:
    """Return whether a module scores rows of a text and a reference, which is one or several.

    Raises:
        ValueError: there is no such module.

    >>> compares_texts("qa_f1"), compares_texts("ir_ranking"), compares_texts("classification")
    (True, False, False)
    """
    from ...module.catalog.catalog import is_known, module_class, names

    if not is_known(module):
        modules = [*_KINDS, *names()]
        listed = ", ".join(modules)
        raise ValueError(
            f"there is no module {module!r}{nearest(module, modules)}; the modules are {listed}"
        )
    metric = module_class(module)()
    columns = {"predictions": "string", "references": "string"}
    if metric.score_kind == "counts" or "per_example" not in metric.declared_options:
        return False
    return any(
        {name: getattr(getattr(kind, "feature", kind), "dtype", None) for name, kind in f.items()}
        == columns
        and hasattr(f["predictions"], "dtype")
        for f in metric.feature_sets
    )


def row_modules() -> list[str]:
    """Return the names of all modules that judge one row at a time.

    >>> "qa_f1" in row_modules(), "tool_calls" in row_modules(), "ir_ranking" in row_modules()
    (True, True, False)
    """
    from ...module.catalog.catalog import names

    return [name for name in names() if name in _ROWS or compares_texts(name)]
