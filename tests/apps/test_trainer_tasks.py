"""Answers, tags and speech in training: from arrays to what modules take."""

from itertools import groupby, product
from types import SimpleNamespace

import datasets
import evaluate
import numpy as np
import pytest

import metric_commons
from metric_commons.frameworks.trainers.answer_spans import QuestionAnswering
from metric_commons.frameworks.trainers.trainer import trainer_hook
from metric_commons.module.declaration.module import BatchMetric
from tests.tables import tabled

# Question answering


def slow_answer(context, features, *, n_best, max_answer_length, null_threshold):
    """The answer as the official script of transformers defines it, candidate by candidate."""
    candidates = []
    for start, end, feature in features:
        offsets = feature["offset_mapping"]
        best_starts = list(reversed(np.argsort(start).tolist()))[:n_best]
        best_ends = list(reversed(np.argsort(end).tolist()))[:n_best]
        for first, last in product(best_starts, best_ends):
            inside = max(first, last) < len(offsets) and offsets[first] and offsets[last]
            if inside and first <= last and last - first < max_answer_length:
                text = context[offsets[first][0] : offsets[last][1]]
                candidates.append((start[first] + end[last], text, start[first], end[last]))
    nulls = [(start[0] + end[0], "", start[0], end[0]) for start, end, _ in features]
    null = min(nulls, key=lambda candidate: candidate[0])
    if null_threshold is not None:
        candidates.append(null)
    candidates = sorted(candidates, key=lambda candidate: -candidate[0])[:n_best]
    if [text for _, text, _, _ in candidates] in ([], [""]):
        candidates.insert(0, (0.0, "empty", 0.0, 0.0))
    if null_threshold is None:
        return candidates[0][1]
    if not any(text for _, text, _, _ in candidates):
        return ""  # where the script fails
    _, text, start, end = next(candidate for candidate in candidates if candidate[1])
    return "" if null[0] - start - end > null_threshold else text


def questions(seed):
    """Questions, features of them, and logits with many ties."""
    generator = np.random.default_rng(seed)
    width = int(generator.integers(4, 30))
    examples, features = [], []
    for number in range(4):
        context = "".join(generator.choice(list("abcdefgh"), 60))
        answers = {"text": [context[3:6], context[8:9]], "answer_start": [3, 8]}
        examples.append({"id": f"q{number}", "context": context, "answers": answers})
        for _ in range(generator.integers(1, 3)):
            starts = generator.integers(0, 55, width).tolist()
            offsets = [(start, start + 1 + start % 4) for start in starts]
            outside = generator.random(width) < 0.3
            offsets = [
                None if out else offset for out, offset in zip(outside, offsets, strict=True)
            ]
            features.append({"example_id": f"q{number}", "offset_mapping": offsets})
    logits = [
        np.round(generator.normal(size=(len(features), width)), 1).astype("float32")
        for _ in range(2)
    ]
    return examples, features, logits


@pytest.mark.parametrize("null_threshold", [None, 0.0, -1.5])
@pytest.mark.parametrize("seed", range(40))
def test_answers_are_those_of_the_official_script(seed, null_threshold):
    examples, features, (starts, ends) = questions(seed)
    options = {
        "n_best": [2, 5, 20][seed % 3],
        "max_answer_length": [3, 30][seed % 2],
        "null_threshold": null_threshold,
    }
    task = QuestionAnswering(examples=examples, features=features, **options)
    (batch,) = task.batches(SimpleNamespace(predictions=(starts, ends), label_ids=None))

    answers, references = task.completed(*task.rows(batch)[:2])

    for example, answer, reference in zip(examples, answers, references, strict=True):
        logits = [
            (start, end, feature)
            for start, end, feature in zip(starts, ends, features, strict=True)
            if feature["example_id"] == example["id"]
        ]
        assert answer == {
            "id": example["id"],
            "prediction_text": slow_answer(example["context"], logits, **options),
            "no_answer_probability": 0.0,
        }
        assert reference == {"id": example["id"], "answers": example["answers"]}


