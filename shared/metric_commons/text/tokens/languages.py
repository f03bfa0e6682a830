"""Normalizers of question answering in other languages than English, and of several languages.

MLQA has a rule for each of its seven languages, CMRC 2018 is Chinese, KorQuAD is Korean. Each
function returns what the official script of its data set returns, for every string. What counts as
punctuation in MLQA is decided by the Unicode version of Python's `unicodedata`, as in the script.
"""

import re
import string
import unicodedata
from functools import cache

# CMRC's marks. Its list also has "……", which no single character equals: an ellipsis stays.
_CMRC_MARKS = "-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』"
_WITHOUT_CMRC_MARKS = str.maketrans("", "", _CMRC_MARKS)
_HAN_OR_REST = re.compile("[\u4e00-\u9fa5]|[^\u4e00-\u9fa5]+")
_FIRST_HAN, _LAST_HAN = 0x4E00, 0x9FA5  # the ideographs of Unicode 1.1, in MLQA and CMRC alike
_HAN = re.compile("([\u4e00-\u9fa5])")
_KORQUAD_BLANKS = str.maketrans(dict.fromkeys("'\"()<>《》〈〉‘’", " "))
_WITHOUT_ASCII_MARKS = str.maketrans("", "", string.punctuation)
_PLANES_WITH_LETTERS = 0x20000  # the others hold ideographs, tags and private characters

MLQA_ARTICLES = {
    "en": ("a", "an", "the"),
    "es": tuple("un una unos unas el la los las".split()),
    "hi": (),
    "vi": tuple("của là cái chiếc những".split()),
    "de": tuple("ein eine einen einem eines einer der die das den dem des".split()),
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
    from .treebank_words import treebank_words  # its patterns take long to compile

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
    return " ".join(text.translate(_KORQUAD_BLANKS).lower().translate(_WITHOUT_ASCII_MARKS).split())


def korquad_characters(text: str) -> str:
    """As in KorQuAD 1.0 for F1: the characters of the answer, joined by spaces.

    >>> korquad_characters("3,000명")
    '3 0 0 0 명'
    """
    return " ".join("".join(korquad(text).split()))


@cache
def _punctuation() -> frozenset[int]:
    """Return the punctuation of Unicode, and all of ASCII, which has symbols too."""
    marks = (n for n in range(_PLANES_WITH_LETTERS) if unicodedata.category(chr(n))[0] == "P")
    return frozenset(marks) | frozenset(map(ord, string.punctuation))


@cache
def _without_punctuation() -> dict[int, None]:
    return dict.fromkeys(_punctuation())


@cache
def _article_pattern(language: str) -> re.Pattern[str]:
    return re.compile(rf"\b({'|'.join(MLQA_ARTICLES[language])})\b")
