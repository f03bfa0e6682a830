r"""Steps of extraction: each finds the answer in the text of a model, as some community does.

A step is a function from a text to the answer in it, or to None if there is none. For every text it
returns the same as its community's function, including oddities, which the docstrings name. If two
communities differ, each has a step: `gsm8k` takes the first match and `gsm8k_flexible` the last,
`answer_line` the first "Answer:" and `inspect_line` the last.

The steps that no community has (all boxes, the final answer, its number, the letter of a choice)
return nothing rather than guess. Their result is the text of an answer, without its marks: no `$`,
no bold type, no final stop.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from .pattern_worker import nth_match

Step = Callable[[str], str | None]
StepWithChoices = Callable[[str, Sequence[str]], str | None]

_BRACE = re.compile(r"[{}]")
_FENCE = re.compile(r"```[^\n`]*\n(.*?)(?:```|\Z)", re.DOTALL)
_GSM8K = r"#### (\-?[0-9\.\,]+)"
_LETTER_IN_PARENTHESES = r"(\([A-Z]\))"
_HELM_NUMBER = re.compile(r"-?[\d,]+(?:.\d+)?")
_NUMERIC = re.compile(r"[-$0-9.,]+")
_PLAIN_NUMBER = re.compile(r"\d+\.?\d*")


def match_step(pattern: str, group: int = 0) -> Step:
    """Return the step that takes the match number `group`, without white space at its ends.

    Matches are counted from 0, or from -1 at the end. If the pattern has several groups, the first
    that is not empty is the answer. This is the filter `regex` of lm-eval.

    >>> match_step("[0-9]+", -1)("16 - 3 = 13"), match_step("[0-9]+")("none")
    ('13', None)
    """
    return partial(nth_match, re.compile(pattern), group)


def _first_group(pattern: str) -> Step:
    """Return the step that takes the first group of the first match, unchanged."""
    compiled = re.compile(pattern)

    def step(text: str) -> str | None:
        match = compiled.search(text)
        return match[1] if match else None

    return step


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
    r"""Return the content of the last \boxed{...}, else \fbox{...}.

    Hendrycks_math and minerva_math.

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
    r"""As UltraRAG: the content of the last box, or all of the text; there always is an answer.

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
    """Between the first and the last dollar sign, else all of the text: hendrycks_math of lm-eval.

    >>> dollars("so $x = 5$."), dollars("Price $5 and $6"), dollars("5")
    ('x = 5', '5 and ', '5')
    """
    start, end = text.find("$"), text.rfind("$")
    return text if start == end else text[start + 1 : end]


def gsm8k_flexible(text: str) -> str | None:
    """Return the last text that looks like a number.

    The filter flexible-extract of lm-eval's GSM8K.

    >>> gsm8k_flexible("#### 18 eggs, or $1,080.50."), gsm8k_flexible("Hm..."), gsm8k_flexible("no")
    ('$1,080.50.', '...', None)
    """
    # All characters of a match are in one run of these, so the last run with a match has the last.
    for run in reversed(_NUMERIC.findall(text)):
        number = _flexible_number(run)
        if number is not None:
            return number
    return None


def gsm8k_openai(text: str) -> str | None:
    """As `gsm8k`, without commas: `extract_answer` of grade-school-math.

    >>> gsm8k_openai("13 * 80 = 1040 #### 1,040")
    '1040'
    """
    match = re.search(_GSM8K, text)
    return match[1].strip().replace(",", "") if match else None


def minerva(text: str) -> str | None:
    """Return the answer in minerva_math's sentence.

    "Final Answer: The final answer is 5. I hope ...".

    The text may end before "I hope it is correct."; any character matches the two dots.

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
    letter = _gpqa(text)
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
    """The pattern of a choice, the letters of choices, and a pattern of letters after a colon."""
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


def code_fence(text: str) -> str | None:
    r"""Return the last block of code between three backticks.

    One that is never closed runs to the end.

    >>> code_fence("So:\n```python\nprint(1)\n```\nDone.")
    'print(1)'
    """
    blocks = _FENCE.findall(text)
    return str(blocks[-1]).rstrip("\n") if blocks else None


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


# ---- Steps that no community has ---------------------------------------------------------------

