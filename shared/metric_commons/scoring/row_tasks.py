r"""Verdicts on single rows, for frameworks that judge one text at a time.

A task judges the text of a model by the accepted answers and says why. `row_task` makes the task of
a name: "math", "choice", "found", or a module that compares texts, with the scores of its
`compute`. Errors in options appear when a task is made; no text of a model raises one afterwards.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from ..catalog.catalog import load_without_evaluate
from ..extraction.extraction import extract_answers
from ..mathematics.equivalence import explained, readable
from ..numbers.checks import OptionError, RowError, nearest, shown
from ..texts.normalizers import normalizer_function

Status = Literal["scored", "undecided", "unparsed", "unreadable"]

_LETTER = re.compile(r"\s*\(?\s*([A-Za-z])\s*\)?\s*[.):]?\s*")
_MOST_WORDS = 8  # of a kind in a reason
_MOST_ANSWERS = 3
# Rows that modules take: a text, a JSON value, tool calls without tools and with them.
_SAMPLES = (
    ("a", "a"),
    ("null", "null"),
    ("", "[]"),
    ("", '{"tool_calls": [], "tools": []}'),
)


class RowVerdict(NamedTuple):
    """The verdict on one row.

    `score` is None where no reference can be read, so that nothing can be said about the text;
    `answer` is the part of the text that was judged, None if `extract` found none; `scores` are the
    further scores of the row; `reason` is a sentence or a few, empty unless `explain` is set.

    `status` is "scored"; "undecided", if neither equality nor inequality is proved; "unparsed", if
    the text has no answer; or "unreadable", if no reference can be read.
    """

    score: float | None
    answer: str | None
    status: Status = "scored"
    scores: Mapping[str, float] = {}
    reason: str = ""


def text_of(completion: Any) -> str:
    """The text that is judged: the completion, or the last message of the assistant in it.

    >>> text_of([{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": "4"}])
    '4'
    >>> text_of(None), text_of(42)
    ('', '42')
    """
    if isinstance(completion, str):
        return completion
    if completion is None:
        return ""
    if isinstance(completion, Mapping) and "content" in completion:
        return _text_of_content(completion["content"])
    message = _last_message(completion)
    return str(completion) if message is completion else text_of(message)


def _last_message(completion: Any) -> Any:
    """The last message of the assistant, None if there is none; anything but messages as it is."""
    if not isinstance(completion, list | tuple) or not completion:
        return completion
    if not all(isinstance(message, Mapping) and "role" in message for message in completion):
        return completion
    answers = [message for message in completion if message["role"] == "assistant"]
    return answers[-1] if answers else None


def _text_of_content(content: Any) -> str:
    """The text of a message, whose content may consist of parts: texts, pictures."""
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def reference_texts(reference: Any) -> list[str]:
    """The accepted answers of a row; None, NaN and an empty list have none.

    >>> reference_texts(["18", 18.5, None]), reference_texts(None)
    (['18', '18.5'], [])

    Raises:
        TypeError: the reference is a dictionary.
    """
    if hasattr(reference, "tolist"):  # arrays and numbers of numpy
        reference = reference.tolist()
    if isinstance(reference, str):
        return [reference]
    if isinstance(reference, list | tuple):
        return [text for item in reference for text in reference_texts(item)]
    if reference is None or reference != reference:
        return []
    if isinstance(reference, Mapping):
        fields = ", ".join(map(str, reference))
        raise TypeError(f"a reference is a text or a list of texts, but has the fields {fields}")
    return [str(reference)]


@dataclass(frozen=True)
class RowTask:
    """How rows are judged; a value that can be pickled and that serves many threads."""

    name: str = "row"
    extract: Any = None
    extract_references: Any = None
    explain: bool = False

    def __post_init__(self) -> None:
        for option, steps in self._steps().items():
            try:
                extract_answers([""], steps)
            except OptionError:
                raise
            except (ValueError, TypeError) as error:
                raise OptionError(option, f": {error}") from None

    def _steps(self) -> dict[str, Any]:
        steps = {"extract": self.extract, "extract_references": self.extract_references}
        return {option: step for option, step in steps.items() if step is not None}

    @property
    def score_names(self) -> list[str]:
        """The name of the score, then those of further scores."""
        return [self.name]

    def verdict(self, prediction: Any, reference: Any) -> RowVerdict:
        """The verdict on one row."""
        return self.verdicts([prediction], [reference])[0]

    def verdicts(self, predictions: Sequence[Any], references: Sequence[Any]) -> list[RowVerdict]:
        """The verdicts on several rows.

        Args:
            predictions: texts, or lists of messages, of which the assistant's last one counts.
            references: the accepted answer or answers of each row.

        Raises:
            ValueError: the lengths differ.
        """
        if len(predictions) != len(references):
            raise ValueError(f"{len(predictions)} texts, but {len(references)} references")
        texts = [self._text(prediction) for prediction in predictions]
        answers: Sequence[Any] = texts
        if self.extract is not None:
            answers = extract_answers(texts, self.extract)
        accepted = [self._accepted(reference) for reference in references]
        rows = [row for row, answer in enumerate(answers) if answer is not None and accepted[row]]
        judged = self._judged([answers[row] for row in rows], [accepted[row] for row in rows])
        verdicts = [
            RowVerdict(0.0, None, "unparsed", dict.fromkeys(self.score_names[1:], 0.0))
            if accepted[row]
            else RowVerdict(None, answer, "unreadable")
            for row, answer in enumerate(answers)
        ]
        for row, verdict in zip(rows, judged, strict=True):
            verdicts[row] = verdict
        return [self._explained(*row) for row in zip(verdicts, accepted, strict=True)]

    def _text(self, prediction: Any) -> Any:
        """The text of a row that is judged."""
        return text_of(prediction)

    def _accepted(self, reference: Any) -> list[Any]:
        """The accepted answers of a row that can be read."""
        texts = reference_texts(reference)
        if self.extract_references is not None:
            answers = extract_answers(texts, self.extract_references)
            texts = [answer for answer in answers if answer is not None]
        return texts

    def _judged(
        self, answers: Sequence[str], accepted: Sequence[Sequence[str]]
    ) -> Sequence[RowVerdict]:
        """The verdicts on answers that were found, of which each has an accepted one."""
        raise NotImplementedError

    def _explained(self, verdict: RowVerdict, accepted: Sequence[str]) -> RowVerdict:
        if not self.explain:
            return verdict
        wanted = " or ".join(shown(text) for text in accepted[:_MOST_ANSWERS])
        wanted += " or others" if len(accepted) > _MOST_ANSWERS else ""
        match verdict.status:
            case "unreadable":
                reason = "The reference cannot be read, so nothing is said about this answer."
            case "unparsed" if self.extract is None:
                reason = f"The text cannot be read; accepted is {wanted}."
            case "unparsed":
                steps = self.extract if isinstance(self.extract, list | tuple) else [self.extract]
                chain = ", then ".join(s if isinstance(s, str) else shown(s) for s in steps)
                reason = f"No answer was found in the text ({chain}); accepted is {wanted}."
            case _:
                reason = self._reason(verdict, accepted, wanted)
        return verdict._replace(reason=reason)

    def _reason(self, verdict: RowVerdict, accepted: Sequence[str], wanted: str) -> str:
        """Why an answer has its score."""
        answer = shown(verdict.answer)
        return f"{self.name} is {verdict.score:.3g}: the answer is {answer}, accepted is {wanted}."


@dataclass(frozen=True)
class MathTask(RowTask):
    """1 if the answer is proved to be equal to an accepted one, by `mathematics.equivalent`.

    A row whose references cannot be read is "unreadable", even if the answer is the same text.
    """

    name: str = "math"
    extract: Any = "boxed"
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        explained("1", "1", **self.options)  # an invalid option is an error here

    def _accepted(self, reference: Any) -> list[str]:
        return [text for text in super()._accepted(reference) if readable(text)]

    def _judged(
        self, answers: Sequence[str], accepted: Sequence[Sequence[str]]
    ) -> Sequence[RowVerdict]:
        return [self._verdict(*row) for row in zip(answers, accepted, strict=True)]

    def _verdict(self, answer: str, accepted: Sequence[str]) -> RowVerdict:
        is_decided = True
        for reference in accepted:
            is_equal = explained(reference, answer, **self.options).is_equal
            if is_equal:
                return RowVerdict(1.0, answer)
            is_decided = is_decided and is_equal is not None
        return RowVerdict(0.0, answer, "scored" if is_decided else "undecided")

    def _reason(self, verdict: RowVerdict, accepted: Sequence[str], wanted: str) -> str:
        answer = shown(verdict.answer)
        if verdict.status == "undecided":
            return f"It is not proved that {answer} equals {wanted}, and not disproved either."
        return f"The answer {answer} {'equals' if verdict.score else 'does not equal'} {wanted}."


@dataclass(frozen=True)
class ChoiceTask(RowTask):
    """1 if the letter that the text settles for is accepted; a whole number counts from 0."""

    name: str = "choice"
    extract: Any = "choice"

    def _accepted(self, reference: Any) -> list[str]:
        if hasattr(reference, "tolist"):
            reference = reference.tolist()
        is_position = isinstance(reference, int) and not isinstance(reference, bool)
        if is_position:
            return [chr(ord("A") + reference)] if 0 <= reference < 26 else []
        letters = map(_LETTER.fullmatch, super()._accepted(reference))
        return [letter[1].upper() for letter in letters if letter]

    def _judged(
        self, answers: Sequence[str], accepted: Sequence[Sequence[str]]
    ) -> Sequence[RowVerdict]:
        return [
            RowVerdict(float(letter is not None and letter[1].upper() in accepted[row]), answer)
            for row, answer in enumerate(answers)
            for letter in [_LETTER.fullmatch(answer)]
        ]


@dataclass(frozen=True)
class FoundTask(RowTask):
    """1 if `extract` finds an answer, whatever the reference."""

    name: str = "found"
    extract: Any = "boxed"

    def _accepted(self, reference: Any) -> list[str]:
        return ["any"]

    def _judged(
        self, answers: Sequence[str], accepted: Sequence[Sequence[str]]
    ) -> Sequence[RowVerdict]:
        return [RowVerdict(1.0, answer) for answer in answers]

    def _explained(self, verdict: RowVerdict, accepted: Sequence[str]) -> RowVerdict:
        subject = "An answer" if verdict.score else "No answer"
        reason = f"{subject} was found in the text ({shown(self.extract)})." if self.explain else ""
        return verdict._replace(reason=reason)


class ModuleTask(RowTask):
    """A score of a module that compares texts, with its further scores; see `row_task`."""

    def __init__(
        self, module: str, *, score: str | None = None, name: str | None = None, **settings: Any
    ) -> None:
        steps = {
            key: settings.pop(key)
            for key in ("extract", "extract_references", "explain")
            if key in settings
        }
        metric = load_without_evaluate(module, **settings)
        is_text = any(
            getattr(features.get("predictions"), "dtype", None) == "string"
            and "references" in features
            for features in metric.feature_sets
        )
        is_compared = is_text and "per_example" in metric.declared_options
        columns = _sample_columns(metric) if is_compared and not metric.runs_programs else {}
        if not columns:
            raise OptionError("module", f": {module} does not score rows of texts and references")
        chosen = score or metric.main_score or next(iter(columns))
        if chosen not in columns:
            hint = nearest(chosen, columns) or f"; there are {', '.join(columns)}"
            raise OptionError("score", f": {module} has no score {chosen!r} of rows{hint}")
        object.__setattr__(self, "_metric", metric)
        object.__setattr__(self, "_scores", [chosen, *(n for n in columns if n != chosen)])
        super().__init__(name=name or chosen, **steps)

    def __repr__(self) -> str:
        return f"ModuleTask({self._metric.name!r}, score={self._scores[0]!r}, name={self.name!r})"

    _metric: Any
    _scores: list[str]

    @property
    def score_names(self) -> list[str]:
        """The name of the task for its score, then the names of the module's other scores."""
        return [self.name, *self._scores[1:]]

    def _text(self, prediction: Any) -> Any:
        """The text, or with a module of JSON the value or the message with tool calls."""
        if not self._metric.json_values or self.extract is not None:
            return text_of(prediction)
        message = _last_message(prediction)
        is_text = isinstance(message, Mapping) and "content" in message
        if message is None or (is_text and not message.get("tool_calls")):
            return text_of(message)
        return message

    def _accepted(self, reference: Any) -> list[Any]:
        if self._metric.json_values and not isinstance(reference, str):
            return [] if reference is None else [reference]
        return super()._accepted(reference)

    def _judged(
        self, answers: Sequence[str], accepted: Sequence[Sequence[str]]
    ) -> Sequence[RowVerdict]:
        if not answers:
            return []
        references = [texts[0] if len(texts) == 1 else list(texts) for texts in accepted]
        try:
            columns = _columns(self._metric, list(answers), references)
        except RowError as error:
            if len(answers) > 1:
                rows = zip(answers, accepted, strict=True)
                return [self._judged([answer], [texts])[0] for answer, texts in rows]
            if error.column == "references":
                return [RowVerdict(None, answers[0], "unreadable")]
            zeros = dict.fromkeys(self._scores[1:], 0.0)
            return [RowVerdict(0.0, answers[0], "unparsed", zeros)]
        return [
            RowVerdict(
                float(columns[self._scores[0]][row]),
                answer,
                scores={name: float(columns[name][row]) for name in self._scores[1:]},
            )
            for row, answer in enumerate(answers)
        ]

    def _reason(self, verdict: RowVerdict, accepted: Sequence[str], wanted: str) -> str:
        reason = super()._reason(verdict, accepted, wanted)
        normalizer = self._metric.options.get("normalizer")
        if normalizer is None or verdict.score == 1 or self._metric.json_values:
            return reason
        return reason + _word_differences(str(verdict.answer), accepted, normalizer)


def _columns(
    metric: Any, predictions: Sequence[Any], references: Sequence[Any]
) -> dict[str, Sequence[float]]:
    """The scores of rows by name."""
    result = metric.compute(predictions=predictions, references=references, per_example=True)[
        "per_example"
    ]
    return {name: values for name, values in result.items() if name not in metric.row_texts}


def _sample_columns(metric: Any) -> dict[str, Sequence[float]]:
    """The scores of a row that the module takes, none if it takes none of the samples."""
    for prediction, reference in _SAMPLES:
        try:
            return _columns(metric, [prediction], [reference])
        except RowError:
            continue
    return {}


def _word_differences(answer: str, accepted: Sequence[str], normalizer: Any) -> str:
    """The words that the nearest accepted answer has and the answer lacks, and the reverse.

    >>> _word_differences("the York city", ["New York", "NYC"], "squad")
    ' Missing: new. Too much: city.'
    """
    normalize: Callable[[str], str] = normalizer_function(normalizer)
    words = dict.fromkeys(normalize(answer).split())
    candidates = [dict.fromkeys(normalize(text).split()) for text in accepted]
    nearest_words = min(candidates, key=lambda candidate: len(candidate.keys() ^ words.keys()))
    differences = {
        "Missing": [word for word in nearest_words if word not in words],
        "Too much": [word for word in words if word not in nearest_words],
    }
    return "".join(
        f" {label}: {', '.join(listed[:_MOST_WORDS])}{', ...' * (len(listed) > _MOST_WORDS)}."
        for label, listed in differences.items()
        if listed
    )


def row_task(module: str, *, extract: Any = None, **options: Any) -> RowTask:
    r"""The task of a name: "math", "choice", "found", or a module that compares texts.

    Args:
        module: the name. "math" proves equality, "choice" reads a letter, "found" asks whether
            there is an answer at all.
        extract: the steps that find the answer in a text, as the modules take them; by default
            "boxed" for "math" and "found", "choice" for "choice", and none for modules.
        **options: `score`, the name of a score of a module; `name`, under which it is reported;
            `extract_references`; `explain`, for reasons; and the options of the module or of
            `mathematics.equivalent`.

    Raises:
        ValueError: there is no such module or score, or an option is not valid.
        TypeError: there is no such option.

    >>> row_task("math").verdict(r"It is \boxed{0.5}.", "1/2")
    RowVerdict(score=1.0, answer='0.5', status='scored', scores={}, reason='')
    >>> print(row_task("qa_f1", explain=True).verdict("York city", "New York").reason)
    qa_f1 is 0.5: the answer is 'York city', accepted is 'New York'. Missing: new. Too much: city.
    """
    steps = {} if extract is None else {"extract": extract}
    names = ("name", "extract_references", "explain")
    of_task = steps | {name: options.pop(name) for name in names if name in options}
    match module:
        case "math":
            return MathTask(**of_task, options=options)
        case "choice" | "found":
            task = ChoiceTask if module == "choice" else FoundTask
            return task(**of_task, **options)
        case _:
            return ModuleTask(module, **of_task, **options)
