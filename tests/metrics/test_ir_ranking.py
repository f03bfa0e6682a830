import ast
import re
from functools import cache
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons import load
from metric_commons.retrieval.names import _ALIASES, NAMES
from tests.cards import card, rows_below
from tests.rankings import (
    MEASURES,
    any_ids,
    exact_mean,
    measure_options,
    query,
    ranked,
    ranking_options,
    score,
)
from tests.spec import Spec, drawn_examples

SPEC = Spec(
    name="ir_ranking",
    sample={
        "predictions": [
            {"doc_id": ["a", "b", "c", "d"], "score": [4.0, 3.0, 2.0, 1.0]},
            {"doc_id": ["a", "b"], "score": [1.0, 1.0]},  # a tie: b stands first
            {"doc_id": ["c", "b"], "score": [0.25, 0.5]},
            {"doc_id": [], "score": []},
        ],
        "references": [
            {"doc_id": ["b", "d"], "relevance": [1.0, 1.0]},
            {"doc_id": ["a"], "relevance": [1.0]},
            {"doc_id": ["b", "c"], "relevance": [0.0, -1.0]},
            {"doc_id": ["a"], "relevance": [2.0]},
        ],
    },
    result={
        "ndcg@10": ((1 / log2(3) + 1 / log2(5)) / (1 + 1 / log2(3)) + 1 / log2(3)) / 4,
        "map": 0.25,
        "mrr": 0.25,
        "recall@10": 0.5,
        "precision@10": 0.3 / 4,
    },
    perfect={"predictions": [["a", "b"]], "references": [["b", "a"]]},
    best={"ndcg@10": 1.0, "map": 1.0, "mrr": 1.0, "recall@10": 1.0, "precision@10": 0.2},
    wrong={"predictions": ["a", 1], "references": [0.5, "b"]},
)


# Whole calls, compared with the definitions


@cache
def metric():
    return load("ir_ranking")


@pytest.mark.long
@drawn_examples(60)
@given(st.data(), ranking_options, measure_options)
@pytest.mark.parametrize("shape", ["ids", "scores of ids", "scores"])
def test_a_call_scores_as_defined(shape, data, reading, scoring):
    text = any_ids.filter(lambda text: "\ud800" not in text)  # half a pair is refused
    queries = data.draw(st.lists(query(text), min_size=1, max_size=5))
    predictions, references, lists, judged = [], [], [], []
    for retrieved, levels in queries:
        if shape == "ids":
            predictions.append([*retrieved])
            references.append([*levels])
            retrieved = {text: -rank for rank, text in enumerate(retrieved)}
            levels = dict.fromkeys(levels, 1.0)
        elif shape == "scores of ids":
            predictions.append({"doc_id": [*retrieved], "score": [*retrieved.values()]})
            references.append({"doc_id": [*levels], "relevance": [*levels.values()]})
        else:
            levels = {text: levels.get(text, 0) for text in retrieved}
            predictions.append([*retrieved.values()])
            references.append([*levels.values()])
            names = [chr(0x10FFFF - row) for row in range(len(retrieved))]
            retrieved, levels = (
                dict(zip(names, side.values(), strict=True)) for side in (retrieved, levels)
            )
        lists.append(ranked(retrieved, levels, **reading))
        judged.append([*levels.values()])
    result = metric().compute(
        predictions=predictions,
        references=references,
        measures=MEASURES,
        per_example=True,
        **reading,
        **scoring,
    )

    for name in MEASURES:
        expected = [score(name, *pair, **scoring) for pair in zip(lists, judged, strict=True)]
        assert result["per_example"][name] == expected
        assert result[name] == exact_mean(name, expected)


# What the card says


@pytest.mark.parametrize("row", rows_below("ir_ranking", "Edge cases"), ids=lambda row: row[-1])
def test_an_edge_case_of_the_card(row):
    predictions, references, options, result, why = (cell.strip("`") for cell in row)
    call = ast.parse(f"dict({options})", mode="eval").body
    arguments = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
    arguments |= {
        "predictions": ast.literal_eval(predictions),
        "references": ast.literal_eval(references),
    }
    if result == "error":
        with pytest.raises(ValueError, match=f"^{re.escape(why)}$"):
            metric().compute(**arguments)
    else:
        assert metric().compute(**arguments) == {arguments["measures"]: float(result)}


@pytest.mark.parametrize("name", sorted({*NAMES} - _ALIASES.keys()))
def test_the_card_names_every_measure(name):
    assert re.search(rf"[`/ ]{re.escape(name)}(?![a-z])", card("ir_ranking").lower())
