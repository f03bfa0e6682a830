"""The official training scripts, with the stock module and with ours: one row for each score.

Each function does with logits or texts what `compute_metrics` of a script of transformers, or the
loop of an example of accelerate, does with them; `metric` is the loaded module, and nothing else
changes. `run_glue`, `run_classification`, `run_summarization`, `run_translation`, `run_qa`,
`run_ner`, `run_clm`, `run_swag` and `run_speech_recognition_seq2seq` were read in a snapshot of
transformers 5; accelerate's `nlp_example` is restated from knowledge of it. Stock values come from
the libraries behind the stock modules: scikit-learn, rouge_score, sacrebleu,
seqeval, jiwer and SQuAD's definition.

`python -m tests.apps.official_scripts` prints the table.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import metric_commons
from tests.squad import official, squad
from tests.text_oracles import squad as normalized

GENERATOR = np.random.default_rng(15)
LABELS = GENERATOR.integers(0, 2, 40)
LOGITS = GENERATOR.normal(size=(40, 2)) + np.eye(2)[LABELS]
CLASSES = GENERATOR.integers(0, 3, 40)
CLASS_LOGITS = GENERATOR.normal(size=(40, 3)) + np.eye(3)[CLASSES]
SEVERAL = GENERATOR.integers(0, 2, (40, 4)).astype("float32")  # as the loss takes them
SEVERAL_LOGITS = GENERATOR.normal(size=(40, 4)) + SEVERAL - 0.5
NUMBERS = GENERATOR.normal(size=40).astype("float32")
OUTPUTS = (NUMBERS + GENERATOR.normal(size=40)).astype("float32")[:, None]
TOKENS = GENERATOR.integers(0, 9, (8, 12))
NEXT = np.roll(np.where(GENERATOR.random((8, 12)) < 0.5, TOKENS, 0), -1, 1)
WORDS = "the a cat dog sat on in Paris Eiffel Tower is running runs".split()
WRITTEN = [" ".join(GENERATOR.choice(WORDS, 6)) for _ in range(12)]
TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
TAG_LABELS = np.where(GENERATOR.random((8, 12)) < 0.8, GENERATOR.integers(0, 5, (8, 12)), -100)
TAG_PREDICTIONS = np.where(GENERATOR.random((8, 12)) < 0.7, np.maximum(TAG_LABELS, 0), 1)
EXPECTED = [" ".join([*text.split()[:3], *GENERATOR.choice(WORDS, 3)]) for text in WRITTEN]


# What the scripts do


def run_glue(metric: Any, logits: Any, labels: Any, *, is_regression: bool = False) -> Any:
    predictions = np.squeeze(logits) if is_regression else np.argmax(logits, axis=1)
    result = metric.compute(predictions=predictions, references=labels)
    if len(result) > 1:
        result["combined_score"] = np.mean(list(result.values())).item()
    return result


def run_classification(metric: Any, logits: Any, labels: Any) -> Any:
    predictions = np.array([np.where(row > 0, 1, 0) for row in logits])
    result = metric.compute(predictions=predictions, references=labels, average="micro")
    if len(result) > 1:
        result["combined_score"] = np.mean(list(result.values())).item()
    return result


def run_summarization(metric: Any, texts: list[str], references: list[str]) -> Any:
    # Sentences stand on lines of their own; here each text is one.
    result = metric.compute(predictions=texts, references=references, use_stemmer=True)
    return {key: round(value * 100, 4) for key, value in result.items()}


def run_qa(metric: Any, predictions: Any, references: Any) -> Any:
    return metric.compute(predictions=predictions, references=references)


def run_clm(metric: Any, predictions: Any, labels: Any) -> Any:
    return metric.compute(
        predictions=predictions[:, :-1].reshape(-1), references=labels[:, 1:].reshape(-1)
    )


def run_translation(metric: Any, texts: list[str], references: list[str]) -> Any:
    result = metric.compute(
        predictions=[text.strip() for text in texts],
        references=[[text.strip()] for text in references],
    )
    return {"bleu": round(result["score"], 4)}


def run_ner(metric: Any, predictions: Any, labels: Any) -> Any:
    pairs = [list(zip(*rows, strict=True)) for rows in zip(predictions, labels, strict=True)]
    results = metric.compute(
        predictions=[[TAGS[p] for p, label in row if label != -100] for row in pairs],
        references=[[TAGS[label] for _, label in row if label != -100] for row in pairs],
    )
    scores = ("precision", "recall", "f1", "accuracy")
    flat = {score: results[f"overall_{score}"] for score in scores}
    for key, value in results.items():  # with --return_entity_level_metrics
        if isinstance(value, dict):
            flat |= {f"{key}_{name}": number for name, number in value.items()}
    return flat


def run_speech_recognition_seq2seq(metric: Any, texts: list[str], references: list[str]) -> Any:
    return {"wer": metric.compute(predictions=texts, references=references)}


def nlp_example(metric: Any, logits: Any, labels: Any) -> Any:
    for start in range(0, len(labels), 16):
        rows = slice(start, start + 16)
        metric.add_batch(predictions=logits[rows].argmax(-1), references=labels[rows])
    return metric.compute()


# What the stock modules return


def of_translations() -> float:
    import sacrebleu

    return round(float(sacrebleu.corpus_bleu(WRITTEN, [EXPECTED]).score), 4)


def of_entities(score: str) -> float:
    from seqeval import metrics

    kept = TAG_LABELS != -100
    tags = [
        [[TAGS[tag] for tag in row[mask]] for row, mask in zip(table, kept, strict=True)]
        for table in (TAG_LABELS, TAG_PREDICTIONS)
    ]
    return float(getattr(metrics, f"{score}_score")(*tags))


def of_transcripts() -> float:
    import jiwer

    return float(jiwer.wer(EXPECTED, WRITTEN))


def of_labels(score: str, predictions: Any, references: Any, **options: Any) -> float:
    from sklearn import metrics

    return float(getattr(metrics, score)(references, predictions, **options))


def of_numbers(score: str) -> float:
    from scipy import stats
    from sklearn.metrics import mean_squared_error

    predictions = OUTPUTS[:, 0].astype(float)
    if score == "mse":
        return float(mean_squared_error(NUMBERS, predictions))
    return float(getattr(stats, f"{score}r")(predictions, NUMBERS).statistic)


def of_summaries(kind: str) -> float:
    from rouge_score import rouge_scorer

    scorer = rouge_scorer.RougeScorer([kind], use_stemmer=True)
    pairs = zip(EXPECTED, WRITTEN, strict=True)
    return 100 * math.fsum(scorer.score(*pair)[kind].fmeasure for pair in pairs) / len(WRITTEN)


def of_answers(score: str) -> float:
    """SQuAD's exact match and F1, of the best accepted answer."""

    def f1(prediction: str, reference: str) -> float:
        words = [normalized(text).split() for text in (prediction, reference)]
        shared = sum((Counter(words[0]) & Counter(words[1])).values())
        return 2 * shared / (len(words[0]) + len(words[1]))

    def exact(prediction: str, reference: str) -> float:
        return float(normalized(prediction) == normalized(reference))

    best = [
        max((f1 if score == "f1" else exact)(prediction, text) for text in texts)
        for prediction, texts in zip(*ANSWERS, strict=True)
    ]
    return math.fsum(best) / len(best)