_BOX = re.compile(r"\\(?:boxed|fbox)\s*+\{")
_BOX_OR_BRACE = re.compile(r"\\(?:boxed|fbox)\s*+\{|(?<!\\)[{}]")
# Text that may occur between two boxes of one answer.
_BETWEEN_BOXES = re.compile(
    r"(?:[\s,;&$]|\\[()\[\]]|\\q?quad|\\[,;: ]"
    r"|\\text(?:rm|bf)?\{\s*,?\s*(?:and|or)\s*\}|\band\b|\bor\b)*+"
)
_LONGEST_GAP = 60  # characters between two boxes

_MARKS = r"[\s*_`#]{0,12}+"
_VERBS = r"(?:is|are|was|ist|lautet|es|est|é|è|это|هي|هو|是|为|為)"
_ANSWER = re.compile(
    rf"""(?:
      (?i:answers?|respuesta|antwort|réponse|risposta|resposta|ответ|الإجابة|الجواب)
      (?i:\s+(?:final|finale|correcta))?+
      {_MARKS} (?: (?:{_VERBS})(?![A-Za-z]) | [:：=] )
    | (?:答案|答え|解答|정답|답) {_MARKS} (?: {_VERBS} | は | 은 | 는 | [:：=] )
    | ^[ \t*_\#]*+ (?i:(?:the\ )?(?:final\ )?answer) [ \t*_\#]*+ $       # a heading
    ) [\s*_`:：]*+""",
    re.VERBOSE | re.MULTILINE,
)
_HASHES = re.compile(
    r"^[ \t]*####[ \t]+(?=[^\s#])|(?<=[\s.])####[ \t]+(?=[-$\\0-9(])", re.MULTILINE
)
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？]")
_COPULA = re.compile(r"\s*(?:です|である|だ|입니다|이다)$")
_CONCLUSION = re.compile(
    r"(?:(?i:therefore|thus|hence|so|consequently|finally),?|∴|所以|因此|したがって、?|よって、?)\s*"
    r"((?:[^\W\d_]'?(?:_\w)?(?:\([a-z]\))?\s*=\s*|\$|\\[(\[]|[-−]?[0-9]).*)"
)
_WORD = re.compile(r"(?<!\\)\b[^\W\d_]{3,}")  # of a sentence, which no formula is
_REJECTED = re.compile(r",?\s+(?:not|instead of|rather than|because|since|as opposed to)\b")
_DISPLAYED = re.compile(
    r"\*\*([^*\n]{1,200})\*\*|\$\$([^$]{1,500})\$\$|\\\[((?:[^\\]|\\(?![\[\]]))++)\\\]"
)
_FORMULA_MARKS = (
    ("$$", "$$"),
    ("$", "$"),
    (r"\(", r"\)"),
    (r"\[", r"\]"),
    ("**", "**"),
    ("`", "`"),
)

_NUMBER = re.compile(
    r"""(?<![\w.,^/{])
    (?: (?<![\w)]) [-−–] )?+ \$? (?:
        [0-9]{1,3}(?:[,\u202f\u2009][0-9]{3})++(?![0-9])(?:\.[0-9]++)?
      | [0-9]++(?:\.[0-9]++)? (?:/[0-9]++)?
      | \.[0-9]++
    ) \s?%?""",
    re.VERBOSE,
)
_NUMBER_WITH_COMMA = re.compile(
    r"(?<![\w.,^/{])(?:(?<![\w)])[-−–])?+"
    r"(?:[0-9]{1,3}(?:\.[0-9]{3})++(?![0-9])|[0-9]++(?!\.[0-9]))(?:,[0-9]++)?(?:/[0-9]++)?\s?%?"
)

