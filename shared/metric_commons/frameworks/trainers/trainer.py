"""Scores of a model in training, as the `compute_metrics` of a transformers Trainer.

`training_tasks` converts the Trainer's data to rows; here modules score them, at once or batch by
batch, and results are converted to numbers that a Trainer logs and compares.
"""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import chain
from os import PathLike
from typing import Annotated, Any

import numpy as np

from ...module.catalog.loading import load
from ...module.declaration.row_module import Lock
from ...statistics.arguments.checks import OptionError, nearest
from ...statistics.arguments.domains import OneOf, checked_options
from .training_tasks import ANSWERS, FORMS, PADDING, TrainingTask, answer_columns

_DECODED = {"generation": "the tokenizer,", "speech": "the processor, or its tokenizer,"}
# Options that a Trainer cannot use: their results are rows, curves or tables instead of numbers, or
# they need a value for each row. Clusters are possible: labels of the rows that it evaluates.
_UNSUITABLE = tuple(
    (
        "per_example confusion_matrix curves alignments explain result_format signature "
        "groups sample_weight"
    ).split()
)


class TrainerHook:
    """A `compute_metrics` that scores with one or several modules, created by `trainer_hook`.

    Pass it to a `Trainer` or `Seq2SeqTrainer` as `compute_metrics`, and its method
    `preprocess_logits_for_metrics` under the same name, so that the Trainer gathers predictions
    instead of the logits of every class or word.

    The meaning of a score does not change between evaluations: the classes of the model are fixed
    by its first logits, or by `id2label`.
    """

    def __init__(
        self,
        modules: Mapping[str, Any],
        options: Mapping[str, Mapping[str, Any]],
        task: TrainingTask,
        id2label: Mapping[int, str],
    ) -> None:
        self._modules = modules
        self._options = options
        self._task = task
        self._id2label = id2label
        self._lock = Lock()  # guards what follows: threads may evaluate at the same time
        self.reset()

    def __call__(self, evaluation: Any, compute_result: bool = True) -> dict[str, float]:
        """Return the scores as single numbers, by name; none before the last of several batches.

        If several modules have a score of the same name, it is prefixed with the name of the
        module. After scoring, and after an error, the hook is empty.

        Args:
            evaluation: an `EvalPrediction`: `predictions` and `label_ids`, each an array or tensor,
                or a list with one for each batch. The first element of a tuple of predictions is
                used.
            compute_result: with `batch_eval_metrics`, whether this is the last batch.

        Raises:
            ValueError: predictions and labels do not fit the task, or rows do not fit a module.
        """
        with self._lock:
            finished = True
            try:
                self._take(evaluation)
                finished = compute_result
                return self._scores() if finished else {}
            finally:
                if finished:
                    self.reset()

    def preprocess_logits_for_metrics(self, logits: Any, labels: Any) -> Any:
        """Return the most likely class or word for each label, if the task does not need logits.

        If a model returns a tuple, the first element is the logits.
        """
        if self._task.form == FORMS[ANSWERS]:  # which reads both logits of each token
            return logits
        scores = logits[0] if isinstance(logits, tuple) else logits
        reduced = self._task.form.reduced
        return reduced(self._task, scores, labels) if hasattr(labels, "ndim") else scores

    def greater_is_better(self, score: str) -> bool:
        """Return the value for `greater_is_better`: whether higher scores are better.

        By default, a Trainer assumes that higher is better, unless the name ends with "loss".

        >>> trainer_hook("regression", task="regression").greater_is_better("rmse")
        False
        """
        name = score.removeprefix("eval_")
        for module, metric in self._modules.items():
            for key in metric.lower_is_better:
                patterns = (f"{key}_*", f"{module}_{key}_*")
                if any(fnmatchcase(f"{name}_", pattern) for pattern in patterns):
                    return False
        return not name.endswith(("loss", "standard_error"))

    def reset(self) -> None:
        """Discard all batches, after an unfinished evaluation with `batch_eval_metrics`."""
        with self._lock:
            self._batches: list[tuple[Any, Any]] = []
            self._examples = 0  # in all batches

    def _take(self, evaluation: Any) -> None:
        examples = self._examples
        for batch in self._task.batches(evaluation):
            first = examples + batch.first
            self._batches.append(self._task.rows(batch._replace(first=first)))
            self._examples = first + len(batch.predictions)

    def _scores(self) -> dict[str, float]:
        rows = [_joined(parts) for parts in zip(*self._batches, strict=True)]
        results = {}
        for name, module in self._modules.items():
            predictions, references = rows
            if self._task.form == FORMS[ANSWERS]:
                predictions, references = answer_columns(predictions, references, module)
            options = {**module.options, **self._options[name]}
            of_model = self._task.form.options(self._task, options)
            result = module.compute(
                predictions=predictions, references=references, **self._options[name], **of_model
            )
            labels = {**options, **of_model}.get("labels")
            if labels is None and self._task.classes is not None:
                labels = range(self._task.classes)
            classes = labels and [str(self._id2label.get(label, label)) for label in labels]
            results[name] = flat_scores(result, classes)
        scores = [score for result in results.values() for score in result]
        return {
            score if scores.count(score) == 1 else f"{name}_{score}": value
            for name, result in results.items()
            for score, value in result.items()
        }


