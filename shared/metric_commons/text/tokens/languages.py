"""Normalizers of question answering in other languages than English, and of several languages.

MLQA has a rule for each of its seven languages, CMRC 2018 is Chinese, KorQuAD is Korean. Each
function returns what the official script of its data set returns, for every string. What counts as
punctuation in MLQA is decided by the Unicode version of Python's `unicodedata`, as in the script.
"""

import re
import string
import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ...statistics.arguments.arrays import Booleans
from .treebank_words import treebank_words

# CMRC's marks. Its list also has "……", which no single character equals: an ellipsis stays.
_CMRC_MARKS = "-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』"
_WITHOUT_CMRC_MARKS = str.maketrans("", "", _CMRC_MARKS)
_HAN_OR_REST = re.compile("[\u4e00-\u9fa5]|[^\u4e00-\u9fa5]+")
_FIRST_HAN, _LAST_HAN = 0x4E00, 0x9FA5  # the ideographs of Unicode 1.1, in MLQA and CMRC alike
_HAN = re.compile("([\u4e00-\u9fa5])")
_KORQUAD_BLANKS = str.maketrans(dict.fromkeys("'\"()<>《》〈〉‘’", " "))
_WITHOUT_ASCII_MARKS = str.maketrans("", "", string.punctuation)
_LAST_SPACE = 0x3000
_PLANES_WITH_LETTERS = 0x20000  # the others hold ideographs, tags and private characters
_SEPARATOR = 0xE000  # separates texts that are folded together; see `texts.tokens`

MLQA_ARTICLES = {
    "en": ("a", "an", "the"),
    "es": ("un", "una", "unos", "unas", "el", "la", "los", "las"),
    "hi": (),
    "vi": ("của", "là", "cái", "chiếc", "những"),
    "de": (
        *("ein", "eine", "einen", "einem", "eines", "einer"),
        *("der", "die", "das", "den", "dem", "des"),
    ),
    "zh": (),
}
"""The words that MLQA's script removes from answers, by language; in Arabic it removes a prefix."""


def _mlqa(text: str, language: str) -> str:
    """The text without punctuation and the articles of a language, with normalized white space."""
    text = text.lower().translate(_without_punctuation())
    if MLQA_ARTICLES[language]:
        text = _article_pattern(language).sub(" ", text)
    return " ".join(text.split())


def mlqa_en(text: str) -> str:
    """As in MLQA for English: `squad`, and all punctuation of Unicode is deleted.

    >>> mlqa_en("The “Saint-Denis”")
    'saintdenis'
    """
    return _mlqa(text, "en")


def mlqa_es(text: str) -> str:
    """As in MLQA for Spanish: without un, una, unos, unas, el, la, los and las.

    >>> mlqa_es("¿La Ciudad de México?")
    'ciudad de méxico'
    """
    return _mlqa(text, "es")


def mlqa_hi(text: str) -> str:
    """As in MLQA for Hindi, which has no articles.

    >>> mlqa_hi("नई  दिल्ली।")
    'नई दिल्ली'
    """
    return _mlqa(text, "hi")


def mlqa_vi(text: str) -> str:
    """As in MLQA for Vietnamese: without của, là, cái, chiếc and những.

    >>> mlqa_vi("Thủ đô của Việt Nam")
    'thủ đô việt nam'
    """
    return _mlqa(text, "vi")


def mlqa_de(text: str) -> str:
    """As in MLQA for German: without the forms of ein and der, except for "eins".

    >>> mlqa_de("Die Stadt des Lichts!")
    'stadt lichts'
    """
    return _mlqa(text, "de")


def mlqa_ar(text: str) -> str:
    """As in MLQA for Arabic: each \u0627\u0644 becomes a space, also within a word.

    >>> mlqa_ar("القاهرة"), mlqa_ar("العالم")
    ('قاهرة', 'ع م')
    """
    text = text.lower().translate(_without_punctuation())
    return " ".join(text.replace("\u0627\u0644", " ").split())


def mlqa_zh(text: str) -> str:
    """As in MLQA for Chinese: each ideograph is a word; other text is split at white space.

    >>> mlqa_zh("《北京大学》NBA 15")
    '北 京 大 学 nba 15'
    """
    text = text.lower().translate(_without_punctuation())
    return " ".join(_HAN.sub(r" \1 ", text).split())


def cmrc(text: str) -> str:
    """As in CMRC 2018 for exact match: lower-case, without its 31 marks.

    >>> cmrc("《红楼梦》。"), cmrc("A、B和C")
    ('红楼梦', 'ab和c')
    """
    return text.lower().strip().translate(_WITHOUT_CMRC_MARKS)


def cmrc_tokens(text: str) -> str:
    """As in CMRC 2018 for F1: each ideograph, and the words of other text, joined by spaces.

    The script splits other text with NLTK's word tokenizer. Here it is taken as one sentence; NLTK
    looks for sentences first, which makes a difference only where a full stop ends one of several.

    >>> cmrc_tokens("NBA球员, 3.14"), cmrc_tokens("COVID-19")
    ('nba 球 员 , 3.14', 'covid19')
    """
    words: list[str] = []
    for run in _HAN_OR_REST.findall(cmrc(text)):
        if _FIRST_HAN <= ord(run[0]) <= _LAST_HAN:
            words.append(run)
        else:
            words += treebank_words(run)
    return " ".join(words)


