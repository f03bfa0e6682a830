"""UltraRAG's scores to the last bit.

The oracle does what UltraRAG does, in the obvious way: a normalizer, the rouge_score package and
pytrec_eval, one row after another.
"""

import json
import random
import sys
from collections import Counter
from functools import cache, reduce
from operator import add
from pathlib import Path

import pytest
import pytrec_eval
from rouge_score.rouge_scorer import RougeScorer

import metric_commons
from metric_commons.files import read_qrels, read_run
from metric_commons.frameworks.harnesses import ultrarag
from metric_commons.frameworks.harnesses.ultrarag import (
    evaluate,
    evaluate_trec,
    evaluate_trec_pvalue,
)
from metric_commons.retrieval import score_run
from tests.spec import GIVEN, recorded, trec_eval_files
from tests.tables import by_table
from tests.text_oracles import NORMALIZER_ORACLES
from tests.texts import adversarial_rows

TEXTS, RUNS = GIVEN / "data" / "text", GIVEN / "data" / "ir"
needs_texts = pytest.mark.skipif(not TEXTS.is_dir(), reason=f"{TEXTS} is absent")
needs_runs = pytest.mark.skipif(not RUNS.is_dir(), reason=f"{RUNS} is absent")

NORMALIZE = NORMALIZER_ORACLES["ultrarag"]
ROUGE = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
KEYS = {"A_mean", "B_mean", "diff", "p_value", "significant"}


# The two rows of UltraRAG's documentation, and what it returns for them.
_REFUSAL = """The documents do not provide information about the author of the lyrics to \
"He Ain't Heavy, He's My Brother.\""""
DOCUMENTED = (
    ["December 14, 1973", _REFUSAL],
    [["14 December 1972 UTC", "December 1972"], ["Bobby Scott", "Bob Russell"]],
)
DOCUMENTED_MEANS = dict.fromkeys(ultrarag.ANSWER_METRICS, 0.0) | {
    "f1": 0.2857,
    "rouge-1": 0.2857,
    "rouge-l": 0.2,
}


def means(found):
    """The mean of every metric, rounded as the documentation has it."""
    return {name: round(found[f"avg_{name}"], 4) for name in ultrarag.ANSWER_METRICS}


# Answers


def obvious_row(prediction, references):
    """All metrics of one row, as UltraRAG has them."""
    said, accepted = NORMALIZE(prediction), list(map(NORMALIZE, references))
    words = said.split()
    f1, rouge = [0.0], []
    for reference in accepted:
        shared = (Counter(words) & Counter(reference.split())).total()
        if shared:
            precision, recall = shared / len(words), shared / len(reference.split())
            f1.append(2 * precision * recall / (precision + recall))
        rouge.append(ROUGE.score(reference, said))
    return {
        "acc": float(said != "" and any(reference in said for reference in accepted)),
        "em": float(said in accepted),
        "stringem": accepted.count(said) / max(len(accepted), 1),
        "coverem": float(any(set(reference.split()) <= set(words) for reference in accepted)),
        "f1": max(f1),
        **{
            name: max((scores[kind].fmeasure for scores in rouge), default=0.0)
            for name, kind in (("rouge-1", "rouge1"), ("rouge-2", "rouge2"), ("rouge-l", "rougeL"))
        },
    }


def obvious(predictions, references):
    rows = list(map(obvious_row, predictions, references))
    scores = {name: [row[name] for row in rows] for name in rows[0]}
    return scores | {f"avg_{name}": sum(of) / len(of) for name, of in scores.items()}


def whole(text):
    """Without halves of surrogate pairs, which are not text."""
    return text.encode("utf-8", "ignore").decode()


@pytest.mark.long
@pytest.mark.parametrize("rows", [1, 7, 3000])
def test_scores_of_texts_made_to_tell_ways_apart(rows):
    predictions, references = adversarial_rows(rows, seed=rows)
    predictions = list(map(whole, predictions))
    references = [list(map(whole, of_row)) for of_row in references]
    references[::50] = [[] for _ in references[::50]]

    assert evaluate(predictions, references) == obvious(predictions, references)


