"""The calls of a row compared with the expected ones: equal calls, and the best pairs of others."""

import math
import operator
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from ..statistics.arguments.arrays import Floats
from .assignments import (
    best_ordered_total,
    best_total,
    common_subsequence,
    equal_pairs,
    most_pairs,
)
from .bfcl_answers import bfcl_arguments
from .json_equality import Equality
from .python_calls import Call
from .tool_declarations import DeclaredTool, Toolbox

CallMatch = Literal["any_order", "same_order", "in_order", "superset", "subset"]
ArgumentMatch = Literal["equal", "superset", "subset", "ignore", "bfcl"]
Dots = Literal["keep", "underscore"]

IN_ORDER = ("same_order", "in_order")
_NO_TOOL = DeclaredTool({}, [])


class MatchCounts(NamedTuple):
    """The scores of a row."""

    exact_match: float
    name_match: float
    partial_match: float
    pairs: int


class Form(NamedTuple):
    """A call in the form in which it is compared."""

    name: str
    arguments: Mapping[str, Any]  # the form of each; for alternatives all of their forms
    key: Any  # equal calls have equal keys, if keys suffice
    optional: frozenset[str] = frozenset()  # expected arguments that may be left out
    tool: DeclaredTool = _NO_TOOL


_Weights = tuple[Sequence[int], Sequence[float]]  # positions of calls, and their weights


