"""The tokens of NLTK's `word_tokenize` up to version 3.9: those of the Penn Treebank.

Contractions are divided, so DON'T is DO and N'T, and CANNOT is CAN and NOT.
"""

import re
from collections.abc import Iterator

from .punkt import sentence_spans

# Substitutions in NLTK's order. A possessive quantifier finds the same in less time.
_PUNCTUATION = [
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        ("([«“‘„]|[`]+)", r" \1 "),
        (r"^\"", "``"),
        ("(``)", r" \1 "),
        (r"([ \(\[{<])(\"|\'{2})", r"\1 `` "),
        (r"(?i)(\')(?!re|ve|ll|m|t|s|d|n)(\w)\b", r"\1 \2"),
        (r"([^\.])(\.)([\]\)}>\"\'»”’ ]*+)\s*$", r"\1 \2 \3 "),
        (r"([:,])([^\d])", r" \1 \2"),
        ("([:,])$", r" \1 "),
        (r"\.{2,}", r" \g<0> "),
        ("[;@#$%&]", r" \g<0> "),
        (r"([^\.])(\.)([\]\)}>\"\']*+)\s*$", r"\1 \2\3 "),
        ("[?!]", r" \g<0> "),
        ("([^'])' ", r"\1 ' "),
        ("[*]", r" \g<0> "),
        (r"[\]\[\(\)\{\}\<\>]", r" \g<0> "),
        ("--", " -- "),
    )
]
_ENDINGS = [
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        ("([»”’])", r" \1 "),
        ("''", " '' "),
        ('"', " '' "),
        (r"\s+", " "),
        ("([^' ])('[sS]|'[mM]|'[dD]|') ", r"\1 \2 "),
        ("([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r"\1 \2 "),
    )
]
_CONTRACTIONS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(can)(not)\b",
        r"\b(d)('ye)\b",
        r"\b(gim)(me)\b",
        r"\b(gon)(na)\b",
        r"\b(got)(ta)\b",
        r"\b(lem)(me)\b",
        r"\b(more)('n)\b",
        r"\b(wan)(na)(?=\s)",
        r" ('t)(is)\b",
        r" ('t)(was)\b",
    )
]


def treebank_words(text: str) -> Iterator[str]:
    """The tokens of a text, sentence by sentence.

    >>> list(treebank_words("I DON'T know. CANNOT say!"))
    ['I', 'DO', "N'T", 'know', '.', 'CAN', 'NOT', 'say', '!']
    """
    for start, end in sentence_spans(text):
        yield from _words(text[start:end])


def capital_words(text: str) -> int:
    """The number of tokens whose letters are all capitals, and that have a letter.

    >>> capital_words("I DON'T like GPT-4."), capital_words("123")
    (4, 0)
    """
    sentences = (text[start:end] for start, end in sentence_spans(text))
    # Tokens consist of the characters of their sentence.
    return sum(
        sum(map(str.isupper, _words(sentence)))
        for sentence in sentences
        if any(map(str.isupper, sentence))
    )


def _words(sentence: str) -> list[str]:
    """The tokens of a sentence."""
    for pattern, replacement in _PUNCTUATION:
        sentence = pattern.sub(replacement, sentence)
    sentence = f" {sentence} "
    for pattern, replacement in _ENDINGS:
        sentence = pattern.sub(replacement, sentence)
    for pattern in _CONTRACTIONS:
        sentence = pattern.sub(r" \1 \2 ", sentence)
    return sentence.split()
