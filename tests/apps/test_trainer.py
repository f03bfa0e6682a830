"""Scores in training: the same from whatever form a Trainer hands predictions over in."""

import pickle
from types import SimpleNamespace

import datasets
import evaluate
import numpy as np
import pytest

import metric_commons
from metric_commons.apps.hub.bundling import bundle
from metric_commons.frameworks.trainers.trainer import trainer_hook
from metric_commons.module.declaration.module import BatchMetric
from tests.spec import ROOT
from tests.tables import by_table, tabled
from tests.threads import THREADS, at_once


class Hits(BatchMetric):
    """The share of labels that are met, an error for each label, and how many there are."""

    def _info(self):
        label = datasets.Value("int64")
        return evaluate.MetricInfo(
            description="",
            citation="",
            features=datasets.Features({"predictions": label, "references": label}),
        )

    def _compute(self, *, predictions, references, weight=1.0):
        hits = np.asarray(predictions) == np.asarray(references)
        return {"hits": weight * hits.mean(), "rows": len(hits), "each": hits, "name": "hits"}


class Rows(BatchMetric):
    """The rows that arrive, as they are."""

    def _info(self):
        number = datasets.Value("float64")
        rows = datasets.List(number)
        return evaluate.MetricInfo(
            description="",
            citation="",
            features=[
                datasets.Features({"predictions": number, "references": number}),
                datasets.Features({"predictions": rows, "references": number}),
                datasets.Features({"predictions": rows, "references": rows}),
            ],
        )

    def _compute(self, *, predictions, references):
        self.seen = np.asarray(predictions), np.asarray(references)
        return {"rows": len(predictions)}


class Evaluation(SimpleNamespace):
    """An EvalPrediction: with `include_for_metrics` it has more parts than two to unpack."""

    def __iter__(self):
        raise AssertionError("unpacked")


def evaluation(predictions, labels, **more):
    return Evaluation(predictions=predictions, label_ids=labels, **more)


class Tensor:
    """A tensor on a device: numpy gets at its values only once they are on the CPU."""

    dtype = "torch.float32"

    def __init__(self, values, *, device="gpu", tracked=True):
        self._values, self._device, self._tracked = np.array(values), device, tracked
        self.ndim, self.shape = self._values.ndim, self._values.shape

    def detach(self):
        return Tensor(self._values, device=self._device, tracked=False)

    def cpu(self):
        return Tensor(self._values, device="cpu", tracked=self._tracked)

    def argmax(self, axis):
        return Tensor(self._values.argmax(axis), tracked=False)

    def isfinite(self):
        return Tensor(np.isfinite(self._values))

    def all(self, axis):
        return Tensor(self._values.all(axis))

    def __ne__(self, number):
        return Tensor(self._values != number)

    def __and__(self, other):
        return Tensor(self._values & other._values)

    def __invert__(self):
        return Tensor(~self._values)

    def __setitem__(self, mask, number):
        self._values[mask._values] = number

    def __array__(self, dtype=None, copy=None):
        if self._device != "cpu" or self._tracked:
            raise TypeError("can't convert a tensor that is on a device, or tracked")
        return np.array(self._values, dtype)


class Words:
    """A tokenizer that knows eight words, and no token for padding."""

    words = ("<s>", "</s>", " the", " Eiffel", " Tower", " in", " Paris", "!")

    def batch_decode(self, rows, skip_special_tokens):
        assert skip_special_tokens
        if any(token < 0 for row in rows for token in row):
            raise OverflowError("number too small to fit in target type")
        return ["".join(self.words[token] for token in row if token > 1) for row in rows]


def padded(batches, width, by=-100):
    """The batches as one array, the last axis but that of classes filled up with -100."""
    rows = [
        np.concatenate(
            [batch, np.full((len(batch), width - batch.shape[1], *batch.shape[2:]), by)], 1
        )
        for batch in batches
    ]
    return np.concatenate(rows)


GENERATOR = np.random.default_rng(7)
SIZES = [(4, 5), (4, 3), (2, 7)]  # rows and tokens of each batch
LOGITS = [GENERATOR.normal(size=(*size, 6)) for size in SIZES]
LABELS = [GENERATOR.integers(0, 6, size) for size in SIZES]
for own in LABELS:
    own[GENERATOR.random(own.shape) < 0.2] = -100


