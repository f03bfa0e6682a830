"""Scores of a model in training: what a Trainer hands over, as rows of predictions and references.

A `Trainer` of transformers evaluates in batches of tensors: padded with -100, with logits where
predictions are wanted, and tokens where texts are. A `TrainerHook` is its `compute_metrics`. It
asks of arrays only what numpy arrays and torch tensors have in common, on whatever device, so that
neither torch nor transformers is imported.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..evaluation.arguments import REPORTING
from ..evaluation.catalog import load, names
from ..evaluation.state import State
from ..numbers.arrays import Booleans, as_column
from ..numbers.checks import check_choice, nearest

Array = NDArray[Any]

_PADDING = -100  # what a Trainer appends to the rows of shorter batches, labels and predictions


class TrainerHook:
    """A `compute_metrics` that scores with one or several modules; `trainer_hook` makes it.

    Give it to a `Trainer` or `Seq2SeqTrainer` as `compute_metrics`, and its method
    `preprocess_logits_for_metrics` under the same name: then only predictions are gathered and
    kept, not the logits of every class or word.
    """

    def __init__(
        self,
        modules: Mapping[str, Any],
        options: Mapping[str, Mapping[str, Any]],
        *,
        task: str,
        tokenizer: Any,
        ignore_index: int,
        state: Callable[..., Any] | None,
    ) -> None:
        self._modules = modules
        self._options = options
        self._task = task
        self._tokenizer = tokenizer
        self._ignore_index = ignore_index
        self._state = state
        self._rows: list[tuple[Any, Any]] = []  # a batch each
        self._states: dict[str, Any] = {}  # of earlier batches, by module

    def __call__(self, evaluation: Any, compute_result: bool = True) -> dict[str, float]:
        """The scores that are single numbers, by name; nothing before the last of several batches.

        A name that several modules have is preceded by that of the module. No row is left behind
        after scores or an error.

        Args:
            evaluation: an `EvalPrediction`: `predictions` and `label_ids`, each one array, tensor
                or list of them, a batch each. Of a tuple of predictions the first is taken.
            compute_result: with `batch_eval_metrics`, whether this is the last batch.

        Raises:
            ValueError: predictions and labels do not fit the task, or rows a module.
        """
        finished = True
        try:
            for predictions, labels in _batches(evaluation):
                self._rows.append(self._read(predictions, labels))
            finished = compute_result
            if not finished and self._state:
                self._keep_states(self._state)
            return self._scores() if finished else {}
        finally:
            if finished:
                self.reset()

    def preprocess_logits_for_metrics(self, logits: Any, labels: Any) -> Any:
        """What to keep of a batch of logits: the most likely class or word, if that will do.

        Of a tuple, as models return that hand out more than logits, the first is kept.
        """
        first = logits[0] if isinstance(logits, tuple) else logits
        if self._task in _OF_SCORES or not hasattr(labels, "ndim"):
            return first
        if self._task == "generation":
            return _words(first, labels, self._ignore_index)
        return _most_likely(first, labels)

    def reset(self) -> None:
        """Forget the batches so far, of an evaluation with `batch_eval_metrics` that broke off."""
        self._rows, self._states = [], {}

    def _read(self, predictions: Array, labels: Array) -> tuple[Any, Any]:
        rows = _TASKS[self._task](predictions, labels, self._ignore_index)
        return rows if self._task != "generation" else (self._texts(rows[0]), self._texts(rows[1]))

    def _texts(self, tokens: list[list[int]]) -> list[str]:
        texts = self._tokenizer.batch_decode(tokens, skip_special_tokens=True)
        return [text.strip() for text in texts]  # of many tokenizers the first word begins with one

    def _keep_states(self, state: Callable[..., Any]) -> None:
        """Put what scores need of the rows in their place, which hardly grows with their number."""
        predictions, references = self._columns()
        for name, module in self._modules.items():
            if name not in self._states:
                options = self._options_of(name, predictions)
                self._states[name] = state(name, **{**module.options, **options})
            self._states[name].update(predictions=predictions, references=references)
        self._rows = []

    def _columns(self) -> tuple[Any, Any]:
        predictions, references = (_joined(parts) for parts in zip(*self._rows, strict=True))
        return predictions, references

    def _results(self) -> dict[str, dict[str, Any]]:
        if self._state and self._states:
            self._keep_states(self._state)
            return {name: state.result() for name, state in self._states.items()}
        predictions, references = self._columns()
        return {
            name: module.compute(
                predictions=predictions,
                references=references,
                **self._options_of(name, predictions),
            )
            for name, module in self._modules.items()
        }

    def _scores(self) -> dict[str, float]:
        results = self._results()
        named = [score for result in results.values() for score in result]
        return {
            score if named.count(score) == 1 else f"{name}_{score}": float(value)
            for name, result in results.items()
            for score, value in result.items()
            if type(value) in (int, float)
        }

    def _options_of(self, name: str, predictions: Any) -> dict[str, Any]:
        """Options; columns of probabilities are those of the classes 0, 1, ..., seen or not."""
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
    """A `compute_metrics` for a `Trainer` or `Seq2SeqTrainer`, that scores with all `modules`.

    With `batch_eval_metrics` it keeps a state of the batches, and not their rows, unless an option
    is a function.

    Args:
        modules: a module, or several: each a name, or loaded, from anywhere. They take predictions
            and references.
        task: what a row is, and what a module sees of it. "classification": the class with the
            highest logit and the label of each example. "class_probabilities": the softmax of its
            logits instead of the class. "multilabel_classification": a row of 0 and 1; a class is
            predicted where its logit is positive. "token_classification": each token as an
            example. "causal_lm": the same, each prediction beside the token that follows.
            "regression": a number, or a row of them. "generation": the text of each example,
            without special tokens and without white space around it.
        tokenizer: for generation; its `batch_decode` makes texts of tokens.
        ignore_index: the label of tokens that do not count, like the -100 that a Trainer pads with.
        **options: of the modules; each goes to those that have it.

    Raises:
        TypeError: no module has the option.
        ValueError: there is no such module, or a module or the task cannot be used so.

    >>> hook = trainer_hook("classification", task="classification")
    >>> hook(SimpleNamespace(predictions=np.array([[2.0, 1.0]]), label_ids=np.array([0])))[
    ...     "accuracy"
    ... ]
    1.0
    """
    check_choice("task", task, _TASKS)
    several = modules if isinstance(modules, list | tuple) else [modules]
    loaded = [load(module) if isinstance(module, str) else module for module in several]
    if task == "generation" and not hasattr(tokenizer, "batch_decode"):
        raise ValueError("task 'generation' needs the tokenizer, for tokens are not texts")
    named = {_usable(module).name: module for module in loaded}
    if not loaded or len(named) < len(loaded):
        listed = ", ".join(module.name for module in loaded)
        raise ValueError(f"modules must be one or more of different names, got {listed or 'none'}")
    known = {option for module in loaded for option in module.options}
    for option in options:
        if option not in known:
            raise TypeError(f"no module has an option {option!r}{nearest(option, known)}")
    return TrainerHook(
        named,
        {
            name: {option: value for option, value in options.items() if option in module.options}
            for name, module in named.items()
        },
        task=task,
        tokenizer=tokenizer,
        ignore_index=ignore_index,
        state=_state_factory(loaded, options),
    )


def _state_factory(
    modules: Sequence[Any], options: Mapping[str, Any]
) -> Callable[..., State] | None:
    """What makes an empty state of a module; None where states cannot stand for rows."""
    values = [*options.values(), *(v for module in modules for v in module.options.values())]
    if any(map(callable, values)) or not {module.name for module in modules} <= set(names()):
        return None
    return lambda module, **chosen: State(
        module, **{name: value for name, value in chosen.items() if name not in REPORTING}
    )


def _usable(module: Any) -> Any:
    features = module.feature_sets[0]
    if set(features) != {"predictions", "references"}:
        raise ValueError(
            f"{module.name} takes {', '.join(features)}; a Trainer has predictions and references"
        )
    if module.num_process > 1:
        raise ValueError(
            f"{module.name} was loaded for {module.num_process} processes; in a Trainer each "
            "process has all rows, so load it for one"
        )
    return module


def _batches(evaluation: Any) -> Iterator[tuple[Array, Array]]:
    """Predictions and labels as arrays, batch by batch if they are lists of batches."""
    predictions, labels = evaluation.predictions, evaluation.label_ids
    if not isinstance(predictions, list):
        predictions, labels = [predictions], [labels]
    for batch, own in zip(predictions, labels, strict=True):
        if isinstance(own, tuple):
            raise ValueError(f"there are {len(own)} labels a row; name the one in label_names")
        first = batch[0] if isinstance(batch, tuple) else batch
        yield np.asarray(as_column("predictions", first)), np.asarray(as_column("labels", own))


def _joined(parts: Sequence[Any]) -> Any:
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return list(chain.from_iterable(parts))


# From arrays to rows, a function a task. What is not indices yet are logits, on one more axis.


def _indices(
    predictions: Array, labels: Array, ignore_index: int, *, axes: int
) -> tuple[Array, Array]:
    classes = _most_likely(predictions, labels)
    _check(classes.shape == labels.shape and labels.ndim == axes, predictions, labels)
    counts = _counts(labels, ignore_index)
    return classes[counts], labels[counts]


def _following(predictions: Array, labels: Array, ignore_index: int) -> tuple[Array, Array]:
    _check(min(predictions.ndim, labels.ndim) > 1, predictions, labels)
    return _indices(predictions[:, :-1], labels[:, 1:], ignore_index, axes=2)


def _probabilities(predictions: Array, labels: Array, ignore_index: int) -> tuple[Array, Array]:
    _check(labels.ndim == 1 and predictions.shape[:-1] == labels.shape, predictions, labels)
    counts = _counts(labels, ignore_index)
    logits = predictions[counts].astype(float)
    # The highest becomes 0, so that no power overflows; it divides out.
    powers = np.exp(logits - logits.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True), labels[counts]


def _positive(predictions: Array, labels: Array, ignore_index: int) -> tuple[Array, Array]:
    _check(predictions.shape == labels.shape and labels.ndim == 2, predictions, labels)
    whole = labels.astype(int)  # a loss asks for floats, though they are 0 and 1
    return (predictions > 0).astype(int), whole if np.array_equal(whole, labels) else labels


def _numbers(predictions: Array, labels: Array, ignore_index: int) -> tuple[Array, Array]:
    if predictions.shape == (*labels.shape, 1):
        predictions = predictions[..., 0]
    _check(predictions.shape == labels.shape, predictions, labels)
    return predictions, labels


def _tokens(
    predictions: Array, labels: Array, ignore_index: int
) -> tuple[list[list[int]], list[list[int]]]:
    _check(labels.ndim == 2 and predictions.ndim in (2, 3), predictions, labels)
    ids = _words(predictions, labels, ignore_index)
    _check(len(ids) == len(labels), predictions, labels)
    # Padding is cut out rather than replaced: not every tokenizer has a token for it.
    return _cut(ids, ids != _PADDING), _cut(labels, _counts(labels, ignore_index))


_TASKS: Mapping[str, Callable[[Array, Array, int], tuple[Any, Any]]] = {
    "classification": partial(_indices, axes=1),
    "class_probabilities": _probabilities,
    "multilabel_classification": _positive,
    "token_classification": partial(_indices, axes=2),
    "causal_lm": _following,
    "regression": _numbers,
    "generation": _tokens,
}
_OF_SCORES = {"class_probabilities", "multilabel_classification", "regression"}


def _most_likely(scores: Any, labels: Any) -> Any:
    """The index of the highest score on the last axis, unless indices are there already."""
    if scores.ndim != labels.ndim + 1:
        return scores
    if scores.shape[-1] == 1:
        raise ValueError("there is one logit a label, and no class to choose; is it a regression?")
    return scores.argmax(-1)


def _words(scores: Any, labels: Any, ignore_index: int) -> Any:
    """Tokens as they were generated; or the most likely one for each label, padded as these are."""
    words = _most_likely(scores, labels)
    if words is not scores:
        _check(words.shape == labels.shape, scores, labels)
        words[~_counts(labels, ignore_index)] = _PADDING  # what follows the end is of no text
    return words


def _counts(labels: Any, ignore_index: int) -> Any:
    """Which labels count: a Trainer pads with -100, whatever else the model ignores."""
    return (labels != ignore_index) & (labels != _PADDING)


def _cut(ids: Array, kept: Booleans) -> list[list[int]]:
    return [row[own].tolist() for row, own in zip(ids, kept, strict=True)]


def _check(fitting: bool, predictions: Any, labels: Any) -> None:
    if not fitting:
        shapes = f"{tuple(predictions.shape)} and labels of shape {tuple(labels.shape)}"
        raise ValueError(f"predictions of shape {shapes} do not fit the task")
