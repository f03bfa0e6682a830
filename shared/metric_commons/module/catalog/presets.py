"""Options that reproduce the numbers of other projects, in one table."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ...statistics.arguments.checks import nearest


class Preset(NamedTuple):
    """A project's scores: the options of modules, and how TREC files are read."""

    about: str
    modules: Mapping[str, Mapping[str, Any]]
    missing: str = "zero"  # for judged queries without documents, as `trec --missing`


_MLQA = re.compile(r"mlqa\(language=(en|es|hi|vi|de|ar|zh)\)")


def _answers(normalizer: str, **options_of_f1: Any) -> dict[str, dict[str, Any]]:
    """Return the options of exact match and F1 of short answers, with more options of F1."""
    return {
        "qa_em": {"normalizer": normalizer},
        "qa_f1": {"normalizer": normalizer, **options_of_f1},
    }


PRESETS: Mapping[str, Preset] = {
    "squad": Preset("SQuAD v1.1: its script", _answers("squad", both_empty=0.0)),
    "triviaqa": Preset("TriviaQA: its script", _answers("triviaqa", both_empty=0.0)),
    "drop": Preset(
        "DROP in lm-evaluation-harness, except that it rounds F1 to two digits and sets it to 0 if "
        "no number agrees",
        _answers("drop", overlap="set"),
    ),
    "inspect_ai": Preset(
        "inspect_ai 0.3.285: f1, which it rounds to two digits, and exact",
        _answers("inspect_ai", both_empty=0.0),
    ),
    "lm-eval-gsm8k": Preset(
        "GSM8K in lm-evaluation-harness, filter strict-match: the number after ####",
        {"qa_em": {"extract": "gsm8k", "normalizer": "gsm8k"}},
    ),
    "lm-eval-gsm8k-flexible": Preset(
        "GSM8K in lm-evaluation-harness, filter flexible-extract: the last number",
        {"qa_em": {"extract": "gsm8k_flexible", "normalizer": "gsm8k"}},
    ),
    "lm-eval-hendrycks-math": Preset(
        "MATH in lm-evaluation-harness: the text between dollar signs, compared as text",
        {
            "math_equivalence": {
                "backend": "hendrycks",
                "extract": "dollars",
                "extract_references": "boxed",
            },
        },
    ),
    "mlqa": Preset(
        "MLQA: its script, as mlqa(language=de); also en, es, hi, vi, ar and zh",
        _answers("mlqa_LANGUAGE", both_empty=0.0),
    ),
    "ultrarag": Preset(
        "UltraRAG's em, f1, acc, rouge-1, rouge-2, rouge-l and evaluate_trec",
        {
            **_answers("ultrarag", both_empty=0.0),
            "substring_recall": {"normalizer": "ultrarag", "empty_reference": "always"},
            "rouge_n_l": {"normalizer": "ultrarag", "use_stemmer": True},
            "ir_ranking": {"score_dtype": "float32"},
        },
        missing="skip",
    ),
    "trec_eval": Preset(
        "trec_eval 10 without -c; for trec_eval 9 set score_dtype to float32",
        {
            "ir_ranking": {
                "score_dtype": "float64",
                "relevance_level": 1,
                "judged_only": False,
                "map_denominator": "relevant",
            },
        },
        missing="skip",
    ),
}


def preset(name: str) -> Preset:
    """Return the preset of this name.

    >>> preset("squad").modules["qa_f1"]
    {'normalizer': 'squad', 'both_empty': 0.0}
    >>> preset("mlqa(language=de)").modules["qa_em"]
    {'normalizer': 'mlqa_de'}
    >>> preset("squat")
    Traceback (most recent call last):
    ValueError: there is no preset 'squat'; did you mean 'squad'?
    """
    if in_language := _MLQA.fullmatch(name):
        normalizer = f"mlqa_{in_language[1]}"
        return PRESETS["mlqa"]._replace(modules=_answers(normalizer, both_empty=0.0))
    if name.startswith("mlqa"):
        raise ValueError(
            f"{name!r} must name its language, as mlqa(language=de): en, es, hi, vi, de, ar or zh"
        )
    if name not in PRESETS:
        hint = nearest(name, PRESETS) or f"; the presets are {', '.join(PRESETS)}"
        raise ValueError(f"there is no preset {name!r}{hint}")
    return PRESETS[name]


def preset_options(name: str, modules: Iterable[str]) -> dict[str, Any]:
    """Return the preset's options of these modules, by the keys that `score` takes.

    A module that the preset does not cover is an error, since its numbers would not be those of the
    project.

    >>> preset_options("drop", ["qa_em"])
    {'qa_em.normalizer': 'drop'}
    >>> preset_options("squad", ["qa_em", "pass_at_k"])
    Traceback (most recent call last):
    ValueError: the preset squad does not cover pass_at_k, only qa_em, qa_f1
    """
    covered = preset(name).modules
    for module in modules:
        if module not in covered:
            raise ValueError(
                f"the preset {name} does not cover {module}, only {', '.join(covered)}"
            )
    return {
        f"{module}.{option}": value
        for module in modules
        for option, value in covered[module].items()
    }
