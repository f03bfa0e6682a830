"""Units by their symbols and words; none is converted into another."""

from .structures import Unit

_PREFIXES = {
    "T": "tera",
    "G": "giga",
    "M": "mega",
    "k": "kilo",
    "h": "hecto",
    "d": "deci",
    "c": "centi",
    "m": "milli",
    "u": "micro",
    "n": "nano",
    "p": "pico",
}
_NO_SYMBOLS = {"pm", "hm", "cd", "Tm", "mn"}  # p.m., and unusual ones
_WITH_PREFIXES = {
    "m": "meter metre",
    "g": "gram gramme",
    "s": "second",
    "A": "ampere amp",
    "W": "watt",
    "J": "joule",
    "N": "newton",
    "Pa": "pascal",
    "Hz": "hertz",
    "V": "volt",
    "L": "liter litre",
    "eV": "electronvolt",
    "cal": "calorie",
    "B": "byte",
    "b": "bit",
    "mol": "mole",
    "Wh": "",
    "ohm": "ohm",
    "bar": "bar",
}
# Symbols, which are case-sensitive, and words; the first of them all is the name.
_UNITS = (
    ("s sec secs", ""),
    ("min mins", "minute"),
    ("h hr hrs", "hour"),
    ("", "day"),
    ("", "week"),
    ("", "month"),
    ("", "year"),
    ("in", "inch inche"),
    ("ft fts", "foot feet"),
    ("yd yds", "yard"),
    ("mi mis", "mile"),
    ("", "knot"),
    ("g gm gms", ""),
    ("kg kgs", ""),
    ("km kms", ""),
    ("cm cms", ""),
    ("mm mms", ""),
    ("L l", ""),
    ("mL ml mls", ""),
    ("ohm Ω ohms", ""),
    ("lb lbs", "pound"),
    ("oz", "ounce"),
    ("", "tonne"),
    ("", "ton"),
    ("ha", "hectare"),
    ("", "acre"),
    ("", "gallon"),
    ("K", "kelvin"),
    ("°C", "celsius"),
    ("°F", "fahrenheit"),
    ("C", ""),
    ("rad", "radian"),
    ("° deg", "degree"),
    ("¤ USD", "dollar"),
    ("", "cent"),
    ("", "penny"),
    ("€ EUR", "euro"),
    ("£", ""),
    ("¥", "yen"),
    ("", "yuan"),
    ("₹", "rupee"),
)


def _name(symbols: str, words: str) -> str:
    return f"{symbols} {words}".split()[0]


_PRODUCTS = {
    "mph": {"mi": 1, "h": -1},
    **{symbol: {"km": 1, "h": -1} for symbol in ("kph", "kmh", "kmph")},
    "mps": {"m": 1, "s": -1},
    "sqft": {"ft": 2},
    "cc": {"cm": 3},
}
_SYMBOLS = {
    **{symbol: symbol for symbol in _WITH_PREFIXES},
    **{
        prefix + symbol: prefix + symbol
        for symbol in _WITH_PREFIXES
        for prefix in _PREFIXES
        if prefix + symbol not in _NO_SYMBOLS
    },
    **{symbol: _name(*row) for row in _UNITS for symbol in row[0].split()},
}
_WORDS = {
    **{
        prefix + word: short + symbol
        for symbol, words in _WITH_PREFIXES.items()
        for word in words.split()
        for short, prefix in [("", ""), *_PREFIXES.items()]
    },
    **{word: _name(*row) for row in _UNITS for word in row[1].split()},
}
LENGTHS = frozenset({"m", "km", "cm", "mm", "in", "ft", "yd", "mi"})
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
    if text in _PRODUCTS:
        return Unit(frozenset(_PRODUCTS[text].items()))
    return _unit(_SYMBOLS.get(text))


def unit_of_word(text: str) -> Unit | None:
    """Return the unit with this name, in the singular or the plural.

    >>> unit_of_word("Feet") == unit_of_symbol("ft"), unit_of_word("cats")
    (True, None)
    """
    lower = text.lower()
    return _unit(_WORDS.get(lower) or _WORDS.get(lower.removesuffix("s")))


def _unit(name: str | None) -> Unit | None:
    return None if name is None else Unit(frozenset({(name, 1)}))
