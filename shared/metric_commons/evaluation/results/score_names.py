"""Names of scores in commands, files and calls: `score` or `module.score`."""

from collections.abc import Iterable, Mapping

from ...statistics.arguments.checks import nearest
from .module_results import ModuleResult


def find_scores(
    names: Iterable[str], systems: Mapping[str, Mapping[str, ModuleResult]]
) -> set[tuple[str, str]]:
    """Return the pairs of module and score with these names.

    Raises:
        ValueError: no system has a score of one of the names.
    """
    keys: dict[str, set[tuple[str, str]]] = {}
    for results in systems.values():
        for module, result in results.items():
            for score in result.scores:
                keys.setdefault(score, set()).add((module, score))
                keys[f"{module}.{score}"] = {(module, score)}
    selection = set()
    for name in names:
        if name not in keys:
            scores = list(dict.fromkeys(score for key in keys.values() for _, score in key))
            hint = nearest(name, keys) or f"; there are {', '.join(scores) or 'none'}"
            raise ValueError(f"there is no score {name!r}{hint}")
        selection |= keys[name]
    return selection


def find_score(name: str, systems: Mapping[str, Mapping[str, ModuleResult]]) -> tuple[str, str]:
    """Return the module and score with this name.

    Raises:
        ValueError: no system has this score, or several modules have one of this name.
    """
    candidates = sorted(find_scores([name], systems))
    if len(candidates) > 1:
        listed = ", ".join(f"{module}.{score}" for module, score in candidates)
        raise ValueError(f"score {name!r} is in several modules: {listed}")
    return candidates[0]
