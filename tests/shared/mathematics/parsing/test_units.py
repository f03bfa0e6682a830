from fractions import Fraction

import pytest

from metric_commons.mathematics.parsing.conventions import Context, Conventions
from metric_commons.mathematics.parsing.notation import tokens
from metric_commons.mathematics.parsing.units import (
    Suffix,
    is_counted,
    measured,
    same_noun,
    unit_of_symbol,
    unit_of_word,
)
from tests.tables import by_table


def suffix(text, **conventions):
    return measured(tokens(text), Context(Conventions(**conventions))).suffix


@by_table("text, powers")
def test_units(text, powers):
    assert dict(suffix(text).unit.powers) == powers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5", Suffix()),
        (r"28\%", Suffix(is_percent=True)),
        ("28 pct", Suffix(is_percent=True)),
        (r"10 \text{ billion}", Suffix(Fraction(10**9))),
        ("18 eggs", Suffix(noun="eggs")),
        ("7.8 billion people", Suffix(Fraction(10**9), noun="people")),
        (r"5 \text{ or more}", Suffix(note="or more")),
        (r"5 \text{ squared}", Suffix(note="squared")),
        (r"7 \text{ p.m.}", Suffix(note="pm")),
        ("10th", Suffix(note="th")),
        (r"3 \text{ times}", Suffix(note="times")),
        (r"2 \text{ thirds}", Suffix(note="thirds")),
        ("x^2", Suffix()),
        ("5qv", Suffix()),
        ("3nd", Suffix()),
        ("9st^2", Suffix()),
        (r"\sin 30^\circ", Suffix()),
        ("8ms^5", Suffix()),
    ],
)
def test_what_stands_behind_an_amount(text, expected):
    assert suffix(text) == expected


def test_letters_that_may_be_units():
    context = Context()
    measured(tokens("5 m"), context)

    assert context.forms == {"bare_units", "doubtful_unit"}
    assert suffix("5 m", bare_units=False) == Suffix()
    assert suffix(r"5 \text{ m}", bare_units=False).unit == unit_of_symbol("m")


def test_symbols_have_a_case_and_words_have_none():
    assert unit_of_symbol("mA") != unit_of_symbol("MA")
    assert unit_of_symbol("Pa") != unit_of_symbol("pA")
    assert unit_of_symbol("KM") is None
    assert unit_of_word("Metres") == unit_of_word("meter") == unit_of_symbol("m")
    assert unit_of_word("dog") is None


def test_nouns():
    assert [*map(is_counted, ["students", "people", "odd"])] == [True, True, False]
    assert same_noun("apple", "apples")
    assert not same_noun("apples", "pears")
