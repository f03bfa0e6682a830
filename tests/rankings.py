"""Ranking measures by their definitions, one query and one rank at a time; and generated runs."""

import math

import numpy as np
from hypothesis import strategies as st

CUTOFFS = ("", "@1", "@2", "@3", "@5", "@10", "@100")
GRADED = ("ndcg", "dcg", "ndcg_exp", "dcg_exp", "err(max_grade=9)")
MEASURES = [
    *(
        stem + cutoff
        for stem in ("map", "mrr", "recall", "hit_rate", *GRADED)
        for cutoff in CUTOFFS
    ),
    *(f"rbp(p={p}){cutoff}" for p in (0.5, 0.8, 0.95) for cutoff in CUTOFFS),
    *(stem + cutoff for stem in ("precision", "f1", "judged", "unj") for cutoff in CUTOFFS[1:]),
    *("rprec", "bpref", "gm_map", "num_q", "num_ret", "num_rel", "num_rel_ret"),
    *("yaap", "rbp_resid(p=0.9)"),
]


def ranked(retrieved, judged, *, score_dtype="float64", max_depth=None, judged_only=False):
    """The relevance of each rank, None for a document without a judgment.

    `retrieved` maps documents to scores, `judged` maps them to relevance.
    """
    rounded = np.dtype(score_dtype).type

    def key(document):
        with np.errstate(over="ignore"):
            return float(rounded(retrieved[document])), document.encode("utf-8", "surrogatepass")

    order = sorted(retrieved, key=key, reverse=True)
    if max_depth is not None:
        order = order[:max_depth]
    relevance = [judged.get(document) for document in order]
    if judged_only:
        relevance = [level for level in relevance if level is not None and level >= 0]
    return relevance


def score(measure, relevance, judged, *, relevance_level=1, map_denominator="relevant"):
    """One measure of one query: `relevance` is that of each rank, `judged` that of all judged."""
    stem, _, cutoff = measure.partition("@")
    stem, _, parameter = stem.rstrip(")").partition("(")
    parameter = float(parameter.partition("=")[2] or 0)
    if stem == "gm_map":
        options = {"relevance_level": relevance_level, "map_denominator": map_denominator}
        return max(score("map", relevance, judged, **options), 1e-5)
    retrieved = len(relevance)
    if cutoff:
        relevance = relevance[: int(cutoff)]
    k = int(cutoff or 0)
    hits = [level is not None and level >= relevance_level for level in relevance]
    relevant = sum(level >= relevance_level for level in judged)

    if stem == "num_q":
        return 1
    if stem == "num_ret":
        return retrieved
    if stem == "num_rel":
        return relevant
    if stem == "num_rel_ret":
        return sum(hits)
    if stem == "precision":
        return sum(hits) / k
    if stem == "recall":
        return sum(hits) / relevant if relevant else 0.0
    if stem == "f1":
        precision, recall = sum(hits) / k, sum(hits) / relevant if relevant else 0.0
        return 2 * precision * recall / (precision + recall) if sum(hits) else 0.0
    if stem == "hit_rate":
        return float(any(hits))
    if stem == "judged":
        return sum(level is not None for level in relevance) / len(relevance) if relevance else 0.0
    if stem == "unj":
        return sum(level is None or level < 0 for level in relevance) / k
    if stem == "yaap":
        precisions = [sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit]
        total = 0.0
        for precision in precisions:
            total += precision
        return math.log((1 + total) / (1 + relevant - total))
    if stem == "rbp_resid":
        total, reach, judged_all = 0.0, 1.0, True
        for level in relevance:
            if level is None or level < 0:
                total, judged_all = total + reach, False
            reach *= parameter
        return 0.0 if judged_all else reach + (1 - parameter) * total
    if stem == "rprec":
        return sum(hits[:relevant]) / relevant if relevant else 0.0
    if stem == "mrr":
        return next((1 / rank for rank, hit in enumerate(hits, 1) if hit), 0.0)
    if stem == "map":
        total, count = 0.0, 0
        for rank, hit in enumerate(hits, 1):
            if hit:
                count += 1
                total += count / rank
        denominator = {
            "relevant": relevant,
            "min_k": min(relevant, k) if k else relevant,
            "retrieved": count,
        }[map_denominator]
        return total / denominator if denominator else 0.0
    if stem == "bpref":
        nonrelevant = sum(0 <= level < relevance_level for level in judged)
        above, total = 0, 0.0
        for level in relevance:
            if level is not None and level >= relevance_level:
                penalty = min(above, relevant) / min(relevant, nonrelevant) if above else 0
                total += 1 - penalty
            elif level is not None and level >= 0:
                above += 1
        return total / relevant if relevant else 0.0
    if stem == "rbp":
        total = 0.0
        for rank, hit in enumerate(hits, 1):
            if hit:
                total += parameter ** (rank - 1)
        return (1 - parameter) * total
    if stem == "err":
        total, reach = 0.0, 1.0
        for rank, level in enumerate(relevance, 1):
            if level is not None and level > 0:
                stop = (2.0**level - 1) / 2.0**parameter
                total += stop * reach / rank
                reach *= 1 - stop
        return total

    def cumulated_gain(levels):
        total = 0.0
        for rank, level in enumerate(levels, 1):
            if level is not None and level > 0:
                gain = 2.0**level - 1 if stem.endswith("_exp") else level
                total += gain / math.log2(rank + 1)
        return total

    if stem in ("dcg", "dcg_exp"):
        return cumulated_gain(relevance)
    best = sorted(judged, reverse=True)
    ideal = cumulated_gain(best[:k] if cutoff else best)
    return cumulated_gain(relevance) / ideal if ideal else 0.0


