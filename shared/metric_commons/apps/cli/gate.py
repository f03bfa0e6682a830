"""`metric-commons gate`: fail a build if a new system is worse than a baseline or than floors."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from ...evaluation.comparison.saved_results import read_results, saved_result
from ...evaluation.comparison.verdicts import INFERIOR, NOT_INFERIOR, UNDECIDED
from ...evaluation.results.results import Results
from ...module.catalog.usage import UsageError
from ...statistics.arguments.domains import Count, Level
from ..console.commands import command, one_field
from ..console.outputs import show_json

if TYPE_CHECKING:
    from ...evaluation.comparison.verdicts import ComparisonVerdict

_STATUS = {NOT_INFERIOR: 0, UNDECIDED: 3, INFERIOR: 4}
_OUTCOME = {NOT_INFERIOR: "passed", UNDECIDED: "undecided", INFERIOR: "failed"}

Check = tuple[dict[str, Any], Sequence[str]]  # a condition: its verdict and numbers, in sentences


def gate(
    new: Path,
    *,
    baseline: Path | None = None,
    score: list[str] | None = None,
    margin: list[str] | None = None,
    floor: dict[str, str] | None = None,
    undecided: Literal["fail", "pass"] = "fail",
    clusters: list[str] | None = None,
    sequential: bool = False,
    total: Count | None = None,
    alpha: Level = 0.05,
    confidence_level: Level | None = None,
    format_name: Literal["table", "json"] = "table",
) -> int:
    """Test whether a new system is worse than a baseline, to fail a build.

    metric-commons gate new.json --baseline old.json --score qa_f1 --margin 0.01

    metric-commons gate new.json --floor qa_em=0.4

    With a baseline both results need the same scored rows, which --rows
    writes; rows are matched by their ids if they were scored with
    --id. Of several scores and floors all have to pass. A floor is reached if
    the whole interval of the score lies above it.

    metric-commons gate new.json --baseline old.json --score qa_f1 --margin 0.01
    --sequential

    Without --sequential only one look is valid: if rows are added until a look
    decides, more than --alpha of losses pass. With it, look as often as you like:
    append rows to the new result, whose order must be random, and test again.

    Exit status: 0 not worse by the margin; 3 undecided (the message says how
    many rows are needed); 4 worse by more than the margin; 1 a file is wrong;
    2 the command line is wrong.

    Args:
        new: The new result, written by --save, or its rows, written by --rows.
        baseline: The result of the system in use.
        score: A score to compare, such as qa_f1; repeatable.
        margin: The smallest loss that matters, above 0, of all scores or of one.
        floor: A value that a score has to reach, such as qa_em=0.4; repeatable.
        undecided: Exit status if the rows cannot decide: 3 (fail) or 0 (pass).
        sequential: Decide by an interval that holds however often you look. For means of rows in
            a known range.
        total: With --sequential, the number of rows (or clusters) of the whole benchmark. The
            target is then the score of all of them.
        clusters: Field of clusters, which are counted instead of rows; repeatable.
        alpha: Significance level of the tests.
        confidence_level: Level of the interval of the difference.
        format_name: Format of the printed output.
    """
    if total is not None and not sequential:
        raise UsageError("--total is for --sequential")
    floors = {name: _number("--floor", text) for name, text in (floor or {}).items()}
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
            one_field(clusters, "--sequential")
        results, second = (read_results(path, clusters or []) for path in (new, baseline))
        for name, loss in margins.items():
            if sequential:
                options: dict[str, Any] = {"alpha": alpha, "total": total}
                checks.append(_looked(results, second, name, loss, options))
            else:
                options = {"alpha": alpha, "confidence_level": confidence_level}
                checks.append(_compared(results, second, name, loss, options))
    if floors:
        results = results or saved_result(new, clusters or []).results
        checks += _reached(results, floors, alpha)
    worst = max((record["verdict"] for record, _ in checks), key=_STATUS.__getitem__)
    status = 0 if worst == UNDECIDED and undecided == "pass" else _STATUS[worst]
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(_markdown(checks, "passed" if status == 0 else _OUTCOME[worst]))
    if format_name == "json":
        show_json({"verdict": worst, "checks": [record for record, _ in checks]})
    else:
        click.echo("\n".join(sentence for _, sentences in checks for sentence in sentences))
    return status


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


def _reached(results: Results, floors: Mapping[str, float], alpha: float) -> Iterator[Check]:
    """Yield the verdicts on scores that have to reach a floor."""
    from ...evaluation.comparison.verdicts import reaches

    for name, value in floors.items():
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


COMMANDS = {"gate": command(gate, quiet=False)}
