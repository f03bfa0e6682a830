import gzip
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.data.trec import trec
from metric_commons.data.trec.identifiers import HASHED
from metric_commons.data.trec.trec import Qrels, Run, read_qrels, read_run
from tests.rankings import ids
from tests.spec import drawn_examples
from tests.tables import by_table


def rows(table):
    """The rows of a run or of qrels as tuples, in the order of the file."""
    queries = [table.queries[query] for query in table.query.tolist()]
    return list(zip(queries, table.ids.texts(), table.values.tolist(), strict=True))


# Three ways of reading, one result


plain = st.text(
    st.characters(codec="utf-8", exclude_characters="\t\n\r\x0b\x0c ", exclude_categories=["Cs"]),
    min_size=1,
    max_size=9,
).filter(lambda text: not text.startswith(("#", "{", "\ufeff")))
number = st.one_of(
    st.sampled_from(["0", "-0", "1.", ".5", "+2", "1e5", "-1E-400", "1e400", "INF", "-inf"]),
    st.sampled_from(["infinity", "16777217", "0.1000000000000000055511151231257827", "007"]),
    st.floats(allow_nan=False).map(repr),
)
integer = st.one_of(st.integers(-3, 4).map(str), st.sampled_from(["+1", "-0", "007", str(2**53)]))


@st.composite
def files(draw):
    """The kind of a file, the cells of its lines, and the rows that should be read."""
    kind = draw(st.sampled_from([Run, Qrels]))
    pairs = draw(st.lists(st.tuples(plain, plain | ids), unique=True, min_size=1, max_size=12))
    value = number if kind is Run else integer
    lines, expected = [], []
    for rank, (name, document) in enumerate(pairs):
        text = draw(value)
        lines.append(
            [name, "Q0", document, str(rank), text, "tag"]
            if kind is Run
            else [name, "0", document, text]
        )
        expected.append((name, document, float(text)))
    return kind, lines, expected


def joined(lines, separator=b" ", end=b"\n"):
    return b"".join(separator.join(cell.encode() for cell in line) + end for line in lines)


def irregular(lines, seed):
    """The same rows, as people write them."""
    chance = random.Random(seed)

    def blanks(least):
        return bytes(chance.choices(b" \t\r\x0b\x0c", k=chance.randrange(least, 4)))

    data = chance.choice([b"", b"\xef\xbb\xbf"])
    for line in lines:
        data += chance.choice([b"", b"\n", b"# a comment\n", blanks(0) + b"#x y\r\n", b" \r\n"])
        data += blanks(0)
        for column, cell in enumerate(line):
            data += (blanks(1) if column else b"") + cell.encode()
        if len(line) == 6 and chance.random() < 0.1:
            data += blanks(1) + b"more text"
        data += blanks(0) + chance.choice([b"\n", b"\r\n"])
    if chance.random() < 0.3:
        data = data.rstrip()
    return data if b"\n" in data else data + b"\n"  # else a carriage return ends a line


@pytest.mark.long
@drawn_examples(100)
@given(file=files(), seed=st.integers(0, 10**6))
def test_all_ways_of_reading_return_the_same_rows(tmp_path_factory, file, seed):
    kind, lines, expected = file
    path = tmp_path_factory.getbasetemp() / "file"
    read = {Run: read_run, Qrels: read_qrels}[kind]
    mark = b"\xef\xbb\xbf"
    uniform = joined(lines)
    for data in (
        uniform,
        uniform.rstrip(b"\n"),
        joined(lines, b"\t"),
        joined(lines, b" ", b"\r\n"),
        mark + uniform,
        gzip.compress(mark + joined(lines, b"\t", b"\r\n")),
        gzip.compress(uniform[:5]) + gzip.compress(uniform[5:]),
        irregular(lines, seed),
        gzip.compress(irregular(lines, seed + 1)),
    ):
        path.write_bytes(data)
        assert rows(read(path)) == expected
    assert sorted(read(path).queries, key=str.encode) == read(path).queries


