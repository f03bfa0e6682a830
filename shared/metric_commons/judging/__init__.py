"""Votes, judges, and several samples of one answer."""

from typing import TYPE_CHECKING

from ..lazy import resolver

if TYPE_CHECKING:
    from .agreement.corrected_rates import judge_corrected
    from .agreement.rater_agreement import judge_agreement
    from .sampling.multiple_choice import bits_per_byte, choice_scores
    from .sampling.passes import pass_scores, sample_counts
    from .sampling.preferences import outcomes, win_rates
    from .votes.order_agreement import ranking_agreement
    from .votes.system_ratings import pairwise_ratings

__all__ = [
    "bits_per_byte",
    "choice_scores",
    "judge_agreement",
    "judge_corrected",
    "outcomes",
    "pairwise_ratings",
    "pass_scores",
    "ranking_agreement",
    "sample_counts",
    "win_rates",
]

__getattr__ = resolver(
    __name__,
    {
        "bits_per_byte": "sampling.multiple_choice",
        "choice_scores": "sampling.multiple_choice",
        "judge_agreement": "agreement.rater_agreement",
        "judge_corrected": "agreement.corrected_rates",
        "outcomes": "sampling.preferences",
        "pairwise_ratings": "votes.system_ratings",
        "pass_scores": "sampling.passes",
        "ranking_agreement": "votes.order_agreement",
        "sample_counts": "sampling.passes",
        "win_rates": "sampling.preferences",
    },
)
