"""Words and marks of one sentence, as NLTK's word tokenizer splits it.

The tokenizer is a list of substitutions that put spaces around marks, quotes and clitics, in the
tradition of the Penn Treebank. The list is that of `nltk.tokenize.NLTKWordTokenizer` (Apache 2.0).
"""

import re

_SET_APART = r" \g<0> "


def _substitutions(opening_apostrophe: str, marks: str) -> list[tuple[re.Pattern[str], str]]:
    """Return the substitutions in NLTK's order, with the two in which its versions differ."""
    substitutions = (
        # Opening quotation marks, and an apostrophe that opens a word
        (r"[«“‘„]|`+", _SET_APART, 0),
        (r'^"', "``", 0),
        ("``", _SET_APART, 0),
        (r"""(?<=[ (\[{<])("|'')""", " `` ", 0),
        (opening_apostrophe, "' ", re.IGNORECASE),
        # Marks; a full stop ends the text, whatever brackets and quotes follow it
        (r"""([^.])\.([\])}>"'»”’ ]*+)\s*$""", r"\1 . \2 ", 0),
        (r"([:,])(\D)", r" \1 \2", 0),
        (r"[:,]$", _SET_APART, 0),
        (r"\.{2,}", _SET_APART, 0),
        (marks, _SET_APART, 0),
        (r"""([^.])\.([\])}>"']*)\s*$""", r"\1 .\2 ", 0),
        (r"[?!]", _SET_APART, 0),
        (r"([^'])' ", r"\1 ' ", 0),
        (r"[*\][(){}<>]", _SET_APART, 0),
        ("--", " -- ", 0),
        (r"\A|\Z", " ", 0),
        # Closing quotation marks, and clitics at the end of a word
        (r"[»”’]", _SET_APART, 0),
        (r"''|\"", " '' ", 0),
        (r"\s+", " ", 0),
        (r"([^' ])('[sSmMdD]?) ", r"\1 \2 ", 0),
        (r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r"\1 \2 ", 0),
        # Contractions
        (r"\b(can)(not)\b", r" \1 \2 ", re.IGNORECASE),
        (r"\b(d)('ye)\b", r" \1 \2 ", re.IGNORECASE),
        (r"\b(gim|lem)(me)\b", r" \1 \2 ", re.IGNORECASE),
        (r"\b(gon)(na)\b", r" \1 \2 ", re.IGNORECASE),
        (r"\b(got)(ta)\b", r" \1 \2 ", re.IGNORECASE),
        (r"\b(more)('n)\b", r" \1 \2 ", re.IGNORECASE),
        (r"\b(wan)(na)(?=\s)", r" \1 \2 ", re.IGNORECASE),
        (r" ('t)(is|was)\b", r" \1 \2 ", re.IGNORECASE),
    )
    return [(re.compile(pattern, flags), text) for pattern, text, flags in substitutions]


_SINCE_3_10 = _substitutions(
    r"(?<!\w)'(?!(?:re|ve|ll|m|t|s|d|n)\b)(?=\w)", r"[;@#$%&\u2012-\u2015]"
)
_BEFORE_3_10 = _substitutions(r"'(?!re|ve|ll|m|t|s|d|n)(?=\w\b)", "[;@#$%&]")
_CONTRACTIONS = frozenset("cannot gimme lemme gonna wanna gotta".split())


def treebank_words(sentence: str, *, before_3_10: bool = False) -> list[str]:
    """Return the words and marks of a sentence.

    Args:
        sentence: the sentence.
        before_3_10: whether to split as NLTK did before version 3.10, which began to set dashes
            apart, and took an apostrophe at the beginning of a long word for a part of it.

    >>> treebank_words("He can't pay $3.88, can he?")
    ['He', 'ca', "n't", 'pay', '$', '3.88', ',', 'can', 'he', '?']
    >>> treebank_words("1998–2008"), treebank_words("1998–2008", before_3_10=True)
    (['1998', '–', '2008'], ['1998–2008'])
    """
    words = sentence.split()
    if all(map(str.isalnum, words)) and _CONTRACTIONS.isdisjoint(map(str.lower, words)):
        return words  # no substitution applies
    for pattern, replacement in _BEFORE_3_10 if before_3_10 else _SINCE_3_10:
        sentence = pattern.sub(replacement, sentence)
    return sentence.split()
