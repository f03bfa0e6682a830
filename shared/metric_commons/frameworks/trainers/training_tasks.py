"""Convert a Trainer's data to rows of predictions and references, by two functions for each task.

Trainers pass tensors: padded with -100, with logits where modules take classes or numbers. One
function reduces the logits of a batch to what a Trainer has to gather, the other reads rows from
what it has gathered. The first uses only what numpy arrays and torch tensors have in common, on any
device, so that this file imports neither torch nor transformers. Logits have one more axis than
labels; without it they already are classes, because the Trainer was given the hook's
`preprocess_logits_for_metrics`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...module.declaration.declarations import Module
from ...statistics.arguments.arrays import Booleans, as_column
from ...statistics.arguments.checks import RowError

Array = NDArray[Any]
Options = Mapping[str, Any]

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


class Reading(NamedTuple):
    """The meaning of a batch: for each example or token both sides, and whether they are a row."""

    predictions: Any
    references: Any
    counted: Booleans
    undefined: Booleans  # which logits are not all finite


def unchanged(task: "TrainingTask", logits: Any, labels: Any) -> Any:
    """Return the logits."""
    return logits


def no_options(task: "TrainingTask", options: Options) -> dict[str, Any]:
    """Return nothing: no option follows from the model."""
    return {}


class TaskForm(NamedTuple):
    """The functions of a task: on the device of the model, on gathered arrays, and its options."""

    read: Callable[["TrainingTask", Batch], Reading]
    reduced: Callable[["TrainingTask", Any, Any], Any] = unchanged
    options: Callable[["TrainingTask", Options], dict[str, Any]] = no_options


@dataclass
class TrainingTask:
    """A task of a model, with what its functions need to know.

    Args:
        form: the functions of the task.
        ignore_index: the label of tokens that are ignored, besides the padding.
        class_names: the names of the classes, if they are known.
        tokenizer: its `batch_decode` converts tokens to texts.
        decoder_only: whether generated tokens begin with those of the input.
    """

    form: TaskForm
    ignore_index: int = PADDING
    class_names: Mapping[int, str] = field(default_factory=dict)
    tokenizer: Any = None
    decoder_only: bool = False

    def __post_init__(self) -> None:
        # The number of classes of the model; None until the first logits are seen.
        self.classes: int | None = len(self.class_names) or None

    def batches(self, evaluation: Any) -> Iterator[Batch]:
        """Yield the batches of an `EvalPrediction`, whose parts are arrays or lists of them."""
        outputs, labels = evaluation.predictions, evaluation.label_ids
        if self.form == FORMS[ANSWERS]:
            yield Batch(outputs, labels, None, 0)
            return
        inputs = getattr(evaluation, "inputs", None)
        if not isinstance(outputs, list):
            outputs, labels, inputs = [outputs], [labels], [inputs]
        first = 0
        for index, (output, label) in enumerate(zip(outputs, labels, strict=True)):
            if isinstance(label, tuple):
                raise ValueError(
                    f"there are {len(label)} labels per row; name the one in label_names"
                )
            output = output[0] if isinstance(output, tuple) else output
            scores = _array("predictions", output)
            yield Batch(scores, _array("labels", label), inputs and inputs[index], first)
            first += len(scores)

    def rows(self, batch: Batch) -> tuple[Any, Any]:
        """Return the predictions and references of a batch: an example, token or text per row.

        Raises:
            ValueError: predictions and labels do not fit the task, or logits are not finite.
        """
        predictions, references, counted, undefined = self.form.read(self, batch)
        if undefined.any():
            row = batch.first + int(np.argwhere(undefined)[0][0])
            raise RowError("predictions", row, "has logits that are not finite")
        return _selected(predictions, counted), _selected(references, counted)

    def see_classes(self, classes: int) -> None:
        """Record the number of classes of the model.

        Raises:
            ValueError: it differs from the previous number.
        """
        if self.classes not in (None, classes):
            raise ValueError(f"there are {classes} logits for {self.classes} classes")
        self.classes = classes

    def is_counted(self, labels: Any) -> Any:
        """Return which labels count: neither the ignored ones nor the padding of the Trainer."""
        return (labels != self.ignore_index) & (labels != PADDING)


def most_likely(task: TrainingTask, logits: Any, labels: Any) -> Any:
    """Return the class with the highest logit, or -1 if one is not finite."""
    if logits.ndim != labels.ndim + 1:
        return logits
    if logits.shape[-1] == 1:
        raise ValueError(
            "there is one logit per label, so there is no class to choose; is it a regression?"
        )
    task.see_classes(int(logits.shape[-1]))
    classes = logits.argmax(-1)
    classes[~_finite(logits).all(-1)] = _UNDEFINED
    return classes


def _classes(task: TrainingTask, batch: Batch, axes: int) -> Reading:
    classes = most_likely(task, batch.predictions, batch.labels)
    check_shapes(batch.labels.ndim == axes and classes.shape == batch.labels.shape, batch)
    counted = task.is_counted(batch.labels)
    return Reading(classes, batch.labels, counted, counted & (classes == _UNDEFINED))


_example_classes, _token_classes = (partial(_classes, axes=axes) for axes in (1, 2))


def _next_tokens(task: TrainingTask, batch: Batch) -> Reading:
    """Return each predicted token, and the one that actually follows."""
    predictions, labels = batch.predictions, batch.labels
    check_shapes(min(predictions.ndim, labels.ndim) > 1, batch)
    return _token_classes(
        task, batch._replace(predictions=predictions[:, :-1], labels=labels[:, 1:])
    )


def _tags(task: TrainingTask, batch: Batch) -> Reading:
    """Return the names of the tags of each sequence, without tokens whose label is ignored."""
    classes, labels, counted, undefined = _token_classes(task, batch)
    names = {**task.class_names, _UNDEFINED: ""}

    def tags(numbers: Array) -> list[list[str]]:
        rows = zip(numbers, counted, strict=True)
        return [[names[number] for number in row[mask].tolist()] for row, mask in rows]

    masks = (np.asarray(mask.any(1)) for mask in (counted, undefined))
    return Reading(tags(classes), tags(labels), *masks)


def _probabilities(task: TrainingTask, batch: Batch) -> Reading:
    """Return the softmax of the logits of each example."""
    logits, labels = batch.predictions, batch.labels
    check_shapes(labels.ndim == 1 and logits.shape[:-1] == labels.shape, batch)
    task.see_classes(logits.shape[-1])
    counted = task.is_counted(labels)
    undefined = counted & ~_finite(logits).all(-1)
    with np.errstate(invalid="ignore"):  # of logits that are not finite
        # The highest logit becomes 0, so that exp does not overflow; the factor cancels.
        exponentials = np.exp(logits.astype(float) - logits.max(-1, keepdims=True))
        probabilities = exponentials / exponentials.sum(-1, keepdims=True)
    return Reading(probabilities, labels, counted, undefined)


def _label_rows(task: TrainingTask, batch: Batch) -> Reading:
    """Return a row of 0 and 1 on each side: a class is predicted if its logit is positive."""
    logits, labels = batch.predictions, batch.labels
    check_shapes(logits.shape == labels.shape and labels.ndim == 2, batch)
    task.see_classes(logits.shape[1])
    integers = labels.astype(int)  # the loss takes floats, even though they are 0 and 1
    references = integers if np.array_equal(integers, labels) else labels
    undefined = ~_finite(logits).all(1)
    return Reading((logits > 0).astype(int), references, np.ones(len(labels), bool), undefined)


def _numbers(task: TrainingTask, batch: Batch) -> Reading:
    """Return a number, or a row of numbers, on each side."""
    predictions, labels = batch.predictions, batch.labels
    if predictions.shape == (*labels.shape, 1):
        predictions = predictions[..., 0]
    check_shapes(predictions.shape == labels.shape, batch)
    undefined = ~_finite(predictions).reshape(len(labels), -1).all(1)
    return Reading(predictions, labels, np.ones(len(labels), bool), undefined)


def _all_classes(task: TrainingTask, options: Options) -> dict[str, Any]:
    """Return all classes of the model, since not every evaluation contains all of them.

    They determine the kind of average and, for two classes, the positive one.
    """
    if options.get("labels", ()) is not None:
        return {}
    if task.classes is None:
        raise ValueError(
            "predictions are classes already, so the number of classes is unknown; give the "
            "hook id2label, or give the Trainer its preprocess_logits_for_metrics"
        )
    return {"labels": list(range(task.classes))}


def _occurring_tokens(task: TrainingTask, options: Options) -> dict[str, Any]:
    """Return averages over the tokens that occur: most of the vocabulary never does."""
    return {"average": "macro"} if options.get("average", ()) is None else {}


def _with_threshold(task: TrainingTask, options: Options) -> dict[str, Any]:
    """Return all classes; among equal logits the first class is predicted, as for labels."""
    settings = _all_classes(task, options)
    if task.classes == 2 and options.get("threshold") == 0.5:
        settings["threshold"] = _ABOVE_HALF
    return settings


# Texts. Encoder-decoder models generate only the answer. Decoder-only models continue their prompt,
# so the tokens that they return begin with it.


def _generated(task: TrainingTask, tokens: Any, labels: Any) -> Any:
    """Return the generated tokens, unchanged.

    Raises:
        ValueError: they are logits.
    """
    if tokens.ndim == 3:
        raise ValueError(
            "predictions are logits of words after the right ones; to score generated text, "
            "set predict_with_generate=True of a Seq2SeqTrainer"
        )
    return tokens


def _texts(task: TrainingTask, batch: Batch) -> Reading:
    """Return one text on each side, without special tokens and surrounding white space."""
    tokens, labels = _generated(task, batch.predictions, None), batch.labels
    check_shapes(tokens.ndim == labels.ndim == 2 and len(tokens) == len(labels), batch)
    # Padding is removed instead of replaced, because some tokenizers have no token for it.
    selected = tokens != PADDING
    label_mask = task.is_counted(labels)
    inputs = _tokens(batch)
    if task.decoder_only:
        selected &= ~_prompts(batch, inputs, label_mask)
    elif _leads(inputs, tokens).all() or (label_mask.any() and not label_mask[:, 0].any()):
        raise ValueError(
            "predictions begin with the inputs, or labels with ignored tokens, as "
            "with decoder-only models; set decoder_only=True"
        )
    texts = _decoded(task, tokens, selected), _decoded(task, labels, label_mask)
    return Reading(*texts, np.ones(len(labels), bool), np.zeros(len(labels), bool))


def _frame_tokens(task: TrainingTask, logits: Any, labels: Any) -> Any:
    """Return the tokens of frames, or generated tokens unchanged."""
    if logits.ndim != 3:
        return logits
    tokens = logits.argmax(-1)
    tokens[(logits == PADDING).all(-1)] = PADDING  # frames missing from a shorter batch
    return tokens


def _transcripts(task: TrainingTask, batch: Batch) -> Reading:
    """Return the text of each recording, from generated tokens or from the logits of a CTC model.

    A CTC model has logits for each frame; its tokenizer merges repeated tokens in predictions, but
    not in labels. Texts are decoded as in `run_speech_recognition_ctc.py` and
    `run_speech_recognition_seq2seq.py`: without special tokens if a model generates, and with
    them for a CTC model, whose unknown letters are such tokens.
    """
    logits, labels = batch.predictions, batch.labels
    undefined = np.array([not np.isfinite(row).all() for row in logits], bool)
    tokens = _frame_tokens(task, logits, labels)
    check_shapes(tokens.ndim == labels.ndim == 2 and len(tokens) == len(labels), batch)
    tokenizer = getattr(task.tokenizer, "tokenizer", task.tokenizer)
    is_ctc = hasattr(tokenizer, "word_delimiter_token")
    label_mask = task.is_counted(labels)
    separate = {"group_tokens": False} if is_ctc else {}
    return Reading(
        _decoded(task, tokens, tokens != PADDING, skip_special_tokens=not is_ctc),
        _decoded(task, labels, label_mask, skip_special_tokens=not is_ctc, **separate),
        ~undefined,
        undefined,
    )


def _decoded(
    task: TrainingTask,
    tokens: Array,
    mask: Booleans,
    *,
    skip_special_tokens: bool = True,
    **options: bool,
) -> list[str]:
    rows = [row[row_mask].tolist() for row, row_mask in zip(tokens, mask, strict=True)]
    texts = task.tokenizer.batch_decode(rows, skip_special_tokens=skip_special_tokens, **options)
    return [text.strip() for text in texts]  # many tokenizers put a space before the first word


def _tokens(batch: Batch) -> Array | None:
    """Return the tokens of the inputs, if the Trainer includes them."""
    inputs = batch.inputs
    if isinstance(inputs, Mapping):  # with batch_eval_metrics, all inputs of the model
        inputs = inputs.get("input_ids")
    return _array("inputs", inputs) if getattr(inputs, "ndim", 0) == 2 else None


def _leads(inputs: Array | None, tokens: Array) -> Booleans:
    """Return which rows begin with their input; none if there are no inputs."""
    if inputs is None or len(inputs) != len(tokens) or inputs.shape[1] > tokens.shape[1]:
        return np.zeros(len(tokens) or 1, bool)
    return np.asarray(((tokens[:, : inputs.shape[1]] == inputs) | (inputs == PADDING)).all(1))


def _prompts(batch: Batch, inputs: Array | None, label_mask: Booleans) -> Booleans:
    """Return where predictions contain the tokens of the input.

    Raises:
        ValueError: there are no inputs, they contain the labels, or a prediction does not begin
            with its input.
    """
    tokens, labels = batch.predictions, batch.labels
    if inputs is None:
        raise ValueError(
            "with decoder_only the hook must see the prompts; set "
            'include_for_metrics=["inputs"] of the TrainingArguments'
        )
    if len(inputs) != len(tokens):
        raise ValueError(
            f"there are {len(inputs)} inputs for {len(tokens)} predictions; with several processes "
            "a Trainer does not gather the inputs of single batches: leave batch_eval_metrics out"
        )
    if inputs.shape == labels.shape and label_mask.any() and (inputs == labels)[label_mask].all():
        raise ValueError(
            "the inputs contain the labels, so nothing is left to generate; pass only prompts"
        )
    # A gathered batch may be wider than its own inputs, and then ends with padding.
    prompts = np.zeros(tokens.shape, bool)
    prompts[:, : inputs.shape[1]] = (inputs != PADDING)[:, : tokens.shape[1]]
    for row, leads in enumerate(_leads(inputs, tokens)):
        if not leads:
            raise RowError("predictions", batch.first + row, "does not begin with its input")
    return prompts


def _answers(task: TrainingTask, batch: Batch) -> Reading:
    """Return the dictionaries that the QuestionAnsweringTrainer of `run_qa` passes."""
    predictions, references = batch.predictions, batch.labels
    if not isinstance(predictions, list) or not all(isinstance(p, Mapping) for p in predictions):
        raise ValueError(
            "question_answering takes SQuAD's dictionaries, as the QuestionAnsweringTrainer of "
            "transformers' run_qa passes them, and no logits"
        )
    rows = len(predictions)
    return Reading(predictions, list(references), np.ones(rows, bool), np.zeros(rows, bool))


def answer_columns(
    answers: list[Mapping[str, Any]], questions: list[Mapping[str, Any]], module: Module
) -> tuple[list[Any], list[Any]]:
    """Return SQuAD's dictionaries with the fields that a module takes, or else texts."""
    for features in module.feature_sets:
        fields = features["predictions"]
        if isinstance(fields, Mapping) and "prediction_text" in fields:
            return [{name: row[name] for name in fields} for row in answers], questions
    texts = [row["prediction_text"] for row in answers]
    return texts, [list(row["answers"]["text"]) for row in questions]


