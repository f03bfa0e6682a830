import csv
import io
import json
import math
import os
from datetime import UTC, datetime
from importlib.metadata import version

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons import results
from metric_commons.results import InputError, Results, plain, score, signature, write_whole

SYSTEMS = {"a": ["Paris", "Rome"], "b": ["Paris", "Oslo"]}
REFERENCES = ["paris", ["oslo", "Christiania"]]


class Lengths:
    """A module that is none: it knows only undefined, infinite and whole scores."""

    def __init__(self):
        self.features = {"predictions": "string"}
        self.options = {"beta": 1.0, "curves": (1, 2), "by": str.lower}

    def compute(self, *, predictions, **options):
        assert set(options) <= set(self.options)
        self.taken = options
        return {
            "undefined": math.nan,
            "threshold": math.inf,
            "rows": len(predictions),
            "curve": [0.5, -math.inf],
        }


@pytest.fixture
def lengths(monkeypatch):
    metric = Lengths()
    load = results.load
    monkeypatch.setattr(results, "load", lambda name: metric if name == "lengths" else load(name))
    return metric


def scores(scored):
    return {
        (system, name): value
        for system, modules in scored.systems.items()
        for result in modules.values()
        for name, value in result.scores.items()
    }


def test_every_module_scores_every_system():
    scored = score(["qa_em", "substring_recall"], predictions=SYSTEMS, references=REFERENCES)

    assert scores(scored) == {
        ("a", "qa_em"): 0.5,
        ("a", "substring_recall"): 0.5,
        ("b", "qa_em"): 1.0,
        ("b", "substring_recall"): 1.0,
    }


def test_one_system_needs_no_name():
    scored = score("qa_em", predictions=["a"], references=["b"])

    assert scores(scored) == {("predictions", "qa_em"): 0.0}


def test_systems_may_have_rows_of_their_own():
    scored = score(
        "qa_em",
        predictions={"a": ["x"], "b": ["x", "y"]},
        references={"a": ["x"], "b": ["x", "z"]},
        groups={"a": ["one"], "b": ["one", "two"]},
    )

    assert scores(scored) == {("a", "qa_em"): 1.0, ("b", "qa_em"): 0.5}
    assert scored.systems["b"]["qa_em"].rows == 2
    assert scored.systems["b"]["qa_em"].groups["two"] == {"qa_em": 0.0, "n": 1}


def test_a_system_without_references_is_an_error():
    with pytest.raises(ValueError, match="there are no references for system 'b'"):
        score("qa_em", predictions=SYSTEMS, references={"a": REFERENCES})


@pytest.mark.parametrize("arguments", [{"modules": []}, {"predictions": {}}])
def test_nothing_to_do_is_an_error(arguments):
    with pytest.raises(ValueError, match="at least one module and one system"):
        score(**{"modules": "qa_em", "predictions": ["a"], "references": ["a"]} | arguments)


def test_an_option_goes_to_the_modules_that_have_it():
    scored = score(
        ["qa_em", "qa_f1"],
        predictions=["The cat", ""],
        references=["cat", ""],
        options={"qa_f1.normalizer": "squad", "normalizer": "lower", "both_empty": 0},
    )
    em, f1 = scored.systems["predictions"].values()

    assert em.options == {"normalizer": "lower", "reference_aggregation": "max"}
    assert (f1.options["normalizer"], f1.options["both_empty"]) == ("squad", 0.0)
    assert (em.scores["qa_em"], f1.scores["qa_f1"]) == (0.5, 0.5)
    assert "|both_empty=0.0|" in f1.signature


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("normaliser", "'normaliser'; did you mean 'normalizer'"),
        ("qa_em.overlap", "'qa_em.overlap'; did you mean"),
        ("zzz", "'zzz'; the options are normalizer, qa_em.normalizer"),
        ("per_example", "'per_example'"),
    ],
)
def test_an_unknown_option_is_an_error(key, message):
    with pytest.raises(ValueError, match=f"there is no option {message}"):
        score(["qa_em", "qa_f1"], predictions=["a"], references=["a"], options={key: 1})


