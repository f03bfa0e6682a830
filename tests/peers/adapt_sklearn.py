"""scikit-learn's metrics, by `classification`, `regression`, `clustering` and ranking measures."""

import numpy as np
import scipy.sparse
import sklearn.metrics
from sklearn.metrics import _classification, _ranking, _regression
from sklearn.metrics import cluster as sklearn_cluster

from metric_commons import load
from metric_commons.labels.classification.classification_measures import classification_scores
from metric_commons.regression import regression_scores
from metric_commons.retrieval import score_run
from tests.peers.plugin import substitute, unsupported


def _plain(value, *, labels=True):
    """A column as ours takes it; whole floats that are labels become integers."""
    if scipy.sparse.issparse(value) or not isinstance(value, list | tuple | np.ndarray):
        unsupported(f"columns that are {type(value).__name__}")
    column = np.asarray(value)
    if column.dtype.kind == "O":
        column = np.array(column.tolist())
    if labels and column.dtype.kind == "f" and np.array_equal(column, column.astype(np.int64)):
        column = column.astype(np.int64)
    return column


def _labels(key, **renamed):
    """A score of labels, with scikit-learn's arguments."""

    def score(y_true, y_pred, **options):
        if not options.pop("normalize", True):
            unsupported("counts in place of shares")
        if {"replace_undefined_by", "raise_warning"} & options.keys():
            unsupported("what takes the place of an undefined kappa")
        if np.ndim(y_true) > 1 and np.shape(y_true)[1] == 1:
            unsupported("labels in rows of one")
        zero = options.pop("zero_division", "warn")
        options["zero_division"] = 0.0 if zero == "warn" else float(zero)
        weights = options.pop("sample_weight", None)
        if weights is not None:
            options["sample_weight"] = np.asarray(weights, float)
        for name in [name for name, value in options.items() if value is None]:
            options[name] = "none" if name == "average" else None
        if options.get("labels") is not None:
            options["labels"] = np.asarray(options["labels"]).tolist()
        for name, ours in renamed.items():
            if name in options:
                options[ours] = options.pop(name)
        given = {name: value for name, value in options.items() if value is not None}
        if "pos_label" in given and given["pos_label"] == 1 and given.get("average") != "binary":
            del given["pos_label"]  # the default, which counts for two labels alone
        columns = _plain(y_pred), _plain(y_true)
        result = classification_scores(*columns, **given)
        if key == "hamming_loss" and key not in result:  # of one label a row
            return 1 - result["accuracy"]
        value = result[key]
        return np.array(value) if isinstance(value, list) else value

    score.__name__ = key
    return score


def _averaged(key, *, beta=False):
    ours = _labels(key)

    def score(y_true, y_pred, *, average="binary", pos_label=1, **options):
        if beta and options["beta"] == 1:
            del options["beta"]
            return _labels("f1")(y_true, y_pred, average=average, pos_label=pos_label, **options)
        return ours(y_true, y_pred, average=average, pos_label=pos_label, **options)

    score.__name__ = key
    return score


def _kappa(y1, y2, *, labels=None, weights=None, sample_weight=None, **others):
    if labels is not None or others:
        unsupported("kappa of some of the labels, and what takes its place where it is undefined")
    return _labels("kappa")(
        y1, y2, labels=labels, kappa_weights=weights, sample_weight=sample_weight
    )


CLASSIFICATION = {
    "accuracy_score": _labels("accuracy"),
    "balanced_accuracy_score": _labels("balanced_accuracy"),
    "matthews_corrcoef": _labels("mcc"),
    "cohen_kappa_score": _kappa,
    "hamming_loss": _labels("hamming_loss"),
    "precision_score": _averaged("precision"),
    "recall_score": _averaged("recall"),
    "f1_score": _averaged("f1"),
    "fbeta_score": _averaged("f_beta", beta=True),
}
substitute(sklearn.metrics, **CLASSIFICATION)
substitute(_classification, **CLASSIFICATION)


def _errors(measure):
    def score(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average", **others):
        if others:
            unsupported(", ".join(others))
        if not isinstance(multioutput, str):
            multioutput = list(multioutput)
        columns = (np.asarray(_plain(y, labels=False), float) for y in (y_pred, y_true))
        value = regression_scores(
            *columns, measures=(measure,), sample_weight=sample_weight, multioutput=multioutput
        )[measure]
        return np.array(value) if isinstance(value, list) else value

    score.__name__ = measure
    return score


REGRESSION = {
    "mean_absolute_error": _errors("mae"),
    "mean_squared_error": _errors("mse"),
    "root_mean_squared_error": _errors("rmse"),
    "r2_score": _errors("r2"),
    "explained_variance_score": _errors("explained_variance"),
    "median_absolute_error": _errors("median_ae"),
    "mean_absolute_percentage_error": _errors("mape"),
    "max_error": _errors("max_error"),
}
substitute(sklearn.metrics, **REGRESSION)
substitute(_regression, **REGRESSION)


def _agreement(measure):
    def score(labels_true, labels_pred, **others):
        if others.get("average_method", "arithmetic") != "arithmetic" or others.get("beta", 1) != 1:
            unsupported("other averages and beta")
        result = load("clustering").compute(
            predictions=_plain(labels_pred).tolist(),
            references=_plain(labels_true).tolist(),
            measures=[measure],
        )
        return result[measure]

    score.__name__ = measure
    return score


CLUSTERING = {
    "adjusted_rand_score": _agreement("ari"),
    "normalized_mutual_info_score": _agreement("nmi"),
    "v_measure_score": _agreement("v_measure"),
    "homogeneity_score": _agreement("homogeneity"),
    "completeness_score": _agreement("completeness"),
}
substitute(sklearn.metrics, **CLUSTERING)
substitute(sklearn_cluster, **CLUSTERING)


def _gain(name):
    def score(y_true, y_score, *, k=None, sample_weight=None, ignore_ties=False, log_base=2):
        if sample_weight is not None or log_base != 2:
            unsupported("weights of queries, and other logarithms")
        levels, scores = (np.asarray(_plain(y, labels=False), float) for y in (y_true, y_score))
        if levels.ndim != 2:
            raise ValueError("one row a query")
        ties = "" if ignore_ties else "(ties=average)"
        measure = f"{name}{ties}" + (f"@{k}" if k else "")
        ids = [f"{9999 - number}" for number in range(levels.shape[1])]
        qrels, run = (
            {f"{row}": dict(zip(ids, values, strict=True)) for row, values in enumerate(rows)}
            for rows in (levels.tolist(), scores.tolist())
        )
        return score_run(qrels, run, [measure])["mean"][measure]

    score.__name__ = name
    return score


RANKING = {"ndcg_score": _gain("ndcg"), "dcg_score": _gain("dcg")}
substitute(sklearn.metrics, **RANKING)
substitute(_ranking, **RANKING)
