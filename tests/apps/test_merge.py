"""Parts that `score --partial` writes, and what `merge` makes of them."""

import json

import pytest

from tests.apps.files import write_rows
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


def output(run, *arguments):
    status, out, err = run(*arguments)
    assert (status, err) == (0, "")
    return out


def written(run, shards, *more):
    parts = [path.with_suffix(".part") for path in shards]
    for path, part in zip(shards, parts, strict=True):
        assert output(run, "score", *MODULES, path, *FIELDS, "--rows", part, *more) == ""
    return parts


@pytest.mark.long
def test_parts_have_the_result_of_the_whole(run, shards, tmp_path):
    parts = written(run, shards, "--group-by", "topic", "--preset", "ultrarag")
    interval = ["--confidence", "0.9", "--resamples", "100"]
    whole = tmp_path / "whole.jsonl"
    whole.write_text("".join(ROWS), "utf-8")
    grouped = [*FIELDS, "--group-by", "topic", "--preset", "ultrarag"]
    output(run, "score", *MODULES, whole, *grouped, *interval, "--save", tmp_path / "once.json")
    output(run, "merge", *reversed(parts), *interval, "--save", tmp_path / "merged.json")
    once, merged = (
        json.loads((tmp_path / name).read_text()) for name in ("once.json", "merged.json")
    )
    assert merged["systems"] == once["systems"]
    assert "preset=ultrarag" in merged["systems"]["atlas"]["qa_em"]["signature"]
    assert sum(source["rows"] for source in merged["provenance"]["inputs"]) == len(ROWS)


def test_parts_keep_the_level_of_intervals(run, refused, shards, tmp_path):
    parts = written(run, shards, "--confidence", "0.5")
    output(run, "merge", *parts, "--save", tmp_path / "kept.json")
    output(run, "merge", *parts, "--confidence", "0.5", "--save", tmp_path / "named.json")
    kept, named = (
        json.loads((tmp_path / f"{name}.json").read_text()) for name in ("kept", "named")
    )
    assert kept["systems"] == named["systems"]
    assert kept["systems"]["atlas"]["qa_em"]["confidence_interval"]["qa_em"]

    (other, *_) = written(run, shards[:1], "--confidence", "0.9")
    status, message = refused("merge", parts[1], other)
    options = "states of different options cannot be merged: confidence_level"
    assert (status, message) == (1, f"{other}: {options} is 0.5 in one and 0.9 in the other")
    status, message = refused(
        "score", "qa_em", shards[0], *FIELDS, "--rows", other, "--resamples", "50"
    )
    assert (status, message) == (2, "--resamples cannot be used with --partial; pass it to merge")


def test_a_part_of_sums_says_how_to_get_intervals(run, refused, tmp_path):
    path, part = tmp_path / "0.jsonl", tmp_path / "0.part"
    path.write_text('{"guess": 1.0, "truth": 2.0}\n')
    fields = ["--predictions", "guess", "--references", "truth"]
    output(run, "score", "regression", path, *fields, "--rows", part)
    status, message = refused("merge", part, "--confidence", "0.9")
    assert status == 1
    assert "this state keeps sums, but intervals need rows" in message
    assert "--confidence" in message


@pytest.mark.long
def test_what_does_not_belong_together_is_refused(run, refused, shards, tmp_path):
    parts = written(run, shards)
    status, message = refused("merge", *parts, parts[0])
    assert status == 1
    assert message.startswith(f"{parts[0]}: the rows of {shards[0]} are in both parts")
    other = tmp_path / "other.part"
    output(run, "score", *MODULES, shards[0], *FIELDS, "--rows", other, "--set", "normalizer=lower")
    status, message = refused("merge", parts[1], other)
    assert status == 1
    assert "normalizer is 'squad' in one and 'lower' in the other" in message
    output(run, "score", "qa_em", shards[0], *FIELDS, "--rows", other)
    status, message = refused("merge", parts[1], other)
    assert "parts of different modules cannot be merged" in message
    other.write_text("{}")
    status, message = refused("merge", parts[1], other)
    assert (status, message) == (1, f"{other}: not in the format metric-commons-part/1")


@pytest.mark.parametrize(("option", "value"), [("--save", "x.json"), ("--rows", "x")])
def test_a_part_has_no_scores_yet(refused, shards, tmp_path, option, value):
    part = tmp_path / "0.part"
    status, message = refused("score", "qa_em", shards[0], *FIELDS, "--rows", part, option, value)
    assert (status, part.exists()) == (2, False)
    assert message == f"{option} cannot be used with --partial; parts have no scores yet"


def test_rankings_need_ids(run, refused, tmp_path):
    rows = [{"q": f"q{n}", "found": ["a", "b"], "gold": ["ab"[n % 2]]} for n in range(4)]
    fields = ["--predictions", "found", "--references", "gold"]
    parts = []
    for number in range(2):
        path = tmp_path / f"{number}.jsonl"
        write_rows(path, rows[number::2])
        parts.append(path.with_suffix(".part"))
        command = ["score", "ir_ranking", path, *fields, "--rows", parts[-1]]
        assert refused(*command) == (
            2,
            "parts of ir_ranking need --id, the field of the queries' ids",
        )
        output(run, *command, "--id", "q")
    merged = json.loads(output(run, "merge", *parts, "--format", "json"))
    scores = merged["systems"]["found"]["ir_ranking"]["scores"]
    assert scores["mrr"] == 0.75
