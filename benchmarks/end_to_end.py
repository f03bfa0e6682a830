"""UltraRAG's evaluation from files to saved JSON, ours beside its functions. Prints CPU ratios.

    python benchmarks/end_to_end.py

Ours is the command `metric-commons run` on a parameter file, in this process. The peer reads the
same files and saves the same JSON; its functions are written here from their definitions, with the
libraries that UltraRAG uses, and checked against ours. Both start with all libraries loaded. Of
two runs most of our time goes into reading them, so the tests are also measured alone.
"""

import gzip
import io
import json
import random
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import yaml
from _measure import ratio
from pytrec_eval import RelevanceEvaluator
from qa import ultrarag_f1, ultrarag_normalize
from rouge_score.rouge_scorer import RougeScorer

from metric_commons.__main__ import main as command
from metric_commons.retrieval.runs import score_run
from metric_commons.statistics.tests.significance import compare

DATA = Path(__file__).parents[2] / "shared" / "data"
SYSTEMS = ("DPR", "FiD", "ANCE-plus_FiD", "GAR-plus_FiD", "EMDR2")
RUNS = ("input.pircRBa1.gz", "input.uic0301.gz")
CUTOFFS = (1, 5, 10, 20, 50, 100)
RESAMPLES = 10_000
ROUGE = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)


def acc(accepted, prediction):
    normal, golds = ultrarag_normalize(prediction), [*map(ultrarag_normalize, accepted)]
    return float(normal != "" and any(gold in normal for gold in golds))


def em(accepted, prediction):
    normal, golds = ultrarag_normalize(prediction), [*map(ultrarag_normalize, accepted)]
    return float(any(normal == gold for gold in golds))


def stringem(accepted, prediction):
    normal = ultrarag_normalize(prediction)
    return sum(normal == ultrarag_normalize(gold) for gold in accepted) / len(accepted)


def coverem(accepted, prediction):
    words = ultrarag_normalize(prediction).split()
    golds = [ultrarag_normalize(gold).split() for gold in accepted]
    return float(any(all(word in words for word in gold) for gold in golds))


def f1(accepted, prediction):
    return max(ultrarag_f1(prediction, gold) for gold in accepted)


def rouge(kind):
    """It asks for all three kinds and keeps one."""

    def score(accepted, prediction):
        normal = ultrarag_normalize(prediction)
        golds = [ultrarag_normalize(gold) for gold in accepted]
        return max(ROUGE.score(gold, normal)[kind].fmeasure for gold in golds)

    return score


METRICS = {
    "acc": acc,
    "em": em,
    "stringem": stringem,
    "coverem": coverem,
    "f1": f1,
    "rouge-1": rouge("rouge1"),
    "rouge-2": rouge("rouge2"),
    "rouge-l": rouge("rougeL"),
}


