"""The normalizer of the Open ASR Leaderboard, which began as Whisper's English one.

Beside other fillers and spellings it has one form of names, joins compounds and spelled acronyms,
and knows a possessive from "is". When it scores, the leaderboard also joins words that only differ
in where they are divided.

Source:
    huggingface/open_asr_leaderboard, `normalizer` at d1e99b25524814332d6868a5645e568670834cfb
    (Apache-2.0).
"""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import groupby

from .american_spellings import AMERICAN_SPELLINGS
from .whisper_numbers import with_digits
from .whisper_texts import EXPANSIONS, without_lone_symbols, without_symbols

_FILLERS = re.compile(
    r"\b(hmm|mm|mhm|mmm|uh|um|ah|aha|ahh|ahm|eh|ehehe|em|hm|huh|hum|mhum|uhm|umm|uhuh)\b"
)
_IS = re.compile(r"\b(it|he|she|what|that|who|here|there|how|when|where|why|this)'s\b")
_EXPANSIONS = [
    (_IS, r"\1 is") if pattern.pattern == r"'s\b" else (pattern, words)
    for pattern, words in EXPANSIONS
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
_AMERICAN = ("archeological", "cancelation", "cancelations", "travelog", "travelogs")
_SPELLINGS = {word: other for word, other in AMERICAN_SPELLINGS.items() if word not in _AMERICAN}
_SPELLINGS |= {
    "ok": "okay",
    "kay": "okay",
    "etcetera": "etc",
    "mm": "hmm",
    "flyer": "flier",
    "archaeology": "archeology",
    "archaeological": "archeological",
    "cancellation": "cancelation",
    "cancellations": "cancelations",
    "pummelled": "pummeled",
    "pummelling": "pummeling",
    "snowploughs": "snowplows",
    "travelogue": "travelog",
    "travelogues": "travelogs",
}
_TABLE = """
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
    for name, variants in (entry.split("=") for entry in _TABLE.split())
    for variant in variants.split(",")
}


def open_asr(text: str) -> str:
    """As the Open ASR Leaderboard's English normalizer.

    >>> open_asr("Ah, Stephen's e-mail to the B.B.C. is all right: it's twenty-five colours")
    'steven s email to the bbc is alright it is 25 colors'
    """
    words = with_digits(without_symbols(text, _FILLERS, _EXPANSIONS, _COMPOUNDS)).split()
    words = [_SPELLINGS.get(word, word) for word in words]
    text = " ".join(_joined([_NAMES.get(word, word) for word in words]))
    return without_lone_symbols(text)


def _joined(words: list[str]) -> Iterator[str]:
    """Yield the words, with those of one letter or digit in a row as one, such as "b b c".

    Two are no acronym if one of them is "a" or "i".
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
    words, spoken = prediction.split(), reference.split()
    sides: tuple[list[str], list[str]] = ([], [])
    for kind, first, end, start, stop in SequenceMatcher(None, spoken, words).get_opcodes():
        parts = words[start:stop], spoken[first:end]
        joined = ["".join(part) for part in parts]
        for side, part in zip(sides, parts, strict=True):
            side += joined[:1] if kind != "equal" and joined[0] == joined[1] else part
    return " ".join(sides[0]), " ".join(sides[1])
