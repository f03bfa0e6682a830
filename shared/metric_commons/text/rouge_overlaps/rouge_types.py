"""The names of ROUGE types: n-grams, the longest common subsequence, and its union over lines."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated

from ...statistics.arguments.checks import OptionError, nearest, shown
from ...statistics.arguments.domains import Parsed

NgramLengths = Mapping[str, int]  # words per n-gram of each type, 0 for subsequences

LCS, UNION_LCS = "rougeL", "rougeLsum"

_NGRAM = re.compile("rouge[1-9][0-9]*")
_USUAL_TYPES = {LCS: 0, UNION_LCS: 0} | {f"rouge{n}": n for n in range(1, 10)}
_DIGITS = 18


def ngram_lengths(rouge_types: Sequence[str]) -> dict[str, int]:
    """Return the number of words in the n-grams of each ROUGE type; 0 for subsequences.

    >>> ngram_lengths(["rouge2", "rougeL"])
    {'rouge2': 2, 'rougeL': 0}
    >>> ngram_lengths(["rouge2", "rougel"])
    Traceback (most recent call last):
    ValueError: rouge_types may name rouge1, rouge2, ..., rougeL and rougeLsum, got 'rougel'; \
did you mean 'rougeL'?
    """
    if isinstance(rouge_types, str) or not isinstance(rouge_types, Sequence) or not rouge_types:
        problem = f'must be names such as ("rouge1",), got {shown(rouge_types)}'
        raise OptionError("rouge_types", problem)
    lengths = {}
    for name in rouge_types:
        if not isinstance(name, str) or not (name in _USUAL_TYPES or _NGRAM.fullmatch(name)):
            hint = nearest(name, _USUAL_TYPES) if isinstance(name, str) else ""
            problem = f"may name rouge1, rouge2, ..., rougeL and rougeLsum, got {shown(name)}{hint}"
            raise OptionError("rouge_types", problem)
        # No text has as many words as such a long number says; further digits can be cut off.
        digits = name.removeprefix("rouge")[:_DIGITS]
        lengths[name] = _USUAL_TYPES[name] if name in _USUAL_TYPES else int(digits)
    return lengths


RougeTypes = Annotated[
    Sequence[str],
    Parsed(ngram_lengths, "a list of names such as 'rouge1', 'rougeL' and 'rougeLsum'"),
]
