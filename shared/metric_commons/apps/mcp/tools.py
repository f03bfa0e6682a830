"""The tools: functions whose keyword-only parameters and docstrings are what clients see."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from ...data.files.stored import to_jsonable, write_whole
from ...evaluation.comparison.combined_results import compare
from ...evaluation.comparison.saved_results import read_results
from ...evaluation.results.rendering import message_line
from ...evaluation.scoring.scoring import score
from ...frameworks.harnesses import ultrarag
from ...module.catalog import catalog
from ...module.catalog.field_names import suggestion
from ...statistics.arguments.domains import PerRow, Resamples
from ..functions.report import report as write_report
from . import folder
from .root import NewFile, Root

JsonPath = Annotated[Path, NewFile(str, "a path", ".json")]


class CallContext(NamedTuple):
    """What the caller of a tool does not decide.

    Args:
        root: the folder whose files may be read and written.
        execution_allowed: whether modules may run programs that a model wrote.
        server_folder: the folder written by `ultrarag-init`, if UltraRAG starts the server.
        seconds: the time that a call may take.
        gigabytes: its memory (1 GB is 2**30 bytes).
    """

    root: Root
    execution_allowed: bool = False
    server_folder: Path | None = None
    seconds: float = 600.0
    gigabytes: float = 4.0


def evaluate(
    context: CallContext,
    *,
    pred_ls: Annotated[Sequence[str], PerRow("text")],
    gt_ls: Annotated[Sequence[Sequence[str]], PerRow("list of texts")],
    metrics: Sequence[str] | None = None,
    save_path: JsonPath | None = None,
) -> dict[str, Any]:
    """Score short answers: for each metric, the score of every row and avg_<metric>.

    Args:
        pred_ls: one predicted answer per row.
        gt_ls: the accepted answers of each row.
        metrics: of acc, em, stringem, coverem, f1, rouge-1, rouge-2 and rouge-l; all if null.
        save_path: where to save the result as JSON; the time is put into the name.
    """
    scores = ultrarag.evaluate(pred_ls, gt_ls, metrics)
    return _evaluated(ultrarag.signature("evaluate", len(pred_ls)), scores, save_path)


def evaluate_trec(
    context: CallContext,
    *,
    run_path: Path,
    qrels_path: Path,
    metrics: Sequence[str] | None = None,
    ks: Sequence[int] | None = None,
    save_path: JsonPath | None = None,
) -> dict[str, Any]:
    """Score a TREC run: its means of map, mrr, ndcg@k, P@k and recall@k, equal to trec_eval's.

    Args:
        run_path: the run, lines of six columns.
        qrels_path: the relevance judgments, lines of four columns.
        metrics: of mrr, map, recall, ndcg and precision; all if null.
        ks: cutoffs of recall, ndcg and precision; 1, 5, 10, 20, 50, 100 if null.
        save_path: where to save the result as JSON; the time is put into the name.
    """
    scores = ultrarag.evaluate_trec(run_path, qrels_path, metrics, ks)
    return _evaluated(ultrarag.signature("evaluate_trec"), scores, save_path)


def evaluate_trec_pvalue(
    context: CallContext,
    *,
    run_new_path: Path,
    run_old_path: Path,
    qrels_path: Path,
    metrics: Sequence[str] | None = None,
    ks: Sequence[int] | None = None,
    n_resamples: Resamples | None = None,
    save_path: JsonPath | None = None,
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
    """
    files = run_new_path, run_old_path, qrels_path
    scores = ultrarag.evaluate_trec_pvalue(*files, metrics, ks, n_resamples)
    return _evaluated(ultrarag.signature("evaluate_trec_pvalue"), scores, save_path)


def build(context: CallContext, *, parameter_file: str) -> dict[str, Any]:
    """Write server.yaml, which describes the tools to UltraRAG, next to parameter_file.

    Args:
        parameter_file: the path of parameter.yaml in the folder of this server.
    """
    if context.server_folder is None:
        raise ValueError("this server has no folder; `metric-commons ultrarag-init DIR` writes one")
    folder.build(context.server_folder, parameter_file)
    return {}


