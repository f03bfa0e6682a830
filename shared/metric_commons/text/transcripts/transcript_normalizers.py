"""Normalizers of transcripts: those of answers, jiwer's, Whisper's, and a leaderboard's.

Whisper has an English one, and a basic one for other languages; both return here what those of
openai-whisper return, for every text. The table of spellings comes from that project (MIT licence,
OpenAI).

That of the Open ASR Leaderboard began as Whisper's English one. Beside other fillers and spellings
it has one form of names, joins compounds and spelled acronyms, and knows a possessive from "is".
When it scores, the leaderboard also joins words that only differ in where they are divided.

Source:
    huggingface/open_asr_leaderboard, `normalizer` at d1e99b25524814332d6868a5645e568670834cfb
    (Apache-2.0).
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Annotated

from ...statistics.arguments.domains import OneOf
from ..tokens.normalizers import NORMALIZERS
from .american_spellings import AMERICAN_SPELLINGS
from .whisper_numbers import with_digits

_WHITE_SPACE = re.compile(r"\s\s+")
_ASCII_SPACE = str.maketrans(dict.fromkeys("\t\n\r\x0b\x0c", " "))
_CONTRACTIONS = (
    *(("won't", "will not"), ("can't", "can not"), ("let's", "let us")),
    *(("n't", " not"), ("'re", " are"), ("'s", " is"), ("'d", " would")),
    *(("'ll", " will"), ("'t", " not"), ("'ve", " have"), ("'m", " am")),
)


def jiwer_standardize(text: str) -> str:
    r"""Return the text after jiwer's `wer_standardize`.

    It is lower-cased, common English contractions are expanded, non-words such as <unk> and [laugh]
    are removed, and white space is normalized.

    >>> jiwer_standardize("I can't <unk> HEAR\tyou")
    'i can not hear you'
    """
    text = text.lower()
    for contraction, words in _CONTRACTIONS:
        text = text.replace(contraction, words)
    return _WHITE_SPACE.sub(" ", without_brackets(text).translate(_ASCII_SPACE)).strip()


def _table(text: str) -> dict[str, str]:
    """Return a table that is written as "word=other" for each entry."""
    return dict(entry.split("=") for entry in text.split())


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
_LETTERS = _table("œ=oe Œ=OE ø=o Ø=O æ=ae Æ=AE ß=ss ẞ=SS đ=d Đ=D ð=d Ð=D þ=th Þ=th ł=l Ł=L")
_TITLES = _table(
    "mr=mister mrs=missus st=saint dr=doctor prof=professor capt=captain gov=governor "
    "ald=alderman gen=general sen=senator rep=representative pres=president rev=reverend "
    "hon=honorable asst=assistant assoc=associate lt=lieutenant col=colonel jr=junior "
    "sr=senior esq=esquire"
)
# In this order, since later patterns meet the results of earlier ones.
_EXPANSIONS = [
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
    text = with_digits(without_symbols(text, _FILLERS, _EXPANSIONS))
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
    """Return the text with single spaces, without symbols that do not belong to a number."""
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


_ASR_FILLERS = re.compile(
    r"\b(hmm|mm|mhm|mmm|uh|um|ah|aha|ahh|ahm|eh|ehehe|em|hm|huh|hum|mhum|uhm|umm|uhuh)\b"
)
_IS = re.compile(r"\b(it|he|she|what|that|who|here|there|how|when|where|why|this)'s\b")
_ASR_EXPANSIONS = [
    (_IS, r"\1 is") if pattern.pattern == r"'s\b" else (pattern, words)
    for pattern, words in _EXPANSIONS
]
_COMPOUNDS = [
    (re.compile(rf"\b{pattern}\b"), words)
    for pattern, words in (
        *((r"et\s+cetera", "etc"), (r"al\s+right", "alright"), (r"all\s+right", "alright")),
        *((r"how\s+ever", "however"), (r"wi\s+fi", "wifi"), (r"hi\s+fi", "hifi")),
        *((r"lo\s+fi", "lofi"), (r"sci\s+fi", "scifi"), (r"e\s+mail", "email")),
        *((r"e\s+book", "ebook"), (r"e\s+commerce", "ecommerce"), (r"x\s+ray", "xray")),
        *((r"t\s+shirt", "tshirt"), (r"a\s+m", "am"), (r"p\s+m", "pm"), (r"o\s+k", "okay")),
    )
]
_AMERICAN = tuple("archeological cancelation cancelations travelog travelogs".split())
_SPELLINGS = {word: other for word, other in AMERICAN_SPELLINGS.items() if word not in _AMERICAN}
_SPELLINGS |= _table(
    "ok=okay kay=okay etcetera=etc mm=hmm flyer=flier archaeology=archeology "
    "archaeological=archeological cancellation=cancelation cancellations=cancelations "
    "pummelled=pummeled pummelling=pummeling snowploughs=snowplows travelogue=travelog "
    "travelogues=travelogs"
)
_NAME_TABLE = """
allen=alan,allan bridget=bridgette charlie=charly,charley gary=garry greg=gregg jackie=jacky
joanne=joann,joane kelly=kellye,kelli,kelley lily=lilly michael=micheal michelle=michele
molly=mollie philip=phillip sally=sallie stacy=stacey,stacie tracy=tracey,tracie brett=bret
carol=carrol,carole,carroll alison=allison,alyson russell=russel douglas=douglass
dominic=dominick rob=robb chris=kris christopher=kristopher,cristopher christina=kristina
kristin=kristen carl=karl cathy=kathy catherine=katherine,kathryn,catharine eric=erik,erick
karen=caren,caryn,karin caitlin=katelyn,kaitlyn,kaitlin nicole=nikole veronica=veronika
victor=viktor victoria=viktoria kevin=kevan patrick=patrik frederick=frederik,fredrick
lucas=lukas anne=ann john=jon jonathan=johnathan,jonathon sarah=sara matthew=mathew
nicholas=nicolas rachel=rachael rebecca=rebekah deborah=devorah teresa=theresa susanne=suzanne
anthony=antony martin=martyn dennis=denis lawrence=laurence thomas=tomas toby=tobey
mcarthur=macarthur mccartney=macartney mccarthy=macarthy,maccarthy mcdonald=macdonald
mckay=mackay mckenzie=mackenzie mcleod=macleod mclean=maclean mcmillan=macmillan
mcintosh=macintosh mcintyre=macintyre mcnamara=macnamara mcgowan=macgowan
mohammed=mohamad,mohamed,mohammad,muhammad,muhamad,muhammed,mouhamed,mouhamad,mahomet
fatima=fatimah yousef=yusuf,yusef miriam=myriam rajiv=rajeev alfonso=alphonso brian=bryan
jeffrey=geoffrey,jeffery jeff=geoff neil=neal sean=shaun,shawn shane=shayne steven=stephen
tony=toni lee=leigh louis=lewis mark=marc megan=meghan natalie=nathalie robin=robyn roger=rodger
lindsay=linsey,lindsey zachary=zackary,zachery zach=zak sherry=sheri,cheri,sherrie terry=terri
laurie=lori jamie=jaime jason=jayson leslie=lesley linda=lynda lynn=lynne gail=gayle
ronda=rhonda ivonne=yvonne stuart=stewart walter=walther simon=symon colin=collin dylan=dillon
aaron=aron arthur=artur henry=henri joseph=josef peter=pieter
"""
_NAMES = {
    variant: name
    for name, variants in (entry.split("=") for entry in _NAME_TABLE.split())
    for variant in variants.split(",")
}


def open_asr(text: str) -> str:
    """As the Open ASR Leaderboard's English normalizer.

    >>> open_asr("Ah, Stephen's e-mail to the B.B.C. is all right: it's twenty-five colours")
    'steven s email to the bbc is alright it is 25 colors'
    """
    words = with_digits(without_symbols(text, _ASR_FILLERS, _ASR_EXPANSIONS, _COMPOUNDS)).split()
    words = [_SPELLINGS.get(word, word) for word in words]
    text = " ".join(_joined([_NAMES.get(word, word) for word in words]))
    return without_lone_symbols(text)


def _joined(words: list[str]) -> Iterator[str]:
    """Yield the words, with those of one letter or digit in a row as one, such as "b b c".

    Two that include "a" or "i" stay apart.
    """
    for is_single, run in groupby(words, lambda word: len(word) == 1 and word.isalnum()):
        letters = list(run)
        least = 3 if {"a", "i"} & {*letters} else 2
        if is_single and len(letters) >= least:
            yield "".join(letters)
        else:
            yield from letters


def merged_compounds(prediction: str, reference: str) -> tuple[str, str]:
    """Return both texts with words joined where they differ only in how they are divided.

    >>> merged_compounds("the web site is up", "the website is up")
    ('the website is up', 'the website is up')
    """
    from difflib import SequenceMatcher  # only for these

    words, spoken = prediction.split(), reference.split()
    sides: tuple[list[str], list[str]] = ([], [])
    for kind, first, end, start, stop in SequenceMatcher(None, spoken, words).get_opcodes():
        parts = words[start:stop], spoken[first:end]
        joined = ["".join(part) for part in parts]
        for side, part in zip(sides, parts, strict=True):
            side += joined[:1] if kind != "equal" and joined[0] == joined[1] else part
    return " ".join(sides[0]), " ".join(sides[1])


TRANSCRIPT_NORMALIZERS: dict[str, Callable[[str], str]] = {
    "none": str,
    "jiwer_standardize": jiwer_standardize,
    "whisper_english": whisper_english,
    "whisper_basic": whisper_basic,
    "open_asr": open_asr,
    **{name: function for name, function in NORMALIZERS.items() if name != "none"},
}
"""The normalizers by name; each is a function from a text to the normalized text."""

TranscriptNormalizer = Annotated[str, OneOf(TRANSCRIPT_NORMALIZERS)] | Callable[[str], str]
"""A name in `TRANSCRIPT_NORMALIZERS`, or a function on str."""
