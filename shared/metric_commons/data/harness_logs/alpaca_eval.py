"""Annotations of AlpacaEval, `annotations.json`: which of two answers a judge prefers.

Later versions of AlpacaEval add the preference for answers of equal length, whose mean is the
length-controlled win rate. It cannot be computed from the other fields, since its model was fitted
to answers that are not in the file.

Source: tatsu-lab/alpaca_eval, `metrics/winrate.py`, `metrics/glm_winrate.py`.
"""

import math

from .logs import Content, Log, Marks, Record

FORMAT = "alpaca-eval"
MARKS = Marks(fields=[("instruction", "preference", "generator_1", "generator_2")])


def read(content: Content) -> Log:
    """Return the log of the second model, whose answers are compared with those of the first."""
    return Log(
        rows=content.rows,
        columns={
            "id": lambda record: record["instruction"],
            "prediction": lambda record: record["output_2"],
            "references": lambda record: [record["output_1"]],
            "logged": _scores,
        },
        system=content.first["generator_2"],
        task=f"alpaca_eval against {content.first['generator_1']}",
        variants={"annotator": lambda record: str(record.get("annotator"))},
    )


def _scores(record: Record) -> dict[str, float]:
    scores = {"win_rate": outcome(record)}
    if (adjusted := record.get("glm_preference")) is not None:
        scores["length_controlled_win_rate"] = adjusted
    return scores


def outcome(record: Record) -> float:
    """Return a preference from 1 (lost) to 2 (won), where 0 is a tie, as a number from 0 to 1.

    >>> [outcome({"preference": preference}) for preference in (1, 1.5, 1.75, 2, 0, None)]
    [0.0, 0.5, 0.75, 1.0, 0.5, nan]
    """
    preference = record["preference"]
    if preference is None:
        return math.nan
    return float(preference) - 1 if preference else 0.5
