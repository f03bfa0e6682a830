r"""LaTeX and plain text as tokens: \dfrac12 and \frac{1}{2}, × and \cdot become the same."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple
from unicodedata import normalize

from ..algebra.work_limits import UndecidedError

MAX_LENGTH = 2_000  # of a text; answers are short

Kind = Literal["number", "text", "command", "word", "sign", "end"]


class Token(NamedTuple):
    r"""A number, the content of \text{}, the name of a command, a word, or a single sign."""

    kind: Kind
    text: str
    is_spaced: bool = False  # preceded by white space

    def is_sign(self, signs: str) -> bool:
        """Return whether the token is one of these signs."""
        return self.kind == "sign" and self.text in signs

    def is_command(self, name: str) -> bool:
        """Return whether the token is this command."""
        return self.kind == "command" and self.text == name


END = Token("end", "")
OPENING, CLOSING = "([{⦃⟨⌊⌈", ")]}⦄⟩⌋⌉"  # ⦃ and ⦄ are the braces of sets
ROW_END = "↵"  # \\ in a matrix

_FRACTIONS = "½¼¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞⅐⅑⅒"
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ", "0123456789-+n")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")

_GREEK = (
    "alpha:α beta:β gamma:γ delta:δ epsilon:εϵ zeta:ζ eta:η theta:θϑ lambda:λ mu:μµ nu:ν xi:ξ "
    "rho:ρ sigma:σ tau:τ phi:φϕ chi:χ psi:ψ omega:ω Gamma:Γ Delta:Δ Theta:Θ Lambda:Λ Sigma:Σ "
    "Phi:Φ Psi:Ψ Omega:Ω ell:ℓ "
)
_GREEK_LETTERS = dict(pair.split(":") for pair in _GREEK.split())

# Replacements of signs that are missing on keyboards, or not used in TeX.
_PLAIN_SIGNS = """
- −–—‐‑－
+ ＋
* ×·⋅∗＊
/ ÷⁄∕／
≤ ⩽
≥ ⩾
< ＜
> ＞
= ＝
% ％
° º∘
( （
) ）
, ，
: ：∶
. ．
' ′’
∖ ⧵
… ⋯
"""
_SIGNS = str.maketrans(
    {
        sign: replacement
        for replacement, signs in {
            **dict(map(str.split, _PLAIN_SIGNS.strip().splitlines())),
            " ": "\u00a0\u2002\u2003",
            r"\sqrt ": "√",
            r"\angle ": "∠",
            r"\triangle ": "△",
            " cents": "¢",
            r"\sqrt[3] ": "∛",
            r"\sqrt[4] ": "∜",
            **{str(digit): chr(0xFF10 + digit) for digit in range(10)},
            **{rf"\{name} ": letters for name, letters in _GREEK_LETTERS.items()},
            **{
                r" \frac{{{}}}{{{}}}".format(*normalize("NFKC", sign).split("⁄")): sign
                for sign in _FRACTIONS
            },
        }.items()
        for sign in signs
    }
)
# Signs, and the commands for them.
_SIGNS_OF_COMMANDS = """
* cdot times ast
∖ setminus smallsetminus backslash
⟨ langle
⟩ rangle
⌊ lfloor
⌋ rfloor
⌈ lceil
⌉ rceil
… dots ldots cdots dotsc dotsb
≈ approx
≡ equiv
' prime
: colon
∨ lor vee
∧ land wedge
∅ emptyset varnothing oslash
/ div
< lt
> gt
≤ le leq leqslant leqq
≥ ge geq geqslant geqq
≠ ne neq
± pm
∓ mp
| lvert rvert vert mid
⦃ lbrace
⦄ rbrace
∪ cup
i imath
j jmath
∩ cap
∈ in
∞ infty
π pi
° degree textdegree
"""
_SPACES = (
    "left right big Big bigg Bigg bigl bigr Bigl Bigr displaystyle limits mathstrut hfill quad "
    "qquad textstyle nolimits Biggl Biggr biggl biggr bigm Bigm middle"
)
_COMMANDS = {
    command: sign
    for sign, *commands in map(str.split, _SIGNS_OF_COMMANDS.strip().splitlines())
    for command in commands
}
_COMMANDS |= {f"var{name}": rf"\{name} " for name in ("phi", "epsilon", "theta", "rho")}
_COMMANDS |= {"ell": " l ", **dict.fromkeys(("dfrac", "tfrac", "cfrac"), r"\frac ")}
_COMMANDS |= dict.fromkeys(_SPACES.split(), " ")
_FONTS = "mathrm textbf textit textrm mbox mathbf mathsf textnormal bf rm textsf texttt mathit"

_UPRIGHT = tuple(
    (
        "cis sin cos tan cot sec csc ln log exp gcd lcm det arcsin arccos arctan sinh cosh tanh"
    ).split()
)

_Rewrite = tuple[str, re.Pattern[str], str | Callable[[re.Match[str]], str]]


def _rewrites(*steps: tuple[str, str, str | Callable[[re.Match[str]], str]]) -> list[_Rewrite]:
    """Return steps: a string that is present if a step matters, a pattern, and its replacement."""
    return [(trigger, re.compile(pattern), replacement) for trigger, pattern, replacement in steps]


_THOUSANDS = r"(?<![0-9a-zA-Z_'.])[1-9][0-9]{0,2}(?:(['_])[0-9]{3})(?:\1[0-9]{3})*(?![0-9])"
_BEFORE_LATEX = _rewrites(
    ("'", _THOUSANDS, lambda match: match[0].replace(match[1], "")),
    ("_", _THOUSANDS, lambda match: match[0].replace(match[1], "")),
    ("_", r"(?<![\w\\])(?=\w{2})([0-9A-F]*[A-F][0-9A-F]*)_(?:16(?![0-9])|\{16\})", r"0x\1"),
    ("<=", "<=", "≤"),
    (">=", ">=", "≥"),
    ("!=", "(?<= )!=", "≠"),
)
_AFTER_LATEX = _rewrites(
    ("'", r"\^ ?\{ ?((?:' ?)+)\}|\^ ?(?=')", lambda match: (match[1] or "").replace(" ", "")),
    ("...", r"\.\.\.", "…"),
    (". ", r"\b(ft|in|hr|hrs|min|sec|lb|lbs|oz|yd|mi|sq|cu)\. ", r"\1 "),
    ("U", r"(?<=[)\]]) ?U ?(?=[(\[])", "∪"),
    (") | (", r"\) \| \(", ") or ("),  # of relations, as sympy prints them
    ("+/-", r"\+/-", "±"),
    ("10^", r"(?<=[0-9]) ?[xX] ?(?=10\^)", "*"),
    ("r(", r"\bn([CP])r\(", r"\1("),
    ("$", r"\$", " "),
    ("**", r"\*\*", "^"),
)
# White space is already reduced to single spaces.
_LATEX = _rewrites(
    ("\\\\", r"\\\\", ROW_END),
    # Thousands are joined: 10{,}000 and 10,\!000 and 10\,000.
    (
        ",",
        r"(?<=[0-9]) ?\{ ?, ?\}(?: ?\\!)? ?(?=[0-9]{3})|(?<=[0-9]) ?, ?\\! ?(?=[0-9]{3})",
        "",
    ),
    (
        "\\",
        r"(?<=[0-9])\\[,!;:] ?(?=[0-9]{3}(?![0-9]))|(?<=[0-9]),\\ (?=0[0-9]{2}(?![0-9]))",
        "",
    ),
    ("~", r"(?<=[0-9])~(?=[0-9]{3}(?![0-9]))", ""),
    ("", r"\\[!,;:> ]|~|&nbsp;", " "),
    ("mathbb", r"\\mathbb ?\{? ?R ?\}?", "ℝ"),
    ("ℝ", r"(?<=ℝ) *(?:\\ )?\\?\{([^{}\\]*)\\?\}", r"∖⦃\1⦄"),
    (
        "C",  # {}_5C_2 and ^5C_2 are 5C2
        r"(?:\{ ?\} ?)?[_^] ?\{? ?([0-9]+) ?\}? ?\{? ?([CP]) ?\}? ?_ ?\{? ?([0-9]+) ?\}?",
        r"\1\2\3",
    ),
    (
        "{",  # functions and ordinals in upright letters
        rf"\\(?:text|mathrm|operatorname) ?\{{ ?({'|'.join(_UPRIGHT)}) ?\}}",
        r"\\\1 ",
    ),
    ("superscript", r"\\textsuperscript", "^"),
    ("^", r"(?<=[0-9]) ?\^ ?\{? ?(?:\\(?:text|mathrm) ?\{)? ?(st|nd|rd|th) ?\}{0,2}", r"\1"),
    ("mathbb", r"\\mathbb ?\{? ?Z ?\}?", r" \\text{integers} "),
    ("mathbb", r"\\mathbb ?\{? ?([NQC]) ?\}?", r" \\text{\1} "),
    ("root", r"\\root ?\{? ?([2-9n]) ?\}? ?\\of(?![a-z])", r"\\sqrt[\1]"),
    ("bigcup", r"\\bigcup(?! ?[_^a-z])", "∪"),
    (
        "{\\",  # \hat{\mathbf{i}} and \vec{\mathbf{v}}
        r"\\(hat|vec) ?\{ ?\\(?:mathbf|boldsymbol|bm) ?\{ ?([A-Za-z]) ?\} ?\}",
        r"\\\1{\2}",
    ),
    ("operatorname", r"\\operatorname\*? ?\{ ?([a-z]+) ?\}", r"\\\1 "),
    ("binom", r"\\(?:d|t)binom(?![a-z])", r"\\binom "),
    (
        "b",
        r"\\(?:mathbf|boldsymbol|bm) ?\{ ?([A-Za-z]) ?\}",
        r"\\vec{\1}",
    ),
    ("\\", r"\\(?:left|right) ?\.", " "),
    ("", r"\^ ?\{? ?(?:\\circ|°)(?![A-Za-z]) ?\}?", "°"),
    ("\\%", r"\\%", "%"),
    ("\\$", r"\\\$", "¤"),
    ("\\{", r"\\\{", "⦃"),
    ("\\}", r"\\\}", "⦄"),
    ("\\", r"\\[()\[\]]", " "),
    # The constants in upright letters.
    ("{", r"\\(?:mathrm|text|mathit|textit) ?\{ ?([ei]) ?\}", r" \1 "),
    (
        "{",
        rf"\\(?:{_FONTS.replace(' ', '|')}) ?\{{",
        r"\\text{",
    ),
)
_ROOT_OF_NUMBER = re.compile("([√∛∜]) ?([0-9]+)")  # all of it, where \\sqrt takes a digit
_SUPERSCRIPT = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ]+")
_SUBSCRIPT = re.compile("[₀₁₂₃₄₅₆₇₈₉]+")
_STACKED_FRACTION = re.compile("([⁰¹²³⁴⁵⁶⁷⁸⁹]+)[⁄/]([₀₁₂₃₄₅₆₇₈₉]+)")
_MATHEMATICAL_LETTER = re.compile("[\U0001d400-\U0001d7ff]")
_THIN_SPACE = re.compile("(?<=[0-9])[\u2007\u2009\u202f\u00a0](?=[0-9]{3}(?![0-9]))")
_HAS_LETTER = re.compile("[A-Za-z]")
_IS_LATEX = re.compile(r"[\\^{~&]")
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_SPACE = re.compile(r"\s+")
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<based>0(?:[xX][0-9A-Fa-f]+|[bB][01]+|[oO][0-7]+)(?![A-Za-z0-9.]))
    | (?P<number>
        [1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?(?![0-9]|,[0-9])  # 1,000.5
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
    r"""Return the tokens of an answer.

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
    if not text.isascii():
        text = _THIN_SPACE.sub("", text)
    result = _tokens(_rewritten(_SPACE.sub(" ", text).strip()))
    return _with_spaced_groups(result) if " " in text else result


