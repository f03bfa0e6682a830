"""Our modules in what `evaluate` has around modules: evaluators, suites, `save`."""

import json
from importlib import import_module

import datasets
import evaluate
import pytest

import metric_commons

# What an evaluator adds to the scores.
SPEED = {"total_time_in_seconds", "samples_per_second", "latency_in_seconds"}


class Pipeline:
    """What stands for a pipeline of transformers: the output for each input, in order."""

    def __init__(self, task, outputs):
        self.task, self._outputs = task, outputs

    def __call__(self, *_, **__):
        return list(self._outputs)


@pytest.fixture
def evaluator(monkeypatch):
    """The evaluator of a task. It takes models of TensorFlow, which transformers 5 has no more."""
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    tasks = import_module("evaluate.evaluator")
    if not hasattr(transformers, "TFPreTrainedModel"):
        monkeypatch.setattr(transformers, "TFPreTrainedModel", type("TF", (), {}), raising=False)
    classes = {
        "text-classification": tasks.TextClassificationEvaluator,
        "question-answering": tasks.QuestionAnsweringEvaluator,
        "token-classification": tasks.TokenClassificationEvaluator,
        "automatic-speech-recognition": tasks.AutomaticSpeechRecognitionEvaluator,
    }
    return lambda task: classes[task](task)


def evaluated(evaluator, task, outputs, rows, metric, **options):
    """The scores of an evaluator whose pipeline has these outputs for the rows."""
    data = rows if isinstance(rows, datasets.Dataset) else datasets.Dataset.from_dict(rows)
    pipeline = Pipeline(task, outputs)
    result = evaluator(task).compute(pipeline, data=data, metric=metric, **options)
    assert result.keys() >= SPEED
    return {key: value for key, value in result.items() if key not in SPEED}


@pytest.mark.parametrize(
    "mapping", [{"NO": 0, "YES": 1}, {"NO": 0.0, "YES": 1.0}, {"a": 0, "b": 1, "c": 2}]
)
def test_text_classification(mapping, evaluator):
    module = metric_commons.load("classification")
    labels, predicted = [0, 1, 1, len(mapping) - 1], [*mapping, *mapping][:4]

    outputs = [{"label": label} for label in predicted]
    rows = {"text": ["a"] * 4, "label": labels}
    task = "text-classification"
    found = evaluated(evaluator, task, outputs, rows, module, label_mapping=mapping)

    numbers = [mapping[label] for label in predicted]
    assert found == module.compute(predictions=numbers, references=labels)


def questions(accepted):
    """A dataset in the form of SQuAD's, with these answers."""
    answers = [{"text": texts, "answer_start": [0] * len(texts)} for texts in accepted]
    rows = {name: ["?"] * len(accepted) for name in ("question", "context")}
    rows["id"] = [str(row) for row in range(len(accepted))]
    return datasets.Dataset.from_dict(rows | {"answers": answers})


def test_question_answering(evaluator):
    module = metric_commons.load("qa_f1")
    accepted = [["Oslo"], ["Eiffel Tower", "La tour Eiffel"]]
    answers = ["Bergen", "the Eiffel Tower"]

    outputs = [{"answer": answer} for answer in answers]
    task, options = "question-answering", {"squad_v2_format": False}
    found = evaluated(evaluator, task, outputs, questions(accepted), module, **options)

    assert found == module.compute(predictions=answers, references=accepted)


@pytest.mark.parametrize("result_format", [None, "seqeval"])
@pytest.mark.parametrize("kind", ["classes", "texts"])
def test_token_classification(kind, result_format, evaluator):
    module = metric_commons.load("span_f1", result_format=result_format)
    names = ["O", "B-LOC", "I-LOC", "B-PER"]
    tokens = [["New", "York"], ["Ann", "left"]]
    tags = [["B-LOC", "I-LOC"], ["B-PER", "O"]]
    predicted = [["B-LOC", "O"], ["B-PER", "O"]]
    label = datasets.ClassLabel(names=names) if kind == "classes" else datasets.Value("string")
    data = datasets.Dataset.from_dict(
        {"tokens": tokens, "ner_tags": tags},
        features=datasets.Features(
            {"tokens": datasets.List(datasets.Value("string")), "ner_tags": datasets.List(label)}
        ),
    )
    outputs = [
        [
            {"start": len(" ".join([*words[:place], ""])), "entity": tag}
            for place, tag in enumerate(row)
        ]
        for words, row in zip(tokens, predicted, strict=True)
    ]

    found = evaluated(evaluator, "token-classification", outputs, data, module)

    assert found == module.compute(predictions=predicted, references=tags)


@pytest.mark.parametrize(("name", "rate"), [("wer", 1 / 3), ("cer", 1 / 10)])
def test_speech_has_the_name_of_the_stock_module(name, rate, evaluator):
    outputs = [{"text": "the car"}, {"text": "sat"}]
    rows = {"path": ["1", "2"], "sentence": ["the cat", "sat"]}
    with metric_commons.patch_evaluate():
        found = evaluated(evaluator, "automatic-speech-recognition", outputs, rows, name)

    assert found == {name: pytest.approx(rate)}


def test_a_result_can_be_saved(tmp_path):
    """The results of all modules are plain Python, as the contract says."""
    rows = {"predictions": ["a", "the b"], "references": [["a"], ["c", "d"]]}
    result = metric_commons.load("qa_f1").compute(**rows, confidence_level=0.9, groups=[1, 2])

    path = evaluate.save(tmp_path / "result.json", **result)

    stored = json.loads(path.read_text("utf-8"))
    assert {key: stored[key] for key in result} == json.loads(json.dumps(result))