def peer_answers(path, save):
    """Every metric of every row, each on its own."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    scores = {name: [] for name in METRICS}
    for row in rows:
        for name, metric in METRICS.items():
            scores[name].append(metric(row["answer"], row["prediction"]))
    means = {f"avg_{name}": sum(values) / len(values) for name, values in scores.items()}
    save.write_text(json.dumps({**scores, **means}, indent=4))


def read_trec(path, at, number):
    table = {}
    for line in path.read_text().splitlines():
        cells = line.split()
        table.setdefault(cells[0], {})[cells[2]] = number(cells[at])
    return table


def p_value(differences):
    """Random signs, drawn one by one."""
    n = len(differences)
    observed = abs(sum(differences) / n)
    reached = 0
    for _ in range(RESAMPLES):
        total = 0.0
        for difference in differences:
            total += difference if random.getrandbits(1) else -difference
        reached += abs(total / n) >= observed
    return reached / RESAMPLES


def peer_runs(qrels, runs, save):
    """Every measure of every query by pytrec_eval, and a test of each measure on its own."""
    kinds = {"recall": "recall", "ndcg": "ndcg_cut", "P": "P"}
    asked = {"map": "map", "mrr": "recip_rank"}
    asked |= {f"{name}@{k}": f"{kind}_{k}" for name, kind in kinds.items() for k in CUTOFFS}
    wanted = {"map", "recip_rank", *(f"{kind}.{k}" for kind in kinds.values() for k in CUTOFFS)}
    both = []
    for run in runs:
        judged = read_trec(qrels, 3, int)
        both.append(RelevanceEvaluator(judged, wanted).evaluate(read_trec(run, 4, float)))
    queries = sorted({*both[0], *both[1]})
    results = {}
    for name, key in asked.items():
        a, b = ([run.get(query, {}).get(key, 0.0) for query in queries] for run in both)
        differences = [x - y for x, y in zip(a, b, strict=True)]
        p = p_value(differences)
        means = (sum(values) / len(values) for values in (a, b, differences))
        figures = dict(zip(("A_mean", "B_mean", "diff"), means, strict=True))
        results[name] = {**figures, "p_value": p, "significant": p < 0.05}
    save.write_text(json.dumps(results, indent=4))


def ours(parameters):
    """The command on a parameter file, what it prints included."""

    def call():
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            assert command(["run", str(parameters)]) == 0

    return call


def answers(folder):
    rows = [
        line
        for name in SYSTEMS
        for line in (DATA / "text" / "openqa_eval" / f"NQ_{name}.jsonl").open()
    ]
    path, few = folder / "answers.jsonl", folder / "few.jsonl"
    path.write_text("".join(rows))
    few.write_text("".join(rows[::10]))
    benchmark = {
        "path": str(path),
        "key_map": {"gt_ls": "answer", "pred_ls": "prediction"},
    }
    evaluation = {"metrics": [*METRICS], "save_path": str(folder / "ours.json")}
    parameters = folder / "answers.yaml"
    parameters.write_text(yaml.safe_dump({"benchmark": benchmark, "evaluation": evaluation}))

    ours(parameters)()
    peer_answers(few, folder / "peer.json")
    got, expected = (json.loads((folder / name).read_text()) for name in ("ours.json", "peer.json"))
    for name in METRICS:
        assert np.allclose(got[name][::10], expected[name], rtol=1e-12, atol=0)
    ratio(
        f"{len(rows):,} answers, eight metrics",
        ours(parameters),
        lambda: peer_answers(few, folder / "peer.json"),
        len(rows[::10]) / len(rows),
    )


def runs(folder):
    for name in ("robust03_qrels.txt.gz", *RUNS):
        packed = DATA / "ir" / "robust03" / name
        (folder / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    qrels, new, old = (folder / Path(n).stem for n in ("robust03_qrels.txt.gz", *RUNS))
    evaluation = {
        "ir_metrics": ["mrr", "map", "recall", "ndcg", "precision"],
        "ks": [*CUTOFFS],
        "qrels_path": str(qrels),
        "run_new_path": str(new),
        "run_old_path": str(old),
        "n_resamples": RESAMPLES,
        "save_path": str(folder / "ours.json"),
    }
    parameters = folder / "runs.yaml"
    parameters.write_text(yaml.safe_dump({"evaluation": evaluation}))

    ours(parameters)()
    peer_runs(qrels, (new, old), folder / "peer.json")
    got, expected = (json.loads((folder / name).read_text()) for name in ("ours.json", "peer.json"))
    assert got.keys() >= expected.keys()  # ours has profile and signature too
    for name, figures in expected.items():
        for figure in ("A_mean", "B_mean", "diff"):
            assert np.isclose(got[name][figure], figures[figure], rtol=1e-12, atol=1e-15)
    title = f"two runs, {len(expected)} measures, {RESAMPLES:,} resamples"
    ratio(title, ours(parameters), lambda: peer_runs(qrels, (new, old), folder / "peer.json"))

    a, b = (score_run(qrels, run, [*expected], score_dtype="float32") for run in (new, old))
    columns = [
        {name: [query[name] for query in run["per_query"].values()] for name in expected}
        for run in (a, b)
    ]

    def our_tests():
        for pair in zip(*(of_run.values() for of_run in columns), strict=True):
            compare(*pair, confidence_level=None)

    def peer_tests():
        for first, second in zip(*(of_run.values() for of_run in columns), strict=True):
            p_value([x - y for x, y in zip(first, second, strict=True)])

    ratio(f"{title}, the tests alone", our_tests, peer_tests)


def main():
    if not DATA.exists():
        print(f"skipped: {DATA} is absent")
        return
    with tempfile.TemporaryDirectory() as folder:
        answers(Path(folder))
        runs(Path(folder))


if __name__ == "__main__":
    main()