def in_all_forms(hook, logits, labels, pad):
    """The scores from every form in which the same batches may come, by the name of the form."""
    first = [
        hook.preprocess_logits_for_metrics(*batch) for batch in zip(logits, labels, strict=True)
    ]
    tensors = [tuple(map(Tensor, batch)) for batch in zip(logits, labels, strict=True)]

    def one_by_one(batches):
        *before, (last, own) = batches
        assert [hook(evaluation(*batch), compute_result=False) for batch in before] == [
            {} for _ in before
        ]
        return hook(evaluation(last, own), compute_result=True)

    return {
        "whole": hook(evaluation(pad(logits), pad(labels))),
        "preprocessed": hook(evaluation(pad(first), pad(labels))),
        "more outputs": hook(evaluation((pad(logits), np.zeros(3)), pad(labels))),
        "inputs and losses": hook(evaluation(pad(first), pad(labels), inputs=[1], losses=[2])),
        "batches": hook(evaluation(logits, labels)),
        "batches of more outputs": hook(evaluation([(each, None) for each in logits], labels)),
        "one by one": one_by_one(zip(first, labels, strict=True)),
        "tensors": one_by_one(tensors),
        "preprocessed tensors": one_by_one(
            (hook.preprocess_logits_for_metrics((batch, None), own), own) for batch, own in tensors
        ),
    }


def agreed(forms):
    """The result that all forms have."""
    results = list(forms.values())
    assert all(result == results[0] for result in results), forms
    return results[0]


# The rows of each task, worked out by slow loops


@pytest.mark.parametrize(
    ("task", "ignore_index"),
    [
        ("classification", -100),
        ("token_classification", -100),
        ("token_classification", 2),
        ("causal_lm", -100),
    ],
)
def test_classes_with_the_highest_logit_are_scored_where_labels_count(task, ignore_index):
    hook = trainer_hook(Hits(), task=task, ignore_index=ignore_index)
    logits, labels, pad = LOGITS, LABELS, lambda batches: padded(batches, 7)
    shift = int(task == "causal_lm")  # such a model predicts the next token
    if task == "classification":
        logits, labels, pad = [b[:, 0] for b in LOGITS], [b[:, 0] for b in LABELS], np.concatenate
    hits = [
        int(scores.argmax()) == label
        for batch, own in zip(LOGITS, LABELS, strict=True)
        for row, of_row in zip(batch, own, strict=True)
        for place, (scores, label) in enumerate(zip(row, of_row[shift:], strict=False))
        if label not in (ignore_index, -100) and (task != "classification" or place == 0)
    ]

    result = agreed(in_all_forms(hook, logits, labels, pad))

    assert result == {"hits": sum(hits) / len(hits), "rows": len(hits)}


@pytest.mark.parametrize(
    ("task", "outputs", "labels", "predictions"),
    [
        ("multilabel_classification", [[-0.1, 2], [0, -3]], [[0, 1], [1, 0]], [[0, 1], [0, 0]]),
        *(("regression", *row) for row in tabled(__file__, "a_regression_predicts_numbers")),
    ],
)
def test_outputs_become_predictions(task, outputs, labels, predictions):
    module = Rows()
    hook = trainer_hook(module, task=task)
    outputs, labels = np.array(outputs, "float32"), np.array(labels, "float32")

    assert agreed(in_all_forms(hook, [outputs], [labels], np.concatenate)) == {"rows": 2}
    assert [each.tolist() for each in module.seen] == [predictions, labels.tolist()]


def test_probabilities_are_the_softmax():
    module = Rows()
    hook = trainer_hook(module, task="class_probabilities")
    logits = np.array([[0.0, np.log(3.0)], [1000.0, 0.0], [0.0, 0.0]], "float32")

    assert agreed(in_all_forms(hook, [logits], [np.array([1, 0, -100])], np.concatenate)) == {
        "rows": 2
    }
    assert module.seen[0] == pytest.approx(np.array([[0.25, 0.75], [1.0, 0.0]]), rel=1e-7)
    assert module.seen[1].tolist() == [1.0, 0.0]


