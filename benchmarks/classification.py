"""Scores of labels and of probabilities against scikit-learn and the stock metrics of evaluate.

    python benchmarks/classification.py [rows ...]

By default 100,000 and 1,000,000 rows. The scripts of the stock metrics are downloads, so they are
written again here: a module of `evaluate` with their features, which calls scikit-learn.
"""

import sys
from functools import partial

import datasets
import evaluate
import numpy as np
from _measure import cpu_seconds, peak_megabytes, ratio
from sklearn import metrics

from metric_commons import load
from metric_commons.labels.classification.classification_measures import classification_scores
from metric_commons.labels.classification.classified_rows import classified
from metric_commons.labels.classification.confusion import LabelMeasures
from metric_commons.labels.classification.curve_scores import curve_scores
from metric_commons.labels.thresholds.areas import top_k_hits

ROUNDS = 9


class Stock(evaluate.Metric):
    """What evaluate's own scripts do, on features as they declare them."""

    kind, peer = "int32", staticmethod(metrics.accuracy_score)

    def _info(self):
        value = datasets.Value(self.kind)
        features = datasets.Features({"predictions": value, "references": datasets.Value("int32")})
        return evaluate.MetricInfo(
            description="", citation="", inputs_description="", features=features
        )

    def _compute(self, predictions, references):
        return {"score": float(self.peer(references, predictions))}


class StockF1(Stock):
    """F1."""

    peer = staticmethod(metrics.f1_score)


class StockRocAuc(Stock):
    """Area under the ROC curve."""

    kind, peer = "float32", staticmethod(metrics.roc_auc_score)


def all_label_scores(predictions, references):
    rows = classified(predictions, references)
    return LabelMeasures(rows.task).scores(rows.counts())


def all_curve_scores(scores, references):
    return curve_scores(classified(scores, references)).result


def compare(title, rows, call, peer):
    """Print a ratio; the call is repeated until its time can be measured."""
    times = max(1, 2_000_000 // rows)

    def repeated():
        for _ in range(times):
            call()

    ratio(title, repeated, peer, share=1 / times)


def fastest(call, times=20):
    """The least CPU seconds of a call."""

    def repeated():
        for _ in range(times):
            call()

    return min(cpu_seconds(repeated) for _ in range(ROUNDS)) / times


def labels(rows):
    rng = np.random.default_rng(0)
    references = rng.integers(0, 2, rows)
    predictions = np.where(rng.random(rows) < 0.8, references, 1 - references)
    pair = references, predictions
    call = partial(all_label_scores, predictions, references)

    def reading():
        references.sum(), predictions.sum()

    compare("all scores of labels, against P/R/F1", rows, call, partial(precision_recall, *pair))
    mcc = partial(metrics.matthews_corrcoef, *pair)
    compare("all scores of labels, against MCC", rows, call, mcc)
    print(f"  time of reading both arrays once: {fastest(call) / fastest(reading):.1f} times")
    print(f"  memory beyond the input: {peak_megabytes(call):.1f} MB")

    names = np.array([f"label {i}" for i in range(100)], object)
    pair = [names[rng.integers(0, 100, rows)].tolist() for _ in range(2)]
    compare(
        "100 labels of text, all scores, against P/R/F1",
        rows,
        partial(all_label_scores, *pair),
        partial(precision_recall, *pair, average="macro"),
    )
    resample = partial(
        classification_scores, predictions, references, confidence_level=0.95, interval="bootstrap"
    )
    print(f"10,000 resamples of all scores of labels: {fastest(resample, 1) * 1e3:.1f} ms")


def precision_recall(references, predictions, average="binary"):
    metrics.precision_recall_fscore_support(
        references, predictions, average=average, zero_division=0.0
    )


def scores(rows):
    rng = np.random.default_rng(0)
    references = rng.integers(0, 2, rows)
    logits = rng.normal(references, 2.0)
    probabilities = 1 / (1 + np.exp(-logits))
    for kind, values in (
        ("probabilities", probabilities),
        ("three decimals", np.round(probabilities, 3)),
    ):
        title = f"areas, log loss and Brier of {kind}, against roc_auc_score"
        call = partial(all_curve_scores, values, references)
        compare(title, rows, call, partial(metrics.roc_auc_score, references, values))
    peak = peak_megabytes(partial(all_curve_scores, probabilities, references))
    print(f"  memory beyond the input: {peak:.0f} MB")


def several_labels(rows):
    """Rows of 20 labels, or probabilities of 100 classes, against the same scores of the peer."""
    rng = np.random.default_rng(0)
    references, columns = rng.integers(0, 2, (rows, 20)), rng.random((rows, 20))
    predictions = (columns > 0.5).astype(int)
    module = load("classification")

    def label_measures():
        metrics.hamming_loss(references, predictions)
        metrics.jaccard_score(references, predictions, average="macro")
        metrics.f1_score(references, predictions, average="macro")

    def areas_and_losses(average):
        metrics.roc_auc_score(references, columns, average=average)
        metrics.average_precision_score(references, columns, average=average)
        for truth, column in zip(references.T, columns.T, strict=True):
            metrics.log_loss(truth, column)
            metrics.brier_score_loss(truth, column)
        label_measures()

    call = partial(module.compute, references=references)
    for average in ("macro", "micro"):
        compare(
            f"all scores of 20 labels a row, {average}, against seven",
            rows,
            partial(call, predictions=columns, average=average),
            partial(areas_and_losses, average),
        )
    compare(
        "all scores of 20 predicted labels a row, against Hamming, Jaccard and F1",
        rows,
        partial(call, predictions=predictions),
        label_measures,
    )
    probabilities, labels_of_rows = rng.random((rows, 100)), rng.integers(0, 100, rows)
    compare(
        "top-5 accuracy of 100 classes, against top_k_accuracy_score",
        rows,
        partial(top_k_hits, probabilities, labels_of_rows, [5]),
        partial(metrics.top_k_accuracy_score, labels_of_rows, probabilities, k=5),
    )


def through_compute(rows):
    rng = np.random.default_rng(0)
    references = rng.integers(0, 2, rows)
    predictions = rng.integers(0, 2, rows)
    probabilities = rng.random(rows)
    module = load("classification")
    for stock, column in (
        (Stock(), predictions),
        (StockF1(), predictions),
        (StockRocAuc(), probabilities),
    ):
        compare(
            f"compute() of all scores, against {type(stock).__name__}",
            rows,
            partial(module.compute, predictions=column, references=references),
            partial(stock.compute, predictions=column, references=references),
        )


def main():
    for rows in map(int, sys.argv[1:] or ("100000", "1000000")):
        print(f"\n{rows:,} rows")
        labels(rows)
        scores(rows)
        through_compute(rows)
        several_labels(rows)


if __name__ == "__main__":
    main()