_FORMULAS = (r"\frac", r"\sqrt", "-\\frac")


def _tokens(text: str) -> list[Token]:
    result: list[Token] = []
    start, depth = 0, 0
    while match := _TOKEN.match(text, start):
        is_spaced = text[start : start + 1] == " "
        start = match.end()
        kind, content = match.lastgroup, match[match.lastgroup or 0]
        if kind == "number" and "," in content:
            if depth and ", " in text and ",0" not in content:
                raise UndecidedError("commas that may separate or group digits")
            is_pair = depth and ", " not in text  # unlike (1,000, 2,000)
            result += _grouped_number(content, in_brackets=bool(is_pair))
        elif kind == "based":  # 0x1B; 0x10 may be a product
            if content[1] in "xX" and content[2:].isdigit():
                raise UndecidedError("digits to the base 16, or a product")
            result.append(Token("number", str(int(content, 0)), is_spaced))
        elif kind == "text":
            end = closing_brace(text, start)
            inner = text[start:end].strip()
            is_number = not _HAS_LETTER.search(inner) and inner.isascii()
            if inner and (is_number or inner.startswith(_FORMULAS)):
                result += _tokens(inner)  # in another font
            else:
                result.append(Token("text", inner, is_spaced))
            start = end + 1
        else:
            depth += (content in "([⦃") - (content in ")]⦄")
            result.append(Token(kind, content, is_spaced))  # type: ignore[arg-type] # a group
    return result


