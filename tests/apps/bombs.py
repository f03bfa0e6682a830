"""Small files that unpack to gigabytes: are they read, or refused, in little memory?

Run in a clone as `python -m tests.apps.bombs [MEBIBYTES]`, which prints a table of the memory that
each reader takes for files with this much content.
"""

import bz2
import gzip
import json
import lzma
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from functools import cache
from pathlib import Path

import zstandard

from metric_commons.data.tables.tables import Source
from metric_commons.data.trec.trec import read_qrels, read_run
from tests.spec import ROOT

MIB = 1 << 20
UNIT = 4 * MIB  # bytes of content that are compressed once, and repeated as they are
LITTLE = 1536  # mebibytes that reading a bomb may take: 1 GiB of text, and what is imported

CODECS = {
    "gz": lambda data: gzip.compress(data, mtime=0),
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor(level=3).compress,
}
LONG = b"0123456789abcdef" * 64
# The start, the repeated content and the end of each file, and its name.
CONTENTS = {
    "a list with a long text": ("x.json", b'[{"a": "', b"x", b'"}]'),
    "a list of many rows": ("x.json", b'[{"a": ""}', b', {"a": "%s"}' % LONG, b"]"),
    "a document with a long text": ("x.json", b'{\n"data":\n[{"a": "', b"x", b'"}]}'),
    "a document of empty lists": ("x.json", b'{\n"data":\n[{"a": [[]', b",[]", b"]}]}"),
    "JSON Lines": ("x.jsonl", b"", b'{"a": "%s"}\n' % LONG, b""),
    "a line of JSON Lines": ("x.jsonl", b'{"a": "', b"x", b'"}\n'),
    "CSV": ("x.csv", b"a,b\n", b"x,%s\n" % LONG, b""),
    "a cell of CSV": ("x.csv", b'a,b\n"', b"x\n", b'",y\n'),
    "a run": ("run", b"q Q0 d 1 1 t\n", b"q Q0 d 1 1 %s\n" % LONG, b""),
    "a line of a run": ("run", b"q Q0 d 1 1 t\n", b"x", b"\n"),
    "a run in JSON": ("run", b'{"q": {"d": 1}', b" ", b"}"),
    "judgments": ("qrels", b"q 0 d 1\n", b"q %s d 1\n" % LONG, b""),
    "an unfinished archive": ("x.eval", b"PK\x03\x04", b"x", b""),
}
METHODS = {"deflate": zipfile.ZIP_DEFLATED, "bzip2": zipfile.ZIP_BZIP2, "lzma": zipfile.ZIP_LZMA}
_HEADER = {"version": 2, "status": "success", "eval": {"model": "m", "task": "t"}}
_HEADER["results"] = {"total_samples": 1}


@cache
def _unit(codec, data):
    return CODECS[codec](data * (UNIT // len(data)))


def write_compressed(folder, codec, content, mebibytes):
    """A file with about this much content, compressed in pieces that are alike."""
    name, start, data, end = CONTENTS[content]
    path = folder / f"{name}.{codec}"
    pack = CODECS[codec]
    with path.open("wb") as file:
        file.write(pack(start))
        for _ in range(max(mebibytes * MIB // UNIT, 1)):
            file.write(_unit(codec, data))
        file.write(pack(end))
    return path


def write_archive(folder, method, mebibytes, samples=1):
    """A log of Inspect whose samples have about this much content each."""
    path = folder / f"{method}.eval"
    with zipfile.ZipFile(path, "w", METHODS[method]) as archive:
        archive.writestr("header.json", json.dumps(_HEADER))
        for sample in range(samples):
            with archive.open(f"samples/{sample}_epoch_1.json", "w") as file:
                file.write(b'{"id": 1, "epoch": 1, "target": "a", "input": "')
                for _ in range(mebibytes):
                    file.write(b"x" * MIB)
                file.write(b'"}')
    return path


def write_zstandard_archive(folder, mebibytes):
    """The same, compressed as Inspect does now: the method of the entries is set afterwards."""
    text = b'{"id": 1, "epoch": 1, "target": "a", "input": "' + b"x" * (mebibytes * MIB) + b'"}'
    path = folder / "zstandard.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(_HEADER))
        archive.writestr("samples/1_epoch_1.json", CODECS["zst"](text))
    data = bytearray(path.read_bytes())
    name = b"samples/1_epoch_1.json"
    local, central = data.find(name) - 30, data.rfind(name) - 46
    data[local + 8 : local + 10] = data[central + 10 : central + 12] = (93).to_bytes(2, "little")
    path.write_bytes(data)
    return path


def read(path):
    """Read a file of this module; an error of one line refuses it."""
    if path.name.startswith("run"):
        read_run(path)
    elif path.name.startswith("qrels"):
        read_qrels(path)
    else:
        for _ in Source(path, ["id" if path.suffix == ".eval" else "a"]).blocks(10_000):
            pass


def bombs(dice, folder):
    """A probe: a bomb, which must be read or refused in little memory."""
    mebibytes = dice.choice([4, 8, 12, 16]) if dice.random() < 0.97 else 1000
    kind = dice.randrange(7)
    if kind == 0:
        path = write_archive(folder, dice.choice([*METHODS]), mebibytes)
    elif kind == 1:
        path = write_zstandard_archive(folder, min(mebibytes, 200))
    else:
        path = write_compressed(folder, dice.choice([*CODECS]), dice.choice([*CONTENTS]), mebibytes)
    before = _peak()
    try:
        read(path)
    finally:
        growth, size = _peak() - before, path.stat().st_size
        path.unlink()
        if growth > LITTLE:
            raise AssertionError(f"{size:,} bytes of {path.name} took {growth} MiB")
    return True


def _peak():
    """The most memory of this process so far, in mebibytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def peak_since_start():
    """The most memory of this program in mebibytes, without that of the one that started it."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) // 1024


def measured(path):
    """The memory in mebibytes of a process that reads a file, its seconds, and its answer."""
    program = (
        "import sys; from pathlib import Path\n"
        "from tests.apps.bombs import peak_since_start, read\n"
        "try:\n    read(Path(sys.argv[1])); said = 'read'\n"
        "except ValueError as error: said = str(error)\n"
        "print(peak_since_start(), said)"
    )
    start = time.monotonic()
    command = [sys.executable, "-c", program, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    peak, _, said = done.stdout.strip().partition(" ")
    return int(peak), time.monotonic() - start, said


def main(mebibytes):
    print("| file | stored bytes | answer | memory, MiB | seconds |")  # noqa: T201
    print("| --- | ---: | --- | ---: | ---: |")  # noqa: T201
    largest = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = [
            (f"{content}, .{codec}", write_compressed, (codec, content, mebibytes))
            for content in CONTENTS
            for codec in CODECS
        ]
        paths += [
            (f".eval, one sample, {method}", write_archive, (method, mebibytes))
            for method in METHODS
        ]
        paths += [(".eval, many samples, deflate", write_archive, ("deflate", 9, mebibytes // 9))]
        paths += [(".eval, one sample, zstandard", write_zstandard_archive, (mebibytes,))]
        for what, write, arguments in paths:
            path = write(folder, *arguments)
            peak, seconds, said = measured(path)
            largest = max(largest, peak)
            answer = "read" if said == "read" else said.partition(": ")[2].partition(";")[0]
            size = path.stat().st_size
            print(f"| {what} | {size:,} | {answer} | {peak} | {seconds:.1f} |", flush=True)  # noqa: T201
            path.unlink()
    return int(largest > LITTLE)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
