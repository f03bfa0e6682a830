import json
from concurrent.futures import ThreadPoolExecutor
from math import exp, inf, log

import numpy as np
import pytest

from metric_commons import State, load
from tests.spec import PATIENCE, ROOT, Spec
from tests.tables import tabled

# Of the first row two of three options are true, and one of them is above the false one.
TRUE = exp(-0.5) + exp(-1.5)
SPEC = Spec(
    name="truthful_mc",
    sample={
        "predictions": [[-1.5, -0.5, -1.0], [-3.0, -3.0, -inf], [-1000.0, -1001.0, -2000.0]],
        "references": [[1, 1, 0], [0, 1, 0], [0, 1, 0]],
    },
    result={
        "mc1": 1 / 3,
        "mc2": (TRUE / (TRUE + exp(-1.0)) + 1 / 2 + 1 / (1 + exp(1))) / 3,
        "mc3": (1 / 2 + 0 + 0) / 3,
    },
    perfect={"predictions": [[-5.0, -1.0, -inf]], "references": [[1, 1, 0]]},
    best={"mc1": 1.0, "mc2": 1.0, "mc3": 1.0},
    wrong={"predictions": ["-1.0"], "references": [0.5]},
)


@pytest.fixture(scope="module")
def truthful_mc():
    return load("truthful_mc")


def test_the_example_file_is_sound(truthful_mc):
    lines = (ROOT / "examples" / "truthful.jsonl").read_text("utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    truth = [question["truth"] for question in questions]
    result = truthful_mc.compute(
        predictions=[question["scores"] for question in questions], references=truth
    )
    measured = [question["measured"] for question in questions]

    assert len(questions) == 10
    assert result == truthful_mc.compute(predictions=measured, references=truth)
    assert result["mc1"] == 0.4
    for question in questions:
        assert question["measured"]["score"] == question["scores"]
        assert question["measured"]["length"] == [len(" " + text) for text in question["options"]]


# Shapes

SCORES = [[-1.0, -3.0], [-2.0, -1.0]]
TRUTH = [[1, 0], [1, 0]]


@pytest.mark.parametrize(
    "labels", [[[True, False], [True, False]], np.array(TRUTH) == 1, np.array(TRUTH, np.uint8)]
)
def test_labels_may_be_bools(truthful_mc, labels):
    expected = truthful_mc.compute(predictions=SCORES, references=TRUTH)

    assert truthful_mc.compute(predictions=SCORES, references=labels) == expected


def test_questions_may_differ_in_options(truthful_mc):
    result = truthful_mc.compute(
        predictions=[[-1.0], [-2.0, -2.0, -2.0, -2.0], [0, -1]],
        references=[[1], [0, 1, 1, 1], [0, 1]],
        per_example=True,
    )

    assert result["per_example"]["mc3"] == [1.0, 0.0, 0.0]
    assert result["per_example"]["mc2"][:2] == [1.0, 0.75]


def test_options_may_have_lengths(truthful_mc):
    rows = [{"score": [-8.0, -4.1], "length": [2, 1]}, {"score": [-1.0], "length": [7]}]
    options = {"references": [[1, 0], [1]], "per_example": True}
    mc1 = {
        unit: truthful_mc.compute(predictions=rows, length_normalization=unit, **options)[
            "per_example"
        ]["mc1"]
        for unit in ("none", "character", "token", "byte")
    }

    assert mc1.pop("none") == [0.0, 1.0]
    assert set(map(tuple, mc1.values())) == {(1.0, 1.0)}


def test_options_may_have_scores_without_the_question():
    unconditional = load("truthful_mc", length_normalization="unconditional")
    rows = [{"score": [-1.2, -1.1, -3.0], "unconditional": [-1.5, -1.0, -2.0]}]
    result = unconditional.compute(predictions=rows, references=[[1, 0, 0]])

    assert result["mc1"] == 1.0
    assert result["mc2"] == pytest.approx(exp(0.3) / (exp(0.3) + exp(-0.1) + exp(-1)), rel=1e-12)


@pytest.mark.parametrize(
    "rows",
    [
        SCORES,
        [{"score": scores, "length": [1, 1]} for scores in SCORES],
        [{"score": scores, "unconditional": [0.0, 0.0]} for scores in SCORES],
    ],
    ids=["scores", "lengths", "unconditional"],
)
def test_every_shape_passes_between_processes(truthful_mc, rows, tmp_path):
    shared = {"num_process": 2, "experiment_id": tmp_path.name, "cache_dir": str(tmp_path)}
    metrics = [
        load("truthful_mc", process_id=rank, timeout=PATIENCE, **shared) for rank in range(2)
    ]

    def work(rank):
        metrics[rank].add(prediction=rows[rank], reference=TRUTH[rank])
        return metrics[rank].compute()

    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(work, range(2))
    assert first == truthful_mc.compute(predictions=SCORES, references=TRUTH)
    assert second is None


# Bad input


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        *tabled(__file__, "bad_questions_are_named"),
        (SCORES, np.array([[1, 0], [1, -1]]), "references[1][1] is -1; a label is 1"),
    ],
)
def test_bad_questions_are_named(truthful_mc, predictions, references, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - matched below
        truthful_mc.compute(predictions=predictions, references=references)

    assert str(caught.value).startswith(message)


def test_an_option_that_needs_lengths_says_so(truthful_mc):
    with pytest.raises(ValueError, match="length_normalization='token' needs predictions"):
        truthful_mc.compute(predictions=SCORES, references=TRUTH, length_normalization="token")


BYTES = [
    {"score": [-8.0, -4.0, -1.0], "length": [4, 2, 3]},
    {"score": [0.0, -1.0], "length": [7, 1]},
    {"score": [-30.0], "length": [2]},
    {"score": [-3.0], "length": [3]},
]
IS_TRUE = [[1, 0, 1], [1, 0], [1], [1]]


def test_bits_per_byte(truthful_mc):
    """The definition of lm-evaluation-harness: -sum(loglikelihoods) / sum(bytes) / log(2)."""
    result = truthful_mc.compute(
        predictions=BYTES,
        references=IS_TRUE,
        length_normalization="byte",
        per_example=True,
        confidence_level=0.9,
        groups=["a", "b", "b", "a"],
    )

    bits = [9 / 7 / log(2), 0.0, 15 / log(2), 1 / log(2)]
    assert result["per_example"]["bits_per_byte"] == pytest.approx(bits, rel=1e-15)
    assert result["bits_per_byte"] == pytest.approx(sum(bits) / 4, rel=1e-15)
    assert result["interval"]["bits_per_byte"] == "law"
    low, high = result["confidence_interval"]["bits_per_byte"]
    assert low < result["bits_per_byte"] < high
    state = State("truthful_mc", length_normalization="byte")
    state.update(predictions=BYTES, references=IS_TRUE, groups=["a", "b", "b", "a"])
    del result["per_example"]
    assert state.result(confidence_level=0.9) == result


def test_bits_per_byte_of_a_true_option_that_is_ruled_out(truthful_mc):
    with pytest.raises(
        ValueError, match=r"predictions\[0\]\['score'\]\[1\] is -inf; a true option"
    ):
        truthful_mc.compute(
            predictions=[{"score": [-1.0, -inf], "length": [1, 1]}],
            references=[[1, 1]],
            length_normalization="byte",
        )
