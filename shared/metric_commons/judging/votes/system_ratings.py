"""Ratings of systems from votes between two of them, with errors, intervals and ranks."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from ...statistics.arguments.arrays import Column, Floats, Integers, take
from ...statistics.arguments.checks import OptionError, RowError, check_labels, shown
from ...statistics.arguments.domains import (
    Labels,
    Level,
    NumberLists,
    Positive,
    Range,
    Resamples,
    Seed,
    Weights,
    checked_options,
)
from ...statistics.intervals.intervals import ratio_interval
from ...statistics.intervals.methods import Uncertainty
from ...statistics.intervals.proportions import Interval
from ...statistics.intervals.summary import members
from .bradley_terry import (
    NoFiniteRatingsError,
    Ties,
    check_finite,
    check_finite_with_ties,
    fit_strengths,
    fit_with_ties,
    win_probabilities,
)
from .rating_errors import (
    RatingErrors,
    check_clusters,
    errors_of_influences,
    ranks_of_intervals,
    rating_errors,
)
from .style_control import fit_with_covariates, standardized
from .vote_counts import VoteRows, Votes, count_votes, read_rows

Method = Literal["bradley_terry", "elo", "win_rate"]
Base = Annotated[float, Range(1, strict=True)]

_MEAN_RATING = 1000.0


@checked_options
def pairwise_ratings(
    model_a: Column,
    model_b: Column,
    winner: Column,
    *,
    method: Method = "bradley_terry",
    ties: Ties = "half",
    scale: Positive = 400.0,
    base: Base = 10.0,
    anchor: Mapping[str, float] | None = None,
    covariates: NumberLists | None = None,
    sample_weight: Weights | None = None,
    k_factor: Positive = 4.0,
    confidence_level: Level | None = None,
    interval: Literal["auto", "bootstrap"] = "auto",
    clusters: Labels | None = None,
    n_resamples: Resamples = 1_000,
    seed: Seed = 0,
    groups: Labels | None = None,
) -> dict[str, Any]:
    """Return the ratings of systems, their win rates and counts, each a dictionary by system.

    Args:
        model_a: names of the systems shown first.
        model_b: names of the systems shown second.
        winner: "model_a", "model_b", "tie", "tie (bothbad)" or "both_bad"; or the part of the
            points that the first system gets, from 0 to 1.
        method: "bradley_terry" of maximum likelihood, "elo" in the order of votes, or only
            "win_rate".
        ties: "half" counts a tie as half a win of each side; "davidson" has a parameter for ties;
            "ignore" leaves ties out.
        scale: the difference in rating at which the odds are `base` to 1.
        base: the base of these odds.
        anchor: a system with its rating, such as {"baseline": 1000}; all ratings are shifted. None
            for a mean rating of 1000.
        covariates: for each vote a list of differences between the first and the second answer;
            ratings are then for answers with equal covariates. They are standardized to mean 0 and
            standard deviation 1, but for a constant.
        sample_weight: the weight of each vote; None for equal weights.
        k_factor: the K-factor of Elo ratings, in rating points.
        confidence_level: also return intervals and standard errors, and ranks.
        interval: "auto" is the law of random weights and one unseen vote, "bootstrap" resamples
            votes or clusters.
        clusters: the cluster of each vote, such as its prompt or voter, for errors.
        n_resamples: number of resamples of "bootstrap".
        seed: the seed of the bootstrap.
        groups: the group of each vote; also return the result of each group.

    Raises:
        ValueError: a row or an option is not valid, or no finite ratings fit the votes.

    >>> result = pairwise_ratings(
    ...     ["a", "a", "b", "b"], ["b", "b", "a", "a"], ["model_a", "model_a", "model_a", "tie"]
    ... )
    >>> {system: round(rating, 1) for system, rating in result["ratings"].items()}
    {'a': 1044.4, 'b': 955.6}
    """
    rows = read_rows(model_a, model_b, winner)
    columns = {"covariates": covariates, "sample_weight": sample_weight, "clusters": clusters}
    _check_rows(rows, ties, anchor)
    has_tie_model = ties == "davidson"
    has_covariates, has_level = covariates is not None, confidence_level is not None
    other_method = f"is for method='bradley_terry', not for {shown(method)}"
    for option, is_wrong, problem in (
        ("covariates", has_covariates and method != "bradley_terry", other_method),
        ("ties", ties != "half" and method != "bradley_terry", other_method),
        ("sample_weight", sample_weight is not None and method == "elo", "is not for method='elo'"),
        (
            "covariates",
            has_covariates and has_tie_model,
            f"need ties='half' or 'ignore', not {shown(ties)}",
        ),
        (
            "interval",
            has_covariates and has_level and interval == "bootstrap",
            "'bootstrap' is for ratings without covariates",
        ),
    ):
        if is_wrong:
            raise OptionError(option, problem)
    labels = None if groups is None else check_labels("groups", groups, rows.first.size)
    unit = scale / math.log(base)
    uncertainty = None
    if confidence_level is not None:
        uncertainty = Uncertainty(confidence_level, interval, None, n_resamples, seed)

    def fitted(votes: Votes) -> _Ratings:
        if votes.covariates is not None:
            return _with_covariates(votes, uncertainty)
        if has_tie_model:
            wins, tied = votes.wins(), votes.ties()
            check_finite_with_ties(wins, tied, votes.systems)
            strengths, parameter = fit_with_ties(wins, tied)
            return _Ratings(strengths, {"tie_parameter": parameter})
        points = votes.points()
        check_finite(points, votes.systems)
        strengths = fit_strengths(points)
        matrix = [votes.by_system(row) for row in win_probabilities(strengths)]
        details = {"win_matrix": dict(zip(votes.systems, matrix, strict=True))}
        if uncertainty is None:
            return _Ratings(strengths, details)
        return _Ratings(strengths, details, rating_errors(votes, strengths, uncertainty))

    def rated(rows: VoteRows, columns: Mapping[str, Any], method: Method) -> dict[str, Any]:
        votes = count_votes(rows, **columns)
        result = _win_rates(votes, confidence_level)
        if method == "win_rate":
            return result
        if method == "elo":
            ratings = _Ratings(elo_strengths(rows, k_factor / unit), {})
        else:
            if ties == "ignore":
                votes = votes.take(np.flatnonzero(votes.share != 0.5))
            ratings = fitted(votes)
        shift = _MEAN_RATING  # the rating of the log strength 0
        if anchor is not None:
            ((system, rating),) = anchor.items()
            # A group may lack the system.
            shift = math.nan
            if system in votes.systems:
                strength = float(ratings.strengths[votes.systems.index(system)])
                shift = float(rating) - unit * strength
        result["ratings"] = votes.by_system(shift + unit * ratings.strengths)
        result |= ratings.details
        if ratings.errors is not None:
            _add_errors(result, votes, ratings.errors, unit, shift)
        return result

    result = rated(rows, columns, method)
    if labels is None:
        return result
    result["groups"] = {}
    for label, selection in members(labels).items():
        part = _rows_of_group(rows, selection)
        part_columns = {name: take(column, selection) for name, column in columns.items()}
        try:
            entry = rated(part, part_columns, method)
        except NoFiniteRatingsError as error:
            ratings = dict.fromkeys(part.systems, math.nan)
            entry = rated(part, part_columns, "win_rate")
            entry |= {"ratings": ratings, "reason": str(error)}
        result["groups"][label] = entry | {"n": int(selection.size)}
    return result


class _Ratings(NamedTuple):
    """Log strengths, one per system, with what else a model says, and their errors."""

    strengths: Floats
    details: dict[str, Any]
    errors: RatingErrors | None = None


def _rows_of_group(rows: VoteRows, selection: Integers) -> VoteRows:
    """Return some of the votes, and the systems that take part in them."""
    present, numbers = np.unique(
        np.stack([rows.first[selection], rows.second[selection]]), return_inverse=True
    )
    first, second = numbers.reshape(2, -1)
    systems = [rows.systems[number] for number in present.tolist()]
    return VoteRows(systems, first, second, rows.shares, rows.verdicts[selection])


def _check_rows(rows: VoteRows, ties: str, anchor: Mapping[str, float] | None) -> None:
    """Check that the votes suit the way in which ties count, and have the anchor.

    Raises:
        ValueError: they do not.
    """
    if ties != "half":
        shared = ~np.isin(rows.shares, (0.0, 0.5, 1.0))[rows.verdicts]
        if shared.any():
            row = int(shared.argmax())
            share = rows.shares[rows.verdicts[row]]
            raise RowError("winner", row, f"is {share}; points need ties='half'")
    if anchor is not None:
        if len(anchor) != 1:
            raise OptionError("anchor", f"must name one system, got {len(anchor)}")
        ((name, rating),) = anchor.items()
        if name not in rows.systems:
            raise OptionError("anchor", f"names {shown(name)}, which has no votes")
        is_number = isinstance(rating, int | float | np.number) and not isinstance(rating, bool)
        if not is_number or not math.isfinite(rating):
            raise OptionError("anchor", f"must hold a finite number, got {shown(rating)}")


def elo_strengths(rows: VoteRows, k_factor: float) -> Floats:
    """Return log strengths after all votes, beginning with 0; shape (systems,).

    A vote moves its two systems by `k_factor` times the difference between the points of the first
    one and the expected points.

    Source:
        Elo, The rating of chessplayers, past and present (1978).

    Args:
        rows: the votes in their order.
        k_factor: the K-factor, in units of log strengths.

    >>> elo_strengths(read_rows(["a"], ["b"], ["model_a"]), 0.5).tolist()
    [0.25, -0.25]
    """
    # Each vote depends on the previous one. Python's floats are faster than arrays of one number.
    strengths = [0.0] * len(rows.systems)
    exp = math.exp
    columns = (rows.first, rows.second, rows.shares[rows.verdicts])
    for first, second, share in zip(*(column.tolist() for column in columns), strict=True):
        change = k_factor * (share - 1 / (1 + exp(strengths[second] - strengths[first])))
        strengths[first] += change
        strengths[second] -= change
    return np.array(strengths)


def _win_rates(votes: Votes, confidence_level: float | None) -> dict[str, Any]:
    """Return counts and win rates, which every method has, with intervals at a level."""
    points, wins = votes.points(), votes.wins()
    games = points + points.T
    with np.errstate(invalid="ignore"):
        shares = points / games
        rates = points.sum(axis=1) / games.sum(axis=1)
    has_met = games > 0
    opponents = has_met.sum(axis=1)
    totals = [math.fsum(row[keep]) for row, keep in zip(shares, has_met, strict=True)]
    average = [
        total / number if number else math.nan
        for total, number in zip(totals, opponents.tolist(), strict=True)
    ]
    counts = {
        "wins": wins.sum(axis=1),
        "losses": wins.sum(axis=0),
        "ties": votes.ties().sum(axis=1),
    }
    kind = np.float64 if votes.weighted else np.int64
    result: dict[str, Any] = {
        "win_rate": votes.by_system(rates),
        "average_win_rate": votes.by_system(average),
        **{name: votes.by_system(values.astype(kind)) for name, values in counts.items()},
    }
    if confidence_level is None or votes.weighted or votes.clusters is not None:
        return result
    intervals = _win_rate_intervals(votes, confidence_level)
    return result | {
        "confidence_interval": {
            "win_rate": {name: [i.low, i.high] for name, i in intervals.items()}
        },
        "interval": {"win_rate": "law"},
    }


def _win_rate_intervals(votes: Votes, confidence_level: float) -> dict[str, Interval]:
    """Return intervals of win rates, with the points of a system in its votes as rows."""
    intervals = {}
    for number, system in enumerate(votes.systems):
        sides = votes.first == number, votes.second == number
        points = np.concatenate([votes.share[sides[0]], 1 - votes.share[sides[1]]])
        counts = np.concatenate([votes.count[side] for side in sides]).astype(np.float64)
        intervals[system] = ratio_interval(
            points, np.ones(points.size), Uncertainty(confidence_level), counts=counts
        )
    return intervals


def _with_covariates(votes: Votes, uncertainty: Uncertainty | None) -> _Ratings:
    """Return ratings with the coefficients of covariates.

    Raises:
        ValueError: there are no finite ratings, or too few votes for their errors.
    """
    check_finite(votes.points(), votes.systems)
    covariates = standardized(np.asarray(votes.covariates))
    fit = fit_with_covariates(votes, covariates)
    details = {"coefficients": fit.coefficients.tolist()}
    if uncertainty is None:
        return _Ratings(fit.strengths, details)
    check_clusters(votes)
    degrees = votes.rows - (votes.size - 1) - covariates.shape[1]
    if degrees < 1:
        raise OptionError(
            "covariates",
            f"{votes.rows} votes are too few for the errors of {votes.size} systems and "
            f"{covariates.shape[1]} covariates",
        )
    values = np.append(fit.strengths, fit.coefficients)
    errors = errors_of_influences(votes, values, fit.inverse, fit.expected, uncertainty, covariates)
    return _Ratings(fit.strengths, details, errors)


def _add_errors(
    result: dict[str, Any],
    votes: Votes,
    errors: RatingErrors,
    unit: float,
    shift: float,
) -> None:
    """Add errors, intervals and ranks to the result, and those of coefficients."""
    from scipy.special import ndtr

    size = votes.size
    low, high = shift + unit * errors.low[:size], shift + unit * errors.high[:size]
    best, worst = ranks_of_intervals(low, high)
    intervals = result.setdefault("confidence_interval", {})
    intervals["ratings"] = votes.by_system(np.stack([low, high], axis=1))
    result["standard_error"] = votes.by_system(unit * errors.standard_error[:size])
    if votes.clusters is not None:
        result["n_clusters"] = int(votes.clusters.max()) + 1
    if errors.design_effect is not None:
        result["design_effect"] = {"ratings": votes.by_system(errors.design_effect)}
    result["rank"] = votes.by_system(best)
    result["rank_interval"] = votes.by_system(np.stack([best, worst], axis=1))
    result.setdefault("interval", {})["ratings"] = errors.method
    if votes.covariates is None:
        return
    result["coefficient_error"] = errors.standard_error[size:].tolist()
    ratio = -np.abs(result["coefficients"]) / errors.standard_error[size:]
    result["coefficient_p_value"] = (2 * ndtr(ratio)).tolist()
    ends = np.stack([errors.low[size:], errors.high[size:]], axis=1)
    intervals["coefficients"] = ends.tolist()
