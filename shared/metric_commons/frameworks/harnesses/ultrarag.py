"""UltraRAG's evaluations under its names: short answers, runs, comparisons of runs, and tables.

Names, arguments and the structure of results are those of UltraRAG's evaluation server. "ultrarag",
the usual profile, reproduces the scores of its version 0.3.0 to the last bit, even where they are
odd: every prediction contains an answer that normalizes to nothing, and queries missing from a run
are left out of its means, but count as zero in a comparison. "ultrarag-main" is the same with a
later change: an answer consisting only of articles keeps them (pull request 510). "standard"
computes what the names say.

Some input that UltraRAG accepts is an error in all profiles: unequal numbers of rows, no rows, an
unknown name, an unreadable line of a file, a run without judged queries. P-values are computed our
way in all profiles: without random draws, and never zero.

UltraRAG computes means with `sum`, which rounds less from Python 3.12 on. `python_version` names
the Python version that UltraRAG runs in, if it differs; it has no effect in "standard".
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from ...data.trec.trec import File, Qrels, Run, read_qrels, read_run
from ...module.declaration.columns import read
from ...retrieval.runs import score_run
from ...statistics.arguments.arrays import Floats
from ...statistics.arguments.checks import OptionError, RowError, alternatives
from ...statistics.arguments.domains import Names, Resamples, Seed, check_option
from ...statistics.arguments.shapes import ListOf, Scalar
from ...statistics.intervals.intervals import interval
from ...statistics.intervals.summary import mean
from ...statistics.resampling.progress import step
from ...statistics.tests.significance import compare
from ...text.answers.answers import AnswerPairs, Match, answer_pairs
from ...text.rouge_overlaps.rouge_scores import rouge
from ...text.tokens.references import Aggregation, best_pairs
from .ultrarag_profiles import Profile, ProfileRules, python_mean, rules_of, summation

ANSWER_METRICS = tuple("acc em stringem coverem f1 rouge-1 rouge-2 rouge-l".split())
RANKING_METRICS = tuple("mrr map recall ndcg precision".split())
CUTOFFS = (1, 5, 10, 20, 50, 100)

_ROUGE_TYPES = {"rouge-1": "rouge1", "rouge-2": "rouge2", "rouge-l": "rougeL"}
_METRICS = {"map": "map", "mrr": "mrr", "ndcg": "ndcg", "P": "precision", "recall": "recall"}
_WITHOUT_CUTOFF = ("map", "mrr")
_EQUAL: Mapping[str, Aggregation] = {"em": "max", "stringem": "mean"}
_CONTAINED: Mapping[str, Match] = {"acc": "substring", "coverem": "token_set"}
_TEXTS = Scalar(str)
_BLOCK = 65_536  # rows between two progress reports
_STEPS = 4  # of a comparison, in reports of progress: three files read, and the tests
_COMPARISON_KEYS = tuple("A_mean B_mean diff p_value significant".split())


# Answers


def evaluate(
    pred_ls: Sequence[str],
    gt_ls: Sequence[str | Sequence[str]],
    metrics: Sequence[str] | None = None,
    *,
    profile: Profile = "ultrarag",
    python_version: str | None = None,
) -> dict[str, Any]:
    """Return scores of rows and means: `{metric: [per row], ..., "avg_<metric>": mean, ...}`.

    The metric "em" is whether a reference equals the prediction, "stringem" the proportion of
    references that do. "acc" is whether the prediction contains a reference, "coverem" whether it
    contains all words of a reference. "f1", and the F1 of "rouge-1", "rouge-2" and "rouge-l" on
    stems, are those of the best reference.

    Args:
        pred_ls: one answer per row.
        gt_ls: one or more accepted answers per row.
        metrics: names in `ANSWER_METRICS`, in any case; all of them if None or empty.
        profile: "ultrarag", "ultrarag-main" or "standard". The last two use the normalizer of later
            versions of UltraRAG, in which "A" stays "a". In "standard", two answers without words
            have an F1 of 1, no prediction contains an answer without words, and a row without
            references is an error.
        python_version: of UltraRAG's Python; None for this one.

    Raises:
        ValueError: the numbers of predictions and references differ, there are no rows, a row is
            not text, or a name is unknown.

    >>> evaluate(["Paris, France"], [["Paris"]], ["em", "acc", "f1"])
    {'em': [0.0], 'acc': [1.0], 'f1': [0.6666666666666666], 'avg_em': 0.0, 'avg_acc': 1.0, \
'avg_f1': 0.6666666666666666}
    >>> evaluate(["B"], [["A"]], ["acc"]), evaluate(["B"], [["A"]], ["acc"], profile="standard")
    ({'acc': [1.0], 'avg_acc': 1.0}, {'acc': [0.0], 'avg_acc': 0.0})
    """
    rules = rules_of(profile)
    names = _check_names(metrics, ANSWER_METRICS)
    predictions, references = _read_rows(pred_ls, gt_ls, rules)
    scores: dict[str, list[float]] = {name: [] for name in names}
    starts = range(0, len(predictions), _BLOCK)
    for number, start in enumerate(starts):
        rows = slice(start, start + _BLOCK)
        with step(number, len(starts)):
            row_scores = _row_scores(predictions[rows], references[rows], names, rules)
        for name, values in row_scores.items():
            scores[name] += values.tolist()
    averages = {
        f"avg_{name}": mean(values)
        if profile == "standard"
        else python_mean(values, profile, python_version)
        for name, values in scores.items()
    }
    return {**scores, **averages}


def _check_names(metrics: Sequence[str] | None, valid: Sequence[str]) -> list[str]:
    """Return the names in lower case, checked to be valid and distinct.

    All valid names by default.
    """
    if metrics is None:
        return list(valid)
    check_option("metrics", metrics, Names)
    names = [metric.lower() for metric in metrics]
    for row, name in enumerate(names):
        if name not in valid:
            hint = alternatives(name, valid)
            raise OptionError(f"metrics[{row}]", f": there is no metric {metrics[row]!r}{hint}")
        if name in names[:row]:
            raise OptionError(f"metrics[{row}]", f": {name!r} is given twice")
    return names or list(valid)


def _read_rows(
    pred_ls: Sequence[str], gt_ls: Sequence[str | Sequence[str]], rules: ProfileRules
) -> tuple[list[str], list[str | list[str]]]:
    """Return both columns as lists, with every row checked."""
    layouts = [{"pred_ls": _TEXTS, "gt_ls": shape} for shape in (_TEXTS, ListOf(_TEXTS))]
    _, columns = read({"pred_ls": pred_ls, "gt_ls": gt_ls}, layouts)
    predictions, references = list(columns["pred_ls"]), list(columns["gt_ls"])
    if not predictions:
        raise ValueError("pred_ls and gt_ls have no rows; a mean of nothing is undefined")
    if not rules.zero_without_reference and [] in references:
        row = references.index([])
        raise RowError("gt_ls", row, "is empty; every row needs at least one reference")
    return predictions, references


def _row_scores(
    predictions: list[str],
    references: list[str | list[str]],
    names: list[str],
    rules: ProfileRules,
) -> dict[str, Floats]:
    """Return the scores of rows by metric; 0 for rows without references.

    Texts are normalized twice, once for ROUGE.
    """
    is_empty = [row_references == [] for row_references in references]
    references = [row_references or [""] for row_references in references]
    blocks = [
        _pair_scores(pairs, names, rules)
        for pairs in answer_pairs(predictions, references, normalizer=rules.normalizer)
    ]
    scores = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
    if types := [_ROUGE_TYPES[name] for name in names if name in _ROUGE_TYPES]:
        options: dict[str, Any] = {"use_stemmer": True, "normalizer": rules.normalizer}
        overlaps = rouge(predictions, references, rouge_types=types, **options)
        scores |= {name: overlaps[_ROUGE_TYPES[name]].f1 for name in names if name in _ROUGE_TYPES}
    return {name: np.where(is_empty, 0.0, scores[name]) for name in names}


def _pair_scores(pairs: AnswerPairs, names: list[str], rules: ProfileRules) -> dict[str, Floats]:
    """Return the row scores of the metrics that compare whole answers, or words."""
    scores: dict[str, Floats] = {}
    for name, average in _EQUAL.items():
        if name in names:
            scores[name] = pairs.hits(pairs.equal(), average)
    for name, match in _CONTAINED.items():
        if name in names:
            contained = pairs.contained(match, empty_is_contained=rules.empty_is_contained)
            scores[name] = pairs.hits(contained, "max")
    if "f1" in names:
        f1 = pairs.token_f1("multiset", both_empty=rules.both_empty).f1
        scores["f1"] = f1.take(best_pairs(f1, pairs.references))
    return scores


# Runs


def evaluate_trec(
    run_path: File,
    qrels_path: File,
    metrics: Sequence[str] | None = None,
    ks: Sequence[int] | None = None,
    *,
    profile: Profile = "ultrarag",
    python_version: str | None = None,
) -> dict[str, float]:
    """Return the means of a run.

    `{"map": ..., "mrr": ..., "ndcg@k": ..., "P@k": ..., "recall@k": ...}`.

    Values are those of trec_eval. Measures that `metrics` does not name are left out.

    Args:
        run_path: the run, a file in a format of `read_run`.
        qrels_path: the relevance judgments.
        metrics: names in `RANKING_METRICS`, in any case; all of them if None or empty.
        ks: the cutoffs of recall, ndcg and precision; `CUTOFFS` if None.
        profile: in "standard", a judged query missing from the run counts as zero, and documents
            are ordered by double-precision scores, as in trec_eval 10; in the others the query is
            left out, and scores are in single precision, as in pytrec_eval.
        python_version: as in `evaluate`.

    Raises:
        ValueError: an unknown name, a cutoff below 1, an unreadable file, or files without a common
            query.
        OSError: a file cannot be read.
    """
    scores = query_scores(run_path, qrels_path, metrics, ks, profile=profile)
    return means_of_queries(scores, profile=profile, python_version=python_version)


def means_of_queries(
    scores: Mapping[str, Sequence[float]],
    *,
    profile: Profile = "ultrarag",
    python_version: str | None = None,
) -> dict[str, float]:
    """Return the means of the result of `query_scores`, in "standard" added up as in trec_eval.

    Args:
        scores: the scores of queries, by measure.
        profile: as in `evaluate_trec`.
        python_version: as in `evaluate`.
    """
    return {name: python_mean(row, profile, python_version) for name, row in scores.items()}


def query_scores(
    run_path: File,
    qrels_path: File,
    metrics: Sequence[str] | None = None,
    ks: Sequence[int] | None = None,
    *,
    profile: Profile = "ultrarag",
) -> dict[str, list[float]]:
    """Return the scores of queries for each measure of `evaluate_trec`, in the order of its sums.

    Args:
        run_path: as in `evaluate_trec`.
        qrels_path: as in `evaluate_trec`.
        metrics: as in `evaluate_trec`.
        ks: as in `evaluate_trec`.
        profile: as in `evaluate_trec`.

    Raises:
        ValueError: as `evaluate_trec`.
        OSError: a file cannot be read.
    """
    rules_of(profile)
    measures = _measures(metrics, ks)
    qrels = read_qrels(qrels_path)
    run = _read_run(run_path, qrels, qrels_path)
    scores = _query_scores(qrels, run, measures, profile)
    queries: Iterable[str] = scores  # in the order of trec_eval
    if profile != "standard":
        # UltraRAG adds up queries in the order of their first occurrence in the run.
        is_first = np.diff(run.query, prepend=-1) != 0  # of rows with this query
        codes = dict.fromkeys(run.query[is_first].tolist())
        queries = [run.queries[code] for code in codes if run.queries[code] in scores]
    return {name: [scores[query][name] for query in queries] for name in measures}


def evaluate_trec_pvalue(
    run_new_path: File,
    run_old_path: File,
    qrels_path: File,
    metrics: Sequence[str] | None = None,
    ks: Sequence[int] | None = None,
    n_resamples: int | None = None,
    *,
    seed: int = 0,
    profile: Profile = "ultrarag",
    python_version: str | None = None,
    confidence_level: float | None = None,
) -> dict[str, dict[str, Any]]:
    """Return the means of both runs, and whether they differ significantly, for each measure.

    The result is `{"map": {"A_mean", "B_mean", "diff", "p_value", "significant"}, ...}`, where A is
    the new run. P-values are those of `significance.p_values`: two-sided permutation tests, without
    random draws. A measure is significant if its p-value is below 0.05, without a correction: among
    many measures without a difference, one in twenty is significant by chance.

    Args:
        run_new_path: the run of system A.
        run_old_path: the run of system B.
        qrels_path: the relevance judgments.
        metrics: as in `evaluate_trec`.
        ks: as in `evaluate_trec`.
        n_resamples: accepted as in UltraRAG, but without effect, since nothing is drawn.
        seed: accepted, without effect.
        profile: in "standard" all judged queries count, in the others those that occur in one of
            the runs; a query missing from a run scores zero.
        python_version: as in `evaluate`.
        confidence_level: also return the interval of each difference, `confidence_interval`.

    Raises:
        ValueError: as for `evaluate_trec`, or an invalid number of resamples or seed.
        OSError: a file cannot be read.
    """
    rules_of(profile)
    check_option("n_resamples", n_resamples, Resamples | None)
    check_option("seed", seed, Seed)
    measures = _measures(metrics, ks)
    with step(0, _STEPS):
        qrels = read_qrels(qrels_path)
    runs = []
    for number, path in enumerate((run_new_path, run_old_path), start=1):
        with step(number, _STEPS):
            run = _read_run(path, qrels, qrels_path)
            runs.append(_query_scores(qrels, run, measures, profile))
    queries = sorted({*runs[0], *runs[1]})
    zeros = dict.fromkeys(measures, 0.0)
    a, b = (
        {name: [run.get(query, zeros)[name] for query in queries] for name in measures}
        for run in runs
    )
    with step(3, _STEPS):
        comparisons = {
            name: compare(a[name], b[name], confidence_level=confidence_level) for name in measures
        }
    keys = [*_COMPARISON_KEYS, *(["confidence_interval"] if confidence_level else [])]
    order = [metric.lower() for metric in metrics or RANKING_METRICS]  # metric by metric
    results = {}
    for name in sorted(measures, key=lambda name: order.index(_METRICS[name.partition("@")[0]])):
        differences = [x - y for x, y in zip(a[name], b[name], strict=True)]
        columns = {"A_mean": a[name], "B_mean": b[name], "diff": differences}
        means = means_of_queries(columns, profile=profile, python_version=python_version)
        found = comparisons[name] | means
        results[name] = {key: found[key] for key in keys}
    return results


def _measures(metrics: Sequence[str] | None, ks: Sequence[int] | None) -> list[str]:
    """Return the names of the measures in `score_run` and in results, in the order of results."""
    names = _check_names(metrics, RANKING_METRICS)
    if ks is not None and not isinstance(ks, Sequence):
        raise OptionError("ks", f"must be a list of cutoffs, got {ks!r}")
    cutoffs = list(CUTOFFS if ks is None else ks)
    for row, k in enumerate(cutoffs):
        if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k < 10**9:
            raise OptionError(f"ks[{row}]", f"is {k!r}; a cutoff is an integer, at least 1")
        if k in cutoffs[:row]:
            raise OptionError(f"ks[{row}]", f": {k} is given twice")
    asked = [prefix for prefix, name in _METRICS.items() if name in names]
    prefixes = [prefix for prefix in asked if prefix not in _WITHOUT_CUTOFF]
    if prefixes and not cutoffs:
        raise OptionError("ks", "is empty; recall, ndcg and precision need a cutoff")
    measures = [prefix for prefix in asked if prefix in _WITHOUT_CUTOFF]
    return measures + [f"{prefix}@{k}" for k in cutoffs for prefix in prefixes]


def _read_run(path: File, qrels: Qrels, qrels_path: File) -> Run:
    run = read_run(path)
    if not {*run.queries} & {*qrels.queries}:
        raise ValueError(f"{path} has none of the queries of {qrels_path}")
    return run


def _query_scores(
    qrels: Qrels, run: Run, measures: list[str], profile: Profile
) -> Mapping[str, Mapping[str, float]]:
    """Return the measures of each query that counts."""
    rules = rules_of(profile)
    scores: dict[str, dict[str, float]] = score_run(
        qrels, run, measures, missing=rules.missing, score_dtype=rules.score_dtype
    )["per_query"]
    return scores


def signature(
    tool: str, profile: Profile, options: Mapping[str, Any], python_version: str | None = None
) -> str:
    """Return a one-line signature that says how scores were computed.

    Args:
        tool: "evaluate", "evaluate_trec" or "evaluate_trec_pvalue".
        profile: the profile of the scores.
        options: further parts, such as the number of rows; None is left out.
        python_version: of the Python whose `sum` was used for means; None for this one.

    >>> signature("evaluate", "ultrarag", {"rows": 3, "ks": None}, "3.11")  # doctest: +ELLIPSIS
    'ultrarag.evaluate|profile=ultrarag|sum=running|rows=3|metric-commons ...'
    """
    options = {"sum": summation(profile, python_version), **options}
    texts = [f"{name}={value}" for name, value in options.items() if value is not None]
    program = f"metric-commons {version('metric-commons')}"
    return "|".join([f"ultrarag.{tool}", f"profile={profile}", *texts, program])


def intervals(
    scores: Mapping[str, Sequence[float]], confidence_level: float
) -> dict[str, list[float]]:
    """Return the interval of the mean of each metric, from the scores of rows or queries.

    >>> ends = intervals({"em": [1.0, 0.0, 1.0]}, 0.95)
    >>> [round(end, 3) for end in ends["em"]]
    [0.094, 0.992]
    """
    estimates = {n: interval(row, confidence_level=confidence_level) for n, row in scores.items()}
    return {name: [estimate.low, estimate.high] for name, estimate in estimates.items()}


def table(results: Mapping[str, Any], ends: Mapping[str, Sequence[float]] | None = None) -> str:
    """Return the table of results of any of the tools, as printed by UltraRAG.

    Args:
        results: the result of `evaluate`, `evaluate_trec` or `evaluate_trec_pvalue`.
        ends: intervals, which are shown in an additional column.
    """
    from tabulate import tabulate

    rows: list[list[Any]] = []
    header = ["Metric", "Value"]
    ends = dict(ends or {})
    for name, value in results.items():
        if isinstance(value, Mapping):
            header = ["metrics", "A_mean", "B_mean", "Diff(A-B)", "p_value", "significant"]
            rows.append([name, *(value[key] for key in _COMPARISON_KEYS)])
            if "confidence_interval" in value:
                ends[name] = value["confidence_interval"]
        elif f"avg_{name}" in results:
            rows.append([name, round(results[f"avg_{name}"], 4)])
        elif not name.startswith("avg_"):
            rows.append([name, round(value, 6)])
    if ends:
        header.append("interval")
        rows = [[*row, "[{:.4f}, {:.4f}]".format(*ends[row[0]])] for row in rows]
    text: str = tabulate(rows, header, tablefmt="fancy_grid", colalign=("left",) * len(header))
    return text
