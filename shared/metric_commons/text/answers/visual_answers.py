"""Answers to questions about pictures: ANLS, VQA accuracy and relaxed accuracy.

Sources:
    Biten and others, Scene text visual question answering (2019), for ANLS; Antol and others, VQA:
    visual question answering (2015), with its official script; Methani and others, PlotQA (2020),
    for relaxed accuracy.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated

import numpy as np

from ...statistics.arguments.arrays import Floats
from ...statistics.arguments.checks import check_measures
from ...statistics.arguments.domains import NonNegative, Parsed, Proportion, checked_options
from ..tokens.references import blocks, reference_list
from ..tokens.segments import segment_starts
from ..transcripts.edit_distance import edit_counts

VISUAL_MEASURES = ("anls", "vqa_accuracy", "relaxed_accuracy")
VisualMeasures = Annotated[
    str | Sequence[str],
    Parsed(partial(check_measures, supported=VISUAL_MEASURES), "a measure, or a list of them"),
]

_ENOUGH = 3  # people who gave an answer that is wholly right
_PERIOD = re.compile(r"\.(?!\d)")
_MOST_PERIODS = 32  # that the official script removes
_COMMA = re.compile(r"\d,\d")
_PUNCTUATION = ';/[]"{}()=+\\_-><@`,?!'
_ARTICLES = {"a", "an", "the"}
_DIGIT_WORDS = "zero one two three four five six seven eight nine ten"
_DIGITS = {word: str(number) for number, word in enumerate(_DIGIT_WORDS.split())} | {"none": "0"}
_CONTRACTED = (
    "ain't aren't can't could've couldn't couldn't've didn't doesn't don't hadn't hadn't've hasn't "
    "haven't he'd he'd've he's how'd how'll how's isn't it'd it'd've it'll ma'am mightn't "
    "mightn't've might've mustn't must've needn't not've o'clock oughtn't 'ow's'at shan't she'd've "
    "should've shouldn't shouldn't've somebody'd've somebody'll somebody's someone'd someone'd've "
    "someone'll someone's something'd something'd've something'll that's there'd there'd've "
    "there're there's they'd they'd've they'll they're they've 'twas wasn't we'd've we've weren't "
    "what'll what're what's what've when's where'd where's where've who'd who'd've who'll who's "
    "who've why'll why're why's won't would've wouldn't wouldn't've y'all y'all'll y'all'd've "
    "you'd you'd've you'll you're you've"
)
# Each contraction by what is left of it without one of its apostrophes.
_CONTRACTIONS = {
    word[: mark.start()] + word[mark.end() :]: word
    for word in _CONTRACTED.split()
    for mark in re.finditer("'", word)
} | {"somebody'd": "somebodyd"}  # as the official script has it


@checked_options
def visual_scores(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    measures: VisualMeasures = ("anls",),
    threshold: Proportion = 0.5,
    tolerance: NonNegative = 0.05,
) -> dict[str, Floats]:
    """Return the scores of each row by the names of `measures`; for the options see each function.

    >>> visual_scores(["Paris"], [["paris"]], measures=["anls", "relaxed_accuracy"])
    {'anls': array([1.]), 'relaxed_accuracy': array([1.])}
    """
    functions: dict[str, Callable[..., Sequence[float] | Floats]] = {
        "anls": partial(anls_scores, threshold=threshold),
        "vqa_accuracy": vqa_accuracies,
        "relaxed_accuracy": partial(relaxed_accuracies, tolerance=tolerance),
    }
    names = check_measures(measures, VISUAL_MEASURES)
    return {
        name: np.asarray(functions[name](predictions, references), np.float64) for name in names
    }


@checked_options
def anls_scores(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    threshold: Proportion = 0.5,
) -> Floats:
    """Return one minus the normalized edit distance to the nearest reference, shape (rows,).

    Case and the amount of white space are ignored for the distance, but not for the lengths by
    which it is divided, as in the script of DocVQA.

    Args:
        predictions: one text per row.
        references: one or more accepted answers.
        threshold: smaller scores become 0.

    Raises:
        ValueError: a row has no reference.

    >>> anls_scores(["Paris", "Bern"], [["paris", "Lyon"], "Oslo"]).tolist()
    [1.0, 0.0]
    """
    scores = [np.zeros(0)]
    for block in blocks(predictions, references):
        texts = [" ".join(text.lower().split()) for text in block.texts]
        pairs = block.pair_predictions, block.pair_references
        sides = ([texts[text] for text in side.tolist()] for side in pairs)
        edits = edit_counts(*sides)[:, 1:].sum(axis=1)
        lengths = np.array([len(text.upper()) for text in block.texts])
        distances = edits / np.maximum(np.maximum(lengths[pairs[0]], lengths[pairs[1]]), 1)
        scores.append(1 - np.minimum.reduceat(distances, segment_starts(block.references)))
    similarities = np.concatenate(scores)
    return np.where(similarities < threshold, 0.0, similarities)


def vqa_accuracies(
    predictions: Sequence[str], references: Sequence[str | list[str]]
) -> list[float]:
    """Return the agreement with people: 1 if three of them gave the answer, as VQA's script has it.

    Each person in turn is left out, and the scores are averaged. Answers are normalized, unless all
    people wrote the same.

    >>> vqa_accuracies(["Two dogs."], [["2 dogs"] * 2 + ["cats"] * 8])
    [0.6]
    """
    scores = []
    for prediction, row_references in zip(predictions, references, strict=True):
        answer = _plain(prediction)
        people = [*map(_plain, reference_list(row_references))]
        if len(set(people)) > 1:
            answer, people = _normalized(answer), [*map(_normalized, people)]
        same = Counter(people)[answer]
        shares = [min(1.0, (same - (person == answer)) / _ENOUGH) for person in people]
        scores.append(sum(shares) / len(shares))
    return scores


@checked_options
def relaxed_accuracies(
    predictions: Sequence[str],
    references: Sequence[str | list[str]],
    *,
    tolerance: NonNegative = 0.05,
) -> list[bool]:
    """Return whether a number is near one of the references, or a text is equal but for case.

    "5%" is 0.05. A reference of 0 must be written in the same way, as in the script of ChartQA.

    >>> relaxed_accuracies(["10.4", "11", "Yes"], ["10", "10", "yes"])
    [True, False, True]
    """
    return [
        any(_is_near(prediction, target, tolerance) for target in reference_list(row_references))
        for prediction, row_references in zip(predictions, references, strict=True)
    ]


def _is_near(prediction: str, target: str, tolerance: float) -> bool:
    number, true_number = _number(prediction), _number(target)
    if number is None or not true_number:
        return prediction.lower() == target.lower()
    return abs(number - true_number) / abs(true_number) <= tolerance


def _number(text: str) -> float | None:
    try:
        return float(text.rstrip("%")) / 100 if text.endswith("%") else float(text)
    except ValueError:
        return None


def _plain(text: str) -> str:
    return text.replace("\n", " ").replace("\t", " ").strip()


def _normalized(text: str) -> str:
    """Return an answer without punctuation and articles, with digits and apostrophes."""
    has_comma = _COMMA.search(text) is not None
    plain = text
    for mark in _PUNCTUATION:
        is_at_space = f"{mark} " in text or f" {mark}" in text
        plain = plain.replace(mark, "" if is_at_space or has_comma else " ")
    words = [
        _DIGITS.get(word, word) for word in _PERIOD.sub("", plain, _MOST_PERIODS).lower().split()
    ]
    return " ".join(_CONTRACTIONS.get(word, word) for word in words if word not in _ARTICLES)