def test_what_is_reported_is_no_part_of_the_signature():
    plainly = score("qa_f1", predictions=SYSTEMS, references=REFERENCES)
    fully = score(
        "qa_f1",
        predictions=SYSTEMS,
        references=REFERENCES,
        confidence_level=0.9,
        n_resamples=100,
        seed=1,
        groups=["x", "y"],
        per_example=True,
    )
    result = fully.systems["a"]["qa_f1"]

    assert fully.signatures() == plainly.signatures()
    assert result.options == plainly.systems["a"]["qa_f1"].options | {
        "confidence_level": 0.9,
        "n_resamples": 100,
        "seed": 1,
    }
    assert result.per_example["qa_f1"] == [1.0, 0.0]
    assert set(result.confidence_interval) == set(result.scores)
    assert list(result.groups) == ["x", "y"]


def test_bad_input_names_the_system():
    with pytest.raises(InputError, match=r"system 'b': predictions\[1\] is None") as caught:
        score("qa_em", predictions={"a": ["x", "y"], "b": ["x", None]}, references=["x", "y"])

    assert caught.value.system == "b"


def test_a_module_gets_the_columns_and_options_it_has(lengths):
    scored = score(
        ["lengths", "qa_em"],
        predictions=["a"],
        references=["a"],
        options={"beta": 2},
        confidence_level=0.9,
        per_example=True,
        groups=["x"],
    )

    assert lengths.taken == {"beta": 2.0}
    assert scored.systems["predictions"]["lengths"].options["beta"] == 2.0
    assert scored.systems["predictions"]["qa_em"].groups == {"x": {"qa_em": 1.0, "n": 1}}


@pytest.mark.parametrize(
    "asked", [{"per_example": True}, {"confidence_level": 0.9}, {"groups": ["x"]}]
)
def test_what_no_module_can_report_is_an_error(lengths, asked):
    with pytest.raises(ValueError, match="is an option of none of the modules: lengths"):
        score("lengths", predictions=["a"], **asked)


def test_the_signature_holds_what_moves_the_number():
    scored = score("qa_f1", predictions=["a"], references=["a"])

    (line,) = scored.signatures()
    *parts, program = line.split("|")
    assert parts == [
        "qa_f1",
        "normalizer=squad",
        "overlap=multiset",
        "both_empty=1.0",
        "reference_aggregation=max",
        "rows=1",
    ]
    assert program == f"metric-commons {version('metric-commons')}"


class Exclaim:
    def __call__(self, text):
        return text + "!"


@pytest.mark.parametrize(
    ("value", "text"),
    [(str.lower, "str.lower"), (Exclaim(), "Exclaim"), (("a", 1), "a,1"), (None, "None")],
)
def test_the_signature_is_one_line_of_text(value, text):
    assert signature("m", {"x": value}, 3).startswith(f"m|x={text}|rows=3|metric-commons ")


def test_numbers_that_json_lacks_are_null(lengths, tmp_path):
    scored = score("lengths", predictions={"a": ["x"], "b": ["x", "y"]})
    content = json.loads(scored.to_json(), parse_constant=pytest.fail)

    assert content["systems"]["b"]["lengths"]["scores"] == {
        "undefined": None,
        "threshold": None,
        "rows": 2,
        "curve": [0.5, None],
    }
    assert content["systems"]["a"]["lengths"]["options"]["by"] == "str.lower"

    scored.save(tmp_path / "r.json")
    again = Results.read(tmp_path / "r.json")
    assert math.isnan(again.systems["a"]["lengths"].scores["undefined"])
    assert again.to_dict() == scored.to_dict()


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_plain_values_are_json(value):
    text = json.dumps(plain(value), allow_nan=False)

    assert json.loads(text) == plain(value)


