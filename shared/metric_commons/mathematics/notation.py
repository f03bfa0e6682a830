r"""LaTeX and plain text as tokens: \dfrac12 and \frac{1}{2}, × and \cdot become the same."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from .work_limits import UndecidedError

MAX_LENGTH = 2_000  # of a text; answers are short

Kind = Literal["number", "text", "command", "word", "sign", "end"]


class Token(NamedTuple):
    r"""A number, the content of \text{}, the name of a command, a word, or a single sign."""

    kind: Kind
    text: str

    def is_sign(self, signs: str) -> bool:
        """Whether the token is one of these signs."""
        return self.kind == "sign" and self.text in signs


END = Token("end", "")
OPENING, CLOSING = "([{⦃", ")]}⦄"  # ⦃ and ⦄ are the braces of sets
CURRENCIES = "¤£€"  # ¤ is the dollar sign of \$; a bare $ only marks mathematics
ROW_END = "↵"  # \\ in a matrix

# What is written instead of these signs, which no keyboard has, or which TeX has no use for.
_SIGNS = str.maketrans(
    {
        sign: replacement
        for replacement, signs in {
            "-": "−–—‐‑",
            "*": "×·⋅∗",
            "/": "÷",
            "≤": "⩽",
            "≥": "⩾",
            "=": "＝",
            "%": "％",
            "°": "º∘",
            " ": "\u00a0",
            "^2": "²",
            "^3": "³",
            " 1/2": "½",
            " 1/4": "¼",
            " 3/4": "¾",
            r"\sqrt ": "√",
        }.items()
        for sign in signs
    }
)
_COMMANDS = {
    command: replacement
    for replacement, commands in {
        "*": "cdot times ast",
        "/": "div",
        "<": "lt",
        ">": "gt",
        "≤": "le leq leqslant",
        "≥": "ge geq geqslant",
        "≠": "ne neq",
        "±": "pm",
        "∓": "mp",
        "|": "lvert rvert vert",
        "⦃": "lbrace",
        "⦄": "rbrace",
        "∪": "cup",
        "∩": "cap",
        "∈": "in",
        "∞": "infty",
        "π": "pi",
        "°": "degree textdegree",
        r"\frac ": "dfrac tfrac cfrac",
        " ": "left right big Big bigg Bigg bigl bigr Bigl Bigr displaystyle limits mathstrut "
        "hfill quad qquad",
    }.items()
    for command in commands.split()
}
_FONTS = "mathrm textbf textit textrm mbox operatorname mathbf mathsf textnormal bf rm"

# Steps of LaTeX, in this order. White space comes as single spaces.
_REWRITES = [
    (re.compile(pattern), replacement)
    for pattern, replacement in [
        (r"\\\\", ROW_END),
        # Thousands are joined: 10{,}000 and 10,\!000 and 10\,000.
        (r"(?<=[0-9]) ?\{ ?, ?\} ?(?=[0-9]{3})|(?<=[0-9]) ?, ?\\! ?(?=[0-9]{3})", ""),
        (r"(?<=[0-9])\\[,!;:] ?(?=[0-9]{3}(?![0-9]))|(?<=[0-9]),\\ (?=[0-9]{3})", ""),
        (r"\\[!,;:> ]|~|&nbsp;", " "),
        (r"\\(?:left|right) ?\.", " "),
        (r"\^ ?\{? ?(?:\\circ|°)(?![A-Za-z]) ?\}?", "°"),
        (r"\\%", "%"),
        (r"\\\$", "¤"),
        (r"\\\{", "⦃"),
        (r"\\\}", "⦄"),
        (r"\\[()\[\]]", " "),
        (r"\\(?:mathrm|text|mathit) ?\{ ?([ei]) ?\}", r" \1 "),  # the constants in upright letters
        (rf"\\(?:{_FONTS.replace(' ', '|')}) ?\{{", r"\\text{"),
    ]
]
_ROOT_OF_NUMBER = re.compile("√ ?([0-9]+)")  # all of it, where \\sqrt takes a digit
_IS_LATEX = re.compile(r"[\\^{~&]")
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_SPACE = re.compile(r"\s+")
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>
        [0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?(?![0-9]|,[0-9])  # 1,000.5
        | (?:[0-9]+\.[0-9]*|\.?[0-9]+)[eE][+-]?[0-9]+(?![A-Za-z0-9])  # 6.02e23
        | [0-9]*\.[0-9]+
        | [0-9]+(?:\.(?!\.))?
    )
    | (?P<text>\\text\ ?\{)
    | \\(?P<command>[A-Za-z]+)
    | (?P<word>[A-Za-z]+)
    | (?P<sign>\S)
    )""",
    re.VERBOSE,
)


