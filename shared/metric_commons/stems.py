"""The stems of English words: Porter's algorithm with the extensions of NLTK.

This is the stemmer of rouge_score, and not that of Snowball, which changes "array" and "always"
where this one does not. M. F. Porter, An algorithm for suffix stripping, 1980; NLTK adds irregular
words and changes a few rules, which are marked below.

Words are bytes of a-z and 0-9: what a rule asks about a word, `bytes.translate` and `bytes.count`
answer at once.
"""

import re
from collections.abc import Sequence

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
