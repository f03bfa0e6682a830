"""Ratings of systems from votes between two of them, with errors, intervals and ranks."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from ...statistics.arguments.arrays import Column, Floats, Integers, take
from ...statistics.arguments.checks import OptionError, RowError, check_labels, nearest, shown
from ...statistics.arguments.domains import (
    Count,
    Finite,
    Labels,
    Level,
    NonNegative,
    NumberLists,
    Positive,
    Range,
    Resamples,
    Seed,
    Weights,
    checked_options,
)
from ...statistics.arithmetic.exact_sums import Multiset
from ...statistics.intervals.intervals import critical_value
from ...statistics.intervals.intervals import interval as mean_interval
from ...statistics.intervals.proportions import Interval
from ...statistics.intervals.summary import members
from .bradley_terry import (
    NoFiniteRatingsError,
    Ties,
    check_finite,
    check_finite_with_ties,
    fit_strengths,
    win_probabilities,
)
from .elo_ratings import elo_strengths
from .rating_errors import (
    RatingErrors,
    RatingInterval,
    design_effects,
    kish_number,
    number_of_clusters,
    ranks_of_intervals,
    rating_errors,
)
from .style_control import fit_with_covariates, standardized, style_covariance
from .tie_models import fit_with_ties
from .vote_counts import VoteRows, Votes, count_votes, read_rows

Method = Literal["bradley_terry", "elo", "win_rate"]
# The method that `interval` of a result names.
_METHOD_NAMES = {"auto": "cautious_sandwich"} | {
    name: name for name in ("sandwich", "hessian", "bootstrap")
}
Base = Annotated[float, Range(1, strict=True)]


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
    initial: Finite = 1000.0,
    anchor: Mapping[str, float] | None = None,
    prior: NonNegative = 0.0,
    covariates: NumberLists | None = None,
    standardize: bool = True,
    sample_weight: Weights | None = None,
    k_factor: Positive = 4.0,
    orderings: Count = 1,
    confidence_level: Level | None = None,
    interval: RatingInterval = "auto",
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
        ties: "half" counts a tie as half a win of each side; "davidson" and "rao_kupper" have a
            parameter for ties; "ignore" leaves ties out.
        scale: the difference in rating at which the odds are `base` to 1.
        base: the base of these odds.
        initial: the mean rating.
        anchor: a system with its rating, such as {"baseline": 1000}; all ratings are shifted.
        prior: virtual votes for each compared pair, half won by each side; makes ratings finite.
        covariates: for each vote a list of differences between the first and the second answer;
            ratings are then for answers with equal covariates.
        standardize: whether covariates are standardized to mean 0 and standard deviation 1.
        sample_weight: the weight of each vote; None for equal weights.
        k_factor: the K-factor of Elo ratings, in rating points.
        orderings: 1 for Elo ratings in the given order, or the number of random orders to average
            over.
        confidence_level: also return intervals and standard errors, and ranks.
        interval: "auto" is the sandwich with a pseudo-vote for each pair, "sandwich" and "hessian"
            are the plain ones, "bootstrap" resamples votes or clusters.
        clusters: the cluster of each vote, such as its prompt or voter, for errors.
        n_resamples: number of resamples of "bootstrap".
        seed: the seed of the bootstrap and of the random orders.
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
    size = rows.first.size
    options: dict[str, Any] = {
        "method": method,
        "ties": ties,
        "scale": scale,
        "base": base,
        "initial": initial,
        "anchor": anchor,
        "prior": prior,
        "standardize": standardize,
        "k_factor": k_factor,
        "orderings": orderings,
        "confidence_level": confidence_level,
        "interval": interval,
        "n_resamples": n_resamples,
        "seed": seed,
    }
    columns = {"covariates": covariates, "sample_weight": sample_weight, "clusters": clusters}
    _check_together(rows, options, columns)
    labels = None if groups is None else check_labels("groups", groups, size)
    result = _rated(rows, columns, **options)
    if labels is not None:
        result["groups"] = {
            label: _rated_group(rows, columns, selection, options)
            for label, selection in members(labels).items()
        }
    return result


def _rows_of_group(rows: VoteRows, selection: Integers) -> VoteRows:
    """Some of the votes, and the systems that take part in them."""
    present, numbers = np.unique(
        np.stack([rows.first[selection], rows.second[selection]]), return_inverse=True
    )
    first, second = numbers.reshape(2, -1)
    systems = [rows.systems[number] for number in present.tolist()]
    return VoteRows(systems, first, second, rows.shares, rows.verdicts[selection])


def _rated_group(
    all_rows: VoteRows,
    all_columns: Mapping[str, Any],
    selection: Integers,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the result of a group; without finite ratings its win rates and the reason."""
    rows = _rows_of_group(all_rows, selection)
    columns = {name: take(column, selection) for name, column in all_columns.items()}
    size = {"n": int(selection.size)}
    try:
        return _rated(rows, columns, **options) | size
    except NoFiniteRatingsError as error:
        result = _rated(rows, columns, **{**options, "method": "win_rate"})
        undefined = {"ratings": dict.fromkeys(rows.systems, math.nan), "reason": str(error)}
        return result | undefined | size


