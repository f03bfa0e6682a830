"""Tasks by name, and the rewards that are made from them."""

from functools import cache
from typing import Any, Literal

from ...statistics.arguments.checks import OptionError, nearest
from ...statistics.arguments.domains import check_option
from ...text.extraction.step_chains import Extract
from ...text.tokens.thoughts import Thoughts
from .reward import Reward
from .text_tasks import Choice, Found
from .verdicts import Task

_ROWS = {  # modules whose rows are not texts, with a row that is valid for all options
    "tool_calls": ("", []),
    "json_match": ("null", "null"),
    "instruction_following": (
        "",
        {"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]},
    ),
}
_KINDS = ("math", "choice", "found")


def task(
    module: str,
    *,
    score: str | None = None,
    extract: Extract = None,
    extract_references: Extract = None,
    thoughts: Thoughts = "strip",
    explain: bool = False,
    name: str | None = None,
    **options: Any,
) -> Task:
    r"""Return the task of a name.

    Args:
        module: "math", "choice" or "found"; or the name of a module that compares texts, calls,
            JSON or instructions.
        score: the name of a score of rows of the module; by default the main one.
        extract: how to extract the answer from a text, or () for the whole text; by default
            "tagged_or_boxed" for "math" and "found", "choice" for "choice", and the whole text for
            modules.
        extract_references: the same for references.
        thoughts: as in `math`.
        explain: whether verdicts have a reason.
        name: of the score, in logs.
        **options: of the module.

    Raises:
        ValueError: the module, score or step is unknown, or an option is not valid.
        TypeError: an option is unknown.

    >>> task("math").verdict(r"\boxed{0.5}", "1/2").score
    1.0
    >>> task("math_equivalence").verdict("0.5", "1/2").score  # a module, so of the whole text
    1.0
    >>> task("qa_f1", normalizer="lower").verdict("a b", ["b", "c"]).score
    0.6666666666666666
    """
    settings: dict[str, Any] = {"explain": explain, "thoughts": thoughts}
    settings |= {} if name is None else {"name": name}
    steps = {"extract": extract, "extract_references": extract_references}
    steps = {key: step for key, step in steps.items() if step is not None}
    if module in _ROWS:
        from .module_tasks import ModuleRows

        options |= steps  # which are errors
        sample = _ROWS[module]
        if module == "tool_calls" and options.get("tools") is None:
            sample = "", {"tool_calls": [], "tools": []}  # tools may come with the calls
        return ModuleRows(module=module, score=score, options=options, sample=sample, **settings)
    if score is not None and module in (*_KINDS, "math_equivalence"):
        raise OptionError("score", f"is for modules, and not for {module!r}")
    settings |= steps
    if module in ("math", "math_equivalence"):
        from .math_tasks import Math

        if module == "math_equivalence":
            settings = {"name": module, "extract": None, **settings}
        return Math().with_settings({**settings, **options})
    if module in ("choice", "found"):
        kind: Task = Choice() if module == "choice" else Found()
        return kind.with_settings({**settings, **options})
    from ...module.catalog.catalog import is_path, name_of
    from .module_tasks import ModuleTexts

    if is_path(module):
        module = name_of(module)
    if not compares_texts(module):
        listed = ", ".join(row_modules())
        raise ValueError(
            f"{module} does not compare a text with a reference; modules that do are {listed}"
        )
    return ModuleTexts(module=module, score=score, options=options, **settings)


@cache
def compares_texts(module: str) -> bool:
    """Return whether a module scores rows of a text and one or more accepted texts.

    Raises:
        ValueError: the module is unknown.

    >>> compares_texts("qa_f1"), compares_texts("ir_ranking"), compares_texts("classification")
    (True, False, False)
    """
    from ...module.catalog.catalog import is_known, module_class, names

    if not is_known(module):
        modules = [*_KINDS, *names()]
        listed = ", ".join(modules)
        raise ValueError(
            f"there is no module {module!r}{nearest(module, modules)}; the modules are {listed}"
        )
    metric = module_class(module)()
    columns = {"predictions": "string", "references": "string"}
    if metric.score_kind == "counts" or "per_example" not in metric.declared_options:
        return False
    return any(
        {name: getattr(getattr(kind, "feature", kind), "dtype", None) for name, kind in f.items()}
        == columns
        and hasattr(f["predictions"], "dtype")
        for f in metric.feature_sets
    )


def row_modules() -> list[str]:
    """Return the names of all modules that judge one row at a time.

    >>> "qa_f1" in row_modules(), "tool_calls" in row_modules(), "ir_ranking" in row_modules()
    (True, True, False)
    """
    from ...module.catalog.catalog import names

    return [name for name in names() if name in _ROWS or compares_texts(name)]


AnswerScore = Literal["qa_em", "qa_f1", "qa_precision", "qa_recall", "substring_recall"]


_REPLY = "tagged_or_boxed"  # the step for completions of trained models


def math(
    *,
    column: str = "solution",
    dataset: str | None = None,
    extract: Extract = _REPLY,
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
            "extract": None if extract == _REPLY else extract,
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


def found(extract: Extract = _REPLY, **options: Any) -> Reward:
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
