"""The kinds of rewards, each with the options of its task."""

from typing import Any, Literal

from ...statistics.arguments.domains import check_option
from ...text.extraction.step_chains import Extract
from .named_tasks import task as named_task
from .reward import Reward
from .text_tasks import Choice, Found

AnswerScore = Literal["qa_em", "qa_f1", "qa_precision", "qa_recall", "substring_recall"]


_REPLY = "tagged_or_boxed"  # the step for completions of trained models


def math(
    *,
    column: str = "solution",
    dataset: str | None = None,
    extract: Extract = _REPLY,
    extract_references: Extract = None,
    percent: Literal["either", "value", "ignore", "any_scale"] = "either",
    lists: Literal["either", "set", "multiset", "sequence"] = "either",
    rounding: Literal["none", "reference"] = "none",
    decimal_comma: bool = False,
    relative_tolerance: float = 0.0,
    absolute_tolerance: float = 0.0,
    undecided: float | None = 0.0,
    name: str = "math",
    explain: bool = False,
) -> Reward:
    r"""1.0 if the answer is proved equal to the reference, else 0.0, as by `math_equivalence`.

    Args:
        column: the column of the data set with the reference, or a list of accepted references:
            texts or numbers. If none of them can be read, the reward is None.
        dataset: the data set of the problems, such as "gsm8k" or "aqua": `extract` and
            `extract_references` are then as in `math_equivalence`, unless they are given, and so
            are its conventions.
        extract: how to extract the answer from a completion: by default from `<answer>` tags or
            the last box after the thoughts. The name of a step, such as "boxed" or "final_answer"
            (the card of qa_em lists them), a pattern, a function from str to str or None, or a
            list of these. A completion without an answer has the reward 0.0.
        extract_references: the same for references; "boxed" if they are whole solutions.
        percent: as in `mathematics.equivalent`, like the following options.
        lists: as in `mathematics.equivalent`.
        rounding: as in `mathematics.equivalent`.
        decimal_comma: as in `mathematics.equivalent`.
        relative_tolerance: as in `mathematics.equivalent`.
        absolute_tolerance: as in `mathematics.equivalent`.
        undecided: the reward of an answer that is neither proved equal nor unequal; None leaves
            such rows out.
        name: the name of the reward in logs.
        explain: whether verdicts, and the log of TRL, have a reason.

    Raises:
        ValueError: an option is not valid.

    >>> math()([r"It is $\boxed{\frac12}$.", r"\boxed{2}", "2"], solution=["0.5", "3", "2"])
    [1.0, 0.0, 0.0]
    """
    from ...mathematics.proof.problem_sets import Dataset, extraction_of
    from .math_tasks import Math

    check_option("dataset", dataset, Dataset)
    if dataset is not None:
        given = {
            "extract": None if extract == _REPLY else extract,
            "extract_references": extract_references,
        }
        extract, extract_references = extraction_of(dataset, given).values()
    task = Math(
        name=name,
        explain=explain,
        extract=extract,
        extract_references=extract_references,
        percent=percent,
        lists=lists,
        rounding=rounding,
        decimal_comma=decimal_comma,
        relative_tolerance=relative_tolerance,
        absolute_tolerance=absolute_tolerance,
        undecided=undecided,
        dataset=dataset,
    )
    return Reward(task, column)


def choice(
    *,
    column: str = "answer",
    extract: Extract = "choice",
    extract_references: Extract = None,
    name: str = "choice",
    explain: bool = False,
) -> Reward:
    """1.0 if the final letter of a completion is the right one, else 0.0.

    Args:
        column: the column of the data set with the letter, such as "B" or "(b)", or a whole number
            that counts from 0.
        extract: as in `math`.
        extract_references: as in `math`.
        name: the name of the reward in logs.
        explain: whether verdicts, and the log of TRL, have a reason.

    Raises:
        ValueError: an option is not valid.

    >>> choice()(["The answer is (B).", "A or B"], answer=["B", 0])
    [1.0, 0.0]
    """
    task = Choice(
        name=name, explain=explain, extract=extract, extract_references=extract_references
    )
    return Reward(task, column)