@pytest.mark.parametrize("classes", [2, 3])
def test_columns_of_probabilities_are_all_classes(classes):
    """An evaluation may see fewer classes than the model has."""
    module = metric_commons.load("classification")
    hook = trainer_hook(module, task="class_probabilities")
    logits = GENERATOR.normal(size=(8, classes))
    labels = np.array([0, 1] * 4)
    powers = np.exp(logits)
    expected = module.compute(
        predictions=(powers / powers.sum(1, keepdims=True)).tolist(),
        references=labels.tolist(),
        labels=list(range(classes)),
    )

    result = hook(evaluation(logits, labels))

    assert {"roc_auc", "log_loss", "brier", "accuracy"} < result.keys()
    assert result == pytest.approx({key: expected[key] for key in result}, nan_ok=True)
    assert expected.keys() == result.keys()


def test_labels_of_ones_and_zeros_may_be_floats():
    module = metric_commons.load("classification")
    hook = trainer_hook(module, task="multilabel_classification")
    logits, labels = GENERATOR.normal(size=(8, 3)), GENERATOR.integers(0, 2, (8, 3))
    expected = module.compute(predictions=(logits > 0).astype(int), references=labels)

    result = hook(evaluation(logits, labels.astype("float32")))

    assert result == {key: expected[key] for key in result} != {}
    with pytest.raises(ValueError, match=r"references\[0\]\[0\] is 0.5"):
        hook(evaluation(logits, np.full((8, 3), 0.5)))


@pytest.mark.parametrize("ignore_index", [-100, 7])
def test_generated_texts_are_decoded_without_padding(ignore_index):
    seen = []
    module = metric_commons.load("qa_f1", normalizer=lambda text: seen.append(text) or text)
    hook = trainer_hook(
        module, task="generation", tokenizer=Words(), ignore_index=ignore_index, overlap="set"
    )
    tokens = [np.array([[2, 3, 4], [6, 1, -100]]), np.array([[5, 6, 7, 1]])]
    labels = [np.array([[3, 4, 1, -100], [6, 7, 1, -100]]), np.array([[5, 6, -100]])]
    texts = {
        "predictions": ["the Eiffel Tower", "Paris", "in Paris!"],
        "references": ["Eiffel Tower", "Paris" if ignore_index == 7 else "Paris!", "in Paris"],
    }
    expected = module.compute(**texts, overlap="set")
    seen.clear()

    assert agreed(in_all_forms(hook, tokens, labels, lambda rows: padded(rows, 4))) == expected
    assert set(seen) == {*texts["predictions"], *texts["references"]}


def test_logits_are_no_text():
    hook = trainer_hook("qa_em", task="generation", tokenizer=Words())
    logits, labels = np.eye(8)[[[2, 3], [5, 6]]], np.array([[2, 3], [5, 6]])

    with pytest.raises(ValueError, match="set predict_with_generate=True"):
        hook(evaluation(logits, labels))
    with pytest.raises(ValueError, match="set predict_with_generate=True"):
        hook.preprocess_logits_for_metrics((Tensor(logits), None), Tensor(labels))


# Models that are decoders only: what they generate begins with the input

PROMPTS = [np.array([[0, 2, 3], [7, 7, 5]]), np.array([[0, 7]])]
ANSWERS = [np.array([[4, 5, 1], [6, 1, -100]]), np.array([[2, 3, 1]])]
WRITTEN = [np.concatenate(pair, 1) for pair in zip(PROMPTS, ANSWERS, strict=True)]


@pytest.mark.parametrize("form", ["whole", "batches", "mappings", "one by one"])
def test_prompts_are_no_part_of_the_answer(form):
    hook = trainer_hook("qa_em", task="generation", tokenizer=Words(), decoder_only=True)
    prompts = [{"input_ids": Tensor(rows)} for rows in PROMPTS] if form == "mappings" else PROMPTS
    batches = [
        evaluation(*batch, inputs=inputs)
        for *batch, inputs in zip(WRITTEN, ANSWERS, prompts, strict=True)
    ]
    if form == "whole":
        whole = [padded(rows, width) for rows, width in ((WRITTEN, 6), (ANSWERS, 3), (PROMPTS, 3))]
        result = hook(evaluation(whole[0], whole[1], inputs=whole[2]))
    elif form == "one by one":
        assert hook(batches[0], compute_result=False) == {}
        result = hook(batches[1])
    else:
        result = hook(evaluation(WRITTEN, ANSWERS, inputs=prompts))

    assert result == {"qa_em": 1.0}


