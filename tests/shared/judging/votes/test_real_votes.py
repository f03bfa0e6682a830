"""Published votes and scores, with figures that several programs computed."""

import csv
import gzip
import itertools
import json
import math
import statistics

import numpy as np
import pytest
from scipy import stats

from metric_commons.judging import pairwise_ratings, ranking_agreement
from metric_commons.judging.votes.rating_errors import ranks_of_intervals
from metric_commons.reporting.leaderboards.published_scores import read_scores
from metric_commons.reporting.leaderboards.score_tables import score_table
from metric_commons.reporting.leaderboards.task_means import task_means
from tests.spec import GIVEN

FOLDER = GIVEN / "data" / "preferences"
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="the given data are not there")


def rows_of(name):
    path = FOLDER / name
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    return list(csv.DictReader(text.splitlines()))


@pytest.fixture(scope="module")
def figures():
    return json.loads((FOLDER / "figures.json").read_text())


@pytest.fixture(scope="module")
def votes():
    rows = rows_of("llmfao_votes.csv.gz")
    return {name: [row[name] for row in rows] for name in ("model_a", "model_b", "winner")}


def ranks_of_errors(result):
    """The best and the worst ranks of 1.96 standard errors around the ratings."""
    ratings, errors = (np.array([*result[key].values()]) for key in ("ratings", "standard_error"))
    reach = stats.norm.ppf(0.975) * errors
    ranks = ranks_of_intervals(ratings - reach, ratings + reach)
    return [dict(zip(result["ratings"], places.tolist(), strict=True)) for places in ranks]


def test_ratings_of_59_systems(votes, figures):
    expected = figures["llmfao"]
    result = pairwise_ratings(**votes, confidence_level=0.95)

    assert len(votes["winner"]) == 8931
    assert result["ratings"] == pytest.approx(expected["bradley_terry"], abs=1e-6)
    assert result["standard_error"] == pytest.approx(expected["standard_error_sandwich"], abs=1e-6)
    assert result["win_rate"] == pytest.approx(expected["win_rate"], abs=1e-12)
    assert result["average_win_rate"] == pytest.approx(expected["average_win_rate"], abs=1e-12)
    best, worst = ranks_of_errors(result)
    assert best == expected["rank"]
    assert worst == expected["rank_worst"]
    elo = pairwise_ratings(**votes, method="elo")["ratings"]
    assert elo == pytest.approx(expected["elo_k4"], abs=1e-6)


def test_a_model_with_a_parameter_for_ties(votes, figures):
    result = pairwise_ratings(**votes, ties="davidson")

    expected = figures["llmfao"]["davidson"]
    assert result["ratings"] == pytest.approx(expected["ratings"], abs=1e-5)
    assert result["tie_parameter"] == pytest.approx(expected["tie_parameter"], abs=1e-9)


def test_thirteen_prompts_are_too_few_clusters(votes):
    prompts = [row["prompt"] for row in rows_of("llmfao_votes.csv.gz")]
    with pytest.raises(ValueError, match=r"^clusters are 13, too few"):
        pairwise_ratings(**votes, clusters=prompts, confidence_level=0.95)


@pytest.fixture(scope="module")
def tasks():
    scores = {}
    for row in rows_of("mteb_eng_open.csv"):
        scores.setdefault(row["task"], {})[row["model"]] = float(row["main_score"])
    return scores


def test_ranks_over_41_tasks(figures):
    expected = figures["mteb_open"]
    table = score_table(read_scores([FOLDER / "mteb_eng_open.csv"]))
    board, lines = task_means(table, "tasks")
    found = {each["system"]: each for each in board.records()}

    assert lines == []
    for key, name in (
        ("value", "mean_of_tasks"),
        ("borda_rank", "borda_rank_mteb"),
    ):
        numbers = {system: of_system[key] for system, of_system in found.items()}
        assert numbers == pytest.approx(expected[name], abs=1e-12), name
    columns = ([each[key] for each in found.values()] for key in ("value", "borda"))
    tau = ranking_agreement(*columns, measures="kendall_tau_b")["kendall_tau_b"]
    assert tau == pytest.approx(expected["kendall_tau_b_mean_vs_mean_win_rate"], abs=1e-12)


@pytest.mark.long
def test_tasks_as_battles(tasks, figures):
    battles = [
        (
            a,
            b,
            "tie" if scores[a] == scores[b] else "model_a" if scores[a] > scores[b] else "model_b",
        )
        for scores in tasks.values()
        for a, b in itertools.combinations(sorted(scores), 2)
    ]
    expected = figures["mteb_open"]["battles"]
    result = pairwise_ratings(*map(list, zip(*battles, strict=True)), confidence_level=0.95)

    assert len(battles) == expected["votes"]
    assert result["ratings"] == pytest.approx(expected["bradley_terry"], abs=1e-6)
    assert result["standard_error"] == pytest.approx(expected["standard_error_sandwich"], abs=1e-6)
    assert ranks_of_errors(result)[0] == expected["rank"]


def test_ranks_of_arena_hard(figures):
    rows = rows_of("arena_hard_20240731.csv")
    low, high = ([float(row[name]) for row in rows] for name in ("rating_q025", "rating_q975"))
    best, _ = ranks_of_intervals(low, high)

    names = [row["model"] for row in rows]
    assert dict(zip(names, best.tolist(), strict=True)) == figures["arena_hard_20240731_rank"]


def test_the_recipe_of_length_controlled_win_rates(figures):
    rows = rows_of("alpaca_lengths_open.csv.gz")
    checked = 0
    for model, expected in figures["length_controlled"].items():
        chosen = [row for row in rows if row["model"] == model]
        assert chosen, rows[0]
        lengths = [[float(row[name]) for row in chosen] for name in LENGTHS]
        differences = [baseline - own for baseline, own in zip(*lengths, strict=True)]
        mean = math.fsum(differences) / len(differences)
        squares = math.fsum((difference - mean) ** 2 for difference in differences)
        deviation = math.sqrt(squares / (len(differences) - 1))
        controlled = [math.tanh(difference / deviation) for difference in differences]
        preferences = [float(row["preference"]) for row in chosen]
        result = pairwise_ratings(
            ["model"] * len(chosen),
            ["baseline"] * len(chosen),
            [0.5 if preference == 0 else preference - 1 for preference in preferences],
            covariates=[[length] for length in controlled],
            base=math.e,
            scale=1.0,
        )
        difference = result["ratings"]["model"] - result["ratings"]["baseline"]
        # Covariates are standardized, so that ratings are those at the mean of the lengths.
        moved = statistics.mean(controlled) / statistics.pstdev(controlled)
        difference -= result["coefficients"][0] * moved
        rate = 100 / (1 + math.exp(-difference))
        # The figure's optimizer stopped where the gradient is 5e-7; ours is below 1e-15.
        assert rate == pytest.approx(expected["lc_unpenalised"], abs=1e-5)
        assert 100 * result["win_rate"]["model"] == pytest.approx(expected["raw"], abs=1e-9)
        checked += 1
    assert checked == 6


LENGTHS = ("length_baseline", "length_model")
