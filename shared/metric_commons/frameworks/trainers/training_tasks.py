"""Convert a Trainer's data to rows of predictions and references, for each task of a model.

Trainers pass tensors: padded with -100, with logits where modules take classes or numbers. A task
uses only what numpy arrays and torch tensors have in common, on any device, so that this file
imports neither torch nor transformers. Logits have one more axis than labels; without it they
already are classes, because the Trainer was given the hook's `preprocess_logits_for_metrics`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...module.declaration.declarations import Module
from ...statistics.arguments.arrays import Booleans, as_column
from ...statistics.arguments.checks import RowError

Array = NDArray[Any]

PADDING = -100  # appended by a Trainer to the rows of shorter batches, labels and predictions
_UNDEFINED = -1  # the class of logits that are not all finite
# The softmax of two equal logits is 0.5 for both; the class is the first of them, as in all ties.
_ABOVE_HALF = float(np.nextafter(0.5, 1.0))


class Batch(NamedTuple):
    """A Trainer's data for some examples."""

    predictions: Array
    labels: Array
    inputs: Any  # tokens, or a mapping with these as `input_ids`; None if not included
    first: int  # the number of examples before this batch


class TrainingRows(NamedTuple):
    """The rows for modules: an example, a token or a text per row."""

    predictions: Any
    references: Any
    omitted: int = 0  # rows whose logits are not finite