@pytest.mark.long
@needs_texts
def test_scores_of_real_answers():
    with (TEXTS / "openqa_eval" / "NQ_FiD.jsonl").open(encoding="utf-8") as file:
        rows = list(map(json.loads, file))
    predictions = [row["prediction"] for row in rows]
    references = [row["answer"] for row in rows]

    assert evaluate(predictions, references) == obvious(predictions, references)


@pytest.mark.long
def test_scores_that_it_returned():
    compared = Counter()
    for case in recorded("text"):
        for peers in case["peers"].values():
            if not isinstance(peers, dict):
                continue
            for peer, value in peers.items():
                names = {f"ultrarag.{name}": name for name in ultrarag.ANSWER_METRICS}
                if peer in names and not isinstance(value, dict):
                    given = case["input"]
                    name = names[peer]
                    found = evaluate([given["prediction"]], [given["references"]], [name])
                    assert found[name] == [value], case["why"]
                    compared[name] += 1
        if "ultrarag F" in case["peers"]:
            given, expected = case["input"], case["peers"]["ultrarag F"]
            found = evaluate([given["prediction"]], [given["references"]])
            for kind, value in expected.items():
                name = f"rouge-{kind[-1].lower()}"
                assert found[name] == [value], case["why"]
                compared[name] += 1
    assert min(compared.values()) > 30
    assert compared.keys() == set(ultrarag.ANSWER_METRICS)


@by_table("prediction, references, expected")
def test_answers_without_words(prediction, references, expected):
    names = ["acc", "em", "coverem", "f1"]
    found = evaluate([prediction], [references], names)

    assert [found[name] for name in names] == [[value] for value in expected]
    assert [found[f"avg_{name}"] for name in names] == expected


def test_the_documented_example():
    found = evaluate(*DOCUMENTED)

    assert means(found) == DOCUMENTED_MEANS
    assert [round(score, 4) for score in found["f1"]] == [0.5714, 0.0]


def test_names_may_be_in_any_case_and_single_references_strings():
    found = evaluate(["Paris"], ["paris"], ["EM", "Rouge-L"])

    assert found == {"em": [1.0], "rouge-l": [1.0], "avg_em": 1.0, "avg_rouge-l": 1.0}
    assert evaluate(["Paris"], ["paris"], []).keys() == evaluate(["Paris"], ["paris"]).keys()


@by_table("call, message")
def test_what_it_lets_pass_is_an_error(call, message):
    with pytest.raises(ValueError, match=message):
        evaluate(*call)


def test_a_row_without_references_scores_zero():
    assert evaluate(["a", "b"], [["a"], []], ["em"])["em"] == [1.0, 0.0]


# Runs

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 2\nq2 0 d 1\nq3 0 e 1\n"
A = "q3 Q0 e 1 1.0 A\nq1 Q0 a 1 2.0 A\nq1 Q0 b 2 1.0 A\nx Q0 a 1 1.0 A\n"
B = "q1 Q0 b 1 2.0 B\nq1 Q0 a 2 1.0 B\n"


@pytest.fixture
def files(tmp_path):
    """Write files and return their paths."""

    def files(*texts):
        paths = []
        for number, text in enumerate(texts):
            paths.append(tmp_path / f"file{number}")
            paths[-1].write_text(text, "utf-8")
        return paths

    return files


@cache
def table(path, field):
    """A file of five or six columns as pytrec_eval has it."""
    kind = int if field == 3 else float
    lines = (line.split() for line in path.read_text("utf-8").splitlines())
    rows = {}
    for fields in lines:
        rows.setdefault(fields[0], {})[fields[2]] = kind(fields[field])
    return rows


