"""Files of answers read into columns, and by the readers alone. Prints ratios of CPU time.

    python benchmarks/reading.py [ROWS]

The reader of JSON Lines is a loop of `json.loads`; that of CSV and Parquet is pyarrow, whose tables
become lists too, since modules take these.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
from _measure import ratio
from pyarrow import compute, csv, parquet
from scale import json_lines, write

from metric_commons.data.tables.tables import Source

FIELDS = ["answer", "gold"]
BLOCK = 2048  # rows, of which only one block at a time is in memory


def read(path):
    for _ in Source(path, FIELDS).blocks(BLOCK):
        pass


def loop(path):
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            json.loads(line)


def lists(table):
    return [table[field].to_pylist() for field in FIELDS]


def main(rows=100_000):
    print(f"{rows:,} answers, {' and '.join(FIELDS)}: against the readers alone")
    with TemporaryDirectory() as folder:
        path = Path(folder, "answers.parquet")
        write(str(path), rows)
        cells, lines = path.with_suffix(".csv"), Path(json_lines(str(path)))
        table = parquet.read_table(path)
        first = compute.list_element(table["gold"], 0)
        csv.write_csv(pa.table([table["answer"], first], FIELDS), cells)
        ratio("Parquet", lambda: read(path), lambda: lists(parquet.read_table(path)))
        ratio("CSV", lambda: read(cells), lambda: lists(csv.read_csv(cells)))
        ratio("JSON Lines", lambda: read(lines), lambda: loop(lines))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
