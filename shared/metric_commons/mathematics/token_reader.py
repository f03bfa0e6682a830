"""Reads tokens from left to right."""

from collections.abc import Sequence

from .notation import END, Token
from .work_limits import UndecidedError


class TokenReader:
    """Tokens and a position among them; behind the last one there is `END`."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = [*tokens, END]
        self._position = 0
        self.next = self._tokens[0]  # the token at the position

    def following(self, steps: int) -> Token:
        """The token so many steps behind the position, `END` where there is none."""
        position = self._position + steps
        return self._tokens[position] if position < len(self._tokens) else END

    def previous(self, steps: int = 1) -> Token:
        """The token so many steps before the position, `END` where there is none."""
        return self._tokens[self._position - steps] if steps <= self._position else END

    def take(self) -> Token:
        """The token at the position, which moves on."""
        token = self.next
        if token is not END:
            self._position += 1
            self.next = self._tokens[self._position]
        return token

    def skip(self, sign: str) -> bool:
        """Whether the token is this sign; then the position moves on."""
        if self.next.text != sign or self.next.kind != "sign":
            return False
        self.take()
        return True

    def expect(self, text: str) -> None:
        """The position moves on if the token has this text.

        Raises:
            UndecidedError: it has another.
        """
        if self.take().text != text:
            raise UndecidedError(f"{text!r} expected")

    def digit(self) -> int:
        r"""The first digit of a number, which is all that \frac12 takes of it; the others stay."""
        number = self.next.text
        if len(number) > 1:
            self.next = self._tokens[self._position] = Token("number", number[1:])
        else:
            self.take()
        return int(number[0])

    def finish(self) -> None:
        """There is no token left.

        Raises:
            UndecidedError: there is one.
        """
        if self.next is not END:
            raise UndecidedError(f"{self.next.text!r} does not belong here")
