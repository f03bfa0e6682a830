r"""Steps of extraction of our own: all boxes, the final answer, its number, its letter, its code.

They return nothing rather than guess. Their result is the text of an answer, without its marks: no
`$`, no bold type, no full stop.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from ..tokens.fences import fenced_code
from ..tokens.thoughts import without_thoughts
from .community_steps import Step

_BOX = re.compile(r"\\(?:boxed|fbox)\s*+\{")
_BOX_OR_BRACE = re.compile(r"\\(?:boxed|fbox)\s*+\{|(?<!\\)[{}]")
# Text that may occur between two boxes of one answer.
_BETWEEN_BOXES = re.compile(
    r"(?:[\s,;&$]|\\[()\[\]]|\\q?quad|\\[,;: ]"
    r"|\\text(?:rm|bf)?\{\s*,?\s*(?:and|or)\s*\}|\band\b|\bor\b)*+"
)
_LONGEST_GAP = 60  # characters between two boxes

_TYPE_MARKS = r"[\s*_`#]{0,12}+"
_VERBS = r"(?:is|are|was|ist|lautet|es|est|é|è|это|هي|هو|是|为|為)"
_ANSWER = re.compile(
    rf"""(?:
      (?i:answers?|respuesta|antwort|réponse|risposta|resposta|ответ|الإجابة|الجواب)
      (?i:\s+(?:final|finale|correcta))?+
      {_TYPE_MARKS} (?: (?:{_VERBS})(?![A-Za-z]) | [:：=] )
    | (?:答案|答え|解答|정답|답) {_TYPE_MARKS} (?: {_VERBS} | は | 은 | 는 | [:：=] )
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
        (?P<sign> (?<![\w)}}\]]) [{_MINUS}] | (?<=[{{(=$]) [{_MINUS}]\s )?+
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

_FULL_WIDTH = {ord("（"): "(", ord("）"): ")", ord("："): ":", ord("．"): ".", ord("。"): "."}
_FULL_WIDTH |= {code: chr(code - 0xFEE0) for code in range(ord("Ａ"), ord("Ｚ") + 1)}
_BOXED_LETTER = re.compile(
    r"\\boxed\{\s*+(?:\\(?:text|textbf|mathrm|mathbf)\{)?\s*+\(?([A-Z])\)?\s*+\}?\s*+\}"
    r"|\\textbf\{\s*+\(([A-Z])\)\s*+\}"
)
_ANSWER_IS_LETTER = re.compile(
    r"""
    # "answer", "choice" or "option"; a set of first letters takes a third of the time to find.
    [AaCcOo] (?i:(?<=a)nswer|(?<=c)hoice|(?<=o)ption)
    \s*+ (?i:is|:|=) [\s:*$]*+ [(\[]?+ \**+                          # "is: **("
    ([A-Z]) \b
    (?<! \b[AI] (?= \s+ (?!because|since|as|is|and|or) [a-z]))       # no article, no pronoun
    \**+ [)\]]?+
    (?! [A-Za-z'’]) (?! \s* (?:or|and|/|&) \s* \(? [A-Z]\b)          # not "B or C"
    | (?:答案|正确选项) [\s*]*+ (?:是|为|:) [\s*]*+ \(? ([A-Z]) (?![A-Za-z])
    | 选 (?:择|项)?+ \s*+ \(? ([A-Z]) (?![A-Za-z])
    | [AaCcOo] (?i:(?<=a)nswer|(?<=c)hoice|(?<=o)ption) \s++ \(? \**+ ([A-Z]) \**+ \)?
      \s++ is \s++ (?:the \s++)?+ (?:correct|right|best|true)
    """,
    re.VERBOSE,
)
_BOLD_LETTER = re.compile(r"\*\*\(?([A-Z])[.):][^*\n]{0,200}\*\*")
_LETTER_ALONE = re.compile(r"(?:\*\*|`)?\(?([A-Z])\)?(?:\*\*|`)?\s*+[.)]?")
_LETTER_AND_TEXT = re.compile(r"\(?([A-Z])[.)]\s++(?!or\b|and\b)[^()]*+")
_ENDING = 2048  # characters of a text that are searched first
_LONGEST_LETTER = 12  # characters of a line with nothing but a letter


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
        return max(candidates, key=lambda candidate: candidate[0])[1]
    if _BOX.search(text):
        return None
    conclusion = _CONCLUSION.fullmatch(text.rstrip().rpartition("\n")[2].strip())
    if conclusion and not _WORD.search(conclusion[1]):
        return _up_to_end(conclusion[1])
    matches = list(_DISPLAYED.finditer(text))
    return _unmarked(next(filter(None, matches[-1].groups()), "")) or None if matches else None


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
    """Return the last number; most texts end with one, so their ends are searched first."""
    start = max(len(text) - _ENDING, 0)
    number = None
    for number in pattern.finditer(text, start):  # noqa: B007 # the last one
        pass
    if start and (number is None or number.start() < start + _LONGEST_GAP):
        for number in pattern.finditer(text):  # noqa: B007 # perhaps its beginning was cut off
            pass
    return number


def _number_text(number: re.Match[str], marks: Mapping[str, str]) -> str:
    """Return a number in plain characters, with other marks between its digits."""
    digits = number["digits"] or f"{number['top']}/{number['bottom']}"
    for mark, replacement in marks.items():
        digits = digits.replace(mark, replacement)
    power = number["power"] or (f"E{number['exponent']}" if number["exponent"] else "")
    sign = "-" if number["sign"] else ""
    currency = "$" if number["currency"] else ""
    return f"{sign}{currency}{digits}{power.translate(_PLAIN_MINUS)}{number['percent'] or ''}"


def _last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the last match of a pattern; the end of a text, where answers are, is searched first.

    No match of the pattern may be inside another one with other groups.
    """
    size = _ENDING
    while True:
        start = max(len(text) - size, 0)
        matches = list(pattern.finditer(text, start))
        if matches or not start:
            return matches[-1] if matches else None
        size *= 8


def choice(text: str) -> str | None:
    """Return the final choice of a text, a letter.

    It is in the last box, else after the last "answer is", "option" or 答案是, else in bold type or
    alone in its line. No community uses this step; it returns nothing rather than guess.

    >>> choice("A is wrong. The answer is (B)."), choice("(B)"), choice("The answer: **C**")
    ('B', 'B', 'C')
    >>> choice("(A) or (B)"), choice("The answer is A fish"), choice("The answer is A or B")
    (None, None, None)
    >>> choice("option B is correct"), choice("**C. green**"), choice("答案是（D）。")
    ('B', 'C', 'D')
    """
    text = without_thoughts(text) or ""
    if not text.isascii():
        text = text.translate(_FULL_WIDTH)
    boxed = _last_match(_BOXED_LETTER, text) if "{" in text else None
    match = boxed or _last_match(_ANSWER_IS_LETTER, text)
    if match:
        return str(next(filter(None, match.groups())))
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    for line in reversed(lines):
        letter = _LETTER_ALONE.fullmatch(line) if len(line) <= _LONGEST_LETTER else None
        if letter:
            return letter[1]
    bold = set(_BOLD_LETTER.findall(text))
    if len(bold) == 1:
        return str(bold.pop())
    single_line = _LETTER_AND_TEXT.fullmatch(lines[0]) if len(lines) == 1 else None
    return single_line[1] if single_line else None


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
