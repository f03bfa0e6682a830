"""Whether a module and a peer agree row by row.

Each row is scored alone by both, so a difference belongs to a row even if the score is of a corpus.
"""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from ...module.catalog.catalog import load_without_evaluate
from ...module.catalog.usage import with_bar
from .peers import Peer, PeerRows, Scores

_CLOSE = 1e-9  # part of a score by which sums in another order may differ


class Difference(NamedTuple):
    """A row that the two score differently."""

    row: int | None  # None for all rows together
    score: str
    ours: float
    theirs: float | str  # or its error


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
    chosen = {**peer.modules[module], **(options or {})}
    metric = load_without_evaluate(module, **chosen)

    def scored(rows: slice, row: int | None) -> tuple[Scores, Scores | str, list[Difference]]:
        sides = list(predictions[rows]), list(references[rows])
        ours = metric.compute(predictions=sides[0], references=sides[1])
        try:
            theirs = peer.scores(PeerRows(module, *sides, chosen))
        except Exception as error:  # whatever a peer raises is its answer
            text = f"{type(error).__name__}: {error}"
            return ours, text, [Difference(row, module, next(iter(ours.values())), text)]
        differences = [
            Difference(row, name, ours[name], value)
            for name, value in theirs.items()
            if name in ours
            and not math.isclose(ours[name], value, rel_tol=_CLOSE, abs_tol=1e-12)
            and not (math.isnan(ours[name]) and math.isnan(value))
        ]
        return ours, theirs, differences[:1]

    ours, theirs, together = scored(slice(None), None)
    found: list[Difference] = []
    for row in with_bar(range(len(predictions)), "comparing", "row"):
        with suppress(ValueError):  # of two rows, or of tags, where this row has none
            found += scored(slice(row, row + 1), row)[2]
    return PeerAgreement(len(predictions), found or together, ours, theirs)
