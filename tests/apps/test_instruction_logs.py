"""Instructions and responses in the files of IFEval, lm-eval and inspect."""

import json
import sys
from pathlib import Path

import pytest

from metric_commons.text.instructions import response_languages
from tests.apps.files import sample_of_lm_eval, write_rows
from tests.apps.saved import systems_of
from tests.tables import tabled

PROMPTS = tabled(__file__, "PROMPTS")
RESPONSES = ['Yes:\n"It\'s so"', "<<Ode>>", "a cat"]
STRICT = [[True, False], [True], [False]]
LOOSE = [[True, True], [True], [False]]
SCORES = {
    "prompt_level_strict_acc": 1 / 3,
    "inst_level_strict_acc": 2 / 4,
    "prompt_level_loose_acc": 2 / 3,
    "inst_level_loose_acc": 3 / 4,
    "instructions": 4,
}
FIELDS = ("prompt", "instruction_id_list", "kwargs")
LOG_OF_LM_EVAL = "samples_ifeval_2026-01-15T09-00-00.jsonl"


def write_ifeval():
    write_rows("input_data.jsonl", PROMPTS)
    prompts = [prompt["prompt"] for prompt in PROMPTS]
    pairs = list(zip(prompts, RESPONSES, strict=True))
    write_rows("responses.jsonl", [{"prompt": p, "response": r} for p, r in reversed(pairs)])
    for strictness, followed in (("strict", STRICT), ("loose", LOOSE)):
        write_rows(
            f"eval_results_{strictness}.jsonl",
            [
                {
                    "prompt": prompt["prompt"],
                    "instruction_id_list": prompt["instruction_id_list"],
                    "response": response,
                    "follow_all_instructions": all(of_row),
                    "follow_instruction_list": of_row,
                }
                for prompt, response, of_row in zip(PROMPTS, RESPONSES, followed, strict=True)
            ],
        )


def write_lm_eval():
    samples = [
        sample_of_lm_eval(number, response, "0", prompt_level_strict_acc=all(followed))
        | {"doc": prompt}
        | {"arguments": {"gen_args_0": {"arg_0": prompt["prompt"], "arg_1": {"until": []}}}}
        for number, (prompt, response, followed) in enumerate(
            zip(PROMPTS, RESPONSES, STRICT, strict=True)
        )
    ]
    write_rows(LOG_OF_LM_EVAL, samples)


def write_inspect():
    samples = [
        {
            "id": prompt["key"],
            "epoch": 1,
            "input": prompt["prompt"],
            "target": "",
            "metadata": {name: prompt[name] for name in FIELDS},
            "output": {"completion": response},
            "scores": {"instruction_following": {"value": {"prompt_level_strict": all(followed)}}},
        }
        for prompt, response, followed in zip(PROMPTS, RESPONSES, STRICT, strict=True)
    ]
    run = {"model": "bot", "task": "ifeval", "dataset": {}}
    document = {"version": 2, "status": "success", "eval": run, "samples": samples}
    Path("log.json").write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("write_files", "words", "verdict"),
    [
        (write_ifeval, "responses.jsonl -p response -r input_data.jsonl --id prompt", None),
        (write_ifeval, "eval_results_strict.jsonl -r input_data.jsonl", "prompt_level_strict_acc"),
        (write_ifeval, "eval_results_loose.jsonl -r input_data.jsonl", "prompt_level_loose_acc"),
        (write_lm_eval, LOG_OF_LM_EVAL, "prompt_level_strict_acc"),
        (write_inspect, "log.json", "prompt_level_strict_acc"),
    ],
)
def test_files_of_harnesses_are_scored_and_their_verdicts_compared(
    run, write_files, words, verdict
):
    write_files()
    logged = ["logged"] if verdict else []
    command = ("score", *logged, "instruction_following", *words.split(), "--format", "json")
    status, out, err = run(*command)
    (result,) = systems_of(out).values()
    agreements = json.loads(out)["provenance"].get("agreement", [])

    assert (status, err) == (0, "")
    assert result["instruction_following"]["scores"] == SCORES
    compared = [each for each in agreements if each["score"] == verdict]
    assert [(each["rows"], each["differing"]) for each in compared] == [(3, 0)] * len(logged)


def test_a_log_of_another_task_has_no_instructions(run, refused):
    write_lm_eval()
    samples = [json.loads(line) for line in Path(LOG_OF_LM_EVAL).read_text().splitlines()]
    write_rows("samples_other.jsonl", [sample | {"doc": {"question": "?"}} for sample in samples])

    status, message = refused("score", "instruction_following", "samples_other.jsonl")
    assert status in (1, 2)
    assert "instruction_id_list" in message


def test_a_missing_library_is_named_with_its_extra(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "langdetect.detector_factory", None)
    response_languages._detectors.cache_clear()  # of an earlier test
    write_ifeval()
    lower = [
        PROMPTS[0] | {"instruction_id_list": ["change_case:english_lowercase"], "kwargs": [{}]}
    ]
    write_rows("input_data.jsonl", lower + PROMPTS[1:])
    files = ("responses.jsonl", "-r", "input_data.jsonl", "--id", "prompt")
    status, _, err = run("score", "instruction_following", *files)

    assert status == 1
    assert err.endswith("comes with: pip install 'metric-commons[languages]'\n")
