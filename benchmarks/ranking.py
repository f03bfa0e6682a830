"""Five measures from TREC files and from dicts, beside the evaluators that people use today.

    python benchmarks/ranking.py [ROWS]

Prints ratios of CPU time: pytrec_eval with its own readers (trec_eval's C, compiled in), ranx once
its functions are compiled, ir_measures, and the program `trec_eval` if it is on the PATH. Runs and
judgments are generated. Before anything is timed, the values of each query are checked to equal
those of pytrec_eval.
"""

import random
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import ir_measures
import pytrec_eval
import ranx
from _measure import cpu_seconds, ratio

from metric_commons.data.trec.trec import read_qrels, read_run
from metric_commons.retrieval.runs import score_run

MEASURES = {  # the name here, and those in pytrec_eval, ranx and ir_measures
    "map": ("map", "map", "AP"),
    "mrr": ("recip_rank", "mrr", "RR"),
    "ndcg@10": ("ndcg_cut_10", "ndcg@10", "nDCG@10"),
    "recall@100": ("recall_100", "recall@100", "R@100"),
    "P@10": ("P_10", "precision@10", "P@10"),
}
ALL_TREC = pytrec_eval.supported_nicknames["all_trec"] - {"runid", "relstring"}
JUDGED = 50  # documents a query, of which the run has about half

# For a process of its own. The kernel's ru_maxrss would start at the size of the parent process.
ONE_RUN = """
import sys
from pathlib import Path
from metric_commons.retrieval.runs import score_run
qrels, run, measures = sys.argv[1], sys.argv[2], sys.argv[3:]
score_run(qrels, run, measures)
kilobytes = Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]
print(int(kilobytes) * 1024 // 1_000_000)
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
        for index in chance.sample(range(1, documents), documents // 50):
            scores[index] = scores[index - 1]
        scores.sort(reverse=True)
        run += (
            f"{query} Q0 D{n:07} {rank} {score:.6f} generated\n"
            for rank, (n, score) in enumerate(zip(numbers, scores, strict=False), 1)
        )
    if shuffled:
        chance.shuffle(run)
    return qrels, run


def pytrec_eval_queries(qrels, run):
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {name for name, *_ in MEASURES.values()})
    return evaluator.evaluate(run)


def pytrec_eval_dicts(qrels, run):
    per_query = pytrec_eval_queries(qrels, run)
    return {
        name: pytrec_eval.compute_aggregated_measure(
            peer_name, [values[peer_name] for values in per_query.values()]
        )
        for name, (peer_name, *_) in MEASURES.items()
    }


def pytrec_eval_files(qrels, run, score=pytrec_eval_dicts):
    with open(qrels) as judgments, open(run) as ranked:
        return score(pytrec_eval.parse_qrel(judgments), pytrec_eval.parse_run(ranked))


def ranx_files(qrels, run):
    judgments = ranx.Qrels.from_file(qrels, kind="trec")
    ranked = ranx.Run.from_file(run, kind="trec")
    return ranx.evaluate(judgments, ranked, [name for _, name, _ in MEASURES.values()])


def pytrec_eval_all(judged, ranked):
    return pytrec_eval.RelevanceEvaluator(judged, ALL_TREC).evaluate(ranked)


def ir_measures_files(qrels, run):
    measures = [ir_measures.parse_measure(name) for *_, name in MEASURES.values()]
    judgments = list(ir_measures.read_trec_qrels(qrels))
    return ir_measures.calc_aggregate(measures, judgments, ir_measures.read_trec_run(run))


def trec_eval_program(qrels, run):
    command = ["trec_eval", "-m", "map", "-m", "recip_rank", "-m", "ndcg_cut.10"]
    command += ["-m", "recall.100", "-m", "P.10", qrels, run]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def child_seconds(call):
    """CPU seconds of the program that `call` starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    call()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(title, lines, folder, *, least=3, all_peers=False):
    """One pair of files through all of them."""
    qrels, run = (str(Path(folder, name)) for name in ("qrels.txt", "run.txt"))
    for path, text in zip((qrels, run), lines, strict=True):
        Path(path).write_text("".join(text))
    print(f"\n{title}: {len(lines[1]):,} rows, {len(lines[0]):,} judgments")

    def score_files():
        return score_run(qrels, run, list(MEASURES), per_query=False)

    options = {"missing": "skip", "score_dtype": "float32"}
    result = score_run(qrels, run, list(MEASURES), **options)["per_query"]
    expected = pytrec_eval_files(qrels, run, pytrec_eval_queries)
    assert result.keys() == expected.keys()
    for query, scores in result.items():
        values = expected[query]
        assert scores == {name: values[peer_name] for name, (peer_name, *_) in MEASURES.items()}

    ratio(
        f"files, against pytrec_eval (at least {least}x)",
        score_files,
        lambda: pytrec_eval_files(qrels, run),
    )
    if all_peers:
        ratio(
            "files, all_trec, against pytrec_eval (at least 3x)",
            lambda: score_run(qrels, run, "all_trec", per_query=False),
            lambda: pytrec_eval_files(qrels, run, pytrec_eval_all),
        )
        ranx_files(qrels, run)  # compiles
        ratio("files, against ranx (at least 5x)", score_files, lambda: ranx_files(qrels, run))
        ratio(
            "files, against ir_measures (at least 10x)",
            score_files,
            lambda: ir_measures_files(qrels, run),
        )
        ranked = read_run(run).to_dict()
        judged = {  # pytrec_eval takes integers
            query: {document: int(level) for document, level in levels.items()}
            for query, levels in read_qrels(qrels).to_dict().items()
        }
        ratio(
            "dicts, against pytrec_eval (at least 1x)",
            lambda: score_run(judged, ranked, list(MEASURES)),
            lambda: pytrec_eval_dicts(judged, ranked),
        )
    if Path("/proc/self/status").exists():
        command = [sys.executable, "-c", ONE_RUN, qrels, run, *MEASURES]
        peak = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        print(f"peak memory of a process that does this alone: {peak} MB (at most 400)")
    if shutil.which("trec_eval"):
        program = min(child_seconds(lambda: trec_eval_program(qrels, run)) for _ in range(3))
        seconds = min(cpu_seconds(score_files) for _ in range(3))
        print(f"files, against the program trec_eval: {program / seconds:.1f}x ({program:.3f} s)")


def main(rows=1_000_000):
    deep, wide = (rows // 1000, 1000), (rows // 100, 100)
    with TemporaryDirectory() as folder:
        print("five measures; CPU time")
        compare(f"{deep[0]:,} queries x 1,000", generated(*deep), folder, all_peers=True)
        compare(f"{wide[0]:,} queries x 100", generated(*wide), folder, all_peers=True)
        compare("the first, shuffled", generated(*deep, shuffled=True), folder, least=2)
        compare("the first, nearly all tied", generated(*deep, levels=4), folder, least=2)
        tabbed = generated(*deep)
        tabbed = (tabbed[0], [line.replace(" ", "  \t", 3) for line in tabbed[1]])
        compare("the first, in irregular columns", tabbed, folder, least=2)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