def mean(measure, values):
    """The mean of one measure over queries, added one after another; of counts, the sum."""
    if measure.startswith("num_"):
        return int(sum(values))
    total = 0.0
    for value in values:
        total += math.log(value) if measure == "gm_map" else value
    return math.exp(total / len(values)) if measure == "gm_map" else total / len(values)


def exact_mean(measure, values):
    """The mean of one measure over queries from an exact sum; of counts, the sum."""
    if measure.startswith("num_"):
        return int(sum(values))
    if measure == "gm_map":
        return math.exp(math.fsum(map(math.log, values)) / len(values))
    return math.fsum(values) / len(values)


# Generated runs

# Of 1 to 40 bytes, around multiples of eight, which differ early, late or in length.
ids = st.one_of(
    st.text("ab", min_size=1, max_size=4),
    st.text("aé文😀\x7f", min_size=1, max_size=10),
    st.builds(
        lambda start, middle, end: start + middle + end,
        st.sampled_from(["", "D", "FR940812-", "clueweb09-en0000-00-", "é" * 7]),
        st.sampled_from(["", "0", "00", "0000000", "00000000", "000000000"]),
        st.sampled_from(["", "1", "2", "10", "é", "a"]),
    ).filter(bool),
)
any_ids = st.one_of(
    ids, st.text(st.sampled_from("\x00\x01a \ud800\ue000\U00010000"), min_size=1, max_size=10)
)
scores = st.one_of(
    st.sampled_from([0.0, 1.0, 2.0]),
    st.sampled_from([-0.0, 2.00000001, 16777216.0, 16777217.0, 1e39, 2e39, math.inf, -math.inf]),
    st.floats(allow_nan=False),
)
levels = st.one_of(
    st.integers(-2, 4),
    st.sampled_from([0, 1]),
    st.sampled_from([0.25, 0.5, 0.999, 1.0, 1.5, 2.75, -0.5, 9.0]),
)


@st.composite
def query(draw, ids=ids, levels=levels):
    """The retrieved documents of a query with their scores, and the judged ones with relevance."""
    pool = draw(st.lists(ids, unique=True, max_size=draw(st.sampled_from([3, 12, 30]))))
    retrieved = draw(st.permutations([document for document in pool if draw(st.booleans())]))
    has_ties = draw(st.booleans())
    tied = draw(scores)
    return (
        {
            document: tied if has_ties and draw(st.booleans()) else draw(scores)
            for document in retrieved
        },
        {document: draw(levels) for document in pool if draw(st.booleans())},
    )


ranking_options = st.fixed_dictionaries(
    {
        "score_dtype": st.sampled_from(["float64", "float32"]),
        "max_depth": st.sampled_from([None, None, 1, 2, 5]),
        "judged_only": st.booleans(),
    }
)
measure_options = st.fixed_dictionaries(
    {
        "relevance_level": st.sampled_from([1, 1, 2, 0, 0.5]),
        "map_denominator": st.sampled_from(["relevant", "min_k", "retrieved"]),
    }
)
