"""Three measures of a run as a whole process: the command `trec`, trec_eval's C, pytrec_eval.

    python benchmarks/trec.py [ROWS]

Prints CPU seconds, seconds of wall, which mean something on an idle machine alone, and peak memory;
all include the start. `trec_eval` has to be on the PATH. The values printed are checked to be the
same. pytrec_eval reads with its own readers and adds up by itself.
"""

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

ROUNDS = 3
JUDGED = 50  # documents a query, of which the run has half
MEASURES = ("map", "recip_rank", "ndcg_cut.10")
PYTREC_EVAL = """
import sys
import pytrec_eval

with open(sys.argv[1]) as judgments, open(sys.argv[2]) as ranked:
    qrels, run = pytrec_eval.parse_qrel(judgments), pytrec_eval.parse_run(ranked)
queries = pytrec_eval.RelevanceEvaluator(qrels, {"map", "recip_rank", "ndcg_cut"}).evaluate(run)
for name in ("map", "recip_rank", "ndcg_cut_10"):
    values = [values[name] for values in queries.values()]
    mean = pytrec_eval.compute_aggregated_measure(name, values)
    print(f"{name:<22}\\tall\\t{mean:6.4f}")
"""


def written(folder, queries, scores, documents=1000):
    """The paths of judgments and of a run, whose scores are written as `scores` formats them."""
    chance = random.Random(queries)
    qrels, run = Path(folder, "qrels.txt"), Path(folder, "run.txt")
    with qrels.open("w") as judgments, run.open("w") as ranked:
        for query in range(1, queries + 1):
            numbers = chance.sample(range(8_841_823), documents + JUDGED // 2)
            judged = chance.sample(numbers[:documents], JUDGED // 2) + numbers[documents:]
            levels = (chance.choice((0, 0, 0, 1, 1, 2, 3)) for _ in judged)
            judgments.writelines(
                f"{query} 0 D{number:07} {level}\n"
                for number, level in zip(judged, levels, strict=True)
            )
            ordered = sorted((chance.gauss(10, 3) for _ in range(documents)), reverse=True)
            ranked.writelines(
                f"{query} Q0 D{number:07} {rank} {scores(score)} generated\n"
                for rank, (number, score) in enumerate(zip(numbers, ordered, strict=False), 1)
            )
    return qrels, run


def measured(command):
    """Seconds of CPU and of wall and peak megabytes of a process, and what it printed."""
    start = time.perf_counter()
    read, write = os.pipe()
    process = os.posix_spawn(
        command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)]
    )
    os.close(write)
    with open(read) as output:
        text = output.read()
    _, status, usage = os.wait4(process, 0)
    if status:
        raise subprocess.CalledProcessError(status, command)
    wall = time.perf_counter() - start
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024 / 1e6, text


def compare(title, qrels, run):
    """One pair of files through all programs, which take turns; the least of each counts."""
    ours = [sys.executable, "-m", "metric_commons", "trec", "--format", "trec_eval"]
    options = [option for measure in MEASURES for option in ("-m", measure)]
    commands = {"metric-commons trec": [*ours, *options, str(qrels), str(run)]}
    program = shutil.which("trec_eval")
    if program:
        commands["trec_eval"] = [program, *options, str(qrels), str(run)]
    commands["pytrec_eval"] = [sys.executable, "-c", PYTREC_EVAL, str(qrels), str(run)]
    rounds = [
        {name: measured(command) for name, command in commands.items()} for _ in range(ROUNDS)
    ]
    printed = {text for results in rounds for *_, text in results.values()}
    assert len(printed) == 1, printed
    print(f"\n{title}: {run.stat().st_size / 1e6:.0f} MB")
    least = min(results["metric-commons trec"][0] for results in rounds)
    for name in commands:
        seconds = min(results[name][0] for results in rounds)
        wall, megabytes = (min(results[name][column] for results in rounds) for column in (1, 2))
        print(
            f"{name:20} {seconds:6.2f} s {wall:6.2f} s of wall {megabytes:6.0f} MB   "
            f"{seconds / least:.1f}x"
        )


def main(rows=2_000_000):
    print(f"{rows:,} rows, {', '.join(MEASURES)}; CPU seconds and peak memory of whole processes")
    with TemporaryDirectory() as folder:
        compare("scores of six decimals", *written(folder, rows // 1000, "{:.6f}".format))
        compare("scores of all digits", *written(folder, rows // 1000, repr))
    with TemporaryDirectory() as folder:
        compare("1,000 rows", *written(folder, 1, "{:.6f}".format))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
