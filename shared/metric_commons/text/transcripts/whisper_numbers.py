"""Spoken English numbers as digits, as Whisper's English normalizer writes them.

Every function returns what openai-whisper's `EnglishNumberNormalizer` returns, including where that
is odd: "one oh one" is 101, "nineteen ninety nine" is 1999, and a lone 1 becomes "one".
"""

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from fractions import Fraction

_BELOW_TWENTY = tuple(
    (
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen"
    ).split()
)
_ONES = {word: number for number, word in enumerate(_BELOW_TWENTY, start=1)}
_TENS = {
    word: 10 * number
    for number, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2
    )
}
_POWERS = tuple(
    (
        "thousand million billion trillion quadrillion quintillion sextillion septillion "
        "octillion nonillion decillion"
    ).split()
)
_MULTIPLIERS = {
    "hundred": 100,
    **{word: 1000**power for power, word in enumerate(_POWERS, start=1)},
}
_ZEROS = frozenset({"o", "oh", "zero"})
_IRREGULAR_ORDINALS = {"first": 1, "second": 2, "third": 3, "fifth": 5, "twelfth": 12}

# Words of numbers that end a number, each with its value and suffix.
_Ended = Mapping[str, tuple[int, str]]
_ENDED_ONES: _Ended = {
    **{("sixes" if word == "six" else f"{word}s"): (n, "s") for word, n in _ONES.items()},
    "zeroth": (0, "th"),
    "first": (1, "st"),
    "second": (2, "nd"),
    "third": (3, "rd"),
    "fifth": (5, "th"),
    "twelfth": (12, "th"),
    **{
        word + ("h" if word.endswith("t") else "th"): (n, "th")
        for word, n in _ONES.items()
        if n not in _IRREGULAR_ORDINALS.values()
    },
}
_ENDED_TENS: _Ended = {
    **{word.replace("y", "ies"): (n, "s") for word, n in _TENS.items()},
    **{word.replace("y", "ieth"): (n, "th") for word, n in _TENS.items()},
}
_ENDED_MULTIPLIERS: _Ended = {
    **{f"{word}s": (n, "s") for word, n in _MULTIPLIERS.items()},
    **{f"{word}th": (n, "th") for word, n in _MULTIPLIERS.items()},
}
_SIGNS = {"minus": "-", "negative": "-", "plus": "+", "positive": "+"}
_CURRENCIES = {
    **dict.fromkeys(("pound", "pounds"), "£"),
    **dict.fromkeys(("euro", "euros"), "€"),
    **dict.fromkeys(("dollar", "dollars"), "$"),
    **dict.fromkeys(("cent", "cents"), "¢"),
}
_SYMBOLS = frozenset({*_SIGNS.values(), *_CURRENCIES.values()})
_SPECIAL = frozenset({"and", "double", "triple", "point"})
_DECIMALS = frozenset({*_ONES, *_TENS, *_ZEROS})
_WORDS = frozenset(
    {
        *(*_ZEROS, *_ONES, *_ENDED_ONES, *_TENS, *_ENDED_TENS, *_MULTIPLIERS),
        *(*_ENDED_MULTIPLIERS, *_SIGNS, *_CURRENCIES, "per", "percent", *_SPECIAL),
    }
)

_DIGITS = re.compile(r"^\d+(\.\d+)?$")
_HALF = re.compile(r"\band\s+a\s+half\b")
_LETTER_DIGIT = re.compile(r"([a-z])([0-9])")
_DIGIT_LETTER = re.compile(r"([0-9])([a-z])")
_SUFFIX = re.compile(r"([0-9])\s+(st|nd|rd|th|s)\b")
_WITH_CENTS = re.compile(r"([€£$])([0-9]+) (?:and )?¢([0-9]{1,2})\b")
_ONLY_CENTS = re.compile(r"[€£$]0.([0-9]{1,2})\b")
_LONE_ONE = re.compile(r"\b1(s?)\b")


def with_digits(text: str) -> str:
    """Return the text with spoken numbers as digits, and symbols of currencies before them.

    >>> with_digits("twenty five dollars and ten cents"), with_digits("the twenty first")
    ('$25.10', 'the 21st')
    """
    words = _separated(text).split()
    text = " ".join(_NumberReader(words).written())
    text = _WITH_CENTS.sub(lambda m: f"{m[1]}{m[2]}.{int(m[3]):02d}", text)
    text = _ONLY_CENTS.sub(lambda m: f"¢{int(m[1])}", text)
    return _LONE_ONE.sub(r"one\1", text)


def _separated(text: str) -> str:
    """Return the text with halves as decimals, and with spaces between numbers and letters."""
    *segments, last = _HALF.split(text)
    parts = []
    for segment in segments:
        if segment.strip():
            word = segment.rsplit(maxsplit=2)[-1]
            is_number = word in _DECIMALS or word in _MULTIPLIERS
            parts += [segment, "point five" if is_number else "and a half"]
    if last.strip():
        parts.append(last)
    text = _LETTER_DIGIT.sub(r"\1 \2", " ".join(parts))
    return _SUFFIX.sub(r"\1\2", _DIGIT_LETTER.sub(r"\1 \2", text))


def _is_digits(word: str | None) -> bool:
    return word is not None and _DIGITS.match(word) is not None