def test_the_file_has_the_documented_shape():
    sources = [{"path": "x.jsonl", "sha256": "0" * 64, "rows": 2}]
    content = score(
        "qa_em",
        predictions=SYSTEMS,
        references=REFERENCES,
        confidence_level=0.95,
        groups=["x", "y"],
        per_example=True,
        inputs=sources,
    ).to_dict()

    assert list(content) == ["format", "systems", "comparisons", "provenance"]
    assert content["format"] == "metric-commons/1"
    assert list(content["systems"]["a"]["qa_em"]) == [
        "options",
        "rows",
        "scores",
        "confidence_interval",
        "groups",
        "signature",
    ]
    assert content["systems"]["a"]["qa_em"]["groups"]["y"] == {"qa_em": 0.0, "n": 1}
    assert content["comparisons"] == []
    assert content["provenance"]["inputs"] == sources
    assert set(content["provenance"]["versions"]) == {
        "metric-commons",
        "python",
        "numpy",
        "evaluate",
        "datasets",
    }
    created = datetime.fromisoformat(content["provenance"]["created"])
    assert abs((datetime.now(UTC) - created).total_seconds()) < 60


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "other/1"}', "\x80"])
def test_another_file_is_no_result(text, tmp_path):
    path = tmp_path / "r.json"
    path.write_text(text, "latin-1")

    with pytest.raises(ValueError, match=r"r\.json: "):
        Results.read(path)


def test_the_table_has_a_row_a_system_and_a_column_a_score():
    scored = score(["qa_em", "qa_f1"], predictions=SYSTEMS, references=REFERENCES)
    header, rule, *rows, blank, em, f1 = scored.to_table().splitlines()

    assert header.split() == ["system", "qa_em", "qa_f1", "qa_precision", "qa_recall"]
    assert set(rule) == {"-", " "}
    assert [row.split() for row in rows] == [["a", *["0.5000"] * 4], ["b", *["1.0000"] * 4]]
    assert blank == ""
    assert [em, f1] == scored.signatures()


def test_the_best_of_each_score_is_bold():
    systems = SYSTEMS | {"c": ["Paris", "Christiania"]}
    scored = score("qa_em", predictions=systems, references=REFERENCES, confidence_level=0.95)
    rows = scored.to_markdown().splitlines()[2:5]

    assert [row.split("|")[2].strip() for row in rows] == [
        "0.5000 [0.0000, 1.0000]",
        "**1.0000 [1.0000, 1.0000]**",
        "**1.0000 [1.0000, 1.0000]**",
    ]


def test_a_single_system_is_not_the_best_and_undefined_never_is(lengths):
    assert "**" not in score("qa_em", predictions=["a"], references=["a"]).to_markdown()

    table = score("lengths", predictions={"a": ["x"], "b": ["x", "y"]}).to_markdown()
    assert [row.split() for row in table.splitlines()[2:4]] == [
        ["|", "a", "|", "nan", "|", "**inf**", "|", "1", "|"],
        ["|", "b", "|", "nan", "|", "**inf**", "|", "**2**", "|"],
    ]


def test_groups_have_a_table_of_their_own():
    scored = score("qa_em", predictions=SYSTEMS, references=REFERENCES, groups=["x", "y"])
    _, groups = scored.tables()

    assert groups.header == ["system", "group", "rows", "qa_em"]
    assert groups.rows == [
        ["a", "x", "1", "1.0000"],
        ["a", "y", "1", "0.0000"],
        ["b", "x", "1", "1.0000"],
        ["b", "y", "1", "1.0000"],
    ]
    assert scored.to_table().count("system") == 2


def test_a_label_keeps_its_line():
    label = "one\ntwo | \ud800"
    scored = score("qa_em", predictions={label: ["a"]}, references=["a"], groups=[label])

    assert "one\\ntwo | \\ud800" in scored.to_table()
    assert "one\\ntwo \\| \\ud800" in scored.to_markdown()
    assert json.loads(scored.to_json())["systems"].keys() == {label}


