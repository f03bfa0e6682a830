"""Ratings, agreement of rankings and boards of tasks: what peers returned, recorded and live."""

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import metric_commons
from metric_commons.judging.votes.rating_errors import ranks_of_intervals
from metric_commons.reporting.leaderboards.published_scores import Score
from metric_commons.reporting.leaderboards.score_tables import score_table
from metric_commons.reporting.leaderboards.task_means import task_means
from tests.conformance.test_judges import plain
from tests.spec import drawn_examples, is_passed_over, recorded

load = cache(metric_commons.load)


@cache
def cases(module):
    """The cases of a module by their names."""
    return {
        case["id"]: {key: plain(case[key]) for key in ("inputs", "options", "expected", "peers")}
        | {"form": case.get("form")}
        for case in recorded("preferences")
        if case["module"] == module and not is_passed_over(case)
    }


def about(expected):
    """A value to 1e-9 of its size."""
    return pytest.approx(expected, rel=1e-9, abs=1e-9, nan_ok=True)


def agree(found, expected, path=""):
    """Every number that is expected is found."""
    if isinstance(expected, dict):
        for key, inner in expected.items():
            agree(found[key], inner, f"{path}.{key}")
    elif isinstance(expected, list):
        for number, pair in enumerate(zip(found, expected, strict=True)):
            agree(*pair, f"{path}[{number}]")
    else:
        assert found == about(expected), path


VOTES = [name for name, case in cases("pairwise_ranking").items() if "winner" in case["inputs"]]


def of_peers(result, level):
    """Errors of the sandwich, and the ranks of intervals of so many of these around the ratings."""
    errors = result["standard_error"]
    reach = stats.norm.ppf((1 + level) / 2) * np.array([*errors.values()])
    ratings = np.array([*result["ratings"].values()])
    best, worst = ranks_of_intervals(ratings - reach, ratings + reach)
    return {
        "standard_error_sandwich": errors,
        "rank": dict(zip(errors, best.tolist(), strict=True)),
        "rank_interval": dict(zip(errors, np.stack([best, worst], axis=1).tolist(), strict=True)),
    }


@pytest.mark.parametrize("name", VOTES)
def test_ratings_of_a_case(name):
    case = cases("pairwise_ranking")[name]
    metric, call = load("pairwise_ranking"), case["inputs"] | case["options"]
    if "error" in case["expected"]:
        with pytest.raises(ValueError, match=case["expected"]["error"]):
            metric.compute(**call)
        return
    result = metric.compute(**call)
    for key, expected in case["expected"].items():
        if key == "standard_error_hessian":  # too wide for ties, and not ours
            continue
        if key in ("confidence_interval", "rank", "rank_interval") and case["form"]:
            continue  # recorded with a cautious variance
        theirs = not case["form"] and key in ("standard_error_sandwich", "rank", "rank_interval")
        if theirs:
            agree(of_peers(result, call["confidence_level"])[key], expected, key)
        else:
            agree(result[key], expected, key)


def test_there_are_many_cases():
    assert len(VOTES) == 94
    assert len(cases("ranking_agreement")) == 78
    assert len(cases("leaderboard")) == 6


@pytest.mark.parametrize("name", ["rankrule3", "rankrule4"])
def test_ranks_follow_from_intervals(name):
    case = cases("pairwise_ranking")[name]
    best, worst = ranks_of_intervals(*map(np.array, case["inputs"].values()))

    assert best.tolist() == case["expected"]["rank"]
    assert worst.tolist() == case["expected"]["rank_worst"]


OVERLAPS = {"ext": "rbo", "min": "rbo_min", "max": "rbo_max", "res": "rbo_residual"}


@pytest.mark.parametrize("name", cases("ranking_agreement"))
def test_agreement_of_a_case(name):
    case = cases("ranking_agreement")[name]
    metric, inputs = load("ranking_agreement"), case["inputs"]
    if "rankings" not in inputs:
        # Recorded intervals are of a cautious variance, and ours of an unseen system.
        of_ends = {"confidence_interval"} if name.startswith("auto/") else set()
        expected = {key: value for key, value in case["expected"].items() if key not in of_ends}
        agree(metric.compute(**inputs, **case["options"]), expected)
        return
    first, second = inputs["rankings"]
    for key, expected in case["expected"].items():
        ties, _, score = key.partition(".")
        result = metric.compute(
            predictions=[first], references=[second], ties=ties, **case["options"]
        )
        assert result[OVERLAPS[score]] == about(expected), key


@pytest.mark.parametrize("name", cases("leaderboard"))
def test_boards_of_a_case(name):
    """A missing score counts as in MTEB."""
    case = cases("leaderboard")[name]
    columns = [case["inputs"][key] for key in ("system", "task", "score")]
    scores = [Score(system, task, score, "") for system, task, score in zip(*columns, strict=True)]
    has_gaps = any(math.isnan(score) for score in columns[2])
    board, _ = task_means(score_table(scores), "tasks", gaps="worst")
    found = {each["system"]: each | {"mean": each["value"]} for each in board.records()}

    assert {"borda", "borda_rank"} <= case["expected"].keys()
    for key in ("borda", "borda_rank", *(() if has_gaps else ("mean",))):
        for system, value in case["expected"][key].items():
            assert found[system][key] == about(value), (key, system)


# Live peers

SYSTEMS = [f"m{number}" for number in range(6)]