def _check_together(rows: VoteRows, options: Mapping[str, Any], columns: Mapping[str, Any]) -> None:
    """Check that the options can be combined.

    Raises:
        ValueError: they cannot.
    """
    method, ties = options["method"], options["ties"]
    confidence = options["confidence_level"] is not None
    if ties != "half":
        shared = ~np.isin(rows.shares, (0.0, 0.5, 1.0))[rows.verdicts]
        if shared.any():
            row = int(shared.argmax())
            share = rows.shares[rows.verdicts[row]]
            raise RowError("winner", row, f"is {share}; points need ties='half'")
    anchor = options["anchor"]
    if anchor is not None:
        if len(anchor) != 1:
            raise OptionError("anchor", f"must name one system, got {len(anchor)}")
        ((name, rating),) = anchor.items()
        if name not in rows.systems:
            raise OptionError(
                "anchor",
                f"names {shown(name)}, which has no votes{nearest(str(name), rows.systems)}",
            )
        if isinstance(rating, bool) or not isinstance(rating, int | float | np.number):
            raise OptionError("anchor", f"must hold a number, got {shown(rating)}")
        if not math.isfinite(rating):
            raise OptionError("anchor", f"must hold a finite number, got {shown(rating)}")
    if confidence and options["prior"]:
        raise OptionError(
            "prior",
            "pulls ratings together, so that intervals around them cover too little; leave out "
            "prior or confidence_level",
        )
    of_bradley_terry = {
        "prior": bool(options["prior"]),
        "covariates": columns["covariates"] is not None,
        "ties": ties != "half",
    }
    for name, is_used in of_bradley_terry.items():
        if is_used and method != "bradley_terry":
            raise OptionError(name, f"is for method='bradley_terry', not for {shown(method)}")
    if columns["sample_weight"] is not None and method == "elo":
        raise OptionError("sample_weight", "is not for method='elo'")
    if columns["covariates"] is not None:
        if ties in ("davidson", "rao_kupper"):
            raise OptionError("covariates", f"need ties='half' or 'ignore', not {shown(ties)}")
        if options["prior"]:
            raise OptionError("covariates", "cannot be combined with prior")
        if confidence and options["interval"] == "bootstrap":
            raise OptionError("interval", "'bootstrap' is for ratings without covariates")
    if options["prior"] and ties in ("davidson", "rao_kupper"):
        raise OptionError("prior", f"needs ties='half' or 'ignore', not {shown(ties)}")