ANSWERS = (WRITTEN, [[text, other] for text, other in zip(EXPECTED, WRITTEN[::-1], strict=True)])
ANSWERS[1][0].append(f"The {WRITTEN[0]}!")
# Every third question has no answer, and every other prediction of those is none.
UNANSWERABLE = squad(
    ["" if row % 6 == 0 else text for row, text in enumerate(WRITTEN)],
    [[] if row % 3 == 0 else texts for row, texts in enumerate(ANSWERS[1])],
)
for row in UNANSWERABLE["predictions"]:
    row["no_answer_probability"] = 0.0  # as the script writes it


@dataclass(frozen=True)
class Row:
    """A score of a script."""

    script: str
    stock: str  # module and key
    ours: str  # module and key
    stock_value: Callable[[], float]
    our_result: Callable[[], Mapping[str, Any]]
    scale: float = 1.0  # of ours, where the stock module has percents

    @property
    def key(self) -> str:
        return self.ours.rpartition(" ")[2]

    def value(self) -> float:
        return self.scale * float(self.our_result()[self.key])


def _load(name: str, **settings: Any) -> Any:
    return metric_commons.load(name, **settings)


def _glue(logits: Any, labels: Any) -> Callable[[], Any]:
    return lambda: run_glue(_load("classification"), logits, labels)


PREDICTED, PREDICTED_CLASSES = LOGITS.argmax(1), CLASS_LOGITS.argmax(1)
MULTILABEL = (SEVERAL_LOGITS > 0).astype(int)