_FULL_WIDTH = {ord("（"): "(", ord("）"): ")", ord("："): ":", ord("．"): ".", ord("。"): "."}
_FULL_WIDTH |= {code: chr(code - 0xFEE0) for code in range(ord("Ａ"), ord("Ｚ") + 1)}
_BOXED_LETTER = re.compile(
    r"\\boxed\{\s*+(?:\\(?:text|textbf|mathrm|mathbf)\{)?\s*+\(?([A-Z])\)?\s*+\}?\s*+\}"
    r"|\\textbf\{\s*+\(([A-Z])\)\s*+\}"
)
_ANSWER_IS_LETTER = re.compile(
    r"""
    # "answer", "choice" or "option"; a set of first letters is searched for in a third of the time.
    [AaCcOo] (?i:(?<=a)nswer|(?<=c)hoice|(?<=o)ption)
    \s*+ (?i:is|:|=) [\s:*$]*+ [(\[]?+ \**+                          # "is: **("
    ([A-Z]) \b
    (?<! \b[AI] (?= \s+ (?!because|since|as|is|and|or) [a-z]))       # no article, no pronoun
    \**+ [)\]]?+
    (?! [A-Za-z'’]) (?! \s* (?:or|and|/|&) \s* \(? [A-Z]\b)          # not "B or C"
    | (?:答案|正确选项) [\s*]*+ (?:是|为|:) [\s*]*+ \(? ([A-Z]) (?![A-Za-z])
    | 选 (?:择|项)?+ \s*+ \(? ([A-Z]) (?![A-Za-z])
    | [AaCcOo] (?i:(?<=a)nswer|(?<=c)hoice|(?<=o)ption) \s++ \(? \**+ ([A-Z]) \**+ \)?
      \s++ is \s++ (?:the \s++)?+ (?:correct|right|best|true)
    """,
    re.VERBOSE,
)
_BOLD_LETTER = re.compile(r"\*\*\(?([A-Z])[.):][^*\n]{0,200}\*\*")
_LETTER_ALONE = re.compile(r"(?:\*\*|`)?\(?([A-Z])\)?(?:\*\*|`)?\s*+[.)]?")
_LETTER_AND_TEXT = re.compile(r"\(?([A-Z])[.)]\s++(?!or\b|and\b)[^()]*+")
_ENDING = 2048  # characters of a text that are searched first
_LONGEST_LETTER = 12  # characters of a line with nothing but a letter


class _Box(NamedTuple):
    """A box that is closed: where it starts and ends, and its content."""

    start: int
    end: int
    content: str


def _boxes(text: str) -> list[_Box]:
    """Return the boxes that are closed and in no other; none if the last one is cut off."""
    boxes: list[_Box] = []
    starts: list[tuple[int, int] | None] = []  # of the boxes and other braces that are open
    last = -1
    for brace in _BOX_OR_BRACE.finditer(text):
        if brace[0] != "}":
            is_box = brace[0] != "{"
            starts.append(brace.span() if is_box else None)
            last = brace.start() if is_box else last
            continue
        opening = starts.pop() if starts else None
        if opening is not None:
            while boxes and boxes[-1].start > opening[0]:  # inside this one
                boxes.pop()
            content = text[opening[1] : brace.start()].strip()
            boxes.append(_Box(opening[0], brace.end(), content))
    is_closed = not any(opening is not None and opening[0] == last for opening in starts)
    return boxes if is_closed else []


def tagged_or_boxed(text: str) -> str | None:
    r"""Return the answer of a reply as trainers ask for it: in `<answer>` tags, else the last box.

    Only the text after the thoughts counts; a thought, a tag or a last box that is never closed
    has no answer. "\boxed 5" counts where no later box has braces.

    >>> tagged_or_boxed(r"<think>\boxed{1}</think><answer>$7$</answer>"), tagged_or_boxed("7")
    ('7', None)
    >>> tagged_or_boxed(r"$\boxed 5$, no: \boxed{\frac12}"), tagged_or_boxed(r"\boxed{\frac{1}{")
    ('\\frac12', None)
    """
    text = strip_think(text) or ""
    _, opened, tagged = text.rpartition("<answer>")
    if opened:
        content, closed, _ = tagged.partition("</answer>")
        box = _last_box(content)
        return (_unmarked(content) if box is None else box) if closed else None
    return _last_box(text)


def _last_box(text: str) -> str | None:
    start = text.rfind("\\boxed ")
    boxes = _boxes(text)
    if start >= 0 and not _BOX.search(text, start):
        return _unmarked(re.split(r"[$\n]", text[start + len("\\boxed ") :], maxsplit=1)[0])
    return boxes[-1].content if boxes else None


