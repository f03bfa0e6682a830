r"""Whole answers: "x = 5 \text{ cm}" is the quantity 5 cm with the name x."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import accumulate

from ..algebra.exact_values import Value, decimal, rational, symbol
from ..algebra.work_limits import UndecidedError, limited_work, on_own_stack
from .conventions import DEFAULT, Context, Conventions, is_product
from .functions import FUNCTIONS
from .notation import MAX_LENGTH, ROW_END, Token, closing_brace, nesting, split_answer, tokens
from .numerals import permutation, roman_number, spelled_number
from .real_sets import REALS, complement, intersection, points, union
from .relations import SIGNS, parse_item
from .structures import (
    EVERY_INTEGER,
    Bracketed,
    ChosenContent,
    Collection,
    Equation,
    Infinity,
    MathObject,
    NamedValues,
    Noted,
    RealSet,
    Words,
    as_value,
)

_MARKS = (("$$", "$$"), ("$", "$"), (r"\[", r"\]"), (r"\(", r"\)"), ("**", "**"), ("`", "`"))
_FIRST_OF_MARKS = ("$", "\\", "*", "`")
_DECIMAL = re.compile(r"-?[0-9]{1,300}(?:\.[0-9]{1,300})?")
_FONT = re.compile(r"\\(?:text|textbf|textrm|mathrm|mathbf|textit|mbox)\s?\{([^{}]*)\}")
_CHOICE = re.compile(r"\s*(?:(?:[Oo]ption|[Cc]hoice) )?\(?\s*([A-Z])\s*\)?\.?\s*")
_CHOICES = re.compile(r"\(?[A-H]\)?(?:(?:[,;] ?|,? and )\(?[A-H]\)?)+")
_BOXES = re.compile(r"\\boxed(?=\{)")
_SHORT_WORDS = set("no am pm ne nw se sw dne".split())
_NO_WORDS = {"sqrt", "pi", "inf", "infinity", "and", "or", "frac", "abs", "cbrt", *FUNCTIONS}
_NAMED_OBJECTS: dict[str, MathObject] = {
    "infinity": Infinity(1),
    "positive infinity": Infinity(1),
    "negative infinity": Infinity(-1),
    "all real numbers": REALS,
    "all reals": REALS,
    **dict.fromkeys(("empty set", "the empty set", "emptyset", "null set"), Collection((), True)),
}
_NO_FORMS: frozenset[str] = frozenset()  # shared, as thousands of answers are cached
_DECIMAL_COMMA = re.compile("-?0,[0-9]{2,}")  # with one digit it reads as two answers, like 1,4
_REVERSED = re.compile(r"([\[\]])([^\[\]()]*[,;][^\[\]()]*)([\[\]])")  # ]1, 2[ is (1, 2)
_DECLARATION = re.compile(
    r"(?:where |for |with |and )?(?:([a-zA-Z]) (?:∈|is an|is any|an|any)? ?integers?"
    r"|(?:where |for )?(?:an |any |all |each |every |some |the )?integers? ([a-zA-Z]))"
)
_LINES = re.compile(r"\$ ?\n ?\$(?!\$)")
_LONGEST_DECLARATION = 9  # tokens
_SIZE = re.compile(r"\\(?:left|right)")
_STATEMENTS = re.compile(r"I+(?:(?:[,;]|,? and) [IVX]+)+")  # I and III
_SPACES = re.compile(r"\\[,;: ]|~")
_REMAINDER = re.compile(
    r"([0-9]+)(?:,? (?:with )?(?:a )?(?:[Rr]|rem|remainder)\.? ?(?:of )?|[Rr])([0-9]+)"
)
# Neither a quotient nor a ratio, and only equal to the same text.
_DATE_OR_TIME = re.compile(
    r"\d{4}-\d{2}-\d{2}|\d{1,2}([/.-])\d{1,2}\1\d{4}"
    r"|\d{1,2}(?:[:.]\d{2}){1,2} ?[ap]\.? ?m\.?",
    re.IGNORECASE,
)
_CHOICE_WITH_CONTENT = re.compile(r"(?:\(?([A-H])\)[.:]? +|([A-H])\. +)(\S.*)")
_OTHER_SCRIPT = re.compile(
    "[①-⑳\u0400-\u04ff\u0600-\u06ff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af\\s，、；。“”]{2,}"
)
_THE_ANSWER = (
    r"(?:(?:the|my|our) )?(?:(?:final|only|correct|right) )*"
    r"(?:answer|solution|option|choice)s?(?: set)?"
)
_LEAD = re.compile(
    r"(\\text ?\{ ?)?"
    r"(?:(?:so|thus|hence|therefore|finally)(?:,? |,|(?=[$\\]))(?!\\boxed))?"
    r"(?:(?:we (?:get|have|find|obtain)|it follows)(?: that)? )?"
    rf"(?:{_THE_ANSWER}(?: (?:is|are)\b|(?=:))|(?:the )?(?:final )?answer\b)?"
    r" ?(?(1)\}):? ?(?=\S)",
    re.IGNORECASE,
)
_TRAIL = re.compile(
    rf"(?: ?,? (?:which )?(?:is|are) {_THE_ANSWER}"
    r"|(?-i:(?<=[$)}*`])|(?<=\b[A-Z])) is (?:correct|right)"
    r"| \(exact(?:ly)?\)|(?: |\\quad)*(?:\\checkmark|✓|✔))[. ]*\Z",
    re.IGNORECASE,
)
_OF_TRAILS = (" is ", " are ", " (exact", "checkmark", "✓", "✔")
_STOPS = ".,;:\\ "
_BOX = r"\boxed{"
_POWER = re.compile(r"(?<=[\w)\]])\*\*(?=[\w(-])")  # not the end of bold text
_DOLLARS = re.compile(r"\$ ?([0-9][0-9,.]*) ?(k|K|M|B|mn|bn|million|billion|thousand)?")
_ALL_BUT = re.compile(
    r"(?:\\text ?\{)?\s*(?:all )?(?:real numbers|reals)(?: x)?,? except(?: for)?\s*\}?\s*(.+)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Answer:
    """An answer that was read, by certain conventions."""

    content: MathObject
    text: str  # without the signs that mark mathematics
    forms: frozenset[str] = _NO_FORMS  # conventions that made a difference
    letters: frozenset[str] = _NO_FORMS
    products: frozenset[str] = _NO_FORMS  # words of three letters or more that may not be products


@dataclass(frozen=True)
class Unreadable:
    """An answer that was not read."""

    reason: str


@lru_cache(10_000)
@on_own_stack(Unreadable("too much work: nested too deep"))
def parse_answer(text: str, conventions: Conventions = DEFAULT) -> Answer | Unreadable:
    r"""Return the meaning of an answer, by conventions.

    >>> answer = parse_answer(r"$x = 5$")
    >>> answer.content.content.fraction, answer.content.name
    (Fraction(5, 1), 'x')
    >>> parse_answer(r"\text{Evelyn}").content
    Words(text='evelyn')
    """
    try:
        with limited_work():
            return _answer(unmarked(text), conventions)
    except UndecidedError as error:
        return Unreadable(str(error))


def unmarked(text: str) -> str:
    r"""Return the text without the marks of mathematics or an answer: $...$, \boxed{}, a full stop.

    >>> unmarked(r" $\boxed{12}$. "), unmarked(r"909 \quad \checkmark")
    ('12', '909')
    """
    text = text.strip()
    if "\n" in text:
        text = _LINES.sub(", ", text)
    text = _without_sentence(text)
    if text.count("$") == 1 and _DOLLARS.fullmatch(text.rstrip(". ")):
        return "\\" + text.rstrip(". ")
    if text.count("$") == 1 and (text[0] == "$" or text[-1] == "$") and r"\$" not in text:
        text = text.strip("$ ")
    previous_text = None
    if text[:1].isalnum() and text[-1:].isalnum():
        return text
    while previous_text != text:
        previous_text = text
        stripped = text.rstrip(_STOPS)
        if text.count(".", len(stripped)) < 2:  # 5.. is not 5
            text = stripped
        for left, right in _MARKS if text[:1] in _FIRST_OF_MARKS else ():
            inner = text[len(left) : -len(right)]
            is_marked = len(text) > len(left + right) and text == left + inner + right
            if is_marked and left not in (_POWER.sub("", inner) if left == "**" else inner):
                text = _without_sentence(inner.strip())
        if _is_boxed(text):
            text = _without_sentence(text[len(_BOX) : -1].strip())
    return text


def _is_boxed(text: str) -> bool:
    if not text.startswith(_BOX) or text[-1] != "}" or len(text) > MAX_LENGTH:
        return False
    try:
        return closing_brace(text, len(_BOX)) == len(text) - 1
    except UndecidedError:
        return False


def _without_sentence(text: str) -> str:
    """Return x = 5 for "So the answer is x = 5", and B for "B is correct."."""
    if len(text) > MAX_LENGTH:
        return text
    if " " in text and (text[0].isalpha() or text.startswith(r"\text")):
        lead = _LEAD.match(text)
        text = text[lead.end() :] if lead else text
    if any(part in text for part in _OF_TRAILS) and (trail := _TRAIL.search(text)):
        text = text[: trail.start()]
    return text


def plain_text(text: str) -> str:
    r"""Return a text without marks and fonts.

    >>> plain_text(r"$\text{July 8}$.")
    'July 8'
    """
    return " ".join(_FONT.sub(r"\1", unmarked(text)).split())


def _answer(text: str, conventions: Conventions) -> Answer:
    if _DECIMAL.fullmatch(text):  # a shortcut for most answers, with the same result
        return Answer(decimal(text), text)
    choice = _CHOICE.fullmatch(_FONT.sub(r"\1", text) if "{" in text else text)
    if choice and text != choice[1]:  # a bare C is a letter, (C) and \text{C} are words
        return Answer(Words(choice[1].casefold()), text)
    special = _special(text, conventions) if len(text) <= MAX_LENGTH else None
    if special is not None:
        return special
    all_tokens = tokens(_BOXES.sub("", text) if "boxed" in text else text)
    all_tokens = [*_unwrapped(all_tokens)]
    words = _words(all_tokens)
    if words is not None:
        return Answer(words, text)
    context = Context(conventions)
    context.is_latex = any(sign in text for sign in "\\{}")
    context.has_digits = any(t.kind == "number" or t.is_sign("^") for t in all_tokens)
    texts = {token.text for token in all_tokens}
    if not texts.isdisjoint("∨∧") and texts.isdisjoint(SIGNS):
        raise UndecidedError("a logical formula")
    declared = _integer(all_tokens) if any("integer" in text for text in texts) else None
    if declared is not None:
        context.values_of_letters[declared[1]] = symbol(EVERY_INTEGER)
        all_tokens = all_tokens[: declared[0]]
    parts, separators = split_answer(all_tokens)
    if not parts:
        raise UndecidedError("nothing")
    goes_on = len(parts) > 1 and parts[-1][-1].is_sign("…") and len(parts[-1]) == 1
    if goes_on:
        parts.pop()
        separators.pop()
    with_both = [part for part in parts if any(token.is_sign("±∓") for token in part)]
    if len(with_both) > 1 and any(t.is_sign("=<>≤≥≠([⟨∓") for part in with_both for t in part):
        raise UndecidedError("± in several parts, which may belong together")
    contents = [_part(part, context) for part in parts]
    content = _joined(contents, separators)
    if goes_on:
        content = Noted(Bracketed("()", tuple(contents)), "…")
    if declared is not None:
        content = Noted(content, EVERY_INTEGER)
    return Answer(
        content,
        text,
        *(
            frozenset(names) if names else _NO_FORMS
            for names in (context.forms, context.letters, context.products)
        ),
    )


def _integer(all_tokens: Sequence[Token]) -> tuple[int, str] | None:
    r"""Return where "n \in \mathbb{Z}" or "for any integer n" begins, and its letter."""
    for start in range(max(len(all_tokens) - _LONGEST_DECLARATION, 1), len(all_tokens)):
        text = " ".join(token.text for token in all_tokens[start:]).strip(" ,;().")
        if match := _DECLARATION.fullmatch(" ".join(text.split())):
            return start, match[1] or match[2]
    return None


def _unwrapped(all_tokens: Sequence[Token]) -> Sequence[Token]:
    r"""Return x = 1, y = 2 for [x = 1, y = 2] and \begin{cases} x = 1 \\ y = 2 \end{cases}."""
    texts = [token.text for token in all_tokens]
    if texts[:4] == ["begin", "{", "cases", "}"] and "&" not in texts and texts[-2:-1] == ["cases"]:
        comma = Token("sign", ",")
        all_tokens = [comma if token.is_sign(ROW_END) else token for token in all_tokens[4:-4]]
    if all_tokens and all_tokens[0].is_sign("[") and "=" in texts:
        depths = list(accumulate(map(nesting, all_tokens)))
        if all(depths[:-1]) and not depths[-1]:
            return all_tokens[1:-1]
    return all_tokens


def _special(text: str, conventions: Conventions) -> Answer | None:
    """Return an answer whose form decides what it is; None for any other."""
    plain = _SPACES.sub(" ", _FONT.sub(r"\1", text)).replace(r"\!", "") if "\\" in text else text
    plain = " ".join(plain.split())
    if _DATE_OR_TIME.fullmatch(plain):
        shown = plain.casefold()
        shown = re.sub("[. ]", "", shown) if "m" in shown else shown  # 3:20 p.m.
        return Answer(Noted(Words(shown), "date or time"), text)
    roman = roman_number(plain)
    if roman is not None:
        content = rational(roman) if conventions.roman else Words(plain.casefold())
        return Answer(content, text, frozenset({"roman"}))
    spelled = spelled_number(plain) if plain[-1:].isalpha() else None
    if spelled is not None:
        return Answer(rational(spelled), text)
    cycles = permutation(plain) if text[:1] == "(" else None
    if cycles is not None:
        is_product = " " not in plain and "," not in text
        if is_product and not conventions.cycles:
            raise UndecidedError("a product of numbers")
        return Answer(cycles, text, frozenset({"cycles"} if is_product else ()))
    if _DECIMAL_COMMA.fullmatch(text):
        raise UndecidedError("a form with two readings")
    is_reversed = text[:1] in "[]\\" and text[-1:] in "[]"
    if is_reversed and (match := _REVERSED.fullmatch(_SIZE.sub("", text))):
        opening, closing = ("[" if match[1] == "[" else "("), ("]" if match[3] == "]" else ")")
        if (match[1], match[3]) != ("[", "]"):
            return _answer(f"{opening}{match[2]}{closing}", conventions)
    if match := _REMAINDER.fullmatch(plain):
        return Answer(Noted(rational(int(match[1])), f"remainder {int(match[2])}"), text)
    if (text != plain or "(" in text) and _CHOICES.fullmatch(plain):
        return _answer(plain.replace("(", "").replace(")", ""), conventions)
    if _STATEMENTS.fullmatch(plain):
        return Answer(Words(", ".join(re.findall("[IVX]+", plain)).casefold()), text)
    if match := _CHOICE_WITH_CONTENT.fullmatch(plain):
        inner = _answer(unmarked(match[3]), conventions)
        return Answer(
            ChosenContent((match[1] or match[2]).casefold(), inner.content), text, inner.forms
        )
    if not text.isascii() and _OTHER_SCRIPT.fullmatch(text):
        return Answer(Words("".join(text.split())), text)
    if match := _ALL_BUT.fullmatch(text):
        inner = _answer(match[1].replace("and", ","), conventions)
        items = inner.content.items if isinstance(inner.content, Collection) else (inner.content,)
        return Answer(complement(points(map(as_value, items))), text, inner.forms)
    return None


def _part(part: Sequence[Token], context: Context) -> MathObject:
    """Return one part of an answer: a set by a condition, or a relation or an amount."""
    if part[-1].kind == "number" and part[-1].text.isdigit():  # a shortcut for most parts
        if len(part) == 1:
            return decimal(part[0].text)
        if len(part) == 2 and part[0].is_sign("-"):
            return -decimal(part[1].text)
    if part[0].is_sign("(") and part[-1].is_sign(")") and _is_relation(part[1:-1]):
        part = part[1:-1]  # as sympy prints parts of a condition
    label = _label(part)
    if label:
        note = " ".join(token.text for token in part[:label]).casefold()
        if label == len(part):
            raise UndecidedError("a label without a value")
        return Noted(_part(part[label:], context), note.strip(" :."))
    by_condition = _set_by_condition(part, context)
    return parse_item(part, context) if by_condition is None else by_condition


def _label(part: Sequence[Token]) -> int:
    r"""Return the length of the label in "\max at x = 2" and "radius: 5"; 0 if there is none."""
    if part[0].kind not in ("word", "text", "command"):
        return 0
    for index, token in enumerate(part):
        is_end = token.is_sign(":") or token.text.strip() in ("at", "on", "is")
        if index and is_end and any(len(label.text) > 2 for label in part[:index]):
            return index + 1
        if not (token.kind in ("word", "text") or token.text in ("max", "min", ".")):
            return 0
    return 0


def _is_relation(tokens: Sequence[Token]) -> bool:
    """Return whether all brackets are closed, and a sign such as < is outside them."""
    depths = list(accumulate(map(nesting, tokens)))
    relations = zip(depths, tokens, strict=True)
    return min(depths, default=-1) == 0 and any(not d and t.is_sign("<>≤≥≠") for d, t in relations)


def _set_by_condition(part: Sequence[Token], context: Context) -> MathObject | None:
    r"""Return \{x \mid x > 2\} as a set of real numbers; None for any other form."""
    if part[0].text + part[-1].text not in ("⦃⦄", "{}"):
        return None
    inner = part[1:-1]
    bars = [index for index, token in enumerate(inner) if token.is_sign("|:")]
    if not bars or not 1 <= bars[0] <= 3 or inner[0].kind != "word":
        return None
    if bars[0] != 1 and [token.text for token in inner[1 : bars[0]]] != ["∈", "ℝ"]:
        return None
    parts, separators = split_answer(inner[bars[0] + 1 :])
    contents = [parse_item(condition, context) for condition in parts]
    match _joined(contents, separators) if contents else None:
        case Equation(_, name, RealSet() as numbers) if name == inner[0].text:
            return numbers
    raise UndecidedError("a set with a condition that is not understood")


# Words


def _words(all_tokens: Sequence[Token]) -> MathObject | None:
    """Return the words of an answer without a formula, also a list with commas; else None."""
    if not all_tokens or not all(
        t.kind in ("word", "text") or t.is_sign(",-'") for t in all_tokens
    ):
        return None
    first, is_single = all_tokens[0], len(all_tokens) == 1
    if is_single and first.kind == "word" and len(first.text) > 3 and first.text.isupper():
        return Words(first.text.casefold())  # HHTH
    is_text = is_single and first.kind == "text"
    if not is_text and not any(t.kind in ("word", "text") and _is_word(t.text) for t in all_tokens):
        return None
    text = " ".join(token.text for token in all_tokens).casefold().replace(",", ", ")
    text = " ".join(text.strip(" .").split())
    named = _NAMED_OBJECTS.get(text)
    has_function = any(t.kind == "word" and t.text.lower() in _NO_WORDS for t in all_tokens)
    is_formula = has_function and len(all_tokens) < 3 and all(t.kind == "word" for t in all_tokens)
    return named or (None if is_formula else Words(text))


def _is_word(word: str) -> bool:
    """Return whether this is a word, rather than letters or the name of a function."""
    lower = word.lower()
    if lower in _NO_WORDS or lower in _SHORT_WORDS:
        return lower not in _NO_WORDS
    has_vowel = not set("aeiouy" if len(word) > 3 else "aeiou").isdisjoint(lower)
    return len(word) > 2 and has_vowel and not (len(word) == 3 and is_product(word))


# Several parts


def _joined(contents: Sequence[MathObject], separators: Sequence[str]) -> MathObject:
    """Return the meaning of one part or several together."""
    if len(contents) == 1:
        return contents[0]
    conditions = [content for content in contents if isinstance(content, Words)]
    if conditions and len(conditions) < len(contents):
        formulas = [content for content in contents if not isinstance(content, Words)]
        content = _joined(formulas, [","] * (len(formulas) - 1))
        return Noted(content, "; ".join(condition.text for condition in conditions))
    names = [content.name for content in contents if isinstance(content, Equation)]
    if any(_numbers(content) is not None for content in contents) and len(set(names)) <= 1:
        return _joined_sets(contents, separators, names)
    if len(names) == len(contents):
        if "or" in separators and len(set(names)) > 1:
            raise UndecidedError("one of several equations")
        return _named(contents) or Noted(Collection(tuple(contents)), "parts")
    if names and isinstance(contents[0], Equation) and contents[0].name and len(names) == 1:
        items = _flat([contents[0].content, *contents[1:]])
        return Equation(None, contents[0].name, Collection(items))
    if isinstance(contents[0], NamedValues):
        return Collection(
            tuple(Bracketed("()", c.values) if isinstance(c, NamedValues) else c for c in contents)
        )
    if names or any(isinstance(content, Noted) for content in contents):
        # Several parts, which equal only the same parts.
        return Noted(Collection(tuple(contents)), "or" if "or" in separators else "parts")
    return Collection(_flat(contents))


def _flat(contents: Sequence[MathObject | None]) -> tuple[MathObject, ...]:
    """Return the items, where lists such as ± 3 are replaced by their items."""
    items: list[MathObject] = []
    for content in contents:
        if isinstance(content, Collection) and not content.in_braces:
            items += content.items
        elif content is not None:
            items.append(content)
    return tuple(items)


def _named(contents: Sequence[MathObject]) -> MathObject | None:
    """Return named values: a repeated name makes a list, different names are coordinates."""
    names, values = [], []
    for content in contents:
        if not isinstance(content, Equation) or content.name is None or content.content is None:
            return None
        names.append(content.name)
        values.append(content.content)
    if len(set(names)) == 1:
        return Equation(None, names[0], Collection(_flat(values)))
    if len(set(names)) < len(names):
        raise UndecidedError("names that occur twice")
    return NamedValues(tuple(names), tuple(values))


def _numbers(content: MathObject) -> RealSet | None:
    """Return the set of numbers that satisfy an inequality."""
    if isinstance(content, Equation) and isinstance(content.content, RealSet):
        return content.content
    return content if isinstance(content, RealSet) else None


def _joined_sets(
    contents: Sequence[MathObject], separators: Sequence[str], names: Sequence[str | None]
) -> MathObject:
    """Return the numbers that satisfy inequalities of one letter, with "and", "or" or commas."""
    sets: list[RealSet] = []
    for content in contents:
        numbers = _numbers(content)
        if numbers is None and isinstance(content, Equation) and isinstance(content.content, Value):
            numbers = points([content.content])
        if (
            numbers is None
            and sets
            and isinstance(content, Value)
            and all(part.low == part.high for part in complement(sets[-1]).intervals)
        ):
            numbers = complement(points([content]))  # x ≠ 1, 2
        if numbers is None:
            raise UndecidedError("an inequality beside other parts")
        sets.append(numbers)
    if len(set(separators)) > 1:
        raise UndecidedError("both and and or")
    result = union(sets) if separators[0] == "or" else reduce(intersection, sets)
    if separators[0] == ",":
        # x > 1, x < 3 means "and"; x < 1, x > 3 means "or", since no number satisfies both.
        either = union(sets)
        if not result.intervals:
            result = either
        elif complement(either).intervals:
            raise UndecidedError("a comma between inequalities")
    return Equation(None, names[0], result) if names else result
