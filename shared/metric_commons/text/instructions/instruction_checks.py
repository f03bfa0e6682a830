"""The checks of IFEval's instructions: the verdicts of IFEval's own program, or corrected ones.

The parameters of a function are the arguments that an instruction of its kind has to have. With
`corrected`, the check has none of the faults of IFEval's own, such as that keywords are regular
expressions: "art" occurs in "start", and "C++" in "C".

Patterns search one line at a time, so that their time is proportional to the length of a response.
IFEval's own patterns find the same.
"""

import json
import re
from collections.abc import Callable
from inspect import signature
from itertools import takewhile
from typing import Annotated, Any, Literal

from ...statistics.arguments.checks import shown
from ...statistics.arguments.domains import Parsed
from .responses import Check, Response

Relation = Literal["less than", "at least"]


def _values(description: str, accepts: Callable[[Any], bool]) -> Parsed:
    """Return the domain of the values that a function accepts."""

    def check(value: Any) -> None:
        if not accepts(value):
            raise ValueError(f"must be {description}, got {shown(value)}")

    return Parsed(check, description)


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and value >= 0 and value % 1 == 0


def _are_texts(values: Any) -> bool:
    accepted = isinstance(values, list) and all(isinstance(text, str) and text for text in values)
    return accepted and bool(values)


Number = Annotated[float, _values("an integer, at least 0", _is_number)]
Text = Annotated[
    str, _values("a text that is not blank", lambda text: isinstance(text, str) and text.strip())
]
Texts = Annotated[list[str], _values("a list of texts, at least one", _are_texts)]
Character = Annotated[
    str, _values("one character", lambda text: isinstance(text, str) and len(text.strip()) == 1)
]

_CONSTRAINED = tuple(f"My answer is {answer}." for answer in ("yes", "no", "maybe"))
_FENCES = ("```json", "```Json", "```JSON", "```")

# From a bracket to the next closing one, or otherwise to the end of the line.
_PLACEHOLDER = re.compile(r"\[[^\]\n]*+(\]?)")
_ASTERISK_ITEM = re.compile(r"^[^\S\n]*\*[^*].*$", re.MULTILINE)
_HYPHEN_ITEM = re.compile(r"^[^\S\n]*-.*$", re.MULTILINE)
_ITEM = re.compile(r"\s*[-*+•]\s+\S")
_RULE = re.compile(r"\s*(?:[-*_]\s*+){3,}")
_HIGHLIGHT = re.compile(r"\*[^\n*]*\*")
_DOUBLE_HIGHLIGHT = re.compile(r"\*\*[^\n*]*\*\*")
_POSTSCRIPTS = {"P.P.S": r"p\.\s?p\.\s?s", "P.S.": r"p\.\s?s\."}
_DIVIDER = re.compile(r"\s?\*\*\*\s?")
_WORD = re.compile(r"\w+")

_WORD_ENDS = frozenset(".,?!'\"")
# Corrected: markup and typographic quotes around the first word, and other marks after it.
_MARKUP = "*_“‘\"'"
_MARKUP_ENDS = _WORD_ENDS | frozenset(":;*_”’")


def fulfills(number: int, bound: float, relation: Relation) -> bool:
    """Return whether a number is less than a bound, or at least the bound.

    >>> fulfills(3, 3, "at least"), fulfills(3, 3, "less than")
    (True, False)
    """
    return number < bound if relation == "less than" else number >= bound


# ---- Words and letters --------------------------------------------------------------------------


def _pattern(word: str, *, is_whole: bool) -> re.Pattern[str]:
    """Return the pattern of a whole word, or the word itself as a regular expression."""
    whole_word = rf"(?<!\w){re.escape(word)}(?!\w)"
    return re.compile(whole_word if is_whole else word, re.IGNORECASE)


def contains_words(keywords: Texts, *, corrected: bool = False) -> Check:
    """Each keyword occurs; corrected: as a whole word."""
    patterns = [_pattern(keyword, is_whole=corrected) for keyword in keywords]
    return lambda response: all(pattern.search(response.text) for pattern in patterns)


def repeats_word(
    keyword: Text, frequency: Number, relation: Relation, *, corrected: bool = False
) -> Check:
    """The number of matches of the keyword; corrected: of the whole word."""
    pattern = _pattern(keyword.strip(), is_whole=corrected)
    return lambda response: fulfills(len(pattern.findall(response.text)), frequency, relation)


def avoids_words(forbidden_words: Texts, *, corrected: bool = False) -> Check:
    r"""No word occurs, as a regular expression between two `\b`, so that "C#" is never found.

    Corrected: no word occurs as a whole word.
    """
    words = forbidden_words if corrected else [rf"\b{word}\b" for word in forbidden_words]
    patterns = [_pattern(word, is_whole=corrected) for word in words]
    return lambda response: not any(pattern.search(response.text) for pattern in patterns)


def repeats_letter(letter: Character, let_frequency: Number, let_relation: Relation) -> Check:
    """The number of times that a letter or another character occurs, in either case.

    A letter that has two characters in lower case, such as İ, is not found.
    """
    lower = letter.strip().lower()
    return lambda response: fulfills(
        response.text.lower().count(lower) if len(lower) == 1 else 0, let_frequency, let_relation
    )


