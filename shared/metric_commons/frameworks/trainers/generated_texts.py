"""Generated and expected texts, from tokens.

Encoder-decoder models generate only the answer. Decoder-only models continue their prompt, so the
tokens that they return begin with it.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...statistics.arguments.arrays import Booleans, as_column
from ...statistics.arguments.checks import RowError
from .training_tasks import PADDING, Array, Batch, Reading, TaskForm, TrainingTask, check_shapes


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


FORMS: Mapping[str, TaskForm] = {
    "generation": TaskForm(_texts, _generated),
    "speech": TaskForm(_transcripts, _frame_tokens),
}


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
    if inputs is None or not hasattr(inputs, "ndim") or inputs.ndim != 2:
        return None
    return np.asarray(as_column("inputs", inputs))


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
