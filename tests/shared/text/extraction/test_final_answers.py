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


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (r"\boxed{1}\boxed{2}", "1, 2"),
        (r"$$\boxed{2}, \boxed{3}, \boxed{5}$$", "2, 3, 5"),
        (r"$\boxed{(2, 2)} \quad \text{and} \quad \boxed{(6, 2)}$", "(2, 2), (6, 2)"),
        (r"\(\boxed{1}\) and \(\boxed{-2}\).", "1, -2"),
        (r"First \boxed{2}. No, that is wrong: \boxed{3}", "3"),
        (r"$a=\boxed{2}$ and $b=\boxed{3}$, so $ab=\boxed{6}$", "6"),
        (r"\boxed{840}\boxed{840}", "840"),
        (r"\boxed{\frac{1}{2}}", r"\frac{1}{2}"),
        (r"\boxed{\{1\}}", r"\{1\}"),
        (r"<think>\boxed{1}</think>\boxed{2}", "2"),
        (r"\boxed{}", None),
        (r"\boxed{1", None),
        ("5", None),
        (r"<think>\boxed{1}", None),
    ],
)
def test_boxes(text, answer):
    assert boxed_all(text) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>8</think><answer> $7$ </answer>", "7"),
        (r"<answer>\boxed{5}</answer> \boxed{6}", "5"),
        ("<answer>1</answer> no, <answer>2</answer>", "2"),
        ("<answer>7", None),
        ("<think>it is <answer>7</answer>", None),
        (r"<think>\boxed{7}", None),
        (r"$\boxed 3$, no: \boxed{4}", "4"),
        (r"\boxed{4}, no: $\boxed 3$", "3"),
        (r"\boxed{4}, no: \boxed{\frac{1}{2", None),
        (r"\boxed{x = \boxed{5}}", r"x = \boxed{5}"),
        (r"the set {1, 2 \boxed{3}", "3"),
        (r"\boxed{}", ""),
        ("Therefore, x = 7.", None),
    ],
)
def test_answers_of_replies(text, answer):
    assert tagged_or_boxed(text) == answer
    if answer is None and "x = 7" not in text:
        assert final_answer(text) is None


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("We add.\nTherefore, x = 7.", "x = 7"),
        ("Thus $f(x) = 2x$.", "f(x) = 2x"),
        ("∴ x = 5", "x = 5"),
        ("Therefore, there are 12 ways.", None),
        ("答えは 5 です。", "5"),
        ("答え: 12", "12"),
        ("Ответ: $x = 3$.", "x = 3"),
        ("La réponse est 5.", "5"),
        ("Die Antwort lautet 7.", "7"),
        ("الإجابة هي 5", "5"),
        ("정답은 5입니다.", "5"),
        ("The answer is 18.", "18"),
        ("The answer is 1.5.", "1.5"),
        ("So the answer is $0.5$.", "0.5"),
        ("Therefore, the answer is **25%**.", "25%"),
        ("**Answer:** 3/4", "3/4"),
        ("*Answer*: `(3,4)`", "(3,4)"),
        ("### Answer\n1080", "1080"),
        ("**Final Answer**\n\n$$3.14$$", "3.14"),
        (r"The answer is \(4\)", "4"),
        (r"The answer is \[4\]", "4"),
        ("The answer is\n\n42", "42"),
        ("Final Answer: The final answer is $-7$. I hope it is correct.", "-7"),
        ("The answer is 1081, not 99.", "1081"),
        ("The answer is not 6. The answer is 7.", "7"),
        ("He ran.\n#### 540", "540"),
        ("<think>maybe 99</think>\nThe answer is 72.", "72"),
        ("答案是0.5。", "0.5"),
        ("答案：18", "18"),
        ("Die Antwort ist 3.14.", "3.14"),
        ("La respuesta es 25%.", "25%"),
        ("La réponse est 4.", "4"),
        ("La risposta è 4.", "4"),
        (r"Answer: 3, so \boxed{4}", "4"),
        (r"\boxed{3}. The answer is 4.", "4"),
        ("The total is **73**.", "73"),
        ("I do not know the answer.", None),
        ("The answer is not 6.", None),
        ("", None),
    ],
)
def test_final_answers(text, answer):
    assert final_answer(text) == answer


