"""Answers in a file to EM and F1, in every way there is to score them.

    python benchmarks/scale.py [ROWS...]

Each way runs in a process of its own and returns the same scores. What it took is that of the whole
process, its start and its end included: CPU seconds of it and of all that it started, Spark's Java
and workers too; seconds of wall, which mean something on an idle machine alone; and the memory of
the largest of these processes. The slope from the smallest to the largest number of rows is without
the start; from it follows the bill of a billion answers. Draws docs/images/scale.png.
"""

import ctypes
import io
import json
import logging
import os
import random
import subprocess
import sys
import time
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pyarrow as pa
from pyarrow import parquet

MODULES = ("qa_em", "qa_f1")
COLUMNS = {"predictions": "answer", "references": "gold"}
WORDS = [f"word{number}" for number in range(5_000)]
ROW_GROUP = 50_000
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)
PICTURE = Path(__file__).parents[1] / "docs" / "images" / "scale.png"
BILLION = 10**9


class Cost(NamedTuple):
    """What one way takes for so many rows."""

    rows: int
    cpu: float  # seconds of all processes together
    wall: float  # seconds
    megabytes: float  # of the largest process


def write(path, rows):
    """Answers of one to eight words, half of them partly right, as Parquet and as JSON Lines."""
    chance = random.Random(rows)
    schema = pa.schema({"answer": pa.string(), "gold": pa.list_(pa.string())})
    with parquet.ParquetWriter(path, schema) as file, json_lines(path).open("w") as lines:
        for start in range(0, rows, ROW_GROUP):
            answers, golds = [], []
            for _ in range(min(ROW_GROUP, rows - start)):
                gold = chance.choices(WORDS, k=chance.randrange(1, 6))
                answer = chance.choices(WORDS, k=chance.randrange(0, 5))
                answers.append(" ".join(answer + gold[chance.randrange(2) :]))
                golds.append([" ".join(gold), chance.choice(WORDS)])
            table = pa.table({"answer": answers, "gold": golds}, schema)
            file.write_table(table)
            lines.writelines(json.dumps(row) + "\n" for row in table.to_pylist())


def json_lines(path):
    return Path(path).with_suffix(".jsonl")


def command(path, jobs):
    from metric_commons import Results
    from metric_commons.__main__ import main

    saved = f"{path}.json"
    fields = [f"--{name}={column}" for name, column in COLUMNS.items()]
    with redirect_stdout(io.StringIO()):
        main(["score", *MODULES, str(path), *fields, f"--jobs={jobs}", f"--save={saved}"])
    return Results.read(saved)


def in_memory(path):
    from metric_commons import score

    table = parquet.read_table(path)
    return score(MODULES, table, **COLUMNS)


def datasets(path):
    from datasets import Dataset, disable_progress_bars

    from metric_commons import score

    disable_progress_bars()
    rows = Dataset.from_parquet(path, cache_dir=str(Path(path).parent))  # workers map the file
    return score(MODULES, rows, **COLUMNS)


def spark_classic(path):
    from pyspark.sql import SparkSession

    return spark(SparkSession.builder.master("local[2]"), path)


def spark_connect(path):
    from pyspark.sql import SparkSession

    return spark(SparkSession.builder.remote("local[2]"), path)


def spark(builder, path):
    from metric_commons import score

    logging.getLogger("py4j").setLevel(logging.ERROR)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        builder.config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "OFF")
        .config("spark.sql.files.maxPartitionBytes", "4m")
        .getOrCreate()
    )
    results = score(MODULES, session.read.parquet(path), **COLUMNS)
    session.stop()
    return results


WAYS = {
    "columns in memory": in_memory,
    "Parquet, command, --jobs 1": partial(command, jobs=1),
    "Parquet, command, --jobs 2": partial(command, jobs=2),
    "JSON Lines, command, --jobs 1": lambda path: command(json_lines(path), jobs=1),
    "JSON Lines, command, --jobs 2": lambda path: command(json_lines(path), jobs=2),
    "datasets": datasets,
    "Spark, local[2]": spark_classic,
    "Spark Connect, local[2]": spark_connect,
}


