import gzip
import json
import sys

import pytest

from metric_commons import load
from metric_commons.text.instructions.instruction_checks import KINDS
from tests.spec import GIVEN, Spec
from tests.tables import by_table, tabled

STRUCTURED = GIVEN / "data" / "structured"
needs_data = pytest.mark.skipif(
    not STRUCTURED.exists(), reason="the data lie outside the repository"
)
KEYS = (
    "prompt_level_strict_acc",
    "inst_level_strict_acc",
    "prompt_level_loose_acc",
    "inst_level_loose_acc",
)


def asked(*instructions):
    """A reference: each instruction is an id, or a pair of an id and its arguments."""
    pairs = [(one, {}) if isinstance(one, str) else one for one in instructions]
    return {
        "instruction_id_list": [name for name, _ in pairs],
        "kwargs": [arguments for _, arguments in pairs],
    }


NO_COMMA = "punctuation:no_comma"
QUOTED = "startend:quotation"
SHORT = ("length_constraints:number_words", {"num_words": 5, "relation": "less than"})
TITLE = "detectable_format:title"

SPEC = Spec(
    name="instruction_following",
    sample={
        "predictions": ["<<Ode>>", "Sure, here:\nfour words in all", '"Yes, it is."', "a, b"],
        "references": [
            json.dumps(asked(TITLE, NO_COMMA)),
            json.dumps(asked(NO_COMMA, SHORT)),
            json.dumps(asked(QUOTED, NO_COMMA, SHORT)),
            json.dumps(asked(NO_COMMA)),
        ],
    },
    # By hand: the first two of two, none of two (both without the first line), two of three, none.
    result={
        "prompt_level_strict_acc": 1 / 4,
        "inst_level_strict_acc": 4 / 8,
        "prompt_level_loose_acc": 2 / 4,
        "inst_level_loose_acc": 6 / 8,
        "instructions": 8,
    },
    perfect={
        "predictions": ["<<Ode>>", '"Yes."'],
        "references": [json.dumps(asked(TITLE)), json.dumps(asked(QUOTED, NO_COMMA))],
    },
    best=dict.fromkeys(KEYS, 1.0) | {"instructions": 3},
    wrong={"predictions": 3, "references": 5},
)


@pytest.fixture(scope="module")
def metric():
    return load("instruction_following")


def strict(metric, text, *instructions, **options):
    result = metric.compute(predictions=[text], references=[asked(*instructions)], **options)
    return result["prompt_level_strict_acc"], result["prompt_level_loose_acc"]


def test_the_scores_of_rows_and_of_kinds(metric):
    result = metric.compute(**SPEC.sample, per_example=True, by_instruction=True)

    assert result["per_example"] == {
        "prompt_level_strict_acc": [1.0, 0.0, 0.0, 0.0],
        "inst_level_strict_acc": [1.0, 0.0, 2 / 3, 0.0],
        "prompt_level_loose_acc": [1.0, 1.0, 0.0, 0.0],
        "inst_level_loose_acc": [1.0, 1.0, 2 / 3, 0.0],
        "instructions": [2, 2, 3, 1],
    }
    assert result["by_instruction"] == {
        "detectable_format": {"strict_acc": 1.0, "loose_acc": 1.0, "n": 1},
        "detectable_format:title": {"strict_acc": 1.0, "loose_acc": 1.0, "n": 1},
        "length_constraints": {"strict_acc": 0.5, "loose_acc": 1.0, "n": 2},
        "length_constraints:number_words": {"strict_acc": 0.5, "loose_acc": 1.0, "n": 2},
        "punctuation": {"strict_acc": 0.25, "loose_acc": 0.5, "n": 4},
        "punctuation:no_comma": {"strict_acc": 0.25, "loose_acc": 0.5, "n": 4},
        "startend": {"strict_acc": 1.0, "loose_acc": 1.0, "n": 1},
        "startend:quotation": {"strict_acc": 1.0, "loose_acc": 1.0, "n": 1},
    }


