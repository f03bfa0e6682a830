"""Every community that the card of truthful_mc claims, against what its own code returned.

The table here says where the values of a peer stand in the case file, and on which questions it is
known to differ, and why. Exactly these may differ, and the card has to have the same numbers.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import inf, isclose

import pytest

from metric_commons import load
from tests.spec import ROOT, recorded
from tests.tables import tabled

CARD = ROOT / "metrics" / "truthful_mc" / "README.md"


@dataclass(frozen=True)
class Peer:
    """One row of the table in the card."""

    name: str
    at: Sequence[str]  # the way to the peer's value in the case file
    score: str  # the key of our result
    options: Mapping[str, str] = field(default_factory=dict)
    differ: Mapping[str, Sequence[str]] = field(default_factory=dict)  # reason -> questions
    unit: Callable[[str], int] | None = None  # what `length` counts; None for tokens

    def __str__(self):
        return self.name


LM_EVAL = "lm_eval(ConfigurableTask.process_results lines 1494-1576)"
OLMES = "olmes.MCAccuracy"
CHARACTER, TOKEN, UNCONDITIONAL = (
    {"length_normalization": how} for how in ("character", "token", "unconditional")
)


def characters(option):
    return len(option)


def characters_but_the_first_space(option):
    return len(option.removeprefix(" "))


def utf8_bytes(option):
    return len(option.encode())


TRUTHFUL = [Peer(*row) for row in tabled(__file__, "TRUTHFUL")]

CHOICES = [
    Peer("OLMES `acc_raw`", [OLMES, "acc_raw"], "mc1"),
    Peer("OLMES `acc_per_char`", [OLMES, "acc_per_char"], "mc1", CHARACTER, unit=characters),
    Peer("OLMES `acc_per_byte`", [OLMES, "acc_per_byte"], "mc1", CHARACTER, unit=utf8_bytes),
    Peer("OLMES `acc_per_token`", [OLMES, "acc_per_token"], "mc1", TOKEN),
    Peer("OLMES `acc_uncond`", [OLMES, "acc_uncond"], "mc1", UNCONDITIONAL),
    Peer("lm-eval 4e7e0d4 `acc`", [LM_EVAL, "acc"], "mc1"),
    Peer("lm-eval 4e7e0d4 `acc_norm`", [LM_EVAL, "acc_norm"], "mc1", CHARACTER, unit=characters),
    Peer("lm-eval 4e7e0d4 `acc_bytes`", [LM_EVAL, "acc_bytes"], "mc1", CHARACTER, unit=utf8_bytes),
    Peer("lm-eval 4e7e0d4 `acc_mutual_info`", [LM_EVAL, "acc_mutual_info"], "mc1", UNCONDITIONAL),
]
for how, options, unit in [
    ("none", {}, None),
    ("char", CHARACTER, characters),
    ("char_nospace", CHARACTER, characters_but_the_first_space),
    ("token", TOKEN, None),
    ("pmi", UNCONDITIONAL, None),
]:
    for title, function, score in [
        ("`loglikelihood_acc`", "loglikelihood_acc", "mc1"),
        ("`norm_multichoice_prob`", "norm_multichoice_prob", "mc2"),
    ]:
        at = [f"lighteval.{function}[{how}]"]
        CHOICES.append(Peer(f"lighteval 3fd1526 {title}, {how}", at, score, options, unit=unit))


# The questions


@cache
def truthful_mc():
    return load("truthful_mc")


@cache
def cases(group):
    return [case for case in recorded("text") if case["group"] == group]


def number(value):
    """A recorded number; of one that is not finite the name is recorded."""
    return float(value["nonfinite"]) if isinstance(value, dict) else value


def theirs(case, peer):
    """What the peer returned: a number, an error as a dict, or None if it was not asked."""
    column, *key = peer.at
    value = case["peers"].get(column)
    if not key or value is None or "error" in value:
        return value
    return value.get(*key)


def truthful_inputs(case, score):
    """All options with their labels; for MC1 of the peers the best answer and the false ones."""
    given = case["input"]
    if "labels" in given:
        return list(map(number, given["logprobs"])), given["labels"]
    true, false = ([*map(number, given[f"{kind}_logprobs"])] for kind in ("true", "false"))
    if score == "mc1":
        true = [true[given["best_index"]]]
    return true + false, [1] * len(true) + [0] * len(false)


def choice_inputs(case, peer):
    """The options of a question with one right answer, as the peer's normalization wants them."""
    given = case["input"]
    scores = list(map(number, given["logprobs"]))
    labels = [int(option == given["gold"]) for option in range(len(scores))]
    how = peer.options.get("length_normalization", "none")
    if how == "unconditional":
        return {"score": scores, "unconditional": given["unconditional"]}, labels
    if how in ("character", "token"):
        lengths = [peer.unit(option) for option in given["choices"]] if peer.unit else None
        return {"score": scores, "length": lengths or given["num_tokens"]}, labels
    return scores, labels


def ours(peer, scores, labels):
    result = truthful_mc().compute(predictions=[scores], references=[labels], **peer.options)
    return result[peer.score]


def same(mine, other):
    return isinstance(other, int | float) and isclose(mine, other, rel_tol=1e-12, abs_tol=0)


def compared(peer):
    """Each question that the peer was asked, and whether it says the same."""
    agree = {}
    group = "truthful_mc" if peer in TRUTHFUL else "mc_norm"
    for case in cases(group):
        value = theirs(case, peer)
        if value is None:
            continue
        if group == "truthful_mc":
            inputs = truthful_inputs(case, peer.score)
        else:
            inputs = choice_inputs(case, peer)
        try:
            agree[case["id"]] = same(ours(peer, *inputs), number(value))
        except (ValueError, KeyError):  # an error of ours, or of theirs
            agree[case["id"]] = False
    return agree


# Peers


@pytest.mark.parametrize("peer", TRUTHFUL + CHOICES, ids=str)
def test_a_peer_says_the_same(peer):
    agree = compared(peer)
    known = {question for questions in peer.differ.values() for question in questions}

    assert agree
    assert {question for question, same in agree.items() if not same} == known


@pytest.mark.parametrize("peer", TRUTHFUL + CHOICES, ids=str)
def test_the_card_has_the_same_numbers(peer):
    agree = compared(peer)
    options = ", ".join(f'{name}="{value}"' for name, value in peer.options.items())
    (row,) = re.findall(rf"^\| {re.escape(peer.name)} \|(.*)$", CARD.read_text("utf-8"), re.M)
    cells = [cell.strip() for cell in row.split("|")]

    assert cells[0].strip("`") == options
    assert cells[1] == f"{sum(agree.values())} of {len(agree)}"


def test_the_card_has_no_other_peers():
    conformance = CARD.read_text("utf-8").partition("## Conformance")[2].partition("\n## ")[0]
    names = re.findall(r"^\| ([^|]+?) \|", conformance, re.M)

    assert names == ["Peer", "---", *map(str, TRUTHFUL + CHOICES)]


def test_mc2_is_exact():
    exact = [case for case in cases("truthful_mc") if "exact_mc2" in case]

    assert exact
    for case in exact:
        scores, labels = truthful_inputs(case, "mc2")
        result = truthful_mc().compute(predictions=[scores], references=[labels])
        assert result["mc2"] == pytest.approx(case["exact_mc2"], rel=1e-12, abs=0), case["id"]


def test_scores_of_minus_infinity_are_read():
    assert number({"nonfinite": "-inf"}) == -inf