@pytest.mark.parametrize("form", ["logits", "dictionaries"])
def test_having_no_answer_may_be_right(form):
    examples, features, (starts, ends) = questions(1)
    examples = [
        example | ({"answers": {"text": [], "answer_start": []}} if number % 2 else {})
        for number, example in enumerate(examples)
    ]
    options = {"examples": examples, "features": features, "null_threshold": 0.0}
    task = QuestionAnswering(**options)
    (batch,) = task.batches(SimpleNamespace(predictions=(starts, ends), label_ids=None))
    answers, references = task.completed(*task.rows(batch)[:2])
    expected = metric_commons.load("squad_v2").compute(predictions=answers, references=references)
    if form == "logits":
        hook = trainer_hook("squad_v2", task="question_answering", **options)
        evaluation = SimpleNamespace(predictions=(starts, ends), label_ids=(starts, ends))
    else:
        hook = trainer_hook("squad_v2", task="question_answering")
        evaluation = SimpleNamespace(predictions=answers, label_ids=references)

    assert hook(evaluation) == expected
    assert expected["NoAns_total"] > 0
    assert hook.greater_is_better("best_f1")


@pytest.mark.parametrize("form", ["whole", "batches", "one by one", "dictionaries"])
def test_answers_are_scored(form):
    examples, features, (starts, ends) = questions(1)
    hook = trainer_hook(
        ["qa_f1", "qa_em"], task="question_answering", examples=examples, features=features
    )
    task = QuestionAnswering(examples=examples, features=features)
    (batch,) = task.batches(SimpleNamespace(predictions=(starts, ends), label_ids=None))
    answers, references = task.completed(*task.rows(batch)[:2])
    texts = [answer["prediction_text"] for answer in answers]
    expected = {}
    for name in ("qa_f1", "qa_em"):
        accepted = [reference["answers"]["text"] for reference in references]
        expected |= metric_commons.load(name).compute(predictions=texts, references=accepted)

    def evaluation(rows):
        logits = starts[rows], ends[rows]
        return SimpleNamespace(
            predictions=hook.preprocess_logits_for_metrics((*logits, None), starts[rows]),
            label_ids=(np.zeros(len(starts[rows])), np.zeros(len(starts[rows]))),
        )

    if form == "dictionaries":
        result = trainer_hook(["qa_f1", "qa_em"], task="question_answering")(
            SimpleNamespace(predictions=answers, label_ids=references)
        )
    elif form == "one by one":
        assert hook(evaluation(slice(0, 2)), compute_result=False) == {}
        result = hook(evaluation(slice(2, None)))
    elif form == "batches":
        parts = [evaluation(slice(0, 2)), evaluation(slice(2, None))]
        result = hook(
            SimpleNamespace(predictions=[part.predictions for part in parts], label_ids=None)
        )
    else:
        result = hook(evaluation(slice(None)))

    assert result == expected


@pytest.mark.parametrize(
    ("change", "cause"),
    tabled(__file__, "what_answers_need_is_said"),
)
def test_what_answers_need_is_said(change, cause):
    examples, features, logits = questions(2)
    arguments = {"examples": examples, "features": features, **change}

    def score():
        hook = trainer_hook("qa_em", task="question_answering", **arguments)
        hook(SimpleNamespace(predictions=tuple(logits), label_ids=None))

    with pytest.raises(ValueError, match=cause):
        score()


def test_logits_of_answers_are_finite():
    examples, features, (starts, ends) = questions(2)
    starts[3, 1] = np.nan
    hook = trainer_hook("qa_em", task="question_answering", examples=examples, features=features)

    with pytest.raises(ValueError, match=r"predictions\[3\] has logits that are not finite"):
        hook(SimpleNamespace(predictions=(starts, ends), label_ids=None))


# Tags, and speech


class Tags(BatchMetric):
    """The share of sequences whose tags are all right, as `span_f1` takes them."""

    def _info(self):
        tags = datasets.List(datasets.Value("string"))
        return evaluate.MetricInfo(
            description="",
            citation="",
            features=datasets.Features({"predictions": tags, "references": tags}),
        )

    def _compute(self, *, predictions, references):
        self.seen = predictions, references
        return {"right": float(np.mean([p == r for p, r in zip(*self.seen, strict=True)]))}


def test_tags_have_their_names_where_labels_count():
    module = Tags()
    hook = trainer_hook(module, task="sequence_labeling", id2label={0: "O", 1: "B-A", 2: "I-A"})
    logits = 4.0 * np.eye(3)[[[0, 1, 2], [1, 0, 0], [2, 2, 2]]]
    labels = np.array([[0, 1, -100], [1, 2, 0], [-100, -100, -100]])
    expected = ([["O", "B-A"], ["B-A", "O", "O"]], [["O", "B-A"], ["B-A", "I-A", "O"]])

    for batch in (logits, hook.preprocess_logits_for_metrics(logits, labels)):
        assert hook(SimpleNamespace(predictions=batch, label_ids=labels)) == {"right": 0.5}
        assert module.seen == expected