def _rated(rows: VoteRows, columns: Mapping[str, Any], **options: Any) -> dict[str, Any]:
    """Return the result for all votes, or for the votes of a group."""
    votes = count_votes(rows, **columns)
    result = _win_rates(votes)
    level = options["confidence_level"]
    stands_alone = not votes.weighted and votes.clusters is None
    if level is not None and stands_alone:
        intervals = _win_rate_intervals(votes, level)
        result["confidence_interval"] = {
            "win_rate": {name: [i.low, i.high] for name, i in intervals.items()}
        }
        result["interval"] = {"win_rate": "korn_graubard"}
        result["effective_n"] = {"win_rate": {name: i.effective_n for name, i in intervals.items()}}
    unit = options["scale"] / math.log(options["base"])
    if options["method"] == "elo":
        strengths = elo_strengths(
            rows, options["k_factor"] / unit, options["orderings"], options["seed"]
        )
        by_name = dict(zip(rows.systems, strengths.tolist(), strict=True))
        shift = _shift(by_name, unit, options)
        result["ratings"] = {name: shift + unit * value for name, value in by_name.items()}
    elif options["method"] == "bradley_terry":
        if options["ties"] == "ignore":
            votes = votes.take(np.flatnonzero(votes.share != 0.5))
        _add_ratings(result, votes, unit, options)
    return result


def _shift(strengths: Mapping[str, float], unit: float, options: Mapping[str, Any]) -> float:
    """Return the rating of the log strength 0."""
    if options["anchor"] is None:
        return float(options["initial"])
    ((name, rating),) = options["anchor"].items()
    # A group may lack the system.
    return float(rating) - unit * strengths[name] if name in strengths else math.nan


def _win_rates(votes: Votes) -> dict[str, Any]:
    """Counts and win rates, which every method has."""
    points, wins = votes.points(), votes.wins()
    games = points + points.T
    with np.errstate(invalid="ignore"):
        shares = points / games
        rates = points.sum(axis=1) / games.sum(axis=1)
    has_met = games > 0
    opponents = has_met.sum(axis=1)
    # The order of opponents must not matter, so sums are exact.
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
    return {
        "win_rate": votes.by_system(rates),
        "average_win_rate": votes.by_system(average),
        **{name: votes.by_system(values.astype(kind)) for name, values in counts.items()},
    }


def _win_rate_intervals(votes: Votes, confidence_level: float) -> dict[str, Interval]:
    """Intervals of win rates, with the points of a system in its votes as rows."""
    shares, codes = np.unique(votes.share, return_inverse=True)
    tables = [
        np.bincount(system * shares.size + codes, votes.count, votes.size * shares.size)
        for system in (votes.first, votes.second)
    ]
    counts = np.hstack([table.reshape(votes.size, -1) for table in tables]).astype(np.int64)
    points, positions = np.unique(np.append(shares, 1 - shares), return_inverse=True)
    intervals = {}
    for system, numbers in zip(votes.systems, counts, strict=True):
        by_points = np.bincount(positions, numbers, points.size).astype(np.int64)
        taken = by_points > 0
        intervals[system] = mean_interval(
            Multiset(points[taken], by_points[taken]),
            confidence_level=confidence_level,
            method="korn_graubard",
        )
    return dict(sorted(intervals.items()))


def _add_ratings(
    result: dict[str, Any], votes: Votes, unit: float, options: Mapping[str, Any]
) -> None:
    """Add the ratings of maximum likelihood, with errors and tie parameter, to the result."""
    ties, level = options["ties"], options["confidence_level"]
    if votes.covariates is not None:
        _add_ratings_with_covariates(result, votes, unit, options)
        return
    if ties in ("davidson", "rao_kupper"):
        wins, tied = votes.wins(), votes.ties()
        check_finite_with_ties(wins, tied, votes.systems, ties)
        fit = fit_with_ties(wins, tied, ties)
        _name_ratings(result, votes, votes.levelled(fit.strengths), unit, options)
        result["tie_parameter"] = fit.tie_parameter
        return
    points = votes.points()
    check_finite(points, votes.systems, options["prior"])
    strengths = votes.levelled(fit_strengths(points, options["prior"]))
    shift = _name_ratings(result, votes, strengths, unit, options)
    matrix = [
        dict(sorted(zip(votes.systems, row, strict=True)))
        for row in win_probabilities(strengths).tolist()
    ]
    result["win_matrix"] = dict(sorted(zip(votes.systems, matrix, strict=True)))
    if level is not None:
        errors = rating_errors(
            votes, strengths, options["interval"], level, options["n_resamples"], options["seed"]
        )
        _add_errors(result, votes, errors, unit, shift)
        result.setdefault("interval", {})["ratings"] = _METHOD_NAMES[options["interval"]]


