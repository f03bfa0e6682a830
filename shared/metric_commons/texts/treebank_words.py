"""Words and marks of one sentence, as NLTK's word tokenizer splits it.

The tokenizer is a list of substitutions that put spaces around marks, quotes and clitics, in the
tradition of the Penn Treebank. The list is that of `nltk.tokenize.NLTKWordTokenizer` (NLTK 3.10,
Apache 2.0).
"""

import re

_SET_APART = r" \g<0> "
_SUBSTITUTIONS = [
    (re.compile(pattern, flags), replacement)
    for pattern, replacement, flags in (
        # Opening quotation marks, and an apostrophe that opens a word
        (r"[«“‘„]|`+", _SET_APART, 0),
        (r'^"', "``", 0),
        ("``", _SET_APART, 0),
        (r"""(?<=[ (\[{<])("|'')""", " `` ", 0),
        (r"(?<!\w)'(?!(?:re|ve|ll|m|t|s|d|n)\b)(?=\w)", "' ", re.IGNORECASE),
        # Marks; a full stop ends the text, whatever brackets and quotes follow it
        (r"""([^.])\.([\])}>"'»”’ ]*+)\s*$""", r"\1 . \2 ", 0),
        (r"([:,])(\D)", r" \1 \2", 0),
        (r"[:,]$", _SET_APART, 0),
        (r"\.{2,}", _SET_APART, 0),
        (r"[;@#$%&\u2012-\u2015]", _SET_APART, 0),
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
]
_CONTRACTIONS = frozenset({"cannot", "gimme", "lemme", "gonna", "wanna", "gotta"})


def treebank_words(sentence: str) -> list[str]:
    """The words and marks of a sentence.

    >>> treebank_words("He can't pay $3.88, can he?")
    ['He', 'ca', "n't", 'pay', '$', '3.88', ',', 'can', 'he', '?']
    """
    words = sentence.split()
    if all(map(str.isalnum, words)) and _CONTRACTIONS.isdisjoint(map(str.lower, words)):
        return words  # no substitution applies
    for pattern, replacement in _SUBSTITUTIONS:
        sentence = pattern.sub(replacement, sentence)
    return sentence.split()
