"""The kinds of instructions of IFEval, each with its original and its corrected check.

The parameters of a check are the arguments that an instruction of the kind has to have.
"""

from collections.abc import Callable
from inspect import signature
from typing import NamedTuple

from .format_checks import (
    chooses_answer,
    counts_highlights,
    counts_item_lines,
    counts_items,
    counts_placeholders,
    counts_section_patterns,
    counts_sections,
    has_postscript,
    has_postscript_pattern,
    has_title,
    has_two_responses,
    is_json,
    is_json_container,
)
from .keyword_checks import (
    avoids_patterns,
    avoids_words,
    contains_patterns,
    contains_words,
    repeats_letter,
    repeats_pattern,
    repeats_word,
)
from .length_checks import (
    counts_paragraphs,
    counts_sentences,
    counts_words,
    starts_filled_paragraph,
    starts_paragraph,
)
from .responses import Check
from .wording_checks import (
    counts_capital_words,
    ends_with,
    has_no_comma,
    is_english_capital,
    is_english_lowercase,
    is_in_language,
    is_quoted,
    is_surely_english_capital,
    is_surely_english_lowercase,
    is_surely_in_language,
    repeats_prompt,
)


class Kind(NamedTuple):
    """Functions from arguments to a check: IFEval's own, and a corrected one if necessary."""

    ifeval: Callable[..., Check]
    corrected: Callable[..., Check] | None = None

    @property
    def arguments(self) -> list[str]:
        """Return the names of the arguments, in order."""
        return list(signature(self.ifeval).parameters)


KINDS = {
    "keywords:existence": Kind(contains_patterns, contains_words),
    "keywords:frequency": Kind(repeats_pattern, repeats_word),
    "keywords:forbidden_words": Kind(avoids_patterns, avoids_words),
    "keywords:letter_frequency": Kind(repeats_letter),
    "language:response_language": Kind(is_in_language, is_surely_in_language),
    "length_constraints:number_sentences": Kind(counts_sentences),
    "length_constraints:number_paragraphs": Kind(counts_paragraphs),
    "length_constraints:number_words": Kind(counts_words),
    "length_constraints:nth_paragraph_first_word": Kind(starts_paragraph, starts_filled_paragraph),
    "detectable_content:number_placeholders": Kind(counts_placeholders),
    "detectable_content:postscript": Kind(has_postscript_pattern, has_postscript),
    "detectable_format:number_bullet_lists": Kind(counts_item_lines, counts_items),
    "detectable_format:constrained_response": Kind(chooses_answer),
    "detectable_format:number_highlighted_sections": Kind(counts_highlights),
    "detectable_format:multiple_sections": Kind(counts_section_patterns, counts_sections),
    "detectable_format:json_format": Kind(is_json, is_json_container),
    "detectable_format:title": Kind(has_title),
    "combination:two_responses": Kind(has_two_responses),
    "combination:repeat_prompt": Kind(repeats_prompt),
    "startend:end_checker": Kind(ends_with),
    "startend:quotation": Kind(is_quoted),
    "change_case:capital_word_frequency": Kind(counts_capital_words),
    "change_case:english_capital": Kind(is_english_capital, is_surely_english_capital),
    "change_case:english_lowercase": Kind(is_english_lowercase, is_surely_english_lowercase),
    "punctuation:no_comma": Kind(has_no_comma),
}
"""The kinds by the ids of IFEval."""

OF_LANGUAGE = frozenset(
    {
        "language:response_language",
        "change_case:english_capital",
        "change_case:english_lowercase",
    }
)
"""The kinds that ask for the language of a response."""
