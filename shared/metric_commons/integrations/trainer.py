"""Scores of a model in training: the arrays of a Trainer as rows of predictions and references.

A `Trainer` of transformers evaluates in batches of tensors: padded with -100, with logits where
modules take predictions, and with tokens where they take texts. A `TrainerHook` is its
`compute_metrics`. The hook uses only what numpy arrays and torch tensors have in common, on any
device, so that this file imports neither torch nor transformers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.locks import Lock
from ..evaluation.arguments import REPORTING
from ..evaluation.catalog import load, names
from ..evaluation.state import State, loaded
from ..numbers.arrays import Booleans, as_column
from ..numbers.checks import check_choice, nearest

Array = NDArray[Any]
Rows = tuple[Any, Any]  # predictions and references

_PADDING = -100  # what a Trainer appends to the rows of shorter batches, labels and predictions


class TrainerHook:
    """A `compute_metrics` that scores with one or several modules, made by `trainer_hook`.

    Give it to a `Trainer` or `Seq2SeqTrainer` as `compute_metrics`, and its method
    `preprocess_logits_for_metrics` under the same name, so that the Trainer gathers predictions
    and not the logits of every class or word.
    """

    def __init__(
        self,
        modules: Mapping[str, Any],
        options: Mapping[str, Mapping[str, Any]],
        *,
        task: str,
        tokenizer: Any,
        ignore_index: int,
    ) -> None:
        self._modules = modules
        self._options = options
        self._task = task
        self._tokenizer = tokenizer
        self._ignore_index = ignore_index
        self._has_states = all(_has_state(modules[name], options[name]) for name in modules)
        self._rows: list[Rows] = []  # of batches without a state
        self._states: dict[str, State] = {}  # of the batches before them, by module
        self._lock = Lock()  # of both: threads may evaluate at once

    def __call__(self, evaluation: Any, compute_result: bool = True) -> dict[str, float]:
        """The scores that are single numbers, by name; nothing before the last of several batches.

        If several modules have a score of the same name, the name of the module stands before it.
        After scores and after an error the hook is empty.

        Args:
            evaluation: an `EvalPrediction`: `predictions` and `label_ids`, each an array or tensor,
                or a list with one for each batch. Of a tuple of predictions the first is taken.
            compute_result: with `batch_eval_metrics`, whether this is the last batch.

        Raises:
            ValueError: predictions and labels do not fit the task, or rows do not fit a module.
        """
        with self._lock:
            finished = True
            try:
                for predictions, labels in _batches(evaluation):
                    self._rows.append(self._read(predictions, labels))
                finished = compute_result
                if not finished and self._has_states:
                    self._update_states()
                return self._scores() if finished else {}
            finally:
                if finished:
                    self.reset()

    def preprocess_logits_for_metrics(self, logits: Any, labels: Any) -> Any:
        """The most likely class or word for each label, where the task needs no logits.

        If a model returns a tuple, the first element is the logits.
        """
        scores = logits[0] if isinstance(logits, tuple) else logits
        if self._task in _LOGIT_TASKS or not hasattr(labels, "ndim"):
            return scores
        if self._task == "generation":
            return _token_ids(scores, labels, self._ignore_index)
        return _most_likely(scores, labels)

    def reset(self) -> None:
        """Forget all batches, after an evaluation with `batch_eval_metrics` that did not finish."""
        with self._lock:
            self._rows, self._states = [], {}

    def _read(self, predictions: Array, labels: Array) -> Rows:
        rows = _TASKS[self._task](predictions, labels, self._ignore_index)
        if self._task != "generation":
            return rows
        return self._texts(rows[0]), self._texts(rows[1])

    def _texts(self, tokens: list[list[int]]) -> list[str]:
        texts = self._tokenizer.batch_decode(tokens, skip_special_tokens=True)
        return [text.strip() for text in texts]  # many tokenizers put a space before the first word

    def _update_states(self) -> None:
        """Replace rows by states, which hardly grow with the number of rows."""
        predictions, references = self._columns()
        for name, module in self._modules.items():
            if name not in self._states:
                options = {**module.options, **self._module_options(name, predictions)}
                self._states[name] = State(
                    name,
                    **{key: value for key, value in options.items() if key not in REPORTING},
                )
            self._states[name].update(predictions=predictions, references=references)
        self._rows = []

    def _columns(self) -> Rows:
        predictions, references = (_joined(parts) for parts in zip(*self._rows, strict=True))
        return predictions, references

    def _results(self) -> dict[str, dict[str, Any]]:
        if self._states:
            self._update_states()
            return {name: state.result() for name, state in self._states.items()}
        predictions, references = self._columns()
        return {
            name: module.compute(
                predictions=predictions,
                references=references,
                **self._module_options(name, predictions),
            )
            for name, module in self._modules.items()
        }

    def _scores(self) -> dict[str, float]:
        results = self._results()
        scores = [score for result in results.values() for score in result]
        return {
            score if scores.count(score) == 1 else f"{name}_{score}": float(value)
            for name, result in results.items()
            for score, value in result.items()
            if type(value) in (int, float)
        }

    def _module_options(self, name: str, predictions: Any) -> dict[str, Any]:
        """The options of a module; columns of probabilities are the classes 0, 1, ..., seen or not.

        An evaluation may have no row of some class, so that labels cannot tell the columns.
        """
        labels = self._modules[name].options.get("labels", ())
        if self._task != "class_probabilities" or labels is not None:
            return dict(self._options[name])
        return {"labels": list(range(predictions.shape[1])), **self._options[name]}


def trainer_hook(
    modules: Any,
    *,
    task: str,
    tokenizer: Any = None,
    ignore_index: int = _PADDING,
    **options: Any,
) -> TrainerHook:
    """A `compute_metrics` for a `Trainer` or `Seq2SeqTrainer` that scores with all `modules`.

    With `batch_eval_metrics` the hook keeps states of the batches instead of their rows. It keeps
    rows if an option is a function, or if a module is not one of this package, such as a Space of
    another version.

    Args:
        modules: a module or a list of modules, each a name, or loaded from anywhere. They take
            predictions and references.
        task: what a row is, and what a module gets of it. "classification": the class with the
            highest logit and the label of each example. "class_probabilities": the softmax of the
            logits instead of the class. "multilabel_classification": a row of 0 and 1; a class is
            predicted where its logit is positive. "token_classification": as "classification", for
            each token. "causal_lm": the same, each prediction compared with the next token.
            "regression": a number, or a row of numbers. "generation": the text of each example,
            without special tokens and without white space around it.
        tokenizer: for generation; its `batch_decode` makes texts of tokens.
        ignore_index: the label of tokens that do not count. The -100 that a Trainer pads with
            never counts.
        **options: of the modules; each option is given to the modules that have it.

    Raises:
        TypeError: no module has the option.
        ValueError: there is no such module, or a module or the task cannot be used so.

    >>> from types import SimpleNamespace
    >>> hook = trainer_hook("classification", task="classification")
    >>> batch = SimpleNamespace(predictions=np.array([[2.0, 1.0]]), label_ids=np.array([0]))
    >>> hook(batch)["accuracy"]
    1.0
    """
    check_choice("task", task, _TASKS)
    if not isinstance(modules, list | tuple):
        modules = [modules]
    metrics = [load(module) if isinstance(module, str) else module for module in modules]
    if task == "generation" and not hasattr(tokenizer, "batch_decode"):
        raise ValueError("task 'generation' needs the tokenizer, for tokens are not texts")
    for metric in metrics:
        _check_usable(metric)
    by_name = {metric.name: metric for metric in metrics}
    if not metrics or len(by_name) < len(metrics):
        listing = ", ".join(metric.name for metric in metrics) or "none"
        raise ValueError(f"modules must be one or more of different names, got {listing}")
    all_options = {option for metric in metrics for option in metric.options}
    for option in options:
        if option not in all_options:
            raise TypeError(f"no module has an option {option!r}{nearest(option, all_options)}")
    return TrainerHook(
        by_name,
        {
            name: {option: value for option, value in options.items() if option in metric.options}
            for name, metric in by_name.items()
        },
        task=task,
        tokenizer=tokenizer,
        ignore_index=ignore_index,
    )


def _has_state(module: Any, options: Mapping[str, Any]) -> bool:
    """Whether a `State` scores as this module with these options.

    A state loads its module by name. Another module may have the same name, so the class must be
    the same; `evaluate` makes one class of equal scripts.
    """
    if any(map(callable, {**module.options, **options}.values())):
        return False
    return module.name in names() and type(module) is loaded(module.name)


def _check_usable(module: Any) -> None:
    """Refuse what a Trainer cannot use.

    Raises:
        ValueError: it is no module of this kind, has other inputs, or is one of several processes.
    """
    if not hasattr(module, "feature_sets"):
        raise ValueError(
            f"modules must be names or loaded modules of metric-commons, got {module!r:.80}"
        )
    inputs = module.feature_sets[0]
    if set(inputs) != {"predictions", "references"}:
        raise ValueError(
            f"{module.name} takes {', '.join(inputs)}; a Trainer has predictions and references"
        )
    if module.num_process > 1:
        raise ValueError(
            f"{module.name} was loaded for {module.num_process} processes; in a Trainer each "
            "process has all rows, so load it for one"
        )


def _batches(evaluation: Any) -> Iterator[tuple[Array, Array]]:
    """The arrays of predictions and labels of each batch."""
    predictions, labels = evaluation.predictions, evaluation.label_ids
    if not isinstance(predictions, list):
        predictions, labels = [predictions], [labels]
    for outputs, label in zip(predictions, labels, strict=True):
        if isinstance(label, tuple):
            raise ValueError(f"there are {len(label)} labels a row; name the one in label_names")
        scores = outputs[0] if isinstance(outputs, tuple) else outputs
        yield np.asarray(as_column("predictions", scores)), np.asarray(as_column("labels", label))


def _joined(parts: Sequence[Any]) -> Any:
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return list(chain.from_iterable(parts))


# A function for each task, from arrays to rows. Predictions are class indices, or logits, which
# have one more axis.


def _class_rows(predictions: Array, labels: Array, ignore_index: int, *, axes: int) -> Rows:
    classes = _most_likely(predictions, labels)
    _check_shapes(classes.shape == labels.shape and labels.ndim == axes, predictions, labels)
    counted = _is_counted(labels, ignore_index)
    return classes[counted], labels[counted]


def _next_token_rows(predictions: Array, labels: Array, ignore_index: int) -> Rows:
    _check_shapes(min(predictions.ndim, labels.ndim) > 1, predictions, labels)
    return _class_rows(predictions[:, :-1], labels[:, 1:], ignore_index, axes=2)


def _probability_rows(predictions: Array, labels: Array, ignore_index: int) -> Rows:
    fits = labels.ndim == 1 and predictions.shape[:-1] == labels.shape
    _check_shapes(fits, predictions, labels)
    counted = _is_counted(labels, ignore_index)
    logits = predictions[counted].astype(float)
    # The highest logit becomes 0, so that exp does not overflow; the factor cancels.
    exponentials = np.exp(logits - logits.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True), labels[counted]


def _multilabel_rows(predictions: Array, labels: Array, ignore_index: int) -> Rows:
    _check_shapes(predictions.shape == labels.shape and labels.ndim == 2, predictions, labels)
    integers = labels.astype(int)  # the loss takes floats, though they are 0 and 1
    return (predictions > 0).astype(int), integers if np.array_equal(integers, labels) else labels


def _number_rows(predictions: Array, labels: Array, ignore_index: int) -> Rows:
    if predictions.shape == (*labels.shape, 1):
        predictions = predictions[..., 0]
    _check_shapes(predictions.shape == labels.shape, predictions, labels)
    return predictions, labels


def _token_rows(predictions: Array, labels: Array, ignore_index: int) -> Rows:
    _check_shapes(labels.ndim == 2 and predictions.ndim in (2, 3), predictions, labels)
    ids = _token_ids(predictions, labels, ignore_index)
    _check_shapes(len(ids) == len(labels), predictions, labels)
    # Padding is removed, not replaced, because some tokenizers have no token for it.
    return _select(ids, ids != _PADDING), _select(labels, _is_counted(labels, ignore_index))


_TASKS: Mapping[str, Callable[[Array, Array, int], Rows]] = {
    "classification": partial(_class_rows, axes=1),
    "class_probabilities": _probability_rows,
    "multilabel_classification": _multilabel_rows,
    "token_classification": partial(_class_rows, axes=2),
    "causal_lm": _next_token_rows,
    "regression": _number_rows,
    "generation": _token_rows,
}
_LOGIT_TASKS = {"class_probabilities", "multilabel_classification", "regression"}


def _most_likely(scores: Any, labels: Any) -> Any:
    """The index of the highest score on the last axis; indices as they are."""
    if scores.ndim != labels.ndim + 1:
        return scores
    if scores.shape[-1] == 1:
        raise ValueError("there is one logit a label, and no class to choose; is it a regression?")
    return scores.argmax(-1)


def _token_ids(scores: Any, labels: Any, ignore_index: int) -> Any:
    """Generated tokens as they are; of logits the most likely token for each label that counts."""
    ids = _most_likely(scores, labels)
    if ids is not scores:
        _check_shapes(ids.shape == labels.shape, scores, labels)
        ids[~_is_counted(labels, ignore_index)] = _PADDING  # the text ends where the labels end
    return ids


def _is_counted(labels: Any, ignore_index: int) -> Any:
    """Which labels count: neither the ignored ones nor the padding of the Trainer."""
    return (labels != ignore_index) & (labels != _PADDING)


def _select(ids: Array, mask: Booleans) -> list[list[int]]:
    return [row[row_mask].tolist() for row, row_mask in zip(ids, mask, strict=True)]


def _check_shapes(fits: bool, predictions: Any, labels: Any) -> None:
    if not fits:
        shapes = f"{tuple(predictions.shape)} and labels of shape {tuple(labels.shape)}"
        raise ValueError(f"predictions of shape {shapes} do not fit the task")
