"""Answers, tags and speech in training: from arrays to what modules take."""

from itertools import groupby
from types import SimpleNamespace

import numpy as np
import pytest

import metric_commons
from metric_commons.frameworks.trainers.trainer import trainer_hook

# Question answering

ANSWERS = [
    {"id": "a", "prediction_text": "Oslo", "no_answer_probability": 0.0},
    {"id": "b", "prediction_text": "", "no_answer_probability": 0.0},
    {"id": "c", "prediction_text": "the Rhine", "no_answer_probability": 0.0},
]
QUESTIONS = [
    {"id": name, "answers": {"text": texts, "answer_start": [0] * len(texts)}}
    for name, texts in (("a", ["Oslo"]), ("b", []), ("c", ["Rhine", "Elbe"]))
]


def test_answers_are_scored_as_the_trainer_of_run_qa_passes_them():
    hook = trainer_hook(["squad_v2", "qa_f1"], task="question_answering")
    texts = {"predictions": ["Oslo", "the Rhine"], "references": [["Oslo"], ["Rhine", "Elbe"]]}
    rows = [0, 2]
    answers, questions = ([side[row] for row in rows] for side in (ANSWERS, QUESTIONS))
    expected = metric_commons.load("qa_f1").compute(**texts) | metric_commons.load(
        "squad_v2"
    ).compute(predictions=answers, references=questions)
    logits = (np.zeros((1, 2)), np.zeros((1, 2)))

    assert hook(SimpleNamespace(predictions=answers, label_ids=questions)) == expected
    assert hook.preprocess_logits_for_metrics(logits, None) is logits
    assert hook.greater_is_better("best_f1")


def test_having_no_answer_may_be_right():
    hook = trainer_hook("squad_v2", task="question_answering")
    expected = metric_commons.load("squad_v2").compute(predictions=ANSWERS, references=QUESTIONS)

    assert hook(SimpleNamespace(predictions=ANSWERS, label_ids=QUESTIONS)) == expected
    assert expected["NoAns_total"] == 1


def test_logits_are_no_answers():
    hook = trainer_hook("qa_em", task="question_answering")
    with pytest.raises(ValueError, match="takes SQuAD's dictionaries"):
        hook(SimpleNamespace(predictions=(np.zeros((1, 2)),) * 2, label_ids=None))


# Tags, and speech


def test_tags_are_scored_by_their_entities():
    names = ["O", "B-PER", "I-PER", "B-LOC"]
    hook = trainer_hook("span_f1", task="sequence_labeling", id2label=names)
    tags = np.array([[1, 2, 0, 3], [3, 0, 0, 0], [2, 2, 2, 2]])
    labels = np.array([[1, 2, 0, 3], [0, 0, 3, -100], [-100] * 4])
    logits = 4.0 * np.eye(4)[tags]
    expected = metric_commons.load("span_f1").compute(
        predictions=[["B-PER", "I-PER", "O", "B-LOC"], ["B-LOC", "O", "O"]],
        references=[["B-PER", "I-PER", "O", "B-LOC"], ["O", "O", "B-LOC"]],
    )

    for batch in (logits, hook.preprocess_logits_for_metrics(logits, labels)):
        result = hook(SimpleNamespace(predictions=batch, label_ids=labels))

        assert result["f1"] == expected["f1"] == 2 / 3
        assert result["PER_f1"] == expected["per_type"]["PER"]["f1"] == 1.0
        assert result["accuracy"] == expected["accuracy"]
        assert set(map(type, result.values())) == {float}


class Letters:
    """A tokenizer of letters: 0 is padding, or the blank of a CTC model, which joins equal ones."""

    def __init__(self, *, ctc=True):
        if ctc:
            self.word_delimiter_token = "|"

    def batch_decode(self, rows, *, skip_special_tokens=False, group_tokens=True):
        special = (0, 4) if skip_special_tokens else (0,)
        is_grouped = group_tokens and hasattr(self, "word_delimiter_token")
        texts = []
        for row in rows:
            grouped = [token for token, _ in groupby(row)] if is_grouped else row
            letters = ["_", "a", "b", "|", "<unk>"]
            texts.append("".join(letters[token] for token in grouped if token not in special))
        return [text.replace("|", " ") for text in texts]


def test_speech_is_compared_as_text():
    texts = SimpleNamespace(predictions=["aa b", "b"], references=["aa b", "a"])
    expected = metric_commons.load("qa_em", normalizer="none").compute(**vars(texts))
    generated = np.array([[1, 1, 3, 2, 0, -100], [2, 0, -100, -100, -100, -100]])
    labels = np.array([[1, 1, 3, 2], [1, -100, -100, -100]])
    frames = np.array([[1, 0, 1, 3, 2, 2], [2, 2, 2, -100, -100, -100]])
    logits = np.where((frames == -100)[..., None], -100.0, 4.0 * np.eye(4)[frames % 4])

    for ctc, predictions in ((False, generated), (True, logits)):
        hook = trainer_hook("qa_em", task="speech", tokenizer=Letters(ctc=ctc), normalizer="none")
        reduced = hook.preprocess_logits_for_metrics(predictions, labels)
        for given in (predictions, reduced):
            result = hook(SimpleNamespace(predictions=given, label_ids=labels))
            assert result == expected == {"qa_em": 0.5}


def test_unknown_letters_of_a_ctc_model_are_letters():
    """As in run_speech_recognition_ctc.py, which decodes with special tokens."""
    tokenizer = Letters()
    frames = np.array([[1, 0, 4, 3, 2, 2], [2, 2, 0, 2, 4, 4]])
    labels = np.array([[1, 2, 3, 2, -100], [2, 2, -100, -100, -100]])
    texts = {
        "predictions": tokenizer.batch_decode(frames),
        "references": tokenizer.batch_decode(
            np.where(labels == -100, 0, labels), group_tokens=False
        ),
    }
    rates = {}
    for rate, unit in (("wer", "word"), ("cer", "character")):
        hook = trainer_hook("error_rate", task="speech", tokenizer=tokenizer, unit=unit)
        result = hook(SimpleNamespace(predictions=4.0 * np.eye(5)[frames], label_ids=labels))
        rates[rate] = result[rate]
        assert rates[rate] == metric_commons.load("error_rate").compute(**texts, unit=unit)[rate]

    assert texts["predictions"] == ["a<unk> b", "bb<unk>"]
    assert rates == {"wer": 2 / 3, "cer": 10 / 6}


def test_speech_is_scored_by_its_errors():
    hook = trainer_hook("error_rate", task="speech", tokenizer=Letters(ctc=False))
    heard, spoken = np.array([[1, 3, 2, 2]]), np.array([[1, 3, 2, 1]])  # "a bb" for "a ba"

    result = hook(SimpleNamespace(predictions=heard, label_ids=spoken))

    assert (result["wer"], result["hits"]) == (0.5, 1.0)
    assert not hook.greater_is_better("wer")


@pytest.mark.parametrize(
    ("task", "cause"), [("sequence_labeling", "needs id2label"), ("speech", "needs the processor")]
)
def test_what_tags_and_speech_need_is_said(task, cause):
    with pytest.raises(ValueError, match=cause):
        trainer_hook("qa_em", task=task)
