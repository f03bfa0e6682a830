"""The tools: what each takes, does and returns. They run in processes of their own."""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from ..evaluation import catalog
from ..evaluation.arguments import input_names
from ..evaluation.usage import extra
from ..files.stored import plain, write_whole
from ..files.streams import Limits
from ..integrations import ultrarag
from ..integrations.ultrarag_tables import intervals, signature, table
from ..numbers.checks import OptionError
from ..numbers.domains import Count, Level, PerRow, Range, Seed
from ..numbers.progress import watched
from ..statistics.methods import Method
from ..statistics.paired_tests import Alternative, DifferenceMethod, Test
from ..statistics.significance import Correction
from . import folder
from .roots import Roots
from .schemas import Tool
from .workers import Progress

MAX_RESAMPLES = 1_000_000
_LIMITS = Limits(line=20_000_000, content=2_000_000_000)  # of files, in bytes
MAX_LENGTH = 10_000_000  # characters of answers in one request; more should stay in a file

Answers = Annotated[Sequence[str], PerRow("text")]
AcceptedAnswers = Annotated[Sequence[Sequence[str]], PerRow("list of texts")]


@dataclass(frozen=True)
class Desk:
    """What a tool has besides its arguments.

    Args:
        roots: where it may read and write.
        server_folder: what `ultrarag-init` wrote, if UltraRAG starts this server.
        progress: takes reports of progress.
    """

    roots: Roots
    server_folder: Path | None
    progress: Progress

    def to_save(
        self, path: str | None, name: str = "save_path", form: str = ".json"
    ) -> Path | None:
        """The file to write. As in UltraRAG its name has the time, so that none is replaced."""
        if path is None:
            return None
        target = self.roots.to_write(name, path)
        time = datetime.now().astimezone().strftime("%Y%m%d_%H%M%S_%f")
        return target.with_name(f"{target.stem}_{time}{form}")


