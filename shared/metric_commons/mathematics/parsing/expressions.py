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

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from ..algebra.elementary import PI, power, root, size
from ..algebra.enclosures import real_sign
from ..algebra.exact_values import Value, decimal, opaque, rational, symbol
from ..algebra.work_limits import UndecidedError, spend
from .conventions import Context
from .functions import (
    FUNCTIONS,
    binomial,
    chosen,
    determinant,
    factorial_of,
    matrix_power,
    multiplied,
    rounded,
    small_integer,
    total,
    transposed,
)
from .letters import ACCENTS, GREEK, LetterReader, derivative
from .notation import ROW_END, Token
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

_MAX_DEPTH = 40  # of brackets within brackets
_MAX_SCIENTIFIC_EXPONENT = 400
_MAX_ROOT = 64
_INFINITIES = {"inf", "infinity", "oo"}
# Commands that end a term.
_NO_FACTORS = {"text", "end", "to", "bmod", "mod", "choose", "pmod", "over"}
_SIGNS = "+-±∓"
_SETS = {"∪", "∩", "∖"}
_MATRICES = {"pmatrix", "bmatrix", "Bmatrix", "matrix", "smallmatrix", "array"}
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


class _Parser(LetterReader):
    def __init__(self, tokens: Sequence[Token], context: Context) -> None:
        super().__init__(tokens, context)
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
            exponent_tokens = self.group()
            if [token.text for token in exponent_tokens] in (["T"], ["top"]):
                return transposed(base)
            exponent = self.parsed(exponent_tokens)
            return matrix_power(base, small_integer(exponent, 1, _MAX_ROOT))
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