def korquad(text: str) -> str:
    """As in KorQuAD 1.0 for exact match: quotes and brackets become spaces, other marks go.

    >>> korquad("《나는 가수다》(MBC)"), korquad("3,000명")
    ('나는 가수다 mbc', '3000명')
    """
    return " ".join(fold_korquad(text).translate(_WITHOUT_ASCII_MARKS).split())


def korquad_characters(text: str) -> str:
    """As in KorQuAD 1.0 for F1: the characters of the answer, joined by spaces.

    >>> korquad_characters("3,000명")
    '3 0 0 0 명'
    """
    return " ".join("".join(korquad(text).split()))


# Folds for `texts.tokens`: what the functions above do before they handle ASCII punctuation, for
# many texts in one string. They use arrays of code points, since `str.translate` takes ten times
# as long on text that is not ASCII.


def fold_mlqa(text: str) -> str:
    """Lower-case, with `!` for other punctuation, which is deleted as well, and plain spaces.

    >>> fold_mlqa("¿Qué\u3000?")
    '!qué ?'
    """
    return _text(_mlqa_codes(text))


def fold_mlqa_ar(text: str) -> str:
    """Lower-case, without punctuation, and with a space for each \u0627\u0644.

    >>> fold_mlqa_ar("القاهرة،")
    ' قاهرة'
    """
    codes = _mlqa_codes(text)
    return _text(codes.compress(~_is_mark().take(codes))).replace("\u0627\u0644", " ")


def fold_mlqa_zh(text: str) -> str:
    """Return the same as `fold_mlqa`, with a space after and before each ideograph.

    >>> fold_mlqa_zh("《北京》NBA")
    '! 北  京 !nba'
    """
    codes = _mlqa_codes(text)
    return _text(_set_apart(codes, (codes >= _FIRST_HAN) & (codes <= _LAST_HAN)))


def fold_korquad(text: str) -> str:
    """Lower-case, after twelve quotes and brackets became spaces.

    The order matters only for the Greek sigma, which is final before a space.

    >>> fold_korquad("《MBC》")
    ' mbc '
    """
    return text.translate(_KORQUAD_BLANKS).lower()


def fold_korquad_characters(text: str) -> str:
    """Return the same, without ASCII punctuation, and with spaces around each character.

    >>> fold_korquad_characters("3,0명")
    ' 3  0  명 '
    """
    codes = _codes(fold_korquad(text).translate(_WITHOUT_ASCII_MARKS))
    return _text(_set_apart(codes, (codes > ord(" ")) & (codes != _SEPARATOR)))


Codes = NDArray[np.uint32]


def _codes(text: str) -> Codes:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def _text(codes: Codes) -> str:
    return codes.tobytes().decode("utf-32-le", "surrogatepass")


def _mlqa_codes(text: str) -> Codes:
    """Return the characters of `fold_mlqa`.

    Only two letters are not lower-cased one by one: Σ depends on its neighbours, and İ becomes two.
    """
    if "Σ" in text or "İ" in text:
        text = text.lower()
    return _mlqa_table().take(_codes(text))


def _set_apart(codes: Codes, chosen: Booleans) -> Codes:
    """Return the characters with a space before and after each chosen one."""
    widths = np.where(chosen, 3, 1)
    spaced = np.full(int(widths.sum()), ord(" "), dtype="<u4")
    spaced[np.cumsum(widths) - np.where(chosen, 2, 1)] = codes
    return spaced


@cache
def _punctuation() -> frozenset[int]:
    """Return the punctuation of Unicode, and all of ASCII, which has symbols too."""
    marks = (n for n in range(_PLANES_WITH_LETTERS) if unicodedata.category(chr(n))[0] == "P")
    return frozenset(marks) | frozenset(map(ord, string.punctuation))


@cache
def _without_punctuation() -> dict[int, None]:
    return dict.fromkeys(_punctuation())


@cache
def _mlqa_table() -> Codes:
    """Return each character in lower case.

    `!` for non-ASCII punctuation, a space for white space.
    """
    table = np.arange(0x110000, dtype="<u4")
    for code in range(_PLANES_WITH_LETTERS):
        lower = chr(code).lower()
        if len(lower) == 1:
            table[code] = ord(lower)
    marks = np.array(sorted(_punctuation()))
    table[marks[marks > 0x7F]] = ord("!")
    spaces = np.flatnonzero([chr(code).isspace() for code in range(_LAST_SPACE + 1)])
    table[spaces[spaces > 0x7F]] = ord(" ")
    return table


@cache
def _is_mark() -> Booleans:
    table = np.zeros(0x110000, dtype=np.bool_)
    table[list(map(ord, string.punctuation))] = True
    return table


@cache
def _article_pattern(language: str) -> re.Pattern[str]:
    return re.compile(rf"\b({'|'.join(MLQA_ARTICLES[language])})\b")
