"""The instructions of each row, and which of them responses follow, strictly and loosely: IFEval.

J. Zhou et al., Instruction-Following Evaluation for Large Language Models, arXiv 2311.07911, 2023.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, get_type_hints

import numpy as np

from ...statistics.arguments.checks import OptionError, RowError, nearest, shown
from ...statistics.arguments.domains import check_option, checked_options
from ...statistics.intervals.sum_distributions import SumRatio, SumScore, row_mean
from ...statistics.intervals.sums import RowStatistics
from .instruction_checks import KINDS, OF_LANGUAGE, parameters
from .response_languages import (
    LANGUAGES,
    Language,
    LanguageFunction,
    detected_language,
    language_function,
)
from .responses import Check, Response, loose_variants

Checks = Literal["ifeval", "corrected"]


class Instruction(NamedTuple):
    """The id of an instruction, and whether a response follows it."""

    name: str
    check: Check


def read_instructions(
    references: Sequence[str], *, checks: Checks = "ifeval", language: Language = "langdetect"
) -> list[list[Instruction]]:
    """Return the instructions of each row.

    Args:
        references: JSON texts of {"instruction_id_list": [...], "kwargs": [...]}; other keys, such
            as the prompt, are ignored. `kwargs` has the arguments of each instruction, as an object
            or its JSON text; the whole list may be a JSON text, too. An argument that is null
            counts as missing.
        checks: "ifeval" or "corrected".
        language: as in `instruction_statistics`.

    Raises:
        ValueError: a row has no instructions, an unknown one, or one without its arguments.

    >>> reference = '{"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}'
    >>> [[instruction]] = read_instructions([reference])
    >>> instruction.name
    'punctuation:no_comma'
    """
    rows = []
    for row, reference in enumerate(references):
        try:
            rows.append(_instructions(reference, checks, any_language=callable(language)))
        except ValueError as error:
            raise RowError("references", row, str(error)) from None
    return rows


def _instructions(reference: str, checks: Checks, *, any_language: bool) -> list[Instruction]:
    content = _from_text(reference)
    if not isinstance(content, Mapping):
        raise ValueError(
            'is not an object {"instruction_id_list": [...], "kwargs": [...]} of JSON, but '
            f"{shown(reference)}"
        )
    lists: dict[str, list[Any]] = {}
    for key in ("instruction_id_list", "kwargs"):
        if key not in content:
            raise ValueError(f"has no {key!r}")
        value = _from_text(content[key])
        if not isinstance(value, list):
            raise ValueError(f"has {shown(content[key])} as {key!r}; expected a list")
        lists[key] = value
    names, arguments = lists.values()
    if not names:
        raise ValueError("has no instructions; every row needs at least one")
    if len(names) != len(arguments):
        raise ValueError(
            f"has {len(names)} instructions in 'instruction_id_list', but {len(arguments)} objects "
            "in 'kwargs'"
        )
    return [
        _instruction(*pair, checks, any_language=any_language)
        for pair in zip(names, arguments, strict=True)
    ]


def _instruction(name: Any, kwargs: Any, checks: Checks, *, any_language: bool) -> Instruction:
    if not isinstance(name, str) or name not in KINDS:
        hint = nearest(name, KINDS) if isinstance(name, str) else ""
        raise ValueError(f"has an unknown instruction {shown(name)}{hint}")
    value = _from_text(kwargs)
    if not isinstance(value, Mapping | None):
        raise ValueError(f"has {shown(kwargs)} as arguments of {name}; expected an object")
    arguments = {key: value for key, value in (value or {}).items() if value is not None}
    names = [key for key in parameters(name) if key != "corrected"]
    for key in names:
        if key not in arguments:
            raise ValueError(f"lacks the argument {key!r} of {name}")
    for key in arguments:
        if key not in names:
            raise ValueError(
                f"has an argument {key!r} that {name} does not take{nearest(key, names)}"
            )
    hints = get_type_hints(KINDS[name], include_extras=True)
    try:
        for key, argument in arguments.items():
            check_option(key, argument, hints[key])
        if name == "language:response_language" and not any_language:
            language = arguments["language"]
            if language not in LANGUAGES:
                codes = ", ".join(sorted(LANGUAGES))
                problem = f"must be a code that langdetect may return, one of {codes}, got "
                raise OptionError("language", problem + shown(language))
        if name == "length_constraints:nth_paragraph_first_word":
            position, number = arguments["nth_paragraph"], arguments["num_paragraphs"]
            if not 1 <= position <= number:
                problem = f"must be from 1 to num_paragraphs, {number}, got {position}"
                raise OptionError("nth_paragraph", problem)
    except OptionError as error:
        raise ValueError(f": in {name} {error}") from None
    has_corrected = checks == "corrected" and "corrected" in parameters(name)
    corrections = {"corrected": True} if has_corrected else {}
    try:
        return Instruction(name, KINDS[name](**arguments, **corrections))
    except re.error as error:
        raise ValueError(
            f"has an invalid regular expression in {shown(arguments)} of {name}: "
            f"{error}; checks='corrected' compares literal texts"
        ) from None


def _from_text(value: Any) -> Any:
    """Return the value, read from JSON if it is a text; the text if it is not JSON."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value


_STRICTNESS = ("strict", "loose")
# The statistics of every row; "strict" and "loose" count instructions.
_COUNTS = tuple("strict_prompts loose_prompts strict loose instructions rows".split())


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
    """Return how scores follow from sums: means of rows for prompts, ratios for instructions."""
    distributions: dict[str, SumScore] = {}
    for strictness in _STRICTNESS:
        distributions[f"prompt_level_{strictness}_acc"] = row_mean(f"{strictness}_prompts")
        distributions[f"inst_level_{strictness}_acc"] = SumRatio(
            {strictness: 1}, {"instructions": 1}
        )
    return distributions


def _ratio(part: float, total: float) -> float:
    return part / total if total else math.nan
