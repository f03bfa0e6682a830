"""Words in formulas: letters with subscripts, functions, applications, derivatives, accents."""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence

from ..algebra.algebraic import conjugate
from ..algebra.elementary import PI, I, power, root, size
from ..algebra.exact_values import Opaque, Value, constant_value, opaque, rational, symbol
from ..algebra.work_limits import UndecidedError
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
    factorial_of,
    inverse_name,
    multiplied,
    rounded,
)
from .notation import Token, TokenReader, split_at_signs
from .real_sets import as_real_set, union
from .structures import Bracketed, Collection, Infinity, MathObject, as_value

GREEK = frozenset(
    {
        *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"),
        *("lambda", "mu", "nu", "xi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega"),
        *("Gamma", "Delta", "Theta", "Lambda", "Xi", "Sigma"),
        *("Phi", "Psi", "Omega", "hbar", "upsilon"),
    }
)
ACCENTS = frozenset(
    {
        *("vec", "hat", "bar", "overline", "tilde", "dot", "ddot", "widehat", "widetilde"),
        *("overrightarrow", "mathcal", "mathscr", "mathfrak", "underline", "boldsymbol"),
    }
)
_OF_TIME = ("dot", "ddot")  # derivatives, which are unknown
_OFTEN_FUNCTIONS = frozenset("fghFGH")
_ROUNDED = {"floor": "⌊", "ceil": "⌈", "ceiling": "⌈"}
_CLASSES = ("FiniteSet", "Union", "Point", "binomial", "factorial")


_NAMES = re.compile("pi|sin|cos|tan|log|ln|exp|sqrt|max|min|gcd|pct")


class LetterReader(TokenReader, ABC):
    """The part of the grammar that reads letters, functions and their arguments."""

    def __init__(self, tokens: Sequence[Token], context: Context) -> None:
        super().__init__(tokens)
        self._context = context
        self._bars = 0  # the number of open |
        self._angles = 0  # the number of open functions of angles

    @abstractmethod
    def union(self) -> MathObject:
        """Read sums with signs of sets between them."""

    @abstractmethod
    def sum(self) -> MathObject:
        """Read terms with signs between them."""

    @abstractmethod
    def term(self, sign: int = 1) -> MathObject:
        """Read factors side by side, the first with a sign."""

    @abstractmethod
    def factor(self) -> MathObject:
        """Return an atom with its exponent."""

    @abstractmethod
    def atom(self, *, mixed: bool = True) -> MathObject:
        """Return a number, letters, a command or a bracket.

        `mixed` numbers are a whole and a fraction.
        """

    @abstractmethod
    def _argument(self) -> Value:
        """Return one argument of a command."""

    @abstractmethod
    def _exponent(self) -> Value:
        """Return the exponent after ^."""

    @abstractmethod
    def _sign(self, signs: str) -> int:
        """Return the product of the signs at this position."""

    @abstractmethod
    def _items(self, separators: str) -> tuple[MathObject, ...]:
        """Read parts with separators between them."""

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
        if is_of_language(token) or (len(word) > 3 and not self._context.has_digits):
            raise UndecidedError(f"the word {word}")
        is_long = len(word) > 4 or (len(word) == 3 and token.is_spaced)
        if is_long and not is_product(word) and not set("aeiou").isdisjoint(word.lower()):
            raise UndecidedError(f"the word {word}")
        if _NAMES.search(word):
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


def _separators(inner: Sequence[Token]) -> str:
    """Return the signs between arguments: one bar in P(A | B), but |x| has two."""
    has_sizes = sum(token.is_sign("|") for token in inner) % 2 == 0
    return ",;∩∪∖" if has_sizes else ",;|∩∪∖"


def derivative(numerator: str, denominator: str) -> Value:
    """Return a derivative, which is only a name."""
    return symbol(Opaque(f"{numerator}/{denominator}", ()))