ROWS = [
    *(
        Row(
            f"run_glue, {task}",
            stock,
            f"classification {key}",
            lambda score=score: of_labels(score, PREDICTED, LABELS),
            _glue(LOGITS, LABELS),
        )
        for task, stock, key, score in (
            ("sst2", "accuracy", "accuracy", "accuracy_score"),
            ("mrpc", "glue f1", "f1", "f1_score"),
            ("cola", "glue matthews_correlation", "mcc", "matthews_corrcoef"),
        )
    ),
    *(
        Row(
            "run_glue, stsb",
            f"glue {score}",
            f"regression {score}",
            lambda score=score: of_numbers(score),
            lambda: run_glue(
                _load("regression", measures=("pearson", "spearman", "mse")),
                OUTPUTS,
                NUMBERS,
                is_regression=True,
            ),
        )
        for score in ("pearson", "spearman", "mse")
    ),
    Row(
        "run_classification, three classes",
        "accuracy",
        "classification accuracy",
        lambda: of_labels("accuracy_score", PREDICTED_CLASSES, CLASSES),
        _glue(CLASS_LOGITS, CLASSES),
    ),
    Row(
        "run_classification, multilabel",
        "f1 (multilabel, micro)",
        "classification f1",
        lambda: of_labels("f1_score", MULTILABEL, SEVERAL, average="micro"),
        lambda: run_classification(_load("classification"), SEVERAL_LOGITS, SEVERAL),
    ),
    Row(
        "run_classification, regression",
        "mse",
        "regression mse",
        lambda: of_numbers("mse"),
        lambda: run_glue(_load("regression"), OUTPUTS, NUMBERS, is_regression=True),
    ),
    *(
        Row(
            "run_summarization",
            f"rouge {kind}",
            f"rouge_n_l {kind}",
            lambda kind=kind: round(of_summaries(kind), 4),
            lambda: run_summarization(
                _load("rouge_n_l", rouge_types=("rouge1", "rouge2", "rougeL", "rougeLsum")),
                WRITTEN,
                EXPECTED,
            ),
        )
        for kind in ("rouge1", "rouge2", "rougeL", "rougeLsum")
    ),
    *(
        Row(
            "run_qa, SQuAD v1",
            f"squad {stock}",
            f"{module} {module}",
            lambda stock=stock: 100 * of_answers(stock),
            lambda module=module: run_qa(_load(module), *squad(*ANSWERS).values()),
            scale=100.0,
        )
        for module, stock in (("qa_em", "exact_match"), ("qa_f1", "f1"))
    ),
    *(
        Row(
            "run_qa, SQuAD v2",
            f"squad_v2 {key}",
            f"squad_v2 {key}",
            lambda key=key: 100 * official(UNANSWERABLE)[key],
            lambda: run_qa(_load("squad_v2"), *UNANSWERABLE.values()),
            scale=100.0,
        )
        for key in ("exact", "f1", "HasAns_f1", "NoAns_f1", "best_f1")
    ),
    Row(
        "run_clm",
        "accuracy",
        "classification accuracy",
        lambda: of_labels("accuracy_score", TOKENS[:, :-1].ravel(), NEXT[:, 1:].ravel()),
        lambda: run_clm(_load("classification"), TOKENS, NEXT),
    ),
    Row(
        "run_swag",
        "(of its own) accuracy",
        "classification accuracy",
        lambda: float((PREDICTED_CLASSES == CLASSES).mean()),
        lambda: _load("classification").compute(predictions=PREDICTED_CLASSES, references=CLASSES),
    ),
    *(
        Row(
            "accelerate nlp_example",
            f"glue {key}",
            f"classification {key}",
            lambda score=score: of_labels(score, PREDICTED, LABELS),
            lambda: nlp_example(_load("classification"), LOGITS, LABELS),
        )
        for key, score in (("accuracy", "accuracy_score"), ("f1", "f1_score"))
    ),
    Row(
        "run_translation",
        "sacrebleu score",
        "bleu bleu",
        of_translations,
        lambda: run_translation(_load("bleu", result_format="sacrebleu"), WRITTEN, EXPECTED),
    ),
    *(
        Row(
            "run_ner",
            f"seqeval overall_{score}",
            f"span_f1 {score}",
            lambda score=score: of_entities(score),
            lambda: run_ner(_load("span_f1", result_format="seqeval"), TAG_PREDICTIONS, TAG_LABELS),
        )
        for score in ("precision", "recall", "f1", "accuracy")
    ),
    Row(
        "run_speech_recognition_seq2seq",
        "wer",
        "error_rate wer",
        of_transcripts,
        lambda: run_speech_recognition_seq2seq(
            _load("error_rate", result_format="wer"), WRITTEN, EXPECTED
        ),
    ),
]


def table() -> str:
    """All rows: script, stock module and value, our module and value."""
    lines = [f"{'script':36}{'stock module':28}{'stock':>12}  {'ours':36}{'value':>12}"]
    for row in ROWS:
        head = f"{row.script:36}{row.stock:28}"
        try:
            value = f"{row.value():12.6f}"
        except (ValueError, TypeError) as error:
            value = f"   {type(error).__name__}: {error}"[:60]
        lines.append(f"{head}{row.stock_value():12.6f}  {row.ours:36}{value}")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())  # noqa: T201 - a command