def test_a_file_of_several_blocks_is_read_whole(tmp_path):
    size = 2 * trec._BLOCK // 28
    lines = [f"q{row % 977} Q0 document-{row} 1 {row}.5 t\n" for row in range(size)]
    (tmp_path / "run").write_text("".join(lines))
    run = read_run(tmp_path / "run")

    assert len(run) == size
    assert [run.queries[query] for query in run.query[:3]] == ["q0", "q1", "q2"]
    assert run.values.tolist() == [row + 0.5 for row in range(size)]
    assert run.ids.texts() == [f"document-{row}" for row in range(size)]


@pytest.mark.long
def test_an_error_in_a_later_block_shows_the_number_of_its_line(tmp_path):
    lines = [f"q{row} Q0 document-{row} 1 {row}.5 t\n" for row in range(2 * trec._BLOCK // 28)]
    lines[7] = "# a comment\n\n"
    wrong, again = lines.copy(), lines.copy()
    wrong[-2] = "q Q0 d 1 none t\n"
    again[-2] = lines[3]

    (tmp_path / "run").write_text("".join(wrong))
    with pytest.raises(ValueError, match=rf"line {len(lines)}: the score is not a number: 'q Q0 d"):
        read_run(tmp_path / "run")
    (tmp_path / "run").write_text("".join(again))
    with pytest.raises(
        ValueError, match=rf"line {len(lines)}: the query has this document already: 'q3 Q0"
    ):
        read_run(tmp_path / "run")


@pytest.mark.long
def test_a_document_twice_is_noticed_however_queries_are_mixed(tmp_path):
    size = 3 * HASHED
    for queries in (2, size // 3, size):
        lines = [f"q{row % queries} Q0 d{row} 1 1 t\n" for row in range(size)]
        lines[size - 5] = lines[3]
        (tmp_path / "run").write_text("".join(lines))

        with pytest.raises(ValueError, match=f"line {size - 4}: the query has this document"):
            read_run(tmp_path / "run")


# What is refused

RUN, QRELS = "1 Q0 a 1 2 t\n", "1 0 a 1\n"


@by_table("read, text, line, problem")
@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_an_error_shows_the_number_and_the_text_of_the_line(
    tmp_path, read, text, line, problem, end
):
    path = tmp_path / "file"
    path.write_bytes((text.replace("\n", end) if end else text.rstrip("\n")).encode())
    with pytest.raises(ValueError, match=re.escape(f"{path}, line {line}: {problem}")) as error:
        {"run": read_run, "qrels": read_qrels}[read](path)

    excerpt = text.split("\n")[line - 1].strip()
    assert str(error.value).endswith(repr(excerpt))


def test_a_long_line_is_not_shown_whole(tmp_path):
    (tmp_path / "run").write_text("q " + "x" * 1000)
    with pytest.raises(ValueError, match=r"got 2: 'q x{75}\.\.\.'$"):
        read_run(tmp_path / "run")


@pytest.mark.parametrize("data", [b"", b"\n", b"# only\n", b" \r\n\t\n", b"\xef\xbb\xbf", b"\r"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("read", [read_run, read_qrels])
def test_a_file_without_rows_is_refused(tmp_path, read, pack, data):
    path = tmp_path / "file"
    path.write_bytes(pack(data))
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))} has no rows$"):
        read(path)


@pytest.mark.parametrize("end", [3, 10, 15, -8, -4, -1])
def test_a_gzip_file_that_was_cut_off_is_refused(tmp_path, end):
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(RUN.encode())[:end])
    with pytest.raises(ValueError, match="the compressed file is broken: ") as error:
        read_run(path)
    assert str(error.value).startswith(f"{path}: ")


def test_a_gzip_file_that_was_changed_is_refused(tmp_path):
    path = tmp_path / "run.gz"
    packed = bytearray(gzip.compress(RUN.encode() * 50))
    packed[-6] ^= 1  # of the checksum
    path.write_bytes(packed)
    with pytest.raises(ValueError, match="the compressed file is broken: CRC check failed"):
        read_run(path)


def test_a_path_without_a_file_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_run(tmp_path / "absent")
    with pytest.raises(IsADirectoryError):
        read_run(tmp_path)
