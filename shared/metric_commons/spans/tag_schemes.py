"""Spans of tags: which stretches of B-PER, I-PER, O, ... are entities, and of which type.

A tag is a letter, its prefix, and a type. By default the rules are those of conlleval.pl, in the
form of seqeval: a span begins and ends wherever the letters and types of two neighbours say so,
however odd the sequence is. The strict rules of a scheme take what is well formed alone: a span
begins with a pair of neighbours at which one may begin, goes on while pairs say that it does, and
counts only if the pair behind it is one at which a span ends. These rules have gaps, such as the B
after an O that begins nothing in IOB1; they are kept as seqeval has them.

Both become tables that all neighbours of all rows are looked up in at once. Behind each row stands
an O, which is in no span, so that no span runs over the end of a row.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Literal, NamedTuple

import numpy as np

from ..numbers.arrays import Booleans, Integers
from ..numbers.checks import RowError

Scheme = Literal["IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU", "auto"]

_PREFIXES = "OBIESUL"
_FOREIGN, _POINT = 7, 8  # any other letter, and ".", which is in no span either
_KINDS = 9  # of prefixes

Pattern = tuple[str, str, str]  # letters before, letters now, and whether types are the same


class _Rules(NamedTuple):
    """Pairs of neighbours at which a span begins, goes on, and has ended."""

    letters: str
    starts: Sequence[Pattern]
    continuations: Sequence[Pattern]
    ends: Sequence[Pattern]


_LETTERS = _PREFIXES
_SCHEMES: Mapping[str, _Rules] = {
    "IOB1": _Rules(
        "IOB",
        [
            ("OB", "I", "any"),
            ("I", "I", "other"),
            ("IB", "B", "same"),
        ],
        [("BI", "I", "same")],
        [("I", "OB", "any"), ("BI", "I", "other"), ("B", "O", "any"), ("B", "B", "same")],
    ),
    "IOE1": _Rules(
        "IOE",
        [("OE", "I", "any"), ("I", "I", "other"), ("E", "E", "same")],
        [("I", "IE", "same")],
        [("I", "IE", "other"), ("I", "O", "any"), ("E", "IE", "same")],
    ),
    "IOB2": _Rules(
        "IOB",
        [(_LETTERS, "B", "any")],
        [("BI", "I", "same")],
        [("BI", "OB", "any"), ("BI", "I", "other")],
    ),
    "IOE2": _Rules(
        "IOE",
        [("OE", "IE", "any"), ("I", "IE", "other")],
        [("I", "IE", "same")],
        [("E", _LETTERS, "any")],
    ),
    "IOBES": _Rules(
        "IOBES",
        [(_LETTERS, "BS", "any")],
        [("BI", "IE", "same")],
        [("SE", _LETTERS, "any")],
    ),
    "BILOU": _Rules(
        "BILOU",
        [(_LETTERS, "BU", "any")],
        [("BI", "IL", "same")],
        [("UL", _LETTERS, "any")],
    ),
}
# The letters beside O that tell a scheme.
_DETECTED = {
    "IOB2": ["IB", "B"],
    "IOE2": ["IE", "E"],
    "IOBES": ["BIES", "BIE", "BES", "BE"],
    "BILOU": ["BILU", "BIL", "BLU", "BL"],
}
# By default, whatever the types are.
_STARTS = [(_LETTERS, "BS", "any"), ("EOS", "EI", "any")]
_ENDS = [("ES", _LETTERS, "any"), ("BI", "BSO", "any")]


class TagRows(NamedTuple):
    """The tags of rows as integers, an O behind each row."""

    tags: Sequence[str]  # the distinct ones; the first is O
    numbers: Integers  # of each tag of each row
    counts: Integers  # tags of each row, without the O behind


class Spans(NamedTuple):
    """Spans of rows, each from `starts` up to, but not including, `ends`."""

    rows: Integers
    starts: Integers
    ends: Integers
    types: Integers


def tag_rows(
    predictions: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
) -> tuple[TagRows, TagRows]:
    """Both sides with the same numbers for tags.

    Raises:
        ValueError: a row has not equally many tags on both sides, or an empty tag.
    """
    columns = {"predictions": predictions, "references": references}
    flat = {name: list(chain.from_iterable(rows)) for name, rows in columns.items()}
    counts = {
        name: np.fromiter(map(len, rows), np.int64, len(rows)) for name, rows in columns.items()
    }
    unequal = np.flatnonzero(counts["predictions"] != counts["references"])
    if unequal.size:
        row = int(unequal[0])
        problem = f"has {len(predictions[row])} tags, but references[{row}] has "
        raise RowError("predictions", row, f"{problem}{len(references[row])}")
    numbers = _Numbers({"O": 0})
    sides = []
    for name, tags in flat.items():
        side = np.zeros(len(tags) + counts[name].size, np.int64)
        is_tag = np.ones(side.size, dtype=bool)
        is_tag[np.cumsum(counts[name] + 1) - 1] = False
        side[is_tag] = np.fromiter(map(numbers.__getitem__, tags), np.int64, len(tags))
        sides.append(side)
    if "" in numbers:
        for name, rows in columns.items():
            _refuse(name, rows, [""], "is empty; a tag is a letter and a type, such as B-PER, or O")
    first, second = (
        TagRows(list(numbers), side, counts[name])
        for name, side in zip(columns, sides, strict=True)
    )
    return first, second


class _Numbers(dict[str, int]):
    """A number for each text that is asked for."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number