# ---- Sentences, words and paragraphs ------------------------------------------------------------


def counts_sentences(num_sentences: Number, relation: Relation) -> Check:
    """The number of sentences, see `punkt`."""
    return lambda response: fulfills(response.sentences, num_sentences, relation)


def counts_words(num_words: Number, relation: Relation) -> Check:
    r"""The number of runs of letters, digits and underscores: `don't` has two."""
    return lambda response: fulfills(len(_WORD.findall(response.text)), num_words, relation)


def counts_paragraphs(num_paragraphs: Number) -> Check:
    """The exact number of paragraphs between dividers of three asterisks.

    An empty part at either end does not count; an empty part between two dividers is a failure.
    """

    def check(response: Response) -> bool:
        filled = [bool(part.strip()) for part in _DIVIDER.split(response.text)]
        return all(filled[1:-1]) and sum(filled) == num_paragraphs

    return check


def starts_paragraph(
    num_paragraphs: Number, nth_paragraph: Number, first_word: Text, *, corrected: bool = False
) -> Check:
    """The number of paragraphs between blank lines, and the first word of one of them.

    Empty paragraphs are not counted, but the position of the paragraph includes them. Corrected:
    the position excludes empty paragraphs, and the word excludes markup.
    """
    ends = _MARKUP_ENDS if corrected else _WORD_ENDS

    def check(response: Response) -> bool:
        paragraphs = response.text.split("\n\n")
        filled = [paragraph for paragraph in paragraphs if paragraph.strip()]
        if len(filled) != num_paragraphs:
            return False
        words = (filled if corrected else paragraphs)[int(nth_paragraph) - 1].split(maxsplit=1)
        if not words:
            return False
        word = words[0].lstrip(_MARKUP) if corrected else words[0].lstrip("'").lstrip('"')
        start = takewhile(lambda letter: letter not in ends, word)
        return "".join(map(str.lower, start)) == first_word.lower()

    return check


# ---- Lists, sections, highlights, titles, JSON, several answers ---------------------------------


def counts_placeholders(num_placeholders: Number) -> Check:
    """At least this many texts in square brackets within a line; links and check boxes count."""
    return lambda response: _PLACEHOLDER.findall(response.text).count("]") >= num_placeholders


def has_postscript(postscript_marker: Text, *, corrected: bool = False) -> Check:
    """The marker occurs anywhere; one other than P.S. and P.P.S is a regular expression.

    Corrected: a line starts with the marker, optionally after other marks.
    """
    marker = postscript_marker.strip()
    if corrected:
        expression = rf"^[^\w\n]*{_POSTSCRIPTS.get(marker, re.escape(marker.lower()))}"
    else:
        # IFEval looks for white space first. It only matters where the marker starts with a
        # quantifier, and makes the search slow.
        space = r"\s*" if marker[0] in "?+*{" else ""
        expression = _POSTSCRIPTS.get(marker, rf"{space}{marker.lower()}.*$")
    pattern = re.compile(expression, re.MULTILINE)
    return lambda response: pattern.search(response.text.lower()) is not None


def counts_items(num_bullets: Number, *, corrected: bool = False) -> Check:
    """The exact number of lines that start with a hyphen, or with a single asterisk.

    Rules such as --- and negative numbers count. Corrected: lines with -*+•, a space and text.
    """

    def check(response: Response) -> bool:
        if corrected:
            lines = response.text.split("\n")
            items = sum(1 for line in lines if _ITEM.match(line) and not _RULE.fullmatch(line))
        else:
            items = sum(len(p.findall(response.text)) for p in (_ASTERISK_ITEM, _HYPHEN_ITEM))
        return items == num_bullets

    return check


def chooses_answer() -> Check:
    """One of the three sentences "My answer is ..." occurs."""
    return lambda response: any(answer in response.text for answer in _CONSTRAINED)


def counts_highlights(num_highlights: Number) -> Check:
    """At least this many texts between asterisks; a text between two of them counts twice."""

    def check(response: Response) -> bool:
        text = response.text
        single = sum(1 for match in _HIGHLIGHT.finditer(text) if match[0].strip("*").strip())
        double = sum(1 for match in _DOUBLE_HIGHLIGHT.finditer(text) if match[0][2:-2].strip())
        return single + double >= num_highlights

    return check


def counts_sections(
    section_spliter: Text, num_sections: Number, *, corrected: bool = False
) -> Check:
    """At least this many headings of the mark and a number; the mark is a pattern.

    Corrected: the mark is literal text.
    """
    mark = section_spliter.strip()
    heading = re.compile(rf"\s?{re.escape(mark) if corrected else mark}\s?\d+\s?")
    # The reference counts what `re.split` returns, which includes the groups of the pattern.
    parts = 1 + heading.groups
    return lambda response: len(heading.findall(response.text)) * parts >= num_sections


