"""Values of options, from what their annotations allow."""

from metric_commons.statistics.arguments.domains import Range, choices, is_per_row
from tests.generators.annotations import marker, parts
from tests.tables import tabled

# What functions parse, which no annotation lists. A key may name the module.
PARSED = tabled(__file__, "PARSED")
# Numbers that mean something, as far as a range allows them.
_DRAWN = 3  # options of a call that do not keep their defaults, on average at most
NUMBERS = (0, 1, 2, 3, 5, 20, 0.5, 0.25, 0.9, 1.5)
COSTLY = {"equivalence": ("math",)}  # values with which each pair of samples is compared
WORK = {
    "n_resamples": (1, 7, 40),
    "timeout": (5,),
    "calibration_bins": (1, 2, 5),
    "num_workers": (1, 2),
}


def values(module, option):
    """Values other than functions and columns that an option of a module may have."""
    found = list(PARSED.get(f"{module}.{option.name}", PARSED.get(option.name, ())))
    found += WORK.get(option.name, ()) or _of_annotation(option.annotation)
    return [value for value in found if _accepts(option, value)]


def _of_annotation(annotation):
    kind, members = parts(annotation)
    if kind == "union":
        return [value for member in members for value in _of_annotation(member)]
    if annotation is bool:
        return [False, True]
    if annotation is type(None):
        return [None]
    if isinstance(marker(annotation), Range):
        whole = members[0] is int
        return [number for number in NUMBERS if isinstance(number, int) or not whole]
    return list(choices(annotation))


def _accepts(option, value):
    try:
        option.check(value)
    except ValueError:
        return False
    return True


def is_drawable(option):
    """Whether an option has values in a call that is drawn: not a function or a column alone."""
    return not is_per_row(option.annotation) and not _is_function(option.annotation)


def _is_function(annotation):
    kind, members = parts(annotation)
    if kind == "union":
        return all(_is_function(member) or member is type(None) for member in members)
    return kind == "function"


def draw_options(module, declared, chance, *, costly=False):
    """Options of a module, most of which keep their defaults."""
    options = {}
    drawable = list(filter(is_drawable, declared.values()))
    share = min(0.2, _DRAWN / max(len(drawable), 1))
    for option in drawable:
        if chance.random() < share:
            candidates = values(module, option)
            if not costly:
                dear = COSTLY.get(option.name, ())
                candidates = [value for value in candidates if value not in dear]
            if candidates:
                options[option.name] = chance.choice(candidates)
    return options