def _name_ratings(
    result: dict[str, Any],
    votes: Votes,
    strengths: Floats,
    unit: float,
    options: Mapping[str, Any],
) -> float:
    """Add ratings to the result; returns the rating of the log strength 0."""
    by_name = dict(zip(votes.systems, strengths.tolist(), strict=True))
    shift = _shift(by_name, unit, options)
    result["ratings"] = votes.by_system(shift + unit * strengths)
    return shift


def _add_errors(
    result: dict[str, Any], votes: Votes, errors: RatingErrors, unit: float, shift: float
) -> None:
    """Add errors, intervals and ranks to the result."""
    low, high = shift + unit * errors.low, shift + unit * errors.high
    best, worst = ranks_of_intervals(low, high)
    intervals = result.setdefault("confidence_interval", {})
    intervals["ratings"] = votes.by_system(np.stack([low, high], axis=1))
    result["standard_error"] = votes.by_system(unit * errors.standard_error)
    if votes.clusters is not None:
        result["n_clusters"] = int(votes.clusters.max()) + 1
    if errors.design_effect is not None:
        result["design_effect"] = {"ratings": votes.by_system(errors.design_effect)}
    result["rank"] = votes.by_system(best)
    result["rank_interval"] = votes.by_system(np.stack([best, worst], axis=1))


def _add_ratings_with_covariates(
    result: dict[str, Any], votes: Votes, unit: float, options: Mapping[str, Any]
) -> None:
    """As `_add_ratings`, with coefficients of covariates and their errors."""
    from scipy.special import stdtr

    check_finite(votes.points(), votes.systems)
    covariates = votes.covariates
    if covariates is None:
        return
    if options["standardize"]:
        covariates = standardized(covariates)
    fit = fit_with_covariates(votes, covariates)
    strengths = votes.levelled(fit.strengths)
    shift = _name_ratings(result, votes, strengths, unit, options)
    result["coefficients"] = fit.coefficients.tolist()
    level, method = options["confidence_level"], options["interval"]
    if level is None:
        return
    clusters = number_of_clusters(votes)
    degrees = votes.rows - (votes.size - 1) - covariates.shape[1]
    if degrees < 1:
        raise OptionError(
            "covariates",
            f"{votes.rows} votes are too few for the errors of {votes.size} systems and "
            f"{covariates.shape[1]} covariates",
        )
    plain = fit.inverse
    if method != "hessian":
        plain = style_covariance(fit, votes, covariates, votes.clusters)
    variance = np.diag(plain)
    spread, freedom = variance, math.inf
    if method == "auto":
        rows = np.diag(style_covariance(fit, votes, covariates, None))
        spread, freedom = rows * (votes.rows / degrees), float(degrees)
        if votes.clusters is not None:
            spread = np.maximum(variance * (clusters / (clusters - 1)), spread)
            freedom = kish_number(votes.clusters, votes.total_weight) - 1
    size = votes.size
    variance, spread = (
        np.append(votes.levelled(values[:size]), values[size:]) for values in (variance, spread)
    )
    error = np.sqrt(variance)
    reach = critical_value(level, freedom) * np.sqrt(spread)
    effect = None
    if votes.clusters is not None and method != "hessian":
        row_variance = np.diag(style_covariance(fit, votes, covariates, None))
        effect = design_effects(variance[:size], votes.levelled(row_variance[:size]))
    errors = RatingErrors(error[:size], strengths - reach[:size], strengths + reach[:size], effect)
    _add_errors(result, votes, errors, unit, shift)
    result.setdefault("interval", {})["ratings"] = "t" if method == "auto" else method
    result["coefficient_error"] = error[size:].tolist()
    # Student's t with infinitely many degrees of freedom is normal.
    ratio = -np.abs(fit.coefficients) / np.sqrt(spread[size:])
    result["coefficient_p_value"] = (2 * stdtr(freedom, ratio)).tolist()
    result["confidence_interval"]["coefficients"] = np.stack(
        [fit.coefficients - reach[size:], fit.coefficients + reach[size:]], axis=1
    ).tolist()