class _NumberReader:
    """Reads words one by one, and holds the number read so far.

    The number is an integer while its words add up, and a text once digits are strung together.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self.value: int | str | None = None
        self.prefix: str | None = None
        self.previous: str | None = None
        self.following: str | None = None

    def written(self) -> Iterator[str]:
        """Yield the words of the text, with numbers as digits."""
        position = 0
        while position < len(self.words):
            word = self.words[position]
            self.previous = self.words[position - 1] if position else None
            is_last = position + 1 == len(self.words)
            self.following = None if is_last else self.words[position + 1]
            takes_following = yield from self._read(word)
            position += 2 if takes_following else 1
        yield from self._finish()

    def _read(self, word: str) -> Generator[str, None, bool]:
        """Read a word; returns whether the word after it was read, too."""
        bare = word[1:] if word[0] in _SYMBOLS else word
        if _DIGITS.match(bare):
            yield from self._digits(word, bare)
        elif word not in _WORDS:
            yield from self._finish()
            yield self._output(word)
        elif word in _ZEROS:
            self.value = f"{self.value or ''}0"
        elif word in _ONES:
            self.value = self._with_ones(_ONES[word])
        elif word in _ENDED_ONES:
            number, ending = _ENDED_ONES[word]
            yield self._output(f"{self._with_ones(number)}{ending}")
        elif word in _TENS:
            self.value = self._with_tens(_TENS[word])
        elif word in _ENDED_TENS:
            number, ending = _ENDED_TENS[word]
            yield self._output(f"{self._with_tens(number)}{ending}")
        elif word in _MULTIPLIERS:
            yield from self._multiplied(_MULTIPLIERS[word])
        elif word in _ENDED_MULTIPLIERS:
            yield from self._multiplied(*_ENDED_MULTIPLIERS[word])
        else:
            return (yield from self._read_symbol(word))
        return False

    def _read_symbol(self, word: str) -> Generator[str, None, bool]:
        """Read a sign, a currency, a percentage or a special word."""
        if word in _SIGNS:
            yield from self._finish()
            if self.following in _WORDS or _is_digits(self.following):
                self.prefix = _SIGNS[word]
            else:
                yield self._output(word)
            return False
        if word in _CURRENCIES:
            if self.value is None:
                yield self._output(word)
            else:
                self.prefix = _CURRENCIES[word]
                yield from self._finish()
            return False
        if word in ("per", "percent"):
            return (yield from self._percent(word))
        return (yield from self._special(word))

    def _output(self, text: int | str) -> str:
        """Return the text after the prefix; the next number starts anew."""
        written = f"{self.prefix or ''}{text}"
        self.value = self.prefix = None
        return written

    def _finish(self) -> Iterator[str]:
        """Yield the number read so far, if there is one."""
        if self.value is not None:
            yield self._output(self.value)

    def _digits(self, word: str, bare: str) -> Iterator[str]:
        if isinstance(self.value, str) and self.value.endswith("."):
            self.value += word  # a decimal, or a part of an address
            return
        yield from self._finish()
        self.prefix = word[0] if bare != word else self.prefix
        number = Fraction(bare)
        self.value = number.numerator if number.denominator == 1 else bare

    def _with_ones(self, number: int) -> int | str:
        """Return the value with a number below twenty added, or strung to it."""
        value = self.value
        if value is None:
            return number
        if isinstance(value, str) or self.previous in _ONES:
            if self.previous in _TENS and number < 10:
                return f"{str(value)[:-1]}{number}"
            return f"{value}{number}"
        room = 10 if number < 10 else 100
        return value + number if value % room == 0 else f"{value}{number}"

    def _with_tens(self, number: int) -> int | str:
        value = self.value
        if value is None:
            return number
        if isinstance(value, str) or value % 100:
            return f"{value}{number}"
        return value + number

    def _multiplied(self, multiplier: int, ending: str = "") -> Iterator[str]:
        """Multiply the value; an ending also ends the number."""
        value = self.value
        if value is None:
            product: int | None = multiplier
        elif isinstance(value, str):
            product = _product(value, multiplier)
            if product is None:
                yield self._output(value)
                product = multiplier
        else:
            product = value // 1000 * 1000 + value % 1000 * multiplier
        self.value = product
        if ending:
            yield self._output(f"{product}{ending}")

    def _percent(self, word: str) -> Generator[str, None, bool]:
        """Read "percent" or "per cent", including its second word."""
        if self.value is None:
            yield self._output(word)
        elif word == "percent":
            yield self._output(f"{self.value}%")
        elif self.following == "cent":
            yield self._output(f"{self.value}%")
            return True
        else:
            yield from self._finish()
            yield self._output(word)
        return False

    def _special(self, word: str) -> Generator[str, None, bool]:
        """Read "and", "double", "triple" or "point", which count before numbers only."""
        if self.following not in _WORDS and not _is_digits(self.following):
            yield from self._finish()
            yield self._output(word)
        elif word == "and":
            if self.previous not in _MULTIPLIERS:
                yield from self._finish()
                yield self._output(word)
        elif word == "point":
            if self.following in _DECIMALS or _is_digits(self.following):
                self.value = f"{self.value or ''}."
        elif self.following in _ONES or self.following in _ZEROS:
            digits = str(_ONES.get(str(self.following), 0))
            self.value = f"{self.value or ''}{digits * (2 if word == 'double' else 3)}"
            return True
        else:
            yield from self._finish()
            yield self._output(word)
        return False


def _product(value: int | str, multiplier: int) -> int | None:
    """Return the product, if it is an integer; None for texts other than numbers."""
    try:
        product = Fraction(value) * multiplier
    except ValueError:
        return None
    return product.numerator if product.denominator == 1 else None
