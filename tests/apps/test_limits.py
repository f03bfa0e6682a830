"""Hostile files, options and names: an error is one line without control characters."""

import json
from fractions import Fraction

import numpy as np
import pytest

import metric_commons
from metric_commons.evaluation.scoring.scoring import score
from tests.apps.probes import nested
from tests.spec import specs
from tests.tables import by_table


@pytest.mark.long
@by_table("text, message", ids=range(12))
def test_a_hostile_configuration_is_one_line(refused, tmp_path, text, message):
    (tmp_path / "x.yaml").write_text(text, "utf-8")
    status, said = refused("run", "x.yaml")

    assert status in (1, 2)
    assert message in said
    assert said.isprintable()
    assert len(said) <= 2000


@pytest.mark.parametrize(
    "option", [("--n-resamples", 10**12), ("--seed", 2**64), ("--seed", -1), ("--jobs", 10**9)]
)
def test_a_number_that_is_too_large_is_refused_though_nothing_needs_it(refused, tmp_path, option):
    (tmp_path / "x.jsonl").write_text('{"a": "b", "c": "b"}\n', "utf-8")
    columns = ("--predictions", "a", "--references", "c")
    status, said = refused("score", "qa_em", "x.jsonl", *columns, *map(str, option))

    assert status == 2
    assert option[0] in said


def test_limits_of_the_reader_are_told_in_our_words(refused, tmp_path):
    (tmp_path / "x.jsonl").write_text('{"a": "b", "c": ' + "9" * 5000 + "}\n", "utf-8")
    status, said = refused("score", "qa_em", "x.jsonl", "--predictions", "a", "--references", "c")

    assert status == 1
    assert said.startswith("x.jsonl: ")
    assert said.endswith("an integer has more than 4,300 digits")


@pytest.mark.parametrize("content", ["[" * 100_000, '{"format": ' + "[" * 100_000])
def test_json_that_is_nested_deeply_is_one_line(refused, tmp_path, content):
    (tmp_path / "x.json").write_text(content, "utf-8")
    for arguments in (
        ("report", "x.json", "--save", "x.html"),
        ("compare", "x.json", "x.json"),
        ("merge", "x.json"),
        ("score", "qa_em", "x.json", "--predictions", "a", "--references", "b"),
        ("score", "qa_em", "x.json", "--predictions", "a", "--set", f"normalizer={content}"),
    ):
        status, said = refused(*arguments)
        assert status in (1, 2)
        assert len(said) <= 2000


def test_fields_of_a_file_control_no_terminal(refused, tmp_path):
    row = {"\x1b]0;title\x07": 1, "\u202eabc": 2}
    (tmp_path / "x.jsonl").write_text(json.dumps(row), "utf-8")
    _, said = refused("score", "win_rate", "x.jsonl", "--predictions", "outcome")

    assert "\\x1b]0;title\\x07, \\u202eabc" in said


def test_a_message_is_not_as_long_as_what_it_is_about(refused, tmp_path):
    (tmp_path / "x.jsonl").write_text(json.dumps({"x" * 10**6: 1}), "utf-8")
    _, said = refused("score", "win_rate", "x.jsonl", "--predictions", "outcome")

    assert len(said) <= 2000


def test_cells_of_csv_are_no_formulas():
    systems = {'=HYPERLINK("http://x")': ["a"], "+1": ["a"], "\x1b[2J": ["a"]}
    text = score("qa_em", predictions=systems, references=["a"]).to_csv()

    assert '"\'=HYPERLINK(""http://x"")"' in text
    assert "\n'+1," in text
    assert "\n\\x1b[2J," in text


def test_a_link_in_a_circle_is_one_line(refused, tmp_path):
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    (tmp_path / "x.jsonl").write_text('{"a": "win"}', "utf-8")
    scored = ("score", "win_rate", "x.jsonl", "--predictions", "a")
    status, said = refused(*scored, "--save", "circle/x.json")

    assert status == 1
    assert "circle" in said


@pytest.mark.parametrize(
    ("module", "options", "message"),
    [
        ("chrf", {"char_order": 10**15}, "char_order must be an integer from 1 to 100"),
        ("chrf", {"word_order": 2**62}, "word_order must be an integer from 0 to 100"),
        ("chrf", {"beta": 1e308}, "beta must be a number from 0 to 1,000,000"),
        ("bleu", {"max_ngram_order": 10**15}, "max_ngram_order must be an integer from 1 to"),
        ("classification", {"calibration_bins": 10**15}, "calibration_bins must be an integer"),
        ("clustering", {"measures": range(10**12)}, "measures must be names"),
        ("regression", {"multioutput": range(10**12)}, "multioutput must be one of"),
        ("qa_em", {"confidence_level": Fraction(1, 2)}, "confidence_level must be a number"),
        ("qa_em", {"extract": nested(3000)}, "extract"),
        ("repeated_sampling", {"scores": np.array(1)}, "scores must be"),
    ],
)
def test_what_would_never_end_is_refused_at_once(module, options, message):
    metric = metric_commons.load(module)
    with pytest.raises(ValueError, match=message):
        type(metric)().compute(**specs(module)[0].sample | options)


@pytest.mark.parametrize(
    "arguments",
    [("report", "/dev/zero", "--save", "x.html"), ("merge", "/dev/zero"), ("run", "/dev/zero")],
)
def test_a_device_that_never_ends_is_refused(refused, arguments):
    assert refused(*arguments) == (1, "/dev/zero is a device, not a file")