@pytest.mark.parametrize(
    ("prompts", "labels", "cause"),
    [
        (None, ANSWERS[0], "the hook must see the prompts; set include_for_metrics"),
        (PROMPTS[0][:1], ANSWERS[0], "1 inputs for 2 predictions; with several processes"),
        (PROMPTS[0] + 1, ANSWERS[0], r"predictions\[0\] does not begin with its input"),
        (WRITTEN[0][:, 1:4], np.where([1, 0, 0], -100, WRITTEN[0][:, 1:4]), "contain the labels"),
    ],
)
def test_prompts_that_cannot_be_told_are_refused(prompts, labels, cause):
    hook = trainer_hook("qa_em", task="generation", tokenizer=Words(), decoder_only=True)

    with pytest.raises(ValueError, match=cause):
        hook(evaluation(WRITTEN[0], labels, inputs=prompts))


@pytest.mark.parametrize(
    ("prompts", "labels"),
    [(PROMPTS[0], ANSWERS[0]), (None, np.pad(ANSWERS[0], [(0, 0), (3, 0)], constant_values=-100))],
    ids=["by the inputs", "by the labels"],
)
def test_answers_with_their_prompts_are_noticed(prompts, labels):
    hook = trainer_hook("qa_em", task="generation", tokenizer=Words())

    with pytest.raises(ValueError, match="set decoder_only=True"):
        hook(evaluation(WRITTEN[0], labels, inputs=prompts))


# One definition for the life of a hook


def logits_for(classes, count=3):
    """Logits of which those of the given classes are the highest."""
    return 4.0 * np.eye(count)[classes]


# Rows of a model with three classes: one that occurs in no row is predicted, or nowhere at all.
EPOCHS = tabled(__file__, "EPOCHS")


@pytest.mark.parametrize("task", ["classification", "class_probabilities"])
@pytest.mark.parametrize("form", ["logits", "preprocessed", "one by one", "id2label"])
def test_a_score_means_the_same_in_every_epoch(task, form):
    module = metric_commons.load("classification")
    names = {"id2label": {"0": "a", "1": "b", "2": "c"}} if form == "id2label" else {}
    hook = trainer_hook(module, task=task, **names)
    for predicted, labels, _ in EPOCHS.values():
        expected = module.compute(predictions=predicted, references=labels, labels=[0, 1, 2])
        logits, labels = logits_for(predicted), np.array(labels)
        if form == "id2label" and task == "classification":
            logits = np.array(predicted)
        if form == "preprocessed":
            logits = hook.preprocess_logits_for_metrics(logits, labels)
        if form == "one by one":
            hook(evaluation(logits[:1], labels[:1]), compute_result=False)
            logits, labels = logits[1:], labels[1:]

        result = hook(evaluation(logits, labels))

        assert {key: result[key] for key in ("accuracy", "f1", "recall", "mcc")} == {
            key: expected[key] for key in ("accuracy", "f1", "recall", "mcc")
        }


@pytest.mark.parametrize("predicted", [[0, 0], [0, 1], [1, 1]])
@pytest.mark.parametrize("labels", [[0, 0], [1, 1], [1, 0]])
def test_of_two_classes_the_second_is_positive_in_every_epoch(predicted, labels):
    module = metric_commons.load("classification")
    expected = module.compute(predictions=predicted, references=labels, labels=[0, 1])["f1"]

    for task in ("classification", "class_probabilities"):
        hook = trainer_hook(module, task=task)
        assert hook(evaluation(logits_for(predicted, 2), np.array(labels)))["f1"] == expected


def test_equal_logits_are_one_class_for_both_tasks():
    logits, labels = np.array([[0.5, 0.5], [2.0, 2.0], [0.0, 1.0]], "float16"), np.array([0, 1, 1])

    scores = [
        trainer_hook("classification", task=task)(evaluation(logits, labels))
        for task in ("classification", "class_probabilities")
    ]

    assert {key: scores[1][key] for key in scores[0]} == scores[0]
    assert scores[0]["accuracy"] == 2 / 3


def test_tokens_of_a_vocabulary_are_averaged_over_those_that_occur():
    hook = trainer_hook("classification", task="causal_lm")
    labels = np.array([[9, 0, 1, 1, 0]])

    # Two of fifty tokens occur; of two classes alone the second would be the positive one.
    assert hook(evaluation(logits_for([[0, 1, 1, 1, 0]], 50), labels))["f1"] == (2 / 3 + 4 / 5) / 2