@by_table("kwargs")
@pytest.mark.parametrize("as_text", [False, True])
def test_forms_of_arguments(metric, kwargs, as_text):
    reference = {"key": 7, "prompt": "Be brief.", "kwargs": kwargs}
    reference["instruction_id_list"] = [NO_COMMA, SHORT[0]]
    reference = json.dumps(reference) if as_text else reference

    assert metric.compute(predictions=["a, b"], references=[reference]) == {
        "prompt_level_strict_acc": 0.0,
        "inst_level_strict_acc": 0.5,
        "prompt_level_loose_acc": 0.0,
        "inst_level_loose_acc": 0.5,
        "instructions": 2,
    }


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("no JSON", ["is not an object", "no JSON"]),
        ("[1]", ["is not an object"]),
        ("[" * 100_000, ["is not an object"]),
        ({"kwargs": []}, ["has no 'instruction_id_list'"]),
        ({"instruction_id_list": [NO_COMMA]}, ["has no 'kwargs'"]),
        ({"instruction_id_list": NO_COMMA, "kwargs": []}, ["expected a list"]),
        ({"instruction_id_list": [], "kwargs": []}, ["no instructions"]),
        ({"instruction_id_list": [NO_COMMA], "kwargs": []}, ["1 instructions", "0 objects"]),
        ({"instruction_id_list": [3], "kwargs": [{}]}, ["unknown instruction 3"]),
        (asked("punctuation:no_coma"), ["'punctuation:no_coma'; did you mean", NO_COMMA]),
        (asked((NO_COMMA, [])), ["expected an object"]),
        (asked((NO_COMMA, {"comma": 1})), ["'comma'", "does not take"]),
        (asked((SHORT[0], {"num_words": 5})), ["lacks the argument 'relation'"]),
        (asked((SHORT[0], {"num_words": None, "relation": "at least"})), ["lacks", "num_words"]),
        (asked((SHORT[0], SHORT[1] | {"num_words": -1})), ["num_words", "at least 0, got -1"]),
        (asked((SHORT[0], SHORT[1] | {"num_words": True})), ["num_words", "got True"]),
        (asked((SHORT[0], SHORT[1] | {"num_words": float("inf")})), ["num_words", "got inf"]),
        (asked((SHORT[0], SHORT[1] | {"relation": "at most"})), ["relation", "'at most'"]),
        (asked(("startend:end_checker", {"end_phrase": " "})), ["not blank"]),
        (asked(("keywords:existence", {"keywords": []})), ["at least one"]),
        (asked(("keywords:existence", {"keywords": ["a", ""]})), ["list of texts"]),
        (asked(("language:response_language", {"language": "zh"})), ["langdetect", "'zh'"]),
        (asked(("keywords:existence", {"keywords": ["(c)("]})), ["regular", "checks='corrected'"]),
        (asked(("detectable_content:postscript", {"postscript_marker": "*"})), ["regular"]),
    ],
)
def test_a_reference_that_asks_for_nothing_sensible_is_an_error(metric, reference, words):
    with pytest.raises(ValueError, match=r"references\[1\]") as caught:
        metric.compute(predictions=["a", "b"], references=[json.dumps(asked(NO_COMMA)), reference])
    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_has_a_response_that_follows_it_and_one_that_does_not(metric, name):
    arguments, good, bad = EXAMPLES[name]

    for checks in ("ifeval", "corrected"):
        assert strict(metric, good, (name, arguments), checks=checks)[0] == 1.0
        assert strict(metric, bad, (name, arguments), checks=checks)[0] == 0.0
    assert strict(metric, " \n", (name, arguments)) == (0.0, 0.0)
    for missing in arguments:
        with pytest.raises(ValueError, match=missing):
            strict(metric, good, (name, {k: v for k, v in arguments.items() if k != missing}))


EXAMPLES = tabled(__file__, "EXAMPLES")


