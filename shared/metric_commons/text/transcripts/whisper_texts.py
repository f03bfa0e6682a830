"""Whisper's normalizers of transcripts: its English one, and its basic one for other languages.

Both return what those of openai-whisper return, for every text. The table of spellings comes from
that project (MIT licence, OpenAI).
"""

import re
import unicodedata
from collections.abc import Sequence

from .american_spellings import AMERICAN_SPELLINGS
from .whisper_numbers import with_digits

_BRACKETED = re.compile(r"[<\[][^>\]]*[>\]]")
_PARENTHESIZED = re.compile(r"\([^)]+\)")
_SPACES = re.compile(r"\s+")
_FILLERS = re.compile(r"\b(hmm|mm|mhm|mmm|uh|um)\b")
_SPACED_APOSTROPHE = re.compile(r"(?<!\s)\s+'")  # tried once in each run of spaces
_DIGIT_COMMA = re.compile(r"(\d),(\d)")
_PERIOD = re.compile(r"\.([^0-9]|$)")
_LONE_SYMBOL = re.compile(r"[.$¢€£]([^0-9])")
_LONE_PERCENT = re.compile(r"([^0-9])%")
_KEPT = ".%$¢€£"  # for numbers

# Letters that NFKD does not take apart. As in Whisper, Þ becomes lower case.
_LETTERS = {
    "œ": "oe",
    "Œ": "OE",
    "ø": "o",
    "Ø": "O",
    "æ": "ae",
    "Æ": "AE",
    "ß": "ss",
    "ẞ": "SS",
    "đ": "d",
    "Đ": "D",
    "ð": "d",
    "Ð": "D",
    "þ": "th",
    "Þ": "th",
    "ł": "l",
    "Ł": "L",
}
_TITLES = {
    "mr": "mister",
    "mrs": "missus",
    "st": "saint",
    "dr": "doctor",
    "prof": "professor",
    "capt": "captain",
    "gov": "governor",
    "ald": "alderman",
    "gen": "general",
    "sen": "senator",
    "rep": "representative",
    "pres": "president",
    "rev": "reverend",
    "hon": "honorable",
    "asst": "assistant",
    "assoc": "associate",
    "lt": "lieutenant",
    "col": "colonel",
    "jr": "junior",
    "sr": "senior",
    "esq": "esquire",
}
# In this order, since later patterns meet the results of earlier ones.
EXPANSIONS = [
    (re.compile(pattern), words)
    for pattern, words in (
        *((r"\bwon't\b", "will not"), (r"\bcan't\b", "can not"), (r"\blet's\b", "let us")),
        *((r"\bain't\b", "aint"), (r"\by'all\b", "you all"), (r"\bwanna\b", "want to")),
        *((r"\bgotta\b", "got to"), (r"\bgonna\b", "going to"), (r"\bi'ma\b", "i am going to")),
        *((r"\bimma\b", "i am going to"), (r"\bwoulda\b", "would have")),
        *((r"\bcoulda\b", "could have"), (r"\bshoulda\b", "should have")),
        (r"\bma'am\b", "madam"),
        *((rf"\b{title}\b", f"{words} ") for title, words in _TITLES.items()),
        *((r"'d been\b", " had been"), (r"'s been\b", " has been"), (r"'d gone\b", " had gone")),
        *((r"'s gone\b", " has gone"), (r"'d done\b", " had done"), (r"'s got\b", " has got")),
        *((r"n't\b", " not"), (r"'re\b", " are"), (r"'s\b", " is"), (r"'d\b", " would")),
        *((r"'ll\b", " will"), (r"'t\b", " not"), (r"'ve\b", " have"), (r"'m\b", " am")),
    )
]


def whisper_basic(text: str) -> str:
    """As Whisper's basic normalizer: lower case, without brackets; symbols and marks become spaces.

    >>> whisper_basic("Voilà, [noise] (laughs) l'été!")
    'voilà l été '
    """
    text = without_brackets(text.lower(), parentheses=True)
    characters = unicodedata.normalize("NFKC", text)
    cleaned = "".join(" " if unicodedata.category(c)[0] in "MSP" else c for c in characters)
    return _SPACES.sub(" ", cleaned.lower())


def whisper_english(text: str) -> str:
    """As Whisper's English normalizer: contractions, numbers and spellings in one form.

    >>> whisper_english("Um, I can't believe Mr. Smith's colour cost twenty-five dollars!")
    'i can not believe mister smith is color cost $25'
    """
    text = with_digits(without_symbols(text, _FILLERS, EXPANSIONS))
    text = " ".join(AMERICAN_SPELLINGS.get(word, word) for word in text.split())
    return without_lone_symbols(text)


def without_brackets(text: str, *, parentheses: bool = False) -> str:
    """Return the text without what is in angle or square brackets, then without parentheses.

    After the last closing bracket nothing is tried, since each opening one there would be followed
    to the end of the text.

    >>> without_brackets("a <unk] (b) [c", parentheses=True)
    'a   [c'
    """
    end = max(text.rfind(">"), text.rfind("]")) + 1
    text = _BRACKETED.sub("", text[:end]) + text[end:]
    if parentheses:
        end = text.rfind(")") + 1
        text = _PARENTHESIZED.sub("", text[:end]) + text[end:]
    return text


def without_symbols(
    text: str,
    fillers: re.Pattern[str],
    expansions: Sequence[tuple[re.Pattern[str], str]],
    compounds: Sequence[tuple[re.Pattern[str], str]] = (),
) -> str:
    """Return the text in lower case, with contractions expanded, without symbols and fillers.

    Patterns are replaced by their texts one after another, the compounds after symbols.
    """
    text = without_brackets(text.lower(), parentheses=True)
    text = _SPACED_APOSTROPHE.sub("'", fillers.sub("", text))
    for pattern, words in expansions:
        text = pattern.sub(words, text)
    text = _PERIOD.sub(r" \1", _DIGIT_COMMA.sub(r"\1\2", text))
    text = "".join(map(_plain, unicodedata.normalize("NFKD", text)))
    for pattern, words in compounds:
        text = pattern.sub(words, text)
    return text


def without_lone_symbols(text: str) -> str:
    """Return the text without symbols that are not beside a number, and single spaces."""
    text = _LONE_PERCENT.sub(r"\1 ", _LONE_SYMBOL.sub(r" \1", text))
    return _SPACES.sub(" ", text)


def _plain(character: str) -> str:
    """Return the character without diacritics; a space for a symbol."""
    if character in _KEPT:
        return character
    if character in _LETTERS:
        return _LETTERS[character]
    category = unicodedata.category(character)
    if category == "Mn":
        return ""
    return " " if category[0] in "MSP" else character
