"""The rewards by name, each a task and a column."""

from typing import Any, Literal

from ...statistics.arguments.domains import check_option
from ...text.extraction.step_chains import Extract
from .named_tasks import REPLY, task
from .reward import Reward

AnswerScore = Literal["qa_em", "qa_f1", "qa_precision", "qa_recall", "substring_recall"]


def math(
    *,
    column: str = "solution",
    dataset: str | None = None,
    extract: Extract = REPLY,
    extract_references: Extract = None,
    **options: Any,
) -> Reward:
    r"""Return a reward: 1.0 if the answer is proved equal to the reference, else 0.0.

    Answers are compared as by `math_equivalence`.

    Args:
        column: the column of the data set with the reference, or a list of accepted references:
            texts or numbers. If none of them can be read, the reward is None.
        dataset: the data set of the problems, such as "gsm8k" or "aqua". Answers are then extracted
            and compared as in `math_equivalence`, unless `extract` or `extract_references` is
            given.
        extract: how to extract the answer from a completion: by default from `<answer>` tags or
            the last box after the thoughts. The name of a step, such as "boxed" or "final_answer"
            (the card of qa_em lists them), a pattern, a function from str to str or None, or a
            list of these; None for the whole text. A completion without an answer has the
            reward 0.0.
        extract_references: the same for references; "boxed" if they are whole solutions.
        **options: `percent`, `lists`, `rounding`, `decimal_comma`, `relative_tolerance` and
            `absolute_tolerance` as in `math_equivalence`; and

            * `thoughts`: "strip" judges only what follows the thoughts of a model, such as
              `<think>...</think>`; "keep" the whole text; or the [opening mark, closing mark] of
              thoughts. A completion whose thoughts were cut off has the reward 0.0.
            * `undecided`: the reward of an answer that is neither proved equal nor unequal, by
              default 0.0; None leaves such rows out.
            * `name`: the name of the reward in logs.
            * `explain`: whether verdicts, and the log of TRL, have a reason.

    Raises:
        ValueError: an option is not valid.
        TypeError: an option is unknown.

    >>> math()([r"It is $\boxed{\frac12}$.", r"\boxed{2}", "2"], solution=["0.5", "3", "2"])
    [1.0, 0.0, 0.0]
    """
    from ...mathematics.proof.problem_sets import Dataset, extraction_of

    check_option("dataset", dataset, Dataset)
    if dataset is not None:
        steps = {
            "extract": None if extract == REPLY else extract,
            "extract_references": extract_references,
        }
        extract, extract_references = extraction_of(dataset, steps).values()
    extract = () if extract is None else extract
    options |= {"dataset": dataset, "extract": extract, "extract_references": extract_references}
    return Reward(task("math", **options), column)


def choice(*, column: str = "answer", **options: Any) -> Reward:
    """Return a reward: 1.0 if the final letter of a completion is the right one, else 0.0.

    Args:
        column: the column of the data set with the letter, such as "B" or "(b)", or a whole number
            that counts from 0.
        **options: `extract`, by default "choice", `extract_references`, `thoughts`, `name` and
            `explain` as in `math`.

    Raises:
        ValueError: an option is not valid.
        TypeError: an option is unknown.

    >>> choice()(["The answer is (B).", "A or B"], answer=["B", 0])
    [1.0, 0.0]
    """
    return Reward(task("choice", **options), column)


def answers(score: AnswerScore = "qa_f1", *, column: str = "answer", **options: Any) -> Reward:
    """Return a reward for short answers: F1, exact match, or whether they contain the reference.

    Args:
        score: "qa_f1", "qa_precision", "qa_recall", "qa_em" or "substring_recall".
        column: the column of the data set with the accepted answer, or answers.
        **options: the options of the module, such as `normalizer`; and `extract`,
            `extract_references`, `thoughts`, `name` and `explain` as in `math`, by default for the
            whole completion, and with the score as name.

    Raises:
        ValueError: an option is not valid.
        TypeError: an option is unknown.

    >>> answers("qa_em", extract="answer_line")(["Answer: The cat!"], answer=[["dog", "cat"]])
    [1.0]
    """
    check_option("score", score, AnswerScore)
    module = "qa_f1" if score in ("qa_precision", "qa_recall") else score
    return Reward(task(module, score=score, **options), column)


def rouge(score: str = "rougeL", *, column: str = "summary", **options: Any) -> Reward:
    """Return a reward: a score of ROUGE for each completion.

    Args:
        score: a type of ROUGE, such as "rougeL" or "rouge2", whose F1 is the reward; or one with
            "_precision" or "_recall".
        column: the column of the data set with the reference, or references.
        **options: the options of `rouge_n_l`, and those of rewards as in `answers`.

    Raises:
        ValueError: an option is not valid.
        TypeError: an option is unknown.

    >>> rouge("rouge1_recall")(["the cat sat"], summary=["the cat"])
    [1.0]
    """
    check_option("score", score, str)
    options = {"rouge_types": [score.partition("_")[0]], **options}
    return Reward(task("rouge_n_l", score=score, **options), column)


