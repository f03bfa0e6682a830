"""Units by their names and symbols, as factors of base units."""

from fractions import Fraction
from functools import lru_cache

from .structures import Unit

_PREFIXES = {
    "G": (9, "giga"),
    "M": (6, "mega"),
    "k": (3, "kilo"),
    "h": (2, "hecto"),
    "d": (-1, "deci"),
    "c": (-2, "centi"),
    "m": (-3, "milli"),
    "u": (-6, "micro"),
    "n": (-9, "nano"),
    "p": (-12, "pico"),
    "T": (12, "tera"),
}
_NO_SYMBOLS = {"pm", "dm3", "hm", "cd", "Tm", "mn"}  # p.m., and unusual ones


def _unit(factor: str | int, **powers: int) -> Unit:
    return Unit(Fraction(factor), frozenset(powers.items()))


_ENERGY = {"kg": 1, "m": 2, "s": -2}
# Symbols with SI prefixes, and words; words before the bar have prefixes, too.
_WITH_PREFIXES = {
    "m": (_unit(1, m=1), "meter metre"),
    "g": (_unit("1/1000", kg=1), "gram gramme"),
    "s": (_unit(1, s=1), "second"),
    "A": (_unit(1, A=1), "ampere amp"),
    "W": (_unit(1, kg=1, m=2, s=-3), "watt"),
    "J": (_unit(1, **_ENERGY), "joule"),
    "N": (_unit(1, kg=1, m=1, s=-2), "newton"),
    "Pa": (_unit(1, kg=1, m=-1, s=-2), "pascal"),
    "Hz": (_unit(1, s=-1), "hertz"),
    "V": (_unit(1, kg=1, m=2, s=-3, A=-1), "volt"),
    "L": (_unit("1/1000", m=3), "liter litre"),
    "l": (_unit("1/1000", m=3), ""),
    "eV": (_unit("1.602176634e-19", **_ENERGY), "electronvolt"),
    "cal": (_unit("4.184", **_ENERGY), "calorie"),
    "B": (_unit(8, bit=1), "byte"),
    "b": (_unit(1, bit=1), "bit"),
    "mol": (_unit(1, mol=1), "mole"),
    "Wh": (_unit(3600, **_ENERGY), ""),
    "ohm": (_unit(1, kg=1, m=2, s=-3, A=-2), "ohm"),
    "bar": (_unit(100_000, kg=1, m=-1, s=-2), "bar"),
}
# Units without prefixes. Symbols are case-sensitive; words are not, and may be in the plural.
_UNITS = (
    (_unit(1, s=1), "sec secs", ""),
    (_unit(60, s=1), "min mins", "minute"),
    (_unit(3600, s=1), "h hr hrs", "hour"),
    (_unit(86_400, s=1), "", "day"),
    (_unit(7 * 86_400, s=1), "", "week"),
    (_unit(1, month=1), "", "month"),
    (_unit(12, month=1), "", "year"),
    (_unit("0.0254", m=1), "in", "inch inche"),
    (_unit("0.3048", m=1), "ft fts sqft", "foot feet"),
    (_unit("0.9144", m=1), "yd yds", "yard"),
    (_unit("1609.344", m=1), "mi mis", "mile"),
    (_unit("0.44704", m=1, s=-1), "mph", ""),
    (_unit("5/18", m=1, s=-1), "kph kmh kmph", ""),
    (_unit(1, m=1, s=-1), "mps", ""),
    (_unit("1852/3600", m=1, s=-1), "", "knot"),
    (_unit("0.45359237", kg=1), "lb lbs", "pound"),
    (_unit("0.028349523125", kg=1), "oz", "ounce"),
    (_unit(1000, kg=1), "", "tonne"),
    (_unit(1, ton=1), "", "ton"),
    (_unit(10_000, m=2), "ha", "hectare"),
    (_unit("4046.8564224", m=2), "", "acre"),
    (_unit("0.003785411784", m=3), "", "gallon"),
    (_unit("1/1000000", m=3), "cc", ""),
    (_unit(1, kelvin=1), "K", "kelvin"),
    (Unit(Fraction(1), frozenset({("kelvin", 1)}), Fraction("273.15")), "°C", "celsius"),
    (Unit(Fraction(5, 9), frozenset({("kelvin", 1)}), Fraction("459.67")), "°F", "fahrenheit"),
    (_unit(1, A=1, s=1), "C", ""),
    (_unit(1, radian=1), "rad", "radian"),
    (_unit(1, degree=1), "deg °", "degree"),
    (_unit("1/60", degree=1), "", "arcminute"),
    (_unit("1/3600", degree=1), "", "arcsecond"),
    (_unit("9/10", degree=1), "", "gradian gon"),
    (_unit(1, dollar=1), "¤ USD", "dollar"),
    (_unit("1/100", dollar=1), "", "cent"),
    (_unit("1/100", penny=1), "", "penny"),
    (_unit(1, euro=1), "€ EUR", "euro"),
    (_unit(1, sterling=1), "£", ""),
    (_unit(1, yen=1), "¥", "yen"),
    (_unit(1, yuan=1), "", "yuan"),
    (_unit(1, rupee=1), "₹", "rupee"),
)
_SYMBOLS = {symbol: unit for unit, symbols, _ in _UNITS for symbol in symbols.split()}
_WORDS = {word: unit for unit, _, words in _UNITS for word in words.split()}
CURRENCY_BASES = frozenset({"dollar", "euro", "sterling", "yen", "yuan", "rupee", "penny"})
SHORT_SCALES = {"mn": 10**6, "bn": 10**9, "tn": 10**12}  # or letters
SCALES = {
    "hundred": 100,
    "thousand": 1_000,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "dozen": 12,
    "ten": 10,
    "lakh": 10**5,
    "lac": 10**5,
    "crore": 10**7,
    **SHORT_SCALES,
}
_FORMS_OF_UNITS = {  # other symbols, in the plural or abbreviated
    **{f"{symbol}s": symbol for symbol in ("km", "cm", "mm", "kg", "ml", "ohm")},
    "gm": "g",
    "gms": "g",
    "Ω": "ohm",
}


