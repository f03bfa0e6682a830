"""Files of rows that `score --rows` writes, and what `merge` makes of them."""

import json

import pytest

from tests.apps.files import write_rows
from tests.apps.saved import systems_of
from tests.spec import ROOT

ROWS = (ROOT / "examples" / "capitals.jsonl").read_text("utf-8").splitlines(keepends=True)
FIELDS = ["--predictions", "atlas", "--predictions", "borealis", "--references", "answers"]
MODULES = ["qa_em", "qa_f1"]


@pytest.fixture
def shards(tmp_path):
    paths = [tmp_path / f"shard-{number}.jsonl" for number in range(3)]
    for number, path in enumerate(paths):
        path.write_text("".join(ROWS[number::3]), "utf-8")
    return paths


def scored(run, *arguments):
    status, out, err = run(*arguments)
    assert (status, err) == (0, "")
    return out


def written(run, shards, *more, ending="parquet"):
    parts = [path.with_suffix(f".rows.{ending}") for path in shards]
    for path, part in zip(shards, parts, strict=True):
        scored(run, "score", *MODULES, path, *FIELDS, "--rows", part, *more)
    return parts


@pytest.mark.long
@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_parts_have_the_result_of_the_whole(run, shards, tmp_path, ending):
    parts = written(run, shards, "--group-by", "topic", "--preset", "ultrarag", ending=ending)
    interval = ["--confidence", "0.9", "--n-resamples", "100"]
    whole = tmp_path / "whole.jsonl"
    whole.write_text("".join(ROWS), "utf-8")
    grouped = [*FIELDS, "--group-by", "topic", "--preset", "ultrarag"]
    scored(run, "score", *MODULES, whole, *grouped, *interval, "--save", tmp_path / "once.json")
    scored(run, "merge", *reversed(parts), *interval, "--save", tmp_path / "merged.json")
    once, merged = (
        json.loads((tmp_path / name).read_text()) for name in ("once.json", "merged.json")
    )
    assert (merged["runs"], merged["records"]) == (once["runs"], once["records"])
    assert "preset=ultrarag" in merged["runs"]["atlas"]["qa_em"]["signature"]
    assert sum(source["rows"] for source in merged["provenance"]["inputs"]) == len(ROWS)


def test_intervals_are_those_that_merge_is_asked_for(run, shards):
    parts = written(run, shards, "--confidence", "0.5")
    levels = {}
    for level in ("0.5", "0.9"):
        text = scored(run, "merge", *parts, "--confidence", level, "--format", "json")
        result = systems_of(text)["atlas"]["qa_em"]
        levels[level] = result["options"]["confidence_level"]
        assert result["confidence_interval"].keys() == {"qa_em"}
    assert levels == {"0.5": 0.5, "0.9": 0.9}
    (result, _) = systems_of(scored(run, "merge", *parts, "--format", "json"))["atlas"].values()
    assert result["confidence_interval"] == {}


def test_rows_that_were_merged_are_rows_again(run, shards, tmp_path):
    parts = written(run, shards)
    both, again = tmp_path / "both.parquet", tmp_path / "again.json"
    scored(run, "merge", *parts[:2], "--rows", both)
    scored(run, "merge", both, parts[2], "--save", again)
    scored(run, "merge", *parts, "--save", tmp_path / "once.json")
    once, again = (json.loads(path.read_text()) for path in (tmp_path / "once.json", again))
    assert (again["runs"], again["records"]) == (once["runs"], once["records"])
    assert again["provenance"]["inputs"] == once["provenance"]["inputs"]


@pytest.mark.long
def test_what_does_not_belong_together_is_refused(run, refused, shards, tmp_path):
    parts = written(run, shards)
    status, message = refused("merge", *parts, parts[0])
    assert status == 1
    assert message == f"{parts[0]}: the rows of {shards[0]} are in an earlier file, too"
    other = tmp_path / "other.parquet"
    scored(run, "score", *MODULES, shards[0], *FIELDS, "--rows", other, "--set", "normalizer=lower")
    status, message = refused("merge", parts[1], other)
    options = "rows of different options cannot be merged: normalizer is 'squad' in some"
    assert (status, message) == (1, f"{options} and 'lower' in others")
    scored(run, "score", "qa_em", shards[0], *FIELDS, "--rows", other)
    status, message = refused("merge", parts[1], other)
    assert (status, message) == (
        1,
        f"{other}: only some of the files have rows of qa_f1 of 'atlas', qa_f1 of 'borealis'",
    )
    other.write_text("{}")
    status, message = refused("merge", parts[1], other)
    assert status == 1
    assert message.startswith(f"{other}: not in the format metric-commons-rows/1")


def test_an_id_of_two_files_is_refused(run, refused, tmp_path):
    parts = []
    for number in range(2):
        path = tmp_path / f"{number}.jsonl"
        write_rows(path, [{"id": name, "p": "x", "g": "x"} for name in (number, "q")])
        parts.append(path.with_suffix(".parquet"))
        fields = ["--predictions", "p", "--references", "g", "--id", "id"]
        scored(run, "score", "qa_em", path, *fields, "--rows", parts[-1])
    message = "the id 'q' occurs 2 times; every row needs its own"
    assert refused("merge", *parts) == (1, message)
