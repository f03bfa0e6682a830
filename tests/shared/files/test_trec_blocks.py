import numpy as np
import pytest

from metric_commons.files.trec import Qrels, Run
from metric_commons.files.trec_blocks import Form, columns_of, made_uniform
from metric_commons.numbers.identifiers import Ids

RUN = b"q Q0 a 1 2.5 t\nq Q0 b 2 1 t\n"


def form(kind):
    return Form(
        kind.columns.index("document"),
        kind.columns.index(kind.value),
        len(kind.columns),
        kind.parse_numbers,
    )


def rows(lines, kind=Run):
    indices = {}
    columns = columns_of(lines, form(kind), indices)
    if columns is None:
        return None
    texts = Ids.from_bytes(columns.documents, columns.lengths).texts()
    queries = [list(indices)[index].decode() for index in columns.query]
    return list(zip(queries, texts, columns.values.tolist(), strict=True))


@pytest.mark.parametrize(
    "lines",
    [
        RUN,
        RUN[:-1],
        RUN.replace(b"\n", b"\r\n"),
        RUN.replace(b" ", b"\t"),
        RUN.replace(b" ", b"  "),
        RUN.replace(b" ", b"\t", 1),
        RUN.replace(b"\n", b" \n"),
        b" " + RUN,
        b"\n \n\n" + RUN + b"\n \n",
        b"# x\n" + RUN,
        RUN + b"#",
        RUN + b" # x",
        RUN.replace(b"q", b" \tq"),
        RUN.replace(b" t", b"\x0bt"),
        RUN.replace(b" t", b"\rt"),
        RUN.replace(b"\n", b"\n\n"),
    ],
)
def test_lines_are_read_however_blanks_stand_in_them(lines):
    assert rows(lines) == [("q", "a", 2.5), ("q", "b", 1.0)]


@pytest.mark.parametrize(
    "lines",
    [
        b"",
        b"# x\n",
        RUN.replace(b"1 t", b"1_0 t"),
        RUN.replace(b"1 t", b"nan t"),
        RUN.replace(b"t\n", b"t u\n"),
        RUN.replace(b" t\n", b"\n"),
        RUN.replace(b"Q0", b"Q\x00"),
        b"a b\nq Q0 d 1\n" + RUN,
        b"q Q0 d 1 2 t q\nQ0 d 1 2 t\n",
    ],
)
def test_other_lines_are_left_to_be_read_one_by_one(lines):
    assert rows(lines) is None


@pytest.mark.parametrize("level", [b"1.0", b"1e0", b"1" * 16, b"x", b"+", b"-"])
def test_a_relevance_that_is_no_short_integer_is_left(level):
    lines = b"q 0 a 1\nq 0 b %b\n"

    assert rows(lines % b"-2", Qrels) == [("q", "a", 1.0), ("q", "b", -2.0)]
    assert rows(lines % level, Qrels) is None


def test_queries_have_the_same_indices_whether_they_are_mixed_or_not():
    names = [b"q", b"long-query-1", b"long-query-2", b"long-query-12", b"a"]
    mixed = [names[row * row % 5] for row in range(200)]
    for queries in (mixed, sorted(mixed), mixed + sorted(mixed) * 9):
        indices = {b"a": 0}
        lines = b"".join(b"%b Q0 d%d 1 1 t\n" % (query, row) for row, query in enumerate(queries))
        columns = columns_of(lines, form(Run), indices)

        assert [list(indices)[index] for index in columns.query] == queries
        assert list(indices) == list(dict.fromkeys([b"a", *queries]))


def test_texts_that_end_with_nul_are_told_apart():
    lines = b"".join(b"q%b Q0 d 1 1 t\n" % (b"0" * count) for count in (0, 1, 2, 1, 0))
    columns = columns_of(lines, form(Run), {})

    assert columns.query.tolist() == [0, 1, 2, 1, 0]


def test_lines_are_counted():
    assert columns_of(RUN, form(Run), {}).lines == 2
    assert columns_of(b"# x\n\n" + RUN, form(Run), {}).lines == 4


def test_a_comment_inside_a_document_is_none():
    assert made_uniform(b" q  Q0 #a 1 1 t\n#q\n") == b"q Q0 #a 1 1 t\n"
    assert np.array_equal(columns_of(b"q Q0 #a 1 1 t\n", form(Run), {}).lengths, [2])
