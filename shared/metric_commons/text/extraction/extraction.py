"""Extraction of the answer from the text of a model, before texts are compared.

A model does not answer "18": it thinks aloud and ends with "#### 18", a box, or "The answer is".
The extraction rule changes scores by points, so it is an option, which signatures name: the name of
a step in `STEPS`, a pattern, a function, or a chain of these. A text in which a step finds nothing
is *unparsed*: its row scores 0, whatever the reference, and is counted.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise, repeat
from typing import Annotated, Any

import numpy as np

from ...statistics.arguments.arrays import Floats
from ...statistics.arguments.checks import OptionError, RowError
from ...statistics.arguments.domains import OneOf, Parsed, PerRow, checked_options
from ...statistics.intervals.summary import Average, summarize
from ...statistics.intervals.sums import RowStatistics
from ..tokens.thoughts import Thoughts, answer_of
from .community_steps import gpqa_choices
from .step_chains import STEPS, step_functions

_EXCERPT = 60  # characters of a text in a message

Extraction = (
    Annotated[
        Annotated[str, OneOf(STEPS)] | dict[str, Any] | list[Any],
        Parsed(
            step_functions,
            "the name of a step, {'regex': pattern, 'group': number}, a list of steps",
        ),
    ]
    | Callable[[str], str | None]
    | None
)
Choices = Annotated[Sequence[Any], PerRow("list of choices")] | None


def extract_answers(
    texts: Sequence[str], steps: Any, choices: Sequence[Sequence[str]] | None = None
) -> list[str | None]:
    r"""Return the answer in each text, or None if there is none. Equal texts are read once.

    Args:
        texts: texts of models.
        steps: a name in `STEPS`, `{"regex": pattern, "group": number}`, a function from str to str
            or None, or a list of these: each reads the result of the previous one.
        choices: the options of each row, for the step `gpqa_choices`.

    Raises:
        ValueError: a step is unknown, or needs choices that are missing.

    >>> extract_answers(["<think>hm</think>#### 1,080", "18"], ["strip_think", "gsm8k"])
    ['1,080', None]
    >>> extract_answers(["A: 1 A: 2"], {"regex": "A: ([0-9])", "group": -1})
    ['2']
    """
    chain = step_functions(steps)
    row_choices: Iterable[tuple[str, ...]] = repeat(())
    if any(step is gpqa_choices for step in chain):
        row_choices = _checked_choices(choices, len(texts))
    rows = list(zip(texts, row_choices, strict=False))
    distinct = list(dict.fromkeys(rows))
    answers: list[Any] = [text for text, _ in distinct]
    for step in chain:
        remaining = [row for row, answer in enumerate(answers) if isinstance(answer, str)]
        inputs = [answers[row] for row in remaining]
        if step is gpqa_choices:
            options = (distinct[row][1] for row in remaining)
            outcomes = [step(text, listed) for text, listed in zip(inputs, options, strict=True)]
        else:
            outcomes = list(map(step, inputs))
        for row, answer in zip(remaining, outcomes, strict=True):
            answers[row] = answer
    answer_of = dict(zip(distinct, answers, strict=True))
    return [answer_of[row] for row in rows]


def _checked_choices(choices: Any, rows: int) -> list[tuple[str, ...]]:
    if choices is None:
        raise OptionError("choices", "is missing; the step 'gpqa_choices' needs one list per row")
    if len(choices) != rows:
        raise OptionError("choices", f"has {len(choices)} lists, but there are {rows} rows")
    lists = [tuple(texts) if isinstance(texts, list | tuple) else () for texts in choices]
    for row, texts in enumerate(lists):
        if not texts or not all(isinstance(text, str) for text in texts):
            raise RowError("choices", row, f"is {choices[row]!r}; expected a list of str")
    return lists


def read_answers(
    texts: Sequence[str], *, thoughts: Thoughts, extract: Any = None, choices: Any = None
) -> tuple[Sequence[str], dict[str, Floats]]:
    """Return the answer in each text, blank if there is none, and the rate `unparsed` of rows.

    There is no rate if texts are answers.

    >>> answers, rates = read_answers(["<think>hm</think>#### 18"], thoughts="strip")
    >>> answers, rates["unparsed"].tolist()
    (['#### 18'], [0.0])
    """
    if thoughts == "keep" and extract is None:
        return texts, {}
    stripping = [] if thoughts == "keep" else [partial(answer_of, thoughts=thoughts)]
    steps = extract if isinstance(extract, list | tuple) else [extract]
    chain = [*stripping, *(step for step in steps if step is not None)]
    answers = extract_answers(texts, chain, choices)
    rates = {"unparsed": np.array([float(answer is None) for answer in answers])}
    return [answer or "" for answer in answers], rates


@checked_options
def summarize_extracted(
    scores: Callable[[Sequence[str], Sequence[Any]], Mapping[str, Floats] | RowStatistics],
    predictions: Sequence[str],
    references: Sequence[Any],
    reference_scores: Container[str] = (),
    averages: Mapping[str, Average] | None = None,
    *,
    thoughts: Thoughts = "keep",
    extract: Extraction = None,
    extract_references: Extraction = None,
    choices: Choices = None,
    **summary: Any,
) -> dict[str, Any]:
    """Return the result of a module that compares texts, or the answers in them; see `summarize`.

    Without thoughts, or with `extract`, it also has `unparsed`, the proportion of predictions
    without an answer.

    Args:
        scores: the function from predictions and references to the scores of rows, by name, or to
            their statistics.
        predictions: one text per row.
        references: the reference, or references, of each row.
        reference_scores: names of scores that do not depend on the prediction.
        averages: as in `summarize`.
        thoughts: whether the thoughts of a model, such as `<think>...</think>`, are part of a
            prediction ("keep"), or only what follows them is ("strip", or with marks of your own
            [opening mark, closing mark]). A prediction whose thoughts are cut off has no answer.
        extract: how to extract the answer from a prediction, before it is normalized: the name of a
            step, such as "boxed" or "gsm8k" (the card of qa_em lists them), or of several with
            vertical bars between them, of which the first that finds something counts; a pattern, a
            function from str to str or None; or a list of these, each of which reads the result of
            the previous one. A prediction without an answer scores 0.
        extract_references: the same for references, each of which must have an answer.
        choices: for the step "gpqa_choices": one list of choices per row.
        **summary: the options of `summarize`.

    >>> def same(predictions, references):
    ...     return {"same": np.array(predictions) == np.array(references)}
    >>> summarize_extracted(same, ["so #### 18", "18"], ["18", ""], extract="gsm8k")
    {'same': 0.5, 'unparsed': 0.5}
    """
    if extract_references is not None:
        references = reference_answers(references, extract_references, choices)
    texts, rates = read_answers(predictions, thoughts=thoughts, extract=extract, choices=choices)
    values = scores(texts, references)
    if isinstance(values, RowStatistics):
        return summarize(values.with_means(rates), **summary)
    columns = dict(values)
    if rates:
        columns |= {
            name: np.where(rates["unparsed"], 0.0, column)
            for name, column in values.items()
            if name not in reference_scores
        }
    return summarize(columns | rates, averages, **summary)


def extract_samples(
    predictions: Sequence[Sequence[str]], **options: Any
) -> tuple[Sequence[Sequence[str]], dict[str, Floats]]:
    """Return the answer in each of the texts of a row, and rates by row, as in `read_answers`.

    >>> samples = [["#### 18", "18"], ["#### 7"]]
    >>> answers, rates = extract_samples(samples, extract="gsm8k", thoughts="keep")
    >>> answers, rates["unparsed"].tolist()
    ([['18', ''], ['7']], [0.5, 0.0])
    """
    texts, rates = read_answers([text for row in predictions for text in row], **options)
    ends = np.cumsum([0, *map(len, predictions)])
    rows = [texts[start:end] for start, end in pairwise(ends.tolist())]
    means = {
        name: np.array(
            [column[start:end].mean() if end > start else 0.0 for start, end in pairwise(ends)]
        )
        for name, column in rates.items()
    }
    return rows, means


def reference_answers(references: Sequence[Any], steps: Any, choices: Any = None) -> list[Any]:
    """Return the references with the answer in place of each text.

    Raises:
        RowError: a reference has no answer.
    """
    numbers: list[int] = []
    texts: list[str] = []
    for row, reference in enumerate(references):
        _mapped(texts.append, reference)
        numbers += [row] * (len(texts) - len(numbers))
    row_choices = None if choices is None else [choices[row] for row in numbers]
    answers = extract_answers(texts, steps, row_choices)
    for row, text, answer in zip(numbers, texts, answers, strict=True):
        if answer is None:
            problem = f"has no answer that extract_references finds: {text[:_EXCERPT]!r}"
            raise RowError("references", row, problem)
    remaining = iter(answers)
    return [_mapped(lambda _: next(remaining), reference) for reference in references]


def _mapped(function: Callable[[str], Any], reference: Any) -> Any:
    """Return a reference with the results of a function in place of its texts."""
    if isinstance(reference, str):
        return function(reference)
    return [_mapped(function, inner) for inner in reference]
