"""Text answers from the logits of their first and last tokens.

The definition is that of `postprocess_qa_predictions` in transformers' script `run_qa`. A context
too long for the model is split into several features; the best answer among all of them counts.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...module.declaration.declarations import Module
from ...statistics.arguments.arrays import Floats, as_column
from ...statistics.arguments.checks import RowError
from .training_tasks import Batch, Reading, TaskForm, TrainingTask

Answer = Mapping[str, Any]  # {"id", "prediction_text", ...}, or {"id", "answers"}

_NO_ANSWER = "empty"  # written by the script if no span of tokens is a valid answer


_Span = tuple[float, float, int, int]  # its two logits, and its start and end in the context


def _logits(task: TrainingTask, batch: Batch) -> Reading:
    """Return SQuAD's mappings, or one row of logits per feature with its number."""
    count = len(batch.predictions)
    if isinstance(batch.predictions, list):
        sides = batch.predictions, list(batch.labels)
        return Reading(*sides, np.ones(count, bool), np.zeros(count, bool))
    undefined = np.array([not np.isfinite(logits).all() for logits in batch.predictions])
    numbers = list(range(batch.first, batch.first + count))
    return Reading(list(batch.predictions), numbers, ~undefined, undefined)


_FORM = TaskForm(_logits)


@dataclass
class QuestionAnswering(TrainingTask):
    """The answer to each question, from logits or in SQuAD format.

    Args:
        examples: one mapping per question, with `id`, `context` and `answers`. features: one
            mapping per row of logits, with `example_id` and `offset_mapping`, which is None for
            tokens outside the context.
        n_best: how many first and last tokens are considered.
        max_answer_length: the maximum number of tokens of an answer.
        null_threshold: no answer is predicted if its logits exceed those of the best answer by more
            than this; None if every question has an answer.
    """

    form: TaskForm = _FORM
    examples: Sequence[Mapping[str, Any]] | None = None
    features: Sequence[Mapping[str, Any]] | None = None
    n_best: int = 20
    max_answer_length: int = 30
    null_threshold: float | None = None

    def __post_init__(self) -> None:
        """Warn if a plain Trainer would compute no scores, which it does not say.

        A Trainer calls `compute_metrics` for rows with labels only. Features with the inputs of the
        model are most likely the evaluation dataset itself. The QuestionAnsweringTrainer of
        `run_qa` passes SQuAD's mappings instead.
        """
        super().__post_init__()
        labels = () if self.examples is None else ("start_positions", "end_positions")
        self.label_columns = labels  # type: ignore[misc]
        columns = _columns_of(self.features)
        missing = [name for name in labels if name not in columns]
        if "input_ids" in columns and missing:
            warnings.warn(
                f"features have no {' and '.join(missing)}: a Trainer computes no scores for a "
                "dataset without these columns, unless TrainingArguments has other label_names",
                UserWarning,
                stacklevel=5,  # the caller of `trainer_hook`, whose options are checked first
            )

    def first_output(self, logits: Any) -> Any:
        """Return the logits of first and of last tokens; some models return more."""
        return logits[:2]

    def batches(self, evaluation: Any) -> Iterator[Batch]:
        """Yield pairs of arrays, or SQuAD's mappings unchanged."""
        outputs = evaluation.predictions
        if isinstance(outputs, list) and outputs and isinstance(outputs[0], Mapping):
            yield Batch(outputs, evaluation.label_ids, None, 0)  # type: ignore[arg-type] # a list
            return
        first = 0
        for output in outputs if isinstance(outputs, list) else [outputs]:
            start, end = (np.asarray(as_column("predictions", logits)) for logits in output[:2])
            yield Batch(np.stack([start, end], 1), start, None, first)
            first += len(start)

    def completed(self, predictions: Any, references: Any) -> tuple[list[Answer], list[Answer]]:
        """Return SQuAD's mappings for all questions.

        Raises:
            ValueError: examples or features are missing, or do not match the predictions.
        """
        if predictions and isinstance(predictions[0], Mapping):
            return predictions, references
        if self.examples is None or self.features is None:
            raise ValueError("to convert logits to answers, pass examples and features")
        if len(predictions) != len(self.features):
            raise ValueError(
                f"there are {len(self.features)} features, but logits of {len(predictions)}"
            )
        features: dict[Any, list[int]] = {example["id"]: [] for example in self.examples}
        for row, feature in enumerate(self.features):
            if feature["example_id"] not in features:
                raise RowError("features", row, f"has no example: {feature['example_id']!r}")
            features[feature["example_id"]].append(row)
        answers: list[Answer] = [
            {
                "id": example["id"],
                "prediction_text": self._answer(
                    example["context"],
                    [(predictions[row], self.features[row]) for row in features[example["id"]]],
                ),
                "no_answer_probability": 0.0,
            }
            for example in self.examples
        ]
        return answers, [
            {"id": example["id"], "answers": example["answers"]} for example in self.examples
        ]

    def columns(self, predictions: Any, references: Any, module: Module) -> tuple[Any, Any]:
        """Return the mappings with the fields that the module takes, or else texts."""
        for features in module.feature_sets:
            fields = features["predictions"]
            if isinstance(fields, Mapping) and "prediction_text" in fields:
                return [{name: row[name] for name in fields} for row in predictions], references
        return (
            [row["prediction_text"] for row in predictions],
            [list(row["answers"]["text"]) for row in references],
        )

    def _answer(self, context: str, features: list[tuple[Floats, Mapping[str, Any]]]) -> str:
        """Return the text of the best answer, empty if no answer is more likely."""
        spans = [span for logits, feature in features for span in self._spans(logits, feature)]
        null = min(((*logits[:, 0],) for logits, _ in features), key=sum, default=(0.0, 0.0))
        if self.null_threshold is not None:
            spans.append((*null, 0, 0))
        spans = sorted(spans, key=lambda span: span[0] + span[1], reverse=True)[: self.n_best]
        scored = [(context[start:end], first, last) for first, last, start, end in spans]
        if not any(text for text, *_ in scored) and len(scored) < 2:
            scored = [(_NO_ANSWER, 0.0, 0.0)]
        if self.null_threshold is None:
            return scored[0][0]
        text, first, last = next((row for row in scored if row[0]), ("", 0.0, 0.0))
        return "" if sum(null) - first - last > self.null_threshold else text

    def _spans(self, logits: Floats, feature: Mapping[str, Any]) -> Iterator[_Span]:
        """Yield the spans of one feature between its most likely tokens."""
        offsets = feature["offset_mapping"]
        widest = feature.get("token_is_max_context")
        starts, ends = (np.argsort(row)[: -self.n_best - 1 : -1].tolist() for row in logits)
        for start in starts:
            if start >= len(offsets) or not offsets[start]:
                continue
            if widest is not None and not widest.get(str(start), False):
                continue
            behind = min(len(offsets), start + self.max_answer_length)
            for end in ends:
                if start <= end < behind and offsets[end]:
                    first, last = logits[0, start], logits[1, end]
                    yield first, last, offsets[start][0], offsets[end][1]


def _columns_of(features: Any) -> Sequence[str]:
    """Return the columns of a dataset, or the fields of the first row of a list."""
    if features is None or not len(features):
        return ()
    return getattr(features, "column_names", None) or list(features[0])
