"""The prompts and instructions that responses follow, strictly and loosely, as in IFEval.

J. Zhou et al., Instruction-Following Evaluation for Large Language Models, arXiv 2311.07911, 2023.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...statistics.arguments.domains import checked_options
from ...statistics.intervals.sum_distributions import SumRatio, SumScore, row_mean
from ...statistics.intervals.sums import RowStatistics
from .instruction_kinds import OF_LANGUAGE
from .instruction_rows import Checks, Instruction, read_instructions
from .response_languages import Language, LanguageFunction, detected_language, language_function
from .responses import Response, loose_variants

_STRICTNESS = ("strict", "loose")
# The statistics of every row; "strict" and "loose" count instructions.
_COUNTS = ("strict_prompts", "loose_prompts", "strict", "loose", "instructions", "rows")


class Verdicts(NamedTuple):
    """Whether a response follows each of its instructions."""

    strict: list[bool]
    loose: list[bool]


def verdicts(
    text: str,
    instructions: Sequence[Instruction],
    language_of: LanguageFunction = detected_language,
) -> Verdicts:
    r"""Return whether a text follows each instruction.

    In the strict sense the text itself has to follow it. In the loose sense one of its variants has
    to, which may differ between instructions. A blank text follows no instruction.

    >>> reference = '{"instruction_id_list": ["startend:quotation"], "kwargs": [{}]}'
    >>> [instructions] = read_instructions([reference])
    >>> verdicts('Here it is:\n"Yes."', instructions)
    Verdicts(strict=[False], loose=[True])
    """
    if not text.strip():
        failures = [False] * len(instructions)
        return Verdicts(failures, failures)
    response = Response(text, language_of)
    strict = [instruction.check(response) for instruction in instructions]
    if all(strict):
        return Verdicts(strict, strict)
    variants = [Response(variant, language_of) for variant in loose_variants(text)[1:]]
    loose = [
        is_followed or any(map(instruction.check, variants))
        for is_followed, instruction in zip(strict, instructions, strict=True)
    ]
    return Verdicts(strict, loose)


@checked_options
def instruction_statistics(
    predictions: Sequence[str],
    references: Sequence[str],
    *,
    checks: Checks = "ifeval",
    language: Language = "langdetect",
    by_instruction: bool = False,
) -> RowStatistics:
    """Return the prompts and instructions that each response follows.

    Args:
        predictions: the response to each prompt.
        references: the instructions of each prompt, in the form of `read_instructions`.
        checks: "ifeval" gives the verdicts of IFEval's own program, with its faults; "corrected"
            corrects them.
        language: "langdetect", or a function from a text to the code of its language, or to None if
            it has none. It is used only for instructions about the language.
        by_instruction: whether instructions of each kind are counted, too.

    Raises:
        ValueError: the instructions of a row are not valid; names the row.
        ImportError: a row asks for the language, and langdetect is not installed.

    >>> reference = '{"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}'
    >>> rows = instruction_statistics(["None here", "Well, one"], [reference] * 2)
    >>> rows.result()["prompt_level_strict_acc"]
    0.5
    """
    instructions_of_rows = read_instructions(references, checks=checks, language=language)
    language_of: LanguageFunction = detected_language
    if any(name in OF_LANGUAGE for row in instructions_of_rows for name, _ in row):
        language_of = language_function(language)
    rows: list[dict[str, int]] = []
    for text, instructions in zip(predictions, instructions_of_rows, strict=True):
        followed = verdicts(text, instructions, language_of)
        counts = {
            "strict_prompts": int(all(followed.strict)),
            "loose_prompts": int(all(followed.loose)),
            "strict": sum(followed.strict),
            "loose": sum(followed.loose),
            "instructions": len(instructions),
            "rows": 1,
        }
        if by_instruction:
            for (name, _), *pair in zip(instructions, *followed, strict=True):
                for kind, count in zip((*_STRICTNESS, "instructions"), (*pair, 1), strict=True):
                    counts[f"{kind}:{name}"] = counts.get(f"{kind}:{name}", 0) + count
        rows.append(counts)
    names = tuple(dict.fromkeys([*_COUNTS, *(name for counts in rows for name in counts)]))
    table = [[counts.get(name, 0) for name in names] for counts in rows]
    return RowStatistics(
        names,
        np.array(table, np.int64).reshape(len(rows), len(names)),
        partial(_scores, by_instruction=by_instruction),
        _row_scores,
        _distributions,
        _breakdowns,
    )


def _row_scores(sums: Mapping[str, float]) -> dict[str, Any]:
    shares: dict[str, Any] = {}
    for strictness in _STRICTNESS:
        rows, instructions = sums["rows"], sums["instructions"]
        shares[f"prompt_level_{strictness}_acc"] = _ratio(sums[f"{strictness}_prompts"], rows)
        shares[f"inst_level_{strictness}_acc"] = _ratio(sums[strictness], instructions)
    return shares | {"instructions": int(sums["instructions"])}


def _scores(sums: Mapping[str, float], *, by_instruction: bool) -> dict[str, Any]:
    result = _row_scores(sums)
    if by_instruction:
        result["by_instruction"] = _table(sums)
    return result


def _members(statistics: Iterable[str]) -> dict[str, list[str]]:
    """Return the ids of instructions in these names, by themselves and by family, in order."""
    ids = [name.partition(":")[2] for name in statistics if name.startswith("instructions:")]
    members = {name: [name] for name in ids}
    for name in ids:
        members.setdefault(name.partition(":")[0], []).append(name)
    return dict(sorted(members.items()))


def _table(sums: Mapping[str, float]) -> dict[str, dict[str, Any]]:
    """Return the scores of instructions of each id, and of each family of ids."""

    def count(kind: str, names: Iterable[str]) -> int:
        return int(sum(sums[f"{kind}:{name}"] for name in names))

    return {
        key: {
            "strict_acc": count("strict", names) / number,
            "loose_acc": count("loose", names) / number,
            "n": number,
        }
        for key, names in _members(sums).items()
        if (number := count("instructions", names))
    }


def _distributions(statistics: Sequence[str]) -> dict[str, SumScore]:
    """Prompts are means of rows, instructions are ratios of sums."""
    distributions: dict[str, SumScore] = {}
    for strictness in _STRICTNESS:
        distributions[f"prompt_level_{strictness}_acc"] = row_mean(f"{strictness}_prompts")
        distributions[f"inst_level_{strictness}_acc"] = SumRatio(
            {strictness: 1}, {"instructions": 1}
        )
    return distributions


def _breakdowns(statistics: Sequence[str]) -> dict[str, dict[str, dict[str, SumRatio]]]:
    """Return how the scores of each id and family follow from sums."""

    def ones(kind: str, names: Iterable[str]) -> dict[str, float]:
        return {f"{kind}:{name}": 1.0 for name in names}

    entries = {
        key: {
            f"{strictness}_acc": SumRatio(ones(strictness, names), ones("instructions", names))
            for strictness in _STRICTNESS
        }
        for key, names in _members(statistics).items()
    }
    return {"by_instruction": entries} if entries else {}


def _ratio(part: float, total: float) -> float:
    return part / total if total else math.nan
