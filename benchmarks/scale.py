"""Answers in a Parquet file to EM and F1: one process, several processes, and a local Spark.

    python benchmarks/scale.py [ROWS...]

Prints rows a second of elapsed time, for here the work is done by several processes; each way of
doing it reads the file and returns the same result. Spark's own start is not counted.
"""

import logging
import os
import random
import sys
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
from datasets import Dataset, disable_progress_bars
from pyarrow import parquet
from pyspark.sql import SparkSession

from metric_commons import score

MODULES = ("qa_em", "qa_f1")
COLUMNS = {"predictions": "answer", "references": "gold"}
WORDS = [f"word{number}" for number in range(5_000)]


def write(path, rows):
    """Answers of one to eight words, half of them partly right; a row group for 50,000 of them."""
    chance = random.Random(rows)
    answers, golds = [], []
    for _ in range(rows):
        gold = chance.choices(WORDS, k=chance.randrange(1, 6))
        answer = chance.choices(WORDS, k=chance.randrange(0, 5)) + gold[chance.randrange(2) :]
        golds.append([" ".join(gold), chance.choice(WORDS)])
        answers.append(" ".join(answer))
    table = pa.table({"answer": answers, "gold": golds})
    parquet.write_table(table, path, row_group_size=50_000)


def in_memory(path):
    table = parquet.read_table(path)
    columns = {name: table.column(column).to_pylist() for name, column in COLUMNS.items()}
    return scores(score(MODULES, columns, **{name: name for name in COLUMNS}))


def with_datasets(path, num_proc):
    rows = Dataset.from_parquet(path, cache_dir=str(Path(path).parent))  # workers map the file
    return scores(score(MODULES, rows, **COLUMNS, num_proc=num_proc))


def with_spark(session, path):
    df = session.read.parquet(path)
    return scores(score(MODULES, df, **COLUMNS))


def scores(results):
    (system,) = results
    return results[system]


def main(*sizes):
    disable_progress_bars()
    logging.getLogger("py4j").setLevel(logging.ERROR)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.log.level", "OFF")
        .config("spark.sql.files.maxPartitionBytes", "4m")
        .getOrCreate()
    )
    with TemporaryDirectory() as folder:
        for rows in sizes:
            path = str(Path(folder, f"{rows}.parquet"))
            write(path, rows)
            with_spark(session, path)  # starts its workers
            print(f"\n{rows:,} answers, {' and '.join(MODULES)}")
            expected = None
            for title, call in (
                ("one process, columns in memory", partial(in_memory, path)),
                ("datasets, this process", partial(with_datasets, path, None)),
                ("datasets, num_proc=2", partial(with_datasets, path, 2)),
                ("Spark, local[2]", partial(with_spark, session, path)),
            ):
                start = time.perf_counter()
                result = call()
                seconds = time.perf_counter() - start
                expected = expected or result
                assert result == expected
                print(f"{title}: {rows / seconds:,.0f} rows a second ({seconds:.1f} s)")
    session.stop()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:] or ["200000", "2000000"]))
