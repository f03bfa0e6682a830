"""Judges and human labels: how well raters agree, and rates that labels correct."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .corrected_rates import judge_corrected
    from .rater_agreement import judge_agreement

__all__ = ["judge_agreement", "judge_corrected"]

__getattr__ = resolver(
    __name__, {"judge_agreement": "rater_agreement", "judge_corrected": "corrected_rates"}
)
