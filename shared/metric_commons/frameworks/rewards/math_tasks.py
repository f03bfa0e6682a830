"""The task of mathematical answers."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, get_type_hints

from ...mathematics.parsing.functions import FUNCTIONS
from ...mathematics.parsing.mathematical_answers import Answer, parse_answer
from ...mathematics.parsing.structures import Collection, Words
from ...mathematics.proof.comparisons import Lists, Percent, Rounding, Rules
from ...mathematics.proof.equivalence import explanation, readable, rules_of, verdict
from ...mathematics.proof.problem_sets import Dataset
from ...statistics.arguments.domains import Finite, NonNegative, check_option
from ...text.extraction.step_chains import Extract, answer_in, chain_functions
from .text_tasks import TextTask
from .verdicts import Verdict, listed

_rules = lru_cache(64)(rules_of)


@dataclass(frozen=True)
class Math(TextTask):
    r"""1.0 if the answer is proved equal to a reference, as `math_equivalence` says.

    Work is limited by counted steps, without signals and time-outs, so that verdicts are the same
    in every thread, on every machine and under any load.

    Args:
        percent: as in `mathematics.equivalent`, like `lists` and `rounding`.
        lists: as in `mathematics.equivalent`.
        rounding: as in `mathematics.equivalent`.
        decimal_comma: whether a comma between digits is the decimal mark.
        relative_tolerance: as in `mathematics.equivalent`.
        absolute_tolerance: as in `mathematics.equivalent`.
        undecided: the score of an answer that is neither proved equal nor unequal; or None.
        dataset: the data set whose conventions are followed.

    >>> Math().verdict(r"So it is $\boxed{\frac{1}{2}}$.", "0.5")
    Verdict(score=1.0, answer='\\frac{1}{2}', status='scored', scores={}, reason='')
    >>> Math(explain=True).verdict(r"\boxed{3}", 2).reason
    "The answer '3' does not equal '2'."
    """

    name: str = "math"
    extract: Extract = "tagged_or_boxed"
    percent: Percent = "either"
    lists: Lists = "either"
    rounding: Rounding = "none"
    decimal_comma: bool = False
    relative_tolerance: NonNegative = 0.0
    absolute_tolerance: NonNegative = 0.0
    undecided: Finite | None = 0.0
    dataset: Dataset = None

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, annotation in _annotations().items():
            check_option(name, getattr(self, name), annotation)

    def _readable(self, text: str) -> Sequence[str]:
        if not readable(text, decimal_comma=self.decimal_comma) or is_solution(text):
            return ()
        return (text,)

    def _rules(self) -> Rules:
        return _rules(
            self.percent,
            self.lists,
            self.rounding,
            self.decimal_comma,
            self.relative_tolerance,
            self.absolute_tolerance,
            self.dataset,
        )

    def equal_answers(self) -> Callable[[str, str], object]:
        """Return the function that says whether two answers are equal, by the rules of the task."""
        rules = self._rules()
        return lambda left, right: verdict(left, right, rules).is_equal

    def _compared(self, pairs: Sequence[tuple[str, list[str]]]) -> Iterable[Verdict]:
        rules = self._rules()
        for answer, accepted in pairs:
            is_open = False
            for reference in accepted:
                is_equal = verdict(reference, answer, rules).is_equal
                if is_equal:
                    yield Verdict(1.0, answer)
                    break
                is_open |= is_equal is None
            else:
                if is_open:
                    yield Verdict(self.undecided, answer, "undecided")
                else:
                    yield Verdict(0.0, answer)

    def explanation(self, verdict: Verdict, reference: Any) -> dict[str, Any]:
        """Return the explanation for the reference that decided."""
        accepted = self._accepted(reference)
        if verdict.answer is None or not accepted:
            plain = super().explanation(verdict, reference)
            side = "answer is found" if accepted else "reference can be read"
            return plain | {"steps": [f"extraction: no {side}"], "verdict": None}
        rules, answer = self._rules(), verdict.answer
        explained = [explanation(text, answer, rules) for text in accepted]
        best = min(explained, key=lambda row: (row.verdict is not True, row.verdict is False))
        return best._asdict() | {"steps": [f"extraction: {answer}", *best.steps]}

    def _explained(self, verdict: Verdict, accepted: Sequence[str]) -> str:
        answer = listed([verdict.answer])
        if verdict.status == "undecided":
            return f"It is neither proved nor disproved that {answer} equals {listed(accepted)}."
        relation = "equals" if verdict.score else "does not equal"
        return f"The answer {answer} {relation} {listed(accepted)}."


@lru_cache(1)
def _annotations() -> dict[str, object]:
    """Return the annotations of the options that other tasks do not have."""
    inherited = {item.name for item in fields(TextTask)}
    hints = get_type_hints(Math, include_extras=True)
    return {name: hint for name, hint in hints.items() if name not in inherited}


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
