import gzip
import json
import math
import random
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metric_commons.files import trec
from metric_commons.files.trec import Qrels, Run, read_qrels, read_run
from metric_commons.ranking.runs import score_run
from tests.rankings import (
    MEASURES,
    any_ids,
    ids,
    mean,
    query,
    ranked,
    readings,
    score,
    scorings,
)


def rows(of):
    """The rows of a run or of qrels as tuples, in the order of the file."""
    queries = [of.queries[each] for each in of.query.tolist()]
    return list(zip(queries, trec._texts(of.ids), of.values.tolist(), strict=True))


# Reading: three ways, one result


plain = st.text(
    st.characters(codec="utf-8", exclude_characters="\t\n\r\x0b\x0c ", exclude_categories=["Cs"]),
    min_size=1,
    max_size=9,
).filter(lambda text: not text.startswith(("#", "\ufeff")))
number = st.one_of(
    st.sampled_from(["0", "-0", "1.", ".5", "+2", "1e5", "-1E-400", "1e400", "INF", "-inf"]),
    st.sampled_from(["infinity", "16777217", "0.1000000000000000055511151231257827", "007"]),
    st.floats(allow_nan=False).map(repr),
)
integer = st.one_of(st.integers(-3, 4).map(str), st.sampled_from(["+1", "-0", "007", str(2**53)]))


