"""Generated and expected texts, from tokens.

Encoder-decoder models generate only the answer. Decoder-only models continue their prompt, so the
tokens that they return begin with it.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...statistics.arguments.arrays import Booleans, as_column
from ...statistics.arguments.checks import RowError
from .training_tasks import PADDING, Array, Batch, TrainingRows, TrainingTask, check_shapes


@dataclass
class Generation(TrainingTask):
    """The text of each example, without special tokens and surrounding white space.

    Args:
        tokenizer: its `batch_decode` converts tokens to texts.
        decoder_only: whether generated tokens begin with those of the input.
    """

    tokenizer: Any = None
    decoder_only: bool = False

    def reduced(self, logits: Any, labels: Any) -> Any:
        """Return the generated tokens, unchanged.

        Raises:
            ValueError: they are logits.
        """
        _check_generated(logits)
        return logits

    def rows(self, batch: Batch) -> TrainingRows:
        """Return one text on each side."""
        tokens, labels = batch.predictions, batch.labels
        _check_generated(tokens)
        check_shapes(tokens.ndim == labels.ndim == 2 and len(tokens) == len(labels), batch)
        # Padding is removed instead of replaced, because some tokenizers have no token for it.
        selected = tokens != PADDING
        label_mask = self._is_counted(labels)
        inputs = _tokens(batch)
        if self.decoder_only:
            selected &= ~_prompts(batch, inputs, label_mask)
        elif _leads(inputs, tokens).all() or (label_mask.any() and not label_mask[:, 0].any()):
            raise ValueError(
                "predictions begin with the inputs, or labels with ignored tokens, as "
                "with decoder-only models; set decoder_only=True"
            )
        return TrainingRows(self._texts(tokens, selected), self._texts(labels, label_mask))

    def _texts(
        self, tokens: Array, mask: Booleans, *, skip_special_tokens: bool = True, **options: bool
    ) -> list[str]:
        rows = [row[row_mask].tolist() for row, row_mask in zip(tokens, mask, strict=True)]
        options["skip_special_tokens"] = skip_special_tokens
        texts = self.tokenizer.batch_decode(rows, **options)
        return [text.strip() for text in texts]  # many tokenizers put a space before the first word


@dataclass
class Speech(Generation):
    """The text of each recording, from generated tokens or from the logits of a CTC model.

    A CTC model has logits for each frame; its tokenizer merges repeated tokens in predictions, but
    not in labels. Texts are decoded as in `run_speech_recognition_ctc.py` and
    `run_speech_recognition_seq2seq.py`: without special tokens if a model generates, and with
    them for a CTC model, whose unknown letters are such tokens.
    """

    _unknown: int = field(default=0, init=False)  # tokens of the references, in an evaluation
    _known: int = field(default=0, init=False)

    def reduced(self, logits: Any, labels: Any) -> Any:
        """Return the tokens of frames, or generated tokens unchanged."""
        if logits.ndim != 3:
            return logits
        tokens = logits.argmax(-1)
        tokens[(logits == PADDING).all(-1)] = PADDING  # frames missing from a shorter batch
        return tokens

    def rows(self, batch: Batch) -> TrainingRows:
        """Return one text on each side."""
        logits, labels = batch.predictions, batch.labels
        undefined = np.array([not np.isfinite(row).all() for row in logits], bool)
        self._check_defined(undefined, batch.first)
        tokens = self.reduced(logits, labels)[~undefined]
        labels = labels[~undefined]
        check_shapes(tokens.ndim == labels.ndim == 2 and len(tokens) == len(labels), batch)
        is_ctc = hasattr(
            getattr(self.tokenizer, "tokenizer", self.tokenizer), "word_delimiter_token"
        )
        self._count_unknown(labels)
        separate = {"group_tokens": False} if is_ctc else {}
        skip = not is_ctc
        return TrainingRows(
            self._texts(tokens, tokens != PADDING, skip_special_tokens=skip),
            self._texts(labels, self._is_counted(labels), skip_special_tokens=skip, **separate),
            int(undefined.sum()),
        )

    def _count_unknown(self, labels: Array) -> None:
        tokenizer = getattr(self.tokenizer, "tokenizer", self.tokenizer)
        unknown = getattr(tokenizer, "unk_token_id", None)
        if unknown is not None:
            tokens = labels[self._is_counted(labels)]
            self._unknown += int(np.count_nonzero(tokens == unknown))
            self._known += int(np.count_nonzero(tokens != unknown))

    def reset(self) -> None:
        """Forget the tokens of an evaluation."""
        self._unknown = self._known = 0

    def warn(self) -> None:
        """Warn if the tokenizer does not know all tokens of the references."""
        if self._unknown:
            rate = self._unknown / (self._unknown + self._known)
            warnings.warn(
                f"{rate:.1%} of the tokens of the references are <unk>: "
                "the tokenizer cannot write them, so no model can transcribe them",
                UserWarning,
                stacklevel=3,
            )


def _check_generated(tokens: Any) -> None:
    if tokens.ndim == 3:
        raise ValueError(
            "predictions are logits of words after the right ones; to score generated text, "
            "set predict_with_generate=True of a Seq2SeqTrainer"
        )


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