def boxed_all(text: str) -> str | None:
    r"""Return the contents of the last adjacent boxes, joined by commas; equal ones once.

    Adjacent boxes are separated only by white space, commas, "and" and "or". Other boxes before
    them do not count.

    >>> boxed_all(r"\boxed{2}, \boxed{3} and $\boxed{5}$"), boxed_all(r"\boxed{2}. No: \boxed{3}")
    ('2, 3, 5', '3')
    """
    run = _last_boxes(strip_think(text) or "")
    return ", ".join(dict.fromkeys(box.content for box in run if box.content)) or None


def _last_boxes(text: str) -> list[_Box]:
    run: list[_Box] = []
    for box in _boxes(text):
        gap = text[run[-1].end : box.start] if run else ""
        if len(gap) > _LONGEST_GAP or not _BETWEEN_BOXES.fullmatch(gap):
            run = []
        run.append(box)
    return run


def final_answer(text: str) -> str | None:
    r"""Return the answer that a text ends with.

    `<answer>` tags as in `tagged_or_boxed`; else the last of: boxes as in `boxed_all`, "####",
    "answer is" or "answer:" in eleven languages; else a last line such as "Therefore, x = 7."; else
    the last bold text or displayed formula. It runs to the end of the line or sentence. A last box
    that is cut off is no answer.

    >>> final_answer("<think>3?</think>The answer is **4**."), final_answer("#### 18")
    ('4', '18')
    >>> [final_answer(text) for text in ("Ответ: 5.", "答えは 5 です。", "Therefore, x = 7.")]
    ['5', '5', 'x = 7']
    >>> final_answer("I do not know.") is None
    True
    """
    text = strip_think(text) or ""
    if "<answer>" in text:
        return tagged_or_boxed(text)
    boxes = _last_boxes(text)
    candidates = [(boxes[0].start, boxed_all(text))] if boxes else []
    for pattern in (_ANSWER, _HASHES):
        matches = list(pattern.finditer(text))
        if matches:
            candidates.append((matches[-1].start(), _up_to_end(text[matches[-1].end() :])))
    if candidates:
        return max(candidates, key=lambda candidate: candidate[0])[1]
    if _BOX.search(text):
        return None
    conclusion = _CONCLUSION.fullmatch(text.rstrip().rpartition("\n")[2].strip())
    if conclusion and not _WORD.search(conclusion[1]):
        return _up_to_end(conclusion[1])
    matches = list(_DISPLAYED.finditer(text))
    return _unmarked(next(filter(None, matches[-1].groups()), "")) or None if matches else None


def _up_to_end(remainder: str) -> str | None:
    """Return the rest of the line or sentence, without marks; None if it is rejected."""
    remainder = remainder.lstrip()
    for left, right in _FORMULA_MARKS:
        end = remainder.find(right, len(left))
        if remainder.startswith(left) and end > 0 and left != "$":
            formula, following = remainder[len(left) : end], remainder[end + len(right) :]
            tail = _sentence(following)
            return _unmarked(formula + (f" {tail}" if tail and left != "**" else "")) or None
    sentence = _sentence(remainder)
    return None if sentence.startswith("not ") else _unmarked(sentence) or None


def _sentence(text: str) -> str:
    line = text.split("\n", 1)[0]
    end = _SENTENCE_END.search(line)
    line = line[: end.start()] if end else line
    rejected = _REJECTED.search(line) or _COPULA.search(line)
    return line[: rejected.start()] if rejected else line


def _unmarked(text: str) -> str:
    """Return the text without the marks around it, stops and white space at its ends."""
    previous_text = None
    while previous_text != text:
        previous_text = text = _without_ends(text)
        for left, right in _FORMULA_MARKS:
            inner = text[len(left) : -len(right)]
            is_marked = len(text) > len(left + right) and text == left + inner + right
            if is_marked and left not in inner:
                text = inner
    return text


def _without_ends(text: str) -> str:
    """Return the text without type marks and white space at its ends, and without final stops.

    One pass: `strip` for one kind after another would copy the text for each change of kind.
    """
    start, end = 0, len(text)
    while start < end and (text[start] in "*_`" or text[start].isspace()):
        start += 1
    while start < end and (text[end - 1] in "*_`.,;:。，" or text[end - 1].isspace()):
        end -= 1
    return text[start:end]