def is_json(*, corrected: bool = False) -> Check:
    """The response is a JSON value, optionally in a Markdown fence; NaN is a value.

    Corrected: an object or a list.
    """

    def check(response: Response) -> bool:
        text = response.text.strip()
        for fence in _FENCES:
            text = text.removeprefix(fence)
        try:
            value = json.loads(text.removesuffix("```").strip())
        except (ValueError, RecursionError):  # no JSON, or nested too deeply to be read
            return False
        return not corrected or isinstance(value, dict | list)

    return check


def has_title() -> Check:
    """A text between << and >> occurs within a line."""
    return lambda response: any(map(_is_titled, response.text.split("\n")))


def _is_titled(line: str) -> bool:
    """Return whether something is between the first << and the last >> of a line.

    >>> _is_titled("<<Ode>>"), _is_titled("<<>>"), _is_titled("<< >"), _is_titled("<<a>> <<")
    (True, False, False, True)
    """
    start, end = line.find("<<"), line.rfind(">>")
    if start < 0 or end < start + 3:
        return False
    return bool(line[start : end + 2].lstrip("<").rstrip(">").strip())


def has_two_responses() -> Check:
    """Two different texts with six asterisks between them."""

    def check(response: Response) -> bool:
        parts = [part.strip() for part in response.text.split("******")]
        filled = list(filter(None, parts))
        return all(parts[1:-1]) and len(filled) == 2 and filled[0] != filled[1]

    return check


# ---- Beginning and end, letter case, language, punctuation --------------------------------------


def repeats_prompt(prompt_to_repeat: Text) -> Check:
    """The response starts with the prompt, in any letter case."""
    prompt = prompt_to_repeat.strip().lower()
    return lambda response: response.text.strip().lower().startswith(prompt)


def ends_with(end_phrase: Text) -> Check:
    """The response ends with the phrase, in any letter case, optionally before a double quote."""
    phrase = end_phrase.strip().lower()
    return lambda response: response.text.strip().strip('"').lower().endswith(phrase)


def is_quoted() -> Check:
    """The first and the last character are double quotes."""

    def check(response: Response) -> bool:
        text = response.text.strip()
        return len(text) > 1 and text[0] == text[-1] == '"'

    return check


def has_no_comma() -> Check:
    """No comma occurs; commas of other scripts do not count."""
    return lambda response: "," not in response.text


def counts_capital_words(capital_frequency: Number, capital_relation: Relation) -> Check:
    """The number of words in capital letters, see `capital_words`."""
    return lambda response: fulfills(response.capital_words, capital_frequency, capital_relation)


def is_in_language(language: Text, *, corrected: bool = False) -> Check:
    """The text is in the language, or in none, as "12345" is; corrected: it is in the language."""
    languages = (language,) if corrected else (language, None)
    return lambda response: response.language in languages


def is_english_capital(*, corrected: bool = False) -> Check:
    """All letters are capitals, and the language is English, or none; corrected: it is English."""
    is_english = is_in_language("en", corrected=corrected)
    return lambda response: response.text.isupper() and is_english(response)


def is_english_lowercase(*, corrected: bool = False) -> Check:
    """All letters are in lower case, and the language is as in `is_english_capital`."""
    is_english = is_in_language("en", corrected=corrected)
    return lambda response: response.text.islower() and is_english(response)


KINDS: dict[str, Callable[..., Check]] = {
    "keywords:existence": contains_words,
    "keywords:frequency": repeats_word,
    "keywords:forbidden_words": avoids_words,
    "keywords:letter_frequency": repeats_letter,
    "language:response_language": is_in_language,
    "length_constraints:number_sentences": counts_sentences,
    "length_constraints:number_paragraphs": counts_paragraphs,
    "length_constraints:number_words": counts_words,
    "length_constraints:nth_paragraph_first_word": starts_paragraph,
    "detectable_content:number_placeholders": counts_placeholders,
    "detectable_content:postscript": has_postscript,
    "detectable_format:number_bullet_lists": counts_items,
    "detectable_format:constrained_response": chooses_answer,
    "detectable_format:number_highlighted_sections": counts_highlights,
    "detectable_format:multiple_sections": counts_sections,
    "detectable_format:json_format": is_json,
    "detectable_format:title": has_title,
    "combination:two_responses": has_two_responses,
    "combination:repeat_prompt": repeats_prompt,
    "startend:end_checker": ends_with,
    "startend:quotation": is_quoted,
    "change_case:capital_word_frequency": counts_capital_words,
    "change_case:english_capital": is_english_capital,
    "change_case:english_lowercase": is_english_lowercase,
    "punctuation:no_comma": has_no_comma,
}
"""The kinds by the ids of IFEval: functions from arguments to a check."""

OF_LANGUAGE = frozenset(
    (
        *("language:response_language", "change_case:english_capital"),
        "change_case:english_lowercase",
    )
)
"""The kinds that ask for the language of a response."""


def parameters(name: str) -> list[str]:
    """Return the arguments of a kind, and "corrected" if its check was corrected.

    >>> parameters("keywords:existence")
    ['keywords', 'corrected']
    """
    return list(signature(KINDS[name]).parameters)
