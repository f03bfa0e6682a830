"""Names are nouns of the field, and prose is idiomatic English.

Both tests are ratchets: the exceptions that remain may only become fewer.
"""

import ast
import re
from functools import cache

import pytest

from tests.spec import ROOT

PACKAGE = ROOT / "shared" / "metric_commons"
ROOMS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
PAGES = sorted(
    path
    for path in [
        ROOT / "README.md",
        ROOT / ".github" / "CONTRIBUTING.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "metrics").rglob("*.md"),
        *(ROOT / "metrics").rglob("*.py"),
    ]
)

# These say how a value is used in a sentence, not what it is.
NOT_NOUNS = set(
    # prepositions
    "above after among around at before behind below beside besides between beyond by for from in "
    "inside into of off on onto out outside over since through to towards under until upon with "
    "within without "
    # pronouns and determiners
    "all another any both certain each either every few least many mine more most much neither "
    "none one ones only other others ours own plenty rest same several some such that theirs them "
    "themselves these they this those us we what whatever which whoever whole whose "
    # participles
    "added allowed asked bound brought called chosen counted done drawn found given gone had held "
    "kept known left_out looked lost made matched meant met named needed passed picked placed put "
    "said saved scored seen sent shown spent stated taken told took turned used wanted went "
    # adverbs
    "again alike almost alone already also always apart away back elsewhere enough ever far here "
    "how instead later nearly never not now nowhere often once perhaps rather so soon still then "
    "there together too twice very when where while "
    # and words that fit anything
    "everybody everything nobody nothing place places somebody something thing things".split()
)
MAX_RATE = 0.0046  # among all bound names: lower it when it falls, and never raise it


@cache
def bound_names(text):
    """The names that a file binds: in assignments and loops, and as arguments.

    >>> sorted(bound_names("def f(rows, /, *rest):\\n    for one, *_ in rows: total: int = 0"))
    ['_', 'one', 'rest', 'rows', 'total']
    """
    return [
        node.arg if isinstance(node, ast.arg) else node.id
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.arg)
        or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    ]


@pytest.mark.long
def test_names_are_nouns():
    files = [path for folder in ("shared", "metrics") for path in (ROOT / folder).rglob("*.py")]
    names = [name for path in files for name in bound_names(path.read_text("utf-8"))]
    wrong = sorted(name for name in names if name.lower().removeprefix("_") in NOT_NOUNS)
    rate = len(wrong) / len(names)

    assert rate <= MAX_RATE, f"{rate:.4f} of the names are not nouns: {' '.join(wrong)}"


# Turns of phrase that read as if translated, and what a native reader expects instead.
TURNS = {
    "Nothing, if": r'"""Nothing, (?:if|unless)',  # Check that ...
    "What": r'"""What ',  # a noun, or a verb
    "Of": r'"""(?:Of|In how many) ',
    "is no": r"(?<![Tt]here )\b(?:is|are|was|were) no (?!more\b|longer\b|one\b)",  # is not a
    "so many": r"\b[Ss]o many\b",  # this many, or the number
    "a row a": r"\b(?:number|label|value|weight|column|letter|line)s? a (?:row|line|label|group)\b",
    "those of each": r"\bthose of each\b",
    "but for": r"\bbut for\b",  # except
    "somebody": r"(?<!`)\b(?:some|any|every|no)body\b",  # someone, or the passive
    "greatest": r"\bgreatest\b",  # largest, highest, maximum
    "what it may be": r"\bwhat (?:it|they) may (?:not )?be\b",  # valid
    "share of": r"\bshares? of\b",  # proportion, rate
    "law": r"\blaws?\b",  # distribution
    "house": r"\bhouse\b",  # package
    "travel": r"\btravel",  # are bundled, are sent
}
# How often each still occurs, by room: the numbers may only fall. Other rooms have none.
REMAINING = {
    "execution": {"somebody": 7},  # the user "nobody"
    "statistics": {"law": 1},  # in the title of a source
}
# Pages and scripts have none of these; "law" may be a group in an example.
PAGES_MAY = {"law"}
NAMES = set(
    "of place found each own one other told met some given known ours theirs them those".split()
)
# How many names without meaning are still bound, by room: these may only fall, too.
REMAINING_NAMES = {
    "execution": 2,
    "numbers": 2,
    "regression": 1,
    "statistics": 1,
}


