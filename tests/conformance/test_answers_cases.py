"""Every community that the cards of the answer metrics claim, against what its own code returned.

The cards say which options reproduce a peer and on how many of the recorded questions; the table
here says in which column of the case file the peer's scores stand, and which rows are known to
differ and why. Exactly these may differ.
"""

import ast
import doctest
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import evaluate
import numpy as np
import pytest

from tests.cards import card, rows_below
from tests.spec import GIVEN, ROOT, recorded
from tests.tables import tabled

OPENQA = GIVEN / "data" / "text" / "openqa_eval"
ROWS = 152
MODULES = ["qa_em", "qa_f1", "substring_recall"]

published = pytest.mark.skipif(not OPENQA.exists(), reason=f"no published answers at {OPENQA}")

# What peers do last, with precision, recall and F1


def two_digits(precision, recall, f1):
    return round(f1, 2)


def single_precision(precision, recall, f1):
    p, r = np.float32(precision), np.float32(recall)
    return float(2 * p * r / (p + r)) if p else f1


def weighted_harmonic_mean(precision, recall, f1):
    return 1 / (0.5 / precision + 0.5 / recall) if precision else f1


@dataclass(frozen=True)
class Peer:
    """One row of the table in a card."""

    module: str
    name: str  # in the card
    column: str  # in the case file
    options: Mapping[str, object] = field(default_factory=dict)
    differ: Mapping[str, Sequence[str]] = field(default_factory=dict)  # reason -> rows
    score: str = ""  # the key of the result, if it is not the module's name
    last_step: Callable[[float, float, float], float] | None = None
    first_reference: bool = False  # the peer takes no more

    def __str__(self):
        return f"{self.module}: {self.name}"


@cache
def shown(module):
    """The functions that a card defines in its examples."""
    code = "".join(re.findall(r"^```python\n(.*?)^```$", card(module), re.MULTILINE | re.DOTALL))
    names = {}
    for example in doctest.DocTestParser().get_examples(code):
        if re.match(r"def |import (?!evaluate)", example.source):
            exec(example.source, names)
    return names


NAMED = {"str.strip": str.strip, "str.lower": str.lower, "str.casefold": str.casefold}
STEPS = {step.__name__: step for step in (two_digits, single_precision, weighted_harmonic_mean)}


def peer_of(row):
    """A peer of the table, with functions in place of their names."""
    functions = {f"{name}()": value for name, value in (NAMED | shown(row["module"])).items()}
    options = {key: functions.get(value, value) for key, value in row.get("options", {}).items()}
    return Peer(**row | {"options": options, "last_step": STEPS.get(row.get("last_step"))})


PEERS = [peer_of(row) for row in tabled(__file__, "PEERS")]


@cache
def load(module):
    return evaluate.load(str(ROOT / "metrics" / module))


@cache
def questions():
    return [case for case in recorded("text") if case["group"] in ("qa", "qa_real")]


def theirs(case, column):
    scores = {}
    for group in (*case["peers"].values(), case["transcribed"]):
        scores |= group
    return scores[column]


def inputs(peer, some):
    references = [case["input"]["references"] for case in some]
    return {
        "predictions": [case["input"]["prediction"] for case in some],
        "references": [r[:1] for r in references] if peer.first_reference else references,
    }


def ours(peer, some):
    """Our score of each question, after the peer's last step."""
    result = load(peer.module).compute(**inputs(peer, some), **peer.options, per_example=True)
    scores = result["per_example"]
    if peer.last_step:
        return [*map(peer.last_step, scores["qa_precision"], scores["qa_recall"], scores["qa_f1"])]
    return scores[peer.score or peer.module]


def differing(peer, scores):
    return {
        case["id"]
        for case, score in zip(questions(), scores, strict=True)
        if score != theirs(case, peer.column)
    }


# Row by row


def test_the_questions_are_those_of_the_cards():
    tricky, real = (
        sum(case["group"] == kind for case in questions()) for kind in ("qa", "qa_real")
    )
    told = f"for {ROWS} questions: {tricky} designed to be difficult, and {real} real ones"

    assert tricky + real == ROWS
    assert all(told in " ".join(card(module).split()) for module in MODULES)