def scheme_of_tags(rows: TagRows, *, suffix: bool) -> str:
    """The scheme that tags have, by their letters.

    Raises:
        ValueError: they are those of no scheme, or of several.

    >>> scheme_of_tags(tag_rows([["B-A", "O"]], [["B-A", "L-A"]])[1], suffix=False)
    'BILOU'
    """
    tags = [rows.tags[number] for number in np.unique(_without_ends(rows)).tolist()]
    letters = {tag[-1] if suffix else tag[0] for tag in tags}
    if letters in ({"S"}, {"U"}):  # but not beside O
        return "IOBES" if letters == {"S"} else "BILOU"
    for scheme, sets in _DETECTED.items():
        if letters - {"O"} in map(set, sets):
            return scheme
    listed = ", ".join(sorted(letters)) or "none"
    raise ValueError(f"references have no known scheme: their tags have the letters {listed}")


def spans_of_tags(
    columns: Mapping[str, tuple[TagRows, Sequence[Sequence[str]]]],
    *,
    scheme: str | None,
    suffix: bool,
) -> tuple[dict[str, Spans], list[str]]:
    """The spans of each column, and the names of their types.

    Args:
        columns: by name the numbered tags and the tags as they are, all numbered alike.
        scheme: the scheme; None for the rules of conlleval.
        suffix: whether the letter stands behind the type, as in PER-B.

    Raises:
        ValueError: a tag has a letter that the scheme does not have.
    """
    tags = next(iter(columns.values()))[0].tags
    prefixes, types, names = _parts(tags, suffix=suffix, strict=scheme is not None)
    if scheme is not None:
        letters = _SCHEMES[scheme].letters
        wrong = [tag for tag in tags if (tag[-1] if suffix else tag[0]) not in letters]
        if wrong:
            listed = ", ".join(letters)
            for name, (_, rows) in columns.items():
                _refuse(name, rows, wrong, f"; the letters of {scheme} are {listed}")
    spans = {}
    for name, (side, _) in columns.items():
        prefix, kind = prefixes[side.numbers], types[side.numbers]
        row_ends = np.cumsum(side.counts + 1)
        row_starts = row_ends - side.counts - 1
        if scheme is None:
            starts, ends, span_types = _lenient(prefix, kind, row_starts)
        else:
            starts, ends, span_types = _strict(prefix, kind, int(types[0]), _SCHEMES[scheme])
        spans[name] = Spans(
            np.searchsorted(row_ends, starts, side="right"), starts, ends, span_types
        )
    return spans, names


def equal_tags(predictions: TagRows, references: TagRows) -> Integers:
    """How many tags of each row are equal on both sides."""
    equal = np.concatenate(([0], np.cumsum(predictions.numbers == references.numbers)))
    ends = np.cumsum(predictions.counts + 1)
    totals: Integers = equal[ends] - equal[ends - predictions.counts - 1] - 1  # without the O
    return totals


def _without_ends(rows: TagRows) -> Integers:
    is_tag = np.ones(rows.numbers.size, dtype=bool)
    is_tag[np.cumsum(rows.counts + 1) - 1] = False
    return rows.numbers[is_tag]


