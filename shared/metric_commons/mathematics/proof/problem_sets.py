"""Data sets of mathematical problems: where the answers are, and which conventions they follow."""

from collections.abc import Mapping
from typing import Annotated, Any

from ...statistics.arguments.domains import OneOf

_OF_ANSWERS = (  # a reference is an answer
    *("aime24", "aime25", "amc23", "asdiv", "carp_en", "cmath", "cn_middle_school"),
    *("college_math", "gaokao", "gaokao2023en", "gaokao2024_mix", "gaokao_math_cloze"),
    *("math500", "mawps", "olympiadbench", "svamp", "tabmwp"),
)
_OF_CHOICES = ("aqua", "gaokao_math_qa", "mmlu_stem", "sat_math")  # a reference is a letter
_OF_SOLUTIONS = ("math", "minerva")  # a reference is a solution with a box

DATASETS: Mapping[str, Mapping[str, str]] = {
    **{name: {"extract": "final_answer"} for name in _OF_ANSWERS},
    **{name: {"extract": "choice"} for name in _OF_CHOICES},
    **{name: {"extract": "final_answer", "extract_references": "boxed"} for name in _OF_SOLUTIONS},
    "gsm8k": {"extract": "final_answer", "extract_references": "gsm8k"},
}
_OF_STORIES = tuple("asdiv cmath gsm8k mawps svamp tabmwp".split())
# Forms of `Conventions` that other data sets leave open.
SETTLED: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(_OF_STORIES, ("bare_units",)),  # 5 m is a length
    "college_math": ("applied", "common_logarithm", "wide_argument"),
    "minerva": ("applied",),  # I(0) is not a product
    "olympiadbench": ("applied", "common_logarithm"),
}
Dataset = Annotated[str, OneOf(DATASETS)] | None


def extraction_of(dataset: str | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of extraction, with those of a data set where they are None.

    >>> extraction_of("gsm8k", {"extract": None, "extract_references": "boxed"})
    {'extract': 'final_answer', 'extract_references': 'boxed'}
    """
    requested = {name: value for name, value in options.items() if value is not None}
    return {**options, **DATASETS.get(dataset or "", {}), **requested}