def call(
    progress: Progress, name: str, arguments: Mapping[str, Any], roots: Roots, folder: Path | None
) -> tuple[str, dict[str, Any]]:
    """What a tool returns: as JSON, and as an object.

    Raises:
        ValueError: an argument, or the content of a file, is not what it should be.
        OSError: a file cannot be read or written.
    """
    os.chdir(roots.first)  # where relative paths in saved results start, too
    result: Any = plain(TOOLS[name].function(Desk(roots, folder, progress), **arguments))
    text = json.dumps(result, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a pair of surrogates, which no message can hold
        text = text.encode("utf-8", "replace").decode()
        result = json.loads(text)
    return text, result


# Tools with the names and arguments of UltraRAG's


def evaluate(
    desk: Desk,
    *,
    pred_ls: Answers,
    gt_ls: AcceptedAnswers,
    metrics: Sequence[str] | None = None,
    save_path: str | None = None,
    profile: ultrarag.Profile = "ultrarag",
    confidence_level: Level | None = None,
) -> dict[str, Any]:
    """Score short answers: for each metric the score of every row, and avg_<metric>.

    Args:
        pred_ls: one predicted answer a row.
        gt_ls: the accepted answers of each row.
        metrics: of acc, em, stringem, coverem, f1, rouge-1, rouge-2 and rouge-l; all if null.
        save_path: where to save the result as JSON; the time is put into the name.
        profile: ultrarag gives the scores of UltraRAG 0.3.0, ultrarag-main those of later versions,
            also where they are odd; standard is without oddities.
        confidence_level: of intervals of the means, such as 0.95; null for none.
    """
    target = desk.to_save(save_path)  # before anything is scored, since it may be refused
    characters = _characters(pred_ls) + _characters(gt_ls)
    if characters > MAX_LENGTH:
        raise ValueError(
            f"pred_ls and gt_ls hold {characters:,} characters, more than {MAX_LENGTH:,}; "
            "put them into a file and call evaluate_file"
        )
    scores = ultrarag.evaluate(pred_ls, gt_ls, metrics, profile=profile, progress=desk.progress)
    line = signature("evaluate", profile, {"rows": len(pred_ls)})
    ends = intervals(scores, confidence_level) if confidence_level else None
    return _evaluated(scores, target, profile, line, ends)


def evaluate_trec(
    desk: Desk,
    *,
    run_path: str,
    qrels_path: str,
    metrics: Sequence[str] | None = None,
    ks: Sequence[int] | None = None,
    save_path: str | None = None,
    profile: ultrarag.Profile = "ultrarag",
) -> dict[str, Any]:
    """Score a TREC run: its means of map, mrr, ndcg@k, P@k and recall@k, as trec_eval's.

    Args:
        run_path: the run, lines of six columns.
        qrels_path: the relevance judgments, lines of four columns.
        metrics: of mrr, map, recall, ndcg and precision; all if null.
        ks: cutoffs of recall, ndcg and precision; 1, 5, 10, 20, 50, 100 if null.
        save_path: where to save the result as JSON; the time is put into the name.
        profile: ultrarag gives the scores of UltraRAG 0.3.0, ultrarag-main those of later versions,
            also where they are odd; standard is without oddities.
    """
    target = desk.to_save(save_path)
    scores = ultrarag.evaluate_trec(
        desk.roots.to_read("run_path", run_path),
        desk.roots.to_read("qrels_path", qrels_path),
        metrics,
        ks,
        profile=profile,
    )
    return _evaluated(scores, target, profile, signature("evaluate_trec", profile, {}))


def evaluate_trec_pvalue(
    desk: Desk,
    *,
    run_new_path: str,
    run_old_path: str,
    qrels_path: str,
    metrics: Sequence[str] | None = None,
    ks: Sequence[int] | None = None,
    n_resamples: Count | None = None,
    save_path: str | None = None,
    profile: ultrarag.Profile = "ultrarag",
    seed: Seed = 0,
    confidence_level: Level | None = None,
) -> dict[str, Any]:
    """Compare two TREC runs by permutation tests.

    For each measure A_mean (of the new run), B_mean, diff, p_value and significant.

    Args:
        run_new_path: the run of system A, lines of six columns.
        run_old_path: the run of system B.
        qrels_path: the relevance judgments, lines of four columns.
        metrics: of mrr, map, recall, ndcg and precision; all if null.
        ks: cutoffs of recall, ndcg and precision; 1, 5, 10, 20, 50, 100 if null.
        n_resamples: what UltraRAG has; the tests here need no draws, so nothing depends on it.
        save_path: where to save the result as JSON; the time is put into the name.
        profile: ultrarag gives the scores of UltraRAG 0.3.0, ultrarag-main those of later versions,
            also where they are odd; standard is without oddities.
        seed: nothing depends on it, as on n_resamples.
        confidence_level: of intervals of the differences, such as 0.95; null for none.
    """
    target = desk.to_save(save_path)
    _check_resamples(n_resamples)
    scores = ultrarag.evaluate_trec_pvalue(
        desk.roots.to_read("run_new_path", run_new_path),
        desk.roots.to_read("run_old_path", run_old_path),
        desk.roots.to_read("qrels_path", qrels_path),
        metrics,
        ks,
        n_resamples,
        seed=seed,
        profile=profile,
        confidence_level=confidence_level,
        progress=desk.progress,
    )
    return _evaluated(scores, target, profile, signature("evaluate_trec_pvalue", profile, {}))


def build(desk: Desk, *, parameter_file: str) -> dict[str, Any]:
    """Write server.yaml, which describes the tools to UltraRAG, beside parameter_file.

    Args:
        parameter_file: the path of parameter.yaml in the folder of this server.
    """
    if desk.server_folder is None:
        raise ValueError("this server has no folder; `metric-commons ultrarag-init DIR` writes one")
    folder.build(desk.server_folder, parameter_file)
    return {}


# Tools of our own


def evaluate_file(
    desk: Desk,
    *,
    path: str | Sequence[str],
    modules: Sequence[str],
    predictions: str | Sequence[str],
    references: str | None = None,
    options: Mapping[str, Any] | None = None,
    preset: str | None = None,
    confidence_level: Level | None = None,
    interval: Method = "auto",
    standard_error: bool = False,
    cluster_by: str | None = None,
    n_resamples: Count = 10_000,
    seed: Seed = 0,
    group_by: str | None = None,
    id_field: str | None = None,
    compare: bool = False,
    scores: Sequence[str] | None = None,
    correction: Correction = "holm",
    rows_path: str | None = None,
    save_path: str | None = None,
) -> dict[str, Any]:
    """Score fields of files with any modules, and compare systems; the data stays in the files.

    Several fields of predictions, like several files, are several systems.

    Args:
        path: a .jsonl, .json, .csv, .tsv or .parquet file, or a list of files with the same rows.
        modules: names that list_modules returns.
        predictions: the field of the predictions, or a list of fields, each a system.
        references: the field of the references, if the modules need them.
        options: of the modules, such as {"normalizer": "ultrarag"}, or of one module, such as
            {"qa_f1.both_empty": 0}; describe_module lists them.
        preset: a community's options, such as squad or ultrarag.
        confidence_level: of intervals, such as 0.95; null for none.
        interval: how they are made; auto suits the method to each score.
        standard_error: also report the standard error of each score.
        cluster_by: a field of labels of rows that are alike; intervals count labels.
        n_resamples: how often intervals resample, where they do; at most 1,000,000.
        seed: of the resampling.
        group_by: a field; the rows of each of its values are scored too.
        id_field: a field with the name of each row, by which systems are compared.
        compare: also test every two systems, which have the same rows.
        scores: which scores to compare, such as qa_f1; the main score of each module if null.
        correction: of the p-values for the number of comparisons.
        rows_path: where to save the scores of rows as JSONL, which compare_files and report need;
            the time is put into the name.
        save_path: where to save the result as JSON; the time is put into the name.
    """
    from ..evaluation.evaluations import Evaluation, systems_from

    target = desk.to_save(save_path)
    rows_target = desk.to_save(rows_path, "rows_path", ".jsonl")
    _check_resamples(n_resamples)
    paths = [path] if isinstance(path, str) else path
    fields = [predictions] if isinstance(predictions, str) else predictions
    if not (modules and paths and fields):
        problem = f"modules, path and predictions must name something; the modules are {_names()}"
        raise ValueError(problem)
    for name in modules:
        catalog.path(name)
    evaluation = Evaluation(
        modules=modules,
        systems=systems_from([desk.roots.to_read("path", file) for file in paths], fields),
        fields={
            "references": references,
            "groups": group_by,
            "clusters": cluster_by,
            "id": id_field,
        },
        limits=_LIMITS,
        options=options or {},
        preset=preset,
        uncertainty={
            "confidence_level": confidence_level,
            "interval": interval,
            "standard_error": standard_error,
            "n_resamples": n_resamples,
            "seed": seed,
        },
        compare=compare,
        scores=scores,
        correction=correction,
        per_example=rows_target is not None,
    )
    _check_inputs(evaluation.metrics, references)
    with watched(lambda share: desk.progress(share, 1.0)):
        results = evaluation.results()
    if rows_target:
        results = results.save_per_example(rows_target)
    desk.progress(1.0, 1.0)
    if target:
        results.save(target)
    return results.to_dict() | {"saved_to": target and str(target)}


def compare_files(
    desk: Desk,
    *,
    paths: Sequence[str],
    rows_paths: Sequence[str] | None = None,
    scores: Sequence[str] | None = None,
    test: Test | Literal["bootstrap"] = "permutation",
    alternative: Alternative = "two-sided",
    interval: DifferenceMethod = "auto",
    confidence_level: Level = 0.95,
    n_resamples: Count = 10_000,
    seed: Seed = 0,
    alpha: Level = 0.05,
    correction: Correction = "holm",
    save_path: str | None = None,
) -> dict[str, Any]:
    """Compare the systems of saved results row by row: which are better by more than chance.

    Systems of one name in two results are compared with each other; else each with each.

    Args:
        paths: results that evaluate_file or the command line saved, two or more, or one with
            several systems. Each needs the scores of its rows.
        rows_paths: the scores of rows, for results that do not name their file, or all.
        scores: which scores to compare, such as qa_f1; the main score of each module if null.
        test: of the differences of rows; of scores that follow from sums, such as BLEU, permutation
            (rows are exchanged) or bootstrap.
        alternative: whether A is different, greater or less, if it is not chance.
        interval: of the difference.
        confidence_level: of the interval of the difference.
        n_resamples: how often a bootstrap or max_t draws; at most 1,000,000.
        seed: of the draws.
        alpha: a corrected p-value below it is significant.
        correction: of the p-values for the number of comparisons.
        save_path: where to save the result as JSON; the time is put into the name.
    """
    from ..evaluation.saved_rows import read_with_rows
    from ..evaluation.scoring import compare

    target = desk.to_save(save_path)
    _check_resamples(n_resamples)
    results = read_with_rows(
        [desk.roots.to_read("paths", path) for path in paths],
        [desk.roots.to_read("rows_paths", path) for path in rows_paths or []],
        readable=desk.roots.hold,
    )
    with watched(lambda share: desk.progress(share, 1.0)):
        compared = compare(
            *results,
            scores=scores,
            test=test,
            alternative=alternative,
            interval=interval,
            confidence_level=confidence_level,
            n_resamples=n_resamples,
            seed=seed,
            alpha=alpha,
            correction=correction,
        )
    if target:
        compared.save(target)
    return compared.to_dict() | {"saved_to": target and str(target)}


def report(
    desk: Desk,
    *,
    path: str,
    save_path: str,
    rows_path: str | None = None,
    fields: Sequence[str] | None = None,
    examples: Annotated[int, Range(0, 1000)] = 10,
) -> dict[str, Any]:
    """Save a page about saved results: scores, differences, groups and rows to look at.

    Args:
        path: a result that evaluate_file or the command line saved.
        save_path: where to save the page, HTML; the time is put into the name.
        rows_path: the scores of its rows; without it no rows are shown.
        fields: further fields of the rows to show, such as the question.
        examples: how many rows of each kind.
    """
    from ..evaluation.results import Results

    with extra("report"):
        from ..report import find_examples, render

    target = desk.to_save(save_path, form=".html")
    results = Results.read(
        desk.roots.to_read("path", path),
        None if rows_path is None else desk.roots.to_read("rows_path", rows_path),
    )
    rows = find_examples(results, fields=fields or [], count=examples, readable=desk.roots.hold)
    write_whole(target or "", [render(results, rows)])
    return {"saved_to": str(target)}


def list_modules(desk: Desk) -> dict[str, Any]:
    """List the evaluation modules, each with a line about it."""
    names = catalog.names()
    return {"modules": [{"name": name, "summary": catalog.summary(name)} for name in names]}


def describe_module(desk: Desk, *, name: str) -> dict[str, Any]:
    """Describe a module: its inputs, its options with their defaults, and its card.

    Args:
        name: one that list_modules returns.
    """
    card = (catalog.path(name) / "README.md").read_text("utf-8")
    module = catalog.declared(name)
    return {
        "name": name,
        "summary": catalog.summary(name),
        "inputs": input_names(module),
        "options": module.options,
        "card": card,
    }


def _evaluated(
    scores: Mapping[str, Any],
    target: Path | None,
    profile: ultrarag.Profile,
    line: str,
    ends: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The scores as UltraRAG's tools return them, and how they came about.

    Their table goes to stderr, where UltraRAG shows it to its user.
    """
    sys.stderr.write(f"{table(scores, ends)}\n{line}\n")
    about: dict[str, Any] = {"profile": profile, "signature": line}
    if ends:
        about["confidence_interval"] = ends
    saved_to = _saved(plain({**scores, **about}), target)
    return {"eval_res": scores, "saved_to": saved_to, **about}


def _saved(results: Mapping[str, Any], target: Path | None) -> str | None:
    if target is None:
        return None
    write_whole(target, [json.dumps(results, ensure_ascii=False, indent=4, allow_nan=False), "\n"])
    return str(target)


def _characters(texts: Any) -> int:
    """The length of all texts in a list, or in lists inside it; each counts one more."""
    if isinstance(texts, list):
        return sum(map(_characters, texts)) + len(texts)
    return len(texts) if isinstance(texts, str) else 0


def _check_resamples(n_resamples: int | None) -> None:
    if n_resamples is not None and n_resamples > MAX_RESAMPLES:
        raise OptionError(
            "n_resamples",
            f"is {n_resamples}, but this server draws {MAX_RESAMPLES:,} resamples at most; "
            "the command line, metric-commons score, takes more",
        )


def _check_inputs(metrics: Mapping[str, Any], references: str | None) -> None:
    """The modules have the columns that they take."""
    for name, metric in metrics.items():
        inputs = input_names(metric)
        if "predictions" not in inputs:
            raise ValueError(f"{name} takes {', '.join(inputs)}, not rows; set compare to true")
        if "references" in inputs and references is None:
            raise OptionError("references", f"is missing; {name} needs it: name their field")


def _names() -> str:
    return ", ".join(catalog.names())


# What the tools return


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


_TEXT, _TEXT_OR_NULL, _NUMBER = {"type": "string"}, {"type": ["string", "null"]}, {"type": "number"}
_OBJECT, _LIST = {"type": "object"}, {"type": "array"}
_ABOUT = {"saved_to": _TEXT_OR_NULL, "profile": _TEXT, "signature": _TEXT}
_RESULTS = _object(
    format=_TEXT, systems=_OBJECT, comparisons=_LIST, provenance=_OBJECT, saved_to=_TEXT_OR_NULL
)
_COMPARISON = _object(
    A_mean=_NUMBER,
    B_mean=_NUMBER,
    diff=_NUMBER,
    p_value=_NUMBER,
    significant={"type": "boolean"},
)


def _mapping(values: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values}


TOOLS = {
    tool.name: tool
    for tool in (
        # Scores of rows and their means; the client would check every score.
        Tool(evaluate, _object(eval_res=_OBJECT, **_ABOUT)),
        Tool(evaluate_trec, _object(eval_res=_mapping(_NUMBER), **_ABOUT)),
        Tool(evaluate_trec_pvalue, _object(eval_res=_mapping(_COMPARISON), **_ABOUT)),
        Tool(evaluate_file, _RESULTS),
        Tool(compare_files, _RESULTS),
        Tool(report, _object(saved_to=_TEXT)),
        Tool(
            list_modules,
            _object(modules={"type": "array", "items": _object(name=_TEXT, summary=_TEXT)}),
            read_only=True,
        ),
        Tool(
            describe_module,
            _object(
                name=_TEXT,
                summary=_TEXT,
                inputs={"type": "array", "items": _TEXT},
                options=_OBJECT,
                card=_TEXT,
            ),
            read_only=True,
        ),
        Tool(build, {"type": "object"}),
    )
}
