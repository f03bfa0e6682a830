"""What AlpacaEval and FastChat returned, and AlpacaEval's published leaderboards."""

import gzip
import json
import math
import re
from collections import Counter

import pytest

from metric_commons import load
from tests.spec import GIVEN, ROOT, published, recorded

LEADERBOARDS = GIVEN / "data" / "text" / "alpaca_eval" / "alpaca_eval_slim.json.gz"
CARD = ROOT / "metrics" / "win_rate" / "README.md"
# Its published row was made from other preferences than those published with it.
STALE = "alpaca_eval_gpt4_turbo_fn/Mistral-7B-Instruct-v0.2"
SCORES = ("win_rate", "discrete_win_rate", "standard_error")
COUNTS = {"n_wins": "wins", "n_wins_base": "losses", "n_draws": "ties"}


@pytest.fixture(scope="module")
def win_rate():
    return load("win_rate")


def outcomes_of(preferences):
    """Outcomes for the model, where 1 prefers the baseline, 2 the model, and 1.5 or 0 neither."""
    return [(preference or 1.5) - 1.0 for preference in preferences]


def as_alpaca_eval(result):
    percentages = {name: 100 * result[name] for name in SCORES}
    return percentages | {theirs: result[ours] for theirs, ours in COUNTS.items()}


def number(value):
    return float(value["nonfinite"]) if isinstance(value, dict) else value


def cases():
    of_group = [case for case in recorded("text") if case["group"] == "win_rate"]
    return [case for case in of_group if "preferences" in case["input"]]


def test_cases(win_rate):
    compared = Counter()
    for case in cases():
        preferences = case["input"]["preferences"]
        if any(type(p) not in (int, float) or not (p == 0 or 1 <= p <= 2) for p in preferences):
            continue
        if not preferences:
            with pytest.raises(ValueError, match="is empty"):
                win_rate.compute(predictions=outcomes_of(preferences))
            continue
        outcomes = outcomes_of(preferences)
        half = win_rate.compute(predictions=outcomes, ties="half")
        peer = {key: number(x) for key, x in case["peers"]["alpaca_eval.get_winrate"].items()}
        total = peer.pop("n_total")
        assert as_alpaca_eval(half) == pytest.approx(peer, rel=1e-12, nan_ok=True)
        assert half["wins"] + half["losses"] + half["ties"] == total
        compared["AlpacaEval 0.6.6"] += 1

        peer = case["peers"].get("fastchat.show_result(pairwise)")
        if peer:  # it knows no weights
            assert half["win_rate"] == pytest.approx(peer["win_rate_adjusted"], rel=1e-12)
            assert half["wins"] / total == pytest.approx(peer["win_rate"], rel=1e-12)
            assert [half[key] for key in ("wins", "losses", "ties")] == [
                peer[key] for key in ("win", "loss", "tie")
            ]
            decided = peer["win"] + peer["loss"]
            expected = peer["win"] / decided if decided else math.nan
            ignored = win_rate.compute(predictions=outcomes)["win_rate"]
            assert ignored == pytest.approx(expected, rel=1e-12, nan_ok=True)
            compared["FastChat 0e6d3e4 `win_rate_adjusted`"] += 1

    table = re.findall(r"^\| (.+?) \|.*?\| (\d+) of (\d+), ", CARD.read_text("utf-8"), re.M)
    assert {(peer, str(count), str(count)) for peer, count in compared.items()} == set(table)


@pytest.mark.parametrize(
    "model",
    [
        "weighted_alpaca_eval_gpt4_turbo/wizardlm-13b",
        "alpaca_eval_gpt4/zephyr-7b-alpha",
        "alpaca_eval_gpt4/zephyr-7b-beta",
    ],
)
def test_a_row_of_a_published_leaderboard(win_rate, model):
    case = published(model)
    result = win_rate.compute(predictions=outcomes_of(case["rows"]), ties="half")

    assert as_alpaca_eval(result) == pytest.approx(case["published"], rel=0, abs=1e-6)


@pytest.mark.long
@pytest.mark.skipif(not LEADERBOARDS.exists(), reason="the data is not part of the project")
def test_published_leaderboards(win_rate):
    models = json.loads(gzip.decompress(LEADERBOARDS.read_bytes()))
    differing, rows = [], 0
    for name, model in models.items():
        published = model["published"]
        if published is None:
            continue
        preferences = [each for each in model["preference"] if each is not None]
        result = win_rate.compute(predictions=outcomes_of(preferences), ties="half")
        scores = as_alpaca_eval(result)
        rows += 1
        if any(abs(value - float(published[key])) > 1e-6 for key, value in scores.items()):
            differing.append(name)

    assert rows == 123
    assert differing == [STALE]
