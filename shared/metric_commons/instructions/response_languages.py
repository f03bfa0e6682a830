"""The language of a text, by langdetect, which the extra `languages` installs.

langdetect draws at random, so that short texts get another language from run to run, unless it has
a seed. Its seed is a variable of the library that belongs to other people too; here a factory of
our own has the seed 0.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

LanguageFunction = Callable[[str], str | None]
"""From a text to the code of its language; None for a text without any language."""

# The codes that langdetect 1.0.9 may return.
LANGUAGES = frozenset(
    "af ar bg bn ca cs cy da de el en es et fa fi fr gu he hi hr hu id it ja kn ko lt lv mk ml mr "
    "ne nl no pa pl pt ro ru sk sl so sq sv sw ta te th tl tr uk ur vi zh-cn zh-tw".split()
)


def detected_language(text: str) -> str | None:
    """The code of the language, such as "en" or "zh-cn"; None if the text has no letters of any.

    Raises:
        ImportError: langdetect is not installed.

    >>> detected_language("Das ist ein kurzer deutscher Satz."), detected_language("12345")
    ('de', None)
    """
    from langdetect.lang_detect_exception import LangDetectException

    detector = _detectors().create()
    try:
        detector.append(text)
        return str(detector.detect())
    except LangDetectException:
        return None


@cache
def _detectors() -> Any:
    """langdetect's factory of detectors, with the seed 0. It reads profiles for a third of a second.

    Raises:
        ImportError: langdetect is not installed.
    """
    try:
        from langdetect.detector_factory import PROFILES_DIRECTORY, DetectorFactory
    except ImportError as error:
        raise ImportError(
            f"{error}; langdetect detects the language of responses, and comes with: "
            "pip install 'metric-commons[languages]'",
            name="langdetect",
        ) from None
    detectors = DetectorFactory()
    detectors.load_profile(PROFILES_DIRECTORY)
    detectors.seed = 0
    return detectors


def check_detector() -> None:
    """Check that langdetect is installed.

    Raises:
        ImportError: it is not; the message names the extra that brings it.
    """
    _detectors()
