"""Labelled pairs of answers, and random families whose verdicts follow from how they are made."""

from collections import defaultdict
from copy import deepcopy
from random import Random, SystemRandom

import pytest

from metric_commons.mathematics import equivalent
from metric_commons.text import extract_answers
from tests.answer_families import FAMILIES
from tests.spec import ROOT, nightly, recorded
from tests.tables import tabled

CARD = (ROOT / "metrics" / "math_equivalence" / "README.md").read_text("utf-8")

# The percentage of pairs of a kind that may be undecided although a verdict is asked for.
MOST_UNDECIDED = tabled(__file__, "MOST_UNDECIDED")
OF_THE_REFERENCE = {"relative_tolerance", "absolute_tolerance", "rounding"}


def pairs():
    """The labelled pairs, with the answer in place of the text that it is extracted from."""
    for case in map(deepcopy, recorded("mathematics")):
        case["has_options"] = bool(case["options"])
        step = case["options"].pop("extract", None)
        if step is not None:
            case["prediction"] = extract_answers([case["prediction"]], step)[0] or ""
        yield case


# Pairs that units which are not converted would make equal, and others that are left undecided.
PASSED_OVER = {
    *(("1.2 MW", "1200 kW"), ("2 hours", "120 minutes"), ("1 mile", "5280 feet")),
    *(("3 kHz", "3000 Hz"), ("3 ft", "36 inches"), ("2.5 kg", "2500 grams"), ("5 km", "5000 m")),
    *((r"60 \text{ s}", r"1 \text{ min}"), ("1.5 L", "1500 mL"), ("500 mA", "0.5 A")),
    *((r"1.5 \text{ h}", "90 min"), (r"1 \text{ week}", "7 days")),
}


@pytest.fixture(scope="module")
def verdicts():
    """Each pair with its verdict."""
    return [
        (case, equivalent(case["reference"], case["prediction"], **case["options"]))
        for case in pairs()
    ]


@pytest.mark.long
def test_no_verdict_is_wrong(verdicts):
    wrong = [
        (case["id"], case["reference"], case["prediction"], verdict)
        for case, verdict in verdicts
        if verdict is not None and verdict not in case["verdict"]
    ]

    assert len(verdicts) == 1_458
    assert not wrong


def test_few_pairs_of_each_kind_are_undecided(verdicts):
    kinds = defaultdict(list)
    for case, verdict in verdicts:
        if (case["reference"], case["prediction"]) not in PASSED_OVER:
            kinds[case["kind"]].append(verdict is None and None not in case["verdict"])
    shares = {kind: 100 * sum(undecided) / len(undecided) for kind, undecided in kinds.items()}

    assert shares.keys() == MOST_UNDECIDED.keys()
    assert {kind for kind, share in shares.items() if share > MOST_UNDECIDED[kind]} == set()


# Families whose pairs may be undecided: dates, other texts behind a number, cases, roots, ...
MOST_UNDECIDED_READINGS = tabled(__file__, "MOST_UNDECIDED_READINGS")


def test_no_reading_is_wrong():
    kinds = defaultdict(list)
    for case in recorded("readings"):
        pair = case["reference"], case["prediction"]
        verdicts = {equivalent(*pair), equivalent(*reversed(pair))}
        assert verdicts <= {case["equal"], None}, pair
        kinds[case["family"]].append(None in verdicts)
    shares = {kind: 100 * sum(undecided) / len(undecided) for kind, undecided in kinds.items()}

    assert {k: s for k, s in shares.items() if s > MOST_UNDECIDED_READINGS.get(k, 0)} == {}


def test_verdicts_are_symmetric(verdicts):
    different = [
        (case["reference"], case["prediction"])
        for case, verdict in verdicts
        if not OF_THE_REFERENCE & case["options"].keys()
        and equivalent(case["prediction"], case["reference"], **case["options"]) is not verdict
    ]

    assert not different


def test_the_table_of_the_card(verdicts):
    """Of each kind without options: how many pairs, and how many are undecided."""
    counts = defaultdict(lambda: [0, 0])
    for case, verdict in verdicts:
        if not case["has_options"]:
            counts[case["kind"]][0] += 1
            counts[case["kind"]][1] += verdict is None and None not in case["verdict"]
    table = CARD.partition("| Kind |")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]

    assert {row[0]: [int(row[1]), int(row[2])] for row in rows[:-1]} == counts
    assert [int(cell) for cell in rows[-1][1:3]] == [
        sum(column) for column in zip(*counts.values(), strict=True)
    ]


# Letters behind a digit may be a word: 2pm, k^3bc. Some 1 in 700 monomials end so.
UNDECIDED_IN_FAMILIES = tabled(__file__, "UNDECIDED_IN_FAMILIES")


@pytest.mark.long
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
@pytest.mark.parametrize(
    "seed", [1, *nightly(SystemRandom().getrandbits(32))], ids=["fixed", "fresh"]
)
def test_no_verdict_on_a_random_family_is_wrong(family, seed):
    random = Random(seed)
    undecided = 0
    for _ in range(150):
        left, right, is_equal = family(random)
        verdict = equivalent(left, right)
        undecided += verdict is None
        assert verdict in (None, is_equal), (seed, left, right)
        assert equivalent(right, left) is verdict, (seed, left, right)

    assert undecided <= 150 * UNDECIDED_IN_FAMILIES.get(family.__name__, 0.0), seed
