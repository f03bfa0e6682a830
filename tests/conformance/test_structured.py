"""Tool calls and JSON beside their peers: recorded cases, recorded verdicts, and live peers."""

import gzip
import json
import math
import random
import re

import pytest

from metric_commons import load
from tests.json_values import mutant, random_value
from tests.spec import GIVEN, ROOT, recorded

DATA = GIVEN / "data" / "structured"
CASES = [case for case in recorded("structured") if case["module"] != "instruction_following"]
MODULES = ("tool_calls", "json_match")

recorded_outputs = pytest.mark.skipif(not DATA.exists(), reason=f"no outputs at {DATA}")


def card(module):
    return " ".join((ROOT / "metrics" / module / "README.md").read_text("utf-8").split())


def rows_of(name):
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return list(map(json.loads, lines))


def agrees(found, expected):
    if isinstance(expected, dict):
        return all(key in found and agrees(found[key], expected[key]) for key in expected)
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(agrees, found, expected))
    if expected == "NaN":
        return math.isnan(found)
    return found == pytest.approx(expected, rel=1e-12, abs=1e-15)


# Recorded cases


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_recorded_case(case):
    metric = load(case["module"])
    if "error" in case["expected"]:
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the words are compared below
            metric.compute(**case["inputs"], **case["options"])
        for word in case["expected"]["error"]:
            assert word in str(caught.value)
        return
    found = metric.compute(**case["inputs"], **case["options"])

    assert agrees(found, case["expected"]), found


@pytest.mark.parametrize("module", MODULES)
def test_the_card_counts_the_cases(module):
    cases = sum(case["module"] == module for case in CASES)

    assert re.search(rf"\b{cases} recorded cases\b", card(module))


# Recorded verdicts on outputs of models


@recorded_outputs
def test_verdicts_of_bfcl():
    rows = rows_of("bfcl_gemma4_e4b")
    metric = load("tool_calls", arguments="bfcl", format="python")
    columns = {
        "predictions": [row["prediction"] for row in rows],
        "references": [row["expected"] for row in rows],
    }
    tools = [row["tools"] for row in rows]
    found = metric.compute(**columns, tools=tools, per_example=True)
    verdicts = [float(row["bfcl"]) for row in rows]

    assert found["per_example"]["exact_match"] == verdicts
    assert f"{len(rows)} of {len(rows)} outputs of a model" in card("tool_calls")
    beside = [{"tool_calls": row["expected"], "tools": row["tools"]} for row in rows]
    assert metric.compute(predictions=columns["predictions"], references=beside)[
        "exact_match"
    ] == sum(verdicts) / len(rows)


@recorded_outputs
def test_verdicts_of_bfcl_where_no_call_is_expected():
    rows = rows_of("bfcl_irrelevance_airev")
    found = load("tool_calls", format="python").compute(
        predictions=[row["prediction"] for row in rows],
        references=[[] for _ in rows],
        per_example=True,
    )["per_example"]

    for row, unparsed, predicted in zip(rows, found["unparsed"], found["predicted"], strict=True):
        assert unparsed == (row["calls"] is None)
        assert predicted == (row["calls"] or 0)
        assert row["bfcl_no_call"] == (unparsed == 1 or predicted == 0)


OPTIONS = {
    "same_order": {"match": "same_order"},
    "in_order": {"match": "in_order"},
    "superset": {"match": "superset"},
    "any_order": {"match": "any_order"},
    "subset": {"match": "subset"},
    "names_superset": {"match": "superset", "arguments": "ignore"},
}


@recorded_outputs
@pytest.mark.parametrize("verdict", OPTIONS)
def test_verdicts_of_agentevals_and_google_adk(verdict):
    rows = rows_of("tau_airline_gpt4o")
    found = load("tool_calls").compute(
        predictions=[row["predicted"] for row in rows],
        references=[row["expected"] for row in rows],
        per_example=True,
        **OPTIONS[verdict],
    )["per_example"]

    assert found["exact_match"] == [float(row[verdict]) for row in rows]
    of_adk = sum(name in ("same_order", "in_order") for name in OPTIONS) * len(rows)
    of_agentevals = len(OPTIONS) * len(rows) - of_adk
    for total in (of_adk, of_agentevals):
        assert f"{total} of {total} verdicts" in card("tool_calls")


@recorded_outputs
def test_verdicts_of_deepdiff_and_openai_evals():
    rows = rows_of("json_gemma4_e4b")
    columns = {
        "predictions": [row["prediction"] for row in rows],
        "references": [row["gold"] for row in rows],
    }
    metric = load("json_match")
    for list_order, form, peers in (
        ("ordered", "ordered", ("deepdiff_equal", "openai_evals")),
        ("any", "any", ("deepdiff_ignore_order",)),
    ):
        found = metric.compute(**columns, list_order=list_order, per_example=True)["per_example"]
        for key in ("exact_match", "matched", "predicted", "expected"):
            assert found[key] == [row[form][key] for row in rows], key
        for peer in peers:
            assert found["exact_match"] == [row[peer] for row in rows], peer
    assert f"{2 * len(rows)} of {2 * len(rows)} verdicts" in card("json_match")
    assert f"{len(rows)} of {len(rows)} verdicts" in card("json_match")