def scale_of(word: str) -> int | None:
    """Return the number that a word such as "millions" stands for.

    >>> scale_of("Lakhs"), scale_of("apples")
    (100000, None)
    """
    lower = word.lower()
    return SCALES.get(lower) or SCALES.get(lower.removesuffix("s"))


@lru_cache(1024)
def unit_of_symbol(text: str) -> Unit | None:
    """Return the unit with this symbol, which is case-sensitive.

    >>> unit_of_symbol("km") == unit_of_symbol("Km"), unit_of_symbol("mW").factor
    (False, Fraction(1, 1000))
    """
    text = _FORMS_OF_UNITS.get(text, text)
    if text in _SYMBOLS:
        return _SYMBOLS[text]
    if text in _WITH_PREFIXES:
        return _WITH_PREFIXES[text][0]
    prefix, symbol = text[:1], text[1:]
    if prefix in _PREFIXES and symbol in _WITH_PREFIXES and text not in _NO_SYMBOLS:
        return _scaled(_WITH_PREFIXES[symbol][0], _PREFIXES[prefix][0])
    return None


@lru_cache(1024)
def unit_of_word(text: str) -> Unit | None:
    """Return the unit with this name, in the singular or the plural.

    >>> unit_of_word("Feet").factor, unit_of_word("cats")
    (Fraction(381, 1250), None)
    """
    lower = text.lower()
    for word in (lower, lower.removesuffix("s")):
        if word in _WORDS:
            return _WORDS[word]
        for unit, names in _WITH_PREFIXES.values():
            for name in names.split():
                if word == name:
                    return unit
                for exponent, prefix in _PREFIXES.values():
                    if word == prefix + name:
                        return _scaled(unit, exponent)
    return None


def _scaled(unit: Unit, exponent: int) -> Unit:
    return Unit(unit.factor * Fraction(10) ** exponent, unit.powers)
