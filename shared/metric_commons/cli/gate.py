"""`metric-commons gate`: whether a new system is worse than a baseline, for a build to act upon."""

from pathlib import Path
from typing import Annotated

import typer

from ..evaluation.saved_rows import read_with_rows
from ..evaluation.verdicts import INFERIOR, NOT_INFERIOR, UNDECIDED
from .options import Alpha, ClusterBy, Confidence, Power, Rows

_STATUS = {NOT_INFERIOR: 0, UNDECIDED: 3, INFERIOR: 4}


def gate(
    new: Annotated[Path, typer.Argument(metavar="NEW", help="What --save of `score` wrote.")],
    baseline: Annotated[
        Path, typer.Option(metavar="OLD", help="The same of the system that is in use.")
    ],
    score: Annotated[str, typer.Option(metavar="NAME", help="The score, such as qa_f1.")],
    margin: Annotated[
        float, typer.Option(metavar="LOSS", help="The loss that would matter; above 0.")
    ],
    system: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which system, where a result has several."),
    ] = None,
    rows: Rows = None,
    cluster_by: ClusterBy = None,
    alpha: Alpha = 0.05,
    power: Power = 0.8,
    confidence: Confidence = None,
) -> None:
    """Say whether a new system is inferior to a baseline on the same rows.

    metric-commons gate new.json --baseline old.json --score qa_f1 --margin 0.01

    Both results need the scores of their rows, which --per-example writes; rows
    are matched by --id, if they have ids. Exit status: 0 not inferior (worse by
    less than the margin, or better), 3 the rows cannot tell, and how many would,
    4 inferior; 1 bad input, 2 bad usage.
    """
    from ..evaluation.verdicts import gate as verdict_on

    results_new, results_old = read_with_rows([new, baseline], rows or [], cluster_by=cluster_by)
    result = verdict_on(
        results_new,
        results_old,
        score=score,
        margin=margin,
        system=system,
        alpha=alpha,
        power=power,
        confidence_level=0.95 if confidence is None else confidence,
    )
    for sentence in result.sentences:
        typer.echo(sentence)
    raise typer.Exit(_STATUS[result.verdict])
