"""The evaluations of UltraRAG under its names: short answers, runs, and two runs compared.

Names, arguments and the shapes of results are those of UltraRAG's evaluation server. There are two
profiles. "standard" scores what the names mean. "ultrarag" gives UltraRAG's scores to the last bit,
also where they are odd: an answer that normalizes to nothing is contained in every prediction, and
queries that a run lacks are left out of its means, but count as zero in a comparison.

What UltraRAG lets pass is an error in both: unequal numbers of rows, no rows, a name that means
nothing, a line of a file that cannot be read, runs of other queries. P-values are ours in both:
seeded, and never zero.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.columns import read
from ..files.trec import File, Qrels, Run, read_qrels, read_run
from ..numbers.arrays import Floats
from ..numbers.checks import OptionError, RowError, check_choice, nearest
from ..numbers.shapes import ListOf, Scalar
from ..ranking.order import ScoreType
from ..ranking.runs import Missing, score_run
from ..statistics.significance import compare_measures
from ..statistics.summary import mean
from ..text.answers import AnswerPairs, Match, answer_pairs
from ..text.references import best_pairs
from ..text.rouge_scores import rouge

Profile = Literal["standard", "ultrarag"]
Progress = Callable[[int, int], object]  # told how much is done, and of how much

ANSWER_METRICS = ("acc", "em", "stringem", "coverem", "f1", "rouge-1", "rouge-2", "rouge-l")
RANKING_METRICS = ("mrr", "map", "recall", "ndcg", "precision")
CUTOFFS = (1, 5, 10, 20, 50, 100)

_ROUGE_TYPES = {"rouge-1": "rouge1", "rouge-2": "rouge2", "rouge-l": "rougeL"}
_AT_CUTOFFS = {"ndcg": "ndcg", "precision": "P", "recall": "recall"}  # in the order of results
_TEXTS = Scalar(str)
_ROWS = 65_536  # between two reports of progress
_COMPARED = ("A_mean", "B_mean", "diff", "p_value", "significant")


class _Rules(NamedTuple):
    """What a profile settles."""

    normalizer: str
    both_empty: float  # the F1 of two answers without words
    empty_is_contained: bool  # whether a prediction contains a reference without words
    no_reference: bool  # whether a row may have none, and scores zero
    missing: Missing  # judged queries that a run lacks, in the means of one run
    score_dtype: ScoreType
    average: Callable[[Sequence[float]], float]


def _added_up(scores: Sequence[float]) -> float:
    """The mean as UltraRAG takes it, with the roundings of `sum`."""
    return sum(scores) / len(scores)


_PROFILES = {
    "standard": _Rules("ultrarag_keep_articles", 1.0, False, False, "zero", "float64", mean),
    "ultrarag": _Rules("ultrarag", 0.0, True, True, "skip", "float32", _added_up),
}


def _rules(profile: Profile) -> _Rules:
    check_choice("profile", profile, _PROFILES)
    return _PROFILES[profile]


def average(scores: Sequence[float], *, profile: Profile = "standard") -> float:
    """The mean of the scores of rows, as `evaluate` takes it: in "ultrarag" with its roundings.

    >>> average([0.1] * 10), average([0.1] * 10, profile="ultrarag")
    (0.1, 0.09999999999999999)
    """
    return _rules(profile).average(scores)


# Answers


def evaluate(
    pred_ls: Sequence[str],
    gt_ls: Sequence[str | list[str]],
    metrics: Sequence[str] | None = None,
    *,
    profile: Profile = "standard",
    progress: Progress | None = None,
) -> dict[str, Any]:
    """The score of each row and the mean: `{metric: [per row, ...], ..., "avg_metric": mean, ...}`.

    "em" asks for an equal reference, "stringem" for the share of equal references, "acc" for one
    that the prediction contains, "coverem" for one of which it contains all words. "f1" and the F1
    of "rouge-1", "rouge-2" and "rouge-l" (with stems) are those of the best reference.

    Args:
        pred_ls: one answer a row.
        gt_ls: the accepted answer, or answers, of each row.
        metrics: names in `ANSWER_METRICS`, in any case; all of them if None or empty.
        profile: "standard" or "ultrarag". The normalizer of "standard" is that of later versions
            of UltraRAG, in which "A" stays "a"; two answers without words have an F1 of 1, nothing
            contains an answer without words, and a row without references is an error.
        progress: called with the number of rows that are done, and of all rows.

    Raises:
        ValueError: not as many predictions as rows of references, none of either, a row that is
            not text, or a name that means nothing.

    >>> evaluate(["Paris, France", "A"], [["Paris"], ["A", "B"]], ["em", "acc", "f1"])
    {'em': [0.0, 1.0], 'acc': [1.0, 1.0], 'f1': [0.6666666666666666, 1.0], 'avg_em': 0.5, \
'avg_acc': 1.0, 'avg_f1': 0.8333333333333333}
    >>> evaluate(["B"], [["A"]], ["acc"], profile="ultrarag")
    {'acc': [1.0], 'avg_acc': 1.0}
    """
    rules = _rules(profile)
    asked = _names(metrics, ANSWER_METRICS)
    predictions, references = _rows(pred_ls, gt_ls, rules)
    scores: dict[str, list[float]] = {name: [] for name in asked}
    for start in range(0, len(predictions), _ROWS):
        rows = slice(start, start + _ROWS)
        for name, values in _of_rows(predictions[rows], references[rows], asked, rules).items():
            scores[name] += values.tolist()
        if progress:
            progress(min(start + _ROWS, len(predictions)), len(predictions))
    averages = {f"avg_{name}": rules.average(values) for name, values in scores.items()}
    return {**scores, **averages}


def _names(metrics: Sequence[str] | None, known: Sequence[str]) -> list[str]:
    """The names asked for, in lower case, each one known and given once."""
    if metrics is None:
        return list(known)
    if not _is_list(metrics) or not all(isinstance(name, str) for name in metrics):
        raise OptionError("metrics", f"must be a list of names, got {metrics!r}")
    names = [name.lower() for name in metrics]
    for row, name in enumerate(names):
        if name not in known:
            hint = nearest(name, known) or f"; there are {', '.join(known)}"
            raise OptionError(f"metrics[{row}]", f": there is no metric {metrics[row]!r}{hint}")
        if name in names[:row]:
            raise OptionError(f"metrics[{row}]", f": {name!r} is given twice")
    return names or list(known)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _rows(
    pred_ls: Sequence[str], gt_ls: Sequence[str | list[str]], rules: _Rules
) -> tuple[list[str], list[str | list[str]]]:
    """Both columns as lists, if they are what they should be."""
    layouts = [{"pred_ls": _TEXTS, "gt_ls": each} for each in (_TEXTS, ListOf(_TEXTS))]
    _, columns = read({"pred_ls": pred_ls, "gt_ls": gt_ls}, layouts)
    predictions, references = list(columns["pred_ls"]), list(columns["gt_ls"])
    if not predictions:
        raise ValueError("pred_ls and gt_ls have no rows; a mean of nothing is undefined")
    if not rules.no_reference and [] in references:
        row = references.index([])
        raise RowError("gt_ls", row, "is empty; every row needs at least one reference")
    return predictions, references


def _of_rows(
    predictions: list[str], references: list[str | list[str]], asked: list[str], rules: _Rules
) -> dict[str, Floats]:
    """Each metric of some rows; a row without references has zeros."""
    scored = [row for row, of_row in enumerate(references) if of_row != []]
    if len(scored) == len(references):
        return _of_answers(predictions, references, asked, rules)
    scores = {name: np.zeros(len(references)) for name in asked}
    if scored:
        found = _of_answers(
            [predictions[row] for row in scored],
            [references[row] for row in scored],
            asked,
            rules,
        )
        for name, values in found.items():
            scores[name][scored] = values
    return scores


def _of_answers(
    predictions: list[str], references: list[str | list[str]], asked: list[str], rules: _Rules
) -> dict[str, Floats]:
    """Each metric of rows that have references. Texts are read once for words, once for ROUGE."""
    scores: dict[str, Floats] = {}
    types = [_ROUGE_TYPES[name] for name in asked if name in _ROUGE_TYPES]
    others = [name for name in asked if name not in _ROUGE_TYPES]
    if others:
        pairs = answer_pairs(predictions, references, normalizer=rules.normalizer)
        blocks = [_of_pairs(some, others, rules) for some in pairs]
        scores |= {name: np.concatenate([block[name] for block in blocks]) for name in others}
    if types:
        found = rouge(
            predictions,
            references,
            rouge_types=types,
            use_stemmer=True,
            normalizer=rules.normalizer,
        )
        scores |= {name: found[kind].f1 for name, kind in _ROUGE_TYPES.items() if kind in found}
    return scores


def _of_pairs(pairs: AnswerPairs, asked: list[str], rules: _Rules) -> dict[str, Floats]:
    """The metrics that compare answers as a whole, or as words."""
    scores: dict[str, Floats] = {}
    if "em" in asked or "stringem" in asked:
        equal = pairs.equal()
        scores["em"] = pairs.hits(equal, "max")
        scores["stringem"] = pairs.hits(equal, "mean")
    matches: dict[str, Match] = {"acc": "substring", "coverem": "token_set"}
    for name in matches.keys() & asked:
        found = pairs.contained(matches[name], empty_is_contained=rules.empty_is_contained)
        scores[name] = pairs.hits(found, "max")
    if "f1" in asked:
        f1 = pairs.token_f1(distinct=False, both_empty=rules.both_empty).f1
        scores["f1"] = f1.take(best_pairs(f1, pairs.references))
    return scores


# Runs


def evaluate_trec(
    run_path: File,
    qrels_path: File,
    metrics: Sequence[str] | None = None,
    ks: Sequence[int] | None = None,
    *,
    profile: Profile = "standard",
) -> dict[str, float]:
    """The means of a run: `{"map": ..., "mrr": ..., "ndcg@k": ..., "P@k": ..., "recall@k": ...}`.

    Values are those of trec_eval. What is not asked for is left out.

    Args:
        run_path: the run, a file as `read_run` knows it.
        qrels_path: the relevance judgments.
        metrics: names in `RANKING_METRICS`, in any case; all of them if None or empty.
        ks: the cutoffs of recall, ndcg and precision; `CUTOFFS` if None.
        profile: in "standard" a judged query that the run lacks counts as zero, and scores are
            told apart in double precision, as trec_eval 10 does; in "ultrarag" the query is left
            out, and scores are in single precision, as in pytrec_eval.

    Raises:
        ValueError: a name or a cutoff that means nothing, a file that is not what it should be, or
            files that have no query in common.
        OSError: a file cannot be read.
    """
    rules = _rules(profile)
    measures = _measures(_names(metrics, RANKING_METRICS), ks)
    qrels = read_qrels(qrels_path)
    run = _read_run(run_path, qrels, qrels_path)
    if profile == "standard":
        means: dict[str, float] = score_run(qrels, run, measures, per_query=False)["mean"]
        return means
    of_queries = _score(qrels, run, measures, rules)
    first_seen = (run.queries[each] for each in dict.fromkeys(run.query[_starts(run)].tolist()))
    rows = [of_queries[query] for query in first_seen if query in of_queries]
    return {name: rules.average([row[name] for row in rows]) for name in measures}


def evaluate_trec_pvalue(
    run_new_path: File,
    run_old_path: File,
    qrels_path: File,
    metrics: Sequence[str] | None = None,
    ks: Sequence[int] | None = None,
    n_resamples: int | None = None,
    *,
    seed: int = 0,
    profile: Profile = "standard",
    progress: Progress | None = None,
) -> dict[str, dict[str, Any]]:
    """For each measure the means of both runs, and whether they differ by more than chance.

    That is `{"map": {"A_mean", "B_mean", "diff", "p_value", "significant"}, ...}`, where A is the
    new run. P-values are those of `significance.p_values`: two-sided permutation tests, exact where
    few queries differ. A measure is significant if its own p-value is below 0.05; of many measures
    some are so by chance.

    Args:
        run_new_path: the run of system A.
        run_old_path: the run of system B.
        qrels_path: the relevance judgments.
        metrics: as in `evaluate_trec`.
        ks: as in `evaluate_trec`.
        n_resamples: how often signs are drawn, where not all are counted; 10,000 if None.
        seed: of these draws.
        profile: the queries are in "standard" all that are judged, in "ultrarag" those of them
            that one of the runs has; a run that lacks one scores zero.
        progress: called after each of the steps: three files read, and the tests.

    Raises:
        ValueError: as `evaluate_trec`, or a number of resamples or a seed that is none.
        OSError: a file cannot be read.
    """
    rules = _rules(profile)
    told = progress or (lambda done, steps: None)
    measures = _measures(_names(metrics, RANKING_METRICS), ks)
    qrels = read_qrels(qrels_path)
    told(1, 4)
    runs = []
    for step, path in enumerate((run_new_path, run_old_path), start=2):
        runs.append(_score(qrels, _read_run(path, qrels, qrels_path), measures, rules))
        told(step, 4)
    queries = sorted({*runs[0], *runs[1]})
    a, b = (
        {
            name: [run[query][name] if query in run else 0.0 for query in queries]
            for name in measures
        }
        for run in runs
    )
    compared = compare_measures(
        a,
        b,
        correction="none",
        n_resamples=10_000 if n_resamples is None else n_resamples,
        seed=seed,
        confidence_level=None,
    )
    told(4, 4)
    results = {}
    for name, result in compared.items():
        differences = [x - y for x, y in zip(a[name], b[name], strict=True)]
        columns = {"A_mean": a[name], "B_mean": b[name], "diff": differences}
        means = {key: rules.average(values) for key, values in columns.items()}
        results[name] = {key: (result | means)[key] for key in _COMPARED}
    return results


def _measures(names: Iterable[str], ks: Sequence[int] | None) -> list[str]:
    """What `score_run` calls the measures, and results do, in their order."""
    asked = [*names]
    if ks is not None and not _is_list(ks):
        raise OptionError("ks", f"must be a list of cutoffs, got {ks!r}")
    cutoffs = list(CUTOFFS if ks is None else ks)
    for row, k in enumerate(cutoffs):
        if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k < 10**9:
            raise OptionError(f"ks[{row}]", f"is {k!r}; a cutoff is an integer, at least 1")
        if k in cutoffs[:row]:
            raise OptionError(f"ks[{row}]", f": {k} is given twice")
    cut = [word for name, word in _AT_CUTOFFS.items() if name in asked]
    if cut and not cutoffs:
        raise OptionError("ks", "is empty; recall, ndcg and precision need a cutoff")
    whole = [name for name in ("map", "mrr") if name in asked]
    return [*whole, *(f"{word}@{k}" for k in cutoffs for word in cut)]


def _read_run(path: File, qrels: Qrels, qrels_path: File) -> Run:
    run = read_run(path)
    if not {*run.queries} & {*qrels.queries}:
        raise ValueError(f"{path} has none of the queries of {qrels_path}")
    return run


def _score(
    qrels: Qrels, run: Run, measures: list[str], rules: _Rules
) -> Mapping[str, Mapping[str, float]]:
    """The measures of each query that counts."""
    of_queries: dict[str, dict[str, float]] = score_run(
        qrels, run, measures, missing=rules.missing, score_dtype=rules.score_dtype
    )["per_query"]
    return of_queries


def _starts(run: Run) -> NDArray[np.intp]:
    """The rows whose query is not that of the row before."""
    return np.flatnonzero(np.diff(run.query, prepend=-1))
