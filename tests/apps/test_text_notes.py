"""Notes of the command on texts: thoughts that are scored, and rows without tokens."""

import pytest

from tests.apps.files import write_rows

FIELDS = ("--predictions", "p", "--references", "r")
THOUGHT = "begins with thoughts, which are scored, too; --set thoughts=strip scores what follows"
TOKENS = "no row of rouge_n_l has a token of a-z and 0-9; --set tokenizer=unicode reads other"


@pytest.mark.parametrize("more", [(), ("--compare", "--predictions", "q"), ("--jobs", 2)])
def test_thoughts_that_are_kept_are_counted(run, more):
    rows = [{"p": text, "q": "b", "r": "b"} for text in ("<think>a</think>b", "b", "a <think>")]
    write_rows("rows.jsonl", rows)
    command = ("score", "qa_em", "qa_f1", "rows.jsonl", *FIELDS, *more)

    assert f"note: 1 prediction {THOUGHT}" in run(*command)[2]
    assert "thoughts" not in run(*command, "--quiet")[2]
    assert "thoughts" not in run(*command, "--set", "thoughts=strip")[2]


@pytest.mark.parametrize(("text", "is_told"), [("สวัสดี", True), ("สวัสดี 5", False)])
def test_rows_without_a_token_are_told_once(run, text, is_told):
    write_rows("rows.jsonl", [{"p": text, "r": text}] * 3)
    command = ("score", "rouge_n_l", "rows.jsonl", *FIELDS)
    status, _, err = run(*command)

    assert status == 0
    assert err.count(TOKENS) == is_told
    assert TOKENS not in run(*command, "--set", "tokenizer=unicode")[2]
