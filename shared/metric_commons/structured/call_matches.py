"""Whether predicted calls match expected ones, and how many pairs can be formed.

Each call is first converted once to a form: the keys of its arguments, under the options for
equality. A row then only compares forms.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import fsum
from typing import Any, Literal, NamedTuple

import numpy as np

from ..statistics.arguments.arrays import Floats, Integers
from .assignments import best_ordered_total, best_total, common_subsequence, most_pairs
from .bfcl_answers import bfcl_arguments
from .json_equality import Equality
from .python_calls import Call
from .tool_declarations import DeclaredTool, Toolbox

CallMatch = Literal["any_order", "same_order", "in_order", "superset", "subset"]
ArgumentMatch = Literal["equal", "superset", "subset", "ignore", "bfcl"]
Dots = Literal["keep", "underscore"]

_IN_ORDER = ("same_order", "in_order")
_NO_TOOL = DeclaredTool({}, [])
_MANY_PAIRS = 1_024
_FEW_PAIRS = 64  # that are compared one by one


class Form(NamedTuple):
    """A call in the form in which it is compared."""

    name: str
    arguments: Mapping[str, Any]  # the form of each; for alternatives all of their forms
    key: Hashable  # equal calls have equal keys, if keys suffice
    optional: frozenset[str] = frozenset()  # expected arguments that may be left out
    tool: DeclaredTool = _NO_TOOL


_Weights = tuple[Sequence[int], Floats | list[float]]  # positions of calls, and a weight for each


class MatchCounts(NamedTuple):
    """The scores of a row."""

    exact_match: float
    name_match: float
    partial_match: float
    pairs: int


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
    is_plain: bool = False  # whether arguments are compared as Python compares them

    def plain(self) -> "CallComparison | None":
        """Return the comparison of rows with few calls, without booleans.

        None if options forbid it.
        """
        is_default = self == CallComparison(Equality(str), match=self.match)
        return replace(self, is_plain=True) if is_default else None

    @cached_property
    def has_keys(self) -> bool:
        """Return whether calls fit if and only if their keys are equal."""
        if self.arguments == "ignore":
            return True
        return self.arguments == "equal" and not self.alternatives and self.equality.is_transitive

    def predicted_form(self, call: Call, tools: Toolbox) -> Form:
        """Return the form of a predicted call."""
        if self.is_plain:
            return Form(*call, call)
        name, arguments = self._prepared(call, tools)
        if self.arguments == "ignore":
            return Form(name, {}, name)
        if self.arguments == "bfcl":
            return Form(name, arguments, name)
        forms = {key: self.equality.forms(value) for key, value in arguments.items()}
        return Form(name, forms, self._key(name, forms))

    def expected_form(self, call: Call, tools: Toolbox) -> Form:
        """Return the form of an expected call."""
        if self.is_plain:
            return Form(*call, call)
        name, arguments = self._prepared(call, tools, is_expected=True)
        if self.arguments == "ignore":
            return Form(name, {}, name)
        if self.arguments == "bfcl":
            return Form(name, arguments, name, tool=tools[call.name])
        if not self.alternatives:
            forms = {key: self.equality.forms(value) for key, value in arguments.items()}
            return Form(name, forms, self._key(name, forms))
        options = {
            key: [self.equality.forms(value) for value in values]
            for key, values in arguments.items()
        }
        optional = frozenset(key for key, values in arguments.items() if "" in values)
        return Form(name, options, name, optional)

    def _prepared(
        self, call: Call, tools: Toolbox, *, is_expected: bool = False
    ) -> tuple[str, Mapping[str, Any]]:
        """Return the name and the arguments that count, with declared defaults if requested."""
        name = call.name.replace(".", "_") if self.dots == "underscore" else call.name
        arguments: dict[str, Any] = call.arguments
        if self.arguments == "bfcl":
            return name, arguments
        if self.ignore_arguments:
            arguments = {
                key: value for key, value in arguments.items() if key not in self.ignore_arguments
            }
        if self.defaults and call.name in tools:
            arguments = dict(arguments)
            for key, schema in tools[call.name].properties.items():
                if "default" in schema and key not in self.ignore_arguments:
                    default = schema["default"]
                    as_options = is_expected and self.alternatives
                    arguments.setdefault(key, [default, ""] if as_options else default)
        return name, arguments

    def _key(self, name: str, forms: Mapping[str, Any]) -> Hashable:
        return (name, frozenset(forms.items())) if self.has_keys else name

    # ---- one call against another ---------------------------------------------------------------

    def proportion(self, predicted: Form, expected: Form) -> float:
        """Return the proportion of right arguments among those that count; 1 if there are none."""
        if predicted.name != expected.name:
            return 0.0
        right, arguments = self._right(predicted, expected)
        return right / arguments if arguments else 1.0

    def _right(self, predicted: Form, expected: Form) -> tuple[int, int]:
        """Return the right arguments, and all that count; an accepted absence counts in neither."""
        if self.arguments == "bfcl":
            return bfcl_arguments(expected.tool, predicted.arguments, expected.arguments)
        right = common = absent = 0
        for name, target in expected.arguments.items():
            if name in predicted.arguments:
                common += 1
                right += self._value_fits(predicted.arguments[name], target)
            elif name in expected.optional:
                absent += 1
        if self.arguments == "superset":
            return right, len(expected.arguments) - absent
        if self.arguments == "subset":
            return right, len(predicted.arguments)
        size = len(predicted.arguments) + len(expected.arguments) - common - absent
        return right, size

    def _value_fits(self, value: Any, target: Any) -> bool:
        compare = self.equality.compare
        if not self.alternatives:
            return compare(value, target)
        return any(compare(value, option) for option in target)

    # ---- all calls of a row ---------------------------------------------------------------------

    def takes_few(self, predicted: Sequence[Call], expected: Sequence[Call]) -> bool:
        """Whether a plain comparison can be used for these calls, which are compared one by one."""
        return len(predicted) * len(expected) <= _FEW_PAIRS

    def counts(self, predicted: Sequence[Form], expected: Sequence[Form]) -> MatchCounts:
        """Return the scores of a row whose prediction could be read."""
        weights = None if self.has_keys else self._weights(predicted, expected)
        pairs, exact = self._matched(predicted, expected, "key", weights)
        if exact and pairs == len(expected) == len(predicted):
            name_match = True
        else:
            _, name_match = self._matched(predicted, expected, "name", None)
        partial = self._partial(predicted, expected, pairs, weights)
        return MatchCounts(float(exact), float(name_match), partial, pairs)

    def _matched(
        self,
        predicted: Sequence[Form],
        expected: Sequence[Form],
        key: str,
        weights: list[_Weights] | None,
    ) -> tuple[int, bool]:
        """Return the number of pairs, and whether the row is right by `match`.

        Args:
            predicted: the calls.
            expected: those expected.
            key: the field whose equality decides whether two calls fit.
            weights: those of `_weights`, if these decide instead: calls fit if all is right.
        """
        if weights is None:
            keys, target = ([getattr(form, key) for form in side] for side in (predicted, expected))
            if keys == target:  # the usual case of a right row
                return len(target), True
            if self.match not in _IN_ORDER:
                pairs = _common(keys, target)
                return pairs, self._is_right(pairs, len(keys), len(target))
            table = _equal_keys(predicted, expected, key)
        else:
            table = [
                [column for column, weight in zip(columns, row, strict=True) if weight == 1]
                for columns, row in weights
            ]
        if self.match not in _IN_ORDER:
            pairs = most_pairs(table)
            return pairs, self._is_right(pairs, len(predicted), len(expected))
        pairs = common_subsequence(table, len(expected))
        return pairs, self._is_right(pairs, len(predicted), len(expected))

    def _is_right(self, pairs: int, predicted: int, expected: int) -> bool:
        # Two sequences of one length have all calls in common only if they are equal pair by pair.
        if self.match in ("any_order", "same_order"):
            return pairs == predicted == expected
        return pairs == (predicted if self.match == "subset" else expected)

    def _partial(
        self,
        predicted: Sequence[Form],
        expected: Sequence[Form],
        pairs: int,
        weights: list[_Weights] | None,
    ) -> float:
        """Return the best sum of proportions of right arguments, over the longer of both sides."""
        if not predicted or not expected:
            return float(not predicted and not expected)
        longer = max(len(predicted), len(expected))
        if pairs == min(len(predicted), len(expected)):  # each of these pairs has all right
            return pairs / longer
        if self.match in _IN_ORDER:
            weights = weights or self._weights(predicted, expected)
            return best_ordered_total(_rows(weights, len(expected)), len(expected)) / longer
        equal_pairs = 0
        if self.has_keys and pairs:
            # No assignment is better than one with all pairs of equal calls: 1 less the proportion
            # is a distance, so that partners p and q of an equal pair have at most 1 + p's with q.
            predicted, expected = _without_equal_pairs(predicted, expected)
            equal_pairs = pairs
        if len(predicted) == len(expected) == 1:
            return (equal_pairs + self.proportion(predicted[0], expected[0])) / longer
        weights = weights or self._weights(predicted, expected)
        # Calls with other names share nothing, so each name has a table of its own.
        totals = [
            best_total(np.array([weights[row][1] for row in rows]))
            for rows in _positions(predicted).values()
            if weights[rows[0]][0]
        ]
        return (equal_pairs + fsum(totals)) / longer

    def _weights(self, predicted: Sequence[Form], expected: Sequence[Form]) -> list[_Weights]:
        """For each predicted call the positions of the calls of its name, and its proportions."""
        columns = _positions(expected)
        codes = {}
        if len(predicted) * len(expected) > _MANY_PAIRS and self._has_codes:
            codes = {
                name: _ArgumentCodes([expected[column] for column in positions])
                for name, positions in columns.items()
                if len(positions) > 1
            }
        weights: list[_Weights] = []
        for form in predicted:
            positions = columns.get(form.name, [])
            if form.name in codes:
                weights.append((positions, codes[form.name].proportions(form, self.arguments)))
            else:
                weights.append(
                    (positions, [self.proportion(form, expected[column]) for column in positions])
                )
        return weights

    @property
    def _has_codes(self) -> bool:
        is_plain = self.arguments in ("equal", "superset", "subset") and not self.alternatives
        return is_plain and self.equality.is_transitive


class _ArgumentCodes:
    """The arguments of many calls as integers, which are compared with another call at once."""

    def __init__(self, expected: Sequence[Form]) -> None:
        self._numbers: dict[tuple[str, Hashable], int] = {}  # of a name with a form
        self._columns: dict[str, Integers] = {}  # for each name the numbers, -1 without it
        self._sizes = np.array([len(form.arguments) for form in expected])
        for row, form in enumerate(expected):
            for name, value in form.arguments.items():
                number = self._numbers.setdefault((name, value), len(self._numbers))
                if name not in self._columns:
                    self._columns[name] = np.full(len(expected), -1)
                self._columns[name][row] = number

    def proportions(self, predicted: Form, arguments: ArgumentMatch) -> Floats:
        """As `CallComparison.proportion`, with each of the calls."""
        right, common = np.zeros(len(self._sizes)), np.zeros(len(self._sizes))
        for name, value in predicted.arguments.items():
            column = self._columns.get(name)
            if column is not None:
                common += column >= 0
                right += column == self._numbers.get((name, value), -2)
        size = len(predicted.arguments)
        sizes = {
            "superset": self._sizes,
            "subset": np.full(len(self._sizes), size),
            "equal": size + self._sizes - common,
        }[arguments]
        proportions: Floats = np.ones(len(self._sizes))
        np.divide(right, sizes, out=proportions, where=sizes > 0)
        return proportions


def _without_equal_pairs(
    predicted: Sequence[Form], expected: Sequence[Form]
) -> tuple[list[Form], list[Form]]:
    """Return the calls that remain after equal ones have been paired."""
    if len(predicted) * len(expected) <= _FEW_PAIRS:
        unpaired, targets = [], list(expected)
        for form in predicted:
            for position, target in enumerate(targets):
                if form.key == target.key:
                    del targets[position]
                    break
            else:
                unpaired.append(form)
        return unpaired, targets
    pairs = Counter(form.key for form in predicted) & Counter(form.key for form in expected)
    sides = []
    for side in (predicted, expected):
        paired = Counter(pairs)
        remaining = []
        for form in side:
            if paired[form.key]:
                paired[form.key] -= 1
            else:
                remaining.append(form)
        sides.append(remaining)
    return sides[0], sides[1]


def _common(keys: Sequence[Any], targets: Sequence[Any]) -> int:
    """Return the number of pairs of equal keys, each paired once.

    Those of few calls may be unhashable.

    >>> _common(["a", "a", "b"], ["a", "c", "a"])
    2
    """
    if len(keys) * len(targets) > _FEW_PAIRS:
        return (Counter(keys) & Counter(targets)).total()
    unpaired = list(targets)
    for key in keys:
        if key in unpaired:
            unpaired.remove(key)
    return len(targets) - len(unpaired)


def _rows(weights: Iterable[_Weights], length: int) -> Iterator[Floats]:
    """Yield the weights of each predicted call with all expected calls, 0 with other names."""
    for columns, values in weights:
        row = np.zeros(length)
        row[columns] = values
        yield row


def _positions(forms: Sequence[Form]) -> dict[str, list[int]]:
    """Return the positions of the calls of each name."""
    positions: dict[str, list[int]] = {}
    for position, form in enumerate(forms):
        positions.setdefault(form.name, []).append(position)
    return positions


def _equal_keys(predicted: Sequence[Form], expected: Sequence[Form], key: str) -> list[list[int]]:
    """For each predicted call the positions of the expected calls with the same key."""
    if len(predicted) * len(expected) <= _FEW_PAIRS:
        keys = [getattr(form, key) for form in expected]
        return [
            [position for position, target in enumerate(keys) if getattr(form, key) == target]
            for form in predicted
        ]
    positions: dict[Hashable, list[int]] = {}
    for position, form in enumerate(expected):
        positions.setdefault(getattr(form, key), []).append(position)
    return [positions.get(getattr(form, key), []) for form in predicted]
