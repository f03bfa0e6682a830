"""The stems of English words: Porter's algorithm with the extensions of NLTK.

This is the stemmer of rouge_score, and not that of Snowball, which changes "array" and "always"
where this one does not. M. F. Porter, An algorithm for suffix stripping, 1980; NLTK adds irregular
words and changes a few rules, which are marked below.

Words are bytes of a-z and 0-9: what a rule asks about a word, `bytes.translate` and `bytes.count`
answer at once. Of many words each rule is asked together: whether they end in its suffix, of their
last eight bytes as one integer; how often a vowel is followed by a consonant, of an integer with a
bit for every letter.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..numbers.arrays import Booleans, Integers, Unsigned
from .tokens import LOW_BYTES

Rules = dict[bytes, list[tuple[bytes, bytes]]]  # by the last two letters: suffix, replacement

_VOWELS = b"aeiou"
_SHAPES = bytes(ord("v" if n in _VOWELS else "y" if n == ord("y") else "c") for n in range(256))

_PLAIN = re.compile("[a-z0-9]+")
_MANY = 1 << 16  # words, some 300 bytes each

_IRREGULAR = {  # NLTK
    word: stem
    for stem, words in {
        b"sky": [b"sky", b"skies"],
        b"die": [b"dying"],
        b"lie": [b"lying"],
        b"tie": [b"tying"],
        b"news": [b"news"],
        b"inning": [b"inning", b"innings"],
        b"outing": [b"outing", b"outings"],
        b"canning": [b"canning", b"cannings"],
        b"howe": [b"howe"],
        b"proceed": [b"proceed"],
        b"exceed": [b"exceed"],
        b"succeed": [b"succeed"],
    }.items()
    for word in words
}


def _by_ending(pairs: str) -> Rules:
    """Rules from words such as "izer>ize", in the order in which they are to be tried."""
    rules: Rules = {}
    for pair in pairs.encode().split():
        suffix, _, replacement = pair.partition(b">")
        rules.setdefault(suffix[-2:], []).append((suffix, replacement))
    return rules


# NLTK has "bli" where Porter's paper has "abli", and adds "fulli" and "logi".
_DOUBLE_SUFFIXES = _by_ending(
    "ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble alli>al entli>ent eli>e "
    "ousli>ous ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous "
    "aliti>al iviti>ive biliti>ble fulli>ful logi>log"
)
_SUFFIXES = _by_ending("icate>ic ative> alize>al iciti>ic ical>ic ful> ness>")
_LAST_SUFFIXES = _by_ending(
    "al> ance> ence> er> ic> able> ible> ant> ement> ment> ent> ion> ou> ism> ate> iti> ous> "
    "ive> ize>"
)

# The last two letters of words that some step looks at; other words are their own stems.
_INFLECTIONS = frozenset(
    {b"ed", b"ng"} | {bytes([before, last]) for before in range(256) for last in b"sy"}
)
_ENDINGS = (
    _INFLECTIONS
    | {b"ll", *_DOUBLE_SUFFIXES, *_SUFFIXES, *_LAST_SUFFIXES}
    | {bytes([before, ord("e")]) for before in range(256)}
)


class Stems:
    """Numbers for the stems of words, each word stemmed when it is first asked for.

    As in rouge_score, words of up to three letters are their own stems.

    >>> Stems().numbers([b"connects", b"connected", b"ads", b"ad"])
    [0, 0, 1, 2]
    """

    def __init__(self) -> None:
        self._of_words: dict[bytes, int] = {}
        self._of_stems: dict[bytes, int] = {}

    def numbers(self, words: Sequence[bytes]) -> list[int]:
        """For each word a number, the same for words with the same stem."""
        known, stems = self._of_words, self._of_stems
        for word in words:
            if word not in known:
                stem = porter(word) if len(word) > 3 else word
                known[word] = stems.setdefault(stem, len(stems))
        return [known[word] for word in words]

    def of(self, words: Sequence[str]) -> list[str | int]:
        """The words, but for those of a-z and 0-9 the numbers of their stems.

        >>> Stems().of(["cities", "città", "city"])
        [0, 'città', 0]
        """
        plain = [word.encode() for word in words if _PLAIN.fullmatch(word)]
        numbers = iter(self.numbers(plain))
        return [next(numbers) if _PLAIN.fullmatch(word) else word for word in words]

    def make_room(self) -> None:
        """Forget all words if there are very many; numbers given before mean nothing then."""
        if len(self._of_words) > _MANY:
            self._of_words.clear()
            self._of_stems.clear()


def porter(word: bytes) -> bytes:
    """The stem of a word of a-z and 0-9, equal to NLTK's.

    >>> porter(b"relational"), porter(b"flies"), porter(b"dying"), porter(b"always")
    (b'relat', b'fli', b'die', b'alway')
    """
    ending = word[-2:]
    if ending not in _ENDINGS or len(word) <= 2:
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if ending in _INFLECTIONS:
        word = _without_inflection(word)
        ending = word[-2:]
        if ending not in _ENDINGS:
            return word
    if ending in _DOUBLE_SUFFIXES:
        word = _with_single_suffix(word)
        ending = word[-2:]
    if ending in _SUFFIXES:
        word = _replaced(word, _SUFFIXES[ending])
        ending = word[-2:]
    if ending in _LAST_SUFFIXES:
        word = _without_last_suffix(word, _LAST_SUFFIXES[ending])
    if word[-1:] == b"e":
        word = _without_final_e(word)
    if word[-2:] == b"ll" and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word


def _shape(word: bytes) -> bytes:
    """The word with c for its consonants and v for its vowels; y is a vowel after a consonant."""
    shape = word.translate(_SHAPES)
    if b"y" not in shape:
        return shape
    letters, before = bytearray(shape), ord("v")
    for place, letter in enumerate(letters):
        before = letter if letter != ord("y") else ord("c") + ord("v") - before
        letters[place] = before
    return bytes(letters)


def _measure(word: bytes) -> int:
    """Porter's m: how often vowels are followed by consonants."""
    return _shape(word).count(b"vc")


