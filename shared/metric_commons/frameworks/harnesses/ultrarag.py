"""UltraRAG's evaluations under its names: short answers, runs, comparisons of runs, and tables.

Names, arguments and the structure of results are those of UltraRAG's evaluation server, and scores
are those of its version 0.3.0 to the last bit, even where they are odd: every prediction contains
an answer that normalizes to nothing, and queries missing from a run are left out of its means, but
count as zero in a comparison. Means are by Python's `sum`, which rounds less from 3.12 on.

Some input that UltraRAG accepts is an error: unequal numbers of rows, no rows, an unknown name, an
unreadable line of a file, a run without judged queries. P-values are computed our way: without
random draws, and never zero.
"""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from ...data.trec.trec import File, Qrels, Run, read_qrels, read_run
from ...module.declaration.columns import read
from ...retrieval.runs import score_run
from ...statistics.arguments.arrays import Floats
from ...statistics.arguments.checks import OptionError, alternatives
from ...statistics.arguments.domains import Names, Resamples, check_option
from ...statistics.arguments.shapes import ListOf, Scalar
from ...statistics.tests.significance import compare
from ...text.answers.answers import AnswerPairs, Match, answer_pairs
from ...text.rouge_overlaps.rouge_scores import rouge
from ...text.tokens.references import Aggregation, best_pairs

ANSWER_METRICS = tuple("acc em stringem coverem f1 rouge-1 rouge-2 rouge-l".split())
RANKING_METRICS = tuple("mrr map recall ndcg precision".split())
CUTOFFS = (1, 5, 10, 20, 50, 100)

_NORMALIZER = "ultrarag"
_ROUGE_TYPES = {"rouge-1": "rouge1", "rouge-2": "rouge2", "rouge-l": "rougeL"}
_METRICS = {"map": "map", "mrr": "mrr", "ndcg": "ndcg", "P": "precision", "recall": "recall"}
_WITHOUT_CUTOFF = ("map", "mrr")
_EQUAL: Mapping[str, Aggregation] = {"em": "max", "stringem": "mean"}
_CONTAINED: Mapping[str, Match] = {"acc": "substring", "coverem": "token_set"}
_TEXTS = Scalar(str)
_COMPARISON_KEYS = tuple("A_mean B_mean diff p_value significant".split())


# Answers