def test_tags_are_scored_by_their_entities():
    names = ["O", "B-PER", "I-PER", "B-LOC"]
    hook = trainer_hook("span_f1", task="sequence_labeling", id2label=names)
    tags, labels = np.array([[1, 2, 0, 3], [3, 0, 0, 0]]), np.array([[1, 2, 0, 3], [0, 0, 3, -100]])
    expected = metric_commons.load("span_f1").compute(
        predictions=[["B-PER", "I-PER", "O", "B-LOC"], ["B-LOC", "O", "O"]],
        references=[["B-PER", "I-PER", "O", "B-LOC"], ["O", "O", "B-LOC"]],
    )

    result = hook(SimpleNamespace(predictions=4.0 * np.eye(4)[tags], label_ids=labels))

    assert result["f1"] == expected["f1"] == 2 / 3
    assert result["PER_f1"] == expected["per_type"]["PER"]["f1"] == 1.0
    assert set(map(type, result.values())) == {float}


class Letters:
    """A tokenizer whose tokens are letters; one of a CTC model joins equal ones."""

    def __init__(self, ctc):
        if ctc:
            self.word_delimiter_token = "|"

    def batch_decode(self, rows, skip_special_tokens, group_tokens=True):
        if hasattr(self, "word_delimiter_token") and group_tokens:
            rows = [
                [token for i, token in enumerate(row) if i == 0 or row[i - 1] != token]
                for row in rows
            ]
        return ["".join("_ab|"[token] for token in row if token).replace("|", " ") for row in rows]


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


class Characters:
    """A tokenizer of a CTC model as transformers has it: 0 is padding, the blank; 4 is <unk>."""

    word_delimiter_token = "|"

    def batch_decode(self, rows, *, skip_special_tokens=False, group_tokens=True):
        special = (0, 4) if skip_special_tokens else (0,)
        texts = []
        for row in rows:
            grouped = [token for token, _ in groupby(row)] if group_tokens else row
            letters = ["_", "a", "b", "|", "<unk>"]
            texts.append("".join(letters[token] for token in grouped if token not in special))
        return [text.replace("|", " ") for text in texts]


def test_unknown_letters_of_a_ctc_model_are_letters():
    """As in run_speech_recognition_ctc.py, which decodes with special tokens."""
    tokenizer = Characters()
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


def test_a_plain_trainer_needs_the_positions_of_answers():
    questions = [{"id": "a", "context": "Oslo", "answers": {"text": ["Oslo"], "answer_start": [0]}}]
    features = [{"example_id": "a", "offset_mapping": [None, (0, 4)]}]
    logits = (np.zeros((1, 2)), np.zeros((1, 2)))
    hook = trainer_hook("qa_f1", task="question_answering", examples=questions, features=features)
    with pytest.raises(ValueError, match="has no start_positions and end_positions"):
        hook.preprocess_logits_for_metrics(logits, None)
    labels = (np.zeros(1), np.zeros(1))
    assert hook.preprocess_logits_for_metrics(logits, labels) is not None
    # The QuestionAnsweringTrainer of run_qa needs no positions: it passes the answers themselves.
    hook = trainer_hook("qa_f1", task="question_answering")
    assert hook.preprocess_logits_for_metrics(logits, None) is not None


@pytest.mark.parametrize("kind", [list, datasets.Dataset.from_list])
def test_a_dataset_without_labels_is_one_warning(kind):
    questions = [{"id": "a", "context": "Oslo", "answers": {"text": ["Oslo"], "answer_start": [0]}}]
    row = {"example_id": "a", "offset_mapping": [None, (0, 4)], "input_ids": [1, 2]}
    hook = {"task": "question_answering", "examples": questions}

    with pytest.warns(UserWarning, match="no start_positions and end_positions: a Tr") as caught:
        trainer_hook("qa_f1", **hook, features=kind([row]))
    assert len(caught) == 1
    assert caught[0].filename == __file__
    trainer_hook(
        "qa_f1", **hook, features=kind([{**row, "start_positions": 1, "end_positions": 1}])
    )
    trainer_hook("qa_f1", task="question_answering", features=kind([row]))  # of run_qa


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