def test_the_number_of_classes_must_be_known():
    hook = trainer_hook("classification", task="classification")

    with pytest.raises(
        ValueError, match="the number of classes is unknown; give the hook id2label"
    ):
        hook(evaluation(np.array([0, 1]), np.array([0, 1])))
    chosen = trainer_hook("classification", task="classification", labels=[0, 1])
    assert chosen(evaluation(np.array([0, 1]), np.array([0, 1])))["f1"] == 1.0


def test_a_model_does_not_change_its_classes():
    hook = trainer_hook("classification", task="classification")
    hook(evaluation(logits_for([0, 1]), np.array([0, 1])))

    with pytest.raises(ValueError, match="there are 4 logits for 3 classes"):
        hook(evaluation(logits_for([0, 1], 4), np.array([0, 1])))


# Logits that are not finite

TASKS = {
    "classification": (logits_for([0, 1, 2, 1]), np.array([0, 1, 2, 2])),
    "class_probabilities": (logits_for([0, 1, 2, 1]), np.array([0, 1, 2, 2])),
    "multilabel_classification": (logits_for([0, 1, 2, 1]), np.eye(3)[[0, 1, 2, 2]]),
    "regression": (np.array([1.0, 2.0, 3.0, 4.0])[:, None], np.array([1.0, 2.0, 3.0, 5.0])),
    "token_classification": (
        logits_for([[0, 1], [1, 1], [2, 2], [1, 2]]),
        np.array([[0, 1], [1, -100], [2, 2], [2, 2]]),
    ),
    "causal_lm": (
        logits_for([[0, 1], [1, 1], [2, 2], [1, 2]]),
        np.array([[0, 1], [1, 1], [2, 2], [2, 2]]),
    ),
}


def module_for(task):
    return "regression" if task == "regression" else "classification"


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("way", ["logits", "preprocessed", "one by one"])
def test_logits_that_are_not_finite_are_an_error(task, number, way):
    logits, labels = TASKS[task]
    wrong = logits.copy()
    wrong[2].flat[0] = number
    hook = trainer_hook(module_for(task), task=task)
    batch = wrong
    if way == "preprocessed":
        batch = hook.preprocess_logits_for_metrics(wrong, labels)
    before = 1 if way == "one by one" else 0
    if before:
        hook(evaluation(batch[:1], labels[:1]), compute_result=False)

    with pytest.raises(ValueError, match=r"predictions\[2\] has logits that are not finite"):
        hook(evaluation(batch[before:], labels[before:]))


@pytest.mark.parametrize("task", ["token_classification", "causal_lm"])
def test_logits_that_do_not_count_may_be_anything(task):
    logits, labels = (array.copy() for array in TASKS[task])
    labels[0, 1] = -100
    logits[0, 1 if task == "token_classification" else 0] = np.nan

    assert trainer_hook("classification", task=task)(evaluation(logits, labels))["accuracy"] > 0


@pytest.mark.parametrize("task", TASKS)
def test_half_precision_is_as_good(task):
    logits, labels = TASKS[task]

    results = [
        trainer_hook(module_for(task), task=task)(evaluation(logits.astype(kind), labels))
        for kind in ("float16", "float64")
    ]

    assert results[0] == pytest.approx(results[1], nan_ok=True)


# What comes back


def test_only_numbers_come_back_as_floats():
    result = trainer_hook(Hits(), task="classification", weight=2)(
        evaluation(np.array([0, 1]), np.array([0, 0]))
    )

    assert result == {"hits": 1.0, "rows": 2.0}
    assert {type(value) for value in result.values()} == {float}


def test_several_modules_score_at_once():
    names = ["qa_em", "qa_f1", "rouge_n_l"]
    modules = [metric_commons.load(name) for name in names]
    hook = metric_commons.trainer_hook(
        modules, task="generation", tokenizer=Words(), normalizer="lower", both_empty=0.0
    )
    tokens, labels = np.array([[2, 3], [6, 7]]), np.array([[2, 3], [5, 6]])

    result = hook(evaluation(tokens, labels))

    texts = {"predictions": ["the Eiffel", "Paris!"], "references": ["the Eiffel", "in Paris"]}
    options = {"normalizer": "lower"}
    em, f1, rouge = modules
    assert result == {
        **em.compute(**texts, **options),
        **f1.compute(**texts, **options, both_empty=0.0),
        **rouge.compute(**texts, **options),
    }


def test_a_name_that_two_modules_have_is_told_apart():
    hook = trainer_hook([Hits(), Rows()], task="classification")

    assert hook(evaluation(np.array([0, 1]), np.array([0, 0]))) == {
        "hits": 0.5,
        "hits_rows": 2.0,
        "rows_rows": 2.0,
    }


