"""torchmetrics' functional metrics, by the families behind our modules.

`FUNCTIONS` has, by name, each public function of the four folders, as torchmetrics defines it. In
its place stands ours, or a function that says that there is none. What an option of torchmetrics
means is written here; an option that an adapter does not take must have its default.
"""

import importlib
import inspect
import sys

import numpy as np
import torch

from metric_commons import load
from metric_commons.labels.classification.classification_measures import classification_scores
from metric_commons.regression import regression_scores
from metric_commons.retrieval import score_run
from metric_commons.text.rouge_overlaps.rouge_scores import rouge
from metric_commons.text.transcripts.edit_rate import error_statistics
from metric_commons.text.translation.character_ngrams import chrf_statistics
from metric_commons.text.translation.ngram_precision import bleu_statistics
from metric_commons.text.translation.translation_edit_rate import ter_statistics
from tests.peers.plugin import counted, unsupported

FOLDERS = ("classification", "regression", "retrieval", "text")
_SIZES = ("num_classes", "num_labels", "validate_args")


def _array(tensor):
    values = torch.as_tensor(tensor)
    return (values.double() if values.is_floating_point() else values).numpy()


def _tensor(value):
    array = np.asarray(value)
    return torch.tensor(value, dtype=torch.float32 if array.dtype.kind == "f" else None)


def _binary(preds, target, options):
    predictions, references = _array(preds).ravel(), _array(target).ravel()
    if predictions.dtype.kind == "f" and ((predictions < 0) | (predictions > 1)).any():
        unsupported("logits, which torchmetrics maps to probabilities")
    return classification_scores(predictions, references, **options)


def _multiclass(preds, target, options, num_classes, *, probabilities=False):
    predictions, references = _array(preds), _array(target)
    if predictions.dtype.kind == "f" and predictions.ndim > 2:
        unsupported("probabilities of the labels of several values a row")
    if predictions.dtype.kind != "f":
        predictions, references = predictions.ravel(), references.ravel()
    labels = list(range(num_classes))
    return classification_scores(
        predictions, references, labels=labels, probabilities=probabilities, **options
    )


def _multilabel(preds, target, options):
    predictions, references = (
        np.moveaxis(values, 1, -1).reshape(-1, values.shape[1])
        for values in (_array(preds), _array(target))
    )
    return classification_scores(predictions, references, **options)


def _average(average):
    return {} if average == "binary" else {"average": average or "none"}


def _score(result, key):
    if key not in result:
        unsupported(f"{key} of such rows")
    return _tensor(result[key])


def _ratio(key, share=None):
    """The adapters of a ratio of counts: of two labels, of several, and of several a row."""
    share = share or (lambda value: value)

    def binary(preds, target, *, threshold, ignore_index, beta=1.0):
        options = {"threshold": threshold, "ignore_index": ignore_index, "beta": beta}
        return share(_score(_binary(preds, target, options), _measure(key, beta)))

    def multiclass(preds, target, num_classes, *, average, ignore_index, top_k=1, beta=1.0):
        name = _measure(key, beta)
        if name == "accuracy" and average != "micro":
            name = "recall"  # the accuracy of the rows of a class
        options = {"ignore_index": ignore_index, "beta": beta} | _average(average)
        if top_k != 1:
            if name != "accuracy":
                unsupported("top_k of other ratios than accuracy")
            name, options["top_k"] = f"top_{top_k}_accuracy", top_k
        return share(_score(_multiclass(preds, target, options, num_classes), name))

    def multilabel(preds, target, *, threshold, average, beta=1.0):
        name = "label_accuracy" if key == "accuracy" else _measure(key, beta)
        options = {"threshold": threshold, "beta": beta} | _average(average)
        return share(_score(_multilabel(preds, target, options), name))

    return {"binary": binary, "multiclass": multiclass, "multilabel": multilabel}


def _measure(key, beta):
    return "f_beta" if key == "f1" and beta != 1 else key


def _agreement(key):
    def binary(preds, target, *, threshold, ignore_index, weights=None):
        options = {"threshold": threshold, "ignore_index": ignore_index, "kappa_weights": weights}
        return _score(_binary(preds, target, options), key)

    def multiclass(preds, target, num_classes, *, ignore_index, weights=None):
        options = {"ignore_index": ignore_index, "kappa_weights": weights}
        return _score(_multiclass(preds, target, options, num_classes), key)

    return {"binary": binary, "multiclass": multiclass}