def _is_short(word: bytes, shape: bytes) -> bool:
    """Porter's *o: ends consonant, vowel, consonant, the last not w, x or y; NLTK: or is vc."""
    return (shape[-3:] == b"cvc" and word[-1:] not in (b"w", b"x", b"y")) or shape == b"vc"


def _replaced(word: bytes, rules: list[tuple[bytes, bytes]]) -> bytes:
    """The word under the first rule whose suffix it has, if the rest has a measure."""
    for suffix, replacement in rules:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            return rest + replacement if _shape(rest).count(b"vc") > 0 else word
    return word


def _without_inflection(word: bytes) -> bytes:
    """Step 1, of which each part may go on where another has stopped."""
    if word[-1:] == b"s":
        word = _without_plural(word)
    if word[-2:] in (b"ed", b"ng"):
        word = _without_past(word)
    return _with_final_i(word) if word[-1:] == b"y" else word


def _without_plural(word: bytes) -> bytes:
    """Step 1a. NLTK: four letters in -ies keep their e."""
    if word.endswith(b"ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith(b"sses"):
        return word[:-2]
    return word if word.endswith(b"ss") else word[:-1]


def _without_past(word: bytes) -> bytes:
    """Step 1b, for -ed and -ing. NLTK: -ied is as -ies."""
    if word.endswith(b"ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith(b"eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    if not word.endswith((b"ed", b"ing")):
        return word
    rest = word[:-2] if word.endswith(b"ed") else word[:-3]
    shape = _shape(rest)
    if b"v" not in shape:
        return word
    if rest.endswith((b"at", b"bl", b"iz")):
        return rest + b"e"
    if shape.endswith(b"c") and rest[-1:] == rest[-2:-1]:
        return rest if rest.endswith((b"l", b"s", b"z")) else rest[:-1]
    return rest + b"e" if shape.count(b"vc") == 1 and _is_short(rest, shape) else rest


def _with_final_i(word: bytes) -> bytes:
    """Step 1c, for -y. NLTK: after a consonant that is not the first letter."""
    rest = word[:-1]
    return rest + b"i" if len(rest) > 1 and _shape(rest).endswith(b"c") else word


def _with_single_suffix(word: bytes) -> bytes:
    """Step 2. NLTK: -alli goes first and the result once more; -logi leaves its l to the rest."""
    while word.endswith(b"alli") and _measure(word[:-4]) > 0:
        word = word[:-2]
    if word.endswith(b"logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replaced(word, _DOUBLE_SUFFIXES[word[-2:]])


def _without_last_suffix(word: bytes, rules: list[tuple[bytes, bytes]]) -> bytes:
    """Step 4: without the first of these suffixes, if what is left is long; -ion after s or t."""
    for suffix, _ in rules:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            fits = suffix != b"ion" or rest.endswith((b"s", b"t"))
            return rest if fits and _shape(rest).count(b"vc") > 1 else word
    return word


def _without_final_e(word: bytes) -> bytes:
    """Step 5a, for -e."""
    rest = word[:-1]
    shape = _shape(rest)
    measure = shape.count(b"vc")
    return rest if measure > 1 or (measure == 1 and not _is_short(rest, shape)) else word


# Many words at once

LONGEST = 16  # letters of a word that takes part

_BELOW = np.array([(1 << n) - 1 for n in range(LONGEST + 1)])  # bits of so many first letters
_IS_VOWEL = np.isin(np.arange(256), list(_VOWELS))


def stems_of(keys: Unsigned, seconds: Unsigned, lengths: Integers) -> tuple[Unsigned, Unsigned]:
    """The stems of words of at most `LONGEST` letters: `porter` of those of more than three.

    Args:
        keys: the first eight letters of each word, as in `Tokens`.
        seconds: the next eight, as from `second_words`.
        lengths: letters of each word.

    Returns:
        The same two of the stems.

    >>> words = [b"skies", b"connected", b"ads"]
    >>> keys = np.array([int.from_bytes(word[:8], "little") for word in words], dtype=np.uint64)
    >>> seconds = np.array([0, ord("d"), 0], dtype=np.uint64)
    >>> stems, _ = stems_of(keys, seconds, np.array([5, 9, 3]))
    >>> [int(stem).to_bytes(8, "little").rstrip(bytes(1)) for stem in stems]
    [b'sky', b'connect', b'ads']
    """
    some = np.flatnonzero(lengths > 3)
    some = some[
        _MAY_CHANGE.take(_last_two(keys.take(some), seconds.take(some), lengths.take(some)))
    ]
    letters = _Letters(keys.take(some), seconds.take(some), lengths.take(some))
    for step in (
        _cut_plurals,
        _cut_pasts,
        _replace_final_y,
        _shorten_alli,
        _replace_double_suffixes,
        _replace_suffixes,
        _cut_last_suffixes,
        _cut_final_e,
        _cut_final_l,
    ):
        step(letters)
    keys, seconds = keys.copy(), seconds.copy()
    irregular = _IRREGULAR_KEYS.searchsorted(keys.take(some))
    is_irregular = _IRREGULAR_KEYS.take(irregular, mode="clip") == keys.take(some)
    is_irregular &= seconds.take(some) == 0
    keys[some], seconds[some] = letters.read()
    same = some[is_irregular]
    keys[same], seconds[same] = _IRREGULAR_STEMS.take(irregular[is_irregular]), 0
    return keys, seconds


def _integer(letters: bytes) -> int:
    """Up to eight letters as an integer, the first in its lowest byte."""
    return int.from_bytes(letters, "little")


def _flags(endings: Iterable[bytes]) -> Booleans:
    """For each two letters, as an integer, whether they are among the endings."""
    flags = np.zeros(1 << 16, dtype=bool)
    flags[[_integer(ending) for ending in endings]] = True
    return flags


_MAY_CHANGE = _flags(_ENDINGS)
_IRREGULAR_KEYS, _IRREGULAR_STEMS = np.array(
    sorted((_integer(word), _integer(stem)) for word, stem in _IRREGULAR.items()), dtype=np.uint64
).T.copy()


def _last_two(keys: Unsigned, seconds: Unsigned, lengths: Integers) -> Integers:
    """The last two letters of words of two or more."""
    rows = np.stack((keys, seconds), axis=1)
    pairs: NDArray[np.uint16] = np.ndarray((max(rows.nbytes - 1, 0),), "<u2", rows, strides=(1,))
    last: Integers = pairs[np.arange(lengths.size) * LONGEST + (lengths - 2)].astype(np.int64)
    return last


class _Table(NamedTuple):
    """Rules of one step, in the order in which they are to be tried."""

    suffixes: list[bytes]
    endings: Booleans  # whether some suffix has these last two letters
    cuts: Integers  # letters that each rule takes away,
    letters: Unsigned  # what it puts there instead,
    lengths: Integers  # how many letters that are,
    vowels: Integers  # and which of them are vowels, as bits

    def first(self, endings: Unsigned) -> Integers:
        """For each word the number of the first rule whose suffix it has, or -1."""
        found = np.full(endings.size, -1)
        for number in reversed(range(len(self.suffixes))):
            found[_end(endings, self.suffixes[number])] = number
        return found


# Rules that look at a letter more than they take away: what they ask for, take and put.
_LOOKING_BACK = {
    b"logi": [(b"logi", b"ogi", b"og")],
    b"ion": [(b"sion", b"ion", b""), (b"tion", b"ion", b"")],
}


def _table(rules: Rules) -> _Table:
    every = []
    for of_ending in rules.values():
        for suffix, put in of_ending:
            every += _LOOKING_BACK.get(suffix, [(suffix, suffix, put)])
    asked, taken, puts = zip(*every, strict=True)
    return _Table(
        list(asked),
        _flags(suffix[-2:] for suffix in asked),
        np.array(list(map(len, taken))),
        np.array(list(map(_integer, puts)), dtype=np.uint64),
        np.array(list(map(len, puts))),
        np.array([sum((letter in _VOWELS) << n for n, letter in enumerate(put)) for put in puts]),
    )


_DOUBLE_TABLE, _TABLE, _LAST_TABLE = map(_table, (_DOUBLE_SUFFIXES, _SUFFIXES, _LAST_SUFFIXES))
_FINAL_E, _FINAL_I = _table({b"": [(b"", b"e")]}), _table({b"": [(b"y", b"i")]})


def _end(endings: Unsigned, suffix: bytes) -> Booleans:
    """Which words, of which these are the last eight bytes, have a suffix."""
    found: Booleans = endings >> np.uint64(64 - 8 * len(suffix)) == np.uint64(_integer(suffix))
    return found


class _Letters:
    """Unsigned that change, each in a row of bytes: eight zeros, up to 16 letters, room for more.

    So the eight bytes that end with the last letter are always there to be read, and eight may be
    written wherever letters end.
    """

    def __init__(self, keys: Unsigned, seconds: Unsigned, lengths: Integers) -> None:
        self._rows = np.zeros((keys.size, 4), dtype="<u8")
        self._rows[:, 1], self._rows[:, 2] = keys, seconds
        self._bytes = self._rows.view(np.uint8).reshape(-1)
        starts = max(self._bytes.size - 7, 0)
        self._eights: Unsigned = np.ndarray((starts,), "<u8", self._rows, strides=(1,))
        self._starts = np.arange(keys.size) * 32 + 8
        self._vowels = _vowels(self._rows.view(np.uint8)[:, 8:24])
        self.lengths = lengths.copy()

    def read(self) -> tuple[Unsigned, Unsigned]:
        """The letters again as two integers."""
        return (
            self._rows[:, 1] & LOW_BYTES.take(self.lengths, mode="clip"),
            self._rows[:, 2] & LOW_BYTES.take(self.lengths - 8, mode="clip"),
        )

    @property
    def every(self) -> Integers:
        """All words."""
        return np.arange(self.lengths.size)

    def endings(self, which: Integers) -> Unsigned:
        """The last eight bytes of some words."""
        endings: Unsigned = self._eights[self._starts.take(which) + (self.lengths.take(which) - 8)]
        return endings

    def at(self, which: Integers, place: Integers) -> NDArray[np.uint8]:
        """The letter of each word at its place."""
        return self._bytes.take(self._starts.take(which) + place)

    def have_vowel(self, which: Integers, upto: Integers) -> Booleans:
        """Whether a vowel is among the first letters."""
        found: Booleans = self._vowels.take(which) & _BELOW.take(upto) != 0
        return found

    def have_vowel_at(self, which: Integers, place: Integers) -> Booleans:
        """Whether the letter at a place is a vowel."""
        found: Booleans = self._vowels.take(which) >> place & 1 != 0
        return found

    def measures(self, which: Integers, upto: Integers) -> NDArray[np.uint8]:
        """Porter's m of the first letters: how often a consonant follows a vowel."""
        vowels = self._vowels.take(which)
        last = vowels & ~(vowels >> 1)  # vowels before a consonant
        measures: NDArray[np.uint8] = np.bitwise_count(last & _BELOW.take(upto - 1, mode="clip"))
        return measures

    def are_short(self, which: Integers, upto: Integers) -> Booleans:
        """Porter's *o of the first letters, as `_is_short` has it."""
        vowels = self._vowels.take(which)
        last = self.at(which, upto - 1)
        cvc: Booleans = (vowels << 3) >> upto & 7 == 0b010
        cvc &= (upto > 2) & (last != ord("w")) & (last != ord("x")) & (last != ord("y"))
        vc: Booleans = (upto == 2) & (vowels & 3 == 0b01)
        return cvc | vc

    def replace(self, which: Integers, at: Integers, rules: _Table, number: Integers) -> None:
        """End words at a place, and there put the letters of a rule."""
        self._eights[self._starts.take(which) + at] = rules.letters.take(number)
        kept = self._vowels.take(which) & _BELOW.take(at)
        self._vowels[which] = kept | rules.vowels.take(number) << at
        self.lengths[which] = at + rules.lengths.take(number)


def _vowels(letters: NDArray[np.uint8]) -> Integers:
    """For each word a bit for each letter that is a vowel; y is one after a consonant."""
    vowels, is_y = _IS_VOWEL.take(letters), letters == ord("y")
    which = np.flatnonzero(is_y.any(axis=1))
    some, is_y = vowels[which], is_y[which]
    for place in range(1, LONGEST):
        some[:, place] |= is_y[:, place] & ~some[:, place - 1]
    vowels[which] = some
    bits = np.packbits(vowels, axis=1, bitorder="little")
    return bits[:, 0] | bits[:, 1].astype(np.int64) << 8


def _cut_plurals(letters: _Letters) -> None:
    """Step 1a, as `_without_plural`."""
    endings = letters.endings(letters.every)
    which = np.flatnonzero(_end(endings, b"s"))
    endings = endings.take(which)
    cut = np.ones_like(which)
    cut[_end(endings, b"ss")] = 0
    cut[_end(endings, b"sses")] = 2
    cut[_end(endings, b"ies") & (letters.lengths.take(which) != 4)] = 2
    letters.lengths[which] -= cut


def _cut_pasts(letters: _Letters) -> None:
    """Step 1b, as `_without_past`."""
    endings = letters.endings(letters.every)
    which = np.flatnonzero(_end(endings, b"ed") | _end(endings, b"ing"))
    endings, lengths = endings.take(which), letters.lengths.take(which)
    ied, eed = _end(endings, b"ied"), _end(endings, b"eed")
    letters.lengths[which[ied]] -= np.where(lengths[ied] == 4, 1, 2)
    measured = letters.measures(which[eed], lengths[eed] - 3) > 0
    letters.lengths[which[eed]] -= measured

    rest = lengths - np.where(_end(endings, b"ed"), 2, 3)
    cut = np.flatnonzero(~ied & ~eed & letters.have_vowel(which, rest))
    which, rest = which.take(cut), rest.take(cut)
    letters.lengths[which] = rest
    endings = letters.endings(which)
    with_e = _end(endings, b"at") | _end(endings, b"bl") | _end(endings, b"iz")
    last, before = endings >> np.uint64(56), endings >> np.uint64(48) & np.uint64(255)
    double = ~with_e & (last == before) & ~letters.have_vowel_at(which, rest - 1)
    lsz = _end(endings, b"l") | _end(endings, b"s") | _end(endings, b"z")
    letters.lengths[which[double & ~lsz]] -= 1
    with_e |= ~double & (letters.measures(which, rest) == 1) & letters.are_short(which, rest)
    which, rest = which[with_e], rest[with_e]
    letters.replace(which, rest, _FINAL_E, np.zeros_like(which))


def _replace_final_y(letters: _Letters) -> None:
    """Step 1c, as `_with_final_i`."""
    which = np.flatnonzero(_end(letters.endings(letters.every), b"y"))
    which = which[letters.lengths.take(which) > 2]
    rest = letters.lengths.take(which) - 1
    consonant = ~letters.have_vowel_at(which, rest - 1)
    which, rest = which[consonant], rest[consonant]
    letters.replace(which, rest, _FINAL_I, np.zeros_like(which))


def _shorten_alli(letters: _Letters) -> None:
    """The beginning of step 2; what is left does not end in -alli again."""
    which = np.flatnonzero(_end(letters.endings(letters.every), b"alli"))
    measured = letters.measures(which, letters.lengths.take(which) - 4) > 0
    letters.lengths[which[measured]] -= 2


def _replace_double_suffixes(letters: _Letters) -> None:
    """The rest of step 2, as `_with_single_suffix`."""
    _replace(letters, _DOUBLE_TABLE, least=1)


def _replace_suffixes(letters: _Letters) -> None:
    """Step 3."""
    _replace(letters, _TABLE, least=1)


def _cut_last_suffixes(letters: _Letters) -> None:
    """Step 4, as `_without_last_suffix`."""
    _replace(letters, _LAST_TABLE, least=2)


def _replace(letters: _Letters, rules: _Table, least: int) -> None:
    """Follow the first rule whose suffix a word has, if the rest has at least this measure."""
    endings = letters.endings(letters.every)
    which = np.flatnonzero(rules.endings.take((endings >> np.uint64(48)).astype(np.int64)))
    number = rules.first(endings.take(which))
    has = np.flatnonzero(number >= 0)
    which, number = which.take(has), number.take(has)
    rest = letters.lengths.take(which) - rules.cuts.take(number)
    fits = letters.measures(which, rest) >= least
    letters.replace(which[fits], rest[fits], rules, number[fits])


def _cut_final_e(letters: _Letters) -> None:
    """Step 5a, as `_without_final_e`."""
    which = np.flatnonzero(_end(letters.endings(letters.every), b"e"))
    rest = letters.lengths.take(which) - 1
    measure = letters.measures(which, rest)
    cut = (measure > 1) | ((measure == 1) & ~letters.are_short(which, rest))
    letters.lengths[which[cut]] -= 1


def _cut_final_l(letters: _Letters) -> None:
    """Step 5b: -ll loses an l after a rest of more than one measure."""
    which = np.flatnonzero(_end(letters.endings(letters.every), b"ll"))
    cut = letters.measures(which, letters.lengths.take(which) - 1) > 1
    letters.lengths[which[cut]] -= 1
