"""Checks of the form of a response: lists, sections, highlights, titles, JSON, several answers.

Patterns search one line at a time, so that their time grows with the length of a response, whatever
its content. IFEval's own patterns find the same.
"""

import json
import re

from .instruction_arguments import Number, Text
from .responses import Check, Response

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


def counts_placeholders(num_placeholders: Number) -> Check:
    """At least this many texts in square brackets within a line; links and check boxes count."""
    return lambda response: _PLACEHOLDER.findall(response.text).count("]") >= num_placeholders


def has_postscript_pattern(postscript_marker: Text) -> Check:
    """IFEval: the marker occurs anywhere; one other than P.S. and P.P.S is a regular expression."""
    marker = postscript_marker.strip()
    if marker in _POSTSCRIPTS:
        return _finds(re.compile(_POSTSCRIPTS[marker]))
    # IFEval looks for white space first. It only matters where the marker starts with a quantifier,
    # and makes the search slow.
    pattern = re.compile(rf"\s*{marker.lower()}.*$", re.MULTILINE)
    if marker[0] not in "?+":
        pattern = re.compile(rf"{marker.lower()}.*$", re.MULTILINE)
    return _finds(pattern)


def has_postscript(postscript_marker: Text) -> Check:
    """Corrected: a line starts with the marker, optionally after marks."""
    marker = postscript_marker.strip()
    pattern = _POSTSCRIPTS.get(marker, re.escape(marker.lower()))
    return _finds(re.compile(rf"^[^\w\n]*{pattern}", re.MULTILINE))


def _finds(pattern: re.Pattern[str]) -> Check:
    return lambda response: pattern.search(response.text.lower()) is not None


def counts_item_lines(num_bullets: Number) -> Check:
    """IFEval: the exact number of lines that start with a hyphen, or with a single asterisk.

    Rules such as --- and negative numbers count.
    """
    patterns = (_ASTERISK_ITEM, _HYPHEN_ITEM)
    return lambda response: sum(len(p.findall(response.text)) for p in patterns) == num_bullets


def counts_items(num_bullets: Number) -> Check:
    """Corrected: the exact number of lines with -*+•, a space and text; no rules."""

    def check(response: Response) -> bool:
        items = sum(
            1
            for line in response.text.split("\n")
            if _ITEM.match(line) and not _RULE.fullmatch(line)
        )
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


def counts_section_patterns(section_spliter: Text, num_sections: Number) -> Check:
    """IFEval: at least this many headings of the mark and a number; the mark is a pattern."""
    heading = re.compile(rf"\s?{section_spliter.strip()}\s?\d+\s?")
    # The reference counts what `re.split` returns, which includes the groups of the pattern.
    return _counts_headings(heading, num_sections, parts=1 + heading.groups)


def counts_sections(section_spliter: Text, num_sections: Number) -> Check:
    """Corrected: the same, with the mark as literal text."""
    heading = re.compile(rf"\s?{re.escape(section_spliter.strip())}\s?\d+\s?")
    return _counts_headings(heading, num_sections, parts=1)


def _counts_headings(heading: re.Pattern[str], num_sections: Number, parts: int) -> Check:
    return lambda response: len(heading.findall(response.text)) * parts >= num_sections


def is_json() -> Check:
    """IFEval: the response is a JSON value, optionally in a Markdown fence; NaN is a value."""
    return lambda response: _json_type(response.text) is not None


def is_json_container() -> Check:
    """Corrected: an object or a list."""
    return lambda response: _json_type(response.text) in (dict, list)


def _json_type(text: str) -> type | None:
    """Return the type of a JSON value.

    None if the text is not JSON, or nested too deeply to be read.
    """
    text = text.strip()
    for fence in _FENCES:
        text = text.removeprefix(fence)
    try:
        return type(json.loads(text.removesuffix("```").strip()))
    except (ValueError, RecursionError):
        return None


def has_title() -> Check:
    """Check for a text between << and >> within a line."""
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