def _with_spaced_groups(all_tokens: list[Token]) -> list[Token]:
    """Join 1 234 567 outside brackets; 7 3/4 stays a mixed number."""
    result: list[Token] = []
    depth, index = 0, 0
    while index < len(all_tokens):
        token = all_tokens[index]
        if token.kind == "sign":
            depth += (token.text in OPENING) - (token.text in CLOSING)
        end = index + 1
        if not depth and token.kind == "number" and token.text.isdigit() and len(token.text) <= 3:
            while end < len(all_tokens) and _is_group(all_tokens[end]):
                end += 1
        follower = all_tokens[end] if end < len(all_tokens) else END
        if end > index + 1 and not follower.is_sign("/") and follower.kind != "number":
            text = "".join(part.text for part in all_tokens[index:end])
            token = Token("number", text, token.is_spaced)
            index = end - 1
        result.append(token)
        index += 1
    return result


def _is_group(token: Token) -> bool:
    integer_part, _, _ = token.text.partition(".")
    return (
        token.kind == "number"
        and token.is_spaced
        and len(integer_part) == 3
        and integer_part.isdigit()
    )


def _rewritten(text: str) -> str:
    if not text.isascii():
        text = _MATHEMATICAL_LETTER.sub(lambda m: normalize("NFKC", m[0]), text)
        text = _STACKED_FRACTION.sub(
            lambda m: rf"\frac{{{m[1].translate(_SUPERSCRIPTS)}}}{{{m[2].translate(_SUBSCRIPTS)}}}",
            text,
        )
        text = _ROOT_OF_NUMBER.sub(r"\1{\2}", text)
        text = _SUPERSCRIPT.sub(lambda m: f"^{{{m[0].translate(_SUPERSCRIPTS)}}}", text)
        text = _SUBSCRIPT.sub(lambda m: f"_{{{m[0].translate(_SUBSCRIPTS)}}}", text)
        text = text.translate(_SIGNS)
    text = _replaced(text, _BEFORE_LATEX)
    if _IS_LATEX.search(text):
        text = _replaced(text, _LATEX)
        text = _COMMAND.sub(lambda match: _COMMANDS.get(match[1], match[0]), text)
    return _replaced(text, _AFTER_LATEX)


