"""Relatives of forms that were once misread: magnitudes, stops, remainders, sentences."""

from itertools import product

import pytest

from metric_commons.mathematics import equivalent
from tests.tables import by_table, tabled

FACTORS = tabled(__file__, "FACTORS")


@pytest.mark.parametrize("word", FACTORS)
@pytest.mark.parametrize("form", ["{} {}", r"{} \text{{ {}}}", "{} {} people", r"{}\ \text{{{}}}"])
def test_a_word_of_magnitude_is_a_factor(word, form):
    text = form.format(7, word)

    assert equivalent(f"{7 * FACTORS[word]}", text) is True
    assert equivalent("7", text) is False
    assert equivalent(text, "7") is False


OTHERS = (
    *("myriads", "myriad", "quadrillion", "quadrillions", "sextillions", "zillions", "gazillion"),
    *("googols", "googol", "milliards", "arcminutes", "arcseconds", "gradians", "basis points"),
    *("millionths", "billionths", "scores", "centuries", "couples", "kharabs"),
)


@pytest.mark.parametrize("word", OTHERS)
@pytest.mark.parametrize("form", ["{} {}", r"{} \text{{ {}}}", "{} {} people", "{} ({})"])
def test_another_word_of_magnitude_leaves_it_undecided(word, form):
    text = form.format(7, word)

    assert equivalent("7", text) is not True
    assert equivalent(text, "7") is not True


@pytest.mark.parametrize("word", ["thousand", "dozens", "millions", "quadrillion", "myriads"])
def test_a_word_of_magnitude_in_brackets_is_not_what_is_counted(word):
    assert equivalent("7", f"7 ({word})") is None


@pytest.mark.parametrize("number", ["5", "0.5", "-3", "x", r"\frac12", "(1,2)", r"\sqrt{2}"])
@pytest.mark.parametrize("form", ["{}..", "${}..$", r"\boxed{{{}..}}", "{}. .", "{}..."])
def test_two_stops_are_not_one(number, form):
    assert equivalent(number, form.format(number)) is not True


@pytest.mark.parametrize("form", [r"{} \bmod {}", "{} mod {}", r"({}) \bmod {}", r"{} \bmod{{{}}}"])
def test_a_remainder_has_the_sign_of_the_modulus(form):
    for number, modulus in product([*range(-20, 0), *range(7, 20)], range(2, 7)):
        text = form.format(number, modulus)
        assert equivalent(f"{number % modulus}", text) is True, text
        assert equivalent(f"{number % modulus - modulus}", text) is False, text


@pytest.mark.parametrize("text", [r"5 - 7 \bmod 3", r"7 \bmod 3 + 1", r"-7 \bmod 3 - 1"])
def test_a_remainder_in_a_sum_is_undecided(text):
    assert {equivalent(f"{number}", text) for number in range(-9, 10)} == {None}
    assert equivalent("2", r"1 + (7 \bmod 3)") is True


@pytest.mark.parametrize(
    ("left", "right"),
    [
        *((r"\ell", "l"), (r"2\ell+1", "2l+1"), (r"\ell_1", "l_1"), ("ℓ", "l"), (r"\ell=5", "l=5")),
        *((r"\pi r\ell", r"\pi r l"), (r"\ell^2", "l^2"), (r"\frac{\ell}{2}", "l/2")),
        *((r"\varphi_1", r"\phi_1"), (r"\varphi = 5", r"\phi = 5"), (r"\vartheta", "θ")),
    ],
)
def test_letters_in_other_shapes(left, right):
    assert equivalent(left, right) is True
    assert equivalent(right, left) is True
    assert equivalent(left, f"2({right})") is not True


PRINTED = (
    *("x**2 + 5", "216*a**3 + 12/5 + 2*(a + 5/2)/a", "2**3", "sqrt(2)*I", "[x**2, 3]", "1.5e-7"),
    *("Interval.Ropen(0, 1)", "Union(Interval(0, 1), Interval(2, 3))", "FiniteSet(1, 2)", "-oo"),
    *("Matrix([[1, 2]])", "(1 < x) & (x < 3)", "Rational(1, 2)", "Point2D(1, 2)", "S.Reals"),
)


@pytest.mark.parametrize("text", PRINTED)
@pytest.mark.parametrize(
    "form", ["{}.", "**{}**", "**{}.**", "**{}**.", "`{}`.", "${}.$", r"\boxed{{{}}}.", "{} ."]
)
def test_what_sympy_prints_with_a_stop_or_marks(text, form):
    assert equivalent(text, form.format(text)) is True
    assert equivalent(form.format(text), text) is True


def test_stars_around_two_texts_are_not_powers():
    assert equivalent("1 and 2", "**1** and **2**") is not False
    assert equivalent("a^b", "**a** **b**") is not True


ANSWERS = tabled(__file__, "ANSWERS")
SENTENCES = tabled(__file__, "SENTENCES")
OTHER_ANSWERS = (*ANSWERS[1:], r"x > 5")  # different from those at the same places


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize(("answer", "other"), [*zip(ANSWERS, OTHER_ANSWERS, strict=True)])
def test_an_answer_in_a_sentence(sentence, answer, other):
    text = sentence.format(answer)

    assert equivalent(answer, text) is True
    assert equivalent(text, answer) is True
    assert equivalent(other, text) is not True


@by_table("text")
def test_a_letter_in_a_sentence(text):
    assert equivalent("A", text) is True
    assert equivalent(r"\text{A}", text) is True
    assert equivalent("B", text) is not True


@pytest.mark.parametrize("answer", ["A", "5", "x = 5"])
@by_table("sentence")
def test_a_sentence_that_says_otherwise_is_not_the_answer(sentence, answer):
    assert equivalent(answer, sentence.format(answer)) is not True
