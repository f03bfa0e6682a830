"""Names of ranking measures: ndcg@10, P@5, rbp(p=0.95), err(max_grade=4)@20.

The spellings of trec_eval (`ndcg_cut_10`, `recip_rank`, `P_5`) and of ir_measures (`nDCG@10`, `RR`,
`AP(rel=2)@100`) are names of the same measures.
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from ..numbers.checks import nearest
from ..numbers.domains import Parsed

_OPTIONAL_CUTOFF = (
    "ndcg",
    "ndcg_exp",
    "dcg",
    "dcg_exp",
    "map",
    "mrr",
    "recall",
    "hit_rate",
    "err",
    "rbp",
)
_REQUIRED_CUTOFF = ("precision", "f1", "judged", "relative_p", "unj")  # divided by the cutoff
_WITHOUT_CUTOFF = (
    *("rprec", "bpref", "gm_map", "gm_bpref", "infap", "11pt_avg", "bing", "yaap", "utility"),
    *("ndcg_rel", "rndcg", "g", "rbp_resid"),
    *("set_p", "set_recall", "set_f", "set_map", "set_relative_p"),
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"),
)
_OF_A_SHARE = ("iprec_at_recall", "rprec_mult")  # of the relevant documents, a number with a point
_ALIASES = {
    "p": "precision",
    "r": "recall",
    "ap": "map",
    "rr": "mrr",
    "recip_rank": "mrr",
    "success": "hit_rate",
    "iprec": "iprec_at_recall",
    "setp": "set_p",
    "setr": "set_recall",
    "setf": "set_f",
    "setap": "set_map",
    "numq": "num_q",
    "numret": "num_ret",
    "numrel": "num_rel",
}
_NAMES = (*_OPTIONAL_CUTOFF, *_REQUIRED_CUTOFF, *_WITHOUT_CUTOFF, *_OF_A_SHARE, *_ALIASES)
# What trec_eval writes with the cutoff behind a line: P_5.
_WITH_NUMBER = {
    "p": "precision",
    "recall": "recall",
    "success": "hit_rate",
    "ndcg_cut": "ndcg",
    "map_cut": "map",
    "relative_p": "relative_p",
    "unj": "unj",
} | dict(zip(_OF_A_SHARE, _OF_A_SHARE, strict=True))

_SYNTAX = re.compile(r"([\w.]+)(?:\(([^()]*)\))?(?:@([0-9.]+))?", re.ASCII)
_NUMBERED = re.compile(rf"({'|'.join(_WITH_NUMBER)})_([0-9.]+)")
_CUTOFF = re.compile("[1-9][0-9]{0,8}")
_SHARE = re.compile(r"[0-9](?:\.[0-9]{1,8})?|\.[0-9]{1,8}")
# Parameters of some measures, and their defaults; None if there is none.
_PARAMETERS: Mapping[str, tuple[str, float | None]] = {
    "rbp": ("p", None),
    "rbp_resid": ("p", None),
    "err": ("max_grade", 4.0),
    "set_f": ("beta", 1.0),
}
_GAINS = {"log2": "ndcg", "exp-log2": "ndcg_exp"}  # the parameter `dcg` of ir_measures
_LEVELLED = {
    *("precision", "recall", "map", "mrr", "hit_rate", "rprec", "bpref", "infap", "rbp", "f1"),
    *("set_p", "set_recall", "set_f", "set_map", "iprec_at_recall", "num_rel", "num_rel_ret"),
}
_DOCUMENTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_TENTHS = [f"{tenths / 10:.2f}" for tenths in range(11)]
_OFFICIAL = (
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
    *("recip_rank", *(f"iprec_at_recall_{level}" for level in _TENTHS)),
    *(f"P_{cutoff}" for cutoff in _DOCUMENTS),
)
# Names of trec_eval for several measures, as in version 9, but for texts: runid and relstring.
_NICKNAMES = {
    "official": _OFFICIAL,
    "set": (
        *("num_q", "num_ret", "num_rel", "num_rel_ret", "utility"),
        *("set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
    ),
    "all_trec": (
        *(*_OFFICIAL, *(f"recall_{cutoff}" for cutoff in _DOCUMENTS), "infAP", "gm_bpref"),
        *(f"Rprec_mult_{fifths / 5:.2f}" for fifths in range(1, 11)),
        *("utility", "11pt_avg", "binG", "G", "ndcg", "ndcg_rel", "Rndcg"),
        *(f"ndcg_cut_{cutoff}" for cutoff in _DOCUMENTS),
        *(f"map_cut_{cutoff}" for cutoff in _DOCUMENTS),
        *(f"relative_P_{cutoff}" for cutoff in _DOCUMENTS),
        *("success_1", "success_5", "success_10"),
        *("set_P", "set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret"),
    ),
}
LARGEST_GRADE = 1000.0  # the sum of thousands of gains of 2**1000 is still finite

# Measures that are no means over queries.
AGGREGATION: Mapping[str, str] = MappingProxyType(
    {"gm_*": "geometric_mean", "num_*": "sum", "Num*": "sum"}
)

NO_CUTOFF = 2**62  # longer than any ranking


class Measure(NamedTuple):
    """One measure, as `parse_measures` understands its name."""

    name: str  # as the caller wrote it; the key of the result
    kind: str  # such as "ndcg"
    cutoff: int = NO_CUTOFF  # only documents up to this rank count
    parameter: float = 0.0  # p of rbp, max_grade of err, beta of set_F; a share of R
    level: float | None = None  # the smallest relevance that is relevant, if the name says it


def parse_measures(measures: Any) -> tuple[Measure, ...]:
    """The measures with these names; upper and lower case are the same.

    Without a cutoff (`@10`) a measure covers the whole ranking. Precision, f1 and judged divide by
    the cutoff and therefore need one. `rel` is the relevance level of a single measure. "official",
    "set" and "all_trec" stand for several measures, as in trec_eval.

    Args:
        measures: one name or several, all different.

    Raises:
        ValueError: there is no name, a name occurs twice, or there is no such measure.

    >>> parse_measures("P_5")
    (Measure(name='P_5', kind='precision', cutoff=5, parameter=0.0, level=None),)
    >>> [measure.parameter for measure in parse_measures(["err@20", "rbp(p=0.95)"])]
    [4.0, 0.95]
    >>> [(measure.kind, measure.level) for measure in parse_measures(["AP(rel=2)", "RR@10"])]
    [('map', 2.0), ('mrr', None)]
    >>> parse_measures("rbp")
    Traceback (most recent call last):
    ValueError: 'rbp' needs p: 'rbp(p=0.9)' as in trec_eval 10, 'rbp(p=0.8)' as in ir_measures
    >>> parse_measures(["ndgc@10"])
    Traceback (most recent call last):
    ValueError: there is no measure 'ndgc@10'; did you mean 'ndcg'?
    """
    names = [measures] if isinstance(measures, str) else measures
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"measures must be names such as 'ndcg@10', got {measures!r}")
    if not names:
        raise ValueError("measures is empty; name at least one, such as 'ndcg@10'")
    names = [single for name in names for single in _NICKNAMES.get(name.strip(), (name,))]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"measures holds {name!r} more than once")
    return tuple(map(_parse, names))


Measures = Annotated[
    str | Sequence[str], Parsed(parse_measures, "a name such as 'ndcg@10', or a list of names")
]


def _parse(name: str) -> Measure:
    parts = _SYNTAX.fullmatch(name.strip().lower())
    word, arguments, number = parts.groups() if parts else ("", None, None)
    kind = _ALIASES.get(word, word)
    numbered = _NUMBERED.fullmatch(word) if number is None else None
    if numbered:
        kind, number = _WITH_NUMBER[numbered[1]], numbered[2]
    pattern = _SHARE if kind in _OF_A_SHARE else _CUTOFF
    if not word or ("." in word and not numbered) or not pattern.fullmatch(number or "1"):
        raise ValueError(
            f"cannot read the measure {name!r}; names look like 'ndcg@10' or 'err(max_grade=4)@20'"
        )
    if not numbered and word not in _NAMES:
        hint = nearest(word, _NAMES) or f"; there are {', '.join(_NAMES)}"
        raise ValueError(f"there is no measure {name!r}{hint}")
    kind, parameter, level = _with_arguments(name, kind, arguments)
    if number and kind in _WITHOUT_CUTOFF:
        raise ValueError(f"{name!r} has a cutoff, but {kind} looks at the whole ranking")
    if not number and kind in _REQUIRED_CUTOFF:
        raise ValueError(f"{name!r} needs a cutoff, such as '{word}@10'")
    if kind in _OF_A_SHARE:
        if number is None:
            raise ValueError(f"{name!r} needs a number, such as '{word}@0.2'")
        if kind == "iprec_at_recall" and float(number) > 1:
            raise ValueError(f"{name!r}: recall is at most 1, got {number}")
        return Measure(name, kind, NO_CUTOFF, float(number), level)
    return Measure(name, kind, int(number) if number else NO_CUTOFF, parameter, level)


def _with_arguments(name: str, kind: str, arguments: str | None) -> tuple[str, float, float | None]:
    """The kind of a measure, its parameter or the default, and its relevance level, if any."""
    valid, default = _PARAMETERS.get(kind, (None, 0.0))
    parameter, level = default, None
    for argument in arguments.split(",") if arguments is not None else ():
        key, _, value = (part.strip() for part in argument.partition("="))
        if key == "rel" and (kind in _LEVELLED or kind == "num_ret"):
            level = _number(name, key, value)
            kind = "num_rel_ret" if kind == "num_ret" else kind
        elif key == "dcg" and kind == "ndcg" and value.strip("'\"") in _GAINS:
            kind = _GAINS[value.strip("'\"")]
        elif key == valid:
            parameter = _number(name, key, value)
        else:
            choice = f"only '{valid}'" if valid else "no parameter"
            raise ValueError(f"{name!r} has the parameter {key!r}, but {kind} has {choice}")
    if parameter is None:  # peers have different defaults, so the name must say it
        raise ValueError(
            f"{name!r} needs p: '{kind}(p=0.9)' as in trec_eval 10, "
            f"'{kind}(p=0.8)' as in ir_measures"
        )
    if kind in ("rbp", "rbp_resid") and not 0 < parameter < 1:
        raise ValueError(f"{name!r}: p must lie strictly between 0 and 1, got {parameter}")
    if kind == "err" and not 0 < parameter <= LARGEST_GRADE:
        raise ValueError(
            f"{name!r}: max_grade must be above 0 and at most {LARGEST_GRADE:g}, got {parameter:g}"
        )
    return kind, parameter, level


def _number(name: str, key: str, value: str) -> float:
    if not re.fullmatch(r"[0-9]*\.?[0-9]*", value) or not value.strip("."):
        raise ValueError(f"{name!r}: {key} must be a number, got {value!r}")
    return float(value)