@recorded_outputs
def test_published_figures():
    figures = json.loads((DATA / "figures.json").read_text("utf-8"))["json_gemma4_e4b"]
    rows = rows_of("json_gemma4_e4b")
    for list_order in ("ordered", "any"):
        found = load("json_match").compute(
            predictions=[row["prediction"] for row in rows],
            references=[row["gold"] for row in rows],
            list_order=list_order,
        )
        for key in ("exact_match", "f1", "micro_f1"):
            assert found[key] == pytest.approx(figures[f"{list_order} {key}"], rel=1e-12)


# Live peers


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ignore_order", [False, True])
def test_deepdiff(ignore_order):
    """Where deepdiff finds no difference, all leaves match; it takes true for 1 in some places."""
    deepdiff = pytest.importorskip("deepdiff")
    chance = random.Random(ignore_order)
    pairs = []
    while len(pairs) < 150:
        value = random_value(chance, booleans=False)
        pairs.append((mutant(chance, value, booleans=False), value))
    found = load("json_match", list_order="any" if ignore_order else "ordered").compute(
        predictions=[json.dumps(first) for first, _ in pairs],
        references=[json.dumps(second) for _, second in pairs],
        per_example=True,
    )["per_example"]["exact_match"]
    options = {"ignore_numeric_type_changes": True}
    if ignore_order:
        options |= {"ignore_order": True, "report_repetition": True}
    expected = [float(not deepdiff.DeepDiff(second, first, **options)) for first, second in pairs]

    assert 0.1 < sum(expected) / len(pairs) < 0.9
    assert found == expected


def message(calls):
    functions = [
        {"function": {"name": call["name"], "arguments": json.dumps(call["arguments"])}}
        for call in calls
    ]
    return [{"role": "assistant", "content": "", "tool_calls": functions}]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mode", ["unordered", "superset", "subset"])
def test_agentevals(mode):
    match_module = pytest.importorskip("agentevals.trajectory.match")
    chance = random.Random(mode)
    metric = load("tool_calls", match="any_order" if mode == "unordered" else mode)
    evaluator = match_module.create_trajectory_match_evaluator(trajectory_match_mode=mode)

    verdicts = []
    for _ in range(150):
        calls = [
            {"name": chance.choice("fg"), "arguments": {"a": chance.randrange(3)}}
            for _ in range(chance.randrange(1, 4))
        ]
        others = [*calls]
        chance.shuffle(others)
        if chance.random() < 0.5:
            others = others[: chance.randrange(len(others) + 1)]
        if chance.random() < 0.4:
            others.append({"name": "f", "arguments": {"a": chance.randrange(3)}})
        expected = evaluator(outputs=message(others), reference_outputs=message(calls))["score"]
        found = metric.compute(predictions=message(others), references=[calls])
        verdicts.append(expected)
        assert bool(found["exact_match"]) == expected, (others, calls)
    assert 0.1 < sum(verdicts) / len(verdicts) < 0.95


def first_fits(needed, given, fits):
    """Whether each call gets a partner if it takes the first that is left, as in agentevals."""
    free = [*given]
    for call in needed:
        partner = next((each for each in free if fits(each, call)), None)
        if partner is None:
            return False
        free.remove(partner)
    return True


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("arguments", ["superset", "subset"])
@pytest.mark.parametrize("mode", ["unordered", "superset", "subset"])
def test_agentevals_with_more_or_fewer_arguments(mode, arguments):
    """Its verdicts are ours, or those of a search that takes the first partner that fits."""
    match_module = pytest.importorskip("agentevals.trajectory.match")
    chance = random.Random(f"{mode}{arguments}")
    other = {"superset": "subset", "subset": "superset"}[arguments]
    ours = {"unordered": "equal", "superset": arguments, "subset": other}[mode]
    metric = load("tool_calls", match="any_order" if mode == "unordered" else mode, arguments=ours)
    evaluator = match_module.create_trajectory_match_evaluator(
        trajectory_match_mode=mode, tool_args_match_mode=arguments
    )

    def call():
        named = {name: chance.randrange(2) for name in "ab" if chance.random() < 0.6}
        return {"name": chance.choice("fg"), "arguments": named}

    def fits(given, needed):
        first, second = (given, needed) if arguments == "superset" else (needed, given)
        is_contained = second["arguments"].items() <= first["arguments"].items()
        return given["name"] == needed["name"] and is_contained

    missed = 0
    for _ in range(400):
        expected = [call() for _ in range(chance.randrange(4))]
        calls = chance.sample(expected, len(expected))[: chance.randrange(1, 5)]
        calls = [*calls, *([call()] if chance.random() < 0.3 else [])]
        verdict = evaluator(outputs=message(calls), reference_outputs=message(expected))["score"]
        found = metric.compute(predictions=[calls], references=[expected])["exact_match"]
        if bool(found) != verdict:
            missed += 1
            sides = {"unordered": [0, 1], "superset": [0], "subset": [1]}[mode]
            pairs = [(expected, calls), (calls, expected)]
            assert found
            assert not all(first_fits(*pairs[side], fits) for side in sides)
    assert missed < 40
