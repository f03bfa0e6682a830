"""The task of mathematical answers."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from inspect import signature
from typing import Any

from ...mathematics.parsing.functions import FUNCTIONS
from ...mathematics.parsing.mathematical_answers import Answer, parse_answer
from ...mathematics.parsing.structures import Collection, Words
from ...mathematics.proof.comparisons import Rules
from ...mathematics.proof.equivalence import readable, rules_of, verdict
from ...statistics.arguments.checks import alternatives
from ...statistics.arguments.domains import Finite, check_option
from .verdicts import Task, Verdict


class Math(Task):
    r"""1.0 if the answer is proved equal to a reference, as `math_equivalence` says.

    Work is limited by counted steps, without signals and time-outs, so that verdicts are the same
    in every thread, on every machine and under any load. The option `undecided` is the score of an
    answer that is neither proved equal nor unequal, or None; the others are as in
    `mathematics.proof.equivalence.rules_of`.

    >>> Math("math", extract="boxed").verdict(r"So it is $\boxed{\frac{1}{2}}$.", "0.5")
    Verdict(score=1.0, answer='\\frac{1}{2}', status='scored', scores={}, reason='')
    """

    def checked(self) -> dict[str, Any]:
        """Check the options; return all of them, with their defaults."""
        of_rules = signature(rules_of).parameters
        defaults = {name: parameter.default for name, parameter in of_rules.items()}
        for name in self.options:
            if name not in (*defaults, "undecided"):
                hint = alternatives(name, defaults)
                raise TypeError(f"{self.module} has no option {name!r}{hint}")
        options = {**defaults, "undecided": 0.0, **self.options}
        check_option("undecided", options["undecided"], Finite | None)
        rules_of(**{name: options[name] for name in defaults})
        return {"options": options}

    @cached_property
    def _rules(self) -> Rules:
        return rules_of(**{n: value for n, value in self.options.items() if n != "undecided"})

    def readable(self, text: str) -> Sequence[str]:
        """Return the text, if it is a formula and not a solution."""
        is_formula = readable(text, decimal_comma=self.options["decimal_comma"])
        return (text,) if is_formula and not is_solution(text) else ()

    def compared(self, pairs: Sequence[tuple[str, list[str]]]) -> Iterable[Verdict]:
        """Yield whether each answer equals one of the accepted answers."""
        rules = self._rules
        for answer, accepted in pairs:
            found = set()
            for reference in accepted:
                found.add(verdict(reference, answer, rules).is_equal)
                if True in found:
                    break
            if None in found and True not in found:
                yield Verdict(self.options["undecided"], answer, "undecided")
            else:
                yield Verdict(float(True in found), answer)


_COMMANDS = re.compile(r"\\(?:text|textbf|textrm|mathrm|mbox)\s?\{[^{}]*\}|\\[A-Za-z]+")
_WORD = re.compile(r"(?<![A-Za-z])[A-Z]?[a-z]+(?![A-Za-z])")
_LABEL = re.compile(r"[\W_]*(?:A|[A-Za-z ]*[a-z]{2}):\s+\S")  # "Answer: 5", "A: 5"
_OF_SENTENCES = frozenset(  # not meant as products of letters
    (
        "it is so we he she they was are the this that then thus hence therefore since has "
        "have get gets let answer"
    ).split()
)
_OF_FORMULAS = frozenset({"or", "and", "pi", "sqrt", *FUNCTIONS})
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
    is_sentence = not _OF_SENTENCES.isdisjoint(words) or bool(box and words - _OF_FORMULAS)
    return is_sentence or _LABEL.match(text) is not None
