"""Names of ranking measures: ndcg@10, P@5, rbp(p=0.95), err(max_grade=4)@20.

The spellings of trec_eval (`ndcg_cut_10`, `recip_rank`, `P_5`, `utility_2,-1,0,0`) and of
ir_measures (`nDCG@10`, `RR`, `AP(rel=2)@100`) are names of the same measures.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from ..statistics.arguments.checks import check_measures, nearest, shown
from ..statistics.arguments.domains import Parsed

_REQUIRED_CUTOFF = ("precision", "f1", "judged", "relative_p", "unj")  # they divide by it
_WITHOUT_CUTOFF = tuple(
    (
        "rprec bpref gm_map gm_bpref infap 11pt_avg bing yaap utility ndcg_rel rndcg g "
        "rbp_resid set_p set_recall set_f set_map set_relative_p num_q num_ret num_rel "
        "num_rel_ret num_nonrel_judged_ret"
    ).split()
)
# Measures at a proportion of the relevant documents.
_OF_A_PROPORTION = ("iprec_at_recall", "iprec", "rprec_mult")
_ALIASES = {
    "p": "precision",
    "r": "recall",
    "ap": "map",
    "rr": "mrr",
    "recip_rank": "mrr",
    "success": "hit_rate",
    "setp": "set_p",
    "setr": "set_recall",
    "setf": "set_f",
    "setap": "set_map",
    "numq": "num_q",
    "numret": "num_ret",
    "numrel": "num_rel",
}
NAMES = (
    *"ndcg ndcg_exp dcg dcg_exp map mrr recall hit_rate err rbp".split(),
    *_REQUIRED_CUTOFF,
    *_WITHOUT_CUTOFF,
    *_OF_A_PROPORTION,
    *_ALIASES,
)
# Measures that trec_eval prints with an appended cutoff: P_5.
_WITH_NUMBER = {
    "p": "precision",
    "recall": "recall",
    "success": "hit_rate",
    "ndcg_cut": "ndcg",
    "map_cut": "map",
    "relative_p": "relative_p",
    "unj": "unj",
    "iprec_at_recall": "iprec_at_recall",
    "rprec_mult": "rprec_mult",
}

# Measures that trec_eval prints with other parameters: utility_2,-1,0,0 and ndcg_1=3,2=9.
_LISTED = re.compile(r"(utility|11pt_avg|ndcg)_([-+.,=0-9]*[.,=][-+.,=0-9]*)")
_SYNTAX = re.compile(r"([\w.]+)(?:\(([^()]*)\))?(?:@([0-9.]+))?", re.ASCII)
_NUMBERED = re.compile(rf"({'|'.join(_WITH_NUMBER)})_([0-9.]+)")
_CUTOFF = re.compile("[1-9][0-9]{0,8}")
_SHARE = re.compile(r"[0-9](?:\.[0-9]{1,8})?|\.[0-9]{1,8}")
# The parameter that some measures have, and its default; None if there is none.
_PARAMETERS: Mapping[str, tuple[str, float | None]] = {
    "rbp": ("p", None),
    "rbp_resid": ("p", None),
    "err": ("max_grade", 4.0),
    "set_f": ("beta", 1.0),
    "utility": ("docs", 0.0),
}
_SWITCHES = {"true": 1.0, "false": 0.0}
_GAINS = {"log2": "ndcg", "exp-log2": "ndcg_exp"}  # values of the parameter `dcg` in ir_measures
_LEVELLED = set(
    (
        "precision recall map mrr hit_rate rprec bpref infap rbp f1 set_p set_recall set_f "
        "set_map iprec_at_recall iprec num_rel num_rel_ret"
    ).split()
)
# Measures of rankings without unjudged documents, for names with `judged_only`.
_CONDENSED = set(
    (
        "precision recall map mrr hit_rate rprec ndcg ndcg_exp dcg dcg_exp f1 err rbp set_p "
        "set_f set_map iprec_at_recall iprec"
    ).split()
)
_DISCOUNTED = {"ndcg", "ndcg_exp", "dcg", "dcg_exp"}
_WEIGHTS = (1.0, -1.0, 0.0, 0.0)  # of utility
_DOCUMENTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_TENTHS = [f"{tenths / 10:.2f}" for tenths in range(11)]
_OFFICIAL = (
    *"num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref".split(),
    *("recip_rank", *(f"iprec_at_recall_{level}" for level in _TENTHS)),
    *(f"P_{cutoff}" for cutoff in _DOCUMENTS),
)
_ALL_OF_9 = (
    *(*_OFFICIAL, *(f"recall_{cutoff}" for cutoff in _DOCUMENTS), "infAP", "gm_bpref"),
    *(f"Rprec_mult_{fifths / 5:.2f}" for fifths in range(1, 11)),
    *"utility 11pt_avg binG G ndcg ndcg_rel Rndcg".split(),
    *(f"ndcg_cut_{cutoff}" for cutoff in _DOCUMENTS),
    *(f"map_cut_{cutoff}" for cutoff in _DOCUMENTS),
    *(f"relative_P_{cutoff}" for cutoff in _DOCUMENTS),
    *("success_1", "success_5", "success_10"),
    *"set_P set_relative_P set_recall set_map set_F num_nonrel_judged_ret".split(),
)
# trec_eval's names for several measures, except the texts runid and relstring. The versions differ
# only in `all_trec`, which is that of version 9, as in pytrec_eval.
_NICKNAMES = {
    "official": _OFFICIAL,
    "set": tuple(
        (
            "num_q num_ret num_rel num_rel_ret utility set_P set_relative_P set_recall set_map "
            "set_F"
        ).split()
    ),
    "all_trec": _ALL_OF_9,
    "all_trec_9": _ALL_OF_9,
    "all_trec_10": (*_ALL_OF_9, "rbp(p=0.9)", "rbp_resid(p=0.9)", "unj_5", "unj_10", "unj_20"),
}
LARGEST_GRADE = 1000.0  # the sum of thousands of gains of 2**1000 is still finite

# Measures that are not means over queries.
AGGREGATION: Mapping[str, str] = MappingProxyType(
    {"gm_*": "geometric_mean", "num_*": "sum", "Num*": "sum"}
)
LOWER_IS_BETTER = frozenset({"unj*", "rbp_resid*"})

NO_CUTOFF = 2**62  # longer than any ranking


class RankingMeasure(NamedTuple):
    """One measure, as parsed from its name."""

    name: str  # as the caller wrote it; the key of the result
    kind: str  # such as "ndcg"
    cutoff: int = NO_CUTOFF  # only documents up to this rank count
    parameter: float = 0.0  # p of rbp, max_grade, beta or docs; a proportion of R
    level: float | None = None  # the smallest relevance that counts as relevant, if given
    judged_only: bool = False  # whether to drop unjudged documents
    averages_ties: bool = False  # whether tied documents get their average gain
    gains: tuple[tuple[float, float], ...] = ()  # the gains of levels of relevance, if they differ
    values: tuple[float, ...] = ()  # weights of utility, levels of 11pt_avg


def parse_measures(measures: Any) -> tuple[RankingMeasure, ...]:
    """Parse the names of measures, ignoring case.

    Without a cutoff (`@10`) a measure covers the whole ranking. Precision, f1 and judged divide by
    the cutoff and therefore need one. `rel` is the relevance level of a single measure. Names on
    the command line of trec_eval may mean several measures: "P.5,10", "P" and "ndcg_cut" with all
    its cutoffs, "official", "set", "all_trec_9" and "all_trec_10" as in these versions;
    "all_trec" is that of version 9.

    Args:
        measures: one or several distinct names.

    Raises:
        ValueError: there are no names, a name occurs twice, or a measure is unknown.

    >>> [(measure.kind, measure.cutoff) for measure in parse_measures("P_5")]
    [('precision', 5)]
    >>> [measure.parameter for measure in parse_measures(["err@20", "rbp(p=0.95)"])]
    [4.0, 0.95]
    >>> [(measure.kind, measure.level) for measure in parse_measures(["AP(rel=2)", "RR@10"])]
    [('map', 2.0), ('mrr', None)]
    >>> parse_measures("rbp")
    Traceback (most recent call last):
    ValueError: 'rbp' needs p: 'rbp(p=0.9)' as in trec_eval 10, 'rbp(p=0.8)' as in ir_measures
    >>> parse_measures(["ndgc@10"])
    Traceback (most recent call last):
    ValueError: unknown measure 'ndgc@10'; did you mean 'ndcg'?
    """
    names = check_measures(measures, ["ndcg@10"], lambda _: True)
    return tuple(map(_parse, dict.fromkeys(chain.from_iterable(map(_written_out, names)))))


Measures = Annotated[
    str | Sequence[str], Parsed(parse_measures, "a name such as 'ndcg@10', or a list of names")
]


def _written_out(name: str) -> tuple[str, ...]:
    """Return the measures that a name on trec_eval's command line means.

    >>> _written_out("P.5,10"), _written_out("iprec_at_recall.0.1"), _written_out("ndcg@10")
    (('P_5', 'P_10'), ('iprec_at_recall_0.1',), ('ndcg@10',))
    """
    text = name.strip()
    if text in _NICKNAMES:
        return _NICKNAMES[text]
    word, period, parameters = text.partition(".")
    kind = word.lower()
    if not period and kind in ("p", "ndcg_cut", "map_cut", "relative_p"):  # with all its cutoffs
        return tuple(f"{word}_{cutoff}" for cutoff in _DOCUMENTS)
    if period and kind in _WITH_NUMBER:
        return tuple(f"{word}_{number}" for number in parameters.split(","))
    if period and kind in ("utility", "11pt_avg", "ndcg"):
        return (f"{word}_{parameters}",)
    if period and kind in ("rbp", "rbp_resid", "set_f"):
        return (f"{word}({'beta=' if kind == 'set_f' else ''}{parameters})",)
    return (name,)


@lru_cache(maxsize=1024, typed=True)  # small batches are scored by the same names again and again
def _parse(name: str) -> RankingMeasure:
    text, values = name.strip().lower(), ""
    listed = _LISTED.match(text)
    if listed:  # utility_2,-1,0,0
        values, text = listed[2], listed[1] + text[listed.end() :]
    parts = _SYNTAX.fullmatch(text)
    word, arguments, number = parts.groups() if parts else ("", None, None)
    kind = _ALIASES.get(word, word)
    numbered = _NUMBERED.fullmatch(word) if number is None else None
    if numbered:
        kind, number = _WITH_NUMBER[numbered[1]], numbered[2]
    pattern = _SHARE if kind in _OF_A_PROPORTION else _CUTOFF
    if not word or ("." in word and not numbered) or not pattern.fullmatch(number or "1"):
        raise ValueError(
            f"cannot read the measure {name!r}; names look like 'ndcg@10' or 'err(max_grade=4)@20'"
        )
    if not numbered and word not in NAMES:
        hint = nearest(word, NAMES) or f"; the measures are {', '.join(NAMES)}"
        raise ValueError(f"unknown measure {shown(name)}{hint}")
    measure = _with_arguments(RankingMeasure(name, kind), arguments)
    if values:
        measure = _with_values(measure, values)
    kind = measure.kind
    if number and kind in _WITHOUT_CUTOFF:
        raise ValueError(f"{name!r} has a cutoff, but {kind} looks at the whole ranking")
    if not number and kind in _REQUIRED_CUTOFF:
        raise ValueError(f"{name!r} needs a cutoff, such as '{word}@10'")
    if kind in _OF_A_PROPORTION:
        if number is None:
            raise ValueError(f"{name!r} needs a number, such as '{word}@0.2'")
        if kind != "rprec_mult" and float(number) > 1:
            raise ValueError(f"{name!r}: recall is at most 1, got {number}")
        return measure._replace(parameter=float(number))
    return measure._replace(cutoff=int(number) if number else NO_CUTOFF)


def _with_arguments(measure: RankingMeasure, arguments: str | None) -> RankingMeasure:
    """The measure with its parameters or their defaults, and its relevance level, if given."""
    name = measure.name
    own, parameter = _PARAMETERS.get(measure.kind, ("", 0.0))
    for argument in re.findall(r"(?:[^,{]|\{[^}]*\}?)+", arguments or ""):
        key, _, value = (part.strip() for part in argument.partition("="))
        value = value.strip("'\"")
        kind = measure.kind
        if key == "rel" and (kind in _LEVELLED or kind == "num_ret"):
            kind = "num_rel_ret" if kind == "num_ret" else kind
            measure = measure._replace(level=_number(name, key, value), kind=kind)
        elif key == "dcg" and kind == "ndcg" and value in _GAINS:
            measure = measure._replace(kind=_GAINS[value])
        elif key == "gains" and kind == "ndcg":
            measure = measure._replace(gains=_gains(name, value.strip("{}").replace(":", "=")))
        elif key == "ties" and kind in _DISCOUNTED and value == "average":
            measure = measure._replace(averages_ties=True)
        elif key == "judged_only" and kind in _CONDENSED:
            measure = measure._replace(judged_only=bool(_number(name, key, value)))
        elif key == "relative" and kind == "set_p":
            if _number(name, key, value):
                measure = measure._replace(kind="set_relative_p")
        elif own and key == own:
            parameter = _number(name, key, value)
        else:
            choice = f"only {own!r}" if own else "no parameter"
            raise ValueError(f"{name!r} has the parameter {key!r}, but {kind} has {choice}")
    if parameter is None:  # peers have different defaults
        raise ValueError(
            f"{name!r} needs p: '{measure.kind}(p=0.9)' as in trec_eval 10, "
            f"'{measure.kind}(p=0.8)' as in ir_measures"
        )
    if own == "p" and not 0 < parameter < 1:
        raise ValueError(f"{name!r}: p must lie strictly between 0 and 1, got {parameter}")
    if own == "max_grade" and not 0 < parameter <= LARGEST_GRADE:
        raise ValueError(
            f"{name!r}: max_grade must be above 0 and at most {LARGEST_GRADE:g}, got {parameter:g}"
        )
    return measure._replace(parameter=parameter)


def _with_values(measure: RankingMeasure, text: str) -> RankingMeasure:
    """Return the measure with the values that trec_eval appends: weights, levels or gains."""
    name = measure.name
    if measure.kind == "ndcg":
        return measure._replace(gains=_gains(name, text))
    values = tuple(
        (-1.0 if part.startswith("-") else 1.0) * _number(name, "a value", part.lstrip("+-"))
        for part in text.split(",")
    )
    if measure.kind == "utility" and len(values) != len(_WEIGHTS):
        raise ValueError(f"{name!r} needs four weights, as in 'utility_1,-1,0,0'")
    if measure.kind == "11pt_avg" and (
        list(values) != sorted(values) or values[0] < 0 or values[-1] > 1
    ):
        raise ValueError(f"{name!r} needs levels of recall in ascending order, from 0 to 1")
    return measure._replace(values=values)


def _gains(name: str, text: str) -> tuple[tuple[float, float], ...]:
    """Parse pairs of a level of relevance and its gain from a text such as 1=3,2=9."""
    parts = (part.partition("=") for part in text.split(","))
    return tuple(
        (_number(name, "a level", level.strip()), _number(name, "gains", gain.strip()))
        for level, _, gain in parts
    )


def _number(name: str, key: str, value: str) -> float:
    if value in _SWITCHES and key in ("judged_only", "relative"):
        return _SWITCHES[value]
    if not re.fullmatch(r"[0-9]*\.?[0-9]*", value) or not value.strip("."):
        raise ValueError(f"{name!r}: {key} must be a number, got {value!r}")
    return float(value)
