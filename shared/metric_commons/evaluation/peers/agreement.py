"""Whether a module and a peer agree row by row, and which rules explain differences.

Each row is scored alone by both, so a difference belongs to a row even if the score is of a corpus.
A rule is a change of the row after which both agree: if they do once both sides are in lower case,
then case decides. Nothing is concluded from the difference itself.
"""

import json
import math
import string
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from ...module.catalog.catalog import load_without_evaluate
from ...module.catalog.usage import with_bar
from .peers import Peer, Scores

Row = tuple[Any, Any]  # the prediction and the reference
Scored = tuple[str, float, float | str]  # a score by ours and by the peer

_DIGITS = 9  # that sums in another order leave alone


class Difference(NamedTuple):
    """Rows that the two score differently, and the rules that decide; none if unexplained."""

    row: int | None  # None for all rows together
    score: str
    ours: float
    theirs: float | str  # or its error
    rules: tuple[str, ...]


class PeerAgreement(NamedTuple):
    """The comparison of a module with a peer, over all rows."""

    rows: int
    differences: Sequence[Difference]  # of rows; if there are none, of all rows together
    ours: Scores  # of all rows together
    theirs: Scores | str

    @property
    def equal(self) -> int:
        """Return the number of rows that agree."""
        return self.rows - sum(difference.row is not None for difference in self.differences)

    @property
    def unexplained(self) -> int:
        """Return the number of differences by no named rule."""
        return sum(not difference.rules for difference in self.differences)


def compare_with_peer(
    module: str,
    predictions: Sequence[Any],
    references: Sequence[Any],
    peer: Peer,
    options: Mapping[str, Any] | None = None,
) -> PeerAgreement:
    """Return where a module and a peer agree.

    Args:
        module: the name of a module that the peer defines scores of.
        predictions: one value a row.
        references: one value a row.
        peer: an installed peer.
        options: of the module, in addition to those with which it claims to be equal.

    Raises:
        ValueError: an option or a row is not valid.
    """
    pair = _Pair(module, peer, {**peer.modules[module], **(options or {})})
    rows = list(zip(predictions, references, strict=True))
    together = pair.scores(rows)
    differences = []
    for number, row in enumerate(with_bar(rows, "comparing", "row")):
        with suppress(ValueError):  # of two rows, or of tags, where this row has none
            if scored := pair.difference(*pair.scores([row])):
                differences.append(Difference(number, *scored, pair.rules([row])))
    if not differences and (scored := pair.difference(*together)):
        differences = [Difference(None, *scored, pair.rules(rows))]
    return PeerAgreement(len(rows), differences, *together)


class _Pair:
    """A module and its peer."""

    def __init__(self, module: str, peer: Peer, options: Mapping[str, Any]) -> None:
        self.module, self.peer, self.options = module, peer, options
        self.metric = load_without_evaluate(module, **options)

    def scores(self, rows: Sequence[Row]) -> tuple[Scores, Scores | str]:
        """Return the scores of these rows by ours and by the peer, or the peer's error."""
        predictions, references = map(list, zip(*rows, strict=True))
        ours = self.metric.compute(predictions=predictions, references=references)
        theirs: Scores | str
        try:
            theirs = self.peer.scores(self.module, predictions, references, self.options)
        except Exception as error:  # whatever a peer raises is its answer
            theirs = f"{type(error).__name__}: {error}"
        return ours, theirs

    def difference(self, ours: Scores, theirs: Scores | str) -> Scored | None:
        """Return the first score that differs."""
        if isinstance(theirs, str):
            return self.module, next(iter(ours.values())), theirs
        for name, value in theirs.items():
            if name in ours and not self._agree(ours[name], value):
                return name, ours[name], value
        return None

    def _agree(self, ours: float, theirs: float) -> bool:
        both_undefined = math.isnan(ours) and math.isnan(theirs)
        rounded = 0.5 * 10**-self.peer.digits if self.peer.digits else 0.0
        return both_undefined or math.isclose(
            ours, theirs, rel_tol=10**-_DIGITS, abs_tol=rounded + 1e-12
        )

    def rules(self, rows: Sequence[Row]) -> tuple[str, ...]:
        """Return the fewest rules, at most two, after whose changes both agree."""
        possible = [(name, change) for name, change in RULES.items() if _changed(change, rows)]
        for number in (1, 2):
            for rules in combinations(possible, number):
                changed: Sequence[Row] | None = rows
                for _, change in rules:
                    changed = changed and _changed(change, changed)
                try:
                    if changed and not self.difference(*self.scores(changed)):
                        return tuple(name for name, _ in rules)
                except ValueError:  # the changed rows are not valid
                    continue
        return ()


