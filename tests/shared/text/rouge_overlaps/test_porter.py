import random

import pytest

from metric_commons.text.rouge_overlaps.porter import porter

# Suffixes that some step looks at, and those that nearly are.
SUFFIXES = (
    "ational tional enci anci izer bli abli alli entli eli ousli ization ation ator alism iveness "
    "fulness ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful ness al ance "
    "ence er ic able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize e l ll s es "
    "ies sses ss ed eed ied ing ng y yy ay at bl iz"
).split()


def words(number, seed):
    """Words that end in up to three such suffixes."""
    chance = random.Random(seed)
    for _ in range(number):
        letters = chance.choice(["aeiouybcdflmnprstvwxz0", "abcdefghijklmnopqrstuvwxyz0123456789"])
        stem = "".join(chance.choices(letters, k=chance.randrange(7)))
        yield stem + "".join(chance.choices(SUFFIXES, k=chance.randrange(4)))


def test_examples_of_the_paper():
    """The examples in Porter's text, but for those that NLTK changes."""
    pairs = """
        caresses caress ponies poni caress caress cats cat feed feed agreed agre plastered plaster
        bled bled motoring motor sing sing conflated conflat troubled troubl sized size hopping hop
        tanned tan falling fall hissing hiss fizzed fizz failing fail filing file happy happi
        relational relat conditional condit rational ration valency valenc hesitancy hesit
        digitizer digit conformably conform radically radic differently differ vilely vile
        analogously analog predication predic operator oper feudalism feudal decisiveness decis
        hopefulness hope callousness callous formality formal sensitivity sensit sensibility sensibl
        triplicate triplic formative form formalize formal electricity electr electrical electr
        hopeful hope goodness good revival reviv allowance allow inference infer airliner airlin
        gyroscopic gyroscop adjustable adjust defensible defens irritant irrit replacement replac
        adjustment adjust dependent depend adoption adopt communism commun activate activ
        homologous homolog effective effect bowdlerize bowdler probate probat rate rate cease ceas
        controlling control roll roll
    """.split()

    for word, stem in zip(pairs[::2], pairs[1::2], strict=True):
        assert (word, porter(word.encode())) == (word, stem.encode())


IRREGULAR = (
    "sky skies dying lying tying news inning innings outing outings canning cannings howe proceed "
    "exceed succeed canningses proceeded skie"
).split()


@pytest.mark.long
def test_equal_to_nltk_on_irregular_words_and_words_made_of_suffixes():
    stem = pytest.importorskip("nltk.stem.porter").PorterStemmer().stem

    different = [
        word
        for word in [*IRREGULAR, *words(60_000, seed=1)]
        if porter(word.encode()) != stem(word).encode()
    ]

    assert not different


def test_stems_of_long_words_take_no_time():
    assert porter(b"y" * 100_000)[-3:] == b"yyi"