@pytest.mark.parametrize(
    ("text", "number", "with_comma"),
    [
        ("In all 1,080.", "1,080", "1,080".replace(",", ".")),
        ("It weighs 12.5 kg.", "12.5", None),
        ("It is -3/4", "-3/4", "-3/4"),
        ("25% of it", "25%", "25%"),
        ("5 cm^2", "5", "5"),
        ("x_2 is −7", "-7", "-7"),
        ("5-3", "3", "3"),
        ("none", None, None),
    ],
)
def test_final_numbers(text, number, with_comma):
    assert final_number(text) == number
    assert final_number_comma(text) == with_comma


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        *((f"So {word} is B, clearly.", "B") for word in ("answer", "Answer", "choice", "Choice")),
        *((f"So {word}: (B) it is.", "B") for word in ("option", "Option", "ANSWER", "OPTION")),
        *((f"The answer is {text}", "A") for text in ("A because it is.", "A.", "(A).", "**A**")),
        *((f"The answer is {text}", None) for text in ("A fish", "I think", "A or B", "B and C.")),
        *((f"The answer is {text}", None) for text in ("B/C.", "B & C.", "B's", "Bob.", "Albania")),
        *(("option = D", "D"), ("Not (A). So\n(C)\n", "C"), ("A is one\nof them", None)),
        (r"\boxed{B} rather than \boxed{\text{(C)}}", "C"),
        ("The answer is B. On reflection the answer is D.", "D"),
        ("\\boxed{\\text{(C)}} and the answer is B", "C"),
        *(("(D)", "D"), ("**E**.", "E"), ("A\nand so on", "A"), ("A", "A"), ("(A) or (B)", None)),
        (r"\textbf{(D)}", "D"),
        (r"\boxed{\text{(B)}}", "B"),
        ("Therefore, option (D) is the right one.", "D"),
        ("option B is correct", "B"),
        ("**C. dark green**", "C"),
        ("C) dark green", "C"),
        ("A) red\nB) green", None),
        ("**A. red** or **B. green**", None),
        ("Answer：C", "C"),
        ("正确答案是（A）。", "A"),
        ("选C", "C"),
        ("My answer: [D]", "D"),
        ("<think>A or B?</think>B", "B"),
        ("<think>The answer is B", None),
        ("The options A, B, C and D are all wrong.", None),
        ("I think it is B", None),
        ("", None),
    ],
)
def test_letters(text, letter):
    assert choice(text) == letter


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("ANSWER: `B`", "B"),
        ("Die richtige Antwort ist C.", "C"),
        ("La bonne réponse est la lettre B.", "B"),
        ("La risposta corretta è la B", "B"),
        ("A resposta correta é a letra D.", "D"),
        ("Правильный ответ: B", "B"),
        ("الإجابة الصحيحة هي C", "C"),
        ("正しい答えはBです。", "B"),
        ("Dが正解です。", "D"),
        ("正解はDではありません。", None),
        ("정답은 C번입니다.", "C"),
        ("정답은 B입니다", "B"),
        ("故选D", "D"),
        ("应选B。", "B"),
        ("不选C", None),
        ("选项A错误", None),
        ("选项B正确", "B"),
        ("所以答案是选项C。", "C"),
        ("答案应该是B", "B"),
        ("答案不是C", None),
        ("B is the correct answer", "B"),
        ("Option B", "B"),
        ("So, the correct option is (c).", "C"),
        ("The answer is a.", "A"),
        ("the answer is b", "B"),
        ("The answer is a cat.", None),
        ("\\boxed{\\textbf{(C)}\\ 5}", "C"),
        ("\\boxed{C. rising}", "C"),
        ("\\boxed{A+B}", None),
        ("\\boxed{c}", "C"),
        ("\\boxed{\\text{Option D}}", "D"),
        ("B. text (with parentheses)", "B"),
        ("(B) text (with parentheses)", "B"),
        ("A) red (B) green", None),
        ("A. red\nBecause of X.", "A"),
        ("Neither A nor B is correct.", None),
        ("Is the answer C? No.", None),
        ("The answer isn't B.", None),
        ("I don't think the answer is B.", None),
        ("If the answer is A, we fail.", None),
        ("The answer is A. Wait, actually B is better.", None),
        ("The answer is A. Wait, the answer is B.", "B"),
        ("A is tempting. However, the right choice is D.", "D"),
        ("The answer is A at first. So B.", None),
        ("The answer is A, not B.", "A"),
        ("The answer is A rather than B.", "A"),
        ("The answer is C because A and B are wrong.", "C"),
        ("Therefore the correct answer is **Option C: the sun**.", "C"),
        ("**Answer**: B", "B"),
        ("**Answer:** (B) text", "B"),
        ('Answer: "B"', "B"),
        ("Answer - B", "B"),
        ("The correct answer is: \n\nC", "C"),
        ("I'd go with D.", "D"),
        ("We pick option (A).", "A"),
        ("Correct answer: A. Some text", "A"),
        ("Answer: A) Some text", "A"),
        ("The answer is $\\boxed{C}$", "C"),
        ("The answer is $C$.", "C"),
        ("The answer is $\\text{(C)}$.", "C"),
        ("The answer is [C].", "C"),
        ("The best answer is C, since it is.", "C"),
        ("So the answer would be D", "D"),
        ("The answer must be D", "D"),
        ("Answer: A, B", None),
        ("Answer: A and B", None),
        ("La respuesta es A y B", None),
        ("答案是AB", None),
        ("答案是A和B", None),
        ("The answer is B\n\nExplanation: A is not right.", "B"),
        ("A\n\nExplanation: since B fails.", "A"),
        ("Vitamin C is best.", None),
        ("I is the answer", None),
        ("The answer is I.", "I"),
        ("B", "B"),
        ("b", "B"),
        ("(b)", "B"),
        ("b)", "B"),
        ("[B]", "B"),
        ("**b**", None),
        ("The answer is option B: 5 m", "B"),
        ("My final answer is (D) none.", "D"),
        ("Réponse : C", "C"),
        ("La réponse est C", "C"),
        ("Respuesta: **B**", "B"),
        ("Antwort: C ist richtig", "C"),
        ("C ist richtig", None),
        ("Choice C is right", "C"),
        ("Answer C", "C"),
        ("Answer (C)", "C"),
        ("The answer is A looks wrong", None),
        ("Option C is incorrect.", None),
        ("Option A is wrong. Option B is wrong. Option C is right. Option D is wrong.", "C"),
        ("The answer, therefore, is B.", "B"),
        ("the correct answer is indeed C.", "C"),
        ("Final Answer: B", "B"),
        ("The final answer is \\(\\boxed{\\text{D}}\\).", "D"),
        ("正确答案：B", "B"),
        ("本题选C。", "C"),
        ("因此选择 B。", "B"),
        ("D 是正确的", "D"),
        ("A是错误的", None),
        ("答案为（C）", "C"),
        ("答え：B", "B"),
        ("選択肢Cが正しい", "C"),
        ("정답: (B)", "B"),
        ("C가 정답입니다", "C"),
        ("C가 정답이 아닙니다", None),
    ],
)
def test_letters_of_many_languages_and_forms(text, letter):
    assert choice(text) == letter


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("So, Lena walks a total of 360 steps a week.", "360"),
        ("Therefore, the shop made a profit of $45,000.", "45000"),
        ("**The shop made a profit of $45,000.**", "45000"),
        ("The answer is 84, in total, so the club has that much.", "84"),
        ("The answer is 72, which is the total.", "72"),
        ("The answer is 1,260 miles.", "1260"),
        ("Therefore, the answer is 6 screws.", "6"),
        ("3 + 4 = 7", "7"),
        ("So 3 + 4 = 7.", "7"),
        ("The answer is 3 + 4 = 7.", "7"),
        ("So she has 3 + 4 = 7 apples.", "7"),
        ("Thus, 3 * 4 = 12 apples.", "12"),
        ("\\boxed{3+4=7}", "7"),
        ("**Total: $70,000**", "70000"),
        ("**Answer: 5 apples**", "5"),
        ("The total is **$70,000**.", "70000"),
        ("**$70,000.**", "70000"),
        ("So the answer is **72 apples**.", "72"),
        ("The answer is 72. This is the total of 2 days.", "72"),
        ("The answer is 72 because 8*9 = 72.", "72"),
        ("The answer is 72 (8 times 9).", "72"),
        ("The answer is: 72 apples in total", "72"),
        ("Therefore, he spent $18.", "18"),
        ("So the final answer is 5 - that is all.", "5"),
        ("The answer is 10%.", "10"),
        ("The answer is x = 5.", "5"),
        ("Therefore, x = 7.", "7"),
        ("Answer: 3 and 5", "3,5"),
        ("So Ann is 12 years old.", "12"),
        ("She earns 5 * 3 = $15.", "15"),
        ("5 x 3 = 15 dollars", "15"),
        ("The answer is 1,000,000 dollars, a lot.", "1000000"),
        ("The answer is -5 degrees, colder than before", "-5"),
        ("The answer is twelve.", "12"),
        ("The answer is 72, as shown above.", "72"),
        ("The answer is 72; the rest are gone.", "72"),
        ("The answer is 72 - the sum of both.", "72"),
        ("The answer is 72, but only on Monday.", "72"),
        ("The answer is: $72$, since 8 times 9.", "72"),
        ("He needs 3/4 of a cup.", "3/4"),
        ("The answer is approximately 3.14.", "3.14"),
        ("The answer is about 72 apples.", "72"),
        ("In total, **they paid 45 dollars**.", "45"),
        ("Final answer: she has 7 apples left", "7"),
        ("The answer is that she has 7 apples.", "7"),
        ("Answer: The total is 45.", "45"),
        ("#### The total is 45", "45"),
        ("**Final answer:** 3 + 4 = **7**", "7"),
        ("Total cost = 3 * $5 = $15", "15"),
        ("The answer is 3:45 pm", "3:45 pm"),
        ("The answer is (3, 4).", "(3,4)"),
        ("The answer is 3, 4, and 5.", "3,4,5"),
        ("The answer is x = 2, y = 3.", "x=2,y=3"),
        ("The answer is Paris.", "Paris"),
        ("The answer is [1, 5].", "[1,5]"),
    ],
)
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


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (r"\boxed{\frac{3}{4}}", "3/4"),
        (r"\boxed{-\frac{3}{4}}", "-3/4"),
        (r"It is 1.6 \times 10^{-19} C", "1.6E-19"),
        (r"\boxed{- 5}", "-5"),
        (r"7 and \sqrt{2}", "7"),
        (r"7 and 10^{-3}", "10"),
        (r"7 of x_{12}", "7"),
        ("In 1999 250 were sold", "250"),
        ("12 and 345", "345"),
        ("10, 200", "200"),
        (r"\{18, 19\}", "19"),
        ("5 (3)", "3"),
    ],
)
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
@pytest.mark.parametrize(
    "text",
    [
        r"\boxed{" * 20_000,
        r"\boxed{1}" * 10_000,
        "answer is " * 20_000,
        "answer" + " " * 200_000,
        "**" * 100_000,
        "$$" * 100_000,
        "1," * 100_000,
        "1" * 200_000,
        "#### " * 40_000,
        "option " * 30_000,
        r"\boxed{" + "{" * 200_000,
        r"\[" * 100_000,
    ],
    ids=range(12),
)
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
