"""TREC files and ready dicts to five measures, beside the evaluators people use today.

    python benchmarks/ranking.py [ROWS]

Prints ratios of CPU time: pytrec_eval with its own readers (trec_eval's C, compiled in), ranx once
its functions are compiled, ir_measures, and the program `trec_eval` if it is on the PATH. Runs and
judgments are generated; before anything is timed, all values are compared with pytrec_eval's.
"""

import random
import resource
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import ir_measures
import pytrec_eval
import ranx
from _measure import cpu_seconds, ratio

from metric_commons.trec import read_qrels, read_run, score_run

MEASURES = {  # ours: pytrec_eval's, ranx's, ir_measures'
    "map": ("map", "map", "AP"),
    "mrr": ("recip_rank", "mrr", "RR"),
    "ndcg@10": ("ndcg_cut_10", "ndcg@10", "nDCG@10"),
    "recall@100": ("recall_100", "recall@100", "R@100"),
    "P@10": ("P_10", "precision@10", "P@10"),
}
JUDGED = 50  # documents a query, of which the run has about half

ONE_RUN = """
import resource, sys
from metric_commons.trec import score_run
qrels, run, measures = sys.argv[1], sys.argv[2], sys.argv[3:]
score_run(qrels, run, measures)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000)
"""


def generated(queries, documents, *, levels=None, shuffled=False):
    """Qrels and run as lines; scores have `levels` values, or nearly as many as there are rows."""
    chance = random.Random(queries)
    qrels, run = [], []
    for query in range(1, queries + 1):
        numbers = chance.sample(range(8_841_823), documents + JUDGED // 2)
        judged = chance.sample(numbers[:documents], JUDGED // 2) + numbers[documents:]
        qrels += (f"{query} 0 D{n:07} {chance.choice((0, 0, 0, 1, 1, 2, 3))}\n" for n in judged)
        scores = [chance.gauss(10, 3) for _ in range(documents)]
        if levels:
            scores = [float(chance.randrange(levels)) for _ in scores]
        for place in chance.sample(range(1, documents), documents // 50):
            scores[place] = scores[place - 1]
        scores.sort(reverse=True)
        run += (
            f"{query} Q0 D{n:07} {rank} {score:.6f} generated\n"
            for rank, (n, score) in enumerate(zip(numbers, scores, strict=False), 1)
        )
    if shuffled:
        chance.shuffle(run)
    return qrels, run


def pytrec_eval_dicts(qrels, run):
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {theirs for theirs, *_ in MEASURES.values()})
    of_queries = evaluator.evaluate(run)
    return {
        ours: pytrec_eval.compute_aggregated_measure(
            theirs, [of_queries[query][theirs] for query in sorted(of_queries)]
        )
        for ours, (theirs, *_) in MEASURES.items()
    }


def pytrec_eval_files(qrels, run):
    with open(qrels) as judgments, open(run) as ranked:
        return pytrec_eval_dicts(pytrec_eval.parse_qrel(judgments), pytrec_eval.parse_run(ranked))


def ranx_files(qrels, run):
    judgments = ranx.Qrels.from_file(qrels, kind="trec")
    ranked = ranx.Run.from_file(run, kind="trec")
    return ranx.evaluate(judgments, ranked, [theirs for _, theirs, _ in MEASURES.values()])


def ir_measures_files(qrels, run):
    measures = [ir_measures.parse_measure(theirs) for *_, theirs in MEASURES.values()]
    judgments = list(ir_measures.read_trec_qrels(qrels))
    return ir_measures.calc_aggregate(measures, judgments, ir_measures.read_trec_run(run))


def trec_eval_program(qrels, run):
    command = ["trec_eval", "-m", "map", "-m", "recip_rank", "-m", "ndcg_cut.10"]
    command += ["-m", "recall.100", "-m", "P.10", qrels, run]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def child_seconds(call):
    """CPU seconds that a program takes which `call` starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    call()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(title, lines, folder, *, everyone=False):
    """One pair of files through all of them."""
    qrels, run = (str(Path(folder, name)) for name in ("qrels.txt", "run.txt"))
    for path, text in zip((qrels, run), lines, strict=True):
        Path(path).write_text("".join(text))
    print(f"\n{title}: {len(lines[1]):,} rows, {len(lines[0]):,} judgments")

    def ours():
        return score_run(qrels, run, list(MEASURES), per_query=False)

    single = {"missing": "skip", "score_dtype": "float32"}
    same = score_run(qrels, run, list(MEASURES), **single)["mean"]
    theirs = pytrec_eval_files(qrels, run)
    assert all(abs(same[name] - theirs[name]) < 1e-12 for name in MEASURES), (same, theirs)

    ratio("files, against pytrec_eval", ours, lambda: pytrec_eval_files(qrels, run))
    if everyone:
        ranx_files(qrels, run)  # compiles
        ratio("files, against ranx", ours, lambda: ranx_files(qrels, run))
        ratio("files, against ir_measures", ours, lambda: ir_measures_files(qrels, run))
        judgments, ranked = read_qrels(qrels).to_dict(), read_run(run).to_dict()
        whole = {query: dict.fromkeys(of, 0) for query, of in judgments.items()}
        for query, of in judgments.items():  # pytrec_eval takes integers
            whole[query] |= {document: int(level) for document, level in of.items()}
        ratio(
            "dicts, against pytrec_eval",
            lambda: score_run(whole, ranked, list(MEASURES)),
            lambda: pytrec_eval_dicts(whole, ranked),
        )
        command = [sys.executable, "-c", ONE_RUN, qrels, run, *MEASURES]
        peak = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        print(f"peak memory of the whole process: {peak} MB")
    if shutil.which("trec_eval"):
        program = min(child_seconds(lambda: trec_eval_program(qrels, run)) for _ in range(3))
        mine = min(cpu_seconds(ours) for _ in range(3))
        print(f"files, against the program trec_eval: {program / mine:.1f}x ({program:.3f} s)")


def main(rows=1_000_000):
    deep, wide = (rows // 1000, 1000), (rows // 100, 100)
    with TemporaryDirectory() as folder:
        print("five measures; CPU time")
        compare(f"{deep[0]:,} queries x 1,000", generated(*deep), folder, everyone=True)
        compare(f"{wide[0]:,} queries x 100", generated(*wide), folder, everyone=True)
        compare("the first, shuffled", generated(*deep, shuffled=True), folder)
        compare("the first, nearly all tied", generated(*deep, levels=4), folder)
        tabbed = generated(*deep)
        tabbed = (tabbed[0], [line.replace(" ", "  \t", 3) for line in tabbed[1]])
        with suppress(AssertionError):
            compare("the first, in irregular columns", tabbed, folder)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
