"""Files of answers read in pieces and, as a peer, row by row. Prints ratios of CPU time.

    python benchmarks/reading.py [ROWS]

Both return the same columns; the reader of rows is the one that `limit` needs.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from _measure import ratio
from scale import json_lines, write

from metric_commons.data.tables.tables import Source

FIELDS = ["answer", "gold"]
BLOCK = 2048  # rows, of which only one block at a time is in memory


def read(path, **arguments):
    for _ in Source(Path(path), FIELDS, **arguments).blocks(BLOCK):
        pass


def main(rows=100_000):
    print(f"{rows:,} answers, {' and '.join(FIELDS)}: in pieces, against row by row")
    with TemporaryDirectory() as folder:
        path = str(Path(folder, "answers.parquet"))
        write(path, rows)
        for title, file in (("Parquet", path), ("JSON Lines", json_lines(path))):
            assert (
                Source(Path(file), FIELDS).columns()
                == Source(Path(file), FIELDS, limit=rows).columns()
            )
            ratio(title, lambda file=file: read(file), lambda file=file: read(file, limit=rows))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
