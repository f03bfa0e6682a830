"""Spans of tags: which runs of B-PER, I-PER, O, ... are entities, and of which type.

A tag is a letter, its prefix, and a type. The default rules are those of conlleval.pl, in seqeval's
form: a span begins and ends wherever the letters and types of two neighbours say so, even in odd
    sequences. The strict rules of a scheme accept only well-formed sequences: a span begins with
a pair of neighbours at which one may begin, continues while pairs allow it, and counts only if the
pair after it is one at which a span may end. These rules have gaps, such as the B after an O that
does not begin a span in IOB1; they are kept as in seqeval.

Both sets of rules become tables in which all neighbours of all rows are looked up at once. Each row
is followed by an O, which is never part of a span, so that no span crosses the end of a row.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain, count
from typing import Literal, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Booleans, Integers
from ...statistics.arguments.checks import RowError

NamedScheme = Literal["IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU"]
Scheme = Literal[NamedScheme, "auto"]

_PREFIXES = "OBIESUL"
_FOREIGN, _POINT = 7, 8  # any other letter; and ".", which is not part of a span either
_KINDS = 9  # of prefixes


class _SchemeRules(NamedTuple):
    """Pairs of neighbours at which a span begins, continues, and has ended.

    A pattern has the letters before, the letters now, and whether types are the same.
    """

    letters: str
    starts: str
    continuations: str
    ends: str


_SCHEMES: Mapping[str, _SchemeRules] = {
    "IOB1": _SchemeRules(
        "IOB",
        "OB I any, I I other, IB B same",
        "BI I same",
        "I OB any, BI I other, B O any, B B same",
    ),
    "IOE1": _SchemeRules(
        "IOE", "OE I any, I I other, E E same", "I IE same", "I IE other, I O any, E IE same"
    ),
    "IOB2": _SchemeRules("IOB", "* B any", "BI I same", "BI OB any, BI I other"),
    "IOE2": _SchemeRules("IOE", "OE IE any, I IE other", "I IE same", "E * any"),
    "IOBES": _SchemeRules("IOBES", "* BS any", "BI IE same", "SE * any"),
    "BILOU": _SchemeRules("BILOU", "* BU any", "BI IL same", "UL * any"),
}
# The letters besides O that identify a scheme.
_DETECTED = {
    "IOB2": ["IB", "B"],
    "IOE2": ["IE", "E"],
    "IOBES": ["BIES", "BIE", "BES", "BE"],
    "BILOU": ["BILU", "BIL", "BLU", "BL"],
}
# The default rules, regardless of types.
_STARTS, _ENDS = "* BS any, EOS EI any", "ES * any, BI BSO any"


class Spans(NamedTuple):
    """Spans of rows, each from `starts` up to, but excluding, `ends`."""

    rows: Integers
    starts: Integers
    ends: Integers
    types: Integers


class TagSpans(NamedTuple):
    """The spans of two columns of tags, and how many tags of each row are equal."""

    spans: dict[str, Spans]
    types: list[str]  # their names
    tags: Integers  # of each row
    equal_tags: Integers


def tag_spans(
    predictions: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    *,
    scheme: str | None = None,
    suffix: bool = False,
    joined: bool = False,
) -> TagSpans:
    """Return the spans of both columns.

    Args:
        predictions: the tags of each row.
        references: the true tags.
        scheme: the scheme, "auto" for that of the references; None for the rules of conlleval.
        suffix: whether the letter follows the type, as in PER-B.
        joined: whether a span may continue one of the row before, as in `_lenient`.

    Raises:
        ValueError: a row has different numbers of tags on the two sides, or an empty tag; a tag has
            a letter that does not belong to the scheme; or "auto" fits no scheme, or several.

    >>> tag_spans([["B-A", "O"]], [["B-A", "L-A"]], scheme="auto").spans["references"].ends.tolist()
    [2]
    """
    columns = {"predictions": predictions, "references": references}
    counts, true_counts = (
        np.fromiter(map(len, rows), np.int64, len(rows)) for rows in columns.values()
    )
    unequal = np.flatnonzero(counts != true_counts)
    if unequal.size:
        row = int(unequal[0])
        problem = f"has {len(predictions[row])} tags, but references[{row}] has "
        raise RowError("predictions", row, f"{problem}{len(references[row])}")
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    numbers["O"]  # is 0
    ends = np.cumsum(counts + 1)  # of rows, each with an O behind it
    is_tag = np.ones(ends[-1], dtype=bool)
    is_tag[ends - 1] = False
    sides = {}
    for name, rows in columns.items():
        sides[name] = np.zeros(is_tag.size, np.int64)
        of_tags = map(numbers.__getitem__, chain.from_iterable(rows))
        sides[name][is_tag] = np.fromiter(of_tags, np.int64, int(counts.sum()))
    tags = list(numbers)
    if "" in numbers:
        problem = "is empty; a tag is a letter and a type, such as B-PER, or O"
        _refuse(columns, [""], problem)
    letters = [tag[-1] if suffix else tag[0] for tag in tags]
    if scheme == "auto":
        present = np.unique(sides["references"][is_tag]).tolist()
        scheme = _scheme_of_letters({letters[number] for number in present})
    if scheme is not None:
        known = _SCHEMES[scheme].letters
        wrong = [tag for tag, letter in zip(tags, letters, strict=True) if letter not in known]
        _refuse(columns, wrong, f"; the letters of {scheme} are {', '.join(known)}")
    prefixes, types, names = _parts(tags, letters, suffix=suffix, strict=scheme is not None)
    spans = {}
    for name, side in sides.items():
        prefix, kind = prefixes[side], types[side]
        if scheme is None:
            row_starts = ends - counts - 1
            found = _lenient(prefix, kind, row_starts[:1] if joined else row_starts)
        else:
            found = _strict(prefix, kind, int(types[0]), _SCHEMES[scheme])
        spans[name] = Spans(np.searchsorted(ends, found[0], side="right"), *found)
    equal = np.concatenate(([0], np.cumsum(sides["predictions"] == sides["references"])))
    equal_tags: Integers = equal[ends] - equal[ends - counts - 1] - 1  # without the O
    return TagSpans(spans, names, counts, equal_tags)


def _scheme_of_letters(letters: set[str]) -> str:
    """Return the scheme of these letters of tags.

    >>> _scheme_of_letters({"B", "O", "L"})
    'BILOU'
    """
    if letters in ({"S"}, {"U"}):  # without O
        return "IOBES" if letters == {"S"} else "BILOU"
    for scheme, sets in _DETECTED.items():
        if letters - {"O"} in map(set, sets):
            return scheme
    listed = ", ".join(sorted(letters)) or "none"
    raise ValueError(f"references have no known scheme: their tags have the letters {listed}")


def _refuse(
    columns: Mapping[str, Sequence[Sequence[str]]], wrong: Sequence[str], problem: str
) -> None:
    """Raise an error about the first wrong tag, if there is one."""
    for name, rows in columns.items() if wrong else ():
        for row, tags in enumerate(rows):
            for position, tag in enumerate(tags):
                if tag in wrong:
                    cause = f"is {tag!r}{problem}" if tag else problem
                    raise RowError(name, row, f"[{position}] {cause}")


def _parts(
    tags: Sequence[str], letters: Sequence[str], *, suffix: bool, strict: bool
) -> tuple[Integers, Integers, list[str]]:
    """Return the prefix and the type of each distinct tag, and the names of the types."""
    prefixes, types = [], []
    names: dict[str, int] = {}
    for tag, letter in zip(tags, letters, strict=True):
        if strict:
            name = (tag[:-1] if suffix else tag[1:]).strip("-")
        else:
            name = tag[:-1].rsplit("-", 1)[0] if suffix else tag[1:].split("-", 1)[-1]
        number = _POINT if letter == "." else _PREFIXES.find(letter)
        prefixes.append(_FOREIGN if number < 0 else number)
        types.append(names.setdefault(name or "_", len(names)))
    return np.array(prefixes), np.array(types), list(names)


@cache
def _table(patterns: str) -> Booleans:
    """Return whether a pattern applies, by equal types, previous letter and current letter."""
    table = np.zeros((2, _KINDS, _KINDS), dtype=bool)
    for pattern in patterns.split(", "):
        *sides, types = pattern.split()
        # A star is any letter, also an unknown one.
        rows, columns = (
            [*range(_KINDS)] if letters == "*" else [*map(_PREFIXES.index, letters)]
            for letters in sides
        )
        flags = {"any": [0, 1], "same": [1], "other": [0]}[types]
        table[np.ix_(flags, rows, columns)] = True
    return table


def _lenient(
    prefix: Integers, kind: Integers, row_starts: Integers
) -> tuple[Integers, Integers, Integers]:
    """Return starts, ends and types of spans by the rules of conlleval.

    seqeval processes rows one after another, so that a tag at the beginning of a row with neither a
    type nor a known letter, such as the M of BMES, continues the last span of the rows before. Its
    first row has none before it, and so have all rows in `row_starts`.
    """
    previous_prefix, previous_kind = np.append(0, prefix[:-1]), np.append(-1, kind[:-1])
    previous_kind[row_starts] = -1  # not a type
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
    prefix: Integers, kind: Integers, outer_kind: int, rules: _SchemeRules
) -> tuple[Integers, Integers, Integers]:
    """Return the same by the strict rules of a scheme.

    Tags that continue a span belong to the group of the last tag that does not. A span extends from
    the first start of a group to the end of the group.
    """
    previous_prefix, previous_kind = np.append(0, prefix[:-1]), np.append(outer_kind, kind[:-1])
    pairs = (previous_kind == kind).astype(np.int64), previous_prefix, prefix
    patterns = rules.starts, rules.continuations, rules.ends
    starts, continuations, ends = (_table(of_kind)[pairs] for of_kind in patterns)
    group = np.cumsum(~continuations)
    candidates = np.flatnonzero(starts)
    first = candidates[np.diff(group[candidates], prepend=-1) != 0]
    borders = np.append(np.flatnonzero(~continuations), prefix.size)
    stops = borders[np.searchsorted(borders, first, side="right")]
    is_whole = stops < prefix.size
    first, stops = first[is_whole], stops[is_whole]
    is_whole = ends[stops]
    return first[is_whole], stops[is_whole], kind[first[is_whole]]