@pytest.mark.parametrize("peer", PEERS, ids=str)
def test_a_batch_scores_as_the_peer_does(peer):
    known = {row for rows in peer.differ.values() for row in rows}

    assert differing(peer, ours(peer, questions())) == known


@pytest.mark.long
@pytest.mark.parametrize("peer", PEERS, ids=str)
def test_single_rows_score_as_the_peer_does(peer):
    known = {row for rows in peer.differ.values() for row in rows}
    scores = [score for case in questions() for score in ours(peer, [case])]

    assert differing(peer, scores) == known


@pytest.mark.parametrize(
    ("column", "rows"),
    [
        ("helm.f1_score", 4),
        ("lighteval.f1[default]", 6),
        ("lighteval.f1[helm_normalizer]", 4),
    ],
)
def test_the_harmonic_mean_differs_in_the_last_bit(column, rows):
    peer = next(peer for peer in PEERS if peer.column == column)
    scores = load("qa_f1").compute(**inputs(peer, questions()), **peer.options, per_example=True)
    known = {row for rows in peer.differ.values() for row in rows}
    pairs = [
        (score, theirs(case, column))
        for case, score in zip(questions(), scores["per_example"]["qa_f1"], strict=True)
        if case["id"] not in known
    ]

    assert sum(a != b for a, b in pairs) == rows
    assert all(abs(a - b) <= np.spacing(max(a, b)) for a, b in pairs)


# Whole corpora


def corpus(name):
    return next(case for case in recorded("text") if case["id"] == name)


def squad_columns(case):
    """Questions in the format of SQuAD; one without answers expects an empty one."""
    texts = [row["answers"]["text"] for row in case["input"]["references"]]
    return {
        "predictions": [row["prediction_text"] for row in case["input"]["predictions"]],
        "references": [answers or [""] for answers in texts],
        "groups": ["HasAns" if answers else "NoAns" for answers in texts],
    }


def percent(scores):
    return 100.0 * sum(scores) / len(scores)


def test_squad_scores_a_corpus():
    case = corpus("corpus-000")
    columns = squad_columns(case)

    result = {
        "exact_match": 100 * load("qa_em").compute(**columns)["qa_em"],
        "f1": 100 * load("qa_f1").compute(**columns, both_empty=0.0)["qa_f1"],
    }

    assert result == case["peers"]["hf_evaluate.squad"]


@pytest.mark.parametrize("name", ["corpus-016", "corpus-019"])
def test_squad_v2_scores_a_corpus_and_its_groups(name):
    case = corpus(name)
    columns = squad_columns(case)
    groups = columns["groups"]
    peer = case["peers"]["hf_evaluate.squad_v2"]

    for module, score in (("qa_em", "exact"), ("qa_f1", "f1")):
        result = load(module).compute(**columns, per_example=True)
        scores = result["per_example"][module]
        assert percent(scores) == peer[score]
        for label, group in result["groups"].items():
            members = [s for s, g in zip(scores, groups, strict=True) if g == label]
            assert percent(members) == 100 * group[module] == peer[f"{label}_{score}"]
            assert group["n"] == peer[f"{label}_total"]


@pytest.mark.parametrize(
    ("name", "normalizer"),
    [
        ("corpus-007", shown("qa_em")["lm_eval_triviaqa"]),  # ignore_punctuation
        ("corpus-008", lambda text: re.sub("[0-9]", "", text)),  # ignore_numbers
    ],
)
def test_exact_match_scores_a_corpus(name, normalizer):
    case = corpus(name)
    columns = {side: case["input"][side] for side in ("predictions", "references")}
    result = load("qa_em").compute(**columns, normalizer=normalizer)

    assert {"exact_match": result["qa_em"]} == case["peers"]["hf_evaluate.exact_match"]


def test_exact_match_is_wrong_about_a_corpus_and_we_are_not():
    case = corpus("corpus-004")  # the peer compares all rows at once
    columns = {side: case["input"][side] for side in ("predictions", "references")}

    assert case["peers"]["hf_evaluate.exact_match"] == {"exact_match": 0.0}
    assert load("qa_em").compute(**columns, normalizer="none") == {"qa_em": 0.5}


