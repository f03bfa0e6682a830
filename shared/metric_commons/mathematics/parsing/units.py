r"""Text after a formula: units, percent signs, scale words, nouns, and parts of the answer.

"5 \text{ m/s}" is a quantity, "10 \text{ billion}" a number, "18 \text{ eggs}" a number of
something, and "5 \text{ or more}" is not 5. In doubt, a text is part of the answer.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from ..algebra.work_limits import UndecidedError
from .conventions import Context, is_of_language
from .functions import TRIGONOMETRIC
from .notation import END, Token, TokenReader, nesting, tokens
from .structures import Unit

_PREFIXES = "T:tera G:giga M:mega k:kilo h:hecto d:deci c:centi m:milli u:micro n:nano p:pico"
# Symbols and words that may have prefixes.
_WITH_PREFIXES = (
    "m:meter m:metre g:gram g:gramme s:second A:ampere A:amp W:watt J:joule N:newton Pa:pascal "
    "Hz:hertz V:volt L:liter L:litre eV:electronvolt cal:calorie B:byte b:bit mol:mole Wh:watthour "
    "ohm:ohm bar:bar"
)
_NO_SYMBOLS = {"pm", "hm", "cd", "Tm", "mn"}  # p.m., and unusual ones
# Symbols, which are case-sensitive, and words, each with the name of its unit.
_OF_SYMBOLS = (
    "sec:s secs:s min:min mins:min h:h hr:h hrs:h in:in ft:ft fts:ft yd:yd yds:yd mi:mi mis:mi "
    "gm:g gms:g kgs:kg kms:km cms:cm mms:mm l:L ml:mL mls:mL Ω:ohm ohms:ohm lb:lb lbs:lb oz:oz "
    "ha:ha K:K °C:°C °F:°F C:C rad:rad °:° deg:° ¤:¤ USD:¤ €:€ EUR:€ £:£ ¥:¥ ₹:₹"
)
_OF_WORDS = (
    "minute:min hour:h day:day week:week month:month year:year inch:in inche:in foot:ft feet:ft "
    "yard:yd mile:mi knot:knot pound:lb ounce:oz tonne:tonne ton:ton hectare:ha acre:acre "
    "gallon:gallon kelvin:K celsius:°C fahrenheit:°F radian:rad degree:° dollar:¤ cent:cent "
    "penny:penny euro:€ yen:¥ yuan:yuan rupee:₹"
)
_PRODUCTS = {
    "mph": {"mi": 1, "h": -1},
    **{symbol: {"km": 1, "h": -1} for symbol in ("kph", "kmh", "kmph")},
    "mps": {"m": 1, "s": -1},
    "sqft": {"ft": 2},
    "cc": {"cm": 3},
}


def _pairs(table: str) -> list[list[str]]:
    return [pair.split(":") for pair in table.split()]


_SYMBOLS, _WORDS = dict(_pairs(_OF_SYMBOLS)), dict(_pairs(_OF_WORDS))
for _short, _prefix in [("", ""), *_pairs(_PREFIXES)]:
    for _symbol, _word in _pairs(_WITH_PREFIXES):
        _WORDS.setdefault(_prefix + _word, _short + _symbol)
        if _short + _symbol not in _NO_SYMBOLS:
            _SYMBOLS.setdefault(_short + _symbol, _short + _symbol)
LENGTHS = frozenset("m km cm mm in ft yd mi".split())
SHORT_SCALES = {"mn": 10**6, "bn": 10**9, "tn": 10**12}  # or letters
SCALES = {
    "ten": 10,
    "dozen": 12,
    "score": 20,
    "hundred": 100,
    "gross": 144,
    "thousand": 1_000,
    "lakh": 10**5,
    "lac": 10**5,
    "million": 10**6,
    "crore": 10**7,
    "billion": 10**9,
    "trillion": 10**12,
    **SHORT_SCALES,
}


def scale_of(word: str) -> int | None:
    """Return the number that a word such as "millions" stands for.

    >>> scale_of("Lakhs"), scale_of("apples")
    (100000, None)
    """
    lower = word.lower()
    is_plural = lower.endswith("s") and lower != "scores"  # which may be those of a test
    return SCALES.get(lower) or (SCALES.get(lower[:-1]) if is_plural else None)


def unit_of_symbol(text: str) -> Unit | None:
    """Return the unit with this symbol, which is case-sensitive.

    >>> unit_of_symbol("sec") == unit_of_symbol("s"), unit_of_symbol("Km")
    (True, None)
    """
    name = _SYMBOLS.get(text)
    powers = _PRODUCTS.get(text) or ({name: 1} if name else None)
    return Unit(frozenset(powers.items())) if powers else None


def unit_of_word(text: str) -> Unit | None:
    """Return the unit with this name, in the singular or the plural.

    >>> unit_of_word("Feet") == unit_of_symbol("ft"), unit_of_word("cats")
    (True, None)
    """
    lower = text.lower()
    name = _WORDS.get(lower) or _WORDS.get(lower.removesuffix("s"))
    return Unit(frozenset({(name, 1)})) if name else None


CURRENCIES = "¤£€¥₹"  # ¤ is the dollar sign of \$; a bare $ only marks mathematics
_PERCENT_WORDS = set("% percent pct percentage percents".split())
_LETTERS_OF_SCALES = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9}
_POWER_WORDS = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}
_SCALES_OF_HEAT = ("c", "f", "celsius", "fahrenheit")
_POWERS_BEHIND = {"squared": 2, "cubed": 3}
_PLURALS = set("people children men women feet mice geese fish sheep teeth".split())
_CHANGING = {  # words that change the meaning of the number in front of them
    *("or", "and", "more", "most", "least", "fewer", "less", "if", "odd", "plus", "even", "base"),
    *("mod", "remainder", "where", "than", "not", "no", "negative", "minus", "between", "about"),
    *("approximately", "nearly", "almost", "only", "exact", "exactly", "percent"),
}
_NOT_IN_NOUNS = {
    *_CHANGING,
    *"at of for up down left right below above to over under".split(),
    *"half in on per by from away r with percentage the each".split(),
}
_ORDINALS = {"1": "st", "2": "nd", "3": "rd"}
_SHORT_NOTES = set("am pm bc ad ce bce AM PM BC AD CE up R".split())
_LONGEST_SUFFIX = 40  # tokens
# Words that change the meaning of a number, though they end in s, and fractions and factors.
_MAGNITUDE = re.compile(
    r"times|halves|quarters|tens|ones|pairs|couples|scores|basis|negatives|modulus|logs|bits|cis"
    r"|(?:up|down|for|back|to)wards|always|sometimes|others|besides|as|is|has|was|does|this|remains"
    r"|radians|degrees|seconds|arc(?:minute|second)s|gradians|gons|decades|centuries|ls"
    r"|(?:four|fif|six|seven|eigh|nin|ten|eleven|twelf|hundred|thousand|.*i(?:e|on)|.*teen)ths|thirds"
    r"|.*illi(?:on|ard)s?|myriads?|googol(?:plex)?(?:es|s)?|arabs?|kharabs?"
    rf"|(?:{'|'.join(SCALES)})s?"
)


class Suffix(NamedTuple):
    """The text after a formula."""

    scale: Fraction = Fraction(1)
    unit: Unit | None = None
    noun: str = ""
    note: str = ""
    is_percent: bool = False


class UnitAmount(NamedTuple):
    """The tokens of a formula, and those after it."""

    amount: Sequence[Token]
    suffix: Suffix


class _Element(NamedTuple):
    """A word or a sign of a suffix."""

    text: str
    is_text: bool  # from \text{...}
    kind: str
    is_spaced: bool = False


def measured(all_tokens: Sequence[Token], context: Context) -> UnitAmount:
    r"""Return the tokens without the text after them, and without currency signs.

    >>> from .notation import tokens
    >>> measured(tokens(r"12 \text{ cm}^2"), Context()).suffix.unit.powers
    frozenset({('cm', 2)})
    """
    currencies = {token.text for token in all_tokens if token.is_sign(CURRENCIES)}
    formula = [token for token in all_tokens if not token.is_sign(CURRENCIES)]
    amount, suffix = _without_suffix(formula, context)
    if currencies:
        unit = unit_of_symbol(currencies.pop())
        if (
            len(amount) > 1
            and amount[-1].text in _LETTERS_OF_SCALES
            and amount[-2].kind == "number"
        ):
            scale = _LETTERS_OF_SCALES[amount[-1].text]  # $43M
            amount, suffix = amount[:-1], suffix._replace(scale=suffix.scale * scale)
        if currencies or suffix.unit not in (None, unit) or suffix.noun or suffix.is_percent:
            raise UndecidedError("several units")
        if any(token.kind == "word" and token.text in "kKMB" for token in amount):
            raise UndecidedError("a letter that may mean thousands")
        suffix = suffix._replace(unit=unit)
    return UnitAmount(amount, suffix)


def _without_suffix(all_tokens: Sequence[Token], context: Context) -> UnitAmount:
    if not all_tokens:
        raise UndecidedError("nothing")
    last = all_tokens[-1]
    if last.kind == "number" and not any(token.kind in ("text", "word") for token in all_tokens):
        return UnitAmount(all_tokens, Suffix())
    depth = nesting(all_tokens[0])
    first = len(all_tokens) - _LONGEST_SUFFIX
    for start in range(1, len(all_tokens)):
        if not depth and start >= first and _may_start_suffix(all_tokens, start):
            suffix = _suffix(all_tokens[start:], all_tokens[:start], context)
            if suffix is not None:
                return UnitAmount(all_tokens[:start], suffix)
        depth += nesting(all_tokens[start])
    return UnitAmount(all_tokens, Suffix())


def _may_start_suffix(all_tokens: Sequence[Token], start: int) -> bool:
    token, head = all_tokens[start], all_tokens[:start]
    if token.is_sign("°"):
        return not any(t.kind in ("word", "command") and t.text in TRIGONOMETRIC for t in head)
    previous = head[-1]
    if previous.is_sign("+-*^=±"):
        return False
    if token.kind == "text" or token.is_sign("%‰"):
        return True
    if token.is_sign("("):
        words = all_tokens[start + 1 : -1]
        is_note = all(t.kind == "word" or t.is_sign("-'.") for t in words)
        is_note &= any(len(t.text) > 2 for t in words)
        return is_note and previous.kind == "number" and all_tokens[-1].is_sign(")")
    if token.is_command("frac") and not any(t.kind in ("word", "text") for t in all_tokens):
        return False
    if token.kind == "command":
        return previous.kind == "number" and token.text in ("Omega", "frac", "mu")
    if token.kind != "word":
        return False
    if previous.kind == "number" and _is_ordinal(previous.text, token):
        return True
    if not any(t.kind == "number" for t in head):
        return False
    word = token.text
    if is_of_language(token) or word in _SHORT_NOTES or word.lower() in _PERCENT_WORDS:
        return True
    if scale_of(word) is not None or word in ("per", "of"):
        return True
    if unit_of_word(word) is not None and len(word) > 2:
        return True
    unit = unit_of_symbol(word)
    if previous.is_sign("π"):  # only for lengths: 2 pi hr is a product
        return len(word) > 1 and unit is not None and LENGTHS.issuperset(dict(unit.powers))
    is_number = previous.kind == "number" or previous.is_sign("})")
    return is_number and (unit is not None or word in _POWER_WORDS)


def _is_ordinal(digits: str, token: Token) -> bool:
    """Return whether 1st, 2nd, 3rd or 4th is at this position."""
    if token.is_spaced or not digits.isdigit():
        return False
    is_teen = digits[-2:-1] == "1"
    return token.text == ("th" if is_teen else _ORDINALS.get(digits[-1], "th"))


def _suffix(tail: Sequence[Token], head: Sequence[Token], context: Context) -> Suffix | None:
    """Return the meaning of the tokens after a formula; None if they belong to the formula."""
    elements: list[_Element] = []
    for token in tail:
        if token.kind == "text":
            elements += [_Element(inner.text, True, inner.kind) for inner in tokens(token.text)]
        else:
            elements.append(_Element(token.text, False, token.kind, token.is_spaced))
    if not elements:
        return Suffix()
    if elements[0].text == "(" and elements[-1].text == ")":
        return _in_brackets(elements[1:-1])
    if elements[0].text in SHORT_SCALES and not (
        elements[0].is_spaced and context.chooses("short_scales")
    ):
        return None  # letters
    scale = Fraction(1)
    while elements and (factor := scale_of(elements[0].text)) is not None:
        scale *= factor
        elements = elements[1:]
    is_part = [element.text for element in elements[:2]] in (["of", "a"], ["of", "an"])
    if elements and elements[0].text == "of":
        elements = elements[1 + is_part :]
    words = [element.text.lower() for element in elements]
    if not words:
        return Suffix(scale)
    if words == ["per", "cent"] or (len(words) == 1 and words[0] in _PERCENT_WORDS):
        return Suffix(scale, is_percent=True)
    if words in (["per", "mille"], ["‰"]):
        return Suffix(scale / 1000)
    if words[-1] == "old" and words[:1] in (["year"], ["years"]):
        elements = elements[:1]
    unit = _UnitReader(elements).unit()
    if unit is not None:
        is_meant = _is_meant(elements, head, unit, tail[0].is_spaced, context)
        return Suffix(scale, unit) if is_meant else None
    if _is_noun(elements):
        return Suffix(scale, noun=" ".join(["of", *words] if is_part else words))
    is_text = any(element.is_text for element in elements)
    is_note = all(
        is_of_language(token) or token.text in _SHORT_NOTES or token.text in _NOT_IN_NOUNS
        for token in tail
    )
    if is_text or is_note or (len(tail) == 1 and _is_ordinal(head[-1].text, tail[0])):
        gaps = (" " if token.is_spaced or token.kind == "text" else "" for token in tail)
        note = "".join(gap + token.text for gap, token in zip(gaps, tail, strict=True))
        return Suffix(note=" ".join(note.replace(".", "").split()).casefold())
    return None


def _in_brackets(elements: Sequence[_Element]) -> Suffix:
    """Read the unit, or the noun, of 12 (inches) and 9 (apples); else a part of the answer."""
    words = [element.text.lower() for element in elements]
    end = words.index("of") if "of" in words else len(words)
    unit = _UnitReader(elements[:end]).unit()
    if unit is not None:
        return Suffix(unit=unit)
    if _CHANGING.isdisjoint(words) and not any(map(_MAGNITUDE.fullmatch, words)):
        return Suffix(noun=f"of {' '.join(words)}")
    return Suffix(note=" ".join(words))


def _is_noun(elements: Sequence[_Element]) -> bool:
    """Return whether these are one or two plain words; `is_counted` says whether they count."""
    words = [element.text.lower() for element in elements]
    if len(words) > 2 and words[1] == "of":  # sets of masks
        return len(words) <= 5 and _is_noun(elements[:1]) and is_counted(words[0])
    return (
        1 <= len(words) <= 2
        and all(element.kind == "word" and len(element.text) > 2 for element in elements)
        and not any(word in _NOT_IN_NOUNS or _MAGNITUDE.fullmatch(word) for word in words)
        and not any(word in _POWERS_BEHIND or unit_of_word(word) is not None for word in words)
    )


def is_counted(noun: str) -> bool:
    """Return whether a noun is in the plural, so that "18 eggs" is 18.

    >>> is_counted("eggs"), is_counted("odd")
    (True, False)
    """
    if noun.startswith("of "):  # 3/4 of a cup
        return True
    last = noun.split()[-1]
    is_plural = last.endswith("s") and not last.endswith("ss") and len(last) > 3
    return is_plural or last in _PLURALS or noun in ("unit", "square unit", "cubic unit")


def same_noun(left: str, right: str) -> bool:
    """Return whether two nouns are the same, except for their number."""
    left, right = (noun.removeprefix("of ").removesuffix("s") for noun in (left, right))
    return left == right


def _is_written_as_unit(elements: Sequence[_Element], unit: Unit) -> bool:
    """Return whether letters look like a unit: parts are apart, and only lengths have powers."""
    for previous, element in pairwise(elements):
        if element.kind == "word" and not element.is_spaced and previous.text not in "*/·({-":
            return False
    return all(abs(power) <= 3 and (power <= 1 or name in LENGTHS) for name, power in unit.powers)


def _is_meant(
    elements: Sequence[_Element],
    head: Sequence[Token],
    unit: Unit,
    is_spaced: bool,
    context: Context,
) -> bool:
    """Return whether a unit is meant, rather than letters: 5 m is five metres or five times m."""
    words = [element for element in elements if element.kind == "word"]
    is_sure = any(
        e.is_text or (unit_of_word(e.text) is not None and len(e.text) > 2) for e in words
    )
    if is_sure or any(element.text == "°" for element in elements):
        return True
    if any(token.kind == "word" for token in head) or not _is_written_as_unit(elements, unit):
        return False
    is_apart = is_spaced and head[-1].kind == "number" and len(head) <= 2
    if not is_apart or all(len(element.text) == 1 for element in words):
        context.forms.add("doubtful_unit")
    return context.chooses("bare_units")


class _UnitReader(TokenReader):
    """Reads m/s, m s^{-1}, square metres, miles per hour, frac{m}{s}."""

    def __init__(self, elements: Sequence[_Element]) -> None:
        super().__init__([Token("sign", element.text) for element in elements])

    def unit(self) -> Unit | None:
        """Return the unit, if all of the text is one."""
        unit = self._product()
        return unit if self.next is END else None

    def _take(self, *texts: str) -> bool:
        return any(map(self.skip, texts))

    def _product(self) -> Unit | None:
        result = self._factor()
        while result is not None and self.next.text not in ("", "}", ")"):
            power = -1 if self._take("/", "per") else 1
            if power > 0:
                self._take("*", "·", "-")
            factor = self._factor()
            if factor is None:
                return None
            result = _times(result, factor, power)
        return result

    def _factor(self) -> Unit | None:
        if self._take("frac"):
            numerator, denominator = self._group(), self._group()
            return _times(numerator, denominator, -1) if numerator and denominator else None
        if self.next.text in ("(", "{"):
            return self._group()
        power = 1
        if self.next.text in _POWER_WORDS:
            power = _POWER_WORDS[self.take().text]
        unit = self._name()
        if unit is None:
            return None
        if self.next.text in _POWERS_BEHIND:
            power *= _POWERS_BEHIND[self.take().text]
        elif self._take("^"):
            exponent = self._exponent()
            if exponent is None:
                return None
            power *= exponent
        return unit if power == 1 else _times(Unit(frozenset()), unit, power)

    def _group(self) -> Unit | None:
        if not self._take("(", "{"):
            return self._name()
        unit = self._product()
        return unit if self._take(")", "}") else None

    def _name(self) -> Unit | None:
        text = self.take().text
        if text in ("°", "degrees", "degree") and self.next.text.lower() in _SCALES_OF_HEAT:
            return unit_of_symbol(f"°{self.take().text[0].upper()}")
        if text == "Omega":
            return unit_of_symbol("ohm")
        if text == "mu":
            return unit_of_symbol(f"u{self.take().text}")
        return unit_of_symbol(text) or (unit_of_word(text) if len(text) > 2 else None)

    def _exponent(self) -> int | None:
        is_braced = self._take("{")
        sign = -1 if self._take("-") else 1
        digits = self.take().text
        if not digits.isdecimal() or len(digits) > 1 or (is_braced and not self._take("}")):
            return None
        return sign * int(digits)


def _times(left: Unit, right: Unit, power: int) -> Unit:
    powers = dict(left.powers)
    for base, exponent in right.powers:
        powers[base] = powers.get(base, 0) + power * exponent
    return Unit(frozenset((base, exponent) for base, exponent in powers.items() if exponent))