def draw_votes(seed, size, systems=6, ties=0.2):
    """Random votes of systems that differ, so many that every two have met both ways."""
    random = np.random.default_rng(seed)
    first = random.integers(0, systems, size)
    second = (first + random.integers(1, systems, size)) % systems
    odds = np.exp((second - first) / systems)
    verdict = np.where(random.random(size) < 1 / (1 + odds), "model_a", "model_b")
    verdict = np.where(random.random(size) < ties, "tie", verdict)
    names = np.array(SYSTEMS)
    return {
        "model_a": names[first].tolist(),
        "model_b": names[second].tolist(),
        "winner": verdict.tolist(),
    }


def in_evalica(votes):
    evalica = pytest.importorskip("evalica")
    winners = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    return votes["model_a"], votes["model_b"], [winners[winner] for winner in votes["winner"]]


def as_ratings(strengths):
    """Strengths of a peer as ratings whose mean is 1000."""
    logarithms = np.log(np.asarray(strengths, float))
    return 1000 + 400 / math.log(10) * (logarithms - logarithms.mean())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("name", "ties"), [("bradley_terry", "half"), ("newman", "davidson")])
def test_ratings_are_those_of_evalica(seed, name, ties):
    votes = draw_votes(seed, 300)
    evalica = pytest.importorskip("evalica")
    theirs = getattr(evalica, name)(*in_evalica(votes), tolerance=1e-13, limit=100_000).scores
    ours = load("pairwise_ranking").compute(**votes, ties=ties)["ratings"]

    assert [ours[name] for name in theirs.index] == pytest.approx(
        as_ratings(theirs.to_numpy()).tolist(), abs=1e-6
    )


@pytest.mark.parametrize("seed", range(3))
def test_elo_and_average_win_rates_are_those_of_evalica(seed):
    votes = draw_votes(seed, 300)
    evalica = pytest.importorskip("evalica")
    metric = load("pairwise_ranking")
    elo = evalica.elo(*in_evalica(votes), initial=1000.0, base=10.0, scale=400.0, k=4.0).scores
    rates = evalica.average_win_rate(*in_evalica(votes)).scores

    assert metric.compute(**votes, method="elo")["ratings"] == pytest.approx(dict(elo), abs=1e-9)
    assert metric.compute(**votes)["average_win_rate"] == pytest.approx(dict(rates), abs=1e-12)


def test_ratings_are_those_of_choix():
    choix = pytest.importorskip("choix")
    votes = draw_votes(5, 400, ties=0)
    pairs = [
        (SYSTEMS.index(a), SYSTEMS.index(b))
        if winner == "model_a"
        else (SYSTEMS.index(b), SYSTEMS.index(a))
        for a, b, winner in zip(*votes.values(), strict=True)
    ]
    theirs = choix.opt_pairwise(len(SYSTEMS), pairs, tol=1e-12)
    ours = load("pairwise_ranking").compute(**votes)["ratings"]

    # Their optimizer stops early.
    assert [*ours.values()] == pytest.approx(as_ratings(np.exp(theirs)).tolist(), abs=1e-3)


@pytest.mark.long
@pytest.mark.parametrize("clustered", [False, True])
def test_coefficients_and_errors_are_those_of_statsmodels(clustered):
    api = pytest.importorskip("statsmodels.api")
    votes = draw_votes(7, 400)
    random = np.random.default_rng(8)
    lengths = random.standard_normal(400)
    lengths = (lengths - lengths.mean()) / lengths.std()  # which ours does anyway
    covariates = np.column_stack([np.ones(400), lengths])
    clusters = random.integers(0, 40, 400)
    design = np.zeros((400, len(SYSTEMS)))
    for row, (a, b) in enumerate(zip(votes["model_a"], votes["model_b"], strict=True)):
        design[row, SYSTEMS.index(a)], design[row, SYSTEMS.index(b)] = 1, -1
    shares = [{"model_a": 1.0, "model_b": 0.0, "tie": 0.5}[w] for w in votes["winner"]]
    covariance = {"cov_type": "HC0"}
    if clustered:
        covariance = {
            "cov_type": "cluster",
            "cov_kwds": {"groups": clusters, "use_correction": False},
        }
    # One system has the strength 0, since strengths may be shifted together.
    theirs = api.GLM(
        shares, np.column_stack([design[:, 1:], covariates]), family=api.families.Binomial()
    ).fit(tol=1e-14, **covariance)
    ours = load("pairwise_ranking").compute(
        **votes,
        covariates=covariates.tolist(),
        confidence_level=0.95,
        base=math.e,
        scale=1.0,
        **({"clusters": clusters.tolist()} if clustered else {}),
    )

    assert ours["coefficients"] == pytest.approx(theirs.params[-2:].tolist(), abs=1e-9)
    assert ours["coefficient_error"] == pytest.approx(theirs.bse[-2:].tolist(), abs=1e-9)
    assert ours["coefficient_p_value"] == pytest.approx(theirs.pvalues[-2:].tolist(), abs=1e-9)
    strengths = np.array([*ours["ratings"].values()])
    assert (strengths - strengths[0])[1:].tolist() == pytest.approx(
        theirs.params[:-2].tolist(), abs=1e-8
    )


@pytest.mark.long
@drawn_examples(200)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=25))
def test_correlations_are_those_of_scipy(pairs):
    first, second = (np.array(column, float) for column in zip(*pairs, strict=True))
    names = ("kendall_tau_b", "spearman", "pearson", "weightedtau")
    found = load("ranking_agreement").compute(predictions=first, references=second, measures=names)
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert all(math.isnan(value) for value in found.values())
        return
    theirs = (
        stats.kendalltau(first, second),
        stats.spearmanr(first, second),
        stats.pearsonr(first, second),
        stats.weightedtau(first, second),
    )
    expected = {name: result.statistic for name, result in zip(names, theirs, strict=True)}
    assert found == pytest.approx(expected, abs=1e-12)
