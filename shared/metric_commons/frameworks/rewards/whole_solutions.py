"""References of mathematics that are sentences or solutions, and not answers.

The reader of answers takes short words for products of letters: "x is 5" would be the formula
x i s 5, to which no answer of a model is equal.
"""

import re

from ...mathematics.parsing.functions import FUNCTIONS
from ...mathematics.parsing.mathematical_answers import Answer, parse_answer
from ...mathematics.parsing.structures import Collection, Words
from ...mathematics.proof.comparisons import Rules
from ...mathematics.proof.equivalence import verdict
from ...text.extraction.step_chains import answer_in, chain_functions

_COMMANDS = re.compile(r"\\(?:text|textbf|textrm|mathrm|mbox)\s?\{[^{}]*\}|\\[A-Za-z]+")
_WORD = re.compile(r"(?<![A-Za-z])[A-Z]?[a-z]+(?![A-Za-z])")
_LABEL = re.compile(r"[\W_]*(?:A|[A-Za-z ]*[a-z]{2}):\s+\S")  # "Answer: 5", "A: 5"
_OF_SENTENCES = frozenset(  # not meant as products of letters
    {
        *("it", "is", "so", "we", "he", "she", "they", "was", "are", "the", "this", "that", "then"),
        *("thus", "hence", "therefore", "since", "has", "have", "get", "gets", "let", "answer"),
    }
)
_OF_FORMULAS = frozenset({"or", "and", "pi", "sqrt", *FUNCTIONS})
_RULES = Rules()
_EMPTY = Collection((), in_braces=True)  # "the empty set"


def is_solution(text: str) -> bool:
    r"""Return whether a formula is in a sentence, has a label, or is a solution with a box.

    >>> [is_solution(text) for text in ("x is 5", "Answer: 5", r"Hence, \boxed{5}")]
    [True, True, True]
    >>> [is_solution(text) for text in ("2:3", "ab + c", r"x = \boxed{5}", "the empty set")]
    [False, False, False, False]
    """
    if not any(map(str.isalpha, text)):
        return False
    parsed = parse_answer(text)
    if isinstance(parsed, Answer) and (
        isinstance(parsed.content, Words) or parsed.content == _EMPTY
    ):
        return False
    before, box, _ = text.partition(r"\boxed")
    words = {word.lower() for word in _WORD.findall(_COMMANDS.sub(" ", before)) if len(word) > 1}
    if _LABEL.match(text) or not _OF_SENTENCES.isdisjoint(words):
        return True
    if not (box and words - _OF_FORMULAS):
        return False
    answer = answer_in(text, chain_functions(("boxed",)))
    return answer is None or not verdict(text, answer, _RULES).is_equal
