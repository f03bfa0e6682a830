"""`result_format`: the inputs, options and results of a stock module, and of no other."""

import copy
import pickle

import datasets
import evaluate
import numpy as np
import pytest

from metric_commons import load
from metric_commons.module.catalog.catalog import load_without_evaluate
from tests.spec import ROOT
from tests.tables import by_table

LABELS = {"predictions": [0, 1, 1], "references": [0, 1, 0]}
RESULT = {"accuracy": 2 / 3, "f1": 2 / 3}
TEXT = datasets.Value("string")
SCORES = {"prediction_scores": [0.5, 0.25, 0.75, 0.1], "references": [0, 1, 1, 0]}


def test_a_format_is_set_at_load_or_in_compute():
    assert load("classification", result_format="glue/mrpc").compute(**LABELS) == RESULT
    assert load("classification").compute(**LABELS, result_format="glue/mrpc") == RESULT
    assert load_without_evaluate("classification", result_format="glue/mrpc").compute(**LABELS) == (
        RESULT
    )


def test_a_format_at_load_gives_way_to_one_of_compute():
    module = load("classification", result_format="f1")

    assert module.compute(**LABELS, result_format="glue/mrpc") == RESULT
    assert "mcc" in module.compute(**LABELS, result_format=None)


@by_table("name, configuration, result_format")
def test_a_configuration_is_short_for_a_format(name, configuration, result_format):
    assert load(name, configuration).options["result_format"] == result_format


def test_a_configuration_and_another_format_contradict():
    with pytest.raises(ValueError, match="'mrpc' stands for result_format='glue/mrpc'"):
        load("classification", "mrpc", result_format="f1")
    assert load("classification", "mrpc", result_format="glue/mrpc").compute(**LABELS) == RESULT


@pytest.mark.parametrize("configuration", ["multilabel", "multiclass", "default"])
def test_a_configuration_for_inputs_goes_with_a_format(configuration):
    module = load("classification", configuration, result_format="f1")

    assert module.compute(predictions=[[0, 1]], references=[[0, 1]], average="micro") == {"f1": 1.0}


def test_options_of_a_stock_module_need_its_format():
    module = load("classification")
    with pytest.raises(TypeError, match="Classification has no option 'normalize'"):
        module.compute(**LABELS, normalize=False)
    with pytest.raises(TypeError, match="result_format='f1' has no option 'normalize'"):
        module.compute(**LABELS, result_format="f1", normalize=False)
    assert module.compute(**LABELS, result_format="accuracy", normalize=False) == {"accuracy": 2.0}


def test_own_options_do_not_go_with_a_format():
    with pytest.raises(TypeError, match="result_format='rouge' has no option 'normalizer'"):
        load("rouge_n_l", result_format="rouge", normalizer="lower")
    with pytest.raises(TypeError, match="result_format='f1' has no option 'confidence_level'"):
        load("classification").compute(**LABELS, result_format="f1", confidence_level=0.9)
    lower = load("rouge_n_l", normalizer="lower")
    with pytest.raises(TypeError, match="result_format='rouge' has no option 'normalizer'"):
        lower.compute(predictions=["a"], references=["a"], result_format="rouge")


def test_inputs_of_a_stock_module_need_its_format():
    module = load("classification")
    with pytest.raises(TypeError, match="Classification has no option 'prediction_scores'"):
        module.compute(**SCORES)
    assert module.compute(**SCORES, result_format="roc_auc") == {"roc_auc": 0.75}
    auc = load("classification", "roc_auc")
    with pytest.raises(ValueError, match="prediction_scores is missing"):
        auc.compute(references=[0, 1])


def test_predictions_are_refused_where_a_stock_module_has_other_inputs():
    with pytest.raises(TypeError, match="predictions is not an input of result_format='roc_auc'"):
        load("classification", "roc_auc").compute(predictions=[0.5], **SCORES)


def test_rows_may_be_added_in_batches():
    auc = load("classification", "roc_auc")
    for rows in (slice(0, 1), slice(1, 4)):
        auc.add_batch(**{name: column[rows] for name, column in SCORES.items()})
    assert auc.compute() == {"roc_auc": 0.75}

    for reference, score in zip(SCORES["references"], SCORES["prediction_scores"], strict=True):
        auc.add(reference=reference, prediction_scores=score)
    assert auc.compute() == {"roc_auc": 0.75}

    module = load("classification")
    module.add_batch(predictions=LABELS["predictions"][:1], references=LABELS["references"][:1])
    rest = {name: column[1:] for name, column in LABELS.items()}
    assert module.compute(**rest, result_format="glue/mrpc") == RESULT
    assert len(module) == 0


@pytest.mark.parametrize("pack", [copy.deepcopy, lambda module: pickle.loads(pickle.dumps(module))])
@pytest.mark.parametrize("loaded", [load, load_without_evaluate])
def test_a_copy_keeps_format_and_rows(pack, loaded):
    auc = loaded("classification", result_format="roc_auc")
    auc.add_batch(**SCORES)
    other = pack(auc)

    assert other.compute() == auc.compute() == {"roc_auc": 0.75}


@pytest.mark.parametrize("kind", [np.array, lambda rows: np.array(rows, np.float32), tuple])
def test_labels_may_come_in_any_column(kind):
    columns = {name: kind(column) for name, column in LABELS.items()}
    assert load("classification", "mrpc").compute(**columns) == RESULT


