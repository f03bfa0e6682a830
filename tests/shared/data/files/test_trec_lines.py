import random
import re
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.data.trec import trec, trec_lines
from metric_commons.data.trec.identifiers import Ids
from metric_commons.data.trec.trec import Qrels, Run, ShortQrels, read_run
from metric_commons.data.trec.trec_lines import columns_by_arrow, columns_by_lines
from tests.programs import output
from tests.spec import drawn_examples
from tests.tables import by_table

RUN = b"q Q0 a 1 2.5 t\nq Q0 b 2 1 t\n"
READERS = pytest.mark.parametrize("read", [columns_by_arrow, columns_by_lines])


def rows(read, lines, kind=Run):
    """Query, document and number of each row; None if lines cannot be read so."""
    columns = read(lines, kind.layout)
    if columns is None:
        return None
    texts = Ids.from_padded(
        np.append(columns.documents, np.zeros(8, np.uint8)), columns.lengths
    ).texts()
    queries = [columns.queries[index].decode() for index in columns.query]
    return list(zip(queries, texts, columns.values.tolist(), strict=True))


@READERS
@pytest.mark.parametrize(
    "lines", [RUN, RUN[:-1], RUN.replace(b"\n", b"\r\n"), RUN.replace(b" ", b"\t")]
)
def test_regular_lines(read, lines):
    assert rows(read, lines) == [("q", "a", 2.5), ("q", "b", 1.0)]


@pytest.mark.parametrize(
    "lines",
    [
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
        RUN[:-1] + b"\rq Q0 c 3 0.5 t\n",  # one line with more fields, as trec_eval reads it
        RUN.replace(b"\n", b"\n\n"),
        RUN.replace(b"t\n", b"t u\n"),
        RUN.replace(b"t\n", b"t\x00u\n"),
        b"#q Q0\n" + RUN,
    ],
)
def test_irregular_lines_are_read_in_python_alone(lines):
    assert rows(columns_by_arrow, lines) is None
    assert rows(columns_by_lines, lines) == [("q", "a", 2.5), ("q", "b", 1.0)]


@READERS
@pytest.mark.parametrize(
    "lines",
    [
        RUN.replace(b" t\n", b"\n"),
        b"a b\nq Q0 d 1\n" + RUN,
        b"q Q0 d 1 2 t q\nQ0 d 1 2 t\n",
        RUN.replace(b" a ", b"  "),
        b"q Q0 d\x01x 1 2\nq Q0 d\x01x 1 2\n",
    ],
)
def test_lines_without_all_fields_are_refused(read, lines):
    assert rows(read, lines) is None


@pytest.mark.parametrize("document", [b"#a", b'"a', b"'", b"\\", b"a,b", b"NA", b"null", b"\xff"])
@READERS
def test_no_character_of_a_document_has_a_meaning(read, document):
    lines = b"q Q0 %b 1 1 t\nq Q0 %bb 1 2 t\n" % (document, document)
    text = document.decode("utf-8", "surrogateescape")

    assert rows(read, lines) == [("q", text, 1.0), ("q", text + "b", 2.0)]


@READERS
def test_a_control_character_is_part_of_a_document(read):
    lines = b"q Q0 d\x01x 1 2 t\n"

    assert rows(read, lines) == (None if read is columns_by_arrow else [("q", "d\x01x", 2.0)])


@pytest.mark.parametrize("blank", [b"\n", b"\r", b"\x0b", b"\0"])
def test_pyarrow_is_not_asked_to_separate_fields_by_other_characters(blank):
    assert rows(columns_by_arrow, b"q%bQ0 d 1 2 t\n" % blank) is None


digits = st.text("0123456789", max_size=20)
numbers = st.one_of(
    st.sampled_from(["0", "-0", "1.", ".5", "+2", "1e5", "-1E-400", "1e400", "INF", "-infinity"]),
    st.sampled_from(
        ["9007199254740993", "999999999999999", "0.1000000000000000055511151231257827"]
    ),
    st.floats(allow_nan=False).map(repr),
    st.tuples(st.floats(-1e6, 1e6), st.integers(0, 12)).map(lambda pair: f"{pair[0]:.{pair[1]}f}"),
    st.tuples(st.sampled_from(["", "+", "-"]), digits, digits)
    .map(lambda parts: f"{parts[0]}{parts[1]}.{parts[2]}")
    .filter(lambda text: re.search(r"\d", text)),
    st.integers(-(10**18), 10**18).map(str),
)


