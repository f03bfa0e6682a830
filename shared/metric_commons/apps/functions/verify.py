"""`verify` and `patch_evaluate`: comparison with and replacement of packages."""

import gc
import runpy
import sys
import traceback
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...data.tables.tables import Source
from ...evaluation.peers.agreement import PeerAgreement, compare_with_peer
from ...evaluation.peers.peers import peer_named
from ...evaluation.results.rendering import Table
from ...module.catalog.catalog import load_without_evaluate
from ...module.declaration.declarations import assign
from .findings import Finding

DIFFERENT = 4  # the exit status
_CELL = 40  # characters of a cell
_SHOWN = 10  # rows that differ


def verify(
    module: str,
    data: Path | None = None,
    *,
    predictions: Any,
    references: Any,
    against: str,
    options: Mapping[str, Any] | None = None,
) -> Finding:
    """Run another package on your rows, and show where a module agrees with it.

    metric-commons verify error_rate runs.jsonl -p bot -r gold --against jiwer

    Both score each row alone, with the options for which the card says that they are equal, and
    rows that differ are shown side by side. Exit status: 0 all rows agree, 4 some differ, 1 the
    file or the package is missing, 2 the command line is wrong.

    Args:
        module: A module listed by `metric-commons list`.
        data: The rows, in any format that `score` reads; none if the columns are given.
        predictions: The field of the predictions.
        references: The field of the references.
        against: The package, such as jiwer, sacrebleu, rouge_score, seqeval or sklearn.
        options: Option of the module, in place of that for which both are equal.

    Returns:
        In how many rows both agree, and those in which they do not.
    """
    peer = peer_named(against, module)
    chosen = assign(options or {}, {module: load_without_evaluate(module).options})[module]
    if data is not None:
        columns = Source(data, [predictions, references], progress=True).columns()
        predictions, references = columns[predictions], columns[references]
    with warnings.catch_warnings(action="ignore"):  # of the peer, about single rows
        agreement = compare_with_peer(module, predictions, references, peer, chosen)
    has_scores = not isinstance(agreement.theirs, str)
    common = [name for name in agreement.theirs if name in agreement.ours] if has_scores else []
    record = {
        "peer": peer.release,
        "rows": agreement.rows,
        "agree": agreement.equal,
        "differences": [difference._asdict() for difference in agreement.differences],
        "ours": {name: agreement.ours[name] for name in common},
        "theirs": agreement.theirs,
    }
    listed = [each for each in agreement.differences if each.row is not None][:_SHOWN]
    said, *lines = _lines(agreement, common, peer.release)
    status = DIFFERENT if agreement.differences else 0
    if not listed:
        return Finding(record, [said, *lines], status=status)
    table = _table(listed, predictions, references)._replace(sentence=said)
    return Finding(record, lines, [table], status)


def _table(differences: Sequence[Any], predictions: Any, references: Any) -> Table:
    """Return the rows that do not agree."""
    rows = []
    for row, score, ours, theirs in differences:
        cells = [_shortened(side[row]) for side in (predictions, references)]
        rows.append([str(row), score, _number(ours), _number(theirs), *cells])
    return Table(["row", "score", "ours", "theirs", "prediction", "reference"], rows, 1, set())


def _lines(agreement: PeerAgreement, common: Sequence[str], release: str) -> list[str]:
    lines = [f"{agreement.equal:,} of {agreement.rows:,} rows agree ({release})"]
    if any(difference.row is None for difference in agreement.differences):
        lines.append("no row differs alone; all rows together do")
    theirs = agreement.theirs
    if isinstance(theirs, str):
        return [*lines, f"all rows together: {theirs}"]
    for name in common:
        both = f"{_number(agreement.ours[name])} ours, {_number(theirs[name])} theirs"
        lines.append(f"all rows together: {name} {both}")
    return lines


def _number(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"


def _shortened(value: Any) -> str:
    """Return a cell of a row, at most 40 characters of it.

    >>> _shortened("a" * 50)[-3:]
    'aa…'
    """
    text = repr(value)[1:-1] if isinstance(value, str) else str(value)
    return text if len(text) <= _CELL else f"{text[: _CELL - 1]}…"


def patch_evaluate(script: Path, *, arguments: Sequence[str] = ()) -> Finding:
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
    sys.argv = [str(script), *arguments]
    sys.path.insert(0, str(script.resolve().parent))  # as Python does with a script
    with patch_evaluate():
        try:
            runpy.run_path(str(script), run_name="__main__")
        except Exception:  # of the script; its author needs the traceback
            traceback.print_exc()
            return Finding({}, status=1)
    return Finding({})