def _matrix():
    key = "confusion_matrix"

    def binary(preds, target, *, threshold, normalize, ignore_index):
        options = {"threshold": threshold, key: normalize or True, "ignore_index": ignore_index}
        return _score(_binary(preds, target, options), key)

    def multiclass(preds, target, num_classes, *, normalize, ignore_index):
        options = {key: normalize or True, "ignore_index": ignore_index}
        return _score(_multiclass(preds, target, options, num_classes), key)

    def multilabel(preds, target, *, threshold, normalize):
        options = {"threshold": threshold, key: normalize or True}
        return _score(_multilabel(preds, target, options), key)

    return {"binary": binary, "multiclass": multiclass, "multilabel": multilabel}


def _area(key):
    def binary(preds, target, *, ignore_index, max_fpr=None):
        options = {"ignore_index": ignore_index, "max_fpr": max_fpr}
        return _score(_binary(preds, target, options), key)

    def multiclass(preds, target, num_classes, *, average, ignore_index):
        options = {"ignore_index": ignore_index} | _average(average)
        return _score(_multiclass(preds, target, options, num_classes), key)

    def multilabel(preds, target, *, average):
        return _score(_multilabel(preds, target, _average(average)), key)

    return {"binary": binary, "multiclass": multiclass, "multilabel": multilabel}


def _calibration():
    keys = {"l1": "ece", "max": "mce"}

    def binary(preds, target, *, n_bins, norm, ignore_index):
        options = {"calibration_bins": n_bins, "ignore_index": ignore_index}
        return _score(_binary(preds, target, options), keys.get(norm, f"calibration by {norm}"))

    def multiclass(preds, target, num_classes, *, n_bins, norm, ignore_index):
        options = {"calibration_bins": n_bins, "ignore_index": ignore_index}
        result = _multiclass(preds, target, options, num_classes, probabilities=True)
        return _score(result, keys.get(norm, f"calibration by {norm}"))

    return {"binary": binary, "multiclass": multiclass}


def _curve(kind, columns):
    options, key = {"curves": kind}, f"{kind}_curve"

    def binary(preds, target, *, ignore_index):
        curve = _binary(preds, target, options | {"ignore_index": ignore_index})[key]
        return tuple(_tensor(curve[column]) for column in columns)

    def multiclass(preds, target, num_classes, *, ignore_index):
        result = _multiclass(preds, target, options | {"ignore_index": ignore_index}, num_classes)
        return by_column(result[key])

    def multilabel(preds, target):
        result = _multilabel(preds, target, options)
        if key not in result:
            unsupported("curves of several labels a row")
        return by_column(result[key])

    def by_column(curves):
        return tuple([_tensor(curve[column]) for curve in curves] for column in columns)

    return {"binary": binary, "multiclass": multiclass, "multilabel": multilabel}


def _point(preds, target, rule, value, ignore_index):
    """A value at the threshold that a rule chooses, and the threshold."""
    options = {"operating_point": rule, "ignore_index": ignore_index}
    point = _binary(preds, target, options)["operating_point"]
    return _tensor(point[value]), _tensor(point["threshold"])


def _recall_at_precision(preds, target, min_precision, *, ignore_index):
    return _point(preds, target, f"precision>={min_precision}", "recall", ignore_index)


def _precision_at_recall(preds, target, min_recall, *, ignore_index):
    return _point(preds, target, f"recall>={min_recall}", "precision", ignore_index)


def _sensitivity_at_specificity(preds, target, min_specificity, *, ignore_index):
    return _point(preds, target, f"specificity>={min_specificity}", "recall", ignore_index)


def _specificity_at_sensitivity(preds, target, min_sensitivity, *, ignore_index):
    return _point(preds, target, f"recall>={min_sensitivity}", "specificity", ignore_index)


def _equal_error():
    def binary(preds, target, *, ignore_index):
        options = {"operating_point": "eer", "ignore_index": ignore_index}
        return _tensor(_binary(preds, target, options)["operating_point"]["eer"])

    return {"binary": binary}


def _exact():
    def multilabel(preds, target, *, threshold):
        return _score(_multilabel(preds, target, {"threshold": threshold}), "accuracy")

    return {"multilabel": multilabel}


