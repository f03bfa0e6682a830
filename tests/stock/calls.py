"""Calls of evaluate's own modules, which ours must answer in the same way.

`calls(seed)` draws them, with the structure in which results may differ: labels that one side
lacks, one class, ties, empty texts, several references.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

WORDS = "the a cat dog sat on in Paris 3 3.5 runs running, ran! It's".split()
FUNCTIONS = {"str.split": str.split}  # options that are functions, by the name that is recorded
GLUE = "sst2 mnli mnli_mismatched mnli_matched cola mrpc qqp qnli rte wnli hans".split()
SUPER_GLUE = "boolq cb copa rte wic wsc wsc.fixed axb axg".split()


@dataclass
class Call:
    """A call of a stock module."""

    stock: str
    inputs: dict[str, Any]
    configuration: str | None = None
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `compute`."""
        options = {
            name: FUNCTIONS.get(value, value) if isinstance(value, str) else value
            for name, value in self.options.items()
        }
        return self.inputs | options


def calls(seed: int) -> list[Call]:
    """Some calls of every stock module."""
    dice = random.Random(seed)
    makers = (labels, several_labels, areas, glue, numbers, answers, texts, transcripts, tags)
    makers += (probabilities, percentages, matrices, runs, formulas, comparisons, simplifications)
    return [call for maker in makers for call in maker(dice)]


def pairs(predictions: list[Any], references: list[Any]) -> dict[str, Any]:
    return {"predictions": predictions, "references": references}


def labels(dice: random.Random) -> Iterator[Call]:
    for size, kinds in ((1, [0]), (1, [1]), (6, [0, 1]), (9, [0, 1, 2]), (9, [3, 7]), (5, [0])):
        inputs = pairs(dice.choices(kinds, k=size), dice.choices(kinds, k=size))
        weights = {"sample_weight": [dice.random() for _ in range(size)]}
        yield Call("accuracy", inputs)
        yield Call("accuracy", inputs, options={"normalize": False})
        yield Call("accuracy", inputs, options=weights)
        yield Call("accuracy", inputs, options={"normalize": False, **weights})
        yield Call("matthews_correlation", inputs)
        yield Call("matthews_correlation", inputs, options=weights)
        for stock in ("f1", "precision", "recall"):
            averages = ("micro", "macro", "weighted", None)
            # Of one label alone, the module cannot return a list.
            several = len({*inputs["predictions"], *inputs["references"]}) > 1
            for average in averages if several else averages[:-1]:
                yield Call(stock, inputs, options={"average": average})
                yield Call(stock, inputs, options={"average": average, **weights})
                if kinds[0] == 0:
                    yield Call(stock, inputs, options={"average": average, "labels": [1, 0]})
            if set(kinds) <= {0, 1}:
                yield Call(stock, inputs)
                if 0 in inputs["references"]:
                    yield Call(stock, inputs, options={"pos_label": 0, **weights})
            if stock != "f1":
                yield Call(stock, inputs, options={"average": "weighted", "zero_division": 1})
                yield Call(stock, inputs, options={"average": "macro", "zero_division": 0.0})


def several_labels(dice: random.Random) -> Iterator[Call]:
    for rows in (2, 5):
        sides = [[dice.choices([0, 1], k=3) for _ in range(rows)] for _ in range(2)]
        inputs = pairs(*sides)
        yield Call("accuracy", inputs, "multilabel")
        yield Call("accuracy", inputs, "multilabel", {"normalize": False})
        for average in (None, "macro"):
            yield Call("matthews_correlation", inputs, "multilabel", {"average": average})
        for stock in ("f1", "precision", "recall"):
            for average in ("micro", "macro", "weighted", "samples", None):
                yield Call(stock, inputs, "multilabel", {"average": average})


def areas(dice: random.Random) -> Iterator[Call]:
    def column(references: list[Any], scores: list[Any]) -> dict[str, Any]:
        return {"references": references, "prediction_scores": scores}

    for kinds in ([0, 1], [2, 5]):
        true = [*kinds, *dice.choices(kinds, k=6)]
        scores = [dice.choice([-1.5, 0.1, 0.25, 0.7, dice.random()]) for _ in true]
        weights = {"sample_weight": [dice.random() for _ in true]}
        yield Call("roc_auc", column(true, scores))
        yield Call("roc_auc", column(true, scores), options=weights)
        yield Call("roc_auc", column(true, scores), options={"max_fpr": 0.5})
        yield Call("roc_auc", column(true, scores), options={"max_fpr": 1.0, "average": None})
    true = [0, 1, 2, *dice.choices([0, 1, 2], k=5)]
    rows = [_simplex(dice, 3) for _ in true]
    for options in (
        {"multi_class": "ovr"},
        {"multi_class": "ovo"},
        {"multi_class": "ovr", "average": "weighted"},
        {"multi_class": "ovo", "average": "weighted"},
        {"multi_class": "ovr", "average": None},
        {"multi_class": "ovr", "average": "micro"},
        {"multi_class": "ovr", "labels": [0, 1, 2]},
        {"multi_class": "ovr", "sample_weight": [dice.random() for _ in true]},
    ):
        yield Call("roc_auc", column(true, rows), "multiclass", options)
    true = [[0, 1], [1, 0], *(dice.choices([0, 1], k=2) for _ in range(4))]
    rows = [[dice.random(), dice.choice([0.5, 0.25])] for _ in true]
    for average in ("macro", "micro", "weighted", None):
        yield Call("roc_auc", column(true, rows), "multilabel", {"average": average})


