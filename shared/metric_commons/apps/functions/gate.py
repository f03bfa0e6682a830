"""`gate`: fail a build if a new system is worse than a baseline or than floors."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...evaluation.comparison.looks import gate_at_any_time
from ...evaluation.comparison.verdicts import INFERIOR, NOT_INFERIOR, UNDECIDED, reaches
from ...evaluation.comparison.verdicts import gate as verdict_on
from ...module.catalog.usage import UsageError
from ...statistics.arguments.checks import OptionError
from ...statistics.arguments.domains import Count, Level, Positive
from .findings import Finding, Saved, opened, with_origin

_STATUS = {NOT_INFERIOR: 0, UNDECIDED: 3, INFERIOR: 4}


def gate(
    new: Saved,
    baseline: Saved | None = None,
    *,
    score: str | Sequence[str] | None = None,
    margin: Positive | None = None,
    floor: Mapping[str, float] | None = None,
    clusters: str | Sequence[str] | None = None,
    sequential: bool = False,
    total: Count | None = None,
    alpha: Level = 0.05,
    confidence_level: Level | None = None,
) -> Finding:
    """Test whether a new system is worse than a baseline, to fail a build.

    metric-commons gate new.json --baseline old.json --score qa_f1 --margin 0.01

    metric-commons gate new.json --floor qa_em=0.4

    With a baseline both results need the same scored rows, which --rows writes; rows are matched by
    their ids if they were scored with --id. Of several scores and floors all have to pass. A floor
    is reached if the whole interval of the score lies above it.

    metric-commons gate new.json --baseline old.json --score qa_f1 --margin 0.01
    --sequential

    Without --sequential only one look is valid: if rows are added until a look decides, more than
    --alpha of losses pass. With it, look as often as you like: append rows to the new result, whose
    order must be random, and test again.

    Exit status: 0 not worse by the margin; 3 undecided; 4 worse by more than the margin; 1 a file
    is wrong; 2 the command line is wrong.

    Args:
        new: The new result, or the path of what --save or --rows wrote.
        baseline: The result of the system in use.
        score: A score to compare, such as qa_f1; repeatable.
        margin: The smallest loss that matters, above 0.
        floor: A value that a score has to reach, such as qa_em=0.4; repeatable.
        clusters: Field of clusters, which are counted instead of rows; repeatable.
        sequential: Decide by an interval that holds however often you look. For means of rows in
            a known range.
        total: With --sequential, the number of rows of the whole benchmark. The
            target is then the score of all of them.
        alpha: Significance level of the tests.
        confidence_level: Level of the interval of the difference.

    Returns:
        The verdict on all checks and each of them, with the exit status.

    Raises:
        ValueError: arguments contradict each other, or the results cannot be compared.
    """
    if total is not None and not sequential:
        raise OptionError("total", "is for --sequential")
    if sequential and (floor or baseline is None):
        raise UsageError("--sequential compares with a --baseline, not with a --floor")
    if sequential and clusters:
        raise OptionError("clusters", "is not for --sequential, which counts rows")
    if baseline is None and not floor:
        raise UsageError("Missing option '--baseline', or '--floor'")
    scores = [score] if isinstance(score, str) else score or []
    if (baseline is None) != (not scores) or (not scores) != (margin is None):
        raise UsageError("--baseline, --score and --margin go together")
    checks: list[dict[str, Any]] = []
    if baseline is not None:
        both = opened(new, clusters), opened(baseline, clusters)
        for name in scores:
            asked: dict[str, Any] = {"score": name, "margin": margin}
            if sequential:
                look = gate_at_any_time(*both, **asked, alpha=alpha, total=total)
                checks.append(asked | _looked(look))
            else:
                verdict = verdict_on(*both, **asked, alpha=alpha, confidence_level=confidence_level)
                checks.append(asked | _compared(verdict))
    for name, value in (floor or {}).items():
        results = with_origin(new, clusters).results
        reached = reaches(results, score=name, floor=value, alpha=alpha)._asdict()
        checks.append(
            reached | {"new": reached.pop("value"), "sentences": [reached.pop("sentence")]}
        )
    worst = max((check["verdict"] for check in checks), key=_STATUS.__getitem__)
    lines = [line for check in checks for line in check.pop("sentences")]
    return Finding({"verdict": worst, "checks": checks}, lines, status=_STATUS[worst])


def _compared(verdict: Any) -> dict[str, Any]:
    """Return the verdict on a score compared with that of the baseline."""
    comparison = verdict.comparison
    means = {comparison[side]: comparison[f"{side.upper()}_mean"] for side in "ab"}
    return {
        "verdict": verdict.verdict,
        "new": means["new"],
        "baseline": means["baseline"],
        "difference": means["new"] - means["baseline"],
        "p_not_inferior": verdict.p_not_inferior,
        "p_inferior": verdict.p_inferior,
        "rows": comparison["rows"],
        "sentences": verdict.sentences,
    }


def _looked(look: Any) -> dict[str, Any]:
    """Return the verdict on a score, which holds over all looks."""
    sequence = look.differences
    return {
        "verdict": look.verdict,
        "difference": sequence.mean,
        "confidence_interval": list(sequence.interval),
        "confidence_level": sequence.level,
        "rows": sequence.rows,
        "total": sequence.total,
        "sentences": [look.sentence],
    }
