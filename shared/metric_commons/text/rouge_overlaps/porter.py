"""The stems of English words: Porter's algorithm with the extensions of NLTK.

M. F. Porter, An algorithm for suffix stripping, 1980. NLTK adds irregular words and changes a few
rules, which are marked below; for example, it does not change "array", where Porter has "arrai".
rouge_score uses this stemmer.

Words are bytes of a-z and 0-9, because `bytes.translate` and `bytes.count` provide what a rule
needs to know about a word. Its shape has a letter c for each consonant and v for each vowel.
Porter's measure m, the number of times that a vowel is followed by a consonant, is the number of
"vc" in the shape: "relational" has the shape cvcvcvvcvc and the measure 4.
"""

Rules = dict[bytes, list[tuple[bytes, bytes]]]  # by the last two letters: suffix, replacement

_VOWELS = b"aeiou"
_SHAPES = bytes(ord("v" if n in _VOWELS else "y" if n == ord("y") else "c") for n in range(256))

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


def _rules(text: str) -> Rules:
    """Parse rules such as "izer>ize ful>", in the order in which they are tried."""
    rules: Rules = {}
    for rule in text.encode().split():
        suffix, _, replacement = rule.partition(b">")
        rules.setdefault(suffix[-2:], []).append((suffix, replacement))
    return rules


# NLTK has "bli" where Porter's paper has "abli", and adds "fulli" and "logi".
_STEP_2 = _rules(
    "ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble alli>al entli>ent eli>e "
    "ousli>ous ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous "
    "aliti>al iviti>ive biliti>ble fulli>ful logi>log"
)
_STEP_3 = _rules("icate>ic ative> alize>al iciti>ic ical>ic ful> ness>")
_STEP_4 = _rules(
    "al> ance> ence> er> ic> able> ible> ant> ement> ment> ent> ion> ou> ism> ate> iti> ous> "
    "ive> ize>"
)

# The last two letters of the words that some step may change; other words are their own stems.
_STEP_1 = frozenset(
    {b"ed", b"ng"} | {bytes([letter, last]) for letter in range(256) for last in b"sy"}
)
_ENDINGS = (
    _STEP_1
    | {b"ll", *_STEP_2, *_STEP_3, *_STEP_4}
    | {bytes([letter, ord("e")]) for letter in range(256)}
)


def porter(word: bytes) -> bytes:
    """Return the stem of a word of a-z and 0-9, equal to NLTK's.

    >>> porter(b"relational"), porter(b"flies"), porter(b"dying"), porter(b"always")
    (b'relat', b'fli', b'die', b'alway')
    """
    ending = word[-2:]
    if ending not in _ENDINGS or len(word) <= 2:
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if ending in _STEP_1:
        word = _without_inflection(word)
        ending = word[-2:]
        if ending not in _ENDINGS:
            return word
    if ending in _STEP_2:
        word = _with_single_suffix(word)
        ending = word[-2:]
    if ending in _STEP_3:
        word = _with_suffix_replaced(word, _STEP_3[ending])
        ending = word[-2:]
    if ending in _STEP_4:
        word = _without_last_suffix(word, _STEP_4[ending])
    if word.endswith(b"e"):
        word = _without_final_e(word)
    if word.endswith(b"ll") and _measure(word[:-1]) > 1:  # step 5b
        word = word[:-1]
    return word


def _shape(letters: bytes) -> bytes:
    """Return the letters with c for each consonant and v for each vowel.

    Y is a vowel after a consonant.

    >>> _shape(b"yearly")
    b'cvvccv'
    """
    shape = letters.translate(_SHAPES)
    if b"y" not in shape:
        return shape
    kinds = bytearray(shape)
    kind = ord("v")
    for position, letter in enumerate(shape):
        kind = letter if letter != ord("y") else ord("c") + ord("v") - kind
        kinds[position] = kind
    return bytes(kinds)


def _measure(letters: bytes) -> int:
    """Porter's m: the number of times that a vowel is followed by a consonant."""
    return _shape(letters).count(b"vc")


def _is_short(stem: bytes, shape: bytes) -> bool:
    """Porter's *o: ends consonant, vowel, consonant, the last not w, x or y; NLTK: or is vc."""
    return (shape.endswith(b"cvc") and not stem.endswith((b"w", b"x", b"y"))) or shape == b"vc"


def _with_suffix_replaced(word: bytes, rules: list[tuple[bytes, bytes]]) -> bytes:
    """Apply the first rule whose suffix the word has, if the stem before it has a measure."""
    for suffix, replacement in rules:
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            return stem + replacement if _measure(stem) > 0 else word
    return word


def _without_inflection(word: bytes) -> bytes:
    """Step 1. Each part may apply to the result of the previous one."""
    ending = word[-2:]
    if ending.endswith(b"s"):
        word = _without_plural(word, ending)
        ending = word[-2:]
    if ending == b"ed" or ending == b"ng":
        word = _without_past(word)
    return _with_final_i(word) if word.endswith(b"y") else word


def _without_plural(word: bytes, ending: bytes) -> bytes:
    """Step 1a, by the last two letters. NLTK: words of four letters in -ies keep their e."""
    if ending == b"es":
        if word.endswith(b"ies"):
            return word[:-1] if len(word) == 4 else word[:-2]
        if word.endswith(b"sses"):
            return word[:-2]
    return word if ending == b"ss" else word[:-1]


def _without_past(word: bytes) -> bytes:
    """Step 1b, for -ed and -ing. NLTK: -ied is treated as -ies."""
    ending = word[-3:]
    if ending == b"ied":
        return word[:-1] if len(word) == 4 else word[:-2]
    if ending == b"eed":
        return word[:-1] if _measure(word[:-3]) > 0 else word
    if ending == b"ing":
        stem = word[:-3]
    elif ending.endswith(b"ed"):
        stem = word[:-2]
    else:
        return word
    shape = _shape(stem)
    if b"v" not in shape:
        return word
    if stem.endswith((b"at", b"bl", b"iz")):
        return stem + b"e"
    if shape.endswith(b"c") and stem[-1:] == stem[-2:-1]:
        return stem if stem.endswith((b"l", b"s", b"z")) else stem[:-1]
    return stem + b"e" if shape.count(b"vc") == 1 and _is_short(stem, shape) else stem


def _with_final_i(word: bytes) -> bytes:
    """Step 1c, for -y. NLTK: after a consonant that is not the first letter."""
    stem = word[:-1]
    return stem + b"i" if len(stem) > 1 and _shape(stem).endswith(b"c") else word


def _with_single_suffix(word: bytes) -> bytes:
    """Step 2. NLTK: -alli goes first, and the result is stemmed again; -logi leaves its l."""
    while word.endswith(b"alli") and _measure(word[:-4]) > 0:
        word = word[:-2]
    if word.endswith(b"logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _with_suffix_replaced(word, _STEP_2[word[-2:]])


def _without_last_suffix(word: bytes, rules: list[tuple[bytes, bytes]]) -> bytes:
    """Step 4: remove the first matching suffix if the measure exceeds 1; -ion after s or t."""
    for suffix, _ in rules:
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            applies = suffix != b"ion" or stem.endswith((b"s", b"t"))
            return stem if applies and _measure(stem) > 1 else word
    return word


def _without_final_e(word: bytes) -> bytes:
    """Step 5a, for -e."""
    stem = word[:-1]
    shape = _shape(stem)
    measure = shape.count(b"vc")
    return stem if measure > 1 or (measure == 1 and not _is_short(stem, shape)) else word