_CLASSIFICATION = {
    "accuracy": _ratio("accuracy"),
    "precision": _ratio("precision"),
    "recall": _ratio("recall"),
    "f1_score": _ratio("f1"),
    "fbeta_score": _ratio("f1"),
    "specificity": _ratio("specificity"),
    "jaccard_index": _ratio("jaccard"),
    "hamming_distance": _ratio("accuracy", lambda value: 1 - value),
    "matthews_corrcoef": _agreement("mcc"),
    "cohen_kappa": _agreement("kappa"),
    "confusion_matrix": _matrix(),
    "auroc": _area("roc_auc"),
    "average_precision": _area("average_precision"),
    "calibration_error": _calibration(),
    "roc": _curve("roc", ("fpr", "tpr", "thresholds")),
    "precision_recall_curve": _curve("pr", ("precision", "recall", "thresholds")),
    "exact_match": _exact(),
    "eer": _equal_error(),
    "recall_at_fixed_precision": {"binary": _recall_at_precision},
    "precision_at_fixed_recall": {"binary": _precision_at_recall},
    "sensitivity_at_specificity": {"binary": _sensitivity_at_specificity},
    "specificity_at_sensitivity": {"binary": _specificity_at_sensitivity},
}


def _error(measure, *, is_vector=False):
    """The adapter of an error, which of several outputs has a value each."""

    def score(preds, target, *, multioutput="raw_values"):
        columns = _array(preds).astype(float), _array(target).astype(float)
        if columns[0].ndim == 1:
            multioutput = "uniform_average"
        result = regression_scores(*columns, measures=measure, multioutput=multioutput)
        value = _tensor(result[measure])
        return value.reshape(1) if is_vector and not value.ndim else value

    return score


def _joint_error(measure):
    """The adapter of an error that takes all outputs together."""

    def score(preds, target):
        return _error(measure)(preds, target, multioutput="uniform_average")

    return score


def _squares(preds, target, *, squared):
    return _joint_error("mse" if squared else "rmse")(preds, target)


def _tweedie(preds, targets, *, power):
    return _joint_error(f"tweedie(power={power})")(preds, targets)


_REGRESSION = {
    "concordance_corrcoef": _error("concordance", is_vector=True),
    "explained_variance": _error("explained_variance"),
    "kendall_rank_corrcoef": lambda preds, target: _error("kendall")(preds, target),
    "mean_absolute_error": _joint_error("mae"),
    "mean_absolute_percentage_error": _joint_error("mape"),
    "mean_squared_error": _squares,
    "mean_squared_log_error": _joint_error("msle"),
    "pearson_corrcoef": lambda preds, target: _error("pearson")(preds, target),
    "r2_score": _error("r2"),
    "spearman_corrcoef": lambda preds, target: _error("spearman")(preds, target),
    "symmetric_mean_absolute_percentage_error": _joint_error("smape"),
    "tweedie_deviance_score": _tweedie,
}


def _ranked(measure):
    def score(preds, target, *, top_k=None):
        rows = enumerate(zip(_array(preds).tolist(), _array(target).tolist(), strict=True))
        documents = {f"{number:09}": pair for number, pair in rows}
        run = {"query": {name: value for name, (value, _) in documents.items()}}
        qrels = {"query": {name: int(level) for name, (_, level) in documents.items()}}
        name = f"{measure}@{top_k or len(documents)}"
        if measure == "rprec":
            name = measure
        return _tensor(score_run(qrels, run, [name])["mean"][name])

    return score


_RETRIEVAL = {
    "retrieval_average_precision": _ranked("map"),
    "retrieval_hit_rate": _ranked("hit_rate"),
    "retrieval_normalized_dcg": _ranked("ndcg"),
    "retrieval_precision": _ranked("precision"),
    "retrieval_recall": _ranked("recall"),
    "retrieval_reciprocal_rank": _ranked("mrr"),
    "retrieval_r_precision": lambda preds, target: _ranked("rprec")(preds, target),
}


def _rows(texts):
    return [texts] if isinstance(texts, str) else list(texts)


def _transcripts(key, unit="word"):
    def score(preds, target):
        return _tensor(error_statistics(_rows(preds), _rows(target), unit=unit).result()[key])

    return score


