r"""The grammar of formulas: from tokens to exact values and structures.

A recursive descent: a sum has terms, a term factors, a factor is an atom with its exponents. Each
method reads one part and leaves the reader behind it.

    union    = sum { (∪ | ∩ | ∖) sum }
    sum      = [sign] term { sign term }              or an infinity
    term     = factor { [*] factor | / factor | mod factor }
    factor   = atom { ! | ' | ° } [^ exponent]
    atom     = number | letters | \frac | \sqrt | function | matrix | bracket | |sum| | \sum

A word is a product of its letters, one by one. Where two conventions read a form differently,
`Context.conventions` decides, and the form is recorded in `Context.forms`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ..algebra.algebraic import conjugate
from ..algebra.elementary import PI, power, root, size
from ..algebra.exact_values import (
    Opaque,
    Value,
    constant_value,
    decimal,
    opaque,
    rational,
    symbol,
)
from ..algebra.work_limits import UndecidedError, spend
from .conventions import Conventions
from .functions import (
    FUNCTIONS,
    LOGARITHMS,
    applied,
    applied_to_several,
    binomial,
    factorial_of,
    inverse_name,
    is_of_angle,
    rounded,
    small_integer,
    takes_several,
)
from .matrices import determinant, matrix_power, multiplied, total, transposed
from .notation import CLOSING, OPENING, ROW_END, Token
from .numerals import mixed_fraction, recurring_decimal
from .real_sets import REALS, as_real_set, complement, intersection, union
from .structures import (
    BasedNumber,
    Bracketed,
    Collection,
    Infinity,
    MathObject,
    Matrix,
    RealSet,
    as_value,
)
from .token_reader import TokenReader

_MAX_DEPTH = 40  # of brackets within brackets
_MAX_SCIENTIFIC_EXPONENT = 400
_MAX_ROOT = 64
_MAX_SUM = 1_000  # terms of a sum that is expanded

_GREEK = frozenset(
    {
        *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"),
        *("lambda", "mu", "nu", "xi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega"),
        *("varphi", "varepsilon", "vartheta", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Sigma"),
        *("Phi", "Psi", "Omega", "ell", "hbar", "varrho", "upsilon"),
    }
)
_ACCENTS = frozenset(
    {
        *("vec", "hat", "bar", "overline", "tilde", "dot", "ddot", "widehat", "widetilde"),
        *("overrightarrow", "mathcal", "mathscr", "mathfrak", "underline", "boldsymbol"),
    }
)
_OF_TIME = ("dot", "ddot")  # derivatives, of which nothing is known
_INFINITIES = {"inf", "infinity", "oo"}
_NO_FACTORS = {"text", "end", "to", "bmod", "mod", "choose", "pmod"}  # commands that end a term
_SIGNS = "+-±∓"
_OFTEN_FUNCTIONS = frozenset("fghFGH")
_SETS = {"∪", "∩", "∖"}
_VOWELS = set("aeiou")
_MATRICES = {"pmatrix", "bmatrix", "Bmatrix", "matrix", "smallmatrix", "array"}


@dataclass
class Context:
    """How a text is read, and what was met in it."""

    conventions: Conventions = Conventions()
    forms: set[str] = field(default_factory=set)  # conventions that made a difference
    is_latex: bool = False
    has_digits: bool = False  # a formula with a digit or ^ has no words of the language
    plus_minus: int = 1  # the sign that ± stands for
    bound: dict[str, Value] = field(default_factory=dict)  # letters of sums
    depth: int = 0
    has_vectors: bool = False

    def chooses(self, form: str) -> bool:
        """Whether a convention holds; the text is recorded as one that it matters for."""
        self.forms.add(form)
        return bool(getattr(self.conventions, form))


def parse_expression(tokens: Sequence[Token], context: Context | None = None) -> MathObject:
    """What the tokens mean.

    Raises:
        UndecidedError: they are not a formula, or one that is not understood.

    >>> from .notation import tokens
    >>> parse_expression(tokens("2(3+4)/7")).fraction
    Fraction(2, 1)
    """
    parser = _Parser(tokens, context or Context())
    result = parser.union()
    parser.finish()
    return result


def is_of_language(token: Token) -> bool:
    """Whether a word is one of the language, and not a product of letters."""
    word = token.text
    return token.is_spaced and len(word) > 3 and not _VOWELS.isdisjoint(word.lower())


class _Parser(TokenReader):
    def __init__(self, tokens: Sequence[Token], context: Context) -> None:
        super().__init__(tokens)
        self._context = context
        sign = context.plus_minus
        self._factor_of_sign = {"+": 1, "-": -1, "±": sign, "∓": -sign}
        self._bars = 0  # how many | are open
        self._angles = 0  # how many functions of angles are open

    # Sets, sums, terms, factors

    def union(self) -> MathObject:
        result = self.sum()
        while self.next.kind == "sign" and self.next.text in _SETS:
            operator = self.take().text
            result = _combined(operator, result, self.sum())
        return result

    def sum(self) -> MathObject:
        sign = self._sign()
        if self.skip("∞") or self._skip_word(_INFINITIES):
            return Infinity(sign)
        result = self.term()
        if sign < 0 and isinstance(result, BasedNumber):
            result = BasedNumber(-result.digits, result.base)
        elif sign < 0:
            result = -result if isinstance(result, Value) else multiplied(rational(-1), result)
        while self.next.is_sign(_SIGNS):
            sign = self._sign()
            term = self.term()
            result = total(result, term if sign > 0 else multiplied(rational(-1), term))
        return result

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
                factor = self.factor()
                if operator == "*":
                    result = self._times(result, factor)
                else:
                    result = as_value(result) / self._denominator(factor)
                result = multiplied(rational(-1), result) if sign < 0 else result
            elif self._starts_factor():
                if self.next.kind == "number" and not self.previous().is_sign("})!"):
                    raise UndecidedError("two numbers side by side")
                result = self._times(result, self.factor())
            elif self._skip_mod():
                result = _remainder(as_value(result), as_value(self.factor()))
            else:
                return result

    def _times(self, left: MathObject, right: MathObject) -> MathObject:
        if self._context.has_vectors and _is_vector(left) and _is_vector(right):
            raise UndecidedError("a product of vectors")
        return multiplied(left, right)

    def _denominator(self, factor: MathObject) -> Value:
        """1/2x: factors side by side behind a slash may all belong to the denominator."""
        denominator = as_value(factor)
        if self.next.kind != "number" and self._starts_factor():
            if self._context.chooses("tight_division"):
                while self.next.kind != "number" and self._starts_factor():
                    denominator *= as_value(self.factor())
        return denominator

    def _skip_mod(self) -> bool:
        is_mod = self.next.kind in ("command", "word") and self.next.text in ("bmod", "mod")
        if is_mod:
            self.take()
        return is_mod

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
            elif self._angles and self.skip("°"):
                result = as_value(result) * PI / rational(180)
            else:
                break
        if self.skip("^"):
            result = self._power(result)
        # 2^3^2 and 2^3! may be read in two ways, and only letters have subscripts.
        if self.next.is_sign("^!_'"):
            raise UndecidedError(f"{self.next.text!r} does not belong here")
        if self._angles and self.skip("°"):
            result = as_value(result) * PI / rational(180)
        return result

    def _power(self, base: MathObject) -> MathObject:
        if isinstance(base, Matrix):
            exponent_tokens = self.group()
            if [token.text for token in exponent_tokens] in (["T"], ["top"]):
                return transposed(base)
            exponent = parse_expression(exponent_tokens, self._context)
            return matrix_power(base, small_integer(exponent, 1, _MAX_ROOT))
        return power(as_value(base), self._exponent())

    def _exponent(self) -> Value:
        if self.next.is_sign("{"):
            return self._group()
        sign = self._sign("+-")
        if self.next.kind == "number" and self.next.text.isdigit() and len(self.next.text) > 1:
            is_one_digit = self._context.is_latex and not self._context.chooses("long_exponent")
            exponent = rational(self.digit() if is_one_digit else int(self.take().text))
        elif self.next.kind == "word" and len(self.next.text) > 1 and self.next.text != "pi":
            exponent = self._first_letter()
        else:
            exponent = as_value(self.atom(mixed=False))
        return -exponent if sign < 0 else exponent

    def _first_letter(self) -> Value:
        """x^ab in LaTeX is x^a b; in plain text it may be x^(ab)."""
        if not self._context.is_latex:
            raise UndecidedError("an exponent of several letters")
        self.split_word()
        return self._letter(self.take().text)

    # Atoms

    def atom(self, *, mixed: bool = True) -> MathObject:
        """A number, letters, a command or a bracket; `mixed` numbers are a whole and a fraction."""
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
        if self.next.kind == "word" and len(self.next.text) > 1:
            self.split_word()
            return self._letter(self.take().text)
        return as_value(self.atom())

    def _number(self, text: str, *, mixed: bool) -> MathObject:
        recurring = recurring_decimal(text, self)
        if recurring is not None:
            return rational(recurring)
        if not text.isdigit():
            exponent = text.lower().partition("e")[2]
            if abs(int(exponent[:6] or 0)) > _MAX_SCIENTIFIC_EXPONENT:
                raise UndecidedError("too large a number")
            return rational(Fraction(text)) if exponent else decimal(text)
        value = rational(int(text))
        if self.skip("_"):
            is_number = self.next.kind == "number"  # all digits, unlike those of \\frac12
            base = small_integer(self.atom(mixed=False) if is_number else self._argument(), 2, 36)
            return BasedNumber(value, rational(base))
        fraction = mixed_fraction(self) if mixed else None
        return value if fraction is None else value + rational(fraction)

    def _command(self, name: str) -> MathObject:
        if name == "frac":
            return self._fraction()
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
        if name in ("sum", "prod"):
            return self._iterated(name)
        if name == "begin":
            return self._matrix()
        if name in _GREEK:
            return self._named_letter(name)
        if name in _ACCENTS:
            return self._accented(name)
        raise UndecidedError(f"the command {name}")

    def _fraction(self) -> Value:
        derivative = self._derivative()
        return derivative or self._argument() / self._argument()

    def _derivative(self) -> Value | None:
        r"""\frac{dy}{dx} is not a fraction of letters."""
        start = self.position
        if not self.next.is_sign("{"):
            return None
        above, below = self.group(), self.group()
        if all(part and part[0].text[:1] in ("d", "∂") for part in (above, below)):
            if len(above) == 1 and len(above[0].text) == 1:
                raise UndecidedError("a derivative that is not computed")
            return _derivative_of("".join(t.text for t in above), "".join(t.text for t in below))
        self.move(start)
        return None

    # Letters and functions

    def _word(self, token: Token) -> MathObject:
        word = token.text
        if word in ("pi", "Pi"):
            return PI
        if word in ("sqrt", "cbrt") and self.next.is_sign("({"):
            return root(as_value(self.atom()), 2 if word == "sqrt" else 3)
        if word == "abs" and self.next.is_sign("("):
            return size(as_value(self.atom()))
        if word in FUNCTIONS:
            return self._function(word)
        if self._is_derivative(word):
            self.take()
            return _derivative_of(word, self.take().text)
        if len(word) > 1:  # letter by letter, so that exponents belong to the last one alone
            self._check_product(token)
            if word[-2] == "d" and word[-1] in "xytuvzr" and self.next.kind == "end":
                raise UndecidedError("a differential")
            self.move(self.position - 1)
            self.split_word()
            word = self.take().text
        return self._named_letter(word)

    def _is_derivative(self, word: str) -> bool:
        below = self.following(1)
        is_quotient = self.next.is_sign("/") and below.kind == "word"
        return is_quotient and word[0] == below.text[0] == "d" and len(word) == len(below.text) == 2

    def _check_product(self, token: Token) -> None:
        """A word is a product of its letters.

        Raises:
            UndecidedError: it is a word of the language, or may hold the name of a function.
        """
        word = token.text
        if is_of_language(token) or (len(word) > 3 and not self._context.has_digits):
            raise UndecidedError(f"the word {word}")
        names = ("pi", "sin", "cos", "tan", "log", "ln", "exp", "sqrt", "max", "min", "gcd", "pct")
        if any(name in word for name in names):
            raise UndecidedError(f"the word {word}")

    def _letter(self, letter: str) -> Value:
        if letter in self._context.bound:
            return self._context.bound[letter]
        if letter.isascii() and letter.isalpha():
            return symbol(letter)
        return symbol(letter) if letter in _GREEK else self._unknown(letter)

    def _unknown(self, text: str) -> Value:
        raise UndecidedError(f"{text!r} is not part of a formula")

    def _named_letter(self, letter: str) -> MathObject:
        """A letter with its subscript and primes, and what it is applied to."""
        name = letter + self._subscript()
        primes = 0
        while self.skip("'"):
            primes += 1
        if primes:
            name += "'" * primes
            if not self.next.is_sign("("):
                return symbol(Opaque(name, ()))
        if self._is_inverse_function(letter):
            self.group_of_exponent()
            return self._application(f"{name}^-1")
        if self.next.is_sign("(") and self._is_applied(letter, primes):
            return self._application(name)
        return self._letter(letter) if name == letter else symbol(name)

    def _is_inverse_function(self, letter: str) -> bool:
        """Whether f^{-1}( stands here."""
        texts = [self.next.text, *(self.following(step).text for step in range(1, 6))]
        return letter in _OFTEN_FUNCTIONS and "".join(texts).startswith("^{-1}(")

    def group_of_exponent(self) -> None:
        """The position moves behind ^ and its group."""
        self.expect("^")
        self.group()

    def _is_applied(self, letter: str, primes: int) -> bool:
        """Whether a letter before a bracket is a function of what is in the bracket."""
        end = self.closing(self.position)
        inner = self.between(self.position + 1, end)
        if primes or any(token.is_sign(",;|∩∪∖") for token in inner):
            return True
        if letter in ("e", "i") or not inner or letter in self._context.bound:
            return False
        is_greek = len(letter) > 1
        is_single = len(inner) == 1 and (inner[0].kind == "number" or inner[0].text.isupper())
        if letter in _OFTEN_FUNCTIONS or is_greek or letter.isupper() or is_single:
            return self._context.chooses("applied")
        return False

    def _application(self, name: str) -> Value:
        """A function that is not looked into, of the arguments in the bracket that follows."""
        end = self.closing(self.position)
        inner = self.between(self.position + 1, end)
        self.move(end + 1)
        arguments: list[list[Token]] = [[]]
        separators = ""
        depth = 0
        for token in inner:
            depth += (token.is_sign(OPENING)) - (token.is_sign(CLOSING))
            if not depth and token.is_sign(",;|∩∪∖"):
                separators += token.text
                arguments.append([])
            else:
                arguments[-1].append(token)
        values = [as_value(parse_expression(argument, self._context)) for argument in arguments]
        return opaque(f"{name}({separators})", *values)

    def _subscript(self) -> str:
        """What belongs to the name of a letter: "_1" of both x_1 and x_{1}."""
        if not self.skip("_"):
            return ""
        if self.next.kind == "number" and len(self.next.text) > 1 and self._context.is_latex:
            return f"_{self.digit()}"
        if self.next.kind == "word" and len(self.next.text) > 1:
            raise UndecidedError("a subscript of several letters")
        parts = self.group()
        if any(part.kind == "end" or part.is_sign("()[]=") for part in parts):
            raise UndecidedError("a subscript that is not a name")
        bound = [self._context.bound.get(part.text) for part in parts]
        if any(value is not None for value in bound):
            raise UndecidedError("a subscript that counts")
        return "_" + "".join(part.text for part in parts)

    def _accented(self, name: str) -> Value:
        r"""\vec v is a name of its own; a line above a number is its conjugate."""
        parts = self.group()
        text = "".join(part.text for part in parts)
        if name in ("overline", "bar") and not text.isalpha():
            constant = as_value(parse_expression(parts, self._context)).constant
            if constant is None or text.isdigit() or not any(t.text == "i" for t in parts):
                raise UndecidedError("a line above a formula")
            return constant_value(conjugate(constant))
        if not all(part.kind in ("word", "command", "text") for part in parts):
            raise UndecidedError("an accent above a formula")
        name = {"overrightarrow": "vec", "boldsymbol": "vec"}.get(name, name)
        self._context.has_vectors |= name == "vec"
        full_name = f"{name} {text}{self._subscript()}"
        return symbol(Opaque(full_name, ())) if name in _OF_TIME else symbol(full_name)

    def _function(self, name: str) -> Value:
        r"""\sin x, \sin^2(x), \log_2 8."""
        base = self._argument() if self.skip("_") else None
        exponent = rational(1)
        if self.skip("^"):
            exponent = self._exponent()
            if exponent.fraction == -1:
                name, exponent = inverse_name(name), rational(1)
            elif exponent.fraction is None or exponent.fraction < 0:
                raise UndecidedError("a power of a function that may be an inverse")
        if takes_several(name):
            result = applied_to_several(name, self._arguments_in_brackets())
        else:
            self._angles += is_of_angle(name)
            argument = self._argument_of_function(name)
            self._angles -= is_of_angle(name)
            result = applied(name, argument)
            if name in LOGARITHMS:
                result = self._to_base(name, result, base)
            elif base is not None:
                raise UndecidedError("a function with a subscript")
        return result if exponent.fraction == 1 else power(result, exponent)

    def _to_base(self, name: str, logarithm: Value, base: Value | None) -> Value:
        if base is not None:
            return logarithm / applied("ln", base)
        if name == "lg" or (name == "log" and self._context.chooses("common_logarithm")):
            return logarithm / applied("ln", rational(10))
        return logarithm

    def _arguments_in_brackets(self) -> list[Value]:
        if not self.next.is_sign("(⦃{"):
            raise UndecidedError("a function without its arguments")
        opening = self.take().text
        items = self._items(",;")
        if not self.take().is_sign({"(": ")", "⦃": "⦄", "{": "}"}[opening]):
            raise UndecidedError("a bracket is not closed")
        return [as_value(item) for item in items]

    def _argument_of_function(self, name: str) -> MathObject:
        if self.next.is_sign("({[|"):
            return self.atom()
        if name == "det":
            return self.factor()
        sign = self._sign("+-")
        argument = self._factor_of_argument()
        # 2 pi x: up to the first letter, everything belongs to the argument.
        while not as_value(argument).letters and self._continues_argument():
            argument = multiplied(argument, self._factor_of_argument())
        while self._may_continue_argument() and self._context.chooses("wide_argument"):
            if self.skip("/"):
                argument = as_value(argument) / as_value(self._factor_of_argument())
            else:
                argument = multiplied(argument, self._factor_of_argument())
        return argument if sign > 0 else multiplied(rational(-1), argument)

    def _factor_of_argument(self) -> MathObject:
        """A factor, of a product of letters the first letter."""
        word = self.next.text
        if self.next.kind == "word" and len(word) > 1 and word not in {*FUNCTIONS, "pi", "sqrt"}:
            self._check_product(self.next)
            self.split_word()
        return self.factor()

    def _continues_argument(self) -> bool:
        r"""Whether a letter or pi follows: \sin 2x, but not \sin x \cos x."""
        token = self.next
        if token.kind == "word":
            return token.text not in FUNCTIONS and token.text not in ("and", "or", "mod")
        return token.is_sign("π") or (token.kind == "command" and token.text in _GREEK)

    def _may_continue_argument(self) -> bool:
        is_command = self.next.kind == "command" and self.next.text in ("sqrt", "frac")
        return self._continues_argument() or self.next.is_sign("/") or is_command

    def _iterated(self, name: str) -> Value:
        r"""\sum_{k=1}^{4} k^2, which is expanded; the body is one term."""
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
        first = small_integer(parse_expression(lower[2:], self._context), -(10**6), 10**6)
        last = small_integer(parse_expression(upper, self._context), first - 1, first + _MAX_SUM)
        start, outside = self.position, dict(self._context.bound)
        result = rational(0 if name == "sum" else 1)
        end = start
        body = list(self._tokens)
        for index in range(first, max(last, first) + 1):
            spend(5)
            self._tokens = list(body)  # reading may split tokens
            self.move(start)
            self._context.bound = {**outside, letter: rational(index)}
            value = as_value(self.term())
            end = self.position
            if index <= last:
                result = result + value if name == "sum" else result * value
        self._context.bound = outside
        if end == start:
            raise UndecidedError("a sum of nothing")
        return result

    # Brackets

    def _absolute_value(self) -> Value:
        self._bars += 1
        content = self.sum()
        self._bars -= 1
        self.expect("|")
        return determinant(content) if isinstance(content, Matrix) else size(as_value(content))

    def _braces(self) -> MathObject:
        """A group, or a set whose braces lost their backslashes."""
        bars, self._bars = self._bars, 0
        items = self._items(",")
        self._bars = bars
        if len(items) == 1 and self.next.is_command("choose"):
            self.take()
            items = (binomial(as_value(items[0]), as_value(self.sum())),)
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
        if len(items) == 1 and brackets in ("()", "[]"):
            return items[0]
        rows = [item.items for item in items if isinstance(item, Bracketed)]
        is_matrix = brackets == "[]" and len(rows) == len(items)
        if is_matrix and all(isinstance(x, Value) for row in rows for x in row):
            return Matrix(tuple(tuple(as_value(x) for x in row) for row in rows))
        return Bracketed(brackets, items)

    def _items(self, separators: str) -> tuple[MathObject, ...]:
        items = [self.union()]
        while self.next.is_sign(separators):
            self.take()
            items.append(self.union())
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
    """A union, an intersection or a difference of two sets."""
    sets = [as_real_set(left), as_real_set(right)]
    if sets[0] is not None and sets[1] is not None:
        if operator == "∪":
            return _union(left, right, sets[0], sets[1])
        other = sets[1] if operator == "∩" else complement(sets[1])
        return intersection(sets[0], other)
    if operator == "∪" and isinstance(left, Collection) and isinstance(right, Collection):
        return Collection(left.items + right.items, in_braces=True)
    raise UndecidedError("sets that are not known")


def _union(left: MathObject, right: MathObject, first: RealSet, second: RealSet) -> MathObject:
    if isinstance(left, Collection) and isinstance(right, Collection):
        return Collection(left.items + right.items, in_braces=True)
    return union([first, second])


def _remainder(number: Value, modulus: Value) -> Value:
    if number.integer is None or not modulus.integer:
        raise UndecidedError("a remainder of what is not an integer")
    return rational(number.integer % modulus.integer)


def _is_vector(content: MathObject) -> bool:
    return isinstance(content, Value) and any(x.startswith("vec ") for x in content.letters)


def _derivative_of(above: str, below: str) -> Value:
    return symbol(Opaque(f"{above}/{below}", ()))
