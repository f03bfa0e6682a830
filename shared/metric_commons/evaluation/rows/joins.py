"""Rows of two files or systems matched by their ids, or else by their order."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .row_tables import RowTable

_EXAMPLES = 5  # ids in a message


def joined_rows(
    ids: Sequence[Any],
    others: Sequence[Any],
    names: tuple[str, str],
    *,
    repeats_allowed: bool = False,
) -> list[int]:
    """Return the row of the second file with the same id, as text, for each row of the first file.

    Args:
        ids: the ids of the first file.
        others: those of the second, such as the references.
        names: the names of the two.
        repeats_allowed: whether several rows of the first may have the same id.

    Raises:
        ValueError: an id is missing on one side, or repeated.

    >>> joined_rows(["b", "1"], [1, "b"], ("p.jsonl", "g.jsonl"))
    [1, 0]
    """
    ids, others = [*map(str, ids)], [*map(str, others)]
    if not repeats_allowed:
        check_unique(ids, names[0])
    check_unique(others, names[1])
    rows = {name: row for row, name in enumerate(others)}
    problems = []
    for side, other, known, wanted in (
        (*names, set(ids), others),
        (*names[::-1], rows, ids),
    ):
        absent = list(dict.fromkeys(name for name in wanted if name not in known))
        if absent:
            listed = ", ".join(map(repr, absent[:_EXAMPLES])) + ", ..." * (len(absent) > _EXAMPLES)
            count = f"{len(absent)} id{'s' * (len(absent) > 1)}"
            problems.append(f"{side} has no row for {count} ({listed}) of {other}")
    if problems:
        raise ValueError("; ".join(problems))
    return [rows[name] for name in ids]


def check_unique(ids: Sequence[Any] | None, owner: str = "") -> None:
    """Check that no row occurs twice.

    Raises:
        ValueError: an id does.

    >>> check_unique(["a", "b", "a"], "p.jsonl")
    Traceback (most recent call last):
    ValueError: p.jsonl has 3 rows, but 2 ids: the id 'a' occurs 2 times; every row needs its own
    """
    if ids is not None and len(set(ids)) < len(ids):
        name, times = Counter(ids).most_common(1)[0]
        problem = f"the id {name!r} occurs {times} times; every row needs its own"
        counts = f"{owner} has {len(ids)} rows, but {len(set(ids))} ids: "
        raise ValueError(counts * bool(owner) + problem)


def in_order_of(first: "RowTable", second: "RowTable", names: tuple[str, str]) -> "RowTable":
    """Return the rows of the second system in the order of the first.

    Raises:
        ValueError: their rows, references or clusters differ; names the systems.
    """
    a, b = map(repr, names)
    advice = "score both on the same rows, with --id and --rows"
    if first.ids is not None and second.ids is not None:
        if first.ids != second.ids:
            try:
                second = second.take(joined_rows(first.ids, second.ids, (a, b)))
            except ValueError as error:
                raise ValueError(f"{error}; {advice}") from error
    elif first.ids != second.ids:
        with_ids, others = (a, b) if second.ids is None else (b, a)
        raise ValueError(f"the rows of {with_ids} have ids, those of {others} do not; {advice}")
    elif len(first) != len(second):
        raise ValueError(
            f"systems {a} and {b} have {len(first)} and {len(second)} rows; only systems with the "
            "same rows can be compared"
        )
    elif first.digests is not None and second.digests is not None:
        different = (first.digests != second.digests).nonzero()[0]
        if different.size:
            raise ValueError(
                f"systems {a} and {b} have different references in row {different[0]}; only "
                "systems with the same rows can be compared"
            )
    if first.clusters != second.clusters:
        raise ValueError(f"{a} and {b} have different clusters; score both with the same")
    return second
