"""seqeval's scores of entities, by `span_f1`."""

import seqeval.metrics
from seqeval.metrics import sequence_labeling, v1

from metric_commons.labels.spans.spans import span_statistics
from tests.peers.plugin import substitute, unsupported


def _rows(tags):
    return tags if tags and isinstance(tags[0], list) else [tags]


def _result(y_true, y_pred, suffix, scheme, mode, sample_weight, zero_division):
    if sample_weight is not None:
        unsupported("weights of rows")
    if mode == "strict" and scheme is None:
        unsupported("mode without scheme, which is the default in seqeval's scores")
    options = {"scheme": scheme.__name__} if mode == "strict" and scheme is not None else {}
    zero = 0.0 if zero_division == "warn" else float(zero_division)
    rows = span_statistics(
        _rows(y_pred), _rows(y_true), suffix=suffix, zero_division=zero, **options
    )
    return rows.result()


def _score(key):
    def score(
        y_true,
        y_pred,
        *,
        average="micro",
        suffix=False,
        mode=None,
        sample_weight=None,
        zero_division="warn",
        scheme=None,
    ):
        result = _result(y_true, y_pred, suffix, scheme, mode, sample_weight, zero_division)
        if average is None:
            return [scores[key] for scores in result["per_type"].values()]
        return result[key if average == "micro" else f"{average}_{key}"]

    score.__name__ = f"{key}_score"
    return score


def accuracy_score(y_true, y_pred):
    return span_statistics(_rows(y_pred), _rows(y_true)).result()["accuracy"]


SCORES = {f"{key}_score": _score(key) for key in ("precision", "recall", "f1")}
for _module in (seqeval.metrics, sequence_labeling):
    substitute(_module, **SCORES, accuracy_score=accuracy_score)


def _strict(y_true, y_pred, *, average=None, scheme=None, suffix=False, **options):
    """What `precision_recall_fscore_support` of the strict mode returns."""
    if options.get("beta", 1.0) != 1.0:
        unsupported("beta")
    if options.get("sample_weight") is not None or options.get("entities") is not None:
        unsupported("weights of rows, and entities read before")
    if average not in (None, "micro", "macro", "weighted"):
        raise ValueError(f"average is {average!r}")
    zero = options.get("zero_division", "warn")
    result = _result(y_true, y_pred, suffix, scheme, "strict", None, zero)
    keys = ("precision", "recall", "f1")
    if average is None:
        types = result["per_type"].values()
        columns = [[scores[key] for scores in types] for key in (*keys, "number")]
        return tuple(columns)
    prefix = "" if average == "micro" else f"{average}_"
    return (*(result[f"{prefix}{key}"] for key in keys), result["support"])


substitute(v1, precision_recall_fscore_support=_strict)
