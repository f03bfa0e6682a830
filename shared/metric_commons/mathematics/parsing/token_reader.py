"""Reads tokens from left to right."""

from collections.abc import Sequence

from ..algebra.work_limits import UndecidedError
from .notation import CLOSING, END, OPENING, Token


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
