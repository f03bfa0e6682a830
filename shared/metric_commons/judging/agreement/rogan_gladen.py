"""The rate that people would give, from the sensitivity and the specificity of a judge."""

import math
from typing import Any

import numpy as np

from ...statistics.arguments.arrays import Floats
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.proportions import critical_value
from ...statistics.intervals.summary import Measured
from ...statistics.intervals.weighted_units import DrawnScore, unit_intervals
from ...statistics.resampling.row_units import RowUnits
from .judged_rows import JudgedRows


def rogan_gladen(rows: JudgedRows, uncertainty: Uncertainty | None) -> Measured:
    """Return the rate of 1 among the rows without labels, corrected for the judge's errors.

    It only needs random samples of labels within each class. The error is by the delta method, with
    the counts moved towards 1/2.

    Args:
        rows: rows with verdicts and labels 0 and 1.
        uncertainty: the level of the interval; None for none.

    Raises:
        ValueError: there are other verdicts or labels, a class has no labels, every row has one, or
            the judge does no better than chance.

    Source:
        Rogan and Gladen, Estimating prevalence from the results of a screening test (1978). The
        error is that of Lee, Zeng et al., How to correctly report LLM-as-a-judge evaluations
        (2025).
    """
    labelled = rows.is_labelled
    verdicts, labels = rows.verdicts, rows.labels
    for name, values in (("predictions", verdicts), ("references", labels[labelled])):
        if not np.isin(values, (0.0, 1.0)).all():
            raise ValueError(f"{name}: rogan_gladen needs 0 and 1 only")
    if labelled.all():
        raise ValueError("references: every row is labelled, so there is nothing to correct")

    def count(kinds: Any) -> int:
        return int(rows.counts[kinds].sum())

    positives, negatives = count(labels == 1), count(labels == 0)
    if not positives or not negatives:
        raise ValueError("references: rogan_gladen needs labelled rows of both classes")
    sensitivity = count((labels == 1) & (verdicts == 1)) / positives
    specificity = count((labels == 0) & (verdicts == 0)) / negatives
    unlabelled = count(~labelled)
    judged = count(~labelled & (verdicts == 1)) / unlabelled
    if sensitivity + specificity <= 1:
        raise ValueError(
            f"the judge does no better than chance on the labelled rows (sensitivity "
            f"{sensitivity:.3g}, specificity {specificity:.3g}), so nothing can be corrected"
        )
    value = (judged + specificity - 1) / (specificity + sensitivity - 1)
    z = critical_value(0.95 if uncertainty is None else uncertainty.level, math.inf)
    sizes = np.array([unlabelled, negatives, positives])
    added = np.array([z * z, 2.0, 2.0])
    moved = (sizes * [judged, specificity, sensitivity] + added / 2) / (sizes + added)
    variances = moved * (1 - moved) / (sizes + added)
    slope = moved[1] + moved[2] - 1
    centre = (moved[0] + moved[1] - 1) / slope
    error = float(np.sqrt(variances @ [1.0, (1 - centre) ** 2, centre**2]) / slope)
    result: dict[str, Any] = {
        "judge_corrected": min(max(value, 0.0), 1.0),
        "standard_error": error,
        "sensitivity": sensitivity,
        "specificity": specificity,
        "judged_rate": judged,
        "labelled": rows.labelled,
        "n": len(rows),
    }
    if uncertainty is None:
        return result, {}
    is_right = labels == verdicts
    cells = [~labelled & (verdicts == 1), ~labelled, (labels == 1) & is_right, labels == 1]
    cells += [(labels == 0) & is_right, labels == 0]
    units = RowUnits(rows.counts, np.column_stack(cells).astype(np.float64))

    def measure(sums: Floats, _: object = None) -> dict[str, Floats]:
        judged, sensitivity, specificity = (sums[i] / sums[i + 1] for i in (0, 2, 4))
        slope = specificity + sensitivity - 1
        return {"": np.where(slope > 0, (judged + specificity - 1) / slope, np.nan)}

    # A row without a label, one of label 1 or one of label 0; with a hit or without one
    unseen = np.kron(np.eye(3), [[1.0, 1.0], [0.0, 1.0]]).astype(np.float64)
    score = DrawnScore(result["judge_corrected"], unseen, (0.0, 1.0))
    found = unit_intervals(units, {"": score}, measure, uncertainty)[""]
    return result, {"judge_corrected": found._replace(standard_error=error)}