def found(extract: Extract = REPLY, **options: Any) -> Reward:
    r"""Return a reward for the form of a completion: 1.0 if `extract` finds an answer, else 0.0.

    Args:
        extract: as in `math`.
        **options: `thoughts`, `name` and `explain` as in `math`.

    Raises:
        ValueError: an option is not valid.
        TypeError: an option is unknown.

    >>> found()([r"\boxed{2}", "2"])
    [1.0, 0.0]
    """
    return Reward(task("found", extract=extract, **options))


def tools(score: str = "exact_match", *, column: str = "expected_calls", **options: Any) -> Reward:
    """Return a reward for tool calls: `reward_funcs=tools()`.

    A completion is a text, or a list of messages. The calls of all messages of the assistant count,
    or with `turns="last"` those of the last message: `tool_calls`, or otherwise the calls in its
    text. A call that cannot be read has the reward 0.0. If the expected calls cannot be read, the
    reward is None, and the row is left out.

    Args:
        score: "exact_match", "name_match", "f1", "precision", "recall" or "partial_match".
        column: the column of the data set with the expected calls, in a form of `tool_calls`.
        **options: the options of `tool_calls`; and `thoughts`, `name` and `explain` as in `math`.

    Raises:
        ValueError: the score is unknown, or an option is not valid.
        TypeError: an option is unknown.

    >>> reward = tools("partial_match")
    >>> calls = [{"name": "f", "arguments": {"a": 1, "b": 2}}]
    >>> reward(["[f(a=1, b=3)]", "I cannot."], expected_calls=[calls, calls])
    [0.5, 0.0]
    """
    return Reward(task("tool_calls", score=score, **options), column)


def json(score: str = "f1", *, column: str = "answer", **options: Any) -> Reward:
    """Return a reward for JSON: `reward_funcs=json(parse="fenced")`.

    Invalid JSON has the reward 0.0. If the reference is not JSON, the reward is None, and the row
    is left out.

    Args:
        score: "f1", "precision", "recall", "exact_match", "valid", or with a schema "schema_valid".
        column: the column of the data set with the references, in a form of `json_match`.
        **options: the options of `json_match`; and `thoughts`, `name` and `explain` as in `math`.

    Raises:
        ValueError: the score is unknown, or an option is not valid.
        TypeError: an option is unknown.

    >>> reward = json()
    >>> reward(['{"a": 1, "b": 2}', "{"], answer=[{"a": 1, "b": 3}, {"a": 1}])
    [0.5, 0.0]
    """
    return Reward(task("json_match", score=score, **options), column)


def instructions(
    score: str = "prompt_level_strict_acc", *, column: str = "instructions", **options: Any
) -> Reward:
    """Return a reward for the instructions that a response follows: `instructions()`.

    Args:
        score: "prompt_level_strict_acc" and "prompt_level_loose_acc" are 0 or 1,
            "inst_level_strict_acc" and "inst_level_loose_acc" the proportion of the instructions
            of the row that are followed.
        column: the column of the data set with the instructions, in the form of references of
            `instruction_following`. If they cannot be read, the reward is None.
        **options: the options of `instruction_following` (`checks` and `language`); and `thoughts`,
            `name` and `explain` as in `math`.

    Raises:
        ValueError: the score is unknown, or an option is not valid.
        TypeError: an option is unknown.

    >>> reward = instructions("inst_level_strict_acc")
    >>> row = {"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}
    >>> reward(["One two", "One, two"], instructions=[row, row])
    [1.0, 0.0]
    """
    return Reward(task("instruction_following", score=score, **options), column)


def code(column: str = "verification_info", **options: Any) -> Reward:
    r"""Return a reward for the tests that a program passes: `reward_funcs=code("tests")`.

    The program is the last fenced block of a completion that is marked as Python, otherwise the
    last unmarked one, and of several the last that can be parsed; without one the reward is
    0.0. The reward is None, so that the row is left out, if the tests cannot be read or run
    nothing, or if the machine failed and not the program.

    Give tests as data, if you can: their expected outputs never enter the process of a program.
    A test program shares that process, and a policy may learn to forge a pass.

    Programs share cores, so that the time limits of a batch run side by side: a test ends after
    `timeout` seconds of CPU time, of time without waiting for a core, or of wall time once it has
    had a fifth of them as CPU time.

    Args:
        column: the column of the data set with the tests, in a form that
            `execution.read_tests` reads, such as open-r1's `verification_info`.
        **options: `score` is "pass_fail", "partial" (the default) or "weighted_sum", as in
            `code_eval`; `allow_execution`, whether programs may be run, or set
            HF_ALLOW_CODE_EVAL=1; `thoughts`, `name` and `explain` as in `math`; and further options
            of `code_eval` about how programs are run and judged, such as `timeout`, 5 seconds for
            each test; by default as many programs run at once as are four for each core, but at
            most 16 if that is more than one for each.

    Raises:
        ValueError: running programs is not allowed, or an option is not valid.

    >>> reward = code("tests", allow_execution=True)
    >>> tests = {"inputs": ["1", "2"], "outputs": ["2", "3"]}
    >>> reward(["```python\nprint(2)\n```", "I cannot."], tests=[tests, tests])
    [0.5, 0.0]
    """
    return Reward(task("code", **options), column)