def test_what_the_corrected_checks_mend_beyond_the_recorded_cases(metric):
    marker = ("detectable_content:postscript", {"postscript_marker": "N(B"})

    assert strict(metric, "Bye\n**N(B more", marker, checks="corrected") == (1.0, 1.0)
    assert strict(metric, "see N(B", marker, checks="corrected") == (0.0, 0.0)
    assert strict(metric, "null", "detectable_format:json_format", checks="corrected")[0] == 0.0
    assert strict(metric, "12 34!", "change_case:english_capital", checks="corrected")[0] == 0.0
    title = ("length_constraints:nth_paragraph_first_word",)
    title += ({"num_paragraphs": 1, "nth_paragraph": 1, "first_word": "note"},)
    assert strict(metric, "**Note:** one", title, checks="corrected")[0] == 1.0
    assert strict(metric, "**Note:** one", title) == (0.0, 0.0)


def test_a_language_function_of_your_own(metric):
    instruction = ("language:response_language", {"language": "klingon"})
    answers = {"nuqneH": "klingon", "hi": "en", "42": None}
    texts = list(answers)

    def per_row(checks):
        result = metric.compute(
            predictions=texts,
            references=[asked(instruction)] * 3,
            language=answers.get,
            checks=checks,
            per_example=True,
        )
        return result["per_example"]["prompt_level_strict_acc"]

    assert per_row("ifeval") == [1.0, 0.0, 1.0]
    assert per_row("corrected") == [1.0, 0.0, 0.0]
    with pytest.raises(ValueError, match="language must return a str or None, got 1"):
        strict(metric, "hi", instruction, language=lambda text: 1)


def test_langdetect_is_asked_only_about_languages(metric, monkeypatch):
    from metric_commons.text.instructions import response_languages

    response_languages._detectors.cache_clear()
    for name in [*sys.modules]:
        if name.partition(".")[0] == "langdetect":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "langdetect", None)
    calls = []

    class Recorder(str):
        def strip(self, *arguments):
            calls.append(self)
            return super().strip(*arguments)

    assert strict(metric, "one two", NO_COMMA) == (1.0, 1.0)
    with pytest.raises(ImportError, match=r"metric-commons\[languages\]"):
        metric.compute(
            predictions=[Recorder("one"), "two"],
            references=[asked(NO_COMMA), asked("change_case:english_lowercase")],
        )
    assert not calls  # no row was scored
    monkeypatch.undo()
    response_languages._detectors.cache_clear()


@pytest.mark.long
def test_languages_do_not_depend_on_the_seed_of_others(metric):
    from langdetect import DetectorFactory

    instruction = ("language:response_language", {"language": "en"})
    before = DetectorFactory.seed
    try:
        scores = set()
        for seed in range(8):
            DetectorFactory.seed = seed
            scores.add(strict(metric, "Hello world", instruction))
        assert len(scores) == 1
        assert DetectorFactory.seed == 7
    finally:
        DetectorFactory.seed = before


def test_prompts_are_means_and_instructions_ratios(metric):
    result = metric.compute(**SPEC.sample, confidence_level=0.95)

    assert result["interval"] == {
        "prompt_level_strict_acc": "clopper_pearson",
        "inst_level_strict_acc": "law",
        "prompt_level_loose_acc": "clopper_pearson",
        "inst_level_loose_acc": "law",
    }


@pytest.mark.long
@needs_data
def test_published_responses_of_gpt_4(metric):
    with gzip.open(STRUCTURED / "ifeval_gpt4.jsonl.gz") as lines:
        rows = list(map(json.loads, lines))
    figures = json.loads((STRUCTURED / "figures.json").read_text())["ifeval_gpt4"]
    result = metric.compute(
        predictions=[row["response"] for row in rows], references=rows, per_example=True
    )
    of_rows = result.pop("per_example")

    assert result == {key: figures[key] for key in (*KEYS, "instructions")}
    for strictness in ("strict", "loose"):
        prompts, shares = (
            of_rows[f"{level}_level_{strictness}_acc"] for level in ("prompt", "inst")
        )
        assert prompts == [float(all(row[strictness])) for row in rows]
        assert shares == [sum(row[strictness]) / len(row[strictness]) for row in rows]
