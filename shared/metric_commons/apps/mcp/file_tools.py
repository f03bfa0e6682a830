"""The tools that score, compare and show files, and those that describe the modules."""

from collections.abc import Sequence
from typing import Any

from ...data.files.stored import write_whole
from ...module.catalog import catalog
from ...module.catalog.field_names import suggestion
from ...module.catalog.request import DEFAULTS
from ...module.catalog.usage import extra
from ...statistics.arguments.domains import Level
from ...statistics.tests.laws import Alternative
from ...statistics.tests.significance import Test
from .roots import CallContext

# The fields of a request that tools take unchanged.
REQUEST_FIELDS = [name for name in DEFAULTS if name not in ("modules", "ids", "rows", "jobs")]
COMPARISON_FIELDS = ["scores", "correction", "assume", "bounds"]


def evaluate_file(
    context: CallContext,
    *,
    path: str | Sequence[str],
    modules: Sequence[str],
    predictions: str | Sequence[str] | None = None,
    id_field: str | None = None,
    rows_path: str | None = None,
    save_path: str | None = None,
    **request: Any,
) -> dict[str, Any]:
    """Score fields of files with any modules, and compare systems; the data stays in the files.

    Several fields of predictions, like several files, are several systems.

    Args:
        path: a .jsonl, .json, .csv, .tsv or .parquet file, or a list of files with the same rows.
        modules: names that list_modules returns.
        predictions: the field of the predictions, or a list of fields, one per system; none for
            modules without predictions, whose inputs are in fields of their names or in columns.
        id_field: a field with the id of each row, by which rows of systems are matched.
        rows_path: where to save the scored rows as JSON Lines, which compare_files needs; the time
            is put into the name.
        save_path: where to save the result as JSON; the time is put into the name.
    """
    from ...evaluation.scoring.evaluations import Evaluation, systems_from
    from ...evaluation.scoring.scoring import check_inputs

    target = context.to_save(save_path)
    rows_target = context.to_save(rows_path, "rows_path", ".jsonl")
    paths = [path] if isinstance(path, str) else path
    fields = [predictions or ""] if isinstance(predictions, str | None) else predictions
    if not modules:
        raise ValueError(f"modules is empty; the modules are {_names()}")
    if not (paths and fields):
        raise ValueError(f"{'predictions' if paths else 'path'} is empty; name at least one")
    _check_names(modules)
    for name in modules:
        if (
            catalog.load_without_evaluate(name).runs_programs
            and not context.roots.execution_allowed
        ):
            raise ValueError(
                f"{name} runs programs that a model wrote; this server does so only if it was "
                "started with --allow-execution"
            )
    evaluation = Evaluation(
        **request,
        modules=modules,
        systems=systems_from([context.roots.to_read("path", file) for file in paths], fields),
        ids=id_field,
        rows=rows_target is not None,
    )
    columns = [name for name, field in evaluation.fields.items() if field is not None]
    check_inputs(evaluation.metrics, [*columns, *(["predictions"] if any(fields) else [])])
    results = evaluation.results()
    if rows_target:
        results = results.save_rows(rows_target)
    if target:
        results.save(target)
    return results.to_dict() | {"saved_to": target and str(target)}


def compare_files(
    context: CallContext,
    *,
    paths: Sequence[str],
    test: Test = "permutation",
    alternative: Alternative = "two-sided",
    confidence_level: Level = 0.95,
    alpha: Level = 0.05,
    save_path: str | None = None,
    **request: Any,
) -> dict[str, Any]:
    """Compare the systems of saved results row by row: which are better by more than chance.

    Systems with the same name in two results are compared with each other; otherwise, all pairs.

    Args:
        paths: results that evaluate_file or the command line saved, two or more, or one with
            several systems, each with its scored rows; or files of scored rows.
        test: the test of the differences of rows.
        alternative: the alternative hypothesis: A differs from, is greater than or less than B.
        confidence_level: the level of the interval of the difference; next to corrected p-values
            that of all intervals together, which `simultaneous` says.
        alpha: a corrected p-value below it is significant.
        save_path: where to save the result as JSON; the time is put into the name.
    """
    from ...evaluation.comparison.combined_results import compare
    from ...evaluation.comparison.saved_results import read_results

    target = context.to_save(save_path)
    if not paths:
        raise ValueError(
            "paths is empty; name a result that evaluate_file or the command line saved"
        )
    results = [read_results(context.roots.to_read("paths", path)) for path in paths]
    compared = compare(
        *results,
        test=test,
        alternative=alternative,
        confidence_level=confidence_level,
        alpha=alpha,
        **request,
    )
    if target:
        compared.save(target)
    return compared.to_dict() | {"saved_to": target and str(target)}


def report(
    context: CallContext,
    *,
    path: str,
    save_path: str,
    fields: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Save a page about saved results: scores, differences, groups and selected rows.

    Args:
        path: a result that evaluate_file or the command line saved.
        save_path: where to save the page, in HTML; the time is put into the name.
        fields: additional fields of the rows to show, such as the question.
    """
    from ...evaluation.comparison.saved_results import saved_result

    with extra("report"):
        from ...reporting.report.examples import find_examples
        from ...reporting.report.page import render

    target = context.to_save(save_path, suffix=".html")
    results = saved_result(context.roots.to_read("path", path)).results
    rows = find_examples(results, fields=fields or [])
    write_whole(target or "", [render(results, rows)])
    return {"saved_to": str(target)}


def list_modules(context: CallContext) -> dict[str, Any]:
    """List the evaluation modules, each with a one-line summary."""
    names = catalog.names()
    return {"modules": [{"name": name, "summary": catalog.summary(name)} for name in names]}


def describe_module(context: CallContext, *, name: str) -> dict[str, Any]:
    """Describe a module: its inputs, its options with their defaults, and its card.

    Args:
        name: a name that list_modules returns.
    """
    _check_names([name])
    card = (catalog.path(name) / "README.md").read_text("utf-8")
    module = catalog.load_without_evaluate(name)
    return {
        "name": name,
        "summary": catalog.summary(name),
        "inputs": module.input_names,
        "options": module.options,
        "card": card,
    }


def _check_names(modules: Sequence[str]) -> None:
    """Check that modules are named, and not given by paths, whose scripts would run here."""
    for name in modules:
        if not catalog.is_known(name):
            raise ValueError(
                f"there is no module {name!r}{suggestion(name, catalog.names())}; the modules are "
                f"{_names()}"
            )


def _names() -> str:
    return ", ".join(catalog.names())
