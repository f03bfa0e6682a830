"""Conventions for texts that can be read in two ways; both sides are read by the same ones."""

from dataclasses import dataclass, field
from typing import NamedTuple

from ..algebra.exact_values import Value
from .notation import Token


class Conventions(NamedTuple):
    """One choice for each form that two conventions read differently.

    >>> Conventions(applied=False).applied
    False
    """

    applied: bool = True  # h(a + b) is a function of a + b, not a product
    tight_division: bool = False  # 1/2x is 1/(2x), not (1/2) x
    common_logarithm: bool = True  # log x has the base 10, not e
    wide_argument: bool = True  # sin xy is sin(xy), not y sin x; sin x/2 is sin(x/2)
    long_exponent: bool = True  # x^12 in LaTeX is x^{12}, not x^1 2
    bare_units: bool = True  # 5 m is five metres, not five times m
    letter_order: bool = True  # AB and BA are the same product
    # Readings that are nearly always meant: if they make answers equal, these are.
    brackets_recur: bool = True  # 0.5(3) is 0.5333..., not 1.5
    short_scales: bool = True  # 18 mn is 18 millions, not 18 m n
    combinations: bool = True  # C_5^2 is a binomial coefficient, not a power
    imaginary_letter: bool = True  # in 2 + 3*I and 2 + 3j, I and j are the imaginary unit
    scientific: bool = True  # 1e-7 is a number, not 1 e - 7
    roman: bool = True  # XIV is a number, not letters
    ellipsis: bool = True  # 0.333... is 1/3, not 0.333 and more
    cycles: bool = True  # (123)(45) is a permutation, not a product


LIKELY = frozenset(
    (
        "brackets_recur combinations imaginary_letter short_scales scientific roman ellipsis cycles"
    ).split()
)
MAX_FORMS = 3  # forms with two readings that may occur in one comparison
DEFAULT = Conventions()

_VOWELS = set("aeiou")
_SHORT_WORDS = set("of an to is it as at by we so on if".split())


@dataclass
class Context:
    """How a text is read, and what was found in it."""

    conventions: Conventions = DEFAULT
    forms: set[str] = field(default_factory=set)  # conventions that mattered
    letters: set[str] = field(default_factory=set)  # that were read
    products: set[str] = field(default_factory=set)  # words of three letters or more, as products
    is_latex: bool = False
    has_digits: bool = False  # a formula with a digit or ^ has no words of the language
    plus_minus: int = 0  # the sign that ± represents; 0 where it must not occur
    values_of_letters: dict[str, Value] = field(default_factory=dict)  # letters of sums
    depth: int = 0
    has_vectors: bool = False
    has_denominator: bool = False  # with letters

    def chooses(self, form: str) -> bool:
        """Return whether a convention applies; also records that it matters for the text."""
        self.forms.add(form)
        return bool(getattr(self.conventions, form))


_PRODUCTS_OF_LETTERS = tuple("abcd kmn pqrs uvw xyz".split())


def is_product(word: str) -> bool:
    """Return whether the letters of a word are those that formulas multiply.

    >>> is_product("abc"), is_product("cup")
    (True, False)
    """
    return any(set(word.lower()) <= set(letters) for letters in _PRODUCTS_OF_LETTERS)


def is_of_language(token: Token) -> bool:
    """Return whether this is a word of the language, and not a product of letters."""
    word = token.text.lower()
    is_long = len(word) > 3 and not _VOWELS.isdisjoint(word)
    return token.is_spaced and (is_long or word in _SHORT_WORDS)