@pytest.mark.long
@READERS
@drawn_examples(150)
@given(column=st.lists(numbers, min_size=1, max_size=20))
def test_a_score_is_rounded_as_python_rounds_it(read, column):
    lines = "".join(f"q Q0 d 1 {text} t\n" for text in column).encode()

    found = [value.hex() for _, _, value in rows(read, lines)]
    assert found == [float(text).hex() for text in column]


@READERS
@by_table("wrong")
def test_a_score_that_is_not_a_number_is_refused(read, wrong):
    assert rows(read, RUN.replace(b" 1 t", b" %b t" % wrong.encode())) is None


@READERS
@pytest.mark.parametrize("kind", [Qrels, ShortQrels])
def test_relevance_is_an_integer_of_53_bits(read, kind):
    lines = b"q 0 a 1\nq 0 b %b\n" if kind is Qrels else b"q a 1\nq b %b\n"
    for level in ("-2", "+7", "007", "9007199254740992"):
        found = rows(read, lines % level.encode(), kind)
        assert found == [("q", "a", 1.0), ("q", "b", float(level))]
    for level in ("1.0", "1e0", "9007199254740993", "1" * 30, "x", "+", "-", "0x1", "1_0"):
        assert rows(read, lines % level.encode(), kind) is None


@READERS
def test_queries_have_the_same_indices_whether_they_are_mixed_or_not(read):
    names = [b"q", b"long-query-1", b"long-query-2", b"long-query-12", b"a"]
    mixed = [names[row * row % 5] for row in range(200)]
    for queries in (mixed, sorted(mixed), mixed + sorted(mixed) * 9):
        lines = b"".join(b"%b Q0 d%d 1 1 t\n" % (query, row) for row, query in enumerate(queries))
        columns = read(lines, Run.layout)

        assert [columns.queries[index] for index in columns.query] == queries
        assert list(columns.queries) == list(dict.fromkeys(queries))


def test_lines_are_counted():
    assert columns_by_arrow(RUN, Run.layout).lines == 2
    assert columns_by_lines(RUN, Run.layout).lines == 2
    assert columns_by_lines(b"# x\n\n" + RUN, Run.layout).lines == 4


@pytest.mark.processes
def test_small_files_do_not_wait_for_pyarrow(tmp_path):
    (tmp_path / "run").write_bytes(RUN)
    program = (
        "import sys; from metric_commons.files import read_run; read_run(sys.argv[1]); "
        "print('pyarrow' in sys.modules)"
    )
    assert output(program, str(tmp_path / "run")) == "False\n"


def written(path, chance, count):
    """A run of which some blocks of lines are regular and others are not."""
    lines = []
    for row in range(count):
        line = f"q{chance.randrange(3)} Q0 d{row} {row} {chance.gauss(0, 9)!r} t\n"
        lines.append(line if chance.random() < 0.97 else line.replace(" ", "  "))
    path.write_text("".join(lines))
    return lines


@pytest.mark.long
@pytest.mark.parametrize("block", [1, 40, 100, 1000, 1 << 18])
def test_a_file_is_read_in_blocks_of_any_size_with_and_without_pyarrow(
    tmp_path, monkeypatch, block
):
    monkeypatch.setattr(trec, "_BLOCK", block)
    path, chance = tmp_path / "run", random.Random(block)
    lines = written(path, chance, 300)
    wrong = [*lines[:-1], "q Q0 d 1 none t\n"]
    results, messages = [], []
    for large in (0, 1 << 40):  # bytes from which on pyarrow reads
        monkeypatch.setattr(trec_lines, "_LARGE", large)
        if large:
            monkeypatch.delitem(sys.modules, "pyarrow", raising=False)
        path.write_text("".join(lines))
        run = read_run(path)
        results.append((run.queries, run.query.tolist(), run.ids.texts(), run.values.tolist()))
        path.write_text("".join(wrong))
        with pytest.raises(ValueError, match="line 300: the score is not a number") as raised:
            read_run(path)
        messages.append(str(raised.value))

    assert results[0] == results[1]
    assert messages[0] == messages[1]