def _replaced(text: str, rewrites: Sequence[_Rewrite]) -> str:
    for trigger, pattern, replacement in rewrites:
        if trigger in text:
            text = pattern.sub(replacement, text)
    return text


def _grouped_number(text: str, *, in_brackets: bool) -> Iterator[Token]:
    if not in_brackets:
        yield Token("number", text.replace(",", ""))
        return
    for index, digits in enumerate(text.split(",")):
        if index:
            yield Token("sign", ",")
        yield Token("number", digits)


def closing_brace(text: str, start: int) -> int:
    """Return the index of the brace that closes the one before `start`.

    Raises:
        UndecidedError: it does not exist.

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


class TokenReader:
    """Tokens and a position among them; the last one is followed by `END`."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = [*tokens, END]
        self.position = 0
        self.next = self._tokens[0]  # the token at the position

    def following(self, steps: int) -> Token:
        """Return the token this many steps after the position, `END` if there is none."""
        position = self.position + steps
        return self._tokens[position] if position < len(self._tokens) else END

    def previous(self, steps: int = 1) -> Token:
        """Return the token this many steps before the position, `END` if there is none."""
        return self._tokens[self.position - steps] if steps <= self.position else END

    def take(self) -> Token:
        """Return the token at the position, which advances."""
        token = self.next
        if token is not END:
            self.position += 1
            self.next = self._tokens[self.position]
        return token

    def skip(self, sign: str) -> bool:
        """Return whether the token is this sign; if so, the position advances."""
        if self.next.text != sign or self.next.kind != "sign":
            return False
        self.take()
        return True

    def expect(self, text: str) -> None:
        """Advance past a token with this text.

        Raises:
            UndecidedError: it has a different text.
        """
        if self.take().text != text:
            raise UndecidedError(f"{text!r} expected")

    def digit(self) -> int:
        r"""Return the first digit of a number, as \frac12 takes it; the others remain."""
        number = self.next.text
        if len(number) > 1:
            self.next = self._tokens[self.position] = Token("number", number[1:])
        else:
            self.take()
        return int(number[0])

    def move(self, position: int) -> None:
        """Go to the token at an index."""
        self.position = position
        self.next = self._tokens[position]

    def state(self) -> tuple[int, list[Token]]:
        """Return the position and the tokens, which reading may split."""
        return self.position, list(self._tokens)

    def restore(self, state: tuple[int, list[Token]]) -> None:
        """Go back to a state."""
        position, self._tokens = state[0], list(state[1])
        self.move(position)

    def split_word(self) -> None:
        """Split the next word into letters."""
        word = self.next.text
        letters = [Token("word", word[0], self.next.is_spaced)]
        self.replace(letters + [Token("word", letter) for letter in word[1:]])

    def replace(self, tokens: Sequence[Token]) -> None:
        """Put tokens in place of the next one."""
        self._tokens[self.position : self.position + 1] = tokens
        self.next = self._tokens[self.position]

    def group(self) -> list[Token]:
        """Return the tokens of a group in braces, or the next token; the position moves past them.

        Raises:
            UndecidedError: a brace is not closed, or there are no more tokens.
        """
        start = self.position
        if not self.next.is_sign("{"):
            if self.take().kind == "end":
                raise UndecidedError("something is missing")
            return self._tokens[start : start + 1]
        end = self.closing(start)
        self.move(end + 1)
        return self._tokens[start + 1 : end]

    def closing(self, start: int) -> int:
        """Return the index of the bracket that closes the one at an index.

        Raises:
            UndecidedError: it does not exist.
        """
        depth = 0
        for index in range(start, len(self._tokens)):
            token = self._tokens[index]
            if token.kind == "sign":
                depth += (token.text in OPENING) - (token.text in CLOSING)
                if not depth:
                    return index
        raise UndecidedError("a bracket is not closed")

    def between(self, start: int, end: int) -> list[Token]:
        """Return the tokens between two indices."""
        return self._tokens[start:end]

    def finish(self) -> None:
        """Check that there are no more tokens.

        Raises:
            UndecidedError: there are.
        """
        if self.next is not END:
            raise UndecidedError(f"{self.next.text!r} does not belong here")