def evaluate(
    pred_ls: Sequence[str],
    gt_ls: Sequence[str | Sequence[str]],
    metrics: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Return scores of rows and means: `{metric: [per row], ..., "avg_<metric>": mean, ...}`.

    The metric "em" is whether a reference equals the prediction, "stringem" the proportion of
    references that do. "acc" is whether the prediction contains a reference, "coverem" whether it
    contains all words of a reference. "f1", and the F1 of "rouge-1", "rouge-2" and "rouge-l" on
    stems, are those of the best reference.

    Args:
        pred_ls: one answer per row.
        gt_ls: one or more accepted answers per row; a row without any scores 0.
        metrics: names in `ANSWER_METRICS`, in any case; all of them if None or empty.

    Raises:
        ValueError: the numbers of predictions and references differ, there are no rows, a row is
            not text, or a name is unknown.

    >>> evaluate(["Paris, France"], [["Paris"]], ["em", "acc", "f1"])
    {'em': [0.0], 'acc': [1.0], 'f1': [0.6666666666666666], 'avg_em': 0.0, 'avg_acc': 1.0, \
'avg_f1': 0.6666666666666666}
    >>> evaluate(["B"], [["A"]], ["acc"])
    {'acc': [1.0], 'avg_acc': 1.0}
    """
    names = _check_names(metrics, ANSWER_METRICS)
    layouts = [{"pred_ls": _TEXTS, "gt_ls": shape} for shape in (_TEXTS, ListOf(_TEXTS))]
    _, columns = read({"pred_ls": pred_ls, "gt_ls": gt_ls}, layouts)
    predictions, references = list(columns["pred_ls"]), list(columns["gt_ls"])
    if not predictions:
        raise ValueError("pred_ls and gt_ls have no rows; a mean of nothing is undefined")
    row_scores = _row_scores(predictions, references, names)
    scores = {name: row_scores[name].tolist() for name in names}
    return {**scores, **{f"avg_{name}": value for name, value in means(scores).items()}}


def means(scores: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return the mean of each metric, by Python's `sum` as in UltraRAG."""
    return {name: sum(values) / len(values) for name, values in scores.items()}


def _check_names(metrics: Sequence[str] | None, valid: Sequence[str]) -> list[str]:
    """Return the names in lower case, checked to be valid and distinct; by default all."""
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


def _row_scores(
    predictions: list[str], references: list[str | list[str]], names: list[str]
) -> dict[str, Floats]:
    """Return the scores of rows by metric; 0 for rows without references.

    Texts are normalized twice, once for ROUGE.
    """
    is_empty = [row_references == [] for row_references in references]
    references = [row_references or [""] for row_references in references]
    blocks = [
        _pair_scores(pairs, names)
        for pairs in answer_pairs(predictions, references, normalizer=_NORMALIZER)
    ]
    scores = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
    if types := {name: _ROUGE_TYPES[name] for name in names if name in _ROUGE_TYPES}:
        options: dict[str, Any] = {"use_stemmer": True, "normalizer": _NORMALIZER}
        overlaps = rouge(predictions, references, rouge_types=list(types.values()), **options)
        scores |= {name: overlaps[kind].f1 for name, kind in types.items()}
    return {name: np.where(is_empty, 0.0, values) for name, values in scores.items()}


def _pair_scores(pairs: AnswerPairs, names: list[str]) -> dict[str, Floats]:
    """Return the row scores of the metrics that compare whole answers, or words."""
    scores: dict[str, Floats] = {}
    for name, average in _EQUAL.items():
        if name in names:
            scores[name] = pairs.hits(pairs.equal(), average)
    for name, match in _CONTAINED.items():
        if name in names:
            contained = pairs.contained(match, empty_is_contained=True)
            scores[name] = pairs.hits(contained, "max")
    if "f1" in names:
        f1 = pairs.token_f1("multiset", both_empty=0.0).f1
        scores["f1"] = f1.take(best_pairs(f1, pairs.references))
    return scores


# Runs


def evaluate_trec(
    run_path: File,
    qrels_path: File,
    metrics: Sequence[str] | None = None,
    ks: Sequence[int] | None = None,
) -> dict[str, float]:
    """Return the means of a run.

    `{"map": ..., "mrr": ..., "ndcg@k": ..., "P@k": ..., "recall@k": ...}`.

    Values are those of pytrec_eval, whose scores of documents are in single precision. Measures
    that `metrics` does not name are left out.

    Args:
        run_path: the run, a file in a format of `read_run`.
        qrels_path: the relevance judgments.
        metrics: names in `RANKING_METRICS`, in any case; all of them if None or empty.
        ks: the cutoffs of recall, ndcg and precision; `CUTOFFS` if None.

    Raises:
        ValueError: an unknown name, a cutoff below 1, an unreadable file, or files without a common
            query.
        OSError: a file cannot be read.
    """
    return means(query_scores(run_path, qrels_path, metrics, ks))


def query_scores(
    run_path: File,
    qrels_path: File,
    metrics: Sequence[str] | None = None,
    ks: Sequence[int] | None = None,
) -> dict[str, list[float]]:
    """Return the scores of queries for each measure of `evaluate_trec`, in the order of its sums.

    Args:
        run_path: as in `evaluate_trec`.
        qrels_path: as in `evaluate_trec`.
        metrics: as in `evaluate_trec`.
        ks: as in `evaluate_trec`.

    Raises:
        ValueError: as `evaluate_trec`.
        OSError: a file cannot be read.
    """
    measures = _measures(metrics, ks)
    qrels = read_qrels(qrels_path)
    run = _read_run(run_path, qrels, qrels_path)
    scores = _query_scores(qrels, run, measures)
    # UltraRAG adds up queries in the order of their first occurrence in the run.
    is_first = np.diff(run.query, prepend=-1) != 0  # of rows with this query
    queries = [run.queries[code] for code in dict.fromkeys(run.query[is_first].tolist())]
    return {name: [scores[q][name] for q in queries if q in scores] for name in measures}


def evaluate_trec_pvalue(
    run_new_path: File,
    run_old_path: File,
    qrels_path: File,
    metrics: Sequence[str] | None = None,
    ks: Sequence[int] | None = None,
    n_resamples: int | None = None,
) -> dict[str, dict[str, Any]]:
    """Return the means of both runs, and whether they differ significantly, for each measure.

    The result is `{"map": {"A_mean", "B_mean", "diff", "p_value", "significant"}, ...}`, where A is
    the new run. All judged queries count that occur in one of the runs; a query missing from the
    other scores zero. P-values are those of `significance.p_values`: two-sided permutation tests,
    without random draws. A measure is significant if its p-value is below 0.05, without a
    correction: among many measures without a difference, one in twenty is significant by chance.

    Args:
        run_new_path: the run of system A.
        run_old_path: the run of system B.
        qrels_path: the relevance judgments.
        metrics: as in `evaluate_trec`.
        ks: as in `evaluate_trec`.
        n_resamples: accepted as in UltraRAG, but without effect, since nothing is drawn.

    Raises:
        ValueError: as for `evaluate_trec`, or an invalid number of resamples.
        OSError: a file cannot be read.
    """
    check_option("n_resamples", n_resamples, Resamples | None)
    measures = _measures(metrics, ks)
    qrels = read_qrels(qrels_path)
    runs = [_read_run(path, qrels, qrels_path) for path in (run_new_path, run_old_path)]
    new, old = (_query_scores(qrels, run, measures) for run in runs)
    queries = sorted({*new, *old})
    zeros = dict.fromkeys(measures, 0.0)
    a, b = (
        {name: [scores.get(query, zeros)[name] for query in queries] for name in measures}
        for scores in (new, old)
    )
    comparisons = {name: compare(a[name], b[name]) for name in measures}
    order = [metric.lower() for metric in metrics or RANKING_METRICS]  # metric by metric
    results = {}
    for name in sorted(measures, key=lambda name: order.index(_METRICS[name.partition("@")[0]])):
        differences = [x - y for x, y in zip(a[name], b[name], strict=True)]
        averages = means({"A_mean": a[name], "B_mean": b[name], "diff": differences})
        compared = comparisons[name] | averages
        results[name] = {key: compared[key] for key in _COMPARISON_KEYS}
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


def _query_scores(qrels: Qrels, run: Run, measures: list[str]) -> Mapping[str, Mapping[str, float]]:
    """Return the measures of each query that counts."""
    result = score_run(qrels, run, measures, missing="skip", score_dtype="float32")
    scores: dict[str, dict[str, float]] = result["per_query"]
    return scores


def signature(tool: str, rows: int | None = None) -> str:
    """Return a one-line signature that says how scores were computed.

    Args:
        tool: "evaluate", "evaluate_trec" or "evaluate_trec_pvalue".
        rows: of answers.

    >>> signature("evaluate", 3)  # doctest: +ELLIPSIS
    'ultrarag.evaluate|rows=3|metric-commons ...'
    """
    about = "" if rows is None else f"|rows={rows}"
    return f"ultrarag.{tool}{about}|metric-commons {version('metric-commons')}"


def table(results: Mapping[str, Any]) -> str:
    """Return the table of results of any of the tools, as printed by UltraRAG.

    Args:
        results: the result of `evaluate`, `evaluate_trec` or `evaluate_trec_pvalue`.
    """
    from tabulate import tabulate

    rows: list[list[Any]] = []
    header = ["Metric", "Value"]
    for name, value in results.items():
        if isinstance(value, Mapping):
            header = ["metrics", "A_mean", "B_mean", "Diff(A-B)", "p_value", "significant"]
            rows.append([name, *(value[key] for key in _COMPARISON_KEYS)])
        elif f"avg_{name}" in results:
            rows.append([name, round(results[f"avg_{name}"], 4)])
        elif not name.startswith("avg_"):
            rows.append([name, round(value, 6)])
    text: str = tabulate(rows, header, tablefmt="fancy_grid", colalign=("left",) * len(header))
    return text
