"""Relations between the values of a results file, as this version of the format writes them.

`result_checks` looks at each value by itself. Here are the rules of which keys belong together, and
which values follow from others, so that a file in which one of them was changed is refused by all
commands alike. Files of older formats may lack keys and are not held to these rules.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ...module.catalog.catalog import load_without_evaluate, names
from ...module.declaration.declarations import REPORTING
from .module_results import lower_scores

_TOLERANCE = 1e-9  # for sums in another order


def check_relations(content: Mapping[str, Any]) -> None:
    """Check how the values of a results file fit together; each by itself is valid.

    Raises:
        ValueError: a key lacks another, or two values contradict each other.
    """
    systems = content["systems"]
    if not systems or not all(systems.values()):
        raise ValueError("a result needs at least one system, and a system at least one module")
    for modules in systems.values():
        for module, values in modules.items():
            _check_module(module, values)
    for comparison in content["comparisons"]:
        _check_comparison(comparison, systems)
    _check_ranks(content.get("ranks", {}), systems)
    rows = content["provenance"].get("rows", {})
    if rows and not rows.keys() >= systems.keys():
        raise ValueError("provenance lacks the rows of a system")


def _check_module(module: str, values: Mapping[str, Any]) -> None:
    scores, groups = values["scores"], values["groups"]
    main = values.get("main_score")
    if main is not None and main not in scores:
        raise ValueError(f"module {module!r} lacks its main score {main!r}")
    _check_together(f"module {module!r}", values)
    _check_triples(scores)
    for name, group in groups.items():
        _check_together(f"group {name!r}", group)
        _check_triples(group)
    rows = sum(group["n"] for group in groups.values())
    if groups and rows != values["rows"]:
        raise ValueError(f"groups have {rows} rows, but module {module!r} has {values['rows']}")
    if module in names():
        _check_declared(module, values)


def _check_declared(module: str, values: Mapping[str, Any]) -> None:
    """Check what follows from the declaration of a module."""
    if values["rows"] and "conditions" not in values:
        raise ValueError(f"module {module!r} lacks 'conditions'")
    metric = load_without_evaluate(module)
    expected = {*lower_scores(values["scores"], metric.lower_is_better)}
    if values["rows"] and set(values.get("lower_is_better", [])) != expected:
        raise ValueError(f"lower_is_better of {module!r} is not {sorted(expected)}")
    options = values["options"]
    for name, option in metric.declared_options.items():
        if name not in REPORTING and isinstance(options.get(name), bool | int | float):
            option.check(options[name])


def _check_together(subject: str, values: Mapping[str, Any]) -> None:
    """Check that every score with an interval has its method."""
    for name in values.get("confidence_interval", {}):
        if isinstance(values.get("scores", values)[name], Mapping):
            raise ValueError(f"{subject} has an interval of {name!r}, which is not a number")
        if name not in values.get("interval", {}):
            raise ValueError(f"{subject} has an interval of {name!r}, but not its method")


def _check_triples(scores: Mapping[str, Any]) -> None:
    """Check that F1 fits precision and recall, whether of all rows or as means of rows.

    The harmonic mean is concave, so that a mean of harmonic means is at most that of the means; and
    none is less than the sum of both minus one.
    """
    for f1, precision, recall in _triples(scores):
        values = scores[f1], scores[precision], scores[recall]
        if not all(isinstance(value, int | float) for value in values):
            continue
        f, p, r = values
        upper = 2 * p * r / (p + r) if p + r > 0 else 0.0
        if not max(p + r - 1, 0.0) - _TOLERANCE <= f <= upper + _TOLERANCE:
            raise ValueError(f"{f1} is {f}, which cannot be with {precision} {p} and {recall} {r}")


def _triples(scores: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the names of F1, precision and recall of the same thing."""
    for name in scores:
        stem = name.removesuffix("f1")
        for triple in (
            (name, f"{name}_precision", f"{name}_recall"),
            (name, f"{stem}precision", f"{stem}recall"),
        ):
            if (name.endswith("f1") or triple[1] == f"{name}_precision") and (
                triple[1] in scores and triple[2] in scores
            ):
                yield triple


def _check_comparison(comparison: Mapping[str, Any], systems: Mapping[str, Any]) -> None:
    if "p_adjusted" not in comparison:
        raise ValueError("a comparison lacks 'p_adjusted'")
    a, b, score = comparison["a"], comparison["b"], comparison["score"]
    if a == b:
        raise ValueError(f"a comparison is of {a!r} with itself")
    p, adjusted = comparison["p_value"], comparison["p_adjusted"]
    is_none = comparison.get("options", {}).get("correction") == "none"
    if None not in (p, adjusted) and is_none and p != adjusted:
        raise ValueError(f"a comparison without correction has p {p}, but p_adjusted {adjusted}")
    for system, key in ((a, "A_mean"), (b, "B_mean")):
        values = systems[system].get(comparison.get("module"), {})
        mean, stored = comparison[key], values.get("scores", {}).get(score)
        is_of_all = comparison.get("rows") == values.get("rows") and not values.get("left_out")
        if not is_of_all or not isinstance(stored, int | float):
            continue
        if mean is None or abs(mean - stored) > _TOLERANCE * max(abs(stored), 1.0):
            raise ValueError(f"a comparison has the {score} {mean} of {system!r}, not {stored}")


def _check_ranks(ranks: Mapping[str, Any], systems: Mapping[str, Any]) -> None:
    """Check that ranks are of systems, and possible for their number."""
    for score, ranked in ranks.items():
        for system, rank in ranked.items():
            if system not in systems:
                raise ValueError(f"ranks by {score!r} name {system!r}, which is not a system")
            ends = rank["rank_interval"]
            is_interval = len(ends) == 2 and 1 <= ends[0] <= ends[1] <= len(ranked)
            if not is_interval or not 1 <= rank["tier"] <= len(ranked):
                raise ValueError(f"the rank of {system!r} by {score!r} is {rank}")
