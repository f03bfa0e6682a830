r"""Steps of extraction that communities use: each returns what the function of its community does.

For every text the result is the same, including oddities, which the docstrings name. If two
communities differ, each has a step: `gsm8k` takes the first match and `gsm8k_flexible` the last,
`answer_line` the first "Answer:" and `inspect_line` the last.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache, partial

Step = Callable[[str], str | None]
StepWithChoices = Callable[[str, Sequence[str]], str | None]

_BRACE = re.compile(r"[{}]")
_GSM8K = r"#### (\-?[0-9\.\,]+)"
_LETTER_IN_PARENTHESES = r"(\([A-Z]\))"
_HELM_NUMBER = re.compile(r"-?[\d,]+(?:.\d+)?")
_NUMERIC = re.compile(r"[-$0-9.,]+")
_PLAIN_NUMBER = re.compile(r"\d+\.?\d*")
_ANSWER_MARK = re.compile("(?i)ANSWER")
_INSPECT_LINE = re.compile(r"(?i)ANSWER\s*:\s*([^\n]+)\s*\Z")


def match_step(pattern: str, group: int = 0) -> Step:
    """Return the step that takes the match number `group`, without white space at its ends.

    Matches are counted from 0, or from -1 at the end. If the pattern has several groups, the first
    that is not empty is the answer. This is the filter `regex` of lm-eval.

    >>> match_step("[0-9]+", -1)("16 - 3 = 13"), match_step("[0-9]+")("none")
    ('13', None)
    """
    return partial(_nth_match, re.compile(pattern), group)


def _nth_match(compiled: re.Pattern[str], group: int, text: str) -> str | None:
    matches = compiled.findall(text)
    if not -len(matches) <= group < len(matches):
        return None
    match = matches[group]
    if isinstance(match, tuple):
        match = next(filter(None, match), None)
    return None if match is None else str(match).strip()


def _first_group(pattern: str) -> Step:
    """Return the step that takes the first group of the first match, unchanged."""
    compiled = re.compile(pattern)

    def step(text: str) -> str | None:
        match = compiled.search(text)
        return match[1] if match else None

    return step


_FLEXIBLE_NUMBER = match_step(r"(-?[$0-9.,]{2,})|(-?[0-9]+)", -1)
_GPQA = match_step(_LETTER_IN_PARENTHESES, -1)


def strip_think(text: str) -> str | None:
    """Return the text after the last `</think>`: `think_end_token` of lm-eval.

    lm-eval keeps the whole text of a thought that is never closed; here such a text has no answer.
    A `</think>` without `<think>` is common, since prompts open the thought.

    >>> strip_think("<think>2 + 2</think> 4"), strip_think("so 4</think> 4")
    ('4', '4')
    >>> strip_think("<think>2 + 2 is") is None, strip_think("4")
    (True, '4')
    """
    _, closed, answer = text.rpartition("</think>")
    if closed:
        return answer.lstrip()
    return None if "<think>" in text else text


def strip_citations(text: str) -> str:
    """Return the text without citations such as [1], as in ALCE; every other `]` is removed, too.

    >>> strip_citations("Denver won [1][2] in 2016 [3].")
    'Denver won in 2016.'
    """
    return re.sub(r"\[\d+", "", re.sub(r" \[\d+", "", text)).replace(" |", "").replace("]", "")


def boxed(text: str) -> str | None:
    r"""Return the content of the last \boxed{...}, else \fbox{...}, as lm-eval does for MATH.

    Braces inside may nest; a box that is never closed has no content. "\boxed 5" runs to the next
    dollar sign, and wins over any braces.

    >>> boxed(r"So \boxed{1} or \boxed{\frac{1}{2}}."), boxed(r"$\boxed 5$"), boxed("5")
    ('\\frac{1}{2}', '5', None)
    """
    if "\\boxed " in text:
        return text.rpartition("\\boxed ")[2].partition("$")[0]
    for command in ("\\boxed", "\\fbox"):
        start = text.rfind(command)
        if start >= 0:
            opening = start + len(command)
            return _in_braces(text, opening) if text.startswith("{", opening) else None
    return None


def _in_braces(text: str, opening: int) -> str | None:
    """Return the text between the brace at `opening` and the one that closes it, if any does."""
    depth = 0
    for brace in _BRACE.finditer(text, opening):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return text[opening + 1 : brace.start()]
    return None


def ultrarag_boxed(text: str) -> str:
    r"""Return the content of the last box, or all of the text, as UltraRAG does.

    It removes `$`, `\(`, `\text{}` and outer parentheses, so that "(1,2)" becomes "1,2".
    Backslashes become spaces. A box that is never closed loses its last character.

    >>> ultrarag_boxed(r"\boxed{(1,2)}"), ultrarag_boxed(r"\boxed{\frac12"), ultrarag_boxed(" 5 ")
    ('1,2', ' frac1', '5')
    """
    start = text.rfind("\\boxed{")
    answer = text.strip()
    if start >= 0:
        opening = start + len("\\boxed")
        content = _in_braces(text, opening)
        answer = (text[opening + 1 : -1] if content is None else content).strip()
        answer = re.sub(r"^\$+|\$+$", "", answer).strip()
        answer = re.sub(r"^\\\(|\\\)$", "", answer).strip()
        if answer.startswith("\\text{") and answer.endswith("}"):
            answer = answer[6:-1].strip()
        answer = answer.strip("()").strip()
    return answer.replace("\\", " ").replace("  ", " ")


def dollars(text: str) -> str:
    """Return the text between the first and the last `$`, or all of it: lm-eval's hendrycks_math.

    >>> dollars("so $x = 5$."), dollars("Price $5 and $6"), dollars("5")
    ('x = 5', '5 and ', '5')
    """
    start, end = text.find("$"), text.rfind("$")
    return text if start == end else text[start + 1 : end]


def gsm8k_flexible(text: str) -> str | None:
    """Return the last text that looks like a number: flexible-extract of lm-eval's GSM8K.

    >>> gsm8k_flexible("#### 18 eggs, or $1,080.50."), gsm8k_flexible("Hm..."), gsm8k_flexible("no")
    ('$1,080.50.', '...', None)
    """
    # All characters of a match are in one run of these, so the last run with a match has the last.
    for run in reversed(_NUMERIC.findall(text)):
        number = _FLEXIBLE_NUMBER(run)
        if number is not None:
            return number
    return None


def gsm8k_openai(text: str) -> str | None:
    """Return the answer of `gsm8k`, without commas: `extract_answer` of grade-school-math.

    >>> gsm8k_openai("13 * 80 = 1040 #### 1,040")
    '1040'
    """
    match = re.search(_GSM8K, text)
    return match[1].strip().replace(",", "") if match else None


def minerva(text: str) -> str | None:
    """Return the answer in minerva_math's "Final Answer: The final answer is 5. I hope ...".

    The text may end before "I hope it is correct."; any character matches the two full stops.

    >>> minerva("Final Answer: The final answer is $5$. I hope it is correct.")
    '$5$'
    """
    for line in f"{text}I hope it is correct.".split("\n"):  # . is any character but this
        _, beginning, rest = line.partition("Final Answer: The final answer is")
        match = re.match(r"(.*?). I hope it is correct.", rest) if beginning else None
        if match:
            return match[1].strip()
    return None


def mgsm(text: str) -> str | None:
    """Return the last number after the last "Answer": `parse_answer` of mgsm in simple-evals.

    Commas are deleted, and so is a minus sign.

    >>> mgsm("Answer: 3 bags, 1,200 in all."), mgsm("1,200")
    ('1200', None)
    """
    _, word, answer = text.rpartition("Answer")
    numbers = _PLAIN_NUMBER.findall(answer.replace(",", "")) if word else []
    return numbers[-1].rstrip(".") if numbers else None


def helm_final_number(text: str) -> str | None:
    """Return the last number of the text, without commas: HELM's `final_number_exact_match`.

    Any character matches the decimal point.

    >>> helm_final_number("12 apples"), helm_final_number("(1,2)"), helm_final_number("3 or 4")
    ('12', '12', '4')
    """
    numbers = _HELM_NUMBER.findall(text)
    return numbers[-1].replace(",", "") or None if numbers else None


def helm_gpqa(text: str) -> str | None:
    """Return the letter after "answer is" and similar phrases: HELM's chain of thought for GPQA.

    >>> helm_gpqa("The correct answer is (B)."), helm_gpqa("B")
    ('B', None)
    """
    for pattern in (
        r"answer is \(?([A-J])\)?",
        r"\[aA\]nswer:\s*\(?([A-J])\)?",  # brackets that are escaped by mistake
        r"correct answer is [^A-Za-z]*([A-J])",
        r"correct answer is [^A-Z]*([A-J])",
    ):
        match = re.search(pattern, text)
        if match:
            return match[1]
    return None


def gpqa_choices(text: str, choices: Sequence[str]) -> str | None:
    """Return the last letter in parentheses, else the last choice that is quoted, else ": A".

    This is the filter `multi_choice_regex` of lm-eval with the options of GPQA: choices are
    searched for without punctuation and in lower case.

    >>> colours = ["red", "dark green"]
    >>> gpqa_choices("It is dark-green... Dark green!", colours), gpqa_choices("so: A", colours)
    ('(B)', '(A)')
    >>> gpqa_choices("A", colours) is None
    True
    """
    letter = _GPQA(text)
    if letter:
        return letter
    choice_pattern, letters, letter_pattern = _choice_patterns(tuple(choices))
    quotations = choice_pattern.findall(_without_punctuation(text))
    choice = quotations[-1].strip() if quotations else ""
    if choice:
        return letters.get(choice, choice)
    labels = letter_pattern.findall(text)
    return f"({labels[-1]})" if labels else None


@lru_cache(1024)
def _choice_patterns(
    choices: tuple[str, ...],
) -> tuple[re.Pattern[str], dict[str, str], re.Pattern[str]]:
    """Return the pattern of a choice, the letters of choices, and the pattern of ": A"."""
    texts = [_without_punctuation(choice.strip()) for choice in choices]
    labels = [chr(ord("A") + index) for index in range(len(choices))]
    letters = {text: f"({label})" for text, label in zip(texts, labels, strict=True)}
    return (
        re.compile("|".join(map(re.escape, texts))),
        letters,
        re.compile(rf":\s*({'|'.join(map(re.escape, labels))})"),
    )


class _Punctuation(dict[int, int | None]):
    """For `str.translate`: deletes the characters that Unicode calls punctuation."""

    def __missing__(self, code: int) -> int | None:
        is_punctuation = unicodedata.category(chr(code)).startswith("P")
        self[code] = None if is_punctuation else code
        return self[code]


_PUNCTUATION = _Punctuation()


def _without_punctuation(text: str) -> str:
    return text.lower().translate(_PUNCTUATION)


def inspect_line(text: str) -> str | None:
    r"""Return the text after `ANSWER:` on the last line, as inspect_ai's `answer("line")`.

    The pattern alone would try every `ANSWER` with all that follows on its line, and take quadratic
    time. But a match ends with the text, so it is in the last line that is not blank; it can only
    begin before that line, with the last `ANSWER` there.

    >>> inspect_line("ANSWER: 1\nANSWER: 2\n")
    '2'
    """
    last_line = text.rstrip().rfind("\n") + 1
    start = max((match.start() for match in _ANSWER_MARK.finditer(text, 0, last_line)), default=0)
    match = _INSPECT_LINE.search(text, start)
    return match[1] if match else None


COMMUNITY_STEPS: dict[str, Step | StepWithChoices] = {
    "strip_think": strip_think,
    "strip_citations": strip_citations,
    "boxed": boxed,
    "ultrarag_boxed": ultrarag_boxed,
    "gsm8k": match_step(_GSM8K),
    "gsm8k_flexible": gsm8k_flexible,
    # "is 42" gives "4", since . matches any character.
    "gsm8k_cot": match_step(r"The answer is (\-?[0-9\.\,]+)."),
    "gsm8k_openai": gsm8k_openai,
    "minerva": minerva,
    "dollars": dollars,
    "answer_line": _first_group(r"(?i)Answer\s*:\s*([^\n]+)"),
    "answer_letter": _first_group(r"(?i)Answer[ \t]*:[ \t]*\$?([A-D])\$?"),
    "mgsm": mgsm,
    "inspect_letter": _first_group(r"(?is)ANSWER\s*:\s*([A-Za-z])(?:[^\w]|\n|$)(?!.*ANSWER\s*:)"),
    "inspect_word": _first_group(
        r"(?is)ANSWER\s*:\s*(\S+?)(?=[.,;:!?]?\s*(?:\n|$))(?!.*ANSWER\s*:)"
    ),
    "inspect_line": inspect_line,
    "gpqa": _GPQA,
    "gpqa_choices": gpqa_choices,
    "helm_final_number": helm_final_number,
    "helm_gpqa": helm_gpqa,
}