@dataclass(frozen=True)
class CallComparison:
    """How predicted calls are compared with expected ones, by the options of `tool_calls`."""

    equality: Equality
    match: CallMatch = "any_order"
    arguments: ArgumentMatch = "equal"
    alternatives: bool = False
    defaults: bool = False
    ignore_arguments: frozenset[str] = field(default_factory=frozenset)
    dots: Dots = "keep"

    @cached_property
    def has_keys(self) -> bool:
        """Return whether calls fit if and only if their keys are equal."""
        if self.arguments == "ignore":
            return True
        return self.arguments == "equal" and not self.alternatives and self.equality.is_transitive

    def counts(
        self, predicted_calls: Sequence[Call], expected_calls: Sequence[Call], tools: Toolbox
    ) -> MatchCounts:
        """Return the scores of a row whose prediction could be read."""
        predicted = [self._form(call, tools) for call in predicted_calls]
        expected = [self._form(call, tools, is_expected=True) for call in expected_calls]
        sizes = len(predicted), len(expected)
        keys = targets = weights = None
        if self.has_keys:
            keys, targets = ([form.key for form in side] for side in (predicted, expected))
            pairs = self._equal_pairs(keys, targets)
        else:
            weights = self._weights(predicted, expected)
            fits = [
                [column for column, weight in zip(*row, strict=True) if weight == 1]
                for row in weights
            ]
            in_order = self.match in IN_ORDER
            pairs = common_subsequence(fits, sizes[1]) if in_order else most_pairs(fits)
        is_exact = self._is_right(pairs, *sizes)
        names = ([form.name for form in side] for side in (predicted, expected))
        is_named = self._is_right(self._equal_pairs(*names), *sizes)
        if not all(sizes):
            partial = float(sizes == (0, 0))
        elif self.match in IN_ORDER:
            weights = weights or self._weights(predicted, expected)
            partial = best_ordered_total(_table(weights, sizes[1]), sizes[1]) / max(sizes)
        else:
            paired = 0
            if keys is not None and targets is not None and pairs:
                # No assignment is better than one with all pairs of equal calls: 1 less the
                # proportion is a distance, so that partners p and q of an equal pair have at most
                # 1 + p's with q.
                rows, columns = map(set, zip(*equal_pairs(keys, targets), strict=True))
                predicted = [form for row, form in enumerate(predicted) if row not in rows]
                expected = [form for row, form in enumerate(expected) if row not in columns]
                paired = pairs
            weights = weights or self._weights(predicted, expected)
            # Calls with other names share nothing, so each name has a table of its own.
            totals = [
                best_total([weights[row][1] for row in rows])
                for rows in _positions([form.name] for form in predicted).values()
                if weights[rows[0]][0]
            ]
            partial = (paired + math.fsum(totals)) / max(sizes)
        return MatchCounts(float(is_exact), float(is_named), partial, pairs)

    def _form(self, call: Call, tools: Toolbox, *, is_expected: bool = False) -> Form:
        """Return the form of a call, with declared defaults if requested."""
        name = call.name.replace(".", "_") if self.dots == "underscore" else call.name
        arguments = call.arguments
        if self.arguments == "ignore":
            return Form(name, {}, name)
        if self.arguments == "bfcl":
            return Form(name, arguments, name, tool=tools[call.name] if is_expected else _NO_TOOL)
        ignored = self.ignore_arguments
        if ignored:
            arguments = {key: value for key, value in arguments.items() if key not in ignored}
        has_options = is_expected and self.alternatives
        if self.defaults and call.name in tools:
            arguments = dict(arguments)
            for key, schema in tools[call.name].properties.items():
                if "default" in schema and key not in ignored:
                    default = schema["default"]
                    arguments.setdefault(key, [default, ""] if has_options else default)
        # Keys are compared, or values themselves if equality has no keys.
        form = self.equality.key if self.equality.is_transitive else lambda value: value
        if has_options:
            options = {key: list(map(form, values)) for key, values in arguments.items()}
            optional = frozenset(key for key, values in arguments.items() if "" in values)
            return Form(name, options, name, optional)
        forms = {key: form(value) for key, value in arguments.items()}
        return Form(name, forms, (name, frozenset(forms.items())) if self.has_keys else name)

    def _proportion(self, predicted: Form, expected: Form) -> float:
        """Return the proportion of right arguments among those that count; 1 if there are none."""
        if predicted.name != expected.name:
            return 0.0
        right, arguments = self._right(predicted, expected)
        return right / arguments if arguments else 1.0

    def _right(self, predicted: Form, expected: Form) -> tuple[int, int]:
        """Return the right arguments, and all that count; an accepted absence counts in neither."""
        if self.arguments == "bfcl":
            return bfcl_arguments(expected.tool, predicted.arguments, expected.arguments)
        compare = operator.eq if self.equality.is_transitive else self.equality
        right = common = absent = 0
        for name, target in expected.arguments.items():
            if name in predicted.arguments:
                common += 1
                value = predicted.arguments[name]
                if self.alternatives:
                    right += any(compare(value, option) for option in target)
                else:
                    right += compare(value, target)
            elif name in expected.optional:
                absent += 1
        if self.arguments == "superset":
            return right, len(expected.arguments) - absent
        if self.arguments == "subset":
            return right, len(predicted.arguments)
        size = len(predicted.arguments) + len(expected.arguments) - common - absent
        return right, size

    def _weights(self, predicted: Sequence[Form], expected: Sequence[Form]) -> list[_Weights]:
        """Return for each predicted call the calls of its name, and its proportion with each."""
        columns = _positions([form.name] for form in expected)
        # Of many calls few share an argument, and without one the proportion is 0.
        sharing = _positions(map(_parts, expected)) if self.has_keys else {}
        weights: list[_Weights] = []
        for form in predicted:
            proportions = dict.fromkeys(columns.get(form.name, []), 0.0)
            near = list(proportions)
            if self.has_keys and form.arguments:
                near = list({row for part in _parts(form) for row in sharing.get(part, ())})
            for row in near:
                proportions[row] = self._proportion(form, expected[row])
            weights.append((list(proportions), list(proportions.values())))
        return weights

    def _equal_pairs(self, keys: list[Any], targets: list[Any]) -> int:
        """Return the largest number of pairs of equal keys, in order if that matters."""
        if keys == targets:  # the usual case of a right row
            return len(keys)
        if self.match in IN_ORDER:
            positions = _positions([key] for key in targets)
            return common_subsequence([positions.get(key, []) for key in keys], len(targets))
        return len(equal_pairs(keys, targets))

    def _is_right(self, pairs: int, predicted: int, expected: int) -> bool:
        # Two sequences of one length have all calls in common only if they are equal pair by pair.
        if self.match in ("any_order", "same_order"):
            return pairs == predicted == expected
        return pairs == (predicted if self.match == "subset" else expected)


def _parts(form: Form) -> list[Hashable]:
    """Return the arguments of a call, with its name."""
    return [(form.name, *item) for item in form.arguments.items()]


def _positions(keys: Iterable[Iterable[Hashable]]) -> dict[Any, list[int]]:
    """Return the positions of the lists that hold each key."""
    positions: dict[Any, list[int]] = {}
    for position, inner in enumerate(keys):
        for key in inner:
            positions.setdefault(key, []).append(position)
    return positions


def _table(weights: Iterable[_Weights], length: int) -> Iterator[Floats]:
    """Yield the weights of each predicted call with all expected calls, 0 with other names."""
    for columns, values in weights:
        row = np.zeros(length)
        row[columns] = values
        yield row
