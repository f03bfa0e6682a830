"""Outcomes of single trials: options chosen, samples that pass, comparisons won."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .multiple_choice import bits_per_byte, choice_scores
    from .pass_measures import pass_scores
    from .passes import pass_at_k, sample_counts
    from .preferences import alpaca_outcomes, outcomes, win_rates

__all__ = [
    "alpaca_outcomes",
    "bits_per_byte",
    "choice_scores",
    "outcomes",
    "pass_at_k",
    "pass_scores",
    "sample_counts",
    "win_rates",
]

__getattr__ = resolver(
    __name__,
    {
        "alpaca_outcomes": "preferences",
        "bits_per_byte": "multiple_choice",
        "choice_scores": "multiple_choice",
        "outcomes": "preferences",
        "pass_at_k": "passes",
        "pass_scores": "pass_measures",
        "sample_counts": "passes",
        "win_rates": "preferences",
    },
)
