"""A card says what the code does: the same options, keys, numbers and citation."""

import ast
import doctest
import inspect
import re
from functools import cache

import evaluate
import pytest
import yaml

from metric_commons.module.catalog.catalog import load_without_evaluate
from tests.spec import METRICS, ROOT, specs
from tests.tables import by_table, tabled

HEADINGS = ["Usage", "Inputs", "Output", "Edge cases", "Conformance", "Limitations", "Citation"]

# What an option adds to the result, whatever the metric.
ADDED = tabled(__file__, "ADDED")
# What the options of all modules add, which their page describes.
KEYS = tabled(__file__, "KEYS")


def test_the_page_names_the_modules_that_lack_options_of_all():
    page = (ROOT / "docs" / "options.md").read_text("utf-8")
    table = page.partition("## Modules without")[2]
    told = dict(zip(column(table, "Module"), column(table, "lacks"), strict=True))
    lacking = {}
    for name in METRICS:
        declared = load_without_evaluate(name).declared_options
        assert "confidence_level" in declared
        if missing := [f"`{each}`" for each in ("clusters", "groups") if each not in declared]:
            lacking[f"`{name}`"] = ", ".join(missing)

    assert told == lacking


# Reading a card


def split(card):
    """The front matter and the text below it."""
    _, front, body = card.split("---\n", 2)
    return yaml.safe_load(front), body


def headings(card):
    return re.findall(r"^## (.+)$", card, re.MULTILINE)


def section(card, heading):
    """The text below a heading, up to the next one."""
    parts = re.split(r"^## .+$", card, flags=re.MULTILINE)
    return parts[1 + headings(card).index(heading)]


def column(text, name):
    """The cells below `name` in the first table of `text`."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    header, _, *rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
    assert name in header, f"the table with the columns {header} has no column {name!r}"
    return [row[header.index(name)] for row in rows]


def blocks(text, language):
    """The fenced blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def code(cells):
    """Everything between backticks."""
    return [word for cell in cells for word in re.findall(r"`([^`]+)`", cell)]


# Rules: from a card and what the code says to the faults of the card


def unfit_for_the_hub(card, module_type):
    """Faults of the front matter."""
    front, _ = split(card)
    wanted = {"sdk": "static", "license": "apache-2.0", "tags": ["evaluate", module_type]}
    faults = [f"{key} is {front.get(key)}" for key in wanted if front.get(key) != wanted[key]]
    kinds = {"title": str, "description": str, "pinned": bool}
    return [*faults, *(key for key in kinds if not isinstance(front.get(key), kinds[key]))]


def disordered(card):
    """Headings, if they are not those of every card."""
    if headings(card) == HEADINGS:
        return []
    return [f"the headings are {headings(card)}, not {HEADINGS}"]


@cache
def common_options():
    """What `docs/options.md` says: the declaration of each option that modules share."""
    page = (ROOT / "docs" / "options.md").read_text("utf-8").split("## Keys")[0]
    cells = [column(page, heading) for heading in ("Name", "Default", "Type", "Meaning")]
    rows = zip(code(cells[0]), code(cells[1]), *cells[2:], strict=True)
    return {name: (default, *rest) for name, default, *rest in rows}


def declaration(option):
    return repr(option.default), option.accepts, option.help


def shared(options):
    """The options of a module that are those of all modules."""
    return [
        name
        for name, option in options.items()
        if common_options().get(name) == declaration(option)
    ]


def wrong_references(card, names):
    """Faults of the sentence that names the options of all modules."""
    lines = re.findall(r"^And \[the options of all modules\].*: (.*)\.$", card, re.MULTILINE)
    told = [] if not lines else code(lines)
    return [] if told == names else [f"Inputs must end with the options of all modules: {names}"]