ANSWERS = "question_answering"
FORMS: Mapping[str, TaskForm] = {
    "classification": TaskForm(_example_classes, most_likely, _all_classes),
    "class_probabilities": TaskForm(_probabilities, options=_with_threshold),
    "multilabel_classification": TaskForm(_label_rows),
    "token_classification": TaskForm(_token_classes, most_likely, _all_classes),
    "causal_lm": TaskForm(_next_tokens, most_likely, _occurring_tokens),
    "regression": TaskForm(_numbers),
    "sequence_labeling": TaskForm(_tags, most_likely),
    "generation": TaskForm(_texts, _generated),
    "speech": TaskForm(_transcripts, _frame_tokens),
    ANSWERS: TaskForm(_answers),
}


def check_shapes(fits: bool, batch: Batch) -> None:
    """Check that predictions and labels fit; otherwise raise an error with their shapes."""
    if not fits:
        shapes = f"{batch.predictions.shape} and labels of shape {batch.labels.shape}"
        raise ValueError(f"predictions of shape {shapes} do not fit the task")


def _selected(column: Any, kept: Booleans) -> Any:
    if isinstance(column, list):
        return [column[row] for row in np.flatnonzero(kept)]
    return column[kept]


def _array(name: str, values: Any) -> Array:
    return np.asarray(as_column(name, values))


def _finite(scores: Any) -> Any:
    return scores.isfinite() if hasattr(scores, "isfinite") else np.isfinite(scores)
