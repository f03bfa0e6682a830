"""Texts on which text metrics go wrong, for property tests."""

import random
import string
from collections.abc import Iterator

# Each breaks something: case mapping that depends on neighbours or changes length, white space
# and word characters beyond ASCII, articles at non-letters, control and private characters.
FRAGMENTS = [
    *"a an the A AN The THE and at tha an' the-end a.m. _the_".split(),
    *"a’s “the” the… …an éa aé année".split(),
    *"cat Cat. dogs, U.S.A. 3.14 1,000 21.0 -5 1e5 inf nan 1_000 50% True False yes no".split(),
    *"café cafe\u0301 a\u0301 İstanbul ΣΊΣΥΦΟΣ ΑΣ ΑΣ’ ß ẞ ﬁne \u212a Å ıI ǅ ½ ٣".split(),
    *"日本語 مرحبا हिन्दी 한국어".split(),
    *"la LOS él uñas der Die einer die€ của CÁI là cu\u0309a la\u0300".split(),
    *"القاهرة ال والله 3,000명".split(),
    *"《北京》 大学，A、B 龥龦 㐀 ‘MBC’ don't cannot '90s ``x'' wanna d'ye — € ° ˇ".split(),
    *"internationalization internationalisation internationalizations".split(),
    "x" * 40 + "y",
    "x" * 40 + "z",
    *" \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u2028\u2029\u202f\u205f\u3000",
    *"\x00\x01\x07\x0e\x1b\x7f\x80\xad\xff\u200b\u200d\ufeff\ue000\ufffd\U0001f600",
    "\n\ue000\n",
    "\ud800",
    "\udfff",
    "",
]

# Words of which some have the same stem, beside words that only lower-casing or bytes change.
WORD_FORMS = (
    "connect connected connecting connection connections relate relational relativity relates "
    "internationalization internationalizations internationalisation x 1889 cafés \u0130stanbul "
    "\u212aelvin \u212a\u0130 naïve 日本 don’t co-op"
).split()


def adversarial_text(chance: random.Random) -> str:
    """A few fragments, with or without spaces between them; sometimes noise."""
    kind = chance.random()
    if kind < 0.05:
        return chance.choice(["", " ", "a", "The", "True", "False", "?", "an a"])
    if kind < 0.15:
        return "".join(chr(chance.randrange(0x250)) for _ in range(chance.randrange(12)))
    pieces = chance.choices(FRAGMENTS, k=chance.randrange(1, 9))
    if kind < 0.3:
        pieces = [p + chance.choice(string.punctuation) for p in pieces]
    return "".join(p + chance.choice(["", " ", " ", " "]) for p in pieces)


def adversarial_rows(rows: int, seed: int) -> tuple[list[str], list[list[str]]]:
    """Predictions, and references that are often nearly the same text."""
    chance = random.Random(seed)
    predictions, references = [], []
    for _ in range(rows):
        prediction = adversarial_text(chance)
        of_row = []
        for _ in range(chance.randrange(1, 5)):
            kind = chance.random()
            if kind < 0.25:
                of_row.append(adversarial_text(chance))
            elif kind < 0.5:
                of_row.append(prediction.swapcase())
            else:
                words = prediction.split(" ")
                chance.shuffle(words)
                of_row.append(" ".join(words[: chance.randrange(len(words) + 1)]))
        predictions.append(prediction)
        references.append(of_row)
    return predictions, references


def sequence_pairs(number: int, seed: int) -> Iterator[tuple[list[int], list[int]]]:
    """Pairs of sequences, some of many words of rows, with few or many different items."""
    chance = random.Random(seed)
    for _ in range(number):
        longest_side = chance.choice([4, 12, 60, 130, 300])
        kinds = range(chance.choice([2, 5, 40, 400]))
        first, second = (chance.choices(kinds, k=chance.randrange(longest_side)) for _ in range(2))
        if chance.random() < 0.5:
            second = [x if chance.random() < 0.8 else chance.choice(kinds) for x in first]
        yield first, second
