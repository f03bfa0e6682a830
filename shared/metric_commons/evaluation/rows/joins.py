"""Rows of two files or systems matched by their ids, or else by their order."""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .row_tables import RowTable

_EXAMPLES = 5  # ids in a message


def joined_rows(
    ids: Sequence[Hashable],
    ids_of_answers: Sequence[Hashable],
    names: tuple[str, str],
    *,
    repeats_allowed: bool = False,
) -> list[int]:
    """Return the row of the second file with the same id, for each row of the first file.

    Args:
        ids: the ids of the first file.
        ids_of_answers: those of the second, such as the references.
        names: the names of the two.
        repeats_allowed: whether several rows of the first may have the same id.

    Raises:
        ValueError: an id is missing on one side, or repeated; the message counts and lists them.

    >>> joined_rows(["b", "a"], ["a", "b"], ("p.jsonl", "g.jsonl"))
    [1, 0]
    """
    first, second = names
    if not repeats_allowed:
        check_unique(ids, first)
    check_unique(ids_of_answers, second)
    rows = {name: row for row, name in enumerate(ids_of_answers)}
    predicted = set(ids)
    missing = [name for name in rows if name not in predicted]
    surplus = [name for name in dict.fromkeys(ids) if name not in rows]
    problems = []
    if missing:
        problems.append(f"{first} has no row for {_listed(missing)} of {second}")
    if surplus:
        problems.append(f"{second} has no row for {_listed(surplus)} of {first}")
    if problems:
        kinds = {type(name).__name__ for name in ids} ^ {type(name).__name__ for name in rows}
        hint = "; one file has texts as ids, the other numbers" if len(kinds) > 1 else ""
        raise ValueError(f"{'; '.join(problems)}{hint}")
    return [rows[name] for name in ids]


def check_unique(ids: Sequence[Hashable], name: str) -> None:
    """Check that ids are unique.

    Raises:
        ValueError: an id is repeated.

    >>> check_unique(["a", "b", "a"], "p.jsonl")
    Traceback (most recent call last):
    ValueError: p.jsonl has 3 rows, but 2 ids: 'a' occurs 2 times
    """
    counts = Counter(ids)
    repeated = [f"{key!r} occurs {count} times" for key, count in counts.items() if count > 1]
    if repeated:
        ending = f", and {len(repeated) - _EXAMPLES} more" if len(repeated) > _EXAMPLES else ""
        raise ValueError(
            f"{name} has {len(ids)} rows, but {len(counts)} ids: "
            f"{', '.join(repeated[:_EXAMPLES])}{ending}"
        )


def _listed(ids: Sequence[Any]) -> str:
    examples = ", ".join(map(repr, ids[:_EXAMPLES]))
    ellipsis = ", ..." if len(ids) > _EXAMPLES else ""
    return f"{len(ids)} id{'' if len(ids) == 1 else 's'} ({examples}{ellipsis})"


def in_order_of(first: "RowTable", second: "RowTable", names: tuple[str, str]) -> "RowTable":
    """Return the rows of the second system in the order of the first.

    Raises:
        ValueError: their rows, references or clusters differ; names the systems.
    """
    a, b = map(repr, names)
    advice = "score both on the same rows, with --id and --rows"
    if (first.ids is None) != (second.ids is None):
        with_ids, others = (a, b) if first.ids is not None else (b, a)
        raise ValueError(f"the rows of {with_ids} have ids, those of {others} do not; {advice}")
    if first.ids is not None and second.ids is not None and first.ids != second.ids:
        try:
            second = second.take(joined_rows(first.ids, second.ids, (a, b)))
        except ValueError as error:
            raise ValueError(f"{error}; {advice}") from error
    if len(first) != len(second):
        raise ValueError(
            f"systems {a} and {b} have {len(first)} and {len(second)} rows; only systems with the "
            "same rows can be compared"
        )
    if first.ids is None and first.digests is not None and second.digests is not None:
        different = (first.digests != second.digests).nonzero()[0]
        if different.size:
            raise ValueError(
                f"systems {a} and {b} have different references in row {different[0]}; only "
                "systems with the same rows can be compared"
            )
    if first.clusters != second.clusters:
        raise ValueError(
            f"the rows of {a} and {b} have different clusters; score both with the same"
        )
    return second
