"""The language of a text, by langdetect, which the extra `languages` installs.

langdetect draws at random, so that without a seed the language of short texts changes from run to
run. Its seed is a global variable of the library, which other code may use; here a separate factory
has the seed 0.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Literal

from ...statistics.arguments.checks import OptionError, shown

LanguageFunction = Callable[[str], str | None]
"""From a text to the code of its language; None for a text without any language."""

Language = Literal["langdetect"] | Callable[..., Any]
"""Valid values of options named `language`: langdetect, or a `LanguageFunction`."""

_CODES = (
    "af ar bg bn ca cs cy da de el en es et fa fi fr gu he hi hr hu id it ja kn ko lt lv mk ml mr "
    "ne nl no pa pl pt ro ru sk sl so sq sv sw ta te th tl tr uk ur vi zh-cn zh-tw"
)
LANGUAGES = frozenset(_CODES.split())
"""The codes that langdetect 1.0.9 may return."""


def detected_language(text: str) -> str | None:
    """Return the code of the language, such as "en" or "zh-cn"; None for a text without letters.

    Raises:
        ImportError: langdetect is not installed.

    >>> detected_language("Das ist ein kurzer deutscher Satz."), detected_language("12345")
    ('de', None)
    """
    create, no_language = _detectors()
    detector = create()
    try:
        detector.append(text)
        return str(detector.detect())
    except no_language:
        return None


def language_function(language: Language) -> LanguageFunction:
    """Return the function that detects languages; langdetect reads its profiles here.

    Raises:
        ImportError: langdetect is not installed; the message names the extra that installs it.
    """
    if callable(language):
        return _checked(language)
    _detectors()
    return detected_language


def _checked(function: Callable[..., Any]) -> LanguageFunction:
    """Wrap a function to raise an error if it returns neither a text nor None."""

    def checked(text: str) -> str | None:
        code = function(text)
        if code is not None and not isinstance(code, str):
            raise OptionError(
                "language", f"must return a str or None, got {shown(code)} for {shown(text, 60)}"
            )
        return code

    return checked


@cache
def _detectors() -> tuple[Callable[[], Any], type[Exception]]:
    """Return a function that returns a detector with the seed 0, and the error of detectors.

    It reads the profiles of all languages, which takes a third of a second.
    """
    try:
        from langdetect.detector_factory import PROFILES_DIRECTORY, DetectorFactory
        from langdetect.lang_detect_exception import LangDetectException
    except ImportError as error:
        raise ImportError(
            f"{error}; the language of responses is detected by langdetect, which comes with: "
            "pip install 'metric-commons[languages]'",
            name="langdetect",
        ) from None

    factory = DetectorFactory()
    factory.load_profile(PROFILES_DIRECTORY)
    factory.seed = 0
    return factory.create, LangDetectException