def _changed(change: Callable[[Row], Row], rows: Sequence[Row]) -> Sequence[Row] | None:
    """Return changed rows; none if the rule is for rows of another kind, or changes nothing."""
    try:
        changed = [*map(change, rows)]
    except (TypeError, ValueError, KeyError, AttributeError):
        return None
    return changed if changed != rows else None


def _nested(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a change of each value in JSON, or in its text."""

    def changed(side: Any) -> Any:
        if isinstance(side, str):
            return json.dumps(walked(json.loads(side)))
        return walked(side)

    def walked(value: Any) -> Any:
        if isinstance(value, list):
            return [*map(walked, value)]
        if isinstance(value, dict):
            return {key: walked(item) for key, item in value.items()}
        return change(value)

    return changed


def _texts(change: Callable[[str], str]) -> Callable[[Any], Any]:
    """Return a change of each text of a side."""

    def changed(side: Any) -> Any:
        if isinstance(side, Mapping):
            raise TypeError
        return change(side) if isinstance(side, str) else [change(text) for text in side]

    return changed


def _with_one_reference(row: Row) -> Row:
    prediction, references = row
    if not isinstance(prediction, str) or isinstance(references, str):
        raise TypeError
    return prediction, [*references][:1]


def _of_sides(change: Callable[[Any], Any]) -> Callable[[Row], Row]:
    return lambda row: (change(row[0]), change(row[1]))


def _words(keep: Callable[[Sequence[str]], Sequence[str]]) -> Callable[[Any], Any]:
    return _texts(lambda text: " ".join(keep(text.split())))


def _number(word: str) -> str:
    try:
        return repr(float(word.replace(",", "").strip("$%")))
    except ValueError:
        return word


def _without_ties(side: Any) -> Any:
    """Return a ranking with the same order of scores, ties broken by id, descending."""
    ranked = sorted(zip(side["score"], side["doc_id"], strict=True), reverse=True)
    return {
        "doc_id": [document for _, document in ranked],
        "score": [float(-rank) for rank in range(len(ranked))],
    }


def _on_dicts(field: str, change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a change of the side with this field; the other side stays."""
    return lambda side: change(side) if field in dict(side) else side


def _numbers(field: str, change: Callable[[float], float]) -> Callable[[Any], Any]:
    """Return a change of each number of a field."""
    return _on_dicts(field, lambda side: {**side, field: [*map(change, side[field])]})


def _typed(side: Any) -> Any:
    """Return the tags, with a type for those that have none."""
    if isinstance(side, str):
        raise TypeError
    return [tag if tag == "O" or "-" in tag else f"{tag}-_" for tag in side]


def _known_letters(side: Any) -> Any:
    if isinstance(side, str):
        raise TypeError
    return [tag if tag[:1] in "BIO" else f"B{tag[1:]}" for tag in side]


_PUNCTUATION = {*string.punctuation}

_SIDES: Mapping[str, Callable[[Any], Any]] = {
    "tags without types": _typed,
    "unknown tags": _known_letters,
    "true and 1": _nested(lambda value: str(value) if isinstance(value, bool) else value),
    "1 and 1.0": _nested(lambda value: str(value) if isinstance(value, float) else value),
    "empty text": _texts(lambda text: text if text.strip() else "x"),
    "case": _texts(str.lower),
    "casefold": _texts(str.casefold),
    "white space": _words(list),
    "line breaks": _texts(lambda text: " ".join(text.splitlines())),
    "punctuation": _texts(
        lambda text: "".join(
            " " if c in _PUNCTUATION or unicodedata.category(c)[0] in "PS" else c for c in text
        )
    ),
    "articles": _words(lambda words: [w for w in words if w.lower() not in ("a", "an", "the")]),
    "number format": _words(lambda words: [*map(_number, words)]),
    "repeated words": _words(lambda words: [*dict.fromkeys(words)]),
    "letters outside ASCII": _texts(lambda text: text.encode("ascii", "ignore").decode()),
    "Unicode normalization": _texts(partial(unicodedata.normalize, "NFKC")),
    "ties": _on_dicts("score", _without_ties),
    "single precision": _numbers("score", lambda score: float(np.float32(score))),
    "negative grades": _numbers("relevance", lambda grade: max(grade, 0)),
    "integers beyond 2**53": lambda side: (
        side - 2**53 if isinstance(side, int) and abs(side) > 2**53 else side
    ),
}

# What may decide, simplest first: changes of a row.
RULES: Mapping[str, Callable[[Row], Row]] = {
    **{name: _of_sides(change) for name, change in _SIDES.items()},
    "several references": _with_one_reference,
}
