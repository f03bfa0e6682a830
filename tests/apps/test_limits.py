"""Hostile files, options and names: an error is one line without control characters."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from metric_commons.evaluation import catalog
from metric_commons.evaluation.scoring import score
from tests.spec import PATIENCE

LAUGHS = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 10)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LAUGHS + "modules: *i\n", "its aliases stand for more than 100,000 values"),
        ("modules: &a [*a]\n", "its aliases stand for more than 100,000 values"),
        ("modules: " + "[" * 5000 + "]" * 5000, "values are nested too deeply"),
        ("modules: [qa_em]\nseed: 30000-01-01 00:00:00\n", "key 'seed'"),
        ("modules: [qa_em]\nseed: 2001-13-45 99:00:00\n", "month must be in 1..12"),
        ("modules: [qa_em]\nseed: " + "9" * 5000, "Exceeds the limit"),
        ("modules: [qa_em]\nseed: 1" + "0" * 400, "x.yaml"),
        ('modules: ["\\e[2J\\u202e"]\n', "\\x1b[2J\\u202e"),
    ],
    ids=range(8),
)
def test_a_hostile_configuration_is_one_line(refused, tmp_path, text, message):
    (tmp_path / "x.yaml").write_text(text, "utf-8")
    status, said = refused("run", "x.yaml")

    assert status in (1, 2)
    assert message in said
    assert said.isprintable()
    assert len(said) <= 2000


@pytest.mark.parametrize("content", ["[" * 100_000, '{"format": ' + "[" * 100_000])
def test_json_that_is_nested_deeply_is_one_line(refused, tmp_path, content):
    (tmp_path / "x.json").write_text(content, "utf-8")
    for arguments in (
        ("report", "x.json", "--html", "x.html"),
        ("compare", "x.json", "x.json"),
        ("merge", "x.json"),
        ("score", "qa_em", "x.json", "--predictions", "a", "--references", "b"),
        ("score", "qa_em", "x.json", "--predictions", "a", "--set", f"normalizer={content}"),
    ):
        status, said = refused(*arguments)
        assert status in (1, 2)
        assert len(said) <= 2000


@pytest.mark.parametrize("value", [2**64, -(2**64), 10**400, memoryview(b"abc"), bytearray(b"a")])
def test_what_no_option_can_be_is_one_line(value):
    sample = {"predictions": [1.0, 2.0], "references": [1.0, 3.0]}
    for module, options in (
        ("pass_at_k", ["k"]),
        ("regression", ["n_resamples", "seed", "confidence_level", "measures"]),
        ("classification", ["beta", "threshold", "zero_division", "calibration_bins"]),
    ):
        metric = catalog.load(module)
        for option in options:
            rows = {"predictions": [[1, 0]]} if module == "pass_at_k" else sample
            with pytest.raises(ValueError, match=rf"{option}|needs at least") as raised:
                metric.compute(**rows, **{option: value})
            assert "\n" not in str(raised.value)


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
    status, said = refused(
        *("score", "win_rate", "x.jsonl", "--predictions", "a", "--save", "circle/x.json")
    )

    assert status == 1
    assert "circle" in said


@pytest.mark.parametrize("delay", [0.05, 0.2, 0.4])
def test_an_interrupt_while_it_imports_is_130(tmp_path, delay):
    (tmp_path / "x.jsonl").write_text('{"a": "win"}', "utf-8")
    program = (
        "import sys; from metric_commons.__main__ import main; print('x', flush=True); "
        "sys.exit(main())"
    )
    process = subprocess.Popen(
        [*(sys.executable, "-c", program, "score", "win_rate", "x.jsonl", "--predictions", "a")],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    process.stdout.readline()
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)

    assert "Traceback" not in err
    assert process.returncode in (0, 130)  # 0 if it was faster


def test_a_home_that_cannot_be_written_is_named_with_what_to_set(tmp_path):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "XDG_"))}
    (tmp_path / "x.jsonl").write_text('{"a": "win"}', "utf-8")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "metric_commons", "score", "win_rate", "x.jsonl"),
            *("--predictions", "a"),
        ],
        cwd=tmp_path,
        env=environment | {"HOME": "/dev/null/nowhere"},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )

    assert done.returncode == 0 or "set HF_HOME to a folder" in done.stderr
    assert "Traceback" not in done.stderr
