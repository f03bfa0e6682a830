"""Every module through every adapter: a perfect answer passes and is better than a wrong one."""

import asyncio
import importlib
import inspect
import sys
from types import SimpleNamespace

import pytest

from metric_commons import rewards
from metric_commons.frameworks.harnesses import lighteval, lm_eval
from metric_commons.frameworks.harnesses.row_scorers import scorer
from metric_commons.frameworks.rewards.module_tasks import row_modules
from metric_commons.module.catalog.catalog import names
from metric_commons.scorers import task
from tests.client_stand_ins import install
from tests.shared.frameworks.call_trajectories import EXPECTED, MESSAGES, TEXTS

ROW = {"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}
SPECIAL = {
    "math": ("\\boxed{0.5}", "\\boxed{3}", "1/2"),
    "choice": ("(B)", "(C)", "B"),
    "found": ("\\boxed{1}", "none", None),
    "math_equivalence": ("0.5", "3", "1/2"),
    "json_match": ('{"a": 1}', '{"a": 2}', '{"a": 1}'),
    "tool_calls": ("[f(a=1)]", "[g()]", '[{"name": "f", "arguments": {"a": 1}}]'),
    "instruction_following": ("No comma", "A, comma", ROW),
}
TEXT = ("the small cat sat on the mat", "dogs never bark at a quite different moon", None)
JUDGED = ["math", "choice", "found", *row_modules()]


def rows(module):
    perfect, wrong, reference = SPECIAL.get(module, (TEXT[0], TEXT[1], TEXT[0]))
    return perfect, wrong, reference


@pytest.fixture(autouse=True)
def inspect_ai(monkeypatch):
    install(monkeypatch)
    name = "metric_commons.frameworks.harnesses.inspect_ai"
    monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module(name)
    sys.modules.pop(name)


def trace(completion):
    """What harnesses keep of a run: messages, and the text of the last one."""
    is_text = isinstance(completion, str)
    message = SimpleNamespace(
        role="assistant", content=completion, source="generate", tool_calls=None
    )
    return [message] if is_text else completion


def inspect_form(extension, completion):
    return SimpleNamespace(
        output=SimpleNamespace(completion=completion if isinstance(completion, str) else ""),
        messages=[
            SimpleNamespace(source=None, **item) if isinstance(item, dict) else item
            for item in trace(completion)
            if not isinstance(item, dict) or "role" in item
        ],
    )


def inspect_score(extension, module, completion, reference, **options):
    made = (
        getattr(extension, module)()
        if module in ("math", "choice")
        else extension.module(module, **options)
    )
    score = asyncio.run(made(inspect_form(extension, completion), [reference]))
    return {"C": 1.0, "I": 0.0}.get(score.value, score.value)


@pytest.mark.parametrize("module", JUDGED)
def test_the_perfect_answer_passes_and_is_better(module, inspect_ai):
    perfect, wrong, reference = rows(module)
    judge = task(module)
    scale = judge.scale()
    is_lower = scale.lower_is_better

    def both(score):
        return score(perfect), score(wrong)

    def check_direction(good, bad):
        assert good < bad if is_lower else good > bad

    # Optimizers maximize.
    dspy, gold = scorer("dspy", module), SimpleNamespace(answer=reference)
    good, bad = both(lambda text: dspy(gold, SimpleNamespace(answer=text)))
    assert 0 <= bad < good == pytest.approx(1, abs=1e-12)
    # Tests pass at the best value, or at a threshold in the direction of the score.
    promptfoo = scorer("promptfoo", module)
    good, bad = both(lambda text: promptfoo(text, {"vars": {"expected": reference}}))
    assert (good["pass"], bad["pass"]) == (True, False)
    assert 0 <= bad["score"] < good["score"] == pytest.approx(1, abs=1e-12)
    name = judge.score_name
    assert scale.best == pytest.approx(good["namedScores"][name], abs=1e-9)
    check_direction(good["namedScores"][name], bad["namedScores"][name])
    threshold = bad["namedScores"][name]
    promptfoo = scorer("promptfoo", module, threshold=threshold)
    assert promptfoo(wrong, {"vars": {"expected": reference}})["pass"]
    # Trackers show the score itself.
    mlflow = scorer("mlflow", module).f
    expectations = {"expected_response": reference}
    check_direction(*both(lambda text: mlflow(outputs=text, expectations=expectations).value))
    # Harnesses.
    if module not in ("found", "instruction_following"):  # targets of inspect_ai are texts
        check_direction(*both(lambda text: inspect_score(inspect_ai, module, text, reference)))
    lm = lm_eval.rows(module, reference="r")
    check_direction(*both(lambda text: lm({"r": reference}, [text])[name]))
    made = lighteval.metric(module)
    doc = SimpleNamespace(get_golds=lambda: [reference])

    def best(*texts):
        response = SimpleNamespace(final_text=list(texts))
        return made.sample_level_fn.compute(doc=doc, model_response=response)[name]

    check_direction(*both(best))
    assert best(wrong, perfect) == best(perfect)
    assert made.higher_is_better[name] is not is_lower
    # Trainers maximize: an error is no reward.
    if is_lower:
        with pytest.raises(ValueError, match="lower is better"):
            rewards.Reward(judge)
    else:
        good, bad = rewards.Reward(judge, "r")([perfect, wrong], r=[reference] * 2)
        assert good > bad


@pytest.mark.parametrize("module", sorted({*names()} - {*row_modules()}))
def test_other_modules_are_errors_at_once(module, inspect_ai):
    for make in (
        lambda: scorer("dspy", module),
        lambda: lm_eval.rows(module),
        lambda: lighteval.metric(module),
        lambda: inspect_ai.module(module),
    ):
        with pytest.raises(ValueError, match=f"{module} does not compare a text with a reference"):
            make()


def turns(texts):
    """Two turns with calls, and an answer."""
    first, second = ({"role": "assistant", "content": text} for text in texts)
    last = {"role": "assistant", "content": "It is 5."}
    return [first, {"role": "tool", "content": "4"}, second, {"role": "tool", "content": "5"}, last]


def decoded(texts):
    """What trainers and harnesses of texts have of the same run: one text of all its turns."""
    return "\nuser\n4\nassistant\n".join([*texts, "It is 5."])


RUNS = {**MESSAGES, **{name: turns(texts) for name, texts in TEXTS.items()}}
DECODED = {name: decoded(texts) for name, texts in TEXTS.items() if name not in ("json", "python")}
HAVE_ROLES = {name: run for name, run in RUNS.items() if "of OpenAI" not in name}


def lighteval_score(completion, turns):
    level = lighteval.metric("tool_calls", turns=turns).sample_level_fn
    doc = SimpleNamespace(get_golds=lambda: [EXPECTED])
    response = SimpleNamespace(final_text=[completion])
    return level.compute(doc=doc, model_response=response)["exact_match"]


def lm_eval_score(completion, turns):
    process_results = lm_eval.rows("tool_calls", reference="calls", turns=turns)
    return process_results({"calls": EXPECTED}, [completion])["exact_match"]


CLIENTS = {  # how each gets a run, and the runs that it can have
    "TRL": (
        lambda run, turns: rewards.tools(turns=turns)([run], expected_calls=[EXPECTED])[0],
        RUNS,
    ),
    "verl": (
        lambda run, turns: rewards.tools(turns=turns).verl("toy", run, EXPECTED)["score"],
        DECODED,
    ),
    "inspect_ai": (
        lambda run, turns: inspect_score(
            sys.modules["metric_commons.frameworks.harnesses.inspect_ai"],
            "tool_calls",
            run,
            EXPECTED,
            turns=turns,
        ),
        HAVE_ROLES,
    ),
    "lm-eval": (lm_eval_score, RUNS | {f"{name}, text": run for name, run in DECODED.items()}),
    "lighteval": (lighteval_score, DECODED),
    "promptfoo": (
        lambda run, turns: scorer("promptfoo", "tool_calls", turns=turns)(
            run, {"vars": {"expected": EXPECTED}}
        )["score"],
        RUNS,
    ),
}


@pytest.mark.parametrize(
    ("client", "form"), [(client, form) for client, (_, runs) in CLIENTS.items() for form in runs]
)
def test_calls_of_all_turns_count(client, form, inspect_ai):
    score, runs = CLIENTS[client]
    run = runs[form]

    assert score(run, "all") == 1.0
    assert score(run, "last") == (1.0 if isinstance(run, str) else 0.0)  # a text is one turn


def test_the_last_turn_may_have_no_calls():
    assert rewards.tools(turns="last")([RUNS["messages"]], expected_calls=[[]]) == [1.0]


BOMBS = [
    r"\boxed{" + "9^{" * levels + "9" + "}" * (levels + 1) for levels in (12, 163, 200, 500, 5_000)
]
BOMBS += [r"\boxed{" + r"\frac{1}{" * 3_000 + "2" + "}" * 3_001, r"\boxed{" + "(" * 9_000]
BOMBS += ["[" * 100_000, '{"a":' * 100_000, "[f(a=" + "[" * 5_000, "<tool_call>" * 9_000, "\ud800"]
ODD = [
    *(None, b"\xff", 3, 0.5, ["a"], {"content": 3}, [None], object(), type, [[]]),
    *({"tool_calls": 3}, {"role": "assistant", "content": [None]}, {"type": "tool_use"}),
    [{"type": "image"}, {"type": "text", "text": "a"}],
]


def at_depth(frames_left, function):
    """Call a function where the stack has this many frames left."""

    def descend(levels):
        return descend(levels - 1) if levels else function()

    return descend(sys.getrecursionlimit() - frames_left - len(inspect.stack(0)))


@pytest.mark.parametrize("module", JUDGED)
def test_nothing_raises_at_any_depth(module):
    perfect, _, reference = rows(module)
    judge = task(module, explain=True)
    texts = [perfect, *BOMBS, *ODD]
    shallow = judge.verdicts(texts, [reference] * len(texts))

    assert shallow[0].score is not None
    assert all(verdict.score is not None or verdict.reason for verdict in shallow)
    for frames_left in (60, 100, 500):
        assert at_depth(frames_left, lambda: judge.verdicts(texts, [reference] * len(texts))) == (
            shallow
        )


def test_errors_of_functions_of_ones_own_are_raised():
    def broken(text):
        raise KeyError(text)

    with pytest.raises(KeyError, match="'a'"):
        rewards.found(extract=broken)(["a"])
