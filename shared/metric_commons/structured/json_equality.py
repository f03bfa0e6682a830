"""Equality of JSON values, under the options of tool calls and of JSON answers.

Python's own equality treats True as 1, so booleans are compared separately. Without a tolerance
equality is transitive: each value has a key, and values are equal if and only if their keys are.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import repeat
from typing import Annotated, Any, Literal

from ..statistics.arguments.domains import OneOf
from ..text.tokens.normalizers import NORMALIZERS, normalizer_function
from .assignments import most_pairs
from .json_texts import read_json

Types = Literal["json", "strict", "loose"]
ListOrder = Literal["ordered", "any"]

_BFCL_MARKS = re.compile(r"[ ,./\-_*^]")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
# Represent booleans in keys, where True would equal 1.
_TRUE, _FALSE = ("boolean", "true"), ("boolean", "false")


def bfcl_spelling(text: str) -> str:
    """Return a text as BFCL compares it: lower case, without blanks and `,./-_*^`, " for '.

    >>> bfcl_spelling("New-York, N.Y."), bfcl_spelling("it's")
    ('newyorkny', 'it"s')
    """
    return _BFCL_MARKS.sub("", text).lower().replace("'", '"')


VALUE_NORMALIZERS: dict[str, Callable[[str], str]] = {**NORMALIZERS, "bfcl": bfcl_spelling}
ValueNormalizer = Annotated[str, OneOf(VALUE_NORMALIZERS)] | Callable[[str], str]


def value_normalizer(normalizer: ValueNormalizer) -> Callable[[str], str]:
    """Return the function for a name in `VALUE_NORMALIZERS`, or the caller's own function."""
    return normalizer_function(normalizer, VALUE_NORMALIZERS)


@dataclass(frozen=True)
class Equality:
    """How a predicted value is compared with an expected one.

    Args:
        normalize: applied to texts before they are compared.
        types: "json": 1 is 1.0; "strict": it is not; "loose": a text that is a JSON number, true,
            false or null is that value.
        rel_tol: the tolerance of numbers, relative to the expected one.
        abs_tol: the absolute tolerance of numbers.
        list_order: whether lists are equal in any order of their items.

    >>> equality = Equality(str)
    >>> equality(1, 1.0), equality(True, 1), equality({"a": [None]}, {"a": [None]})
    (True, False, True)
    >>> Equality(str, rel_tol=0.1)(91, 100)
    True
    """

    normalize: Callable[[str], str] = str
    types: Types = "json"
    rel_tol: float = 0.0
    abs_tol: float = 0.0
    list_order: ListOrder = "ordered"

    @cached_property
    def is_transitive(self) -> bool:
        """Return whether values have keys; with a tolerance 1 and 3 may equal 2, not each other."""
        return not (self.rel_tol > 0 or self.abs_tol > 0)

    def scalar(self, value: Any) -> Any:
        """Return a scalar as interpreted under `types`.

        >>> Equality(str, types="loose").scalar(" 1e2"), Equality(str, types="loose").scalar("01")
        (100.0, '01')
        """
        if self.types == "loose" and isinstance(value, str):
            text = value.strip()
            if _NUMBER.fullmatch(text):
                try:
                    return read_json(text)
                except ValueError:  # an integer with too many digits
                    return value
            return _WORDS.get(text.lower(), value)
        return value

    def scalar_key(self, value: Any) -> Hashable:
        """Return the key of a scalar."""
        if self.types == "loose":
            value = self.scalar(value)
        if isinstance(value, str):
            return self.normalize(value)
        if value is True:
            return _TRUE
        if value is False:
            return _FALSE
        if self.types == "strict" and value is not None:
            return type(value), value
        return value  # type: ignore[no-any-return] # a number or None

    def key(self, value: Any, cache: dict[int, Hashable] | None = None) -> Hashable:
        """Return the key of a value, if equality is transitive.

        Args:
            value: the value.
            cache: keys of lists and objects, by their identity; new ones are added.

        >>> Equality(str).key({"a": [1, True]}) == Equality(str).key({"a": [1.0, True]})
        True
        """
        if not isinstance(value, dict | list | tuple):
            return self.scalar_key(value)
        if cache is not None and id(value) in cache:
            return cache[id(value)]
        key: Hashable
        if isinstance(value, dict):
            keys = map(self.key, value.values(), repeat(cache))
            key = "object", frozenset(zip(value, keys, strict=True))
        elif self.list_order == "ordered" or not value:
            key = "list", tuple(map(self.key, value, repeat(cache)))
        else:
            key = "items", frozenset(Counter(map(self.key, value, repeat(cache))).items())
        if cache is not None:
            cache[id(value)] = key
        return key

    def __call__(self, predicted: Any, expected: Any) -> bool:
        """Return whether the values are equal."""
        if self.is_transitive:
            return self.key(predicted) == self.key(expected)
        if isinstance(predicted, dict) and isinstance(expected, dict):
            return predicted.keys() == expected.keys() and all(
                self(value, expected[key]) for key, value in predicted.items()
            )
        if isinstance(predicted, list | tuple) and isinstance(expected, list | tuple):
            return len(predicted) == len(expected) and self._lists(predicted, expected)
        if isinstance(predicted, dict | list | tuple) or isinstance(expected, dict | list | tuple):
            return False
        return self.scalars(predicted, expected)

    def _lists(self, predicted: Sequence[Any], expected: Sequence[Any]) -> bool:
        if self.list_order == "ordered":
            return all(map(self, predicted, expected))
        fits: list[list[int]] = []
        for value in predicted:
            fits.append([])
            for position, target in enumerate(expected):
                if self(value, target):
                    fits[-1].append(position)
        return most_pairs(fits) == len(expected)

    def scalars(self, predicted: Any, expected: Any) -> bool:
        """Return whether a predicted scalar equals an expected one."""
        if self.is_transitive:
            return self.scalar_key(predicted) == self.scalar_key(expected)
        predicted, expected = self.scalar(predicted), self.scalar(expected)
        if not (_is_number(predicted) and _is_number(expected)):
            return self.scalar_key(predicted) == self.scalar_key(expected)
        if self.types == "strict" and type(predicted) is not type(expected):
            return False
        return bool(predicted == expected) or self._is_close(predicted, expected)

    def _is_close(self, predicted: float, expected: float) -> bool:
        if math.inf in (abs(predicted), abs(expected)):
            return False
        try:
            return bool(
                abs(predicted - expected) <= max(self.abs_tol, self.rel_tol * abs(expected))
            )
        except OverflowError:  # integers beyond the range of floats
            distance = abs(Fraction(predicted) - Fraction(expected))
            share = Fraction(self.rel_tol) * abs(Fraction(expected))
            return distance <= max(Fraction(self.abs_tol), share)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