def _bleu(preds, target, *, n_gram, smooth, tokenize="none", lowercase=False):
    if smooth:
        unsupported("smoothing of orders above the first alone")
    options = {"tokenize": tokenize, "lowercase": lowercase, "max_ngram_order": n_gram}
    statistics = bleu_statistics(_rows(preds), _rows(target), smooth_method="none", **options)
    return _tensor(statistics.result()["bleu"] / 100)


def _chrf(preds, target, *, n_char_order, n_word_order, beta, lowercase, whitespace):
    statistics = chrf_statistics(
        _rows(preds),
        _rows(target),
        char_order=n_char_order,
        word_order=n_word_order,
        beta=beta,
        lowercase=lowercase,
        whitespace=whitespace,
        eps_smoothing=True,
    )
    return _tensor(statistics.result()["chrf"] / 100)


def _ter(preds, target, *, normalize, no_punctuation, lowercase, asian_support):
    statistics = ter_statistics(
        _rows(preds),
        _rows(target),
        normalized=normalize,
        no_punct=no_punctuation,
        asian_support=asian_support,
        case_sensitive=not lowercase,
    )
    return _tensor(statistics.result()["ter"] / 100)


def _rouge(preds, target, *, accumulate, use_stemmer, rouge_keys):
    result = rouge(
        _rows(preds),
        _rows(target),
        rouge_types=list(rouge_keys),
        use_stemmer=use_stemmer,
        reference_aggregation={"best": "max", "avg": "mean"}[accumulate],
    )
    names = ("precision", "recall", "fmeasure")
    return {
        f"{kind}_{name}": _tensor(float(np.mean(values)))
        for kind, scores in result.items()
        for name, values in zip(names, scores, strict=True)
    }


def _squad(preds, target):
    answers = {row["id"]: row["prediction_text"] for row in _rows(preds)}
    columns = {
        "predictions": [answers[row["id"]] for row in target],
        "references": [row["answers"]["text"] for row in target],
    }
    scores = {
        "exact_match": load("qa_em").compute(**columns)["qa_em"],
        "f1": load("qa_f1").compute(**columns)["qa_f1"],
    }
    return {name: _tensor(100 * value) for name, value in scores.items()}


_TEXT = {
    "bleu_score": _bleu,
    "sacre_bleu_score": _bleu,
    "chrf_score": _chrf,
    "translation_edit_rate": _ter,
    "char_error_rate": _transcripts("cer", "character"),
    "word_error_rate": _transcripts("wer"),
    "match_error_rate": _transcripts("mer"),
    "word_information_lost": _transcripts("wil"),
    "word_information_preserved": _transcripts("wip"),
    "rouge_score": _rouge,
    "squad": _squad,
}
_ADAPTERS = {
    f"{kind}_{name}": adapter
    for name, kinds in _CLASSIFICATION.items()
    for kind, adapter in kinds.items()
}
_ADAPTERS |= _REGRESSION | _RETRIEVAL | _TEXT


def _adapted(name, function):
    """What stands in the place of a function of torchmetrics."""
    signature = inspect.signature(function)
    adapter = _ADAPTERS.get(name)

    def call(*arguments, **options):
        if adapter is None:
            unsupported(name)
        bound = signature.bind(*arguments, **options)
        bound.apply_defaults()
        parameters = inspect.signature(adapter).parameters
        for option, value in bound.arguments.items():
            default = signature.parameters[option].default
            if option not in parameters and option not in _SIZES and value != default:
                unsupported(f"{option}={value!r}")
        return adapter(
            **{key: bound.arguments[key] for key in parameters if key in bound.arguments}
        )

    call.__name__ = name
    call.__doc__ = function.__doc__
    return counted(call)


def _public_functions():
    modules = [importlib.import_module(f"torchmetrics.functional.{name}") for name in FOLDERS]
    return {name: vars(module)[name] for module in modules for name in module.__all__}


FUNCTIONS = _public_functions()
for _name, _function in FUNCTIONS.items():
    if "task" in inspect.signature(_function).parameters:
        continue  # it calls one of the others, by the task
    _substitute = _adapted(_name, _function)
    for _module in [m for n, m in sys.modules.items() if n.startswith("torchmetrics.functional")]:
        if vars(_module).get(_name) is _function:
            setattr(_module, _name, _substitute)
