"""EM, F1 and substring recall beside the functions people use today. Prints ratios of CPU time.

    python benchmarks/qa.py [QUESTIONS]

The peers are written here from their definitions, and checked against ours on every question:
`squad` is the SQuAD v1 script as evaluate's `squad` metric runs it, `ultrarag` the em, f1 and acc
of UltraRAG's evaluation server. Input are real answers of language models, repeated.
"""

import gzip
import io
import json
import re
import string
import sys
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import datasets
import evaluate
import numpy as np
import pyarrow
from _measure import cpu_seconds, peak_megabytes, ratio

from metric_commons import load, score
from metric_commons.__main__ import main as command
from metric_commons.text.answers.answers import answer_pairs, contained, exact_match, token_f1
from metric_commons.text.tokens.references import row_scores

DATA = Path(__file__).parents[2] / "shared" / "data" / "text" / "speed" / "speed_qa.json.gz"
ARTICLES = re.compile(r"\b(a|an|the)\b")


def squad_normalize(text):
    delete = set(string.punctuation)
    text = "".join(ch for ch in text.lower() if ch not in delete)
    return " ".join(ARTICLES.sub(" ", text).split())


def ultrarag_normalize(text):
    if text == "True":
        text = "yes"
    elif text == "False":
        text = "no"
    blank = set(string.punctuation + "‘’´`")
    text = "".join(ch if ch not in blank else " " for ch in text.replace("_", " ").lower())
    return " ".join(ARTICLES.sub(" ", text).split()).strip()


def squad_f1(prediction, reference):
    predicted, relevant = squad_normalize(prediction).split(), squad_normalize(reference).split()
    same = sum((Counter(predicted) & Counter(relevant)).values())
    if same == 0:
        return 0
    precision, recall = same / len(predicted), same / len(relevant)
    return (2 * precision * recall) / (precision + recall)


def squad(predictions, references):
    em = total = 0
    for prediction, accepted in zip(predictions, references, strict=True):
        em += max(squad_normalize(prediction) == squad_normalize(r) for r in accepted)
        total += max(squad_f1(prediction, r) for r in accepted)
    return {"exact_match": 100.0 * em / len(predictions), "f1": 100.0 * total / len(predictions)}


def ultrarag_f1(prediction, reference):
    predicted, relevant = (ultrarag_normalize(text).split() for text in (prediction, reference))
    if not predicted or not relevant:
        return 0.0
    same = sum((Counter(predicted) & Counter(relevant)).values())
    precision, recall = same / len(predicted), same / len(relevant)
    return (2 * precision * recall) / (precision + recall) if same else 0.0


def ultrarag(predictions, references):
    """Each of its functions normalizes the prediction and every reference anew."""
    scores = {"em": [], "f1": [], "acc": []}
    for prediction, accepted in zip(predictions, references, strict=True):
        normal, golds = ultrarag_normalize(prediction), list(map(ultrarag_normalize, accepted))
        scores["em"].append(float(any(normal == gold for gold in golds)))
        scores["f1"].append(max(ultrarag_f1(prediction, gold) for gold in accepted))
        normal, golds = ultrarag_normalize(prediction), list(map(ultrarag_normalize, accepted))
        scores["acc"].append(float(normal != "" and any(gold in normal for gold in golds)))
    return {name: sum(values) / len(values) for name, values in scores.items()}


class Squad(evaluate.Metric):
    """evaluate's squad metric: its features, its nested rows, its formula."""

    def _info(self):
        text = datasets.Value("string")
        answers = datasets.Sequence({"text": text, "answer_start": datasets.Value("int32")})
        features = datasets.Features(
            {
                "predictions": {"id": text, "prediction_text": text},
                "references": {"id": text, "answers": answers},
            }
        )
        return evaluate.MetricInfo(
            description="", citation="", inputs_description="", features=features
        )

    def _compute(self, predictions, references):
        texts = {row["id"]: row["prediction_text"] for row in predictions}
        return squad(
            [texts[row["id"]] for row in references],
            [row["answers"]["text"] for row in references],
        )


def row_f1(pairs):
    pair_scores = pairs.token_f1("multiset", both_empty=0.0)
    return row_scores(pair_scores, pairs.references, "max")


def questions(n):
    pairs = json.loads(gzip.decompress(DATA.read_bytes()))
    pairs = [pairs[i % len(pairs)] for i in range(n)]
    # new strings, so that no text is recognized by its identity or by a cached hash
    predictions = [(prediction + " ")[:-1] for prediction, _ in pairs]
    return predictions, [[(r + " ")[:-1] for r in accepted] for _, accepted in pairs]