def scores_of(way, path):
    """What a way returns, as JSON: the scores of each module."""
    results = WAYS[way](path)
    (system,) = results
    return json.dumps(results[system])


def bytes_of_rows(path):
    """The size of the file of scored rows."""
    from metric_commons import score

    rows = f"{path}.rows"
    score(MODULES, path, **COLUMNS, rows=True).save_rows(rows)
    return str(Path(rows).stat().st_size)


def measured(what, *arguments):
    """What a process prints, its seconds of CPU and of wall, and megabytes.

    A process whose parent ends becomes a child of this one, so that none is missed.
    """
    command = [sys.executable, "-W", "ignore", __file__, what, *arguments]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    printed = process.stdout.readline().decode()
    cpu = megabytes = status = 0
    while True:
        try:
            pid, ended, usage = os.wait4(-1, 0)
        except ChildProcessError:
            break
        if pid == process.pid:
            wall, status = time.perf_counter() - start, ended
        cpu += usage.ru_utime + usage.ru_stime
        megabytes = max(megabytes, usage.ru_maxrss / 1e3)
    if status:
        raise SystemExit(f"{' '.join(command)} ended with status {status}")
    return printed, cpu, wall, megabytes


def bill(costs):
    """What a billion answers take in each way, by its start and its slope."""
    print(f"\n{BILLION:,} answers, from the slope between {costs_range(costs)} answers")
    for way, of_way in costs.items():
        first, last = of_way[0], of_way[-1]
        seconds = (last.cpu - first.cpu) / (last.rows - first.rows)  # of each further row
        total = first.cpu + seconds * (BILLION - first.rows)
        print(
            f"{way}: {1e6 * seconds:.2f} microseconds of CPU an answer, "
            f"{total / 3600:.2f} hours in all"
        )


def costs_range(costs):
    sizes = [cost.rows for cost in next(iter(costs.values()))]
    return f"{sizes[0]:,} and {sizes[-1]:,}"


def draw(costs):
    import matplotlib as mpl  # only here: the ways import this file, too

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(13, 6), layout="constrained")
    titles = {"cpu": "CPU time of all processes [s]", "megabytes": "memory of the largest [MB]"}
    for panel, (name, title) in zip(panels, titles.items(), strict=True):
        for number, (way, of_way) in enumerate(costs.items()):
            rows, values = zip(*((cost.rows, getattr(cost, name)) for cost in of_way), strict=True)
            style = "--" if number % 2 else "-"  # the ways come in pairs
            color = f"C{number // 2}"
            panel.plot(rows, values, style, color=color, marker="o", markersize=4, label=way)
        panel.set(xscale="log", yscale="log", xlabel="answers", title=title)
        panel.grid(alpha=0.3, which="both")
        for kind in ("major", "minor"):
            panel.yaxis.set_tick_params(which=kind, labelsize=8)
            getattr(panel.yaxis, f"set_{kind}_formatter")("{x:g}")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    figure.savefig(PICTURE, dpi=110)


def main(*sizes):
    ctypes.CDLL(None).prctl(SUBREAPER, 1)
    costs = {way: [] for way in WAYS}
    with TemporaryDirectory() as folder:
        for rows in sizes:
            path = str(Path(folder, f"{rows}.parquet"))
            write(path, rows)
            print(f"\n{rows:,} answers, {' and '.join(MODULES)}")
            print(f"the file of scored rows has {int(measured('bytes_of_rows', path)[0]):,} bytes")
            expected = None
            for way in WAYS:
                scores, cpu, wall, megabytes = measured("scores_of", way, path)
                expected = expected or scores
                assert scores == expected, (way, scores, expected)
                costs[way].append(Cost(rows, cpu, wall, megabytes))
                print(
                    f"{way}: {cpu:.1f} s of CPU, {wall:.1f} s of wall, {megabytes:,.0f} MB",
                    flush=True,
                )
    if len(sizes) > 1:
        bill(costs)
        draw(costs)


if __name__ == "__main__":
    if sys.argv[1:2] in (["scores_of"], ["bytes_of_rows"]):
        print(globals()[sys.argv[1]](*sys.argv[2:]))
    else:
        main(*map(int, sys.argv[1:] or ["100000", "1000000"]))
