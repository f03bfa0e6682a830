"""`metric-commons export`: a saved result in the formats of other tools."""

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from ...data.files.stored import write_whole
from ...evaluation.comparison.saved_rows import read_with_rows
from ...evaluation.results.results import Results
from ...module.catalog.usage import UsageError
from ..console.options import Rows, Scores, save_option
from ..console.outputs import check_written, say_written


def export(
    path: Annotated[Path, typer.Argument(metavar="RESULT")],
    target: Annotated[
        Literal["eee", "eval-results", "model-index", "csv"], typer.Option("--to", metavar="FORMAT")
    ],
    out: Annotated[Path, save_option(metavar="PATH")],
    scale: Literal["1", "100"] | None = None,
    scores: Scores = None,
    system: Annotated[str | None, typer.Option(metavar="NAME")] = None,
    model: Annotated[str | None, typer.Option(metavar="ID")] = None,
    dataset: Annotated[str | None, typer.Option(metavar="ID")] = None,
    task: Annotated[str | None, typer.Option(metavar="ID")] = None,
    organization: Annotated[str, typer.Option(metavar="NAME")] = "unknown",
    relationship: Annotated[
        Literal["first_party", "third_party", "collaborative", "other"],
        typer.Option(metavar="KIND"),
    ] = "other",
    prompt: Annotated[str | None, typer.Option(metavar="FIELD")] = None,
    rows: Rows = None,
) -> None:
    """Write a saved result in the format of another tool or leaderboard.

    metric-commons export results.json --to eee -o datastore/

    metric-commons export results.json --to eval-results --scale 100 --dataset org/name -o r.yaml

    The signature is written with every score. With --prompt, eee also contains
    the rows: the scores of --per-example, and the texts of the inputs, which
    must be unchanged.

    Args:
        path: A result written by --save.
        target: eee (Every Eval Ever), eval-results (.eval_results of a model on the Hub),
            model-index (front matter of a model card) or csv (a table of all numbers).
        out: The file to write; a folder for several systems; for eee, the folder that contains
            data/.
        scale: Scale of the leaderboard: 1 for scores like 0.412, 100 for 41.2. Required for
            eval-results and model-index.
        system: Export only this system.
        model: The model, such as org/name; by default the system's name.
        dataset: The dataset, such as org/name; by default the input's name.
        task: The task of the dataset, or the kind of task.
        organization: For eee: who evaluated.
        relationship: For eee: how the evaluator is related to the developer of the model:
            first_party, third_party, collaborative or other.
        prompt: For eee: the field of the questions; then all rows are written too.
    """
    check_written([out], [path, *(rows or [])])
    if target in ("eval-results", "model-index") and scale is None:
        raise UsageError(
            f"--to {target} needs --scale: 1 if the leaderboard has scores like 0.412, 100 for 41.2"
        )
    from ...reporting.leaderboards.exports import Labels, eval_results, every_eval_ever, model_index
    from ..console.config import as_yaml

    has_rows = target == "eee" and prompt is not None
    results = read_with_rows([path], rows or [])[0] if has_rows else Results.read(path)
    if system is not None:
        if system not in results.systems:
            systems = ", ".join(results.systems)
            raise ValueError(f"{path}: there is no system {system!r}, only {systems}")
        results = replace(results, systems={system: results.systems[system]}, comparisons=[])
    results = results.choose(scores)
    if model is not None and len(results.systems) > 1:
        raise UsageError(
            f"--model is for one of the systems {', '.join(results.systems)}; name it with --system"
        )
    labels = Labels(model, dataset, task, organization, relationship, prompt)
    factor = float(scale or 1)
    written: dict[Path, list[str | bytes]] = {}
    if target == "csv":
        written[out] = [results.to_csv()]
    elif target == "model-index":
        document = model_index(results, labels, factor)
        written[out] = ["---\n", as_yaml(document.content), "---\n"]
    elif target == "eval-results":
        documents = list(eval_results(results, labels, factor, scores))
        is_file = len(documents) == 1 and out.suffix
        for document in documents:
            file = out if is_file else out / f"{document.name.replace('/', '__')}.yaml"
            written[file] = [as_yaml(document.content)]
    else:
        for document in every_eval_ever(results, labels, time.time()):
            if document.rows:
                written[out / f"{document.name}_samples.jsonl"] = [document.rows]
            text = json.dumps(document.content, indent=2, allow_nan=False)
            written[out / f"{document.name}.json"] = [text, "\n"]
    for path_written, pieces in written.items():
        write_whole(path_written, pieces)
    say_written(*written)
