r"""The grammar of formulas: from tokens to exact values and structures.

A recursive descent: a sum has terms, a term factors, a factor is an atom with its exponents. Each
method reads one part and leaves the reader behind it.

    union    = sum { ∪ sum }
    sum      = [sign] term { sign term }              or an infinity
    term     = factor { [*] factor | / factor }
    factor   = atom [!] [^ exponent]
    atom     = number | letters | \frac | \sqrt | function | matrix | bracket | |sum|
"""

from collections.abc import Sequence
from fractions import Fraction
from math import comb, factorial

from .exact_values import Value, opaque, rational, symbol
from .notation import ROW_END, Token
from .powers import power, root
from .structures import (
    BasedNumber,
    Bracketed,
    Collection,
    Infinity,
    MathObject,
    Matrix,
    SetUnion,
    as_value,
)
from .token_reader import TokenReader
from .work_limits import UndecidedError, spend

_MAX_DEPTH = 40  # of brackets within brackets
_MAX_FACTORIAL = 3_000
_MAX_SCIENTIFIC_EXPONENT = 400
_MAX_ROOT = 64

FUNCTIONS = frozenset(
    {
        *("sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan"),
        *("sinh", "cosh", "tanh", "ln", "log", "exp", "gcd", "lcm", "max", "min", "det"),
    }
)
_GREEK = frozenset(
    {
        *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"),
        *("lambda", "mu", "nu", "xi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega"),
        *("varphi", "varepsilon", "vartheta", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Sigma"),
        *("Phi", "Psi", "Omega", "ell", "hbar"),
    }
)
_INFINITIES = {"inf", "infinity", "oo"}
_NO_FACTORS = {"text", "end", "to", "mid", "setminus"}  # commands that end a term
_SIGNS = "+-±∓"
_PRODUCTS_OF_LETTERS = ("abcd", "kmn", "pqrs", "uvw", "xyz")


def is_product_of_letters(word: str) -> bool:
    """Whether three letters are a product (abc, xyz) and not a word (cup).

    >>> is_product_of_letters("xyz"), is_product_of_letters("cup")
    (True, False)
    """
    letters = set(word.lower())
    return len(word) == 3 and any(letters <= set(family) for family in _PRODUCTS_OF_LETTERS)


def parse_expression(tokens: Sequence[Token], plus_minus: int = 1) -> MathObject:
    """What the tokens mean; `plus_minus` is the sign that ± stands for.

    Raises:
        UndecidedError: they are no formula, or one that is not understood.

    >>> from .notation import tokens
    >>> parse_expression(tokens("2(3+4)/7")).fraction
    Fraction(2, 1)
    """
    parser = _Parser(tokens, plus_minus)
    result = parser.union()
    parser.finish()
    return result


class _Parser(TokenReader):
    def __init__(self, tokens: Sequence[Token], plus_minus: int) -> None:
        super().__init__(tokens)
        self._factor_of_sign = {"+": 1, "-": -1, "±": plus_minus, "∓": -plus_minus}
        self._depth = 0
        self._bars = 0  # how many | are open

    # SetUnion, sums, terms, factors

    def union(self) -> MathObject:
        parts = [self.sum()]
        while self.skip("∪"):
            parts.append(self.sum())
        return parts[0] if len(parts) == 1 else SetUnion(tuple(parts))

    def sum(self) -> MathObject:
        sign = self._sign()
        if self.skip("∞") or self._skip_word(_INFINITIES):
            return Infinity(sign)
        total = self.term()
        if sign < 0 and isinstance(total, BasedNumber):
            total = BasedNumber(-total.digits, total.base)
        elif sign < 0:
            total = -as_value(total)
        while self.next.is_sign(_SIGNS):
            sign = self._sign()
            term = as_value(self.term())
            total = as_value(total) + term if sign > 0 else as_value(total) - term
        return total

    def _sign(self, signs: str = _SIGNS) -> int:
        """The product of the signs that stand here, 1 if there are none."""
        sign = 1
        while self.next.is_sign(signs):
            sign *= self._factor_of_sign[self.take().text]
        return sign

    def _skip_word(self, words: set[str]) -> bool:
        if self.next.kind != "word" or self.next.text.lower() not in words:
            return False
        self.take()
        return True

    def term(self) -> MathObject:
        result = self.factor()
        while True:
            if self.next.is_sign("*/"):
                operator = self.take().text
                sign = self._sign("+-")
                factor = as_value(self.factor())
                result = as_value(result) * factor if operator == "*" else as_value(result) / factor
                result = -result if sign < 0 else result
            elif self._starts_factor():
                if self.next.kind == "number" and not self.previous().is_sign("})"):
                    raise UndecidedError("two numbers side by side")
                result = as_value(result) * as_value(self.factor())
            else:
                return result

    def _starts_factor(self) -> bool:
        match self.next:
            case Token("number"):
                return True
            case Token("word", word):
                return word.lower() not in ("and", "or")
            case Token("command", command):
                return command not in _NO_FACTORS
            case Token("sign", sign):
                return sign in "({[⦃π" or (sign == "|" and not self._bars)
        return False

    def factor(self) -> MathObject:
        result = self.atom()
        if self.skip("!"):
            result = rational(factorial(_small_integer(result, 0, _MAX_FACTORIAL)))
            spend(100)
        if self.skip("^"):
            result = power(as_value(result), self._exponent())
        # 2^3^2 and 2^3! may be read in two ways, 3!! in a third, and only letters have subscripts.
        if self.next.is_sign("^!_"):
            raise UndecidedError(f"{self.next.text!r} does not belong here")
        return result

    def _exponent(self) -> Value:
        if self.next.is_sign("{"):
            return self._group()
        sign = self._sign("+-")
        exponent = as_value(self.atom(mixed=False))
        return -exponent if sign < 0 else exponent

    # Atoms

    def atom(self, *, mixed: bool = True) -> MathObject:
        """A number, letters, a command or a bracket; `mixed` numbers are a whole and a fraction."""
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise UndecidedError("brackets within brackets within brackets")
        content = self._content(self.take(), mixed=mixed)
        self._depth -= 1
        return content

    def _content(self, token: Token, *, mixed: bool) -> MathObject:
        match token.kind:
            case "number":
                return self._number(token.text, mixed=mixed)
            case "command":
                return self._command(token.text)
            case "word":
                return self._word(token.text)
            case "sign" if token.text == "π":
                return symbol("pi")
            case "sign" if token.text == "{":
                return self._braces()
            case "sign" if token.text in "([⦃":
                return self._bracket(token.text)
            case "sign" if token.text == "|":
                return self._absolute_value()
        raise UndecidedError(f"{token.text!r} is no part of a formula")

    def _group(self) -> Value:
        """The content of braces."""
        self.expect("{")
        value = as_value(self.sum())
        self.expect("}")
        return value

    def _argument(self) -> Value:
        r"""One argument of a command: a group, or one token, of a number its first digit."""
        if self.next.is_sign("{"):
            return self._group()
        if self.next.kind == "number" and self.next.text.isdigit():
            return rational(self.digit())
        return as_value(self.atom())

    def _number(self, text: str, *, mixed: bool) -> MathObject:
        if not text.isdigit():
            exponent = text.lower().partition("e")[2]
            if abs(int(exponent[:6] or 0)) > _MAX_SCIENTIFIC_EXPONENT:
                raise UndecidedError("too large a number")
            if self._repeats_digits():
                raise UndecidedError("a repeating decimal, or a product")
            return rational(Fraction(text))
        value = rational(int(text))
        if self.skip("_"):
            is_number = self.next.kind == "number"  # all digits, unlike those of \\frac12
            base = _small_integer(self.atom(mixed=False) if is_number else self._argument(), 2, 36)
            return BasedNumber(value, rational(base))
        return self._mixed_number(value) if mixed else value

    def _repeats_digits(self) -> bool:
        """Whether digits in brackets stand here: 0.1(6) is 1/6 for some."""
        opening, digits, closing = (self.next, self.following(1), self.following(2))
        return opening.is_sign("(") and digits.kind == "number" and closing.is_sign(")")

    def _mixed_number(self, whole: Value) -> Value:
        r"""7\frac34 and 7 3/4 are 7 + 3/4; 2\frac{\pi}{3} is a product."""
        after_division = self.previous(2).is_sign("/")
        if self.next.kind == "number":
            numerator, slash, denominator = (self.take() for _ in range(3))
            if not (
                slash.is_sign("/") and numerator.text.isdigit() and denominator.text.isdigit()
            ) or int(numerator.text) >= int(denominator.text):
                raise UndecidedError("two numbers side by side")
            fraction = rational(Fraction(int(numerator.text), int(denominator.text)))
        elif self.next == Token("command", "frac"):
            self.take()
            fraction = self._argument() / self._argument()
            if fraction.fraction is None or not 0 < fraction.fraction < 1:
                return whole * fraction
        else:
            return whole
        if after_division or self.next.is_sign("^!/"):
            raise UndecidedError("a mixed number that may be read in two ways")
        return whole + fraction

    def _command(self, name: str) -> MathObject:
        if name == "frac":
            return self._argument() / self._argument()
        if name == "sqrt":
            degree = 2
            if self.skip("["):
                degree = _small_integer(self.sum(), 2, _MAX_ROOT)
                self.expect("]")
            return root(self._argument(), degree)
        if name == "binom":
            n = _small_integer(self._argument(), 0, _MAX_FACTORIAL)
            k = _small_integer(self._argument(), 0, n)
            spend(100)
            return rational(comb(n, k))
        if name in FUNCTIONS:
            return self._function(name)
        if name == "begin":
            return self._matrix()
        if name in ("emptyset", "varnothing"):
            return Collection((), in_braces=True)
        if name in _GREEK:
            return symbol(name + self._subscript())
        raise UndecidedError(f"the command {name}")

    def _word(self, word: str) -> MathObject:
        if word in ("pi", "Pi"):
            return symbol("pi")
        if word == "sqrt" and self.next.is_sign("({"):
            return root(as_value(self.atom()), 2)
        if word in FUNCTIONS:
            return self._function(word)
        if word in ("e", "i") and not self.next.is_sign("_"):
            return symbol(word)
        if len(word) > 3 or (len(word) == 3 and not is_product_of_letters(word)):
            raise UndecidedError(f"the word {word}")
        result = rational(1)
        for letter in word[:-1]:
            result *= symbol(letter)
        return result * symbol(word[-1] + self._subscript())

    def _subscript(self) -> str:
        """What belongs to the name of a letter: "_1" of both x_1 and x_{1}."""
        if not self.skip("_"):
            return ""
        if not self.skip("{"):
            return f"_{self._part_of_name()}"
        name = "_"
        while not self.skip("}"):
            name += self._part_of_name()
        return name

    def _part_of_name(self) -> str:
        token = self.take()
        if token.kind in ("sign", "end"):
            raise UndecidedError("a subscript that is no name")
        return token.text

    def _function(self, name: str) -> Value:
        r"""\sin x, \sin^2(x), \log_2 8: functions that are not looked into, but for exp."""
        base = [self._argument()] if self.skip("_") else []
        exponent = self._exponent() if self.skip("^") else rational(1)
        if exponent.fraction is None or exponent.fraction < 0:
            raise UndecidedError("an inverse function, or one over it")
        if self.next.is_sign("({["):
            argument = as_value(self.atom())
        else:
            argument = as_value(self.factor())
            while self._continues_argument():
                argument *= as_value(self.factor())
        value = power(symbol("e"), argument) if name == "exp" else opaque(name, *base, argument)
        return power(value, exponent)

    def _continues_argument(self) -> bool:
        r"""Whether the next factor still belongs to a function: \sin 2x, but not \sin x \cos x."""
        match self.next:
            case Token("word", word):
                return word not in FUNCTIONS and word.lower() not in ("and", "or")
            case Token("command", command):
                return command in _GREEK
        return self.next.is_sign("π")

    # Brackets

    def _absolute_value(self) -> Value:
        self._bars += 1
        value = as_value(self.sum())
        self._bars -= 1
        self.expect("|")
        number = value.fraction
        return opaque("abs", value) if number is None else rational(abs(number))

    def _braces(self) -> MathObject:
        """A group, or a set whose braces lost their backslashes."""
        items = self._items(",")
        self.expect("}")
        return items[0] if len(items) == 1 else Collection(items, in_braces=True)

    def _bracket(self, opening: str) -> MathObject:
        items = self._items(",;")
        closing = self.take()
        if opening == "⦃" and closing.is_sign("⦄"):
            return Collection(items, in_braces=True)
        if opening == "⦃" or not closing.is_sign(")]"):
            raise UndecidedError("a bracket is not closed")
        brackets = opening + closing.text
        if len(items) == 1 and brackets in ("()", "[]"):
            return items[0]
        return Bracketed(brackets, items)

    def _items(self, separators: str) -> tuple[MathObject, ...]:
        items = [self.sum()]
        while self.next.is_sign(separators):
            self.take()
            items.append(self.sum())
        return tuple(items)

    def _matrix(self) -> Matrix:
        self.expect("{")
        name = self.take().text
        if name not in ("pmatrix", "bmatrix"):
            raise UndecidedError(f"the environment {name}")
        self.expect("}")
        rows: list[tuple[MathObject, ...]] = []
        while self.next != Token("command", "end"):
            row = [self.sum()]
            while self.skip("&"):
                row.append(self.sum())
            rows.append(tuple(row))
            if not self.skip(ROW_END):
                break
        for text in ("end", "{", name, "}"):
            self.expect(text)
        return Matrix(tuple(rows))


def _small_integer(content: MathObject, low: int, high: int) -> int:
    """The integer that something is, if it lies between these."""
    number = as_value(content).integer
    if number is None or not low <= number <= high:
        raise UndecidedError(f"an integer from {low} to {high} expected")
    return number
