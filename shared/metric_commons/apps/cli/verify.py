"""`metric-commons verify` and `patch-evaluate`: comparison with and replacement of packages."""

import gc
import runpy
import sys
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from ...evaluation.peers.peers import peer_named
from ...evaluation.results.rendering import Table
from ...evaluation.scoring.evaluations import Evaluation
from ...statistics.arguments.domains import Range
from ..console.commands import command
from ..console.outputs import show_json, show_tables
from .score import check_usage

if TYPE_CHECKING:
    from ...evaluation.peers.agreement import PeerAgreement

DIFFERENT = 4  # the exit status
_CELL = 40  # characters of a cell


def verify(
    module: str,
    file: Path,
    *,
    predictions: str,
    references: str,
    against: str,
    options: dict[str, Any] | None = None,
    top: Annotated[int, Range(0)] = 10,
    format_name: Literal["table", "json"] = "table",
) -> int:
    """Run another package on your rows, and show where a module agrees with it.

    metric-commons verify error_rate runs.jsonl -p bot -r gold --against jiwer

    Both score each row alone, with the options for which the card says that they are equal, and
    rows that differ are shown side by side. Exit status: 0 all rows agree, 4 some differ, 1 the
    file or the package is missing, 2 the command line is wrong.

    Args:
        module: A module listed by `metric-commons list`.
        file: The rows, in any format that `score` reads.
        predictions: The field of the predictions.
        references: The field of the references.
        against: The package, such as jiwer, sacrebleu, rouge_score, seqeval or sklearn.
        options: Option of the module, in place of that for which both are equal.
        top: How many rows that differ to show.
        format_name: Format of the printed output.
    """
    from ...evaluation.peers.agreement import compare_with_peer  # imports numpy

    peer = peer_named(against, module)
    evaluation = Evaluation(
        modules=[module],
        references=references,
        systems={"": (file, predictions)},
        options=options,
    )
    check_usage(evaluation)
    columns = evaluation.source(file).columns()
    sides = columns[predictions], columns[references]
    with warnings.catch_warnings(action="ignore"):  # of the peer, about single rows
        agreement = compare_with_peer(module, *sides, peer, evaluation.options)
    if format_name == "json":
        show_json(_record(agreement, peer.release))
    else:
        _show(agreement, peer.release, sides, top)
    return DIFFERENT if agreement.differences else 0


def _show(
    agreement: "PeerAgreement", release: str, sides: tuple[Sequence[Any], Sequence[Any]], top: int
) -> None:
    """Print how many rows agree, and the first that do not."""
    click.echo(f"{agreement.equal:,} of {agreement.rows:,} rows agree ({release})")
    differences = [(item.row, item) for item in agreement.differences if item.row is not None]
    if differences[:top]:
        header = ["row", "score", "ours", "theirs", "prediction", "reference"]
        rows = []
        for row, difference in differences[:top]:
            values = (_number(difference.ours), _number(difference.theirs))
            cells = [shortened(side[row]) for side in sides]
            rows.append([str(row), difference.score, *values, *cells])
        show_tables([Table(header, rows, 1, set())])
    for difference in agreement.differences:
        if difference.row is None:
            click.echo("no row differs alone; all rows together do")
    if isinstance(agreement.theirs, str):
        click.echo(f"all rows together: {agreement.theirs}")
        return
    for name, theirs in agreement.theirs.items():
        if name in agreement.ours:
            both = f"{_number(agreement.ours[name])} ours, {_number(theirs)} theirs"
            click.echo(f"all rows together: {name} {both}")


def _record(agreement: "PeerAgreement", release: str) -> dict[str, Any]:
    """Return the agreement as values for JSON."""
    return {
        "peer": release,
        "rows": agreement.rows,
        "agree": agreement.equal,
        "differences": [difference._asdict() for difference in agreement.differences],
        "ours": {name: agreement.ours[name] for name in agreement.theirs if name in agreement.ours}
        if not isinstance(agreement.theirs, str)
        else {},
        "theirs": agreement.theirs,
    }


def _number(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"


def shortened(value: Any) -> str:
    """Return a cell of a row, at most 40 characters of it.

    >>> shortened("a" * 50)[-3:]
    'aa…'
    """
    text = repr(value)[1:-1] if isinstance(value, str) else str(value)
    return text if len(text) <= _CELL else f"{text[: _CELL - 1]}…"


def patch_evaluate(
    script: Path,
    arguments: list[str] | None = None,
) -> int:
    """Run a script in which evaluate.load returns our modules in place of evaluate's own.

    They replace glue, f1, squad, rouge, sacrebleu, wer and the others that our modules can replace,
    with the same inputs, options and results. Nothing is downloaded, and no file is changed.

    Args:
        script: A Python script, such as run_glue.py.
        arguments: Its arguments, which are passed on.
    """
    from ...frameworks.harnesses.stock_evaluate import patch_evaluate

    if not script.is_file():
        raise FileNotFoundError(2, "no such file", str(script))
    gc.set_threshold(700)  # the default; commands raise it, since they end soon
    sys.argv = [str(script), *(arguments or ())]
    sys.path.insert(0, str(script.resolve().parent))  # as Python does with a script
    with patch_evaluate():
        try:
            runpy.run_path(str(script), run_name="__main__")
        except Exception:  # of the script; its author needs the traceback
            traceback.print_exc()
            return 1
    return 0


COMMANDS = {
    "verify": command(verify),
    # The options behind a script are its own.
    "patch-evaluate": command(
        patch_evaluate,
        quiet=False,
        context_settings={"allow_interspersed_args": False, "ignore_unknown_options": True},
    ),
}