def _simplex(dice: random.Random, size: int) -> list[float]:
    """Probabilities that sum to 1 in single precision too."""
    parts = [dice.randint(1, 20) for _ in range(size)]
    return [part / sum(parts) for part in parts]


def glue(dice: random.Random) -> Iterator[Call]:
    for name, tasks in (("glue", GLUE), ("super_glue", SUPER_GLUE), ("xnli", [None])):
        for task in tasks:
            kinds = [0, 1, 2] if task in ("cb", "mnli", None) else [0, 1]
            inputs = pairs(dice.choices(kinds, k=7), dice.choices(kinds, k=7))
            yield Call(name, inputs, task)
    yield Call("glue", pairs([0, 0], [0, 0]), "cola")
    yield Call("glue", pairs([0, 0], [0, 0]), "mrpc")
    numbers = pairs(
        [dice.random() * 5 for _ in range(9)], [dice.choice([0, 1, 4.2]) for _ in range(9)]
    )
    yield Call("glue", numbers, "stsb")
    rows = [
        (paragraph, question, answer)
        for paragraph in (0, 1)
        for question in (0, 1)
        for answer in range(3)
    ]
    dice.shuffle(rows)
    predictions = [
        {
            "idx": {"paragraph": paragraph, "question": question, "answer": answer},
            "prediction": dice.choice([0, 1]),
        }
        for paragraph, question, answer in rows
    ]
    yield Call("super_glue", pairs(predictions, dice.choices([0, 1], k=len(rows))), "multirc")
    answers, questions = [], []
    for query in range(4):
        index = {"passage": 0, "query": query}
        answers.append({"idx": index, "prediction_text": text(dice, 0, 3)})
        questions.append({"idx": index, "answers": [text(dice, 1, 3), text(dice, 0, 3)]})
    yield Call("super_glue", pairs(answers, questions[::-1]), "record")


def numbers(dice: random.Random) -> Iterator[Call]:
    for rows in (2, 3, 8):
        true = [0.0, 1.5, *(dice.choice([0.0, 2.5, dice.gauss(0, 9)]) for _ in range(rows - 2))]
        inputs = pairs([dice.gauss(0, 9) for _ in true], true)
        weights = {"sample_weight": [dice.random() for _ in true]}
        for stock in ("mse", "mae", "pearsonr", "spearmanr", "r_squared"):
            yield Call(stock, inputs)
        for stock in ("mse", "mae"):
            yield Call(stock, inputs, options=weights)
        yield Call("mse", inputs, options={"squared": False})
        if rows > 2:
            for stock in ("pearsonr", "spearmanr"):
                yield Call(stock, inputs, options={"return_pvalue": True})
        outputs = pairs(*([[dice.gauss(0, 1), dice.random()] for _ in true] for _ in range(2)))
        for stock in ("mse", "mae"):
            for multioutput in ("uniform_average", "raw_values", [0.25, 0.75]):
                yield Call(stock, outputs, "multilist", {"multioutput": multioutput})
        yield Call("mse", outputs, "multilist", {"multioutput": "raw_values", "squared": False})


def text(dice: random.Random, fewest: int, most: int) -> str:
    return " ".join(dice.choices(WORDS, k=dice.randint(fewest, most)))


def near(dice: random.Random, original: str) -> str:
    """The text with a word replaced, dropped or added."""
    words = original.split()
    place = dice.randint(0, len(words))
    words[place : place + dice.randint(0, 1)] = dice.choices(WORDS, k=dice.randint(0, 2))
    return " ".join(words)