@dataclass
class TrainingTask(ABC):
    """A task of a model.

    Args:
        ignore_index: the label of tokens that are ignored, besides the padding.
        nan_policy: how to treat logits that are not finite: "raise" an error, or "omit" the row.
        classes: the number of classes of the model; None until the first logits are seen.
    """

    ignore_index: int = PADDING
    nan_policy: str = "raise"
    classes: int | None = None

    keeps_rows: ClassVar[bool] = False  # whether scoring has to wait for the last row

    def first_output(self, logits: Any) -> Any:
        """Return the relevant element of the tuple that some models return."""
        return logits[0]

    def batches(self, evaluation: Any) -> Iterator[Batch]:
        """Yield the batches of an `EvalPrediction`, whose parts are arrays or lists of them."""
        outputs, labels = evaluation.predictions, evaluation.label_ids
        inputs = getattr(evaluation, "inputs", None)
        if not isinstance(outputs, list):
            outputs, labels, inputs = [outputs], [labels], [inputs]
        first = 0
        for index, (output, label) in enumerate(zip(outputs, labels, strict=True)):
            if isinstance(label, tuple):
                raise ValueError(
                    f"there are {len(label)} labels per row; name the one in label_names"
                )
            output = self.first_output(output) if isinstance(output, tuple) else output
            scores = _array("predictions", output)
            yield Batch(scores, _array("labels", label), inputs and inputs[index], first)
            first += len(scores)

    def reduced(self, logits: Any, labels: Any) -> Any:
        """Return the part of the logits of a batch that the Trainer is to gather."""
        return logits

    @property
    def label_columns(self) -> tuple[str, ...]:
        """Return the labels without which a Trainer silently does not call the hook."""
        return ()

    def warn(self) -> None:  # noqa: B027 - most tasks have nothing to warn of
        """Warn of problems that scores do not show, after the last row of an evaluation."""

    def reset(self) -> None:  # noqa: B027 - most tasks remember nothing
        """Forget the rows of an evaluation."""

    @abstractmethod
    def rows(self, batch: Batch) -> TrainingRows:
        """Return the rows of a batch.

        Raises:
            ValueError: predictions and labels do not fit the task.
        """

    def completed(self, predictions: Any, references: Any) -> tuple[Any, Any]:
        """Return the rows of all batches, ready to be scored."""
        return predictions, references

    def columns(self, predictions: Any, references: Any, module: Module) -> tuple[Any, Any]:
        """Return the rows in the form that a module takes."""
        return predictions, references

    def model_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return options of a module that follow from the model instead of the rows."""
        return {}

    def see_classes(self, classes: int) -> None:
        """Record the number of classes of the model.

        Raises:
            ValueError: it differs from the previous number.
        """
        if self.classes not in (None, classes):
            raise ValueError(f"there are {classes} logits for {self.classes} classes")
        self.classes = classes

    def _most_likely(self, scores: Any, labels: Any) -> Any:
        """Return the class with the highest logit; `_UNDEFINED` if one is not finite."""
        if scores.ndim != labels.ndim + 1:
            return scores
        if scores.shape[-1] == 1:
            raise ValueError(
                "there is one logit per label, so there is no class to choose; is it a regression?"
            )
        self.see_classes(int(scores.shape[-1]))
        classes = scores.argmax(-1)
        classes[~_finite(scores).all(-1)] = _UNDEFINED
        return classes

    def _is_counted(self, labels: Any) -> Any:
        """Return which labels count: neither the ignored ones nor the padding of the Trainer."""
        return (labels != self.ignore_index) & (labels != PADDING)

    def _check_defined(self, undefined: Booleans, first: int) -> None:
        """Check that all logits are finite, if they have to be.

        Raises:
            RowError: logits of a row are not finite.
        """
        if self.nan_policy == "raise" and undefined.any():
            row = first + int(np.argwhere(undefined)[0][0])
            raise RowError(
                "predictions",
                row,
                'has logits that are not finite; nan_policy="omit" leaves it out',
            )


@dataclass
class Classification(TrainingTask):
    """The most likely class of each example."""

    axes: ClassVar[int] = 1  # of labels

    def reduced(self, logits: Any, labels: Any) -> Any:
        """Return the most likely classes."""
        return self._most_likely(logits, labels)

    def rows(self, batch: Batch) -> TrainingRows:
        """Return one class and one label per row."""
        classes, label_mask, undefined = self._classes_of(batch)
        self._check_defined(undefined, batch.first)
        label_mask &= ~undefined
        return TrainingRows(classes[label_mask], batch.labels[label_mask], int(undefined.sum()))

    def _classes_of(self, batch: Batch) -> tuple[Any, Any, Any]:
        """Return the most likely classes, which labels count, and where these have no class."""
        classes = self._most_likely(batch.predictions, batch.labels)
        has_axes = batch.labels.ndim == self.axes
        check_shapes(has_axes and classes.shape == batch.labels.shape, batch)
        label_mask = self._is_counted(batch.labels)
        return classes, label_mask, label_mask & (classes == _UNDEFINED)

    def model_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return all classes of the model, since not every evaluation contains all of them.

        They determine the kind of average and, for two classes, the positive one.
        """
        if options.get("labels", ()) is not None:
            return {}
        if self.classes is None:
            raise ValueError(
                "predictions are classes already, so the number of classes is unknown; give the "
                "hook id2label, or give the Trainer its preprocess_logits_for_metrics"
            )
        return {"labels": list(range(self.classes))}


@dataclass
class TokenClassification(Classification):
    """The most likely class of each token."""

    axes = 2


@dataclass
class SequenceLabeling(TokenClassification):
    """The tags of each sequence, by name."""

    class_names: Mapping[int, str] = field(default_factory=dict)

    def rows(self, batch: Batch) -> TrainingRows:
        """Return a list of tags on each side, without tokens whose label is ignored."""
        classes, label_mask, undefined_tokens = self._classes_of(batch)
        undefined = undefined_tokens.any(1)
        self._check_defined(undefined, batch.first)
        rows = np.flatnonzero(label_mask.any(1) & ~undefined)

        def tags(numbers: Array) -> list[list[str]]:
            labels = (numbers[row][label_mask[row]].tolist() for row in rows)
            return [[self.class_names[number] for number in row] for row in labels]

        return TrainingRows(tags(classes), tags(batch.labels), int(undefined.sum()))

    def model_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return no options: evaluations have no common list of entity labels."""
        return {}


@dataclass
class CausalLM(TokenClassification):
    """The most likely next token."""

    def rows(self, batch: Batch) -> TrainingRows:
        """Return one predicted token and the one that actually follows per row."""
        predictions, labels = batch.predictions, batch.labels
        check_shapes(min(predictions.ndim, labels.ndim) > 1, batch)
        return super().rows(batch._replace(predictions=predictions[:, :-1], labels=labels[:, 1:]))

    def model_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return averages over the tokens that occur: most of the vocabulary never does."""
        return {"average": "macro"} if options.get("average", ()) is None else {}