@checked_options
def trainer_hook(
    modules: Any,
    *,
    task: Annotated[str, OneOf(tuple(FORMS))],
    tokenizer: Any = None,
    id2label: Mapping[Any, str] | Sequence[str] | None = None,
    decoder_only: bool = False,
    ignore_index: int = PADDING,
    **options: Any,
) -> TrainerHook:
    """Create a `compute_metrics` for a `Trainer` or `Seq2SeqTrainer` that scores with `modules`.

    With `batch_eval_metrics`, the hook keeps the rows of the batches until the last one.

    Args:
        modules: a module or a list of modules, each a name, or loaded from anywhere. They must take
            predictions and references.
        task: the meaning of a row, and what modules are given. "classification": the class with the
            highest logit and the label of each example. "class_probabilities": the softmax of the
            logits instead of the class. "multilabel_classification": a row of 0 and 1; a class is
            predicted if its logit is positive. "token_classification": as "classification", for
            each token. "causal_lm": the same, with each prediction compared to the next token.
            "regression": a number, or a row of numbers. "generation": the text of each example,
            without special tokens and surrounding white space. "speech": the same, from generated
            tokens or from the logits of a CTC model. "question_answering": the answers of SQuAD's
            dictionaries, as the QuestionAnsweringTrainer of transformers' `run_qa` passes them.
            "sequence_labeling": the tags of each sequence.
        tokenizer: for generation and speech; its `batch_decode` converts tokens to texts.
        id2label: the names of all classes, as in the configuration of a model. Without them, the
            number of logits determines the number of classes. An evaluation may contain fewer.
        decoder_only: for generation, whether predictions begin with their prompts, which are then
            removed; the Trainer must have `include_for_metrics=["inputs"]`.
        ignore_index: the label of tokens that are ignored. The -100 that a Trainer pads with is
            always ignored.
        **options: the options of the modules; each is passed to the modules that have it.
            `clusters` are labels of the rows of the evaluation dataset, in its order.

    Raises:
        TypeError: no module has the option.
        ValueError: a module is unknown, or a module, an option or the task cannot be used this way.

    >>> from types import SimpleNamespace
    >>> hook = trainer_hook("classification", task="classification")
    >>> batch = SimpleNamespace(predictions=np.array([[2.0, 1.0]]), label_ids=np.array([0]))
    >>> hook(batch)["accuracy"]
    1.0
    """
    if not isinstance(modules, list | tuple):
        modules = [modules]
    metrics = [load(module) if isinstance(module, str | PathLike) else module for module in modules]
    if task in _DECODED and not hasattr(tokenizer, "batch_decode"):
        raise ValueError(f"task {task!r} needs {_DECODED[task]} since tokens are not texts")
    if task != "generation" and decoder_only:
        raise OptionError("decoder_only", f"is for task 'generation', not {task!r}")
    for metric in metrics:
        _check_usable(metric)
    by_name = {metric.name: metric for metric in metrics}
    if not metrics or len(by_name) < len(metrics):
        listing = ", ".join(metric.name for metric in metrics) or "none"
        raise ValueError(f"modules must be one or more of different names, got {listing}")
    known = {option for metric in metrics for option in metric.options}
    for option in options:
        if option not in known:
            raise TypeError(f"no module has an option {option!r}{nearest(option, known)}")
    options_by_name = {}
    for name, metric in by_name.items():
        given = {option: value for option, value in options.items() if option in metric.options}
        options_by_name[name] = given
        for option, value in given.items():
            metric.declared_options[option].check(value)
        for option, value in {**metric.options, **given}.items():
            if option in _UNSUITABLE and value is not None and value is not False:
                problem = "has results, or needs values, that are not single numbers"
                raise OptionError(option, problem)
    class_names = _class_names(id2label)
    if task == "sequence_labeling" and not class_names:
        raise ValueError("task 'sequence_labeling' needs id2label, since tags are names")
    reader = TrainingTask(FORMS[task], ignore_index, class_names, tokenizer, decoder_only)
    return TrainerHook(by_name, options_by_name, reader, class_names)


