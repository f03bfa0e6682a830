r"""Steps of extraction of our own: all boxes, the final answer, its number, its letter, its code.

They return nothing rather than guess. Their result is the text of an answer, without its marks: no
`$`, no bold type, no full stop.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from ..tokens.fences import fenced_code
from ..tokens.thoughts import without_thoughts
from .choice_letters import VERBS, choice
from .community_steps import Step

_BOX = re.compile(r"\\(?:boxed|fbox)\s*+\{")
_BOX_OR_BRACE = re.compile(r"\\(?:boxed|fbox)\s*+\{|(?<!\\)[{}]")
# Text that may occur between two boxes of one answer.
_BETWEEN_BOXES = re.compile(
    r"(?:[\s,;&$]|\\[()\[\]]|\\q?quad|\\[,;: ]"
    r"|\\text(?:rm|bf)?\{\s*,?\s*(?:and|or)\s*\}|\band\b|\bor\b)*+"
)
_LONGEST_NUMBER = 32  # characters of most numbers
_LONGEST_GAP = 60  # characters between two boxes

_TYPE_MARKS = r"[\s*_`#]{0,12}+"
_ANSWER = re.compile(
    rf"""(?:
      (?i:answers?|respuesta|antwort|réponse|risposta|resposta|ответ|الإجابة|الجواب)
      (?i:\s+(?:final|finale|correcta))?+
      {_TYPE_MARKS} (?: (?:{VERBS})(?![A-Za-z]) | [:：=] )
    | (?:答案|答え|解答|정답|답) {_TYPE_MARKS} (?: {VERBS} | は | 은 | 는 | [:：=] )
    | ^[ \t*_\#]*+ (?i:(?:the\ )?(?:final\ )?answer) [ \t*_\#]*+ $       # a heading
    ) [\s*_`:：]*+""",
    re.VERBOSE | re.MULTILINE,
)
_HASHES = re.compile(
    r"^[ \t]*####[ \t]+(?=[^\s#])|(?<=[\s.])####[ \t]+(?=[-$\\0-9(])", re.MULTILINE
)
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？]")
_COPULA = re.compile(r"\s*(?:です|である|だ|입니다|이다)$")
_CONCLUSION = re.compile(
    r"(?:(?i:therefore|thus|hence|so|consequently|finally),?|∴|所以|因此|したがって、?|よって、?)\s*"
    r"((?:[^\W\d_]'?(?:_\w)?(?:\([a-z]\))?\s*=\s*|\$|\\[(\[]|[-−]?[0-9]).*)"
)
_WORD = re.compile(r"(?<!\\)\b[^\W\d_]{3,}")  # of a sentence, which no formula is
_REJECTED = re.compile(r",?\s+(?:not|instead of|rather than|because|since|as opposed to)\b")
_DIGIT = re.compile("[0-9]")
_PREFACE = re.compile(  # before a value: "Total:", "about"
    r"(?:[^\W\d_][^\W\d]{1,20}(?:\ [^\W\d]{1,20}){0,4}:"
    r"|that|about|approximately|around|roughly|exactly)\s+(?=[-−$€£\\(]*[0-9])"
)
_VALUE = re.compile(r"[-−$€£\\(]*[0-9]")
_CLAUSE = re.compile(  # after a value
    r",\s+(?!and\b|or\b)(?=[a-z]{2}|a\s[a-z])|;\s|\s[–—]\s(?=[a-z]{2})|\s-\s(?=[a-z]+\s[a-z]{2})"
    r"|\s\((?!mod\b)(?=[^()]*[a-z]{2})|\s+in\ (?:total|all)\b"
)
_STATEMENT = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|can|there|gets?|got|makes?|made|needs?|needed|costs?|pays?"
    r"|paid|earns?|earned|spends?|spent|takes?|took|equals?)\b"
)
_OPERATION = re.compile(
    r"(?<=[0-9}%)a-z])\s*(?:[-+*/×·÷−]|\\times|\\cdot|\\div|x(?=\s))|\\[dt]?frac"
)
_UNKNOWN = re.compile(r"\s*[A-Za-z](?:_\w)?\s*=")
_VARIABLE = re.compile(r"(?<![A-Za-z\\])[A-Za-z](?![A-Za-z])|[<>≤≥≠]")
_DISPLAYED = re.compile(
    r"\*\*([^*\n]{1,200})\*\*|\$\$([^$]{1,500})\$\$|\\\[((?:[^\\]|\\(?![\[\]]))++)\\\]"
)
_FORMULA_MARKS = (
    ("$$", "$$"),
    ("$", "$"),
    (r"\(", r"\)"),
    (r"\[", r"\]"),
    ("**", "**"),
    ("`", "`"),
)

_MINUS = "-−–‑"
_PLAIN_MINUS = str.maketrans(dict.fromkeys(_MINUS, "-"))


def _number_pattern(marks: str, whole: str, decimal: str) -> re.Pattern[str]:
    """Return the pattern of a number that is in no word and no exponent, index, fraction or root.

    Args:
        marks: what may separate groups of three digits, as a pattern.
        whole: a number without groups, as a pattern.
        decimal: the decimal mark, as a pattern.
    """
    return re.compile(
        rf"""
        (?<![\w.,^/]) (?<![\^_]\{{) (?<!\^[{_MINUS}]) (?<!\^\{{[{_MINUS}])
        (?<!frac\{{) (?<!binom\{{) (?<!sqrt\{{) (?<!\}}\{{)
        (?P<sign> (?<=[{{(=$]) [{_MINUS}]\s | (?<![\w)}}\]]) [{_MINUS}] )?+
        (?P<currency> \\?\$ )?+
        (?: (?P<digits>
                [0-9]{{1,3}} (?P<mark>{marks}) [0-9]{{3}} (?:(?P=mark)[0-9]{{3}})*+ (?![0-9])
                (?:{decimal}[0-9]++)?+
              | {whole}
            )
            (?: (?P<power>[eE][-+−]?[0-9]++)(?!\w)
              | \s?(?:\\times|\\cdot|×|·|\*)\s?10\s?\^\s?\{{?(?P<exponent>[{_MINUS}]?[0-9]++)\}}?
            )?+
          | \\[dt]?frac\{{(?P<top>[0-9]++)\}}\{{(?P<bottom>[0-9]++)\}}
        )
        (?P<percent> \s?% )?+""",
        re.VERBOSE,
    )


_MARKS = r"['’\ \u00a0\u2009\u202f]|\\,"  # between groups of digits, beside commas or points
_NUMBER = _number_pattern(
    rf",|\{{,\}}|{_MARKS}", r"[0-9]++(?:\.[0-9]++)?(?:/[0-9]++)?|\.[0-9]++", r"\."
)
_NUMBER_WITH_COMMA = _number_pattern(
    rf"\.|{_MARKS}", r"[0-9]++(?!\.[0-9])(?:(?:,|\{,\})[0-9]++)?(?:/[0-9]++)?", r"(?:,|\{,\})"
)


class _Box(NamedTuple):
    """A box that is closed: where it starts and ends, and its content."""

    start: int
    end: int
    content: str


def _boxes(text: str) -> list[_Box]:
    """Return the boxes that are closed and in no other; none if the last one is cut off."""
    boxes: list[_Box] = []
    starts: list[tuple[int, int] | None] = []  # of the boxes and other braces that are open
    last = -1
    for brace in _BOX_OR_BRACE.finditer(text):
        if brace[0] != "}":
            is_box = brace[0] != "{"
            starts.append(brace.span() if is_box else None)
            last = brace.start() if is_box else last
            continue
        opening = starts.pop() if starts else None
        if opening is not None:
            while boxes and boxes[-1].start > opening[0]:  # inside this one
                boxes.pop()
            content = text[opening[1] : brace.start()].strip()
            boxes.append(_Box(opening[0], brace.end(), content))
    is_closed = not any(opening is not None and opening[0] == last for opening in starts)
    return boxes if is_closed else []


def tagged_or_boxed(text: str) -> str | None:
    r"""Return the answer of a reply as trainers ask for it: in `<answer>` tags, else the last box.

    Only the text after the thoughts counts; a thought, a tag or a last box that is never closed
    has no answer. "\boxed 5" counts where no later box has braces.

    >>> tagged_or_boxed(r"<think>\boxed{1}</think><answer>$7$</answer>"), tagged_or_boxed("7")
    ('7', None)
    >>> tagged_or_boxed(r"$\boxed 5$, no: \boxed{\frac12}"), tagged_or_boxed(r"\boxed{\frac{1}{")
    ('\\frac12', None)
    """
    text = without_thoughts(text) or ""
    _, opened, tagged = text.rpartition("<answer>")
    if opened:
        content, closed, _ = tagged.partition("</answer>")
        box = _last_box(content)
        return (_unmarked(content) if box is None else box) if closed else None
    return _last_box(text)


def _last_box(text: str) -> str | None:
    start = text.rfind("\\boxed ")
    boxes = _boxes(text)
    if start >= 0 and not _BOX.search(text, start):
        return _unmarked(re.split(r"[$\n]", text[start + len("\\boxed ") :], maxsplit=1)[0])
    return boxes[-1].content if boxes else None


def boxed_all(text: str) -> str | None:
    r"""Return the contents of the last adjacent boxes, joined by commas; equal ones once.

    Adjacent boxes are separated only by white space, commas, "and" and "or". Other boxes before
    them do not count.

    >>> boxed_all(r"\boxed{2}, \boxed{3} and $\boxed{5}$"), boxed_all(r"\boxed{2}. No: \boxed{3}")
    ('2, 3, 5', '3')
    """
    run = _last_boxes(without_thoughts(text) or "")
    return ", ".join(dict.fromkeys(box.content for box in run if box.content)) or None


def _last_boxes(text: str) -> list[_Box]:
    run: list[_Box] = []
    for box in _boxes(text):
        gap = text[run[-1].end : box.start] if run else ""
        if len(gap) > _LONGEST_GAP or not _BETWEEN_BOXES.fullmatch(gap):
            run = []
        run.append(box)
    return run


def final_answer(text: str) -> str | None:
    r"""Return the answer that a text ends with.

    `<answer>` tags as in `tagged_or_boxed`; else the last of: boxes as in `boxed_all`, "####",
    "answer is" or "answer:" in eleven languages; else a last line such as "Therefore, x = 7."; else
    the last bold text or displayed formula. It runs to the end of the line or sentence. A last box
    that is cut off is no answer.

    >>> final_answer("<think>3?</think>The answer is **4**."), final_answer("#### 18")
    ('4', '18')
    >>> [final_answer(text) for text in ("Ответ: 5.", "答えは 5 です。", "Therefore, x = 7.")]
    ['5', '5', 'x = 7']
    >>> final_answer("I do not know.") is None
    True
    """
    text = without_thoughts(text) or ""
    if "<answer>" in text:
        return tagged_or_boxed(text)
    boxes = _last_boxes(text)
    candidates = [(boxes[0].start, boxed_all(text))] if boxes else []
    for pattern in (_ANSWER, _HASHES):
        matches = list(pattern.finditer(text))
        if matches:
            candidates.append((matches[-1].start(), _up_to_end(text[matches[-1].end() :])))
    if candidates:
        return _as_meant(max(candidates, key=lambda candidate: candidate[0])[1])
    if _BOX.search(text):
        return None
    conclusion = _CONCLUSION.fullmatch(text.rstrip().rpartition("\n")[2].strip())
    if conclusion and not _WORD.search(conclusion[1]):
        return _as_meant(_up_to_end(conclusion[1]))
    matches = list(_DISPLAYED.finditer(text))
    return _as_meant(_unmarked(next(filter(None, matches[-1].groups()), ""))) if matches else None


def _as_meant(answer: str | None) -> str | None:
    """Return the value that a person reads in an answer; None for a sentence about a number.

    >>> _as_meant("72, which is the total"), _as_meant("3 + 4 = 7"), _as_meant("Total: $70")
    ('72', '7', '$70')
    >>> _as_meant("she made 70 dollars") is None, _as_meant("x = 7")
    (True, 'x = 7')
    """
    if not answer or not _DIGIT.search(answer):
        return answer or None
    answer = _PREFACE.sub("", answer, count=1)
    if _VALUE.match(answer):
        clause = _CLAUSE.search(answer)
        answer = answer[: clause.start()] if clause else answer
    elif _STATEMENT.search(answer):
        return None
    formula, equals, value = answer.rpartition("=")
    if equals and _DIGIT.search(value) and _OPERATION.search(formula):
        formula = _OPERATION.sub(" ", _UNKNOWN.sub("", formula, count=1))
        if not _VARIABLE.search(formula):
            return _unmarked(value) or None
    return answer


def _up_to_end(remainder: str) -> str | None:
    """Return the rest of the line or sentence, without marks; None if it is rejected."""
    remainder = remainder.lstrip()
    for left, right in _FORMULA_MARKS:
        end = remainder.find(right, len(left))
        if remainder.startswith(left) and end > 0 and left != "$":
            formula, following = remainder[len(left) : end], remainder[end + len(right) :]
            tail = _sentence(following)
            return _unmarked(formula + (f" {tail}" if tail and left != "**" else "")) or None
    sentence = _sentence(remainder)
    return None if sentence.startswith("not ") else _unmarked(sentence) or None


def _sentence(text: str) -> str:
    line = text.split("\n", 1)[0]
    end = _SENTENCE_END.search(line)
    line = line[: end.start()] if end else line
    rejected = _REJECTED.search(line) or _COPULA.search(line)
    return line[: rejected.start()] if rejected else line


def _unmarked(text: str) -> str:
    """Return the text without the marks around it, stops and white space at its ends."""
    previous_text = None
    while previous_text != text:
        previous_text = text = _without_ends(text)
        for left, right in _FORMULA_MARKS:
            inner = text[len(left) : -len(right)]
            is_marked = len(text) > len(left + right) and text == left + inner + right
            if is_marked and left not in inner:
                text = inner
    return text


def _without_ends(text: str) -> str:
    """Return the text without type marks and white space at its ends, and without final stops.

    One pass: `strip` for one kind after another would copy the text for each change of kind.
    """
    start, end = 0, len(text)
    while start < end and (text[start] in "*_`" or text[start].isspace()):
        start += 1
    while start < end and (text[end - 1] in "*_`.,;:。，" or text[end - 1].isspace()):
        end -= 1
    return text[start:end]


def final_number(text: str) -> str | None:
    r"""Return the last number, with its sign and exponent, and without its unit.

    Groups of three digits may be separated by commas, which remain, by `'`, `\,`, `{,}`, or blanks.

    >>> final_number("It weighs 1,080.5 kg on 12 m^2."), final_number("so -3/4"), final_number("no")
    ('12', '-3/4', None)
    >>> final_number(r"so \boxed{-1{,}080}"), final_number("12 500 km"), final_number("1.5E-3 kg")
    ('-1080', '12500', '1.5E-3')
    """
    number = _last_number(_NUMBER, without_thoughts(text) or "")
    if number is None:
        return None
    mark = number["mark"]
    return _number_text(number, {} if mark in (None, ",") else {mark: ""})


def final_number_comma(text: str) -> str | None:
    """Return the last number of a text with decimal commas, with a point; see `final_number`.

    >>> final_number_comma("Das macht 1.080,50 Euro.")
    '1080.50'
    """
    number = _last_number(_NUMBER_WITH_COMMA, without_thoughts(text) or "")
    if number is None:
        return None
    return _number_text(number, {number["mark"] or ".": "", "{,}": ".", ",": "."})


def _last_number(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the last number; the text around its last digit is searched first."""
    last = max(map(text.rfind, "0123456789"))
    size = 2 * _LONGEST_NUMBER
    while last >= 0:
        start = max(last - size, 0)
        numbers = list(pattern.finditer(text, start))
        # The beginning of a number at the start of the section may be missing.
        if not start or (numbers and numbers[-1].start() > start + _LONGEST_NUMBER):
            return numbers[-1] if numbers else None
        size *= 8
    return None


def _number_text(number: re.Match[str], marks: Mapping[str, str]) -> str:
    """Return a number in plain characters, with other marks between its digits."""
    digits = number["digits"] or f"{number['top']}/{number['bottom']}"
    for mark, replacement in marks.items():
        digits = digits.replace(mark, replacement)
    power = number["power"] or (f"E{number['exponent']}" if number["exponent"] else "")
    sign = "-" if number["sign"] else ""
    currency = "$" if number["currency"] else ""
    return f"{sign}{currency}{digits}{power.translate(_PLAIN_MINUS)}{number['percent'] or ''}"


def code_fence(text: str) -> str | None:
    r"""Return the last fenced code.

    >>> code_fence("So:\n```python\nprint(1)\n```\nDone.")
    'print(1)'
    """
    code = fenced_code(text)
    return None if code is None else code.rstrip("\n")


FINAL_ANSWER_STEPS: dict[str, Step] = {
    "choice": choice,
    "boxed_all": boxed_all,
    "tagged_or_boxed": tagged_or_boxed,
    "final_answer": final_answer,
    "final_number": final_number,
    "final_number_comma": final_number_comma,
    "code_fence": code_fence,
}
