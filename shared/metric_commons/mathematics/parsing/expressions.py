r"""The grammar of formulas: from tokens to exact values and structures.

A recursive descent: a sum has terms, a term factors, a factor is an atom with its exponents. Each
method reads one part and leaves the reader after it.

    union    = sum { (∪ | ∩ | ∖) sum }
    sum      = [sign] term { sign term }              or an infinity
    term     = factor { [*] factor | / factor | mod factor }
    factor   = atom { ! | ' | ° } [^ exponent]
    atom     = number | letters | \frac | \sqrt | function | matrix | bracket | |sum| | \sum

A word is a product of its letters, one by one. Where two conventions read a form differently,
`Context.conventions` decides, and the form is recorded in `Context.forms`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from ..algebra.algebraic import conjugate
from ..algebra.elementary import PI, I, power, root, size
from ..algebra.enclosures import real_sign
from ..algebra.exact_values import Opaque, Value, constant_value, decimal, opaque, rational, symbol
from ..algebra.work_limits import UndecidedError, spend
from .conventions import Context, is_of_language, is_product
from .functions import (
    FUNCTIONS,
    LOGARITHMS,
    OF_ANGLES,
    OF_SEVERAL,
    applied,
    applied_to_several,
    binomial,
    chosen,
    determinant,
    factorial_of,
    inverse_name,
    multiplied,
    rounded,
    small_integer,
    total,
    transposed,
)
from .notation import ROW_END, Token, TokenReader, split_at_signs
from .numerals import mixed_fraction, recurring_decimal, spelled_number
from .real_sets import REALS, as_real_set, complement, intersection, union
from .structures import (
    BasedNumber,
    Bracketed,
    Collection,
    Infinity,
    MathObject,
    Matrix,
    Quantity,
    RealSet,
    as_value,
)
from .units import unit_of_symbol

GREEK = frozenset(
    (
        "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi rho sigma "
        "tau phi chi psi omega Gamma Delta Theta Lambda Xi Sigma Phi Psi Omega hbar upsilon"
    ).split()
)
ACCENTS = frozenset(
    (
        "vec hat bar overline tilde dot ddot widehat widetilde overrightarrow mathcal mathscr "
        "mathfrak underline boldsymbol"
    ).split()
)
_OF_TIME = ("dot", "ddot")  # derivatives, which are unknown
_OFTEN_FUNCTIONS = frozenset("fghFGH")
_ROUNDED = {"floor": "⌊", "ceil": "⌈", "ceiling": "⌈"}
_CLASSES = tuple("FiniteSet Union Point binomial factorial".split())


_NAMES = re.compile("pi|sin|cos|tan|log|ln|exp|sqrt|max|min|gcd|pct")


def _separators(inner: Sequence[Token]) -> str:
    """Return the signs between arguments: one bar in P(A | B), but |x| has two."""
    has_sizes = sum(token.is_sign("|") for token in inner) % 2 == 0
    return ",;∩∪∖" if has_sizes else ",;|∩∪∖"


def derivative(numerator: str, denominator: str) -> Value:
    """Return a derivative, which is only a name."""
    return symbol(Opaque(f"{numerator}/{denominator}", ()))


_MAX_DEPTH = 40  # of brackets within brackets
_MAX_SCIENTIFIC_EXPONENT = 400
_MAX_ROOT = 64
_INFINITIES = {"inf", "infinity", "oo"}
# Commands that end a term.
_NO_FACTORS = set("text end to bmod mod choose pmod over".split())
_SIGNS = "+-±∓"
_SETS = {"∪", "∩", "∖"}
_MATRICES = set("pmatrix bmatrix Bmatrix matrix smallmatrix array".split())
_MAX_SUM = 1_000  # terms of a sum that is expanded


def parse_expression(tokens: Sequence[Token], context: Context | None = None) -> MathObject:
    """Return the meaning of the tokens.

    Raises:
        UndecidedError: they are not a formula, or not one that is understood.

    >>> from .notation import tokens
    >>> parse_expression(tokens("2(3+4)/7")).fraction
    Fraction(2, 1)
    """
    parser = _Parser(tokens, context or Context())
    result = parser.union()
    if parser.next.is_command("over"):  # without the braces around it
        parser.take()
        result = parser.quotient(as_value(result), as_value(parser.union()))
    parser.finish()
    return result


class _Parser(TokenReader):
    def __init__(self, tokens: Sequence[Token], context: Context) -> None:
        super().__init__(tokens)
        self._context = context
        self._bars = 0  # the number of open |
        self._angles = 0  # the number of open functions of angles
        sign = context.plus_minus
        self._factor_of_sign = {"+": 1, "-": -1, "±": sign, "∓": -sign}
        self._exponents_of_e = 0  # that are open
        self._remainders = 0  # in the terms of this sum

    def union(self) -> MathObject:
        result = self.sum()
        while self.next.kind == "sign" and self.next.text in _SETS:
            operator = self.take().text
            result = _combined(operator, result, self.sum())
        return result

    def sum(self) -> MathObject:
        sign = self._sign()
        is_word = self.next.kind == "word" and self.next.text.lower() in _INFINITIES
        if is_word or self.next.is_sign("∞"):
            self.take()
            return Infinity(sign)
        remainders, self._remainders = self._remainders, 0
        result = self.term(sign)
        if self.next.is_sign("-") and isinstance(result, RealSet):
            self.take()
            return _combined("∖", result, self.term())
        while self.next.is_sign(_SIGNS):
            sign = self._sign()
            term = self._rest(result) or self.term()
            if self._remainders:
                raise UndecidedError("a remainder of a sum, or of one of its terms")
            result = total(result, term if sign > 0 else multiplied(rational(-1), term))
        self._remainders = remainders
        return result

    def _rest(self, start: MathObject) -> Value | None:
        """Return the dots of 1 - x + ..., whose value is not known; None if there are none."""
        if not self.next.is_sign("…") or not as_value(start).letters:
            return None
        if not (self.following(1).kind == "end" or self.following(1).is_sign(")]")):
            return None
        self.take()
        return opaque("…", as_value(start))

    def _sign(self, signs: str = _SIGNS) -> int:
        """Return the product of the signs at this position, 1 if there are none."""
        sign = 1
        while self.next.is_sign(signs):
            sign *= self._factor_of_sign[self.take().text]
        if not sign:
            raise UndecidedError("± in a place where it is not understood")
        return sign

    def term(self, sign: int = 1) -> MathObject:
        result = self.factor()
        if sign < 0 and isinstance(result, BasedNumber):
            result = BasedNumber(-result.digits, result.base)
        elif sign < 0:
            result = -result if isinstance(result, Value) else multiplied(rational(-1), result)
        while True:
            if self.next.is_sign("*/"):
                operator = self.take().text
                sign = self._sign("+-")
                factor = self.factor()
                if operator == "*":
                    result = self._times(result, factor)
                else:
                    result = self.quotient(as_value(result), self._denominator(factor))
                result = multiplied(rational(-1), result) if sign < 0 else result
            elif self._starts_factor():
                if self.next.kind == "number" and not self.previous().is_sign("})!^"):
                    raise UndecidedError("two numbers side by side")
                result = self._times(result, self.factor())
            elif self.next.kind in ("command", "word") and self.next.text in ("bmod", "mod"):
                self.take()
                self._remainders += 1
                result = _remainder(as_value(result), as_value(self.factor()))
            else:
                return result

    def _times(self, left: MathObject, right: MathObject) -> MathObject:
        if self._context.has_vectors and _is_vector(left) and _is_vector(right):
            raise UndecidedError("a product of vectors")
        return multiplied(left, right)

    def quotient(self, numerator: Value, denominator: Value) -> Value:
        """Return a quotient, and record letters of the denominator."""
        self._context.has_denominator |= bool(denominator.letters)
        return numerator / denominator

    def _denominator(self, factor: MathObject) -> Value:
        """Read the denominator, to which in 1/2x all adjacent factors may belong."""
        denominator = as_value(factor)
        if self._starts_symbol() and self._context.chooses("tight_division"):
            while self._starts_symbol():
                denominator *= as_value(self.factor())
        return denominator

    def _starts_symbol(self) -> bool:
        return self.next.kind != "number" and self._starts_factor()

    def _starts_factor(self) -> bool:
        token = self.next
        if token.kind == "number":
            return True
        if token.kind == "word":
            return token.text.lower() not in ("and", "or", "mod")
        if token.kind == "command":
            return token.text not in _NO_FACTORS
        if token.kind == "text":
            return len(token.text) == 1
        return token.is_sign("({[⦃π⌊⌈") or (token.is_sign("|") and not self._bars)

    def factor(self) -> MathObject:
        result = self.atom()
        while True:
            if self.skip("!"):
                result = factorial_of(as_value(result))
                if self.next.is_sign("!"):
                    raise UndecidedError("a double factorial")
            elif self._has_angles and self.skip("°"):
                result = as_value(result) * PI / rational(180)
            else:
                break
        if self.skip("^"):
            result = self._power(result)
        # 2^3^2 and 2^3! may be read in two ways, and only letters have subscripts.
        if self.next.is_sign("^!_'"):
            raise UndecidedError(f"{self.next.text!r} does not belong here")
        if self._has_angles and self.skip("°"):
            result = as_value(result) * PI / rational(180)
        return result

    @property
    def _has_angles(self) -> bool:
        """Return whether degrees may follow: in sines, and in the exponent of e."""
        return bool(self._angles or self._exponents_of_e)

    def _power(self, base: MathObject) -> MathObject:
        if isinstance(base, Matrix):
            if [token.text for token in self.group()] not in (["T"], ["top"]):
                raise UndecidedError("a power of a matrix")
            return transposed(base)
        is_matrix = self.previous(2).kind == "word" and self.previous(2).text.isupper()
        is_of_e = self.previous(2).text == "e"
        self._exponents_of_e += is_of_e
        exponent = self._exponent()
        self._exponents_of_e -= is_of_e
        number = exponent.fraction
        is_inverse = is_matrix and number is not None and number < 0  # as in P D P^-1
        if is_inverse and not self._context.chooses("letter_order"):
            raise UndecidedError("an inverse that may be of a matrix")
        return power(as_value(base), exponent)

    def _exponent(self) -> Value:
        if self.next.is_sign("{"):
            return self._group()
        sign = self._sign("+-")
        if self.next.kind == "number" and self.next.text.isdigit() and len(self.next.text) > 1:
            is_one_digit = self._context.is_latex and not self._context.chooses("long_exponent")
            exponent = rational(self.digit() if is_one_digit else int(self.take().text))
        elif self.next.kind == "word" and len(self.next.text) > 1 and self.next.text != "pi":
            # x^ab in LaTeX is x^a b; in plain text it may be x^(ab).
            if not self._context.is_latex:
                raise UndecidedError("an exponent of several letters")
            self.split_word()
            exponent = self._letter(self.take().text)
        else:
            exponent = as_value(self.atom(mixed=False))
        return -exponent if sign < 0 else exponent

    def atom(self, *, mixed: bool = True) -> MathObject:
        """Return a number, letters, a command or a bracket.

        `mixed` numbers are a whole and a fraction.
        """
        self._context.depth += 1
        if self._context.depth > _MAX_DEPTH:
            raise UndecidedError("brackets within brackets within brackets")
        content = self._content(self.take(), mixed=mixed)
        self._context.depth -= 1
        return content

    def _content(self, token: Token, *, mixed: bool) -> MathObject:
        match token.kind:
            case "number":
                return self._number(token.text, mixed=mixed)
            case "command":
                return self._command(token.text)
            case "word":
                return self._word(token)
            case "text" if len(token.text) == 1:
                return self._named_letter(token.text)
            case "sign" if token.text == "π":
                return PI
            case "sign" if token.text == "{":
                return self._braces()
            case "sign" if token.text in "([⦃⟨":
                return self._bracket(token.text)
            case "sign" if token.text in "⌊⌈":
                value = as_value(self.sum())
                self.expect({"⌊": "⌋", "⌈": "⌉"}[token.text])
                return rounded(value, token.text)
            case "sign" if token.text == "|":
                return self._absolute_value()
            case "sign" if token.text == "ℝ":
                return REALS
            case "sign" if token.text == "∅":
                return Collection((), in_braces=True)
        raise UndecidedError(f"{token.text!r} is not part of a formula")

    def _group(self) -> Value:
        """Return the content of braces."""
        self.expect("{")
        value = as_value(self.sum())
        self.expect("}")
        return value

    def _argument(self) -> Value:
        r"""Return one argument of a command: a group, a token, or the first digit of a number."""
        if self.next.is_sign("{"):
            return self._group()
        if self.next.kind == "number" and self.next.text.isdigit():
            return rational(self.digit())
        if self.next.kind == "word" and len(self.next.text) > 1:
            self.split_word()
            return self._letter(self.take().text)
        return as_value(self.atom())

    def _number(self, text: str, *, mixed: bool) -> MathObject:
        recurring = recurring_decimal(text, self, self._context.chooses)
        if recurring is not None:
            return rational(recurring)
        if not text.isdigit():
            mantissa, _, exponent = text.lower().partition("e")
            if mantissa.isdigit() and exponent[:1] in ("+", "-") and exponent[1:2] != "0":
                # In a formula of LaTeX, or with another e, 1e-7 is 1 e - 7.
                is_whole = len(self._tokens) - self._tokens[0].is_sign("+-") == 2
                has_e = any(token.kind == "word" and token.text == "e" for token in self._tokens)
                is_product = not is_whole and (self._context.is_latex or has_e)
                if is_product or not self._context.chooses("scientific"):
                    self.move(self.position - 1)
                    self.replace(
                        [
                            Token("number", mantissa),
                            Token("word", "e"),
                            Token("sign", exponent[0]),
                            Token("number", exponent[1:]),
                        ]
                    )
                    return rational(int(self.take().text))
            if abs(int(exponent[:6] or 0)) > _MAX_SCIENTIFIC_EXPONENT:
                raise UndecidedError("too large a number")
            return rational(Fraction(text)) if exponent else decimal(text)
        value = rational(int(text))
        combinations = self._combinations(value)
        if combinations is not None:
            return combinations
        if self.skip("_"):
            return self._based(value)
        fraction = mixed_fraction(self) if mixed else None
        return value if fraction is None else value + rational(fraction)

    def _combinations(self, upper: Value) -> Value | None:
        """Read 5C2, in which the letter stands between two numbers; None for any other form."""
        name, lower = self.next, self.following(1)
        if name.text not in ("C", "P") or name.is_spaced or name.kind != "word":
            return None
        if not lower.text.isdecimal() or lower.is_spaced:
            return None
        self.take()
        return chosen(name.text, upper, rational(int(self.take().text)))

    def _command(self, name: str) -> MathObject:
        if name == "frac":
            return self._derivative() or self.quotient(self._argument(), self._argument())
        if name == "sqrt":
            degree = 2
            if self.skip("["):
                degree = small_integer(self.sum(), 2, _MAX_ROOT)
                self.expect("]")
            return root(self._argument(), degree)
        if name == "binom":
            return binomial(self._argument(), self._argument())
        if name in FUNCTIONS:
            return self._function(name)
        if name in ("floor", "ceil"):
            return self._word(Token("word", name))
        if name in ("angle", "triangle"):
            return self._figure(name)
        if name in ("sum", "prod"):
            return self._iterated(name)
        if name == "begin":
            return self._matrix()
        if name in GREEK:
            return self._named_letter(name)
        if name in ACCENTS:
            return self._accented(name)
        raise UndecidedError(f"the command {name}")

    def _derivative(self) -> Value | None:
        r"""Read \frac{dy}{dx}, which is not a fraction of letters; None for any other form."""
        start = self.position
        if not self.next.is_sign("{"):
            return None
        numerator, denominator = self.group(), self.group()
        if all(part and part[0].text[:1] in ("d", "∂") for part in (numerator, denominator)):
            if len(numerator) == 1 and len(numerator[0].text) == 1:
                raise UndecidedError("a derivative that is not computed")
            return derivative(
                "".join(t.text for t in numerator), "".join(t.text for t in denominator)
            )
        self.move(start)
        return None

    # Brackets

    def _iterated(self, name: str) -> Value:
        r"""Read \sum_{k=1}^{4} k^2, which is expanded; the body is one term."""
        lower: list[Token] = []
        upper: list[Token] = []
        for _ in range(2):
            if self.skip("_"):
                lower = self.group()
            elif self.skip("^"):
                upper = self.group()
        if len(lower) < 3 or not lower[1].is_sign("=") or len(lower[0].text) != 1:
            raise UndecidedError("a sum without bounds")
        letter = lower[0].text
        first = small_integer(self.parsed(lower[2:]), -(10**6), 10**6)
        if name == "sum" and upper[-1:] and upper[-1].is_sign("∞"):
            return self._geometric(letter, first)
        last = small_integer(self.parsed(upper), first - 1, first + _MAX_SUM)
        result = rational(0 if name == "sum" else 1)
        numbers = range(first, max(last, first) + 1)  # an empty sum has a body, too
        for number, value in zip(numbers, self._terms(letter, map(rational, numbers)), strict=True):
            spend(5)
            if number <= last:
                result = result + value if name == "sum" else result * value
        return result

    def _terms(self, letter: str, numbers: Iterable[Value]) -> Iterator[Value]:
        """Yield the term at the position with each number for its letter, and move past it."""
        start, outer_letters = self.state(), self._context.values_of_letters
        for number in numbers:
            self.restore(start)
            self._context.values_of_letters = {**outer_letters, letter: number}
            yield as_value(self.term())
        self._context.values_of_letters = outer_letters

    def _geometric(self, letter: str, first: int) -> Value:
        """Return the sum of a geometric series, all of whose terms have one quotient."""
        bound = symbol("∑")  # the same for any letter
        terms = [*self._terms(letter, (rational(first), bound, bound + rational(1)))]
        quotient = terms[2] / terms[1]
        if quotient.letters:  # equal only to a series with the same terms
            return opaque(f"sum from {first}", terms[1])
        if real_sign(size(quotient) - rational(1)) >= 0:
            raise UndecidedError("a series that is not geometric")
        return terms[0] / (rational(1) - quotient)

    def _absolute_value(self) -> Value:
        self._bars += 1
        content = self.sum()
        self._bars -= 1
        self.expect("|")
        return determinant(content) if isinstance(content, Matrix) else size(as_value(content))

    def _braces(self) -> MathObject:
        """Return a group, or a set whose braces lost their backslashes."""
        bars, self._bars = self._bars, 0
        items = () if self.next.is_sign("}") else self._items(",")
        self._bars = bars
        for command, operator in (("choose", binomial), ("over", Value.__truediv__)):
            if len(items) == 1 and self.next.is_command(command):
                self.take()
                items = (operator(as_value(items[0]), as_value(self.sum())),)
        self.expect("}")
        return items[0] if len(items) == 1 else Collection(items, in_braces=True)

    def _bracket(self, opening: str) -> MathObject:
        bars, self._bars = self._bars, 0
        if opening == "⦃" and self.skip("⦄"):
            return Collection((), in_braces=True)
        items = self._items(",;")
        self._bars = bars
        closing = self.take()
        if opening == "⦃" and closing.is_sign("⦄"):
            return Collection(items, in_braces=True)
        if opening == "⟨" and closing.is_sign("⟩"):
            return Bracketed("⟨⟩", items)
        if opening in "⦃⟨" or not closing.is_sign(")]"):
            raise UndecidedError("a bracket is not closed")
        brackets = opening + closing.text
        is_row = brackets == "[]" and isinstance(items[0], Bracketed)
        if len(items) == 1 and brackets in ("()", "[]") and not is_row:
            is_number = isinstance(items[0], Value) and items[0].integer is not None
            return self._based(as_value(items[0])) if is_number and self.skip("_") else items[0]
        rows = [item.items for item in items if isinstance(item, Bracketed)]
        is_matrix = brackets == "[]" and len(rows) == len(items)
        if is_matrix and all(isinstance(x, Value) for row in rows for x in row):
            return Matrix(tuple(tuple(as_value(x) for x in row) for row in rows))
        return Bracketed(brackets, items)

    def _based(self, digits: Value) -> BasedNumber:
        """Return digits to the base at this position, which may be a word."""
        start = self.position
        word = spelled_number(" ".join(token.text for token in self.group()))
        if word is not None:
            return BasedNumber(digits, rational(word))
        self.move(start)
        is_number = self.next.kind == "number"  # all digits, unlike in \\frac12
        base = small_integer(self.atom(mixed=False) if is_number else self._argument(), 2, 36)
        return BasedNumber(digits, rational(base))

    def _items(self, separators: str) -> tuple[MathObject, ...]:
        items: list[MathObject] = []
        while not items or self.next.is_sign(separators):
            if items:
                self.take()
            item = self.union()
            items.append(Quantity(item, unit_of_symbol("°")) if self.skip("°") else item)
        return tuple(items)

    def _matrix(self) -> MathObject:
        self.expect("{")
        name = self.take().text
        if name not in _MATRICES and name != "vmatrix":
            raise UndecidedError(f"the environment {name}")
        self.expect("}")
        if name == "array":
            self.group()
        bars, self._bars = self._bars, 0
        rows: list[tuple[Value, ...]] = []
        while not self.next.is_command("end"):
            row = [as_value(self.sum())]
            while self.skip("&"):
                row.append(as_value(self.sum()))
            rows.append(tuple(row))
            if not self.skip(ROW_END):
                break
        self._bars = bars
        for text in ("end", "{", name, "}"):
            self.expect(text)
        matrix = Matrix(tuple(rows))
        return determinant(matrix) if name == "vmatrix" else matrix

    # Words: letters with subscripts, functions, applications, derivatives, accents

    def parsed(self, tokens: Sequence[Token]) -> MathObject:
        """Return the meaning of other tokens in the same context."""
        reader = type(self)(tokens, self._context)
        result = reader.union()
        reader.finish()
        return result

    def _word(self, token: Token) -> MathObject:
        word = token.text
        if word in ("pi", "Pi"):
            return PI
        if word in _ROUNDED and self.next.is_sign("("):
            return rounded(as_value(self.atom()), _ROUNDED[word])
        if word == "Matrix" and self.next.is_sign("("):
            return self.atom()
        if word == "Interval" and self.next.is_sign("(."):
            return self._interval()
        if word in _CLASSES and self.next.is_sign("("):
            return self._printed(word)
        if word in ("sqrt", "cbrt") and (self.next.is_sign("({") or self.next.kind == "number"):
            return root(as_value(self.atom(mixed=False)), 2 if word == "sqrt" else 3)
        if word in ("abs", "Abs") and self.next.is_sign("("):
            return size(as_value(self.atom()))
        if word in FUNCTIONS:
            return self._function(word)
        if len(word) > 1 and word.isupper() and not self._context.chooses("letter_order"):
            return symbol(f"{word} in this order")
        if word == "I" or (word == "j" and self.previous(2).kind == "number"):
            is_plain = not self._context.is_latex and not self.next.is_sign("_'(")
            if is_plain and self._context.chooses("imaginary_letter"):
                return I
        is_quotient = self.next.is_sign("/") and self.following(1).kind == "word"
        letters = word[0] + self.following(1).text[:1]
        if is_quotient and letters == "dd" and len(word) == len(self.following(1).text) == 2:
            self.take()
            return derivative(word, self.take().text)
        if len(word) > 3 and word.isupper():  # MR = SRMC
            self._context.products.add(word)
            return symbol(word)
        if len(word) > 1:  # letter by letter, so that exponents belong only to the last one
            self._check_product(token)
            if len(word) > 2 and not is_product(word):
                self._context.products.add(word)
            if word[-2] == "d" and word[-1] in "xytuvzr" and self.next.kind == "end":
                raise UndecidedError("a differential")
            self.move(self.position - 1)
            self.split_word()
            word = self.take().text
        return self._named_letter(word)

    def _printed(self, name: str) -> MathObject:
        """Read FiniteSet(1, 2), Union(...), Point(1, 2), binomial(5, 2), as sympy prints them."""
        self.expect("(")
        items = self._items(",")
        self.expect(")")
        if name == "FiniteSet":
            return Collection(items, in_braces=True)
        if name == "Point":
            return Bracketed("()", items)
        if name == "Union":
            sets = [numbers for item in items if (numbers := as_real_set(item)) is not None]
            if len(sets) == len(items):
                return union(sets)
        if name == "factorial" and len(items) == 1:
            return factorial_of(as_value(items[0]))
        if name == "binomial" and len(items) == 2:
            return binomial(*map(as_value, items))
        raise UndecidedError(f"the word {name}")

    def _interval(self) -> Bracketed:
        """Read Interval(0, 1), and Interval.open, Lopen and Ropen, as sympy prints them."""
        sides = {"": "[]", "open": "()", "Lopen": "(]", "Ropen": "[)"}
        name = self.take().text if self.skip(".") else ""
        self.expect("(")
        ends = self._items(",")
        self.expect(")")
        if name not in sides or len(ends) != 2:
            raise UndecidedError("an interval that is not understood")
        brackets = sides[name]
        opening = "(" if isinstance(ends[0], Infinity) else brackets[0]
        closing = ")" if isinstance(ends[1], Infinity) else brackets[1]
        return Bracketed(opening + closing, ends)

    def _figure(self, name: str) -> Value:
        r"""Read \angle ABC, which is \angle CBA, and \triangle ABC."""
        corners = "".join(token.text for token in self.group())
        if not corners.isalpha() or not corners.isupper():
            raise UndecidedError(f"the command {name}")
        ordered = min(corners, corners[::-1]) if name == "angle" else "".join(sorted(corners))
        return symbol(f"{name} {ordered}")

    def _check_product(self, token: Token) -> None:
        """Check that a word is a product of its letters.

        Raises:
            UndecidedError: it is a word of the language, or may contain the name of a function.
        """
        word = token.text
        is_long = len(word) > 4 or (len(word) == 3 and token.is_spaced)
        has_vowels = not set("aeiou").isdisjoint(word.lower())
        is_word = is_of_language(token) or (len(word) > 3 and not self._context.has_digits)
        is_word |= is_long and has_vowels and not is_product(word)
        if is_word or _NAMES.search(word):
            raise UndecidedError(f"the word {word}")

    def _letter(self, letter: str) -> Value:
        if letter in self._context.values_of_letters:
            return self._context.values_of_letters[letter]
        if not (letter.isascii() and letter.isalpha()) and letter not in GREEK:
            raise UndecidedError(f"{letter!r} is not part of a formula")
        return symbol(letter)

    def _named_letter(self, letter: str) -> MathObject:
        """Return a letter with its subscript and primes, and its argument."""
        self._context.letters.add(letter)
        name = letter + self._subscript()
        primes = 0
        while self.skip("'"):
            primes += 1
        if primes:
            name += "'" * primes
            if not self.next.is_sign("("):
                return symbol(Opaque(name, ()))
        combinations = self._combinations_of(letter, name)
        if combinations is not None:
            return combinations
        texts = "".join(self.following(step).text for step in range(6))
        if letter in _OFTEN_FUNCTIONS and texts.startswith("^{-1}("):  # an inverse function
            self.take()
            self.group()
            return self._application(f"{name}^-1")
        if self.next.is_sign("(") and self._is_applied(letter, primes):
            return self._application(name)
        return self._letter(letter) if name == letter else symbol(name)

    def _combinations_of(self, letter: str, name: str) -> Value | None:
        """Read C_5^2 and C(5, 2), which may be a power and a function; None for other forms."""
        state = self.state()
        lower = name.partition("_")[2]
        if letter not in ("C", "P") or not (self.next.is_sign("(") or lower.isdecimal()):
            return None
        if lower and self.skip("^"):
            parts = [Token("number", lower), *self.group()]
        elif not lower:
            self.take()
            parts = self.between(self.position, end := self.closing(self.position - 1))
            self.move(end + 1)
            parts = [part for part in parts if not part.is_sign(",")]
        else:
            return None
        if [part.text.isdecimal() for part in parts] != [True, True]:
            self.restore(state)
            return None
        n, k = (int(part.text) for part in parts)
        if lower:  # some write the larger number above
            n, k = max(n, k), min(n, k)
        if n < k or not self._context.chooses("combinations"):
            self.restore(state)
            return None
        return chosen(letter, rational(n), rational(k))

    def _is_applied(self, letter: str, primes: int) -> bool:
        """Return whether a letter before a bracket is a function of the content of the bracket."""
        end = self.closing(self.position)
        inner = self.between(self.position + 1, end)
        if primes or any(token.is_sign(_separators(inner)) for token in inner):
            return True
        if letter in ("e", "i") or not inner or letter in self._context.values_of_letters:
            return False
        is_greek = len(letter) > 1
        is_single = len(inner) == 1 and (inner[0].kind == "number" or inner[0].text.isupper())
        if letter in _OFTEN_FUNCTIONS or is_greek or letter.isupper() or is_single:
            return self._context.chooses("applied")
        return False

    def _application(self, name: str) -> Value:
        """Return a function that is not analysed, of the arguments in the bracket that follows."""
        end = self.closing(self.position)
        inner = self.between(self.position + 1, end)
        self.move(end + 1)
        arguments, separators = split_at_signs(inner, _separators(inner))
        values = [as_value(self.parsed(argument)) for argument in arguments]
        return opaque(f"{name}({''.join(separators)})", *values)

    def _subscript(self) -> str:
        """Return the part that belongs to the name of a letter: "_1" of both x_1 and x_{1}."""
        if not self.skip("_"):
            return ""
        if self.next.kind == "number" and len(self.next.text) > 1 and self._context.is_latex:
            return f"_{self.digit()}"
        if self.next.kind == "word" and len(self.next.text) > 1:
            raise UndecidedError("a subscript of several letters")
        parts = self.group()
        if any(part.kind == "end" or part.is_sign("()[]=") for part in parts):
            raise UndecidedError("a subscript that is not a name")
        values_of_letters = [self._context.values_of_letters.get(part.text) for part in parts]
        if any(value is not None for value in values_of_letters):
            raise UndecidedError("a subscript that counts")
        return "_" + "".join(part.text for part in parts)

    def _accented(self, name: str) -> Value:
        r"""Read \vec v, a name of its own, or a line above a number, which is its conjugate."""
        parts = self.group()
        text = "".join(part.text for part in parts)
        if name in ("overline", "bar") and not text.isalpha():
            constant = as_value(self.parsed(parts)).constant
            if constant is None or text.isdigit() or not any(t.text == "i" for t in parts):
                raise UndecidedError("a line above a formula")
            return constant_value(conjugate(constant))
        if not all(part.kind in ("word", "command", "text") for part in parts):
            raise UndecidedError("an accent above a formula")
        name = {"overrightarrow": "vec", "boldsymbol": "vec"}.get(name, name)
        is_segment = name == "overline" and len(text) > 1 and text.isupper()
        if is_segment and self._context.chooses("letter_order"):  # else two digits
            text = "".join(sorted(text))
        if name == "hat" and text in ("i", "j", "k"):  # the unit vectors
            name = "vec"
        self._context.has_vectors |= name == "vec"
        full_name = f"{name} {text}{self._subscript()}"
        return symbol(Opaque(full_name, ())) if name in _OF_TIME else symbol(full_name)

    def _function(self, name: str) -> Value:
        r"""Read \sin x, \sin^2(x), \log_2 8."""
        base = self._argument() if self.skip("_") else None
        if name == "log" and base is None and not self._context.is_latex:
            is_number = self.next.kind == "number" and self.next.text.isdigit()
            if is_number and not self.next.is_spaced and self.following(1).is_sign("("):
                base = rational(int(self.take().text))  # log2(8)
        exponent = rational(1)
        if self.skip("^"):
            exponent = self._exponent()
            if exponent.fraction == -1:
                name, exponent = inverse_name(name), rational(1)
            elif exponent.fraction is None or exponent.fraction < 0:
                raise UndecidedError("a power of a function that may be an inverse")
        if name in OF_SEVERAL:
            result = applied_to_several(name, self._arguments_in_brackets())
        else:
            self._angles += name in OF_ANGLES
            argument: MathObject
            if name == "log" and base is None and self._has_two_arguments():
                argument, base = self._arguments_in_brackets()  # log(8, 2)
            else:
                argument = self._argument_of_function(name)
            self._angles -= name in OF_ANGLES
            result = applied(name, argument)
            if base is not None and name not in LOGARITHMS:
                raise UndecidedError("a function with a subscript")
            if base is not None:
                result = result / applied("ln", base)
            elif name == "lg" or (name == "log" and self._context.chooses("common_logarithm")):
                result = result / applied("ln", rational(10))
        return result if exponent.fraction == 1 else power(result, exponent)

    def _has_two_arguments(self) -> bool:
        if not self.next.is_sign("("):
            return False
        inner = self.between(self.position + 1, self.closing(self.position))
        return len(split_at_signs(inner, ",").parts) == 2

    def _arguments_in_brackets(self) -> list[Value]:
        if not self.next.is_sign("(⦃{"):
            raise UndecidedError("a function without its arguments")
        opening = self.take().text
        items = self._items(",;")
        if not self.take().is_sign({"(": ")", "⦃": "⦄", "{": "}"}[opening]):
            raise UndecidedError("a bracket is not closed")
        return [as_value(item) for item in items]

    def _argument_of_function(self, name: str) -> MathObject:
        if self.skip("⦃"):
            argument = self.sum()
            self.expect("⦄")
            return argument
        if self.next.is_sign("({[|"):
            return self.atom()
        if name == "det":
            return self.factor()
        sign = self._sign("+-")
        argument = self._factor_of_argument()
        # 2 pi x: up to the first letter, everything belongs to the argument.
        while not as_value(argument).letters and self._continues_argument():
            argument = multiplied(argument, self._factor_of_argument())
        while (
            self._continues_argument()
            or self.next.is_sign("/")
            or (self.next.kind == "command" and self.next.text in ("sqrt", "frac"))
        ) and self._context.chooses("wide_argument"):
            if self.skip("/"):
                argument = as_value(argument) / as_value(self._factor_of_argument())
            else:
                argument = multiplied(argument, self._factor_of_argument())
        return argument if sign > 0 else multiplied(rational(-1), argument)

    def _factor_of_argument(self) -> MathObject:
        """Return a factor, or the first letter of a product of letters."""
        word = self.next.text
        if self.next.kind == "word" and len(word) > 1 and word not in {*FUNCTIONS, "pi", "sqrt"}:
            self._check_product(self.next)
            self.split_word()
        return self.factor()

    def _continues_argument(self) -> bool:
        r"""Return whether a letter or pi follows: \sin 2x, but not \sin x \cos x."""
        token = self.next
        if token.kind == "word":
            return token.text not in FUNCTIONS and token.text not in ("and", "or", "mod")
        return token.is_sign("π") or (token.kind == "command" and token.text in GREEK)


def _combined(operator: str, left: MathObject, right: MathObject) -> MathObject:
    """Return a union, an intersection or a difference of two sets."""
    if operator == "∪" and isinstance(left, Collection) and isinstance(right, Collection):
        return Collection(left.items + right.items, in_braces=True)
    first, second = as_real_set(left), as_real_set(right)
    if first is None or second is None:
        raise UndecidedError("sets that are not known")
    if operator == "∪":
        return union([first, second])
    return intersection(first, second if operator == "∩" else complement(second))


def _remainder(number: Value, modulus: Value) -> Value:
    if number.integer is None or not modulus.integer:
        raise UndecidedError("a remainder of a number that is not an integer")
    if 0 <= number.integer < modulus.integer:
        raise UndecidedError("a remainder, or a class of remainders")
    return rational(number.integer % modulus.integer)


def _is_vector(content: MathObject) -> bool:
    return isinstance(content, Value) and any(x.startswith("vec ") for x in content.letters)
