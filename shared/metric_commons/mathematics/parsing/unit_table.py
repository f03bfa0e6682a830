"""Units by their symbols and words; none is converted into another."""

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