def test_csv_has_every_number_in_full():
    predictions = ["the cat sat", "cat", "a dog"]
    scored = score(
        "qa_f1",
        predictions=predictions,
        references=["cat sat down", "cat", "dog bone"],
        confidence_level=0.95,
        groups=["x", "y, z", "x"],
    )
    result = scored.systems["predictions"]["qa_f1"]
    rows = list(csv.DictReader(io.StringIO(scored.to_csv())))
    whole = {row["score"]: row for row in rows if not row["group"]}

    assert {name: float(row["value"]) for name, row in whole.items()} == result.scores
    assert {
        name: [float(row["low"]), float(row["high"])] for name, row in whole.items()
    } == result.confidence_interval
    assert {(row["group"], row["rows"]) for row in rows} == {("", "3"), ("x", "2"), ("y, z", "1")}


def test_csv_has_no_text_where_there_is_no_number(lengths):
    lines = score("lengths", predictions=["x"]).to_csv().splitlines()

    assert lines[1:] == [
        "predictions,,lengths,undefined,,,,1",
        "predictions,,lengths,threshold,,,,1",
        "predictions,,lengths,rows,1,,,1",
    ]


def test_scores_of_rows_go_to_json_lines(tmp_path):
    path = tmp_path / "rows.jsonl"
    score(
        ["qa_em", "substring_recall"],
        predictions=SYSTEMS,
        references=REFERENCES,
        per_example=True,
    ).save_per_example(path)

    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        {"row": 0, "system": "a", "scores": {"qa_em": 1.0, "substring_recall": 1.0}},
        {"row": 1, "system": "a", "scores": {"qa_em": 0.0, "substring_recall": 0.0}},
        {"row": 0, "system": "b", "scores": {"qa_em": 1.0, "substring_recall": 1.0}},
        {"row": 1, "system": "b", "scores": {"qa_em": 1.0, "substring_recall": 1.0}},
    ]


# Files are written whole or not at all


def test_folders_are_made_and_links_are_followed(tmp_path):
    link = tmp_path / "link.json"
    link.symlink_to("new/deep/file.json")
    write_whole(link, ["one ", "two"])

    assert link.is_symlink()
    assert (tmp_path / "new" / "deep" / "file.json").read_text() == "one two"


def test_a_new_file_has_the_ordinary_permissions(tmp_path):
    (tmp_path / "ordinary").touch()
    write_whole(tmp_path / "written", ["x"])

    assert (tmp_path / "written").stat().st_mode == (tmp_path / "ordinary").stat().st_mode


def broken_off():
    yield "half"
    raise RuntimeError


def interrupted():
    yield "half"
    raise KeyboardInterrupt


@pytest.mark.parametrize("pieces", [broken_off, interrupted])
def test_what_breaks_off_leaves_the_old_file(pieces, tmp_path):
    (tmp_path / "r.json").write_text("old")

    with pytest.raises((RuntimeError, KeyboardInterrupt)):
        write_whole(tmp_path / "r.json", pieces())

    assert (tmp_path / "r.json").read_text() == "old"
    assert os.listdir(tmp_path) == ["r.json"]


def test_a_full_disk_leaves_the_old_file_and_names_it(monkeypatch, tmp_path):
    def no_space(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    (tmp_path / "r.json").write_text("old")

    with pytest.raises(OSError, match=r"No space left on device: .*/r\.json'"):
        write_whole(tmp_path / "r.json", ["new"])

    assert (tmp_path / "r.json").read_text() == "old"
    assert os.listdir(tmp_path) == ["r.json"]


def test_only_files_are_replaced(tmp_path):
    for path in (tmp_path, os.devnull):
        with pytest.raises(ValueError, match="is not a file"):
            write_whole(path, ["x"])
