import random
from time import process_time

import pytest

from metric_commons.text import STEPS
from metric_commons.text.extraction import choice_letters
from metric_commons.text.extraction.final_answers import (
    boxed_all,
    choice,
    final_answer,
    final_number,
    final_number_comma,
    tagged_or_boxed,
)


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
