"""Parts of an evaluation: the states of its systems and modules, in a file until they are merged.

Rows may be distributed by a job array, Ray, Dask or Beam: a process scores each part, and one
merges the files.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from ..files.stored import check_object
from ..files.stored_columns import StoredColumns
from ..numbers.domains import check_option
from ..numbers.progress import step
from ..numbers.row_digests import added
from ..results.module_results import ModuleResult, module_result
from ..results.result_checks import check_inputs
from ..results.results import Results
from ..results.signature import digest_text, provenance
from .state import State

_CONTENT = {
    "format": str,
    "states": Mapping[str, Any],
    "inputs": Sequence[Mapping[str, Any]],
    "preset": str | None,
    "rows": Mapping[str, Any],
}
_DIGESTS = 1 << 64


@dataclass
class Part(StoredColumns):
    """The states of each system and module, and the files of their rows.

    >>> one, other = (Part({"bot": {"qa_em": State("qa_em")}}) for _ in range(2))
    >>> one.states["bot"]["qa_em"].update(predictions=["Paris"], references=["paris"])
    >>> other.states["bot"]["qa_em"].update(predictions=["Rome"], references=["Oslo"])
    >>> one.merge(Part.from_bytes(other.to_bytes()))
    >>> one.results().systems["bot"]["qa_em"].scores
    {'qa_em': 0.5}
    """

    FORMAT = "metric-commons-part/5"

    states: dict[str, dict[str, State]]
    inputs: list[dict[str, Any]] = field(default_factory=list)
    preset: str | None = None  # the source of the options
    digests: dict[str, dict[str, int]] = field(default_factory=dict)  # of references and ids

    def merge(self, part: "Part", *, allow_equal_shards: bool = False) -> None:
        """Add the rows of another part, which is not changed.

        Args:
            part: the other part.
            allow_equal_shards: accept files with the same content in both parts.

        Raises:
            ValueError: it has other systems, modules or options, or both have a file with the
                same content, whatever its path.
        """
        if part is self:
            raise ValueError("a part cannot be merged into itself; its rows would count twice")
        shards = {source["sha256"]: source["path"] for source in self.inputs}
        for source in part.inputs:
            if source["sha256"] in shards and not allow_equal_shards:
                name = shards[source["sha256"]]
                alias = "" if name == source["path"] else f", there as {name}"
                raise ValueError(
                    f"the rows of {source['path']} are in both parts{alias}; if different shards "
                    "are equal, pass --allow-equal-shards"
                )
        for subject, first, second in (
            ("systems", list(self.states), list(part.states)),
            ("modules", *(list(next(iter(part.states.values()))) for part in (self, part))),
            ("a preset", [self.preset], [part.preset]),
        ):
            if sorted(map(str, first)) != sorted(map(str, second)):
                raise ValueError(
                    f"parts of different {subject} cannot be merged: {first}, {second}"
                )
        for system, states in self.states.items():
            for module, state in states.items():
                state.merge(part.states[system][module])
        self.inputs += part.inputs
        for system, digests in part.digests.items():
            self.add_digests(system, digests)

    def add_digests(self, system: str, digests: Mapping[str, int]) -> None:
        """Add digests of further rows, as `row_digest` returns them."""
        for name, digest in digests.items():
            total = self.digests.setdefault(system, {})
            total[name] = added(total.get(name, 0), digest)

    def results(self, **reporting: Any) -> Results:
        """The results of all rows.

        Args:
            **reporting: `confidence_level`, `n_resamples` and `seed`, for modules that have them.

        Raises:
            ValueError: there are no rows, or an option is not valid.
        """
        systems: dict[str, dict[str, ModuleResult]] = {system: {} for system in self.states}
        steps = [(system, name) for system, states in self.states.items() for name in states]
        for number, (system, name) in enumerate(steps):
            with step(number, len(steps)):
                systems[system][name] = _result(name, self.states[system][name], reporting)
        digests = {
            system: {name: digest_text(digest) for name, digest in columns.items()}
            for system, columns in self.digests.items()
        }
        record = provenance(self.inputs) | ({"rows": digests} if digests else {})
        return Results(systems=systems, provenance=record)

    def content(self) -> dict[str, Any]:
        """The states, and the sources of their rows."""
        states = {
            system: {module: state.content() for module, state in modules.items()}
            for system, modules in self.states.items()
        }
        return {
            "format": self.FORMAT,
            "states": states,
            "inputs": self.inputs,
            "preset": self.preset,
            "rows": self.digests,
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """The inverse of `content`, and of `to_dict`.

        Raises:
            ValueError: a state is of another version.
        """
        check_object("a part", content, _CONTENT)
        states = {
            system: {module: _state(system, module, state) for module, state in modules.items()}
            for system, modules in content["states"].items()
        }
        _check_provenance(content, states)
        return cls(states, content["inputs"], content["preset"], content["rows"])


def _state(system: str, module: str, content: Mapping[str, Any]) -> State:
    """The state of a module; errors name the system."""
    try:
        stored_module = content.get("module", module) if isinstance(content, Mapping) else module
        if stored_module != module:
            raise ValueError(f"the state of {module} is one of {stored_module}")
        state = State.from_dict(content)
    except ValueError as error:
        raise ValueError(f"system {system!r}: {error}") from error
    return state


def _check_provenance(
    content: Mapping[str, Any], states: Mapping[str, Mapping[str, State]]
) -> None:
    """Check the files of a part and the digests of its rows."""
    modules = {tuple(sorted(of_system)) for of_system in states.values()}
    if len(modules) != 1 or modules == {()}:
        raise ValueError("the systems of a part have different modules, or there are none")
    check_inputs(content["inputs"])
    for system, digests in content["rows"].items():
        if system not in states:
            raise ValueError(f"rows are of system {system!r}, which has no states")
        check_option(f"rows of {system!r}", digests, Mapping[str, Any])
        for name, digest in digests.items():
            if type(digest) is not int or not 0 <= digest < _DIGESTS:
                raise ValueError(f"the digest of {name!r} is {digest!r}, not an integer of 64 bits")


def _result(module: str, state: State, reporting: Mapping[str, Any]) -> ModuleResult:
    requested = {"conventions": True, **reporting}
    module_options = {
        name: value for name, value in requested.items() if name in state.metric.options
    }
    return module_result(
        module,
        state.metric,
        state.result(**module_options),
        rows=len(state),
        options={name: state.metric.options[name] for name in state.options},
        reported=module_options,
        counts=state.counts(),
    )
