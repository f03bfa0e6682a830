"""A response in the form that checks read, and its variants for loose scores."""

from collections.abc import Callable
from functools import cached_property

from ..tokens.treebank_words import treebank_words
from .punkt import sentence_count, sentence_spans
from .response_languages import LanguageFunction


class Response:
    """A text, and facts about it that several checks may need; each is computed once."""

    def __init__(self, text: str, language_of: LanguageFunction) -> None:
        self.text = text
        self._language_of = language_of

    @cached_property
    def language(self) -> str | None:
        """Return the code of its language; None if it has none."""
        return self._language_of(self.text)

    @cached_property
    def sentences(self) -> int:
        """Return the number of sentences."""
        return sentence_count(self.text)

    @cached_property
    def capital_words(self) -> int:
        """Return the number of tokens in capital letters."""
        return capital_words(self.text)


Check = Callable[[Response], bool]
"""Whether a response that is not blank follows an instruction."""


def loose_variants(text: str) -> list[str]:
    r"""Return the distinct texts for loose scores: one of them has to follow an instruction.

    They are the response, the response without its first line, its last line, or both, and all of
    these without asterisks. If lines are removed, so is white space at both ends; blank texts are
    left out.

    >>> loose_variants("Sure!\n*one*")
    ['Sure!\n*one*', '*one*', 'Sure!', 'Sure!\none', 'one']
    """
    lines = text.split("\n")
    shorter = [lines[1:], lines[:-1], lines[1:-1]]
    variants = [text, *("\n".join(part).strip() for part in shorter)]
    without_asterisks = [variant.replace("*", "") for variant in variants]
    return [
        variant for variant in dict.fromkeys([*variants, *without_asterisks]) if variant.strip()
    ]


def capital_words(text: str) -> int:
    """Return the number of tokens whose letters are all capitals, and that have a letter.

    Contractions are divided, so DON'T is DO and N'T, and CANNOT is CAN and NOT.

    >>> capital_words("I DON'T like GPT-4."), capital_words("123")
    (4, 0)
    """
    sentences = (text[start:end] for start, end in sentence_spans(text))
    # Tokens consist of the characters of their sentence.
    return sum(
        sum(map(str.isupper, treebank_words(sentence, before_3_10=True)))
        for sentence in sentences
        if any(map(str.isupper, sentence))
    )