def wrong_types(card, options):
    """Options of which the table of inputs does not say what the annotation says, in its words."""
    inputs = section(card, "Inputs")
    told = dict(zip(code(column(inputs, "Name")), column(inputs, "Type"), strict=True))
    return [
        f"the Type of {name} must be: {option.accepts}"
        for name, option in options.items()
        if told.get(name) != option.accepts and name not in shared(options)
    ]


def wrong_inputs(card, compute, elsewhere=()):
    """Differences between the table of inputs and the signature of `compute`."""
    inputs = section(card, "Inputs")
    defaults = [
        cell if cell == "required" else repr(ast.literal_eval(cell.strip("`")))
        for cell in column(inputs, "Default")
    ]
    told = list(zip(code(column(inputs, "Name")), defaults, strict=True))
    meant = [
        (each.name, "required" if each.default is each.empty else repr(each.default))
        for each in inspect.signature(compute).parameters.values()
        if each.name not in elsewhere
    ]
    differences = [
        *(
            f"Inputs lacks {name}, default {default}"
            for name, default in meant
            if (name, default) not in told
        ),
        *(
            f"Inputs has {name}, default {default}"
            for name, default in told
            if (name, default) not in meant
        ),
    ]
    return differences or ([] if told == meant else [f"the order is {[name for name, _ in meant]}"])


def wrong_output(card, result, compute, elsewhere=()):
    """Keys that the table of outputs has too many or too few."""
    options = inspect.signature(compute).parameters
    optional = {key for name in elsewhere for key in KEYS[name]}
    keys = {*result, *(key for option in ADDED if option in options for key in ADDED[option])}
    if "confidence_level" in options and "predictions1" not in options:
        keys |= {"interval", "standard_error"}
        keys |= {"effective_n", "n_clusters", "design_effect"} if "clusters" in options else set()
    told = set(code(column(section(card, "Output"), "Key")))
    return [
        *(f"Output lacks {key}" for key in sorted(keys - told - optional)),
        *(f"Output has {key}, which no SPEC returns" for key in sorted(told - keys)),
    ]


def wrong_methods(card, returned):
    """Methods of intervals that the card names, if they are not those that are returned."""
    output = section(card, "Output")
    cells = dict(zip(column(output, "Key"), column(output, "Meaning"), strict=True))
    named = {
        method
        for key, meaning in cells.items()
        if "`interval`" in key
        for method in re.findall(r'`"(\w+)"`', meaning)
    }
    faults = ["bootstrap intervals"] if "bootstrap intervals" in " ".join(card.split()) else []
    if named and named != returned:
        faults.append(f"intervals are said to be {sorted(named)}, but are {sorted(returned)}")
    return faults


def methods(metric, name):
    """The methods of the intervals that the samples of a module have."""
    if "confidence_level" not in metric.declared_options:
        return set()
    asked = {"confidence_level": 0.95}
    if "n_resamples" in metric.declared_options:
        asked["n_resamples"] = 20
    results = [metric.compute(**each.sample | asked) for each in specs(name)]
    intervals = [result.get("interval") for result in results]
    return {method for each in intervals if isinstance(each, dict) for method in each.values()}


def wrong_examples(card):
    """What the examples of a card return instead of what they say, if they are not right."""
    report = []
    examples = "\n".join(blocks(card, "python"))
    test = doctest.DocTestParser().get_doctest(examples, {}, "card", None, None)
    doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    return report if test.examples else ["no examples"]


def wrong_citation(card, citation):
    """The card's citation, if it is not the script's."""
    cited = "".join(blocks(section(card, "Citation"), "bibtex"))
    return [] if cited.strip() == citation.strip() else ["Citation does not repeat _CITATION"]


def wrong_list(readme, names):
    """Modules that the tables of the main page do not list once, and those that do not exist."""
    rows = "\n".join(line for line in readme.splitlines() if line.startswith("|"))
    listed = sorted(re.findall(r"\[`?(\w+)`?\]\(metrics/\1\b[^)]*\)", rows))
    faults = [f"the table lacks {name}" for name in sorted(set(names) - set(listed))]
    faults += [f"metrics/{name} does not exist" for name in sorted(set(listed) - set(names))]
    twice = sorted({name for name in listed if listed.count(name) > 1})
    return faults + [f"the table lists {name} twice" for name in twice]


