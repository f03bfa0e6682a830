"""Rewards for following verifiable instructions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from ..base.columns import json_rows
from ..instructions.followed_instructions import instruction_statistics
from ..instructions.instruction_rows import Checks
from ..instructions.response_languages import Language
from ..numbers.checks import RowError, shown
from ..numbers.domains import check_option

InstructionScore = Literal[
    "prompt_level_strict_acc",
    "prompt_level_loose_acc",
    "inst_level_strict_acc",
    "inst_level_loose_acc",
]

Completion = str | Sequence[Mapping[str, Any]]


def instructions(
    score: InstructionScore = "prompt_level_strict_acc",
    *,
    column: str = "instructions",
    checks: Checks = "ifeval",
    language: Language = "langdetect",
) -> Callable[..., list[float]]:
    """A reward function for TRL: `reward_funcs=[instructions("inst_level_strict_acc")]`.

    Args:
        score: the score of a row that is the reward; "prompt_level_strict_acc" and
            "prompt_level_loose_acc" are 0 or 1, the others the proportion of the instructions of
            the row that are followed.
        column: the column of the data set with the instructions, as `instruction_following` takes
            them as references.
        checks: "ifeval" or "corrected", as in `instruction_following`.
        language: "langdetect" or a function, as in `instruction_following`.

    Returns:
        A function of `completions` (texts, or lists of messages) and of columns, which returns a
        float for each completion.

    Raises:
        ValueError: an option is not valid; or, later, the column is missing, or the instructions of
            a row are not valid.

    >>> reward = instructions("inst_level_strict_acc")
    >>> row = {"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}
    >>> reward(["One two", "One, two"], instructions=[row, row])
    [1.0, 0.0]
    """
    check_option("score", score, InstructionScore)
    options: dict[str, Any] = {"checks": checks, "language": language}
    instruction_statistics([], [], **options)  # errors of options come before training starts

    def followed(completions: Sequence[Completion], **columns: Any) -> list[float]:
        if column not in columns:
            raise ValueError(f"the data set has no column {column!r}; it has {', '.join(columns)}")
        texts = [
            completion if isinstance(completion, str) else str(completion[-1]["content"])
            for completion in completions
        ]
        references = list(json_rows(column, columns[column]))
        for row, reference in enumerate(references):
            if not isinstance(reference, str):
                raise RowError(column, row, f"is {shown(reference)}; expected an object or a text")
        try:
            rows = instruction_statistics(texts, references, **options)
        except RowError as error:
            raise RowError(column, error.row, error.problem) from None
        return rows.of_rows()[score]

    return followed