@st.composite
def files(draw):
    """The kind of a file, its rows, and its bytes: uniform, with one blank where it may be."""
    kind = draw(st.sampled_from([Run, Qrels]))
    pairs = draw(st.lists(st.tuples(plain, plain | ids), unique=True, min_size=1, max_size=12))
    value = number if kind is Run else integer
    lines, expected = [], []
    for place, (name, document) in enumerate(pairs):
        text = draw(value)
        lines.append(
            [name, "Q0", document, str(place), text, "tag"]
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
        for place, cell in enumerate(line):
            data += (blanks(1) if place else b"") + cell.encode()
        if len(line) == 6 and chance.random() < 0.1:
            data += blanks(1) + b"more text"
        data += blanks(0) + chance.choice([b"\n", b"\r\n"])
    if chance.random() < 0.3:
        data = data.rstrip()
    return data if b"\n" in data else data + b"\n"  # else a carriage return ends a line


@settings(max_examples=100)
@given(file=files(), seed=st.integers(0, 10**6))
def test_all_ways_of_reading_see_the_same_rows(tmp_path_factory, file, seed):
    kind, lines, expected = file
    path = tmp_path_factory.getbasetemp() / "any"
    read = {Run: read_run, Qrels: read_qrels}[kind]
    mark = b"\xef\xbb\xbf"
    uniform = joined(lines)
    for data in (
        uniform,
        uniform.rstrip(b"\n"),
        joined(lines, b"\t"),
        joined(lines, b" ", b"\r\n"),
        joined(lines, b" ", b"\r"),
        mark + uniform,
        gzip.compress(mark + joined(lines, b"\t", b"\r\n")),
        gzip.compress(uniform[:5]) + gzip.compress(uniform[5:]),
        irregular(lines, seed),
        gzip.compress(irregular(lines, seed + 1)),
    ):
        path.write_bytes(data)
        assert rows(read(path)) == expected
    assert rows(trec._line_by_line(path, uniform, kind)) == expected
    assert sorted(read(path).queries, key=str.encode) == read(path).queries


def test_what_is_not_uniform_is_made_so():
    run = b"q Q0 a 1 2.5 t\nq Q0 b 2 1 t\n"
    for data in (run, run.replace(b"\n", b"\r\n"), run.replace(b" ", b"\t"), run[:-1]):
        assert trec._uniform(data)
        assert rows(trec._at_once(data, Run)) == [("q", "a", 2.5), ("q", "b", 1.0)]
    for data in (
        run.replace(b" ", b"  "),
        run.replace(b" ", b"\t", 1),
        run.replace(b"\n", b" \n"),
        b"# x\n" + run,
        run + b"#",
        run.replace(b"q", b" \tq"),
        run.replace(b" t", b"\x0bt"),
        run.replace(b" t", b"\rt"),
    ):
        assert not trec._uniform(data)
        assert rows(trec._at_once(data, Run)) == [("q", "a", 2.5), ("q", "b", 1.0)]
    for data in (b" " + run, run.replace(b"1 t", b"1_0 t"), run.replace(b"t\n", b"t u\n")):
        assert trec._parsed(data, Run) is None


@pytest.mark.parametrize("place", [trec._CACHED + step for step in (-2, -1, 0, 1)])
def test_what_is_odd_is_seen_wherever_it_stands(place):
    line = b"q Q0 d%08d 1 2.5 t\n"
    data = b"".join(line % number for number in range(2 * trec._CACHED // len(line)))

    def with_at(mark, odd):
        """The data with something odd before the mark, which stands at the place."""
        at = data.index(mark, place - 25)
        document = data.rindex(b" d", 0, at) + 2
        longer = data[:document] + b"x" * (place - at) + data[document:]
        assert longer[place : place + 1] == mark
        return longer[:place] + odd + longer[place:]

    assert trec._uniform(with_at(b"\n", b""))
    assert trec._uniform(with_at(b"\n", b"\r"))
    assert trec._uniform(with_at(b"\n", b"\r") + b"q Q0 #x 1 2 t\n")
    for odd in (b" ", b"\t", b"\x0b", b"\x0c", b"\r\r", b"\n#", b"\r ", b"\rt"):
        assert not trec._uniform(with_at(b"\n", odd)), odd
    assert not trec._uniform(with_at(b" ", b" "))


def test_a_file_of_several_blocks_is_read_whole(tmp_path):
    size = 2 * trec._BLOCK // 28
    lines = [f"q{row % 977} Q0 document-{row} 1 {row}.5 t\n" for row in range(size)]
    (tmp_path / "run").write_text("".join(lines))
    run = read_run(tmp_path / "run")

    assert len(run) == size
    assert [run.queries[each] for each in run.query[:3]] == ["q0", "q1", "q2"]
    assert run.values.tolist() == [row + 0.5 for row in range(size)]
    assert run.ids.texts() == [f"document-{row}" for row in range(size)]


def test_bytes_that_are_not_utf_8_stay_apart(tmp_path):
    (tmp_path / "qrels").write_bytes(b"q\xff 0 a\xfe 1\nq\xff 0 a\xfd 0\n")
    (tmp_path / "run").write_bytes(b"q\xff Q0 a\xfe 1 2 t\nq\xff Q0 a\xfd 2 2 t\n")
    result = score_run(tmp_path / "qrels", tmp_path / "run", ["mrr"])

    assert result["per_query"] == {"q\udcff": {"mrr": 1.0}}


# Reading: what is refused

RUN, QRELS = "1 Q0 a 1 2 t\n", "1 0 a 1\n"


@pytest.mark.parametrize(
    ("read", "text", "line", "problem"),
    [
        (read_run, RUN + "1 Q0 b 2 1\n", 2, "expected 6 columns (query, Q0, document, rank, score"),
        (read_run, " 1 Q0 a 2 3.0\n", 1, "expected 6 columns (query, Q0, document, rank, score"),
        (read_qrels, QRELS + " 1 0 1\n", 2, "expected 4 columns (query, iteration, document"),
        (read_run, RUN + "\n# x\n1 Q0 b 2 abc t\n", 4, "the score is not a number"),
        (read_run, RUN + "1 Q0 b 2 nan t\n", 2, "the score is not a number"),
        (read_run, RUN + "1\tQ0 b  2 NaN t\n", 2, "the score is not a number"),
        (read_run, "1 Q0 b 2 -nan(x) t\n", 1, "the score is not a number"),
        (read_run, "1 Q0 b 2 0x10 t\n", 1, "the score is not a number"),
        (read_run, "1 Q0 b 2 1_000 t\n", 1, "the score is not a number"),
        (read_run, "1 Q0 b 2 1,5 t\n", 1, "the score is not a number"),
        (read_run, "1 Q0 b 2 ٣ t\n", 1, "the score is not a number"),
        (read_run, RUN + "2 Q0 a 1 2 t\n" + RUN, 3, "the query has this document already"),
        (read_run, "\ufeff" + RUN + "1\tQ0\ta\t9\t9\tt\n", 2, "the query has this document alr"),
        (read_qrels, QRELS + "1 0 b\n", 2, "expected 4 columns (query, iteration, document, rele"),
        (read_qrels, QRELS + "1 0 b 1 x\n", 2, "expected 4 columns"),
        (read_qrels, "1 0 b 1.0\n", 1, "the relevance is not an integer"),
        (read_qrels, "1 0 b 0x1\n", 1, "the relevance is not an integer"),
        (read_qrels, "1 0 b ٣\n", 1, "the relevance is not an integer"),
        (read_qrels, "1 0 b 9007199254740993\n", 1, "the relevance does not fit into 53 bits"),
        (read_qrels, "1 0 b -99999999999999999999\n", 1, "the relevance does not fit into 53 bits"),
        (read_qrels, QRELS + "\n" + QRELS, 3, "the query has this document already"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_a_wrong_line_is_told_with_its_number_and_text(tmp_path, read, text, line, problem, end):
    path = tmp_path / "file"
    path.write_bytes((text.replace("\n", end) if end else text.rstrip("\n")).encode())
    with pytest.raises(ValueError, match=re.escape(f"{path}, line {line}: {problem}")) as error:
        read(path)

    shown = text.removeprefix("\ufeff").split("\n")[line - 1].strip()
    assert str(error.value).endswith(repr(shown))


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


@pytest.mark.parametrize("kept", [3, 10, 15, -8, -4, -1])
def test_a_gzip_file_that_was_cut_off_is_refused(tmp_path, kept):
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(RUN.encode())[:kept])
    with pytest.raises(ValueError, match="the gzip file is broken: ") as error:
        read_run(path)
    assert str(error.value).startswith(f"{path}: ")


def test_a_gzip_file_that_was_changed_is_refused(tmp_path):
    path = tmp_path / "run.gz"
    packed = bytearray(gzip.compress(RUN.encode() * 50))
    packed[-6] ^= 1  # of the checksum
    path.write_bytes(packed)
    with pytest.raises(ValueError, match="the gzip file is broken: CRC check failed"):
        read_run(path)


def test_what_is_no_file_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_run(tmp_path / "absent")
    with pytest.raises(IsADirectoryError):
        read_run(tmp_path)


# One result, whatever holds the rows


@st.composite
def collections(draw, ids):
    """Judgments and a run, as dicts."""
    qrels, run = {}, {}
    for name in draw(st.sets(st.sampled_from(["1", "10", "2", "é", "q\U00010000", "q\ue000"]))):
        found, judged = draw(query(ids))
        where = draw(st.sampled_from(["both", "both", "both", "qrels", "run"]))
        if judged and where != "run":
            qrels[name] = judged
        if found and where != "qrels":
            run[name] = found
    return qrels, run


def shuffled(of, value, seed):
    """Rows of three columns, in any order."""
    table = [(query, each, of[query][each]) for query in of for each in of[query]]
    random.Random(seed).shuffle(table)
    names = ("query_id", "doc_id", value)
    columns = zip(*table, strict=True) if table else ((), (), ())
    return {name: list(column) for name, column in zip(names, columns, strict=True)}


def defined(qrels, run, missing, reading, scoring):
    """The result by the definitions, slowly."""
    per_query = {}
    for name in sorted(qrels, key=str.encode):
        if missing == "skip" and not run.get(name):
            continue
        judged = qrels[name]
        relevance = ranked(run.get(name, {}), judged, **reading)
        per_query[name] = {
            measure: score(measure, relevance, [*judged.values()], **scoring)
            for measure in MEASURES
        }
    means = {
        measure: mean(measure, [scores[measure] for scores in per_query.values()])
        for measure in (MEASURES if per_query else ())
    }
    if means and missing == "zero":
        means["num_rel"] = sum(level > 0 for of in qrels.values() for level in of.values())
        if reading["score_dtype"] == "float32":
            del means["gm_map"]  # the recorded cases say what it is
    return {"mean": means, "per_query": per_query}


@settings(max_examples=120)
@given(collections(any_ids), st.sampled_from(["zero", "skip"]), readings, scorings)
def test_dicts_and_tables_score_as_defined(data, missing, reading, scoring):
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    qrels, run = data
    told = {"missing": missing, **reading, **scoring}
    expected = defined(qrels, run, missing, reading, scoring)
    found = score_run(qrels, run, MEASURES, **told)
    text = json.dumps(found)  # where NaN is NaN

    assert found["per_query"] == expected["per_query"]
    assert list(found["per_query"]) == list(expected["per_query"])
    assert found["mean"].items() >= expected["mean"].items()
    if not qrels or not run or not all(map(encodable, (qrels, run))):
        return
    tables = shuffled(qrels, "relevance", 1), shuffled(run, "score", 2)
    for kind in (pandas.DataFrame, arrow.table):
        assert json.dumps(score_run(*map(kind, tables), MEASURES, **told)) == text
    assert json.dumps(score_run(qrels, pandas.DataFrame(tables[1]), MEASURES, **told)) == text
    assert score_run(qrels, run, MEASURES, per_query=False, **told).keys() == {"mean"}


def encodable(of):
    """Whether Arrow may hold the ids."""
    return not any(0xD800 <= ord(each) < 0xE000 for name in of for d in of[name] for each in d)


@settings(max_examples=120)
@given(collections(ids), st.sampled_from(["zero", "skip"]), readings, scorings)
def test_files_score_as_dicts(tmp_path_factory, data, missing, reading, scoring):
    qrels, run = data
    qrels = {name: {d: round(level) for d, level in of.items()} for name, of in qrels.items()}
    if not qrels or not run:
        return
    told = {"missing": missing, **reading, **scoring}
    found = score_run(qrels, run, MEASURES, **told)
    text = json.dumps(found)  # where NaN is NaN
    folder = tmp_path_factory.getbasetemp()
    table = shuffled(qrels, "relevance", 3)
    (folder / "qrels").write_text(
        "".join(f"{q} 0 {d} {level}\n" for q, d, level in zip(*table.values(), strict=True)),
        encoding="utf-8",
    )
    table = shuffled(run, "score", 4)
    (folder / "run.gz").write_bytes(
        gzip.compress(
            "".join(
                f"{q} Q0\t {d} 1 {value!r} t\n" for q, d, value in zip(*table.values(), strict=True)
            ).encode("utf-8")
        )
    )
    assert json.dumps(score_run(folder / "qrels", str(folder / "run.gz"), MEASURES, **told)) == text
    assert json.dumps(score_run(read_qrels(folder / "qrels"), run, MEASURES, **told)) == text
    assert read_run(folder / "written").to_dict() == run


def test_keys_that_clash_do_not_show(monkeypatch):
    chance = random.Random(0)
    names = [f"D{number}" for number in range(200)]
    qrels = {q: {d: chance.randrange(3) for d in chance.sample(names, 60)} for q in "abc"}
    run = {q: {d: float(chance.randrange(9)) for d in chance.sample(names, 90)} for q in "bcd"}
    expected = score_run(qrels, run, MEASURES)
    tables = (
        trec._as_rows(side, of, kind) for side, of, kind in (("q", qrels, Qrels), ("r", run, Run))
    )
    with monkeypatch.context() as patch:
        patch.delattr(trec, "_relevance_by_text")  # which is slow, and for clashes alone
        assert score_run(*tables, MEASURES) == expected

    monkeypatch.setattr(
        trec, "_scattered", lambda ids: (ids.words(0) >> np.uint64(41)) & np.uint64(7)
    )
    tables = [
        trec._as_rows(side, of, kind) for side, of, kind in (("q", qrels, Qrels), ("r", run, Run))
    ]
    assert len(np.unique(tables[1].keys)) < len(tables[1]) / 5
    assert tables[1].repeated() is None
    assert score_run(*tables, MEASURES) == expected


# What else is refused


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        ({1: {"a": 1}}, {}, r"ids must be strings, got the query 1"),
        ({"q": {1: 1}}, {}, r"ids must be strings, qrels has the document 1"),
        ({"q": {"a": 1}}, {"q": {2: 1.0}}, r"ids must be strings, run has the document 2"),
        ({"q": ["a"]}, {}, r"qrels\['q'\] must be a dict, got list"),
        ({"q": {"a": None}}, {}, r"qrels\['q'\]\['a'\] "),
        ({"q": {"a": 1}}, {"q": {"b": math.nan}}, r"run\['q'\]\['b'\] "),
        ({"q": {"a": 1}}, {"q": {"b": "1"}}, r"run\['q'\]\['b'\] "),
        ({"q": {"a": math.inf}}, {"q": {"a": 1.0}}, r"relevance must be finite"),
        ([("q", "a", 1)], {"q": {"a": 1.0}}, r"qrels must be a path, a dict of dicts, what read_q"),
    ],
)
def test_what_is_no_run_is_refused(qrels, run, message):
    with pytest.raises(ValueError, match=message):
        score_run(qrels, run)


def test_a_table_with_a_row_twice_is_refused():
    pandas = pytest.importorskip("pandas")
    run = pandas.DataFrame({"query_id": ["q"] * 2, "doc_id": ["a"] * 2, "score": [1.0, 2.0]})
    with pytest.raises(ValueError, match=r"run\[1\]: query 'q' has document 'a' already"):
        score_run({"q": {"a": 1}}, run)
    with pytest.raises(ValueError, match="run must be a path"):
        score_run({"q": {"a": 1}}, run.rename(columns={"score": "sim"}))
    with pytest.raises(ValueError, match="run must be a path"):
        score_run({"q": {"a": 1}}, trec._as_rows("qrels", {"q": {"a": 1}}, Qrels))


@pytest.mark.parametrize(("option", "value"), [("missing", "error"), ("per_query", 1)])
def test_an_option_that_makes_no_sense_is_refused(option, value):
    with pytest.raises(ValueError, match=option):
        score_run({"q": {"a": 1}}, {}, **{option: value})


def test_without_a_query_there_is_no_mean():
    result = score_run({"q": {"a": 1}}, {"r": {"a": 1.0}}, ["map", "num_q"], missing="skip")
    assert result["per_query"] == {}
    assert math.isnan(result["mean"]["map"])
    assert result["mean"]["num_q"] == 0
    assert score_run({"q": {"a": 1}}, {}, ["map", "num_q"])["mean"] == {"map": 0.0, "num_q": 1}
