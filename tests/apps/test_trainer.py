"""Scores in training: the same from whatever form a Trainer hands predictions over in."""

import inspect
import pickle
from types import SimpleNamespace

import datasets
import evaluate
import numpy as np
import pytest

import metric_commons
from metric_commons.base.module import BatchMetric
from metric_commons.hub import bundle
from metric_commons.integrations.trainer import trainer_hook
from tests.spec import ROOT
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


@pytest.mark.parametrize("ignore_index", [-100, 2])
def test_tokens_are_scored_that_count(ignore_index):
    hook = trainer_hook(Hits(), task="token_classification", ignore_index=ignore_index)
    hits = [
        int(scores.argmax()) == label
        for batch, own in zip(LOGITS, LABELS, strict=True)
        for row, labels in zip(batch, own, strict=True)
        for scores, label in zip(row, labels, strict=True)
        if label not in (ignore_index, -100)
    ]

    result = agreed(in_all_forms(hook, LOGITS, LABELS, lambda rows: padded(rows, 7)))

    assert result == {"hits": sum(hits) / len(hits), "rows": len(hits)}


def test_a_causal_model_predicts_the_next_token():
    hook = trainer_hook(Hits(), task="causal_lm")
    hits = [
        int(row[place].argmax()) == labels[place + 1]
        for batch, own in zip(LOGITS, LABELS, strict=True)
        for row, labels in zip(batch, own, strict=True)
        for place in range(len(row) - 1)
        if labels[place + 1] != -100
    ]

    result = agreed(in_all_forms(hook, LOGITS, LABELS, lambda rows: padded(rows, 7)))

    assert result == {"hits": sum(hits) / len(hits), "rows": len(hits)}


def test_classes_are_those_with_the_highest_logit():
    hook = trainer_hook(Hits(), task="classification")
    logits, labels = [batch[:, 0] for batch in LOGITS], [own[:, 0] for own in LABELS]
    hits = [
        int(row.argmax()) == label
        for batch, own in zip(logits, labels, strict=True)
        for row, label in zip(batch, own, strict=True)
        if label != -100
    ]

    result = agreed(in_all_forms(hook, logits, labels, np.concatenate))

    assert result == {"hits": sum(hits) / len(hits), "rows": len(hits)}


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
    assert expected.keys() - result.keys() == {"confusion_matrix", "labels"}


def test_labels_of_ones_and_zeros_may_be_floats():
    module = metric_commons.load("classification")
    hook = trainer_hook(module, task="multilabel_classification")
    logits, labels = GENERATOR.normal(size=(8, 3)), GENERATOR.integers(0, 2, (8, 3))
    expected = module.compute(predictions=(logits > 0).astype(int), references=labels)

    result = hook(evaluation(logits, labels.astype("float32")))

    assert result == {key: expected[key] for key in result} != {}
    with pytest.raises(ValueError, match=r"references\[0\]\[0\] is 0.5"):
        hook(evaluation(logits, np.full((8, 3), 0.5)))