@pytest.mark.parametrize(
    ("name", "averages", "message"),
    [("corpus-022", (0.0, 0.0, 0.0), "is empty"), ("corpus-023", (1.0, 0.0, 0.0), "in length")],
)
def test_ultrarag_scores_corpora_that_we_refuse(name, averages, message):
    case = corpus(name)
    peer = case["peers"]["ultrarag.compute_metrics"]

    assert (peer["avg_em"], peer["avg_f1"], peer["avg_acc"]) == averages
    for module in MODULES:
        with pytest.raises(ValueError, match=message):
            load(module).compute(predictions=case["input"]["pred"], references=case["input"]["gt"])


# Published figures of OpenQA-eval, in percent

FIGURES = tabled(__file__, "FIGURES")


@pytest.mark.long
@published
@pytest.mark.parametrize(("name", "rows", "exact", "overlap"), FIGURES)
def test_published_figures(name, rows, exact, overlap):
    lines = (OPENQA / f"{name}.jsonl").read_text("utf-8").splitlines()
    answers = [json.loads(line) for line in lines]
    predictions = [answer["prediction"] for answer in answers]
    columns = {  # of several predictions the peer takes the first
        "predictions": [p[0] if isinstance(p, list) else p for p in predictions],
        "references": [answer["answer"] for answer in answers],
    }

    assert len(answers) == rows
    assert f"{100 * load('qa_em').compute(**columns)['qa_em']:.2f}" == exact
    assert f"{100 * load('qa_f1').compute(**columns, both_empty=0.0)['qa_f1']:.2f}" == overlap


# What the cards say


def options(module, cell):
    """The options that a cell gives in Python's own words."""
    return eval(f"dict({cell.strip('`')})", dict(shown(module)))


@pytest.mark.parametrize("module", MODULES)
def test_a_card_claims_what_is_tested_here(module):
    claimed = [
        (peer, options(module, cell), agreement)
        for peer, cell, agreement, _ in rows_below(module, "Conformance")
    ]
    tested = [
        (peer.name, peer.options, f"{ROWS - sum(map(len, peer.differ.values()))} of {ROWS}")
        for peer in PEERS
        if peer.module == module
    ]

    assert claimed == tested


@pytest.mark.parametrize("module", MODULES)
def test_the_published_figures_of_a_card(module):
    column = {"qa_em": 2, "qa_f1": 3}.get(module)
    figures = re.findall(r"\d\d\.\d\d(?!\d)", card(module).partition("## Conformance")[2])

    assert figures == ([figure[column] for figure in FIGURES[:5]] if column else [])


EDGES = [(module, *row) for module in MODULES for row in rows_below(module, "Edge cases")]


@pytest.mark.parametrize(
    ("module", "prediction", "references", "chosen", "result", "why"),
    EDGES,
    ids=[f"{module}: {row[0]} in {row[1]}, {row[2]}" for module, *row in EDGES],
)
def test_an_edge_case_of_a_card(module, prediction, references, chosen, result, why):
    columns = {
        "predictions": [ast.literal_eval(prediction.strip("`"))],
        "references": [ast.literal_eval(references.strip("`"))],
    }
    metric = load(module)

    if result == "error":
        with pytest.raises(ValueError, match=f"^{re.escape(why)}$"):
            metric.compute(**columns, **options(module, chosen))
    else:
        assert metric.compute(**columns, **options(module, chosen))[module] == float(result)
        many = {name: column * 12 for name, column in columns.items()}  # the path of many rows
        assert metric.compute(**many, **options(module, chosen))[module] == float(result)


@published
@pytest.mark.parametrize(("system", "model"), [("dpr", "DPR"), ("fid", "FiD"), ("emdr2", "EMDR2")])
def test_the_sample_among_the_examples_is_what_was_published(system, model):
    lines = (OPENQA / f"NQ_{model}.jsonl").read_text("utf-8").splitlines()
    published = [json.loads(line) for line in lines[:3500:7]]
    sample = (ROOT / "examples" / "nq_open.jsonl").read_text("utf-8").splitlines()

    assert [
        {"question": row["question"], "answer": row["answers"], "prediction": row[system]}
        for row in map(json.loads, sample)
    ] == published
