"""Rows of two files matched by their ids."""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

_EXAMPLES = 5  # ids that a message names


def joined_rows(
    ids: Sequence[Hashable],
    ids_of_answers: Sequence[Hashable],
    names: tuple[str, str],
    *,
    repeats_allowed: bool = False,
) -> list[int]:
    """For each row of the first file the row of the second that has its id.

    Args:
        ids: of the rows of predictions.
        ids_of_answers: of the rows of references.
        names: of the two files.
        repeats_allowed: whether predictions may be repeats of one id.

    Raises:
        ValueError: an id is missing on a side, or stands twice; the message counts and names them.

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
    """Nothing, if every id stands once.

    Raises:
        ValueError: one stands twice.

    >>> check_unique(["a", "b", "a"], "p.jsonl")
    Traceback (most recent call last):
    ValueError: p.jsonl has 3 rows, but 2 ids: 'a' stands 2 times
    """
    counts = Counter(ids)
    repeated = [f"{key!r} stands {count} times" for key, count in counts.items() if count > 1]
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
