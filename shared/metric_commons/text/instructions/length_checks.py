"""Checks of the numbers of sentences, words and paragraphs of a response."""

import re
from itertools import takewhile

from .instruction_arguments import Number, Relation, Text, fulfills
from .responses import Check, Response

_DIVIDER = re.compile(r"\s?\*\*\*\s?")
_WORD = re.compile(r"\w+")

_WORD_ENDS = frozenset(".,?!'\"")
# Corrected: markup and typographic quotes around the first word, and other marks after it.
_MARKUP = "*_“‘\"'"
_MARKUP_ENDS = _WORD_ENDS | frozenset(":;*_”’")


def counts_sentences(num_sentences: Number, relation: Relation) -> Check:
    """Return the number of sentences, see `punkt`."""
    return lambda response: fulfills(response.sentences, num_sentences, relation)


def counts_words(num_words: Number, relation: Relation) -> Check:
    r"""Return the number of runs of letters, digits and underscores: `don't` has two."""
    return lambda response: fulfills(len(_WORD.findall(response.text)), num_words, relation)


def counts_paragraphs(num_paragraphs: Number) -> Check:
    """Return the exact number of paragraphs between dividers of three asterisks.

    An empty part at either end does not count; an empty part between two dividers is a failure.
    """

    def check(response: Response) -> bool:
        filled = [bool(part.strip()) for part in _DIVIDER.split(response.text)]
        return all(filled[1:-1]) and sum(filled) == num_paragraphs

    return check


def starts_paragraph(num_paragraphs: Number, nth_paragraph: Number, first_word: Text) -> Check:
    """IFEval: the number of paragraphs between blank lines, and the first word of one of them.

    Empty paragraphs are not counted, but the position of the paragraph includes them.
    """

    def check(response: Response) -> bool:
        paragraphs = response.text.split("\n\n")
        filled = [paragraph for paragraph in paragraphs if paragraph.strip()]
        if len(filled) != num_paragraphs:
            return False
        paragraph = paragraphs[int(nth_paragraph) - 1].strip()
        if not paragraph:
            return False
        word = paragraph.split(maxsplit=1)[0].lstrip("'").lstrip('"')
        return _up_to(word, _WORD_ENDS) == first_word.lower()

    return check


def starts_filled_paragraph(
    num_paragraphs: Number, nth_paragraph: Number, first_word: Text
) -> Check:
    """Corrected: the position excludes empty paragraphs, and the word excludes markup."""

    def check(response: Response) -> bool:
        filled = [paragraph for paragraph in response.text.split("\n\n") if paragraph.strip()]
        if len(filled) != num_paragraphs:
            return False
        word = filled[int(nth_paragraph) - 1].split(maxsplit=1)[0].lstrip(_MARKUP)
        return _up_to(word, _MARKUP_ENDS) == first_word.lower()

    return check


def _up_to(word: str, ends: frozenset[str]) -> str:
    """Return the beginning of a word, in lower case, up to one of these characters."""
    start = takewhile(lambda character: character not in ends, word)
    return "".join(character.lower() for character in start)
