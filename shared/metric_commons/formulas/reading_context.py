"""How a text is read: by which conventions, and what was met in it."""

from dataclasses import dataclass, field

from ..algebra.exact_values import Value
from .conventions import DEFAULT, Conventions
from .notation import Token

_VOWELS = set("aeiou")


@dataclass
class Context:
    """How a text is read, and what was met in it."""

    conventions: Conventions = DEFAULT
    forms: set[str] = field(default_factory=set)  # conventions that made a difference
    is_latex: bool = False
    has_digits: bool = False  # a formula with a digit or ^ has no words of the language
    plus_minus: int = 1  # the sign that ± stands for
    bound: dict[str, Value] = field(default_factory=dict)  # letters of sums
    depth: int = 0
    has_vectors: bool = False

    def chooses(self, form: str) -> bool:
        """Whether a convention holds; the text is recorded as one that it matters for."""
        self.forms.add(form)
        return bool(getattr(self.conventions, form))


def is_of_language(token: Token) -> bool:
    """Whether a word is one of the language, and not a product of letters."""
    word = token.text
    return token.is_spaced and len(word) > 3 and not _VOWELS.isdisjoint(word.lower())