def obvious_queries(run, qrels):
    """For each query that both have, all measures, under our names."""
    cut = {f"{name}.{','.join(map(str, ultrarag.CUTOFFS))}" for name in ("ndcg_cut", "P", "recall")}
    evaluator = pytrec_eval.RelevanceEvaluator(table(qrels, 3), cut | {"recip_rank", "map"})
    ours = {"recip_rank": "mrr", "ndcg_cut": "ndcg"}
    return {
        query: {
            "@".join([ours.get(stem, stem), *number]): value
            for name, value in scores.items()
            for stem, *number in [name.rsplit("_", 1) if name[-1].isdigit() else [name]]
        }
        for query, scores in evaluator.evaluate(table(run, 4)).items()
    }


def renamed(scores):
    """Scores with `ndcg@10` for `ndcg_cut_10`."""
    return {
        name.replace("_cut_", "@").replace("_", "@").replace("recip@rank", "mrr"): value
        for name, value in scores.items()
    }


@pytest.mark.parametrize("run", ["results.test", "results.trunc"])
def test_means_of_a_run(run):
    run, qrels = trec_eval_files() / run, trec_eval_files() / "qrels.test"
    rows = list(obvious_queries(run, qrels).values())

    found = evaluate_trec(run, qrels)

    assert found == {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}


def test_the_means_that_trec_eval_prints():
    found = evaluate_trec(trec_eval_files() / "results.test", trec_eval_files() / "qrels.test")

    assert list(found)[:5] == ["map", "mrr", "ndcg@1", "P@1", "recall@1"]
    expected = {
        "map": 0.17854506039656948,
        "mrr": 0.4064327485380117,
        "ndcg@10": 0.30157719921022785,
        "P@10": 0.3,
        "recall@100": 0.49799258406853336,
    }
    assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-15)


@pytest.mark.long
def test_means_that_it_returned(files):
    compared, refused = Counter(), Counter()
    for case in recorded("ir"):
        returned = case.get("peers", {}).get("ultrarag", {})
        if not returned.get("aggregate"):
            continue
        run, qrels = files(case["run"], case["qrels"])
        try:
            found = evaluate_trec(run, qrels, ks=case["ks"])
        except ValueError:
            refused[case["group"]] += 1  # lines that UltraRAG drops or mends
            continue
        expected = renamed(returned["aggregate"])
        if sys.version_info >= (3, 12):  # the recorded sums are those of 3.11
            expected = pytest.approx(expected, rel=1e-15)
        assert found == expected, case["why"]
        compared[case["group"]] += 1
    assert refused.keys() == {"duplicates", "format", "graded", "score_text"}
    assert compared.total() > 60


def test_a_query_that_a_run_lacks_is_left_out(files):
    assert evaluate_trec(*files(A, QRELS), ["map"]) == {"map": 1.0}


def test_means_of_a_comparison_are_in_the_order_that_was_asked_for():
    run, qrels = trec_eval_files() / "results.test", trec_eval_files() / "qrels.test"

    assert [*evaluate_trec_pvalue(run, run, qrels)][:3] == ["mrr", "map", "recall@1"]


def test_what_is_not_asked_for_is_left_out(files):
    run, qrels = files(A, QRELS)

    assert evaluate_trec(run, qrels, ["Precision", "MRR"], [2, 1]).keys() == {"mrr", "P@2", "P@1"}
    assert evaluate_trec(run, qrels, ["mrr"], []).keys() == {"mrr"}


@pytest.mark.parametrize(
    ("new", "old"), [("results.test", "results.trunc"), ("results.trunc", "results.test")]
)
def test_means_of_two_runs(new, old):
    folder = trec_eval_files()
    new, old, qrels = folder / new, folder / old, folder / "qrels.test"
    of_new, of_old = obvious_queries(new, qrels), obvious_queries(old, qrels)
    queries = sorted({*of_new, *of_old})

    found = evaluate_trec_pvalue(new, old, qrels)

    for name, result in found.items():
        a, b = (
            [run.get(query, {}).get(name, 0.0) for query in queries] for run in (of_new, of_old)
        )
        assert result["A_mean"] == sum(a) / len(a)
        assert result["B_mean"] == sum(b) / len(b)
        assert result["diff"] == sum(x - y for x, y in zip(a, b, strict=True)) / len(a)
    assert found.keys() == evaluate_trec(new, qrels).keys()