def _class_names(id2label: Mapping[Any, str] | Sequence[str] | None) -> dict[int, str]:
    """Return the name of each class; keys may be strings, as from JSON."""
    if id2label is None:
        return {}
    pairs = id2label.items() if isinstance(id2label, Mapping) else enumerate(id2label)
    class_names = {int(index): str(name) for index, name in pairs}
    if sorted(class_names) != list(range(len(class_names))) or not class_names:
        raise OptionError("id2label", f"must name the classes 0, 1, ..., got {id2label!r:.80}")
    return class_names


def _check_usable(module: Any) -> None:
    """Check that a Trainer can use the module.

    Raises:
        ValueError: it is not one of our modules, has other inputs, or runs in several processes.
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


def _joined(parts: Sequence[Any]) -> Any:
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return list(chain.from_iterable(parts))


def flat_scores(result: Mapping[str, Any], classes: Sequence[str] | None) -> dict[str, float]:
    """Return every number of a result, with a name for each.

    An interval becomes `f1_low` and `f1_high`; a list of floats becomes a number for each class; a
    mapping of scores, such as `standard_error`, a number for each, such as `f1_standard_error`; and
    the scores of several types are prefixed by these, such as `PER_f1`. Texts and lists of
    integers, which are labels or counts, are left out.

    Args:
        result: the return value of `compute`.
        classes: the names of classes; None if the numbers in a list are not those of classes.

    >>> flat_scores({"f1": [1.0, 0.5], "labels": [0, 1]}, ["cat", "dog"])
    {'f1_cat': 1.0, 'f1_dog': 0.5}
    >>> flat_scores({"f1": 0.5, "confidence_interval": {"f1": [0.25, 0.75]}}, None)
    {'f1': 0.5, 'f1_low': 0.25, 'f1_high': 0.75}
    >>> flat_scores({"f1": 0.5, "per_type": {"PER": {"f1": 0.5, "number": 2}}}, None)
    {'f1': 0.5, 'PER_f1': 0.5, 'PER_number': 2.0}
    """
    scores: dict[str, float] = {}
    for name, value in result.items():
        if not isinstance(value, Mapping):
            scores |= _numbers(name, value, classes)
            continue
        for score, part in value.items():
            if name == "confidence_interval":  # one interval, or one for each class
                sides = zip(*part, strict=True) if isinstance(part[0], list) else part
                for side, end in zip(("low", "high"), sides, strict=True):
                    end = list(end) if isinstance(end, tuple) else end
                    scores |= _numbers(score, end, classes, f"_{side}")
            elif isinstance(part, Mapping):  # the scores of a type of entities
                inner = flat_scores(part, None)
                scores |= {f"{score}_{key}": number for key, number in inner.items()}
            else:
                scores |= _numbers(str(score), part, classes, f"_{name}")
    return scores


def _numbers(
    name: str, value: Any, classes: Sequence[str] | None, suffix: str = ""
) -> dict[str, float]:
    """Return the numbers of a score: one, or one for each class; none if it has other values."""
    if type(value) in (int, float):
        return {name + suffix: float(value)}
    if not isinstance(value, list) or not all(isinstance(part, float) for part in value):
        return {}
    names = classes if classes is not None and len(classes) == len(value) else range(len(value))
    return {f"{name}_{key}{suffix}": part for key, part in zip(names, value, strict=True)}
