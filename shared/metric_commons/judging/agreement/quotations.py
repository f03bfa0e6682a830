"""Sentences about judges to quote: what is known, with its interval, and what is not."""

import math
from collections.abc import Mapping
from typing import Any

_TAIL = 0.05  # p-values above it do not show a preference


def agreement_sentence(result: Mapping[str, Any]) -> str:
    """Return a sentence about a result of `judge_agreement`.

    >>> agreement_sentence({"agreement": 0.9, "cohen_kappa": 0.0, "constant_agreement": 0.9})
    'The judge agrees with the labels in 90.0 % of the rows; one that always gives the commonest \
label would in 90.0 %. Kappa is 0.00. Without a confidence level, the effect of chance is not \
known.'
    """
    if "swap_consistency" in result:
        return _about_positions(result)
    if "judges" in result:
        return _about_a_panel(result)
    sentences = []
    if "agreement" in result:
        sentences.append(
            f"The judge agrees with the labels in {_percent(result, 'agreement')} of the rows; "
            "one that always gives the commonest label would in "
            f"{_percent(result, 'constant_agreement')}."
        )
    if "percent_agreement" in result:
        text = _percent(result, "percent_agreement")
        sentences.append(f"Two ratings of a row agree in {text} of the cases.")
    names = {
        "cohen_kappa": "Kappa",
        "fleiss_kappa": "Fleiss' kappa",
        "gwet_ac": "Gwet's coefficient",
        "brennan_prediger": "Brennan and Prediger's coefficient",
        "krippendorff_alpha": "Krippendorff's alpha",
    }
    for name, words in names.items():
        if name in result and _is_number(result[name]):
            sentences.append(f"{words} is {_number(result, name)}.")
        elif name in result:
            sentences.append(f"{words} is not known: chance alone would always agree.")
    return " ".join([*sentences, *_unknown(result)])


def _about_positions(result: Mapping[str, Any]) -> str:
    p_value = result["position_p_value"]
    rate = result["first_position_rate"]
    preference = "A preference for a position is not shown"
    if p_value <= _TAIL:
        preference = f"The judge prefers the answer shown {'first' if rate > 0.5 else 'second'}"
    text = (
        f"The verdict is the same in both orders for {_percent(result, 'swap_consistency')} of "
        f"the pairs. {preference}: the first position gets "
        f"{_percent(result, 'first_position_rate')} of the points (p = {p_value:.2g})."
    )
    return " ".join([text, *_unknown(result)])


def _about_a_panel(result: Mapping[str, Any]) -> str:
    effective = result["effective_judges"]
    worth = "The correlation of their errors is not known."
    if _is_number(effective):
        worth = (
            f"Their errors correlate with {result['error_correlation']:.2f}, so they are worth "
            f"{effective:.1f} independent judges, a number without an interval."
        )
    text = (
        f"{result['judges']} judges agree with the labels in {_percent(result, 'agreement')} "
        f"of the rows on average, their majority in {_percent(result, 'majority_agreement')}; "
        f"one that always gives the commonest label would in "
        f"{_percent(result, 'constant_agreement')}. {worth}"
    )
    return " ".join([text, *_unknown(result)])


def corrected_sentence(result: Mapping[str, Any]) -> str:
    """Return a sentence about a result of `judge_corrected`.

    >>> result = {
    ...     "judge_corrected": 0.6, "judged_rate": 0.8, "labelled": 40, "n": 200,
    ...     "effective_labels": 57.1, "confidence_interval": {"judge_corrected": [0.45, 0.74]}
    ... }
    >>> corrected_sentence(result)
    'By the labels of 40 of 200 rows, people would give 0.600 [0.450, 0.740], where the judge \
gives 0.800. Labels and judge are as good as 57 labels alone. Whether the labels are a random \
sample is not known from the data.'
    """
    labels = f"By the labels of {result['labelled']:,}"
    if "n" in result:
        labels += f" of {result['n']:,} rows"
    text = (
        f"{labels}, people would give {_number(result, 'judge_corrected', 3)}, where the judge "
        f"gives {_shown(result['judged_rate'])}."
    )
    effective = result.get("effective_labels")
    if effective is not None and _is_number(effective):
        text += f" Labels and judge are as good as {effective:,.0f} labels alone."
    sample = "the labels are a random sample"
    if "sensitivity" in result:
        sample = "the labels of each class are a random sample of it"
    text += f" Whether {sample} is not known from the data."
    return " ".join([text, *_unknown(result)])


def _unknown(result: Mapping[str, Any]) -> list[str]:
    """Return the sentence about a result without intervals."""
    if result.get("confidence_interval"):
        return []
    return ["Without a confidence level, the effect of chance is not known."]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_shown, value))
    return f"{value:.3f}"


def _interval(result: Mapping[str, Any], name: str) -> list[float] | None:
    ends = (result.get("confidence_interval") or {}).get(name)
    return ends if ends is not None and all(map(_is_number, ends)) else None


def _number(result: Mapping[str, Any], name: str, digits: int = 2) -> str:
    """Return a score with its interval."""
    text = f"{result[name]:.{digits}f}"
    ends = _interval(result, name)
    return text if ends is None else f"{text} [{ends[0]:.{digits}f}, {ends[1]:.{digits}f}]"


def _percent(result: Mapping[str, Any], name: str) -> str:
    """Return a proportion with its interval, in percent."""
    if not _is_number(result[name]):
        return "an unknown part"
    text = f"{100 * result[name]:.1f} %"
    ends = _interval(result, name)
    return text if ends is None else f"{text} [{100 * ends[0]:.1f}, {100 * ends[1]:.1f}]"
