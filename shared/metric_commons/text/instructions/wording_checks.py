"""Checks of how a response begins and ends, of its letter case, language and punctuation."""

from .instruction_arguments import Number, Relation, Text, fulfills
from .responses import Check, Response


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
    """Return the number of words in capital letters, see `capital_words`."""
    return lambda response: fulfills(response.capital_words, capital_frequency, capital_relation)


def is_in_language(language: Text) -> Check:
    """IFEval: the text is in the language, or in none, as "12345" is."""
    return lambda response: response.language in (language, None)


def is_surely_in_language(language: Text) -> Check:
    """Corrected: the text is in the language."""
    return lambda response: response.language == language


def is_english_capital() -> Check:
    """IFEval: all letters are capitals, and the language is English, or none."""
    return lambda response: response.text.isupper() and response.language in ("en", None)


def is_surely_english_capital() -> Check:
    """Corrected: all letters are capitals, and the language is English."""
    return lambda response: response.text.isupper() and response.language == "en"


def is_english_lowercase() -> Check:
    """IFEval: all letters are in lower case, and the language is English, or none."""
    return lambda response: response.text.islower() and response.language in ("en", None)


def is_surely_english_lowercase() -> Check:
    """Corrected: all letters are in lower case, and the language is English."""
    return lambda response: response.text.islower() and response.language == "en"