@dataclass
class ClassProbabilities(Classification):
    """The probability of each class of an example, the softmax of its logits."""

    def reduced(self, logits: Any, labels: Any) -> Any:
        """Return the logits."""
        return logits

    def rows(self, batch: Batch) -> TrainingRows:
        """Return one row of probabilities and one label per row."""
        predictions, labels = batch.predictions, batch.labels
        check_shapes(labels.ndim == 1 and predictions.shape[:-1] == labels.shape, batch)
        self.see_classes(predictions.shape[-1])
        label_mask = self._is_counted(labels)
        undefined = label_mask & ~_finite(predictions).all(-1)
        self._check_defined(undefined, batch.first)
        label_mask &= ~undefined
        logits = predictions[label_mask].astype(float)
        # The highest logit becomes 0, so that exp does not overflow; the factor cancels.
        exponentials = np.exp(logits - logits.max(-1, keepdims=True))
        probabilities = exponentials / exponentials.sum(-1, keepdims=True)
        return TrainingRows(probabilities, labels[label_mask], int(undefined.sum()))

    def model_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return all classes; among equal logits the first class is predicted, as for labels."""
        settings = super().model_options(options)
        if self.classes == 2 and options.get("threshold") == 0.5:
            settings["threshold"] = _ABOVE_HALF
        return settings


@dataclass
class MultilabelClassification(TrainingTask):
    """A row of 0 and 1 for each example: a class is predicted if its logit is positive."""

    def rows(self, batch: Batch) -> TrainingRows:
        """Return a row of 0 and 1 on each side."""
        predictions, labels = batch.predictions, batch.labels
        check_shapes(predictions.shape == labels.shape and labels.ndim == 2, batch)
        self.see_classes(predictions.shape[1])
        undefined = ~_finite(predictions).all(1)
        self._check_defined(undefined, batch.first)
        predictions, labels = predictions[~undefined], labels[~undefined]
        integers = labels.astype(int)  # the loss takes floats, even though they are 0 and 1
        references = integers if np.array_equal(integers, labels) else labels
        return TrainingRows((predictions > 0).astype(int), references, int(undefined.sum()))


@dataclass
class Regression(TrainingTask):
    """A number, or several, for each example."""

    def rows(self, batch: Batch) -> TrainingRows:
        """Return a number, or a row of numbers, on each side."""
        predictions, labels = batch.predictions, batch.labels
        if predictions.shape == (*labels.shape, 1):
            predictions = predictions[..., 0]
        check_shapes(predictions.shape == labels.shape, batch)
        undefined = ~_finite(predictions)
        if undefined.ndim > 1:
            undefined = undefined.any(tuple(range(1, undefined.ndim)))
        self._check_defined(undefined, batch.first)
        return TrainingRows(predictions[~undefined], labels[~undefined], int(undefined.sum()))


def check_shapes(fits: bool, batch: Batch) -> None:
    """Check that predictions and labels fit; otherwise raise an error with their shapes."""
    if not fits:
        shapes = f"{batch.predictions.shape} and labels of shape {batch.labels.shape}"
        raise ValueError(f"predictions of shape {shapes} do not fit the task")


def _array(name: str, values: Any) -> Array:
    return np.asarray(as_column(name, values))


def _finite(scores: Any) -> Any:
    return scores.isfinite() if hasattr(scores, "isfinite") else np.isfinite(scores)
