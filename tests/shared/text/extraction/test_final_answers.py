import random
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.mathematics import equivalent
from metric_commons.text import extract_answers
from metric_commons.text.extraction import choice_letters
from metric_commons.text.extraction.final_answers import (
    boxed_all,
    choice,
    final_answer,
    final_number,
    final_number_comma,
    tagged_or_boxed,
)
from metric_commons.text.extraction.step_chains import STEPS
from tests.spec import drawn_examples
from tests.tables import by_table


@by_table("text, answer")
def test_boxes(text, answer):
    assert boxed_all(text) == answer


@by_table("text, answer")
def test_answers_of_replies(text, answer):
    assert tagged_or_boxed(text) == answer
    if answer is None and "x = 7" not in text:
        assert final_answer(text) is None


@by_table("text, answer")
def test_final_answers(text, answer):
    assert final_answer(text) == answer


@by_table("text, number, with_comma")
def test_final_numbers(text, number, with_comma):
    assert final_number(text) == number
    assert final_number_comma(text) == with_comma


@by_table("text, letter")
def test_letters(text, letter):
    assert choice(text) == letter


@by_table("text, letter")
def test_letters_of_many_languages_and_forms(text, letter):
    assert choice(text) == letter


@by_table("text, reference")
def test_endings_are_read_as_a_person_would(text, reference):
    answer = extract_answers([text], "final_answer|final_number")[0]

    assert equivalent(reference, answer) is True


DIGITS = ("7", "12", "315", "4.5", "0.25", "2.5E-4", "6e23", "1,250", "12,345,678.5")
IN_FORMS = (
    *("so {}.", r"\boxed{{{}}}", r"$\mathbf{{{}}}$.", r"\boxed{{${}}}", "It is **{}**"),
    *("{} km of road", "12 or {}", "(3, {})", "{} m^{{2}}", "B12 is {}", "x_{{3}} = {}"),
)
MARKS = (",", "'", "’", "\\,", "{,}", "\u2009", "\u202f", "\u00a0", " ")


@drawn_examples(300)
@given(
    digits=st.sampled_from(DIGITS),
    form=st.sampled_from(IN_FORMS),
    mark=st.sampled_from(MARKS),
    sign=st.sampled_from(("", "-", "−")),
)
def test_a_number_is_read_in_every_form_with_its_sign_and_groups(digits, form, mark, sign):
    text = form.format(sign + digits.replace(",", mark))
    number = final_number(text)

    assert number.replace("$", "").replace(",", "") == sign.replace("−", "-") + digits.replace(
        ",", ""
    )
    if mark not in (",", "{,}"):
        german = form.format(sign + digits.replace(".", "decimal").replace(",", mark))
        german = german.replace("decimal", ",").replace("(3, ", "(3; ")
        assert float(final_number_comma(german).replace("$", "")) == float(
            sign.replace("−", "-") + digits.replace(",", "")
        )


@by_table("text, number")
def test_parts_of_other_numbers_are_no_numbers(text, number):
    assert final_number(text) == number


def test_alternatives_are_tried_in_their_order():
    texts = ["The answer is 5. Page 6.", "So 44 more.", "None."]

    assert extract_answers(texts, "final_answer|final_number") == ["5", "44", None]
    assert extract_answers(texts, "final_number|final_answer") == ["6", "44", None]
    assert extract_answers(texts, ["strip_think", "boxed|final_number"]) == ["6", "44", None]
    for name in ("final_answer|final_nmber", "final_answer|", "boxed|gpqa_choices"):
        with pytest.raises(ValueError, match=r"unknown step|no alternatives"):
            extract_answers(texts, name)


@pytest.mark.parametrize(
    "step", [boxed_all, final_answer, final_number, final_number_comma, choice]
)
@by_table("text", ids=range(12))
def test_long_texts_take_little_time(step, text):
    start = process_time()
    step(text)

    assert process_time() - start < 2


@pytest.mark.slow
@pytest.mark.parametrize("step", sorted(STEPS.keys() - {"gpqa_choices"}))
@pytest.mark.parametrize(
    "text_of",
    [
        lambda n: r"\boxed{" * n + "1" + "}" * n,
        lambda n: r"\boxed{" * n,
        lambda n: r"\boxed{1} and " * n,
        lambda n: "Answer: x" + "*.* " * n,
        lambda n: "<think>" * n + "</think>" * n,
        lambda n: "the answer is " * n,
    ],
)
def test_the_time_of_a_step_grows_as_the_text(step, text_of):
    def seconds(size):
        text = text_of(size)
        runs = []
        for _ in range(3):
            start = process_time()
            STEPS[step](text)
            runs.append(process_time() - start)
        return min(runs)

    first = seconds(1_000)
    for factor in (2, 4, 8):  # quadratic time would be 64 times as long at the end
        assert seconds(1_000 * factor) < 3 * factor * first + 0.02


@pytest.mark.long
def test_the_last_choice_does_not_depend_on_how_much_of_the_end_is_searched(monkeypatch):
    chance = random.Random(1)
    parts = [
        *("answer is ", "Option ", "choice: ", " B ", " C", "(D)", "**A. x**", " is correct"),
        *("\\boxed{", "\\textbf{", "(A)", "}", "\n", "正确选项", "选项", "是", "选择", "答案"),
        *("：", "（B）", "Ｃ", "anſwer is B", "x", " or ", " text", "ANSWER", "."),
    ]
    texts = ["".join(chance.choices(parts, k=chance.randrange(1, 14))) for _ in range(4_000)]
    expected = list(map(choice, texts))
    for size in (1, 2, 3, 5, 40):
        monkeypatch.setattr(choice_letters, "_ENDING", size)

        assert list(map(choice, texts)) == expected
    assert expected.count(None) < len(texts) * 0.8
