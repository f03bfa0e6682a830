"""Small files that unpack to gigabytes: they are read, or refused, in little memory."""

import bz2
import gzip
import json
import lzma
import resource
import zipfile
from functools import cache

import zstandard

from metric_commons.data.tables.tables import Source
from metric_commons.data.trec.trec import read_qrels, read_run

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
SAMPLE = "samples/1_epoch_1.json"
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


def write_archive(folder, method, mebibytes):
    """A log of Inspect whose sample has about this much content."""
    path = folder / f"{method}.eval"
    text = b'{"id": 1, "epoch": 1, "target": "a", "input": "' + b"x" * (mebibytes * MIB) + b'"}'
    with zipfile.ZipFile(path, "w", METHODS.get(method, zipfile.ZIP_STORED)) as archive:
        archive.writestr("header.json", json.dumps(_HEADER))
        archive.writestr(SAMPLE, text if method in METHODS else CODECS["zst"](text))
    if method not in METHODS:  # zstandard, as Inspect does now: the method is set afterwards
        data = bytearray(path.read_bytes())
        local, central = data.find(SAMPLE.encode()) - 30, data.rfind(SAMPLE.encode()) - 46
        for place in (local + 8, central + 10):
            data[place : place + 2] = (93).to_bytes(2, "little")
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
        path = write_archive(folder, dice.choice([*METHODS, "zstandard"]), min(mebibytes, 200))
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