def tokens(text: str) -> list[Token]:
    r"""The tokens of an answer.

    "1,000" is a number, but a pair inside brackets.

    Raises:
        UndecidedError: a brace of \text{ is not closed, or the text is very long.

    >>> [token.text for token in tokens(r"-\dfrac{1}{2}x \cdot 1,000")]
    ['-', 'frac', '{', '1', '}', '{', '2', '}', 'x', '*', '1000']
    >>> [token.text for token in tokens(r"(1,000)")]
    ['(', '1', ',', '000', ')']
    """
    if len(text) > MAX_LENGTH:
        raise UndecidedError("a long text")
    text = _rewritten(_SPACE.sub(" ", text).strip())
    result: list[Token] = []
    start, depth = 0, 0
    while match := _TOKEN.match(text, start):
        start = match.end()
        kind, content = match.lastgroup, match[match.lastgroup or 0]
        if kind == "number" and "," in content:
            result += _grouped_number(content, in_brackets=depth > 0)
        elif kind == "text":
            end = closing_brace(text, start)
            result.append(Token("text", text[start:end].strip()))
            start = end + 1
        else:
            depth += (content in "([⦃") - (content in ")]⦄")
            result.append(Token(kind, content))  # type: ignore[arg-type] # a name of a group
    return result


def _rewritten(text: str) -> str:
    if not text.isascii():
        text = _ROOT_OF_NUMBER.sub(r"\\sqrt{\1}", text).translate(_SIGNS)
    if _IS_LATEX.search(text):
        for pattern, replacement in _REWRITES:
            text = pattern.sub(replacement, text)
        text = _COMMAND.sub(lambda match: _COMMANDS.get(match[1], match[0]), text)
    return text.replace("$", " ").replace("**", "^")


def _grouped_number(text: str, *, in_brackets: bool) -> Iterator[Token]:
    if not in_brackets:
        yield Token("number", text.replace(",", ""))
        return
    for index, digits in enumerate(text.split(",")):
        if index:
            yield Token("sign", ",")
        yield Token("number", digits)


def closing_brace(text: str, start: int) -> int:
    """The index of the brace that closes the one before `start`.

    Raises:
        UndecidedError: there is none.

    >>> closing_brace("{a{b}}", 1)
    5
    """
    depth = 1
    for index in range(start, len(text)):
        if text[index] in "{}" and text[index - 1] != "\\":
            depth += 1 if text[index] == "{" else -1
            if not depth:
                return index
    raise UndecidedError("a brace is not closed")


def split(sequence: Sequence[Token], separators: str) -> list[list[Token]]:
    """The parts between separators that stand outside brackets.

    Where commas separate, "and" and "or" do so too.

    >>> [[token.text for token in part] for part in split(tokens("1, (2, 3) and 4"), ",")]
    [['1'], ['(', '2', ',', '3', ')'], ['4']]
    """
    splits_at_words = "," in separators and any(t.kind in ("word", "text") for t in sequence)
    if not splits_at_words and {token.text for token in sequence}.isdisjoint(separators):
        return [list(sequence)]
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in sequence:
        if token.kind == "sign":
            depth += (token.text in OPENING) - (token.text in CLOSING)
        is_word = "," in separators and token.kind in ("word", "text")
        is_separator = is_word and token.text.lower().strip(" ,") in ("and", "or")
        if not depth and (is_separator or token.is_sign(separators)):
            parts.append([])
        else:
            parts[-1].append(token)
    return parts