_CONNECTIVES = {"and": "and", "or": "or", "∨": "or", "∧": "and", "&": "and"}


_SEPARATORS = {",", ";", *_CONNECTIVES, "And", "AND", "Or", "OR"}
_TEXT_AND_CONNECTIVE = re.compile(r"(.*\w),? (and|or)")


class Parts(NamedTuple):
    """The parts that are not empty, and the separators between them."""

    parts: list[list[Token]]
    separators: list[str]


def split_answer(all_tokens: Sequence[Token]) -> Parts:
    """Return the parts between commas, semicolons, "and" and "or" outside brackets.

    >>> from .notation import tokens
    >>> [[token.text for token in part] for part in split_answer(tokens("1, (2, 3) and 4")).parts]
    [['1'], ['(', '2', ',', '3', ')'], ['4']]
    """
    texts = {token.text for token in all_tokens if token.kind != "text"}
    if _SEPARATORS.isdisjoint(texts) and not any(token.kind == "text" for token in all_tokens):
        return Parts([list(all_tokens)] if all_tokens else [], [])
    parts: list[list[Token]] = [[]]
    separators: list[str] = []
    depth = 0
    for token in _with_connectives(all_tokens):
        depth += nesting(token)
        separator = "" if depth else _separator(token)
        if not separator:
            parts[-1].append(token)
        elif parts[-1]:
            parts.append([])
            separators.append(separator)
        elif separators and separator in ("and", "or"):  # ", and"
            separators[-1] = separator
    if not parts[-1]:
        parts.pop()
    return Parts(parts, separators[: max(len(parts) - 1, 0)])


def _with_connectives(all_tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the tokens, with "hours and" in a text as two of them."""
    for token in all_tokens:
        match = _TEXT_AND_CONNECTIVE.fullmatch(token.text) if token.kind == "text" else None
        if match:
            yield Token("text", match[1], token.is_spaced)
            yield Token("text", match[2])
        else:
            yield token


def nesting(token: Token) -> int:
    """Return 1 for an opening bracket or the start of a matrix, -1 for the end of one, else 0."""
    if token.kind == "sign":
        return (token.text in OPENING) - (token.text in CLOSING)
    return token.is_command("begin") - token.is_command("end")


def _separator(token: Token) -> str:
    if token.is_sign(",;"):
        return ","
    if token.kind in ("word", "text", "sign"):
        return _CONNECTIVES.get(token.text.strip(" ,").lower(), "")
    return ""


def split_at_signs(all_tokens: Sequence[Token], signs: str) -> Parts:
    """Return the parts between signs outside brackets; empty parts stay."""
    if {token.text for token in all_tokens}.isdisjoint(signs):
        return Parts([list(all_tokens)], [])
    parts: list[list[Token]] = [[]]
    separators: list[str] = []
    depth = 0
    for token in all_tokens:
        depth += nesting(token)
        if not depth and token.is_sign(signs):
            parts.append([])
            separators.append(token.text)
        else:
            parts[-1].append(token)
    return Parts(parts, separators)
