"""`metric-commons gate`: fail a build if a new system is worse than a baseline."""

from pathlib import Path
from typing import Annotated

import typer

from ..comparison.saved_rows import read_with_rows
from ..comparison.verdicts import INFERIOR, NOT_INFERIOR, UNDECIDED
from ..console.options import Alpha, ClusterBy, Confidence, Power, Rows

_STATUS = {NOT_INFERIOR: 0, UNDECIDED: 3, INFERIOR: 4}


def gate(
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The new result, written by --save.")],
    baseline: Annotated[Path, typer.Option(metavar="OLD", help="The result of the system in use.")],
    score: Annotated[str, typer.Option(metavar="NAME", help="The score, such as qa_f1.")],
    margin: Annotated[
        float, typer.Option(metavar="LOSS", help="The smallest loss that matters, above 0.")
    ],
    system: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The system, if a result has several."),
    ] = None,
    rows: Rows = None,
    cluster_by: ClusterBy = None,
    alpha: Alpha = 0.05,
    power: Power = 0.8,
    confidence: Confidence = None,
) -> None:
    """Test whether a new system is worse than a baseline, to fail a build.

    metric-commons gate new.json --baseline old.json --score qa_f1 --margin 0.01

    Both results need the scores of the same rows, which --per-example writes;
    rows are matched by their ids if they were scored with --id.

    Exit status: 0 not worse by the margin; 3 undecided (the message says how
    many rows are needed); 4 worse by more than the margin; 1 a file is wrong;
    2 the command line is wrong.
    """
    from ..comparison.verdicts import gate as verdict_on

    results_new, results_old = read_with_rows([new, baseline], rows or [], cluster_by=cluster_by)
    result = verdict_on(
        results_new,
        results_old,
        score=score,
        margin=margin,
        system=system,
        alpha=alpha,
        power=power,
        confidence_level=confidence,
    )
    for sentence in result.sentences:
        typer.echo(sentence)
    raise typer.Exit(_STATUS[result.verdict])