def main(n=100_000):
    if not DATA.exists():
        print(f"skipped: {DATA} is absent")
        return
    predictions, references = questions(n)
    few = slice(0, max(1, n // 10))  # the peers cost the same for every tenth of the questions
    em, f1_, sub = (load(name) for name in ("qa_em", "qa_f1", "substring_recall"))

    got = {**em.compute(predictions=predictions[few], references=references[few])}
    got |= f1_.compute(predictions=predictions[few], references=references[few], both_empty=0)
    peer = squad(predictions[few], references[few])
    assert np.isclose(got["qa_em"] * 100, peer["exact_match"], rtol=1e-12)
    assert np.isclose(got["qa_f1"] * 100, peer["f1"], rtol=1e-12)
    options = {"normalizer": "ultrarag"}
    acc = {**options, "empty_reference": "always"}
    peer = ultrarag(predictions[few], references[few])
    for value, name in (
        (exact_match(predictions[few], references[few], **options), "em"),
        (token_f1(predictions[few], references[few], both_empty=0, **options).f1, "f1"),
        (contained(predictions[few], references[few], **acc), "acc"),
    ):
        assert np.isclose(value.mean(), peer[name], rtol=1e-12)

    rows = [
        {"id": str(i), "prediction_text": prediction} for i, prediction in enumerate(predictions)
    ]
    answers = [
        {"id": str(i), "answers": {"text": accepted, "answer_start": [0] * len(accepted)}}
        for i, accepted in enumerate(references)
    ]
    stock = Squad()

    def ours_core():
        """One reading of the texts, several scores."""
        for pairs in answer_pairs(predictions, references):
            pairs.hits(pairs.equal(), "max")
            row_f1(pairs)

    def ours_three():
        for pairs in answer_pairs(predictions, references, **options):
            pairs.hits(pairs.equal(), "max")
            row_f1(pairs)
            pairs.hits(pairs.contained("substring", empty_is_contained=True), "max")

    def ours_compute():
        em.compute(predictions=predictions, references=references)
        f1_.compute(predictions=predictions, references=references)

    def ours_compute_three():
        ours_compute()
        sub.compute(predictions=predictions, references=references)

    def peer_squad():
        squad(predictions[few], references[few])

    def peer_ultrarag():
        ultrarag(predictions[few], references[few])

    def peer_compute():
        stock.compute(predictions=rows[few], references=answers[few])

    print(f"{n:,} questions, {sum(map(len, references)) / n:.1f} references each; CPU time")
    share = len(predictions[few]) / n
    ratio("EM + F1, core, against the SQuAD script", ours_core, peer_squad, share)
    ratio("EM + F1 + substring, core, against UltraRAG", ours_three, peer_ultrarag, share)
    ratio("EM + F1 through compute() against stock squad", ours_compute, peer_compute, share)
    ratio(
        "EM + F1 + substring through compute() against UltraRAG",
        ours_compute_three,
        peer_ultrarag,
        share,
    )

    several = {"both_empty": 0.0, **acc}
    modules = ("qa_em", "qa_f1", "substring_recall")

    def ours_score():
        """What is said about an evaluation included: signatures, digests of rows, counts."""
        score(modules, predictions=predictions, references=references, options=several)

    def ours_arrow():
        score(modules, answer_table, predictions="answer", references="gold", options=several)

    answer_table = pyarrow.table({"answer": predictions, "gold": references})
    ratio("EM + F1 + substring through score() against UltraRAG", ours_score, peer_ultrarag, share)
    ratio(
        "EM + F1 + substring through score() of an Arrow table against UltraRAG",
        ours_arrow,
        peer_ultrarag,
        share,
    )
    with TemporaryDirectory() as folder:
        path = Path(folder, "answers.jsonl")
        lines = ({"p": p, "r": r} for p, r in zip(predictions, references, strict=True))
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        settings = (f"--set={name}={value}" for name, value in several.items())
        fields = ["--predictions=p", "--references=r", "--jobs=1"]  # whose CPU time is ours alone
        arguments = ["score", *modules, str(path), *fields, *settings]

        def ours_command():
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                assert command(arguments) == 0

        def peer_file():
            with path.open() as file:
                rows = [json.loads(line) for line in islice(file, len(predictions[few]))]
            ultrarag([row["p"] for row in rows], [row["r"] for row in rows])

        title = "EM + F1 + substring by the command line, JSON Lines read, against UltraRAG"
        ratio(title, ours_command, peer_file, share)

    for size in (10_000, 100_000, 1_000_000):
        some = questions(size)
        seconds = cpu_seconds(lambda some=some: exact_match(*some) is token_f1(*some))
        print(f"cost at {size:>9,} questions: {seconds / size * 1e6:.2f} us a question")
    print(
        f"peak memory at {size:,}: {peak_megabytes(lambda: exact_match(*some)):.0f} MB (EM), "
        f"{peak_megabytes(lambda: token_f1(*some)):.0f} MB (F1, its results included), "
        f"{peak_megabytes(lambda: contained(*some)):.0f} MB (substring)"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