def test_a_label_that_is_not_whole_is_refused():
    with pytest.raises(ValueError, match=r"predictions\[1\] is 0\.5; labels are whole numbers"):
        load("classification", "mrpc").compute(predictions=[0.0, 0.5], references=[0, 1])


@pytest.mark.parametrize("result_format", ["accuracies", "mrpc", 1])
def test_an_unknown_format_is_refused(result_format):
    with pytest.raises(ValueError, match="result_format must be"):
        load("classification", result_format=result_format)


def test_a_module_without_formats_has_no_such_option():
    with pytest.raises(TypeError, match="no option 'result_format'"):
        load("win_rate", result_format="accuracy")


def test_nothing_but_the_keys_of_the_stock_module():
    sacrebleu = load("bleu", "sacrebleu")
    assert list(sacrebleu.compute(predictions=["a b"], references=[["a b"]])) == [
        *("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")
    ]


@pytest.mark.parametrize("average", ["micro", "macro", "weighted", None])
@pytest.mark.parametrize("undefined", [0.0, 1.0])
def test_labels_that_are_in_no_row_have_undefined_scores(average, undefined):
    precision = load("classification", "precision")
    options = {"average": average, "zero_division": undefined}
    value = undefined if average else [undefined, undefined]

    assert precision.compute(**LABELS, labels=[7, 9], **options) == {"precision": value}
    assert precision.compute(**LABELS, labels=[7], **options) == {"precision": undefined}
    if average:
        assert load("classification", "f1").compute(**LABELS, labels=[7], average=average) == {
            "f1": 0.0
        }


def test_rows_with_labels_of_another_number_are_refused():
    matthews = load("classification", "matthews_correlation")
    with pytest.raises(ValueError, match=r"predictions\[0\] has 2 labels, but ref"):
        matthews.compute(predictions=[[0, 1], [1, 0]], references=[[0], [1]])
    with pytest.raises(ValueError, match=r"predictions\[0\] has no labels"):
        matthews.compute(predictions=[[], []], references=[[], []], average="macro")


def test_one_column_of_scores_is_one_score_per_row():
    column = {**SCORES, "prediction_scores": [[score] for score in SCORES["prediction_scores"]]}
    assert load("classification", "roc_auc").compute(**column) == {"roc_auc": 0.75}


@pytest.mark.parametrize("undefined", ["warn", 0, 1, 0.0, 1.0])
def test_the_values_of_zero_division_of_seqeval(undefined):
    seqeval = load("span_f1", "seqeval")
    columns = {"predictions": [["O", "O"]], "references": [["B-PER", "O"]]}
    value = 0.0 if undefined == "warn" else float(undefined)

    assert seqeval.compute(**columns, zero_division=undefined)["overall_precision"] == value
    with pytest.raises(ValueError, match=r"zero_division must be 'warn', 0 or 1, got 0\.5"):
        seqeval.compute(**columns, zero_division=0.5)


@by_table("name, configuration, predictions, problem")
def test_values_that_the_stock_modules_change_are_refused(
    name, configuration, predictions, problem
):
    references = [0, 1][: len(predictions)]
    with pytest.raises(ValueError, match=problem):
        load(name, configuration).compute(predictions=predictions, references=references)


class Stock(evaluate.Metric):
    """A module that inherits from evaluate what it does to its inputs, and returns them."""

    def _info(self):
        features = datasets.Features(dict.fromkeys(("predictions", "references"), TEXT))
        return evaluate.MetricInfo("", "", features)

    def _compute(self, **columns):
        return columns


def test_numbers_among_texts_become_texts_in_stock_modules():
    columns = {"predictions": ["a", 1], "references": ["a", "1"]}

    assert Stock().compute(**columns)["predictions"] == ["a", "1"]
    with pytest.raises(ValueError, match=r"predictions\[1\] is 1 \(int\); expected str"):
        load("error_rate", "wer").compute(**columns)
    assert "a later `1` becomes" in (ROOT / "docs" / "build_site.py").read_text("utf-8")


def test_lengths_of_google_bleu_are_in_order():
    with pytest.raises(ValueError, match="min_len exceeds max_len, 2"):
        load("bleu", "google_bleu").compute(
            predictions=["a"], references=["a"], min_len=3, max_len=2
        )


def test_a_table_of_questions_is_a_column():
    answers = [{"id": name, "prediction_text": "in Oslo"} for name in "ab"]
    accepted = {"text": ["Oslo"], "answer_start": [0]}
    questions = [{"id": name, "answers": accepted} for name in "ab"]
    squad = load("qa_f1", "squad")

    assert squad.compute(
        predictions=datasets.Dataset.from_list(answers),
        references=datasets.Dataset.from_list(questions),
    ) == squad.compute(predictions=answers, references=questions)


def test_repeated_ids_of_squad_are_rows_of_their_own():
    accepted = {"text": ["Oslo"], "answer_start": [0]}
    questions = [{"id": "a", "answers": accepted}] * 2
    answers = [{"id": "a", "prediction_text": text} for text in ("Oslo", "Rome")]

    result = load("qa_f1", "squad").compute(predictions=answers, references=questions)
    assert result == {"exact_match": 50.0, "f1": 50.0}
    with pytest.raises(ValueError, match="repeats the id 'a'"):
        load("qa_f1", "squad").compute(
            predictions=answers, references=[*questions[:1], {"id": "b", "answers": accepted}]
        )