def final_number(text: str) -> str | None:
    """Return the last number, with its sign and separators, without its unit.

    Exponents do not count.

    >>> final_number("It weighs 1,080.5 kg on 12 m^2."), final_number("so -3/4"), final_number("no")
    ('12', '-3/4', None)
    """
    numbers = _NUMBER.findall(strip_think(text) or "")
    return str(numbers[-1]).strip().replace("−", "-").replace("–", "-") if numbers else None


def final_number_comma(text: str) -> str | None:
    """As `final_number`, where a comma is the decimal mark; the answer has a point.

    >>> final_number_comma("Das macht 1.080,50 Euro.")
    '1080.50'
    """
    numbers = _NUMBER_WITH_COMMA.findall(strip_think(text) or "")
    if not numbers:
        return None
    number = str(numbers[-1]).strip().replace("−", "-").replace("–", "-")
    return number.replace(".", "").replace(",", ".")


def _last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return the last match of a pattern of which no match is inside another with other groups.

    It is looked for in the end of a text first, where answers are.
    """
    size = _ENDING
    while True:
        start = max(len(text) - size, 0)
        matches = list(pattern.finditer(text, start))
        if matches or not start:
            return matches[-1] if matches else None
        size *= 8


def choice(text: str) -> str | None:
    """Return the final choice of a text, a letter.

    It is in the last box, else after the last "answer is", "option" or 答案是, else in bold type or
    alone in its line. No community uses this step; it returns nothing rather than guess.

    >>> choice("A is wrong. The answer is (B)."), choice("(B)"), choice("The answer: **C**")
    ('B', 'B', 'C')
    >>> choice("(A) or (B)"), choice("The answer is A fish"), choice("The answer is A or B")
    (None, None, None)
    >>> choice("option B is correct"), choice("**C. green**"), choice("答案是（D）。")
    ('B', 'C', 'D')
    """
    text = strip_think(text) or ""
    if not text.isascii():
        text = text.translate(_FULL_WIDTH)
    boxed = _last_match(_BOXED_LETTER, text) if "{" in text else None
    match = boxed or _last_match(_ANSWER_IS_LETTER, text)
    if match:
        return str(next(filter(None, match.groups())))
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    for line in reversed(lines):
        letter = _LETTER_ALONE.fullmatch(line) if len(line) <= _LONGEST_LETTER else None
        if letter:
            return letter[1]
    bold = set(_BOLD_LETTER.findall(text))
    if len(bold) == 1:
        return str(bold.pop())
    single_line = _LETTER_AND_TEXT.fullmatch(lines[0]) if len(lines) == 1 else None
    return single_line[1] if single_line else None


_ANSWER_MARK = re.compile("(?i)ANSWER")
_INSPECT_LINE = re.compile(r"(?i)ANSWER\s*:\s*([^\n]+)\s*\Z")
_flexible_number = match_step(r"(-?[$0-9.,]{2,})|(-?[0-9]+)", -1)
_gpqa = match_step(_LETTER_IN_PARENTHESES, -1)

STEPS: dict[str, Step | StepWithChoices] = {
    "strip_think": strip_think,
    "strip_citations": strip_citations,
    "boxed": boxed,
    "ultrarag_boxed": ultrarag_boxed,
    "gsm8k": match_step(_GSM8K),
    "gsm8k_flexible": gsm8k_flexible,
    "gsm8k_cot": match_step(
        r"The answer is (\-?[0-9\.\,]+)."
    ),  # "is 42" gives "4": . is a wildcard
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
    "gpqa": _gpqa,
    "gpqa_choices": gpqa_choices,
    "helm_final_number": helm_final_number,
    "helm_gpqa": helm_gpqa,
    "choice": choice,
    "boxed_all": boxed_all,
    "tagged_or_boxed": tagged_or_boxed,
    "final_answer": final_answer,
    "final_number": final_number,
    "final_number_comma": final_number_comma,
    "code_fence": code_fence,
}
"""The steps of `extract` by name; the card of `qa_em` says what each finds."""
