"""The tools with the names and arguments of UltraRAG's evaluation server."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from ...data.files.access import limited_to
from ...data.files.stored import to_jsonable, write_whole
from ...evaluation.results.rendering import message_line
from ...frameworks.harnesses import ultrarag
from ...frameworks.harnesses.ultrarag import intervals, signature, table
from ...frameworks.harnesses.ultrarag_profiles import Profile
from ...statistics.arguments.domains import Level, PerRow, Seed
from . import folder
from .roots import CallContext, ServerResamples

MAX_LENGTH = 10_000_000  # characters of answers in one request; longer ones belong in a file

Answers = Annotated[Sequence[str], PerRow("text")]
AcceptedAnswers = Annotated[Sequence[Sequence[str]], PerRow("list of texts")]


def evaluate(
    context: CallContext,
    *,
    pred_ls: Answers,
    gt_ls: AcceptedAnswers,
    metrics: Sequence[str] | None = None,
    save_path: str | None = None,
    profile: Profile = "ultrarag",
    confidence_level: Level | None = None,
) -> dict[str, Any]:
    """Score short answers: for each metric, the score of every row and avg_<metric>.

    Args:
        pred_ls: one predicted answer per row.
        gt_ls: the accepted answers of each row.
        metrics: of acc, em, stringem, coverem, f1, rouge-1, rouge-2 and rouge-l; all if null.
        save_path: where to save the result as JSON; the time is put into the name.
        profile: ultrarag gives the scores of UltraRAG 0.3.0, ultrarag-main those of later versions,
            including their oddities; standard has none of these.
        confidence_level: of intervals of the means, such as 0.95; null for none.
    """
    target = context.to_save(save_path)  # before scoring, since the path may be refused
    characters = _characters(pred_ls) + _characters(gt_ls)
    if characters > MAX_LENGTH:
        raise ValueError(
            f"pred_ls and gt_ls have {characters:,} characters, more than {MAX_LENGTH:,}; "
            "put them into a file and call evaluate_file"
        )
    scores = ultrarag.evaluate(
        pred_ls,
        gt_ls,
        metrics,
        profile=profile,
        python_version=context.python_version,
    )
    line = signature("evaluate", profile, {"rows": len(pred_ls)}, context.python_version)
    rows = {name: row for name, row in scores.items() if f"avg_{name}" in scores}
    ends = intervals(rows, confidence_level) if confidence_level else None
    return _evaluated(scores, target, profile, line, ends)


def evaluate_trec(
    context: CallContext,
    *,
    run_path: str,
    qrels_path: str,
    metrics: Sequence[str] | None = None,
    ks: Sequence[int] | None = None,
    save_path: str | None = None,
    profile: Profile = "ultrarag",
    confidence_level: Level | None = None,
) -> dict[str, Any]:
    """Score a TREC run: its means of map, mrr, ndcg@k, P@k and recall@k, equal to trec_eval's.

    Args:
        run_path: the run, lines of six columns.
        qrels_path: the relevance judgments, lines of four columns.
        metrics: of mrr, map, recall, ndcg and precision; all if null.
        ks: cutoffs of recall, ndcg and precision; 1, 5, 10, 20, 50, 100 if null.
        save_path: where to save the result as JSON; the time is put into the name.
        profile: ultrarag gives the scores of UltraRAG 0.3.0, ultrarag-main those of later versions,
            including their oddities; standard has none of these.
        confidence_level: of intervals of the means, such as 0.95; null for none.
    """
    target = context.to_save(save_path)
    rows = ultrarag.query_scores(
        context.roots.to_read("run_path", run_path),
        context.roots.to_read("qrels_path", qrels_path),
        metrics,
        ks,
        profile=profile,
    )
    scores = ultrarag.means_of_queries(rows, profile=profile, python_version=context.python_version)
    ends = intervals(rows, confidence_level) if confidence_level else None
    line = signature("evaluate_trec", profile, {}, context.python_version)
    return _evaluated(scores, target, profile, line, ends)


def evaluate_trec_pvalue(
    context: CallContext,
    *,
    run_new_path: str,
    run_old_path: str,
    qrels_path: str,
    metrics: Sequence[str] | None = None,
    ks: Sequence[int] | None = None,
    n_resamples: ServerResamples | None = None,
    save_path: str | None = None,
    profile: Profile = "ultrarag",
    seed: Seed = 0,
    confidence_level: Level | None = None,
) -> dict[str, Any]:
    """Compare two TREC runs by permutation tests.

    Returns A_mean (of the new run), B_mean, diff, p_value and significant for each measure.

    Args:
        run_new_path: the run of system A, lines of six columns.
        run_old_path: the run of system B.
        qrels_path: the relevance judgments, lines of four columns.
        metrics: of mrr, map, recall, ndcg and precision; all if null.
        ks: cutoffs of recall, ndcg and precision; 1, 5, 10, 20, 50, 100 if null.
        n_resamples: as in UltraRAG; ignored, since the tests here do not resample.
        save_path: where to save the result as JSON; the time is put into the name.
        profile: ultrarag gives the scores of UltraRAG 0.3.0, ultrarag-main those of later versions,
            including their oddities; standard has none of these.
        seed: ignored, like n_resamples.
        confidence_level: of intervals of the differences, such as 0.95; null for none.
    """
    target = context.to_save(save_path)
    scores = ultrarag.evaluate_trec_pvalue(
        context.roots.to_read("run_new_path", run_new_path),
        context.roots.to_read("run_old_path", run_old_path),
        context.roots.to_read("qrels_path", qrels_path),
        metrics,
        ks,
        n_resamples,
        seed=seed,
        profile=profile,
        python_version=context.python_version,
        confidence_level=confidence_level,
    )
    line = signature("evaluate_trec_pvalue", profile, {}, context.python_version)
    return _evaluated(scores, target, profile, line)


def build(context: CallContext, *, parameter_file: str) -> dict[str, Any]:
    """Write server.yaml, which describes the tools to UltraRAG, next to parameter_file.

    Args:
        parameter_file: the path of parameter.yaml in the folder of this server.
    """
    if context.server_folder is None:
        raise ValueError("this server has no folder; `metric-commons ultrarag-init DIR` writes one")
    with limited_to(context.server_folder):
        folder.build(context.server_folder.first, parameter_file)
    return {}


def _evaluated(
    scores: Mapping[str, Any],
    target: Path | None,
    profile: Profile,
    line: str,
    ends: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the scores as UltraRAG's tools return them, with profile and signature.

    The path of the saved file and a table of the scores go to stderr, as in UltraRAG, which shows
    them to its user.
    """
    about: dict[str, Any] = {"profile": profile, "signature": line}
    if ends:
        about["confidence_interval"] = ends
    if target:
        content = to_jsonable({**scores, **about})
        text = json.dumps(content, ensure_ascii=False, indent=4, allow_nan=False)
        write_whole(target, [text, "\n"])
        sys.stderr.write(message_line(f"Evaluation results saved to {target}") + "\n")
    sys.stderr.write(f"{table(scores, ends)}\n{line}\n")
    return {"eval_res": scores, "saved_to": target and str(target), **about}


def _characters(texts: Any) -> int:
    """Return the total length of texts in nested lists, plus one per item."""
    if isinstance(texts, list):
        return sum(map(_characters, texts)) + len(texts)
    return len(texts) if isinstance(texts, str) else 0
