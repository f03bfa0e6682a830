"""Precision, recall and F1 of spans: entities, chunks, answers in a text.

The scores of tags equal seqeval's (and so conlleval.pl's), both by default and in strict
mode. Spans given by start and end can also be matched loosely, as in nervaluate: a predicted span
may match a true one of another type, or one that it merely overlaps.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from ...statistics.arguments.arrays import Floats, Integers
from ...statistics.arguments.checks import OptionError, RowError
from ...statistics.arguments.domains import Proportion, Weights, checked_options
from ...statistics.arguments.shapes import ListOf, Scalar
from ...statistics.intervals.sum_distributions import SumFunction, SumRatio, SumScore
from ...statistics.intervals.sums import RowStatistics
from .tag_schemes import (
    NamedScheme,
    Scheme,
    Spans,
    tag_spans,
)

Match = Literal["strict", "exact", "partial", "type"]
SpanLists = Mapping[str, Sequence[Any]]  # "type", "start" and "end" of the spans of a row


@checked_options
def span_statistics(
    predictions: Sequence[Sequence[str]] | Sequence[SpanLists],
    references: Sequence[Sequence[str]] | Sequence[SpanLists],
    *,
    scheme: Scheme | None = None,
    suffix: bool = False,
    match: Match = "strict",
    zero_division: Proportion = 0.0,
    joined: bool = False,
) -> RowStatistics:
    """Return the predicted, true and matching spans of each row and type.

    Args:
        predictions: the tags of each row, or its spans as lists of types, starts and ends.
        references: the true tags or spans, in the same form.
        scheme: the scheme for strict matching of tags; "auto" for the scheme of the references;
            None for the rules of conlleval, which accept any tags.
        suffix: whether the letter of a tag follows its type.
        match: "strict": same type, start and end. "exact": same start and end. "partial": overlaps
            count half. "type": overlaps with a span of the same type count.
        zero_division: precision without predicted spans, and recall without true spans.
        joined: whether a tag at the beginning of a row with neither a type nor a letter of B, I, E,
            S and O continues the last span of the rows before, as in seqeval. Such spans count in
            the row in which they start.

    Raises:
        ValueError: a row is not valid, or the tags do not follow a scheme.

    >>> rows = span_statistics([["B-PER", "I-PER", "B-LOC"]], [["B-PER", "I-PER", "O"]])
    >>> rows.result()["precision"], rows.result()["recall"]
    (0.5, 1.0)
    """
    score = partial(span_scores, zero_division=float(zero_division))

    def row_scores(sums: Mapping[str, float]) -> dict[str, float]:
        return {"f1": float(_of_types(sums, _types(sums), float(zero_division))[2])}

    distributions = partial(_span_distributions, float(zero_division))
    rows = len(references)
    if not rows:
        empty = np.zeros((0, 0), np.int64)
        return RowStatistics((), empty, score, row_scores, distributions)
    columns: dict[str, Integers | Floats] = {}
    sides: Any = (predictions, references)
    if isinstance(references[0], Mapping):
        spans, types = _given_spans(dict(zip(("predictions", "references"), sides, strict=True)))
    else:
        read = tag_spans(*sides, scheme=scheme, suffix=suffix, joined=joined)
        spans, types = read.spans, read.types
        columns = {"tags": read.tags, "equal_tags": read.equal_tags}
    predicted, relevant = spans["predictions"], spans["references"]
    tables = {
        "predicted": _by_type(predicted, rows, len(types)),
        "relevant": _by_type(relevant, rows, len(types)),
    }
    if match == "strict":
        tables["hits"] = _by_type(_equal_spans(predicted, relevant), rows, len(types))
    else:
        pairs, credit = _loose_pairs(predicted, relevant, rows, match)
        for name, side, index in (("hits", predicted, 0), ("found", relevant, 1)):
            matches = Spans(*(column[pairs[:, index]] for column in side))
            tables[name] = _by_type(matches, rows, len(types), credit)
    for number, type_name in enumerate(types):
        if tables["predicted"][:, number].any() or tables["relevant"][:, number].any():
            for name, table in tables.items():
                columns[f"{name}:{type_name}"] = table[:, number]
    values = np.stack([*columns.values()], axis=1) if columns else np.zeros((rows, 0), np.int64)
    return RowStatistics(tuple(columns), values, score, row_scores, distributions)


def span_scores(sums: Mapping[str, float], *, zero_division: float = 0.0) -> dict[str, Any]:
    """Return the scores of sums over rows, with seqeval's operations in the same order.

    Types that occur on neither side are left out. Without any type, macro averages are NaN.
    """
    types = _types(sums)
    by_type = {name: [*map(float, _of_types(sums, [name], zero_division))] for name in types}
    support = {name: int(sums[f"relevant:{name}"]) for name in types}
    weights = list(support.values())
    keys = ("precision", "recall", "f1")
    overall = map(float, _of_types(sums, types, zero_division))
    result: dict[str, Any] = dict(zip(keys, overall, strict=True))
    columns = list(zip(*by_type.values(), strict=True)) or [()] * 3
    for key, values in zip(keys, columns, strict=True):
        result[f"macro_{key}"] = float(np.sum(values)) / len(values) if values else float("nan")
    empty = 0.0 if types else zero_division  # if there are no true spans, perhaps none at all
    for key, values in zip(keys, columns, strict=True):
        result[f"weighted_{key}"] = zero_division if key == "recall" else empty
        if any(weights):
            result[f"weighted_{key}"] = float(np.sum(np.multiply(values, weights)) / sum(weights))
    if "tags" in sums:
        result["accuracy"] = sums["equal_tags"] / sums["tags"] if sums["tags"] else float("nan")
    result["support"] = sum(weights)
    result["per_type"] = {
        name: dict(zip(keys, by_type[name], strict=True)) | {"number": support[name]}
        for name in types
    }
    return result


def _of_types(
    sums: Mapping[str, Any], types: Sequence[str], zero_division: float
) -> tuple[Floats, Floats, Floats]:
    """Return precision, recall and F1 of the spans of some types together, also of many sums."""

    def total(kind: str, default: str = "") -> Floats:
        columns = [sums.get(f"{kind}:{name}", sums.get(f"{default}:{name}")) for name in types]
        return np.asarray(np.sum(columns, axis=0, dtype=np.float64))

    def ratio(hits: Floats, size: Floats, undefined: float) -> Floats:
        shares: Floats = np.full(np.shape(size), undefined)
        return np.divide(hits, size, out=shares, where=size > 0)

    precision = ratio(total("hits"), total("predicted"), zero_division)
    recall = ratio(total("found", "hits"), total("relevant"), zero_division)
    return precision, recall, ratio(2 * precision * recall, precision + recall, 0.0)


def _types(sums: Mapping[str, float]) -> list[str]:
    """Return the types that occur on either side, in order."""
    names = _names_of_types(sums)
    return sorted(n for n in names if sums[f"predicted:{n}"] or sums[f"relevant:{n}"])


def _names_of_types(statistics: Iterable[str]) -> list[str]:
    """Return the names of the types in these names of statistics."""
    return [key.partition(":")[2] for key in statistics if key.startswith("predicted:")]


# ---- how scores follow from sums, for their intervals -------------------------------------------


def _span_distributions(zero_division: float, statistics: Sequence[str]) -> dict[str, SumScore]:
    """Return how each score follows from the sums of these statistics.

    The scores of all types together are ratios. Averages over types are functions of sums, with an
    unseen row in which no span is right, or all are.
    """
    types = _names_of_types(statistics)
    if not types:
        return {}

    hit_names = [name for name in statistics if name.partition(":")[0] in ("hits", "found")]

    def factors(kind: str, factor: float = 1.0) -> dict[str, float]:
        return {f"{kind}:{name}": factor for name in types}

    def all_wrong(sums: Mapping[str, float]) -> dict[str, float]:
        return dict.fromkeys(hit_names, 0.0)

    def all_right(sums: Mapping[str, float]) -> dict[str, float]:
        relevant = {name: sums[f"relevant:{name.partition(':')[2]}"] for name in hit_names}
        return relevant | {f"predicted:{name}": sums[f"relevant:{name}"] for name in types}

    relevant, predicted = factors("relevant"), factors("predicted")

    def average(groups: Sequence[Sequence[str]], position: int, is_weighted: bool) -> SumFunction:
        score = partial(_average_of_types, groups, zero_division, position, is_weighted)
        biased = position == 2 and len(groups) == len(types)
        return SumFunction(score, predicted | relevant, all_wrong, all_right, biased=biased)

    is_loose = f"found:{types[0]}" in statistics
    distributions: dict[str, SumScore] = {
        "precision": SumRatio(factors("hits"), predicted),
        "recall": SumRatio(factors("found" if is_loose else "hits"), relevant),
        "f1": SumRatio(factors("hits", 2.0), predicted | relevant),
    }
    if is_loose:
        distributions["f1"] = average([types], 2, False)
    for position, key in enumerate(("precision", "recall", "f1")):
        for is_weighted in (False, True):
            name = f"{'weighted' if is_weighted else 'macro'}_{key}"
            distributions[name] = average([[name] for name in types], position, is_weighted)
    if "tags" in statistics:
        distributions["accuracy"] = SumRatio({"equal_tags": 1}, {"tags": 1})
    return distributions


def _average_of_types(
    groups: Sequence[Sequence[str]],
    zero_division: float,
    position: int,
    is_weighted: bool,
    sums: Mapping[str, Floats],
) -> Floats:
    """Return precision, recall or F1 averaged over groups of types, for arrays of sums."""
    total = weight_total = np.zeros(1)
    for types in groups:
        value = _of_types(sums, types, zero_division)[position]
        relevant, predicted = (
            np.sum([sums[f"{kind}:{name}"] for name in types], axis=0)
            for kind in ("relevant", "predicted")
        )
        weight = relevant if is_weighted else (relevant + predicted > 0).astype(np.float64)
        total, weight_total = total + weight * value, weight_total + weight
    return total / weight_total


# ---- spans as they are given --------------------------------------------------------------------


def _given_spans(
    columns: Mapping[str, Sequence[SpanLists]],
) -> tuple[dict[str, Spans], list[str]]:
    """Return the spans of each column, and the names of their types.

    Raises:
        ValueError: a row has lists of different lengths, or a span ends before it starts.
    """
    numbers: dict[str, int] = {}
    spans = {}
    for name, rows in columns.items():
        flat: list[tuple[int, int, int, int]] = []
        for row, lists in enumerate(rows):
            types, starts, ends = lists["type"], lists["start"], lists["end"]
            if not len(types) == len(starts) == len(ends):
                problem = f"has {len(types)} types, {len(starts)} starts and {len(ends)} ends"
                raise RowError(name, row, problem)
            for type_name, start, end in zip(types, starts, ends, strict=True):
                if not 0 <= start < end:
                    problem = f"has a span from {start} to {end}; the end is exclusive"
                    raise RowError(name, row, problem)
                flat.append((row, start, end, numbers.setdefault(type_name, len(numbers))))
        array = np.array(flat, np.int64).reshape(-1, 4)
        spans[name] = Spans(*array.T)
    return spans, list(numbers)


# ---- matches ------------------------------------------------------------------------------------


def _by_type(spans: Spans, rows: int, types: int, credit: Floats | None = None) -> Any:
    """For each row and type, the number of spans, or the total credit."""
    cells = spans.rows * types + spans.types
    return np.bincount(cells, weights=credit, minlength=rows * types).reshape(rows, types)


def _equal_spans(predicted: Spans, relevant: Spans) -> Spans:
    """Return the spans that both sides have, one for each pair."""
    spans = np.concatenate([predicted, relevant], axis=1)
    order = np.lexsort(spans)
    if not order.size:
        return predicted
    spans = spans[:, order]
    differs = (spans[:, 1:] != spans[:, :-1]).any(axis=0)
    starts = np.append(0, np.flatnonzero(differs) + 1)
    counts = np.diff(starts, append=order.size)
    of_relevant = np.add.reduceat(order >= predicted.rows.size, starts, dtype=np.int64)
    pairs = np.minimum(of_relevant, counts - of_relevant)
    return Spans(*np.repeat(spans[:, starts], pairs, axis=1))


def _loose_pairs(
    predicted: Spans, relevant: Spans, rows: int, match: Match
) -> tuple[Integers, Floats]:
    """Return pairs of a predicted and a true span that match, with their credit.

    As in nervaluate, predicted spans are processed in the given order, and each takes a true span
    that is still free: the first with the same boundaries; otherwise, for "partial", the first that
    overlaps, with half the credit; for "type", the closest of its type. A span that overlaps
    wrongly is used up too.
    """
    pairs: list[tuple[int, int]] = []
    credit_values: list[float] = []
    firsts, true_firsts = (
        np.searchsorted(side.rows, np.arange(rows + 1)) for side in (predicted, relevant)
    )
    for row in range(rows):
        first, stop = true_firsts[row : row + 2]
        _, starts, ends, types = (column[first:stop] for column in relevant)
        free = np.ones(starts.size, bool)
        for number in range(*firsts[row : row + 2]):
            _, start, end, kind = (column[number] for column in predicted)
            overlapping = np.flatnonzero(free & (starts < end) & (start < ends))
            if not overlapping.size:
                continue
            distances = np.abs(starts - start)[overlapping] + np.abs(ends - end)[overlapping]
            suits = types[overlapping] == kind if match == "type" else distances == 0
            choice, credit = overlapping[0], 0.5 if match == "partial" else 0.0
            if suits.any():
                choice, credit = overlapping[suits][distances[suits].argmin()], 1.0
            free[choice] = False
            if credit:
                pairs.append((number, first + choice))
                credit_values.append(credit)
    return np.array(pairs, np.int64).reshape(-1, 2), np.array(credit_values, np.float64)


TagRows = Annotated[Any, ListOf(Scalar(str))]


def seqeval(
    *,
    predictions: TagRows,
    references: TagRows,
    suffix: bool = False,
    scheme: NamedScheme | None = None,
    mode: Literal["strict"] | None = None,
    sample_weight: Weights | None = None,
    zero_division: Literal["warn"] | Proportion = "warn",
) -> dict[str, Any]:
    """Return the scores of each type, as a dictionary, and the scores of all types together.

    As in the module, `scheme` counts only with `mode="strict"`, which otherwise takes the scheme of
    the references, and `sample_weight` changes nothing.

    >>> result = seqeval(predictions=[["B-PER", "B-LOC"]], references=[["B-PER", "O"]])
    >>> result["overall_precision"], result["PER"]["number"]
    (0.5, 1)
    """
    if zero_division not in ("warn", 0, 1):
        raise OptionError("zero_division", f"must be 'warn', 0 or 1, got {zero_division!r}")
    strict_scheme = scheme or "auto"
    result: Mapping[str, Any] = span_statistics(
        predictions,
        references,
        scheme=strict_scheme if mode == "strict" else None,
        suffix=suffix,
        zero_division=0.0 if zero_division == "warn" else float(zero_division),
        joined=True,
    ).result()
    overall = ("precision", "recall", "f1", "accuracy")
    return {**result["per_type"], **{f"overall_{key}": result[key] for key in overall}}