def answers(dice: random.Random) -> Iterator[Call]:
    for rows in (1, 6):
        predictions, references, unanswerable = [], [], []
        for row in range(rows):
            accepted = [text(dice, 1, 4) for _ in range(dice.randint(1, 3))]
            answer = near(dice, accepted[0])
            predictions.append({"id": str(row), "prediction_text": answer})
            starts = [0] * len(accepted)
            references.append(
                {"id": str(row), "answers": {"text": accepted, "answer_start": starts}}
            )
            none = {"text": [], "answer_start": []}
            is_answerable = dice.random() < 0.6
            unanswerable.append(
                references[-1] if is_answerable else {"id": str(row), "answers": none}
            )
        yield Call("squad", pairs(predictions, references))
        rated = [
            row
            | {"no_answer_probability": dice.choice([0.0, 0.1, 0.75, dice.random()])}
            | ({"prediction_text": ""} if dice.random() < 0.3 else {})
            for row in predictions
        ]
        yield Call("squad_v2", pairs(rated, unanswerable))
        yield Call("squad_v2", pairs(rated, unanswerable), options={"no_answer_threshold": 0.5})
        accepted = [text(dice, 1, 3) for _ in range(rows)]
        plain = pairs(
            [dice.choice([near(dice, one), one, one.upper()]) for one in accepted], accepted
        )
        for options in (
            {},
            {"ignore_case": True},
            {"ignore_punctuation": True, "ignore_case": True},
            {"ignore_numbers": True},
            {"regexes_to_ignore": ["the ", r"\\d"], "ignore_case": True},
        ):
            yield Call("exact_match", plain, options=options)


def texts(dice: random.Random) -> Iterator[Call]:
    for rows in (1, 5):
        references = [text(dice, 3, 9) for _ in range(rows)]
        predictions = [near(dice, one) for one in references]
        one = pairs(predictions, references)
        two = pairs(predictions, [[reference, text(dice, 2, 8)] for reference in references])
        for inputs in (one, two):
            yield Call("rouge", inputs, options={"use_aggregator": False})
            yield Call("rouge", inputs, options={"use_aggregator": False, "use_stemmer": True})
            tokenizer = {"tokenizer": "str.split"}
            types = {"rouge_types": ["rougeL", "rouge3"]}
            yield Call("rouge", inputs, options={"use_aggregator": False, **tokenizer, **types})
            for options in ({}, {"max_order": 2}, {"smooth": True}, tokenizer):
                yield Call("bleu", inputs, options=options)
            for options in ({}, {"min_len": 2}, {"max_len": 2}, tokenizer):
                yield Call("google_bleu", inputs, options=options)
            for options in (
                {},
                {"lowercase": True, "tokenize": "char", "force": True},
                {"smooth_method": "floor"},
                {"smooth_method": "add-k", "smooth_value": 2},
                {"smooth_method": "none", "use_effective_order": True},
            ):
                yield Call("sacrebleu", inputs, options=options)
            for options in ({}, {"word_order": 2}, {"char_order": 2, "beta": 1, "lowercase": True}):
                yield Call("chrf", inputs, options=options)
            yield Call("chrf", inputs, options={"whitespace": True, "eps_smoothing": True})
            for options in (
                {},
                {"case_sensitive": True, "normalized": True},
                {"ignore_punct": True},
            ):
                yield Call("ter", inputs, options=options)
            yield Call("ter", inputs, options={"normalized": True, "support_zh_ja_chars": True})


def transcripts(dice: random.Random) -> Iterator[Call]:
    for rows in (1, 4):
        references = [text(dice, 1, 6) for _ in range(rows)]
        inputs = pairs([dice.choice(["", near(dice, one)]) for one in references], references)
        for stock in ("wer", "cer"):
            yield Call(stock, inputs)
            yield Call(stock, inputs, options={"concatenate_texts": True})


def tags(dice: random.Random) -> Iterator[Call]:
    names = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
    for rows in (1, 4):
        sizes = [dice.randint(1, 6) for _ in range(rows)]
        sides = [[dice.choices(names, k=size) for size in sizes] for _ in range(2)]
        sides[1][0] = ["B-PER", *sides[1][0][1:]]
        inputs = pairs(*sides)
        yield Call("seqeval", inputs)
        yield Call("seqeval", inputs, options={"zero_division": 1})
        yield Call("seqeval", inputs, options={"scheme": "IOB2"})
        yield Call("seqeval", inputs, options={"scheme": "IOB2", "mode": "strict"})
        ends = [
            [[tag[::-1] if len(tag) == 1 else f"{tag[2:]}-{tag[0]}" for tag in row] for row in side]
            for side in sides
        ]
        yield Call("seqeval", pairs(*ends), options={"suffix": True})
    yield Call("seqeval", pairs([["O", "O"]], [["B-PER", "O"]]))


def probabilities(dice: random.Random) -> Iterator[Call]:
    for kinds in ([0, 1], [-1, 1], ["no", "yes"]):
        true = [*kinds, *dice.choices(kinds, k=5)]
        inputs = pairs([dice.choice([0.0, 1.0, dice.random()]) for _ in true], true)
        weights = {"sample_weight": [dice.random() for _ in true]}
        label = {"pos_label": kinds[1]}
        yield Call("brier_score", inputs, options=label)
        yield Call("brier_score", inputs, options=label | weights)
        yield Call("brier_score", inputs, options={"pos_label": kinds[0]})
    yield Call("brier_score", pairs([0.25, 0.5], [0, 0]))