def _refuse(name: str, rows: Sequence[Sequence[str]], wrong: Sequence[str], problem: str) -> None:
    """Raise an error about the first wrong tag of a column, if it has one."""
    for row, tags in enumerate(rows):
        for position, tag in enumerate(tags):
            if tag in wrong:
                cause = problem if not tag else f"is {tag!r}{problem}"
                raise RowError(name, row, f"[{position}] {cause}")


def _parts(
    tags: Sequence[str], *, suffix: bool, strict: bool
) -> tuple[Integers, Integers, list[str]]:
    """The prefix and the type of each distinct tag, and the names of the types."""
    prefixes, types = [], []
    names: dict[str, int] = {}
    for tag in tags:
        letter, text = (tag[-1], tag[:-1]) if suffix else (tag[0], tag[1:])
        if strict:
            name = text.strip("-")
        else:
            name = text.rsplit("-", 1)[0] if suffix else text.split("-", 1)[-1]
        number = _POINT if letter == "." else _PREFIXES.find(letter)
        prefixes.append(_FOREIGN if number < 0 else number)
        types.append(names.setdefault(name or "_", len(names)))
    return np.array(prefixes), np.array(types), list(names)


def _table(patterns: Sequence[Pattern]) -> Booleans:
    """By whether types are the same, the letter before and the letter now: whether one applies."""
    table = np.zeros((2, _KINDS, _KINDS), dtype=bool)
    for previous_letters, letters, types in patterns:
        # Patterns about any letter hold for those of no scheme too.
        rows = (
            range(_KINDS)
            if previous_letters == _LETTERS
            else map(_PREFIXES.index, previous_letters)
        )
        columns = range(_KINDS) if letters == _LETTERS else map(_PREFIXES.index, letters)
        flags = {"any": [0, 1], "same": [1], "other": [0]}[types]
        table[np.ix_(flags, list(rows), list(columns))] = True
    return table


def _neighbours(prefix: Integers, kind: Integers, outer_kind: int) -> tuple[Integers, Integers]:
    """Prefix and type of the tag before each; before the first one an O."""
    previous_prefix, previous_kind = np.zeros_like(prefix), np.full_like(kind, outer_kind)
    previous_prefix[1:], previous_kind[1:] = prefix[:-1], kind[:-1]
    return previous_prefix, previous_kind


def _lenient(
    prefix: Integers, kind: Integers, row_starts: Integers
) -> tuple[Integers, Integers, Integers]:
    """Starts, ends and types of spans by the rules of conlleval.

    seqeval looks at rows one after another, so that a tag of neither type nor known letter at the
    beginning of a row may belong to a span of the row before. Here each row is seqeval's first.
    """
    previous_prefix, previous_kind = _neighbours(prefix, kind, -1)
    previous_kind[row_starts] = -1  # no type at all
    differs = previous_kind != kind
    has_ended = _table(_ENDS)[1][previous_prefix, prefix]
    has_ended |= differs & (previous_prefix != 0) & (previous_prefix != _POINT)
    begins = _table(_STARTS)[1][previous_prefix, prefix]
    begins |= differs & (prefix != 0) & (prefix != _POINT)
    begins[row_starts] = True
    latest = np.maximum.accumulate(np.where(begins, np.arange(prefix.size), 0))
    ends = np.flatnonzero(has_ended)
    return latest[ends - 1], ends, kind[ends - 1]


def _strict(
    prefix: Integers, kind: Integers, outer_kind: int, rules: _Rules
) -> tuple[Integers, Integers, Integers]:
    """The same by the rules of a scheme.

    Tags that go on belong to the group of the last one that does not. A span is what follows the
    first start of a group, up to the end of the group.
    """
    previous_prefix, previous_kind = _neighbours(prefix, kind, outer_kind)
    pairs = (previous_kind == kind).astype(np.int64), previous_prefix, prefix
    tables = map(_table, (rules.starts, rules.continuations, rules.ends))
    starts, continuations, ends = (table[pairs] for table in tables)
    group = np.cumsum(~continuations)
    candidates = np.flatnonzero(starts)
    first = candidates[np.diff(group[candidates], prepend=-1) != 0]
    borders = np.append(np.flatnonzero(~continuations), prefix.size)
    stops = borders[np.searchsorted(borders, first, side="right")]
    is_whole = stops < prefix.size
    first, stops = first[is_whole], stops[is_whole]
    is_whole = ends[stops]
    return first[is_whole], stops[is_whole], kind[first[is_whole]]