def answers(score: AnswerScore = "qa_f1", *, column: str = "answer", **options: Any) -> Reward:
    """Return the score of a short answer.

    Token F1, exact match, or whether it contains the reference.

    Args:
        score: "qa_f1", "qa_precision", "qa_recall", "qa_em" or "substring_recall".
        column: the column of the data set with the accepted answer, or answers.
        **options: the options of the module, such as `normalizer`; and `extract`,
            `extract_references`, `name` and `explain` as in `math`, by default for the whole
            completion, and with the score as name.

    Raises:
        ValueError: an option is not valid.
        TypeError: an option is unknown.

    >>> answers("qa_em", extract="answer_line")(["Answer: The cat!"], answer=[["dog", "cat"]])
    [1.0]
    """
    check_option("score", score, AnswerScore)
    module = "qa_f1" if score in ("qa_precision", "qa_recall") else score
    return Reward(named_task(module, score=score, **options), column)


def rouge(score: str = "rougeL", *, column: str = "summary", **options: Any) -> Reward:
    """Return a score of ROUGE for each completion.

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
    return Reward(named_task("rouge_n_l", score=score, **options), column)


def found(
    extract: Extract = "tagged_or_boxed", *, name: str = "found", explain: bool = False
) -> Reward:
    r"""1.0 if `extract` finds an answer, else 0.0: a reward for the form of a completion.

    Args:
        extract: as in `math`.
        name: the name of the reward in logs.
        explain: whether verdicts, and the log of TRL, have a reason.

    Raises:
        ValueError: an option is not valid.

    >>> found()([r"\boxed{2}", "2"])
    [1.0, 0.0]
    """
    return Reward(Found(name=name, explain=explain, extract=extract))


def tools(score: str = "exact_match", *, column: str = "expected_calls", **options: Any) -> Reward:
    """Return a score of tool calls: `reward_funcs=tools()`.

    A completion is a text, or a list of messages; the calls of all messages of the assistant count,
    or with `turns="last"` those of its last one: `tool_calls`, or otherwise the calls in texts. A
    call that cannot be read has the reward 0.0. The reward is None, so that the row is left out, if
    the expected calls cannot be read.

    Args:
        score: "exact_match", "name_match", "f1", "precision", "recall" or "partial_match".
        column: the column of the data set with the expected calls, in a form of `tool_calls`.
        **options: the options of `tool_calls`; and `name` and `explain` as in `math`.

    Raises:
        ValueError: the score is unknown, or an option is not valid.
        TypeError: an option is unknown.

    >>> reward = tools("partial_match")
    >>> calls = [{"name": "f", "arguments": {"a": 1, "b": 2}}]
    >>> reward(["[f(a=1, b=3)]", "I cannot."], expected_calls=[calls, calls])
    [0.5, 0.0]
    """
    return Reward(named_task("tool_calls", score=score, **options), column)


def json(score: str = "f1", *, column: str = "answer", **options: Any) -> Reward:
    """Return a score of JSON: `reward_funcs=json(parse="fenced")`.

    Invalid JSON has the reward 0.0. The reward is None, so that the row is left out, if the
    reference is not JSON.

    Args:
        score: "f1", "precision", "recall", "exact_match", "valid", or with a schema "schema_valid".
        column: the column of the data set with the references, in a form of `json_match`.
        **options: the options of `json_match`; and `name` and `explain` as in `math`.

    Raises:
        ValueError: the score is unknown, or an option is not valid.
        TypeError: an option is unknown.

    >>> reward = json()
    >>> reward(['{"a": 1, "b": 2}', "{"], answer=[{"a": 1, "b": 3}, {"a": 1}])
    [0.5, 0.0]
    """
    return Reward(named_task("json_match", score=score, **options), column)


def instructions(
    score: str = "prompt_level_strict_acc", *, column: str = "instructions", **options: Any
) -> Reward:
    """Return a score of the instructions that a response follows: `reward_funcs=instructions()`.

    Args:
        score: "prompt_level_strict_acc" and "prompt_level_loose_acc" are 0 or 1,
            "inst_level_strict_acc" and "inst_level_loose_acc" the proportion of the instructions
            of the row that are followed.
        column: the column of the data set with the instructions, in the form of references of
            `instruction_following`. If they cannot be read, the reward is None.
        **options: the options of `instruction_following` (`checks` and `language`); and `name` and
            `explain` as in `math`.

    Raises:
        ValueError: the score is unknown, or an option is not valid.
        TypeError: an option is unknown.

    >>> reward = instructions("inst_level_strict_acc")
    >>> row = {"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}
    >>> reward(["One two", "One, two"], instructions=[row, row])
    [1.0, 0.0]
    """
    return Reward(named_task("instruction_following", score=score, **options), column)