def percentages(dice: random.Random) -> Iterator[Call]:
    for rows in (1, 6):
        true = [dice.choice([0.0, -2.0, dice.gauss(0, 9)]) for _ in range(rows)]
        inputs = pairs([dice.choice([0.0, dice.gauss(0, 9)]) for _ in true], true)
        outputs = pairs(*([[dice.gauss(0, 1), dice.random()] for _ in true] for _ in range(2)))
        for stock in ("mape", "smape"):
            yield Call(stock, inputs)
            yield Call(stock, inputs, options={"sample_weight": [dice.random() for _ in true]})
            for multioutput in ("uniform_average", "raw_values", [0.25, 0.75]):
                yield Call(stock, outputs, "multilist", {"multioutput": multioutput})


def matrices(dice: random.Random) -> Iterator[Call]:
    for size, kinds in ((1, [0]), (4, [5]), (6, [0, 1]), (9, [0, 1, 2]), (9, [3, 7])):
        inputs = pairs(dice.choices(kinds, k=size), [*kinds, *dice.choices(kinds, k=9)][:size])
        weights = {"sample_weight": [dice.random() for _ in range(size)]}
        for normalize in (None, "true", "pred", "all"):
            yield Call("confusion_matrix", inputs, options={"normalize": normalize})
            yield Call("confusion_matrix", inputs, options={"normalize": normalize, **weights})
        yield Call("confusion_matrix", inputs, options={"labels": [9, *kinds[::-1]]})
    names = ["ADJ", "DET", "NOUN", "VERB"]
    for rows in (1, 4):
        sizes = [dice.randint(1, 6) for _ in range(rows)]
        inputs = pairs(*([dice.choices(names, k=size) for size in sizes] for _ in range(2)))
        for options in ({}, {"zero_division": 1}, {"zero_division": 0}):
            yield Call("poseval", inputs, options=options)
    yield Call("poseval", pairs([["X"]], [["X"]]))


def runs(dice: random.Random) -> Iterator[Call]:
    for queries, unjudged in ((1, 0), (3, 2), (4, 4)):
        run, judged = [], []
        for query in range(queries):
            documents = dice.sample([f"d{number}" for number in range(30)], k=dice.randint(1, 12))
            scores = [dice.choice([0.5, 1.5, dice.random()]) for _ in documents]
            places = range(len(documents))
            run += [(query, "Q0", documents[row], row, scores[row], "t") for row in places]
            for document in ["x", *dice.sample(documents, k=(len(documents) + 1) // 2)]:
                judged.append((query, "0", document, dice.choice([0, 0, 1, 2])))
        judged += [(queries, "0", f"d{number}", 1) for number in range(unjudged)]
        names = ("query", "q0", "docid", "rank", "score", "system")
        tables = [
            [{key: [row[place] for row in rows] for place, key in enumerate(keys)}]
            for keys, rows in ((names, run), ((*names[:3], "rel"), judged))
        ]
        yield Call("trec_eval", pairs(*tables))


def formulas(dice: random.Random) -> Iterator[Call]:
    texts = ["1/2", "\\frac{1}{2}", "\\dfrac12", "0.5", "x = 3", "3", "10\\%", "10", "5\\text{ cm}"]
    for rows in (1, 9):
        sides = [dice.choices(texts, k=rows) for _ in range(2)]
        yield Call("competition_math", pairs(*sides))


def comparisons(dice: random.Random) -> Iterator[Call]:
    for rows in (4, 30):
        columns = [[1, *dice.choices([0, 1, 2], k=rows)], [0, *dice.choices([0, 1], k=rows)]]
        sides = {"predictions1": columns[0], "predictions2": columns[1]}
        yield Call("mcnemar", sides | {"references": [1, *dice.choices([0, 1], k=rows)]})
        scores = [[dice.choice([0.5, dice.random()]) for _ in range(rows)] for _ in range(2)]
        yield Call("wilcoxon", {"predictions1": scores[0], "predictions2": scores[1]})


def simplifications(dice: random.Random) -> Iterator[Call]:
    for rows, references in ((1, 1), (5, 3)):
        texts = [[" ".join(dice.choices(WORDS, k=6)) for _ in range(rows)] for _ in range(2)]
        targets = [
            [" ".join(dice.choices(WORDS, k=dice.randint(1, 7))) for _ in range(references)]
            for _ in range(rows)
        ]
        yield Call("sari", {"sources": texts[0], **pairs(texts[1], targets)})