@pytest.mark.parametrize("batches", [1, 2])
@pytest.mark.parametrize("task", ["classification", "class_probabilities"])
def test_intervals_come_as_their_ends(task, batches):
    module = metric_commons.load("classification")
    hook = trainer_hook(module, task=task, confidence_level=0.9, n_resamples=50)
    logits, labels = logits_for([0, 1, 2, 1, 0, 2]), np.array([0, 1, 2, 2, 0, 1])
    powers = np.exp(logits)
    predictions = logits.argmax(1)
    if task == "class_probabilities":
        predictions = powers / powers.sum(1, keepdims=True)
    expected = module.compute(
        predictions=predictions.tolist(),
        references=labels.tolist(),
        labels=[0, 1, 2],
        confidence_level=0.9,
        n_resamples=50,
    )["confidence_interval"]

    if batches == 2:
        assert hook(evaluation(logits[:2], labels[:2]), compute_result=False) == {}
        logits, labels = logits[2:], labels[2:]
    result = hook(evaluation(logits, labels))

    assert expected
    for score, (low, high) in expected.items():
        assert (result[f"{score}_low"], result[f"{score}_high"]) == pytest.approx((low, high))


def test_clusters_move_the_ends_of_intervals():
    logits, labels = GENERATOR.normal(size=(30, 2)), GENERATOR.integers(0, 2, 30)
    options = {"clusters": [row % 5 for row in range(30)], "confidence_level": 0.9}
    hook = trainer_hook("classification", task="classification", **options)
    expected = metric_commons.load("classification").compute(
        predictions=logits.argmax(axis=1), references=labels, **options
    )

    result = hook(evaluation(logits, labels))

    ends = [result["accuracy_low"], result["accuracy_high"]]
    assert ends == expected["confidence_interval"]["accuracy"]
    assert result["n_clusters"] == 5.0


@pytest.mark.parametrize("names", [None, ["cat", "dog", "owl"]])
@pytest.mark.parametrize("task", ["classification", "multilabel_classification"])
def test_scores_of_classes_have_their_names(names, task):
    hook = trainer_hook("classification", task=task, id2label=names, average="none")
    logits, labels = logits_for([0, 1, 1]), np.array([0, 0, 1])
    if task != "classification":
        logits, labels = logits - 1, np.eye(3)[labels]

    result = hook(evaluation(logits, labels))

    assert [result[f"recall_{name}"] for name in names or range(3)] == [0.5, 1.0, 0.0]
    assert "recall" not in result
    assert {type(value) for value in result.values()} == {float}


def test_scores_of_chosen_labels_have_their_names():
    hook = trainer_hook(
        "classification",
        task="classification",
        id2label=["cat", "dog", "owl"],
        labels=[2, 0],
        average="none",
    )

    result = hook(evaluation(logits_for([0, 1, 1]), np.array([0, 0, 1])))

    assert (result["recall_owl"], result["recall_cat"]) == (0.0, 0.5)
    assert "recall_dog" not in result


def test_scores_of_outputs_are_numbered():
    hook = trainer_hook("regression", task="regression", multioutput="raw_values")

    result = hook(
        evaluation(np.array([[1.0, 2.0], [2.0, 4.0]]), np.array([[1.0, 1.0], [2.0, 2.0]]))
    )

    assert (result["mae_0"], result["mae_1"]) == (0.0, 1.5)


def test_a_calibration_is_its_errors():
    hook = trainer_hook("classification", task="class_probabilities", calibration_bins=5)

    assert "ece" in hook(evaluation(logits_for([0, 1, 2]), np.array([0, 1, 1])))


@by_table("score, better")
def test_a_hook_tells_which_way_is_better(score, better):
    hook = trainer_hook(["regression", "classification"], task="regression")

    assert hook.greater_is_better(score) is better


# What a Trainer asks of a `compute_metrics`


def test_logits_without_labels_stay_as_they_are():
    hook = trainer_hook(Hits(), task="classification")
    logits = np.array([[0.0, 1.0]])

    assert hook.preprocess_logits_for_metrics((logits, None), None) is logits


def test_every_evaluation_starts_anew():
    hook = trainer_hook(Hits(), task="classification")
    right, wrong = (np.array([0]), np.array([0])), (np.array([0]), np.array([1]))
    hook(evaluation(*wrong), compute_result=False)
    hook.reset()

    assert hook(evaluation(*right)) == hook(evaluation(*right)) == {"hits": 1.0, "rows": 1.0}


