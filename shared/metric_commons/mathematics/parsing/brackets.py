"""Brackets in formulas: groups, sets, tuples, absolute values, matrices, and sums with bounds."""

from collections.abc import Iterable, Iterator

from ..algebra.elementary import size
from ..algebra.enclosures import real_sign
from ..algebra.exact_values import Value, opaque, rational, symbol
from ..algebra.work_limits import UndecidedError, spend
from .functions import binomial, small_integer
from .letters import LetterReader
from .matrices import determinant
from .notation import ROW_END, Token
from .numerals import spelled_number
from .structures import BasedNumber, Bracketed, Collection, MathObject, Matrix, Quantity, as_value
from .unit_table import unit_of_symbol

_MATRICES = {"pmatrix", "bmatrix", "Bmatrix", "matrix", "smallmatrix", "array"}
_MAX_SUM = 1_000  # terms of a sum that is expanded


class BracketReader(LetterReader):
    """The part of the grammar that reads brackets, matrices and sums with bounds."""

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
        bound = symbol("∑")  # whatever the letter is
        terms = [*self._terms(letter, (rational(first), bound, bound + rational(1)))]
        quotient = terms[2] / terms[1]
        if quotient.letters:  # a series that is equal to one with the same terms
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
        if len(items) == 1 and self.next.is_command("choose"):
            self.take()
            items = (binomial(as_value(items[0]), as_value(self.sum())),)
        if len(items) == 1 and self.next.is_command("over"):
            self.take()
            items = (as_value(items[0]) / as_value(self.sum()),)
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
        items = [self._item()]
        while self.next.is_sign(separators):
            self.take()
            items.append(self._item())
        return tuple(items)

    def _item(self) -> MathObject:
        item = self.union()
        return Quantity(item, unit_of_symbol("°")) if self.skip("°") else item

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