def test_p_values_are_exact_and_never_zero(files):
    judged = "".join(f"q{n} 0 a 1\n" for n in range(20))
    good = "".join(f"q{n} Q0 a 1 1.0 A\n" for n in range(20))
    bad = "".join(f"q{n} Q0 {'a' if n < 2 else 'b'} 1 1.0 B\n" for n in range(20))
    new, old, qrels = files(good, bad, judged)

    (result,) = evaluate_trec_pvalue(new, old, qrels, ["mrr"], n_resamples=100).values()

    assert result.keys() == KEYS
    assert result["p_value"] == 2 / 2**18  # 18 differences, all of one sign: counted, not drawn
    assert result["significant"] is True
    assert (result["A_mean"], result["B_mean"], result["diff"]) == (1.0, 0.1, 0.9)


def test_queries_that_one_run_lacks_count_as_zero(files):
    (result,) = evaluate_trec_pvalue(*files(A, B, QRELS), ["map"]).values()

    assert (result["A_mean"], result["B_mean"]) == (1.0, 0.25)  # of two that a run has


@by_table("options, message")
def test_bad_options_of_runs(files, options, message):
    new, old, qrels = files(A, B, QRELS)

    with pytest.raises(ValueError, match=message):
        evaluate_trec(new, qrels, **options)
    with pytest.raises(ValueError, match=message):
        evaluate_trec_pvalue(new, old, qrels, **options)


def test_files_that_cannot_be_scored(files):
    run, broken, foreign, qrels = files(A, "q1 Q0 a 1 2.0\n", "x Q0 a 1 1.0 A\n", QRELS)

    with pytest.raises(ValueError, match="file1, line 1: expected 6 columns"):
        evaluate_trec(broken, qrels)
    with pytest.raises(ValueError, match=r"file2 has none of the queries of .*file3"):
        evaluate_trec_pvalue(run, foreign, qrels)
    with pytest.raises(ValueError, match="n_resamples must be an integer"):
        evaluate_trec_pvalue(run, run, qrels, n_resamples=0)
    with pytest.raises(FileNotFoundError):
        evaluate_trec(run, "nowhere")


@pytest.mark.long
@needs_runs
def test_the_card_says_by_how_much_ultrarag_misses_ties():
    folder = RUNS / "robust03"
    paths = [folder / f"input.{name}.gz" for name in ("NLPR03vb10", "uic0301")]
    judged = folder / "robust03_qrels.txt.gz"
    ours = evaluate_trec_pvalue(*paths, judged, ["precision"], [10])["P@10"]["p_value"]
    qrels = read_qrels(judged)
    new, old = (score_run(qrels, read_run(path), ["precision@10"])["per_query"] for path in paths)
    differences = [new[query]["precision@10"] - old[query]["precision@10"] for query in sorted(new)]

    # The test of UltraRAG 0.3.0, servers/evaluation/src/evaluation.py; sums of Python 3.11.
    chance, observed = random.Random(0), abs(reduce(add, differences) / len(differences))
    count = 0
    for _ in range(10_000):
        total = 0.0
        for difference in differences:
            total += difference if chance.getrandbits(1) else -difference
        count += abs(total / len(differences)) >= observed
    # The exact one: sums of tenths are sums of whole numbers.
    tenths = [round(10 * difference) for difference in differences]
    combinations = Counter({0: 1})
    for number in tenths:
        flipped = Counter()
        for total, ways in combinations.items():
            flipped[total + number] += ways
            flipped[total - number] += ways
        combinations = flipped
    extreme = sum(ways for total, ways in combinations.items() if abs(total) >= abs(sum(tenths)))
    exact = extreme / 2 ** len(tenths)

    assert ours == pytest.approx(exact, rel=1e-9)
    package = Path(metric_commons.__file__).parent
    card = " ".join((package / "apps" / "mcp" / "README.md").read_text("utf-8").split())
    assert f"UltraRAG's p-value is {count / 10_000:.4f}; the exact one is {exact:.4f}" in card