# The cards


def test_the_page_of_options_shows_the_declaration():
    options = evaluate.load(str(ROOT / "metrics" / "qa_em")).declared_options

    assert common_options() == {name: declaration(options[name]) for name in KEYS}


@pytest.mark.parametrize("name", METRICS)
def test_a_card_says_what_the_code_does(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    card = (ROOT / "metrics" / name / "README.md").read_text("utf-8")
    metric = evaluate.load(f"./metrics/{name}")

    keys = {key for each in specs(name) for key in each.result}
    faults = unfit_for_the_hub(card, metric.module_type) + disordered(card)
    if not faults:
        elsewhere = shared(metric.declared_options)
        faults += wrong_inputs(card, metric._compute, elsewhere)
        faults += wrong_types(card, metric.declared_options) + wrong_references(card, elsewhere)
        faults += wrong_output(card, keys, metric._compute, elsewhere)
        faults += wrong_citation(card, metric.citation) + wrong_examples(card)
        faults += wrong_methods(card, methods(metric, name))
    assert not faults, "\n".join([f"metrics/{name}/README.md", *faults])


def test_the_main_page_lists_the_metrics():
    faults = wrong_list((ROOT / "README.md").read_text("utf-8"), METRICS)

    assert not faults, "README.md"


# The rules bite

CARD = """\
---
title: Toy
sdk: static
pinned: false
license: apache-2.0
tags:
- evaluate
- metric
description: Proportion of toys.
---

# Toy

## Usage

```python
>>> 1 + 1
2
```

## Inputs

| Name | Type | Default | Meaning |
| --- | --- | --- | --- |
| `predictions` | list of `str` | required | Toys. |
| `kinds` | tuple of `str` | `("car",)` | Kinds of toys. |
| `per_example` | `bool` | `False` | Also every toy. |

## Output

| Key | Range | Meaning |
| --- | --- | --- |
| `toy` | 0 to 1 | Proportion of toys. |
| `per_example` | | Each toy. |

## Edge cases

## Conformance

## Limitations

## Citation

```bibtex
@misc{toy}
```
"""


def compute(*, predictions, kinds=("car",), per_example=False):
    """The signature that the card describes."""


RULES = [
    lambda card: unfit_for_the_hub(card, "metric"),
    disordered,
    lambda card: wrong_inputs(card, compute),
    lambda card: wrong_output(card, {"toy": 1.0}, compute),
    wrong_examples,
    lambda card: wrong_citation(card, "@misc{toy}\n"),
]


def test_a_sound_card_has_no_fault():
    assert not any(rule(CARD) for rule in RULES)


@by_table("old, new")
def test_a_wrong_card_is_noticed(old, new):
    wrong = CARD.replace(old, new, 1)

    assert wrong != CARD
    assert sum(bool(rule(wrong)) for rule in RULES) == 1


@pytest.mark.parametrize(
    ("told", "is_wrong"),
    [
        ('`"law"`', False),
        ("the method", False),
        ('`"t"`', True),
        ("bootstrap intervals", True),
    ],
)
def test_a_wrong_method_is_noticed(told, is_wrong):
    card = CARD.replace("| `per_example` | | Each toy. |", f"| `interval` | | Of each: {told}. |")

    assert bool(wrong_methods(card, {"law"})) == is_wrong


@pytest.mark.parametrize(
    "rows", ["", "| [`a`](metrics/a) |", "| [a](metrics/a) |\n| [b](metrics/c) |"]
)
def test_a_wrong_list_is_noticed(rows):
    assert wrong_list(rows, ["a", "b"])
    assert not wrong_list("| [`a`](metrics/a/README.md) |\n| [b](metrics/b) |", ["a", "b"])