def _evaluated(signature: str, scores: Mapping[str, Any], target: Path | None) -> dict[str, Any]:
    """Return the scores as UltraRAG's tools return them, with a signature.

    The path of the saved file and a table of the scores go to stderr, as in UltraRAG, which shows
    them to its user.
    """
    if target:
        saved = to_jsonable({**scores, "signature": signature})
        text = json.dumps(saved, ensure_ascii=False, indent=4)
        write_whole(target, [text, "\n"])
        sys.stderr.write(message_line(f"Evaluation results saved to {target}") + "\n")
    sys.stderr.write(f"{ultrarag.table(scores)}\n{signature}\n")
    return {"eval_res": scores, "saved_to": target and str(target), "signature": signature}


def evaluate_file(
    context: CallContext,
    *,
    path: Path | Sequence[Path],
    modules: Sequence[str],
    predictions: str | Sequence[str] | None = None,
    rows_path: Annotated[Path, NewFile(str, "a path", ".jsonl")] | None = None,
    save_path: JsonPath | None = None,
    **request: Any,
) -> dict[str, Any]:
    """Score fields of files with any modules, and compare systems; the data stays in the files.

    Several fields of predictions, like several files, are several systems.

    Args:
        path: a .jsonl, .json, .csv, .tsv or .parquet file, or a list of files with the same rows.
        modules: names that list_modules returns.
        predictions: the field of the predictions, or a list of fields, one per system; none for
            modules without predictions, whose inputs are in fields of their names or in columns.
        rows_path: where to save the scored rows as JSON Lines, which compare_files needs; the time
            is put into the name.
        save_path: where to save the result as JSON; the time is put into the name.
    """
    files = path if isinstance(path, list) else [path]
    if not modules:
        raise ValueError("modules is empty; name at least one")
    for name in modules:
        _check_name(name)
        if catalog.load_without_evaluate(name).runs_programs and not context.execution_allowed:
            raise ValueError(
                f"{name} runs programs that a model wrote; this server does so only if it was "
                "started with --allow-execution"
            )
    results = score(modules, files, predictions=predictions, rows=rows_path is not None, **request)
    return _saved(results.save_rows(rows_path) if rows_path else results, save_path)


def compare_files(
    context: CallContext,
    *,
    paths: Sequence[Path],
    save_path: JsonPath | None = None,
    **request: Any,
) -> dict[str, Any]:
    """Compare the systems of saved results row by row: which are better by more than chance.

    Systems with the same name in two results are compared with each other; otherwise, all pairs.

    Args:
        paths: results that evaluate_file or the command line saved, two or more, or one with
            several systems, each with its scored rows; or files of scored rows.
        save_path: where to save the result as JSON; the time is put into the name.
    """
    return _saved(compare(*map(read_results, paths), **request), save_path)


def _saved(results: Any, target: Path | None) -> dict[str, Any]:
    """Return the content of results, which are saved if there is a target."""
    if target:
        results.save(target)
    return {**results.to_dict(), "saved_to": target and str(target)}


def report(
    context: CallContext,
    *,
    path: Path,
    save_path: Annotated[Path, NewFile(str, "a path", ".html")],
    fields: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Save a page about saved results: scores, differences, groups and selected rows.

    Args:
        path: a result that evaluate_file or the command line saved.
        save_path: where to save the page, in HTML; the time is put into the name.
        fields: additional fields of the rows to show, such as the question.
    """
    write_report(path, save=save_path, show=fields)
    return {"saved_to": str(save_path)}


def list_modules(context: CallContext) -> dict[str, Any]:
    """List the evaluation modules, each with a one-line summary."""
    names = catalog.names()
    return {"modules": [{"name": name, "summary": catalog.summary(name)} for name in names]}


def describe_module(context: CallContext, *, name: str) -> dict[str, Any]:
    """Describe a module: its inputs, its options with their defaults, and its card.

    Args:
        name: a name that list_modules returns.
    """
    _check_name(name)
    module = catalog.load_without_evaluate(name)
    return {
        "name": name,
        "summary": catalog.summary(name),
        "inputs": module.input_names,
        "options": module.options,
        "card": (catalog.path(name) / "README.md").read_text("utf-8"),
    }


def _check_name(name: str) -> None:
    """Check that a module is named, and not given by a path, whose script would run here."""
    if not catalog.is_known(name):
        names = catalog.names()
        listed = f"{suggestion(name, names)}; the modules are {', '.join(names)}"
        raise ValueError(f"there is no module {name!r}{listed}")
