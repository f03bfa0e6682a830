"""The output of trec_eval, for `metric-commons trec --format trec_eval`.

Measures are named as on its command line (`-m P.5,10`, `-m ndcg_cut`, `-m all_trec`), and printed
in its order and columns, so programs that parse its output can parse ours. The order and the
defaults are those of version 9, to which version 10 adds `rbp`, `rbp_resid` and `unj` at the end:
`all_trec_10` includes them, `all_trec` and `all_trec_9` do not.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...module.catalog.usage import UsageError

if TYPE_CHECKING:
    from ...retrieval.runs import QueryScores

_DOCUMENTS = "5,10,15,20,30,100,200,500,1000"
_TENTHS = ",".join(f"{tenths / 10:.1f}" for tenths in range(11))
# Every measure in the order of trec_eval's output, with its default cutoffs if it has any.
_ORDER: Mapping[str, str] = {
    name: cutoffs
    for names, cutoffs in (
        ("runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank", ""),
        ("iprec_at_recall", _TENTHS),
        ("P", _DOCUMENTS),
        ("relstring", ""),
        ("recall", _DOCUMENTS),
        ("infAP gm_bpref", ""),
        ("Rprec_mult", ",".join(f"{fifths / 5:.1f}" for fifths in range(1, 11))),
        ("utility 11pt_avg binG G dcg ndcg ndcg_rel Rndcg", ""),
        ("ndcg_cut map_cut relative_P", _DOCUMENTS),
        ("success", "1,5,10"),
        ("set_P set_relative_P set_recall set_map set_F", ""),
        ("num_nonrel_judged_ret yaap rbp rbp_resid", ""),
        ("unj", "5,10,20"),
    )
    for name in names.split()
}
_ALL_OF_9 = [name for name in _ORDER if name not in ("dcg", "yaap", "rbp", "rbp_resid", "unj")]
_NICKNAMES: Mapping[str, Sequence[str]] = {
    "official": list(_ORDER)[: list(_ORDER).index("relstring")],
    "set": (
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P"),
        *("set_relative_P", "set_recall", "set_map", "set_F"),
    ),
    "all_trec": _ALL_OF_9,
    "all_trec_9": _ALL_OF_9,
    "all_trec_10": [*_ALL_OF_9, "rbp", "rbp_resid", "unj"],
}
_FRACTIONAL = ("iprec_at_recall", "Rprec_mult")  # cutoffs are fractions, not numbers of documents
_SUMMARIES = ("runid", "num_q", "gm_map", "gm_bpref")  # not printed for single queries
_LENGTH = 10  # of relstring


class Line(NamedTuple):
    """A line of the output, for each query and for all queries."""

    label: str  # as printed
    measure: str  # our name of the measure; "" for texts


def lines(measures: Sequence[str] | None, documents: int | None) -> list[Line]:
    """Return the lines that trec_eval prints for these measures, in its order.

    Args:
        measures: as for its option -m, with parameters after a period; the parameters of a measure
            named several times are joined. Names unknown to trec_eval come last, unchanged.
        documents: the number of documents in the collection, for the fourth weight of `utility`.

    >>> [line.label for line in lines(["ndcg_cut.20,5", "map", "ndcg@7"], None)]
    ['map', 'ndcg_cut_5', 'ndcg_cut_20', 'ndcg@7']
    >>> lines(["rbp.p=0.8"], None)
    [Line(label='rbp_p=0.8', measure='rbp(p=0.8)')]
    """
    names: dict[str, list[str]] = {}
    for text in measures or ["official"]:
        name, _, parameters = text.partition(".")
        is_measure = name in _ORDER or name in _NICKNAMES
        for single in _NICKNAMES.get(name, (name,)) if is_measure else (text,):
            names.setdefault(single, []).extend([parameters] if is_measure and parameters else [])
    extra = [name for name in names if name not in _ORDER]
    return [
        *(
            line
            for name in _ORDER
            if name in names
            for line in _lines(name, ",".join(names[name]), documents)
        ),
        *(Line(name, name) for name in extra),
    ]


def _lines(name: str, parameters: str, documents: int | None) -> Iterator[Line]:
    """Yield the lines of a measure with its parameters."""
    if _ORDER[name]:
        cutoffs = sorted({_cutoff(name, text) for text in (parameters or _ORDER[name]).split(",")})
        for cutoff in cutoffs:
            if name in _FRACTIONAL:
                yield Line(f"{name}_{cutoff:3.2f}", f"{name}@{cutoff:g}")
            else:
                yield Line(f"{name}_{cutoff:.0f}", f"{name}_{cutoff:.0f}")
        return
    label = f"{name}_{parameters}" if parameters else name
    if name in ("runid", "relstring"):
        yield Line(label, "")
    elif name == "utility" and documents is not None:
        yield Line(label, f"{label}(docs={documents})")
    elif name in ("rbp", "rbp_resid"):
        yield Line(label, f"{name}({parameters or 'p=0.9'})")
    elif name == "set_F" and parameters:
        yield Line(label, f"set_F(beta={parameters})")
    elif name == "dcg" and parameters:
        raise UsageError("--measure: dcg does not take gains here; use ndcg")
    else:
        yield Line(label, label)


def _cutoff(name: str, text: str) -> float:
    try:
        return float(text) if name in _FRACTIONAL else int(text)
    except ValueError:
        raise UsageError(f"--measure: cutoffs of {name} must be numbers, got {text!r}") from None


def relstring_length(output: Sequence[Line]) -> int | None:
    """Return the number of ranks that `relstring` shows; None if it is not among the lines."""
    for line in output:
        name, _, parameters = line.label.partition("_")
        if name == "relstring":
            return int(_cutoff(name, parameters)) if parameters else _LENGTH
    return None


def printed(
    output: Sequence[Line],
    queries: "QueryScores",
    means: Mapping[str, Any],
    *,
    per_query: bool,
    summary: bool,
    tag: str,
    relstrings: Mapping[str, str],
) -> Iterator[str]:
    """Yield the lines of the output.

    Args:
        output: the lines to print.
        queries: the values of each query.
        means: the values for all queries.
        per_query: whether to print the values of queries.
        summary: whether to print the values for all queries.
        tag: the name of the run, as in its file.
        relstrings: the relevance of the first documents, by query.
    """
    for query, values in queries.items() if per_query else ():
        for line in output:
            if line.label in _SUMMARIES:
                continue
            text = f"'{relstrings[query]}'" if not line.measure else _text(values[line.measure])
            yield f"{line.label:<22}\t{query}\t{text}"
    for line in output if summary else ():
        if line.measure or line.label == "runid":
            text = _text(means[line.measure]) if line.measure else tag
            yield f"{line.label:<22}\tall\t{text}"


def _text(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:6.4f}"