def turns_in(text):
    """How often each turn of phrase occurs in a text."""
    counts = {turn: len(re.findall(pattern, text)) for turn, pattern in TURNS.items()}
    return {turn: count for turn, count in counts.items() if count}


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ('"""Nothing, if a label is valid."""', "Nothing, if"),
        ('"""What a module takes."""', "What"),
        ('"""Of each row its length."""', "Of"),
        ("# a text that is no number", "is no"),
        ("# up to so many rows", "so many"),
        ("# one label a row", "a row a"),
        ("the counts, and those of each cluster", "those of each"),
        ("all files but for the card", "but for"),
        ("as somebody might expect", "somebody"),
        ("the greatest score", "greatest"),
        ("a row is not what it may be", "what it may be"),
        ("the share of rows", "share of"),
        ("the law of the statistic", "law"),
        ("the rules of the house", "house"),
        ("files travel with a script", "travel"),
    ],
)
def test_a_turn_of_phrase_is_found(text, turn):
    assert turns_in(text) == {turn: 1}


def test_there_is_no_is_english():
    assert not turns_in("there is no module 'x'; There are no rows; it is no longer there")


WORD_LISTS = ("american_spellings.py",)  # words as data, not prose


@pytest.mark.parametrize("room", ROOMS)
def test_translated_turns_of_phrase_do_not_come_back(room):
    files = [path for path in (PACKAGE / room).rglob("*.py") if path.name not in WORD_LISTS]
    text = "\n".join(path.read_text("utf-8") for path in files)

    remaining = REMAINING.get(room, {})

    for turn, count in turns_in(text).items():
        assert count <= remaining.get(turn, 0), f"{turn}: {count} in {room}"


@pytest.mark.parametrize("room", ROOMS)
def test_names_have_meanings(room):
    files = (PACKAGE / room).rglob("*.py")
    names = [name for path in files for name in bound_names(path.read_text("utf-8"))]
    meaningless = sorted(name for name in names if name in NAMES)

    assert len(meaningless) <= REMAINING_NAMES.get(room, 0), " ".join(meaningless)


# Phrases that are English and often the wrong ones, with the number that may occur in `shared/`.
# The numbers may only fall.
HABITS = {
    "is no": (r"\b(?:is|are) no (?!longer\b)", 152),  # is not a; mostly "there are no"
    "no such": (r"\bno such\b", 51),  # unknown ...; the sum is undefined
    "those of": (r"\bthose of\b", 107),  # repeat the noun, or: equals that of
    "of which": (r"\bof which\b", 45),  # whose, where, some of which
    "stand alone": (r"\bstands? alone\b", 3),  # is independent, is complete
    "stands": (r"\bstands?\b", 21),  # is, is listed, represents
    "lies": (r"\blies?\b", 15),  # is
    "met": (r"\bmet\b", 0),  # found, compared
    "goes by": (r"\bgo(?:es)? by\b", 0),  # follows, depends on
    "told apart": (r"\b(?:told|tells?)\b[^.]{0,30}\bapart\b", 4),  # distinguished
    "in order of": (r"\bin order of\b", 3),  # by
    "the one that": (r"\bthe one that\b", 9),  # the noun
    "as often as": (r"\bas often as\b", 1),  # at the rate of; with multiplicity
    "has it": (r"\bas [\w`' ]+ ha(?:s|ve) (?:it|them)\b", 2),  # as in
    "what is": (r"(?<!\w)what (?:is|are|it|they)\b", 49),  # a noun
    "was not seen": (r"\b(?:was|were) not seen\b", 0),  # unseen
}


@cache
def package_texts():
    files = [path for path in PACKAGE.rglob("*.py") if path.name not in WORD_LISTS]
    return {path.relative_to(PACKAGE): path.read_text("utf-8") for path in files}


@pytest.mark.parametrize("habit", HABITS)
def test_habits_become_fewer(habit):
    pattern, most = HABITS[habit]
    places = [
        f"{path}:{text.count(chr(10), 0, match.start()) + 1}"
        for path, text in package_texts().items()
        for match in re.finditer(pattern, text)
    ]

    listed = " ".join(places)
    assert len(places) <= most, f"{habit!r} occurs {len(places)} times; at most {most}: {listed}"


@pytest.mark.parametrize(
    ("text", "habit"),
    [
        ("there is no field", "is no"),
        ("there is no such option", "no such"),
        ("the bits that tell two systems apart", "told apart"),
        ("as irrCAC has it", "has it"),
        ("what it holds", "what is"),
    ],
)
def test_a_habit_is_found(text, habit):
    assert re.search(HABITS[habit][0], text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_are_free_of_translated_turns_of_phrase(page):
    assert turns_in(page.read_text("utf-8")).keys() <= PAGES_MAY
