"""Rows of two files or systems matched by their ids."""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

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