def test_several_labels_are_those_with_positive_logits():
    module = Rows()
    hook = trainer_hook(module, task="multilabel_classification")
    logits, labels = np.array([[-0.1, 2.0], [0.0, -3.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])

    assert agreed(in_all_forms(hook, [logits], [labels], np.concatenate)) == {"rows": 2}
    assert [each.tolist() for each in module.seen] == [[[0, 1], [0, 0]], labels.tolist()]


@pytest.mark.parametrize(
    ("outputs", "labels", "predictions"),
    [
        ([[0.5], [2.0]], [1.0, 2.0], [0.5, 2.0]),
        ([0.5, 2.0], [1.0, 2.0], [0.5, 2.0]),
        ([[0.5, 1.0], [2.0, 3.0]], [[1.0, 1.0], [2.0, 2.0]], [[0.5, 1.0], [2.0, 3.0]]),
        ([[0.5], [2.0]], [[1.0], [2.0]], [[0.5], [2.0]]),
    ],
)
def test_a_regression_predicts_numbers(outputs, labels, predictions):
    module = Rows()
    hook = trainer_hook(module, task="regression")
    outputs, labels = np.array(outputs, "float32"), np.array(labels, "float32")

    assert agreed(in_all_forms(hook, [outputs], [labels], np.concatenate)) == {"rows": 2}
    assert [each.tolist() for each in module.seen] == [predictions, labels.tolist()]


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


@pytest.mark.parametrize("ignore_index", [-100, 0])
def test_texts_of_likely_words_end_where_the_labels_end(ignore_index):
    module = metric_commons.load("qa_f1", normalizer="none")
    hook = trainer_hook(
        module, task="generation", tokenizer=Words(), ignore_index=ignore_index, overlap="set"
    )
    likely = [np.array([[2, 3, 4], [6, 7, 7]]), np.array([[5, 6]])]
    labels = [np.array([[3, 4, 1], [6, 1, -100]]), np.array([[5, ignore_index]])]
    expected = module.compute(
        predictions=["the Eiffel Tower", "Paris!", "in"],
        references=["Eiffel Tower", "Paris", "in"],
        overlap="set",
    )
    logits = [np.eye(8)[tokens] for tokens in likely]

    assert agreed(in_all_forms(hook, logits, labels, lambda rows: padded(rows, 3))) == expected


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


# What a Trainer asks of a `compute_metrics`


def test_a_trainer_finds_the_flag_of_the_last_batch():
    hook = trainer_hook(Hits(), task="classification")

    assert "compute_result" in inspect.signature(hook).parameters


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


def test_a_module_from_a_space_can_be_scored(tmp_path):
    module = evaluate.load(str(bundle("qa_em", tmp_path)), normalizer="lower")
    tokens, labels = np.array([[2, 3], [6, 7]]), np.array([[2, 3], [5, 6]])

    hook = metric_commons.trainer_hook(module, task="generation", tokenizer=Words())

    assert type(module).__module__.startswith("evaluate_modules.")
    assert hook(evaluation(tokens, labels)) == {"qa_em": 0.5}
    assert hook(evaluation(tokens, labels), compute_result=False) == {}
    assert hook(evaluation(tokens, tokens)) == {"qa_em": 0.75}


# What is refused


@pytest.mark.parametrize(
    ("task", "predictions", "labels"),
    [
        ("classification", (2, 3, 4), (2, 3)),
        ("classification", (3,), (2,)),
        ("classification", (2, 4, 5, 5), (2, 5, 5)),
        ("token_classification", (2, 3), (2,)),
        ("token_classification", (2, 4, 6), (2, 3)),
        ("token_classification", (2, 2, 2, 6), (2, 2, 2)),
        ("causal_lm", (2, 6), (2,)),
        ("causal_lm", (2, 4, 6), (2, 3)),
        ("class_probabilities", (2, 3, 4), (2, 3)),
        ("class_probabilities", (2,), (2,)),
        ("multilabel_classification", (2, 3), (2,)),
        ("multilabel_classification", (2, 3), (2, 4)),
        ("regression", (2, 3), (2,)),
        ("generation", (2, 3), (2,)),
        ("generation", (2, 3), (3, 3)),
        ("generation", (2, 4, 6), (2, 3)),
    ],
)
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

    with pytest.raises(ValueError, match="there are 2 labels a row"):
        hook(evaluation(np.zeros((2, 3)), (np.zeros(2), np.zeros(2))))


def test_nothing_to_score_is_an_error():
    hook = trainer_hook(Hits(), task="token_classification")

    with pytest.raises(ValueError, match="predictions is empty"):
        hook(evaluation(np.zeros((2, 3), int), np.full((2, 3), -100)))


@pytest.mark.parametrize(
    ("arguments", "error", "cause"),
    [
        ({"task": "clasification"}, ValueError, "did you mean 'classification'"),
        ({"task": "generation"}, ValueError, "needs the tokenizer"),
        ({"task": "classification", "wight": 2}, TypeError, "'wight'; did you mean 'weight'"),
        ({"task": "classification", "modules": []}, ValueError, "got none"),
        ({"task": "classification", "modules": [Hits(), Hits()]}, ValueError, "hits, hits"),
        (
            {"task": "regression", "modules": [metric_commons.load("win_rate")]},
            ValueError,
            "win_rate takes predictions; a Trainer has predictions and references",
        ),
        (
            {"task": "regression", "modules": [metric_commons.load("paired_significance")]},
            ValueError,
            "takes predictions1, predictions2",
        ),
        ({"task": "regression", "modules": [abs]}, ValueError, "names or loaded modules"),
        (
            {"task": "classification", "modules": [Hits(num_process=2, process_id=0)]},
            ValueError,
            "for 2 processes",
        ),
    ],
)
def test_what_cannot_work_is_refused_before_training(arguments, error, cause):
    with pytest.raises(error, match=cause):
        trainer_hook(**{"modules": [Hits()], **arguments})


@pytest.mark.parametrize("task", ["classification", "class_probabilities", "regression"])
def test_batches_leave_states_behind_and_not_rows(task):
    modules = ["regression"] if task == "regression" else ["classification"]
    shape = () if task == "regression" else (3,)
    batches = [
        (GENERATOR.normal(size=(rows, *shape)), GENERATOR.integers(0, 3, rows))
        for rows in (5, 8, 1)
    ]
    if task == "regression":
        batches = [(predictions, labels.astype(float)) for predictions, labels in batches]
    whole = metric_commons.trainer_hook(modules, task=task)
    *before, last = batches
    for _ in range(2):  # the second time nothing of the first is there
        for batch in before:
            assert whole(evaluation(*batch), compute_result=False) == {}
            assert not whole._rows
        scores = whole(evaluation(*last), compute_result=True)
        at_once = whole(evaluation(*map(np.concatenate, zip(*batches, strict=True))))
        assert scores == pytest.approx(at_once, rel=1e-12, nan_ok=True)


def test_texts_leave_states_behind_unless_an_option_is_a_function():
    batches = [(np.array([[2, 3, 4], [5, 6, 1]]), np.array([[3, 4, 1], [6, 1, 1]]))] * 2
    for normalizer, kept in (("squad", 0), (str.lower, 1)):
        hook = metric_commons.trainer_hook(
            ["qa_em", "qa_f1"], task="generation", tokenizer=Words(), normalizer=normalizer
        )
        assert hook(evaluation(*batches[0]), compute_result=False) == {}
        assert len(hook._rows) == kept
        scores = hook(evaluation(*batches[1]), compute_result=True)
        assert scores == hook(evaluation(*map(np.concatenate, zip(*batches, strict=True))))


class QaEm(Hits):
    """Another module of a name that one of ours has."""


def test_only_the_modules_of_the_catalog_leave_states_behind(tmp_path):
    batch = (np.array([0, 1, 2]), np.array([0, 1, 1]))
    ours = evaluate.load(str(ROOT / "metrics" / "classification"))
    for modules, kept in (
        ("classification", 0),
        (ours, 0),
        (pickle.loads(pickle.dumps(ours)), 0),
        (evaluate.load(str(bundle("classification", tmp_path))), 1),
        (Hits(), 1),
        (QaEm(), 1),
        (["classification", Hits()], 1),
    ):
        hook = metric_commons.trainer_hook(modules, task="classification")
        assert hook(evaluation(*batch), compute_result=False) == {}
        assert (len(hook._rows), bool(hook._states)) == (kept, not kept)
        twice = evaluation(*(np.concatenate([column, column]) for column in batch))
        scores = hook(evaluation(*batch))
        assert scores == hook(twice)
        if not isinstance(modules, str | list) and modules.name == "qa_em":
            assert scores == {"hits": 2 / 3, "rows": 6.0}