def test_threads_get_the_scores_of_their_own_evaluations(hasty_threads):
    hook = trainer_hook(Hits(), task="classification")
    labels = [np.arange(thread + 1) for thread in range(THREADS)]

    def work(thread):
        return [hook(evaluation(labels[thread], labels[thread])) for _ in range(20)]

    for thread, results in enumerate(at_once(work)):
        assert results == [{"hits": 1.0, "rows": thread + 1.0}] * 20


@pytest.mark.parametrize("last", [True, False])
def test_an_error_leaves_no_rows(last):
    hook = trainer_hook(Hits(), task="classification")
    good, bad = (np.array([0]), np.array([0])), (np.zeros((2, 2, 2)), np.array([1, 1]))
    hook(evaluation(np.array([1]), np.array([0])), compute_result=False)

    with pytest.raises(ValueError, match=r"shape \(2, 2, 2\) and labels of shape \(2,\)"):
        hook(evaluation(*bad), compute_result=last)
    assert hook(evaluation(*good)) == {"hits": 1.0, "rows": 1.0}


def test_a_hook_can_go_to_other_processes():
    hook = trainer_hook("qa_em", task="generation", tokenizer=Words())
    tokens = np.array([[2, 3]])

    assert pickle.loads(pickle.dumps(hook))(evaluation(tokens, tokens)) == {"qa_em": 1.0}


# What is refused


@by_table("task, predictions, labels")
def test_shapes_that_do_not_fit_are_refused(task, predictions, labels):
    hook = trainer_hook(Hits(), task=task, tokenizer=Words())
    wrong = evaluation(np.zeros(predictions, int), np.zeros(labels, int))

    with pytest.raises(ValueError, match="do not fit the task"):
        hook(wrong)


def test_one_logit_is_no_choice():
    hook = trainer_hook(Hits(), task="classification")

    with pytest.raises(ValueError, match="is it a regression"):
        hook.preprocess_logits_for_metrics(np.zeros((2, 1)), np.zeros(2))
    with pytest.raises(ValueError, match="is it a regression"):
        hook(evaluation(np.zeros((2, 1)), np.zeros(2)))


def test_one_kind_of_labels_is_needed():
    hook = trainer_hook(Hits(), task="classification")

    with pytest.raises(ValueError, match="there are 2 labels per row"):
        hook(evaluation(np.zeros((2, 3)), (np.zeros(2), np.zeros(2))))


def test_nothing_to_score_is_an_error():
    hook = trainer_hook(Hits(), task="token_classification")

    with pytest.raises(ValueError, match="predictions is empty"):
        hook(evaluation(np.zeros((2, 3), int), np.full((2, 3), -100)))


MADE = {
    "hits": Hits,
    "half of hits": lambda: Hits(num_process=2, process_id=0),
    "a function": lambda: abs,
    "with groups": lambda: metric_commons.load("qa_em", groups=["a"]),
}


@by_table("names, options, cause")
def test_what_cannot_work_is_refused_before_training(names, options, cause):
    modules = [MADE[name]() if name in MADE else name for name in names]
    with pytest.raises((ValueError, TypeError), match=cause):
        trainer_hook(modules, **{"task": "classification", **options})


class QaEm(Hits):
    """Another module of a name that one of ours has."""


@pytest.mark.long
def test_batches_of_all_kinds_of_modules_are_scored_as_one(tmp_path):
    batch = (np.array([0, 1, 2]), np.array([0, 1, 1]))
    ours = evaluate.load(str(ROOT / "metrics" / "classification"))
    for modules in (
        "classification",
        ours,
        pickle.loads(pickle.dumps(ours)),
        evaluate.load(str(bundle("classification", tmp_path))),
        Hits(),
        QaEm(),
        ["classification", Hits()],
    ):
        hook = metric_commons.trainer_hook(modules, task="classification", id2label=["a", "b", "c"])
        assert hook(evaluation(*batch), compute_result=False) == {}
        twice = evaluation(*(np.concatenate([column, column]) for column in batch))
        scores = hook(evaluation(*batch))
        assert scores == hook(twice)
        if not isinstance(modules, str | list) and modules.name == "qa_em":
            assert scores == {"hits": 2 / 3, "rows": 6.0}
