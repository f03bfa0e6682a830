"""`metric-commons gate`: fail a build if a new system is worse than a baseline or than floors."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ...evaluation.comparison.saved_rows import read_with_rows
from ...evaluation.comparison.verdicts import INFERIOR, NOT_INFERIOR, UNDECIDED
from ...evaluation.results.results import Results
from ...module.catalog.usage import UsageError
from ..console.options import (
    Alpha,
    ClusterBy,
    Confidence,
    PrintedFormat,
    Rows,
    one_field,
    statistics_option,
)
from ..console.outputs import show_json

if TYPE_CHECKING:
    from ...evaluation.comparison.verdicts import ComparisonVerdict

_STATUS = {NOT_INFERIOR: 0, UNDECIDED: 3, INFERIOR: 4}
_OUTCOME = {NOT_INFERIOR: "passed", UNDECIDED: "undecided", INFERIOR: "failed"}

Check = tuple[dict[str, Any], Sequence[str]]  # a condition: its verdict and numbers, in sentences


def gate(
    new: Annotated[Path, typer.Argument(metavar="NEW")],
    *,
    baseline: Annotated[Path | None, typer.Option(metavar="OLD")] = None,
    score: Annotated[list[str] | None, typer.Option(metavar="NAME")] = None,
    margin: Annotated[list[str] | None, typer.Option(metavar="[NAME=]LOSS")] = None,
    floor: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE")] = None,
    undecided: Literal["fail", "pass"] = "fail",
    rows: Rows = None,
    cluster_by: ClusterBy = None,
    sequential: Annotated[bool, statistics_option("--sequential")] = False,
    total: Annotated[int | None, statistics_option(metavar="N", min=1)] = None,
    alpha: Alpha = 0.05,
    confidence: Confidence = None,
    format_name: PrintedFormat = "table",
) -> None:
    """Test whether a new system is worse than a baseline, to fail a build.

    metric-commons gate new.json --baseline old.json --score qa_f1 --margin 0.01

    metric-commons gate new.json --floor qa_em=0.4

    With a baseline both results need the scores of the same rows, which
    --per-example writes; rows are matched by their ids if they were scored with
    --id. Of several scores and floors all have to pass. A floor is reached if
    the whole interval of the score lies above it.

    metric-commons gate new.json --baseline old.json --score qa_f1 --margin 0.01 --sequential

    Without --sequential only one look is valid: if rows are added until a look
    decides, more than --alpha of losses pass. With it, look as often as you like:
    append rows to the new result, whose order must be random, and test again.

    On GitHub Actions the summary of the job gets a table.

    Exit status: 0 not worse by the margin; 3 undecided (the message says how
    many rows are needed); 4 worse by more than the margin; 1 a file is wrong;
    2 the command line is wrong.

    Args:
        new: The new result, written by --save.
        baseline: The result of the system in use.
        score: A score to compare, such as qa_f1; repeatable.
        margin: The smallest loss that matters, above 0, of all scores or of one.
        floor: A value that a score has to reach, such as qa_em=0.4; repeatable.
        undecided: Exit status if the rows cannot decide: 3 (fail) or 0 (pass).
        sequential: Decide by an interval that holds however often you look. For means of rows in
            a known range.
        total: With --sequential, the number of rows (or clusters) of the whole benchmark. The
            target is then the score of all of them.
    """
    if total is not None and not sequential:
        raise UsageError("--total is for --sequential")
    floors = _floors(floor or [])
    if sequential and (floors or baseline is None):
        raise UsageError("--sequential compares with a --baseline, not with a --floor")
    if baseline is None and (score or margin):
        raise UsageError("--score and --margin compare with a --baseline")
    if baseline is not None and not score:
        raise UsageError("Missing option '--score', which to compare with the baseline")
    if baseline is None and not floors:
        raise UsageError("Missing option '--baseline', or '--floor'")
    margins = _margins(score or [], margin or [])
    checks: list[Check] = []
    results = None
    if baseline is not None:
        if sequential:
            one_field(cluster_by, "--sequential")
        results, second = read_with_rows([new, baseline], rows or [], cluster_by=cluster_by or [])
        for name, loss in margins.items():
            if sequential:
                options: dict[str, Any] = {"alpha": alpha, "total": total}
                checks.append(_looked(results, second, name, loss, options))
            else:
                options = {"alpha": alpha, "confidence_level": confidence}
                checks.append(_compared(results, second, name, loss, options))
    if floors:
        checks += _reached(results, new, floors, rows or [], cluster_by, alpha)
    worst = max((record["verdict"] for record, _ in checks), key=_STATUS.__getitem__)
    status = 0 if worst == UNDECIDED and undecided == "pass" else _STATUS[worst]
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(_markdown(checks, "passed" if status == 0 else _OUTCOME[worst]))
    if format_name == "json":
        show_json({"verdict": worst, "checks": [record for record, _ in checks]})
    else:
        typer.echo("\n".join(sentence for _, sentences in checks for sentence in sentences))
    raise typer.Exit(status)


def _number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise UsageError(
            f"Invalid value for '{option}': expected a number, got {text!r}"
        ) from error


def _margins(scores: Sequence[str], texts: Sequence[str]) -> dict[str, float]:
    """Return the margin of each score.

    >>> _margins(["qa_em", "qa_f1"], ["0.02", "qa_f1=0.01"])
    {'qa_em': 0.02, 'qa_f1': 0.01}
    """
    margins: dict[str, float] = {}
    for text in (text for text in texts if "=" not in text):
        margins = dict.fromkeys(scores, _number("--margin", text))
    for text in texts:
        name, equals, value = text.partition("=")
        if equals and name not in scores:
            raise UsageError(f"--margin {name}: add --score {name}")
        if equals:
            margins[name] = _number("--margin", value)
    for name in scores:
        if name not in margins:
            raise UsageError(f"Missing option '--margin', the loss of {name} that matters")
    return {name: margins[name] for name in scores}


def _floors(texts: Sequence[str]) -> list[tuple[str, float]]:
    """Return the scores with the value that each has to reach."""
    pairs = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--floor takes NAME=VALUE, such as qa_em=0.4, got {text!r}")
        pairs.append((name, _number("--floor", value)))
    return pairs


def _compared(
    new: Results,
    baseline: Results,
    score: str,
    margin: float,
    options: dict[str, Any],
) -> Check:
    """Return the verdict on a score compared with that of the baseline."""
    from ...evaluation.comparison.verdicts import gate as verdict_on

    result: ComparisonVerdict = verdict_on(new, baseline, score=score, margin=margin, **options)
    means = {result.comparison[side]: result.comparison[f"{side.upper()}_mean"] for side in "ab"}
    record = {
        "score": score,
        "verdict": result.verdict,
        "new": means["new"],
        "baseline": means["baseline"],
        "difference": means["new"] - means["baseline"],
        "margin": margin,
        "p_not_inferior": result.p_not_inferior,
        "p_inferior": result.p_inferior,
        "rows": result.comparison["rows"],
    }
    return record, result.sentences


def _looked(
    new: Results,
    baseline: Results,
    score: str,
    margin: float,
    options: dict[str, Any],
) -> Check:
    """Return the verdict on a score, which holds over all looks."""
    from ...evaluation.comparison.looks import gate_at_any_time

    look = gate_at_any_time(new, baseline, score=score, margin=margin, **options)
    sequence = look.differences
    record = {
        "score": score,
        "verdict": look.verdict,
        "margin": margin,
        "difference": sequence.mean,
        "confidence_interval": list(sequence.interval),
        "confidence_level": sequence.level,
        "rows": sequence.rows,
        "units": sequence.units,
        "total": sequence.total,
    }
    return record, [look.sentence]


def _reached(
    results: Results | None,
    path: Path,
    floors: Sequence[tuple[str, float]],
    rows: Sequence[Path],
    cluster_by: Sequence[str] | None,
    alpha: float,
) -> Iterator[Check]:
    """Yield the verdicts on scores that have to reach a floor."""
    from ...evaluation.comparison.saved_rows import clustered
    from ...evaluation.comparison.verdicts import level_of, reaches

    if results is None:
        results = read_with_rows([path], rows)[0] if cluster_by else Results.read(path)
    if cluster_by:
        try:
            results = clustered(results, cluster_by, confidence_level=level_of(alpha))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
    for name, value in floors:
        result = reaches(results, score=name, floor=value, alpha=alpha)
        record = {
            "score": result.score,
            "verdict": result.verdict,
            "new": result.value,
            "floor": result.floor,
            "confidence_interval": list(result.confidence_interval),
        }
        yield record, [result.sentence]


def _markdown(checks: Sequence[Check], outcome: str) -> str:
    """Return a table for the summary of a build, with the sentences below it."""
    lines = [f"### metric-commons gate: {outcome}", ""]
    lines += ["| score | new | baseline | condition | outcome |", "| --- | --- | --- | --- | --- |"]
    for record, _ in checks:
        condition = f"loss below {record['margin']:g}" if "margin" in record else ""
        if "floor" in record:
            condition = f"reaches {record['floor']:g}"
        old = f"{record['baseline']:.4f}" if "baseline" in record else ""
        new = f"{record['new']:.4f}" if "new" in record else ""
        cells = [record["score"], new, old, condition, _OUTCOME[record["verdict"]]]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", *(f"- {' '.join(sentences)}" for _, sentences in checks), ""]
    return "\n".join(lines) + "\n"
