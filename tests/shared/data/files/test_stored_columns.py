"""The binary form of what is stored as JSON: the same content, small, whole or refused."""

import hashlib
import random

import numpy as np
import pyarrow as pa
import pytest

from metric_commons.data.files.stored_columns import StoredColumns, text_column
from metric_commons.evaluation.scoring.states import Part, State

RNG = np.random.default_rng(0)
ROWS = 1_000
ENGLISH = ["", "a", "\0", "é", "\ud800", "word " * 50]


class Stored(StoredColumns):
    FORMAT = "metric-commons-test/1"

    def __init__(self, value):
        self.value = value

    def content(self):
        return {"format": self.FORMAT, "value": self.value}

    @classmethod
    def from_dict(cls, content):
        return cls(content["value"])


def filled(name, **columns):
    state = State(name)
    state.update(**columns)
    return state


def states():
    rankings = [[f"d{n}" for n in RNG.permutation(20)] for _ in range(ROWS)]
    yield filled(
        "ir_ranking",
        predictions=rankings,
        references=[[f"d{n % 20}"] for n in range(ROWS)],
        ids=[n if n % 3 else f"q{n}" for n in range(ROWS)],
        groups=[f"g{n % 4}" for n in range(ROWS)],
    )
    yield filled("win_rate", predictions=RNG.random(ROWS), clusters=RNG.integers(0, 99, ROWS))
    numbers = RNG.random((2, ROWS))
    yield filled("paired_significance", predictions1=numbers[0], predictions2=numbers[1])


@pytest.fixture(scope="module", params=range(3))
def state(request):
    return list(states())[request.param]


VALUES = {
    "numbers": np.array([0.1, -0.0, 1e308, 5e-324] * 20),
    "integers": np.array([-(2**63), 2**63 - 1, 0] * 20),
    "small integers": np.arange(100),
    "unsigned": np.array([2**64 - 1, 0] * 20, np.uint64),
    "truth": np.array([True, False, False] * 20),
    "equal": np.full(10_000, 7),
    "few": np.array([0.5, 0.25] * 5_000),
    "texts": text_column(ENGLISH * 20),
    "list of texts": ENGLISH * 20,
    "list of numbers": [0.5, 1.5] * 20,
    "list of integers": [2**70, 1] * 20,
    "mixed": [1, "a", None, 0.5] * 20,
    "nested": {"$column": "a", "b": [[1, 2], {"$list": None}]},
    "short": np.array([1.5]),
}


@pytest.mark.parametrize("name", VALUES)
def test_values_come_back(name):
    stored = Stored({"of": [VALUES[name]]})
    data = stored.to_bytes()
    again = Stored.from_bytes(data)
    assert again.to_dict() == stored.to_dict() == Stored.from_json(stored.to_json()).to_dict()
    assert repr(again.to_dict()) == repr(stored.to_dict())  # 1 is not 1.0, nor True
    assert again.to_bytes() == data


def test_columns_take_few_bytes():
    for name, most in (("equal", 1_600), ("few", 11_600), ("small integers", 1_600)):
        assert len(Stored(VALUES[name]).to_bytes()) < most, name
    assert len(Stored(RNG.random(10_000)).to_bytes()) < 80_000 + 1_600


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_are_finite(value):
    column = np.full(100, value)
    with pytest.raises(ValueError, match=r"a number is not finite"):
        Stored(column).to_bytes()


@pytest.mark.long
def test_a_state_and_a_part_have_one_content_in_both_forms(state, tmp_path):
    part = Part({"bot": {state.module: state}}, [{"path": "1", "sha256": "1" * 64, "rows": ROWS}])
    for stored in (state, part):
        kind = type(stored)
        again = kind.from_bytes(stored.to_bytes())
        assert again.to_dict() == stored.to_dict() == kind.from_json(stored.to_json()).to_dict()
        assert again.to_bytes() == stored.to_bytes()
        for name in ("1.part", "1.json"):
            stored.save(tmp_path / name)
            assert kind.read(tmp_path / name).to_dict() == stored.to_dict()
        assert (tmp_path / "1.json").read_bytes().startswith(b"{")
        assert (tmp_path / "1.part").stat().st_size < (tmp_path / "1.json").stat().st_size


def test_arrow_reads_the_columns(state, tmp_path):
    state.save(tmp_path / "1.state")
    with open(tmp_path / "1.state", "rb") as file:
        assert file.readline().split()[0].decode() == State.FORMAT
        columns = pa.ipc.open_stream(file).read_next_batch()
    assert columns.num_rows == 1


def test_damaged_files_are_refused(state):
    data = state.to_bytes()
    dice = random.Random(0)
    for _ in range(60):
        at = dice.randrange(len(data))
        other = bytes([data[at] ^ (1 << dice.randrange(8))])
        for damaged in (data[:at] + other + data[at + 1 :], data[:at], data + b"\0"):
            with pytest.raises(ValueError, match=r"^(not in the format|the content has changed)"):
                State.from_bytes(damaged)


def signed(body):
    return f"{State.FORMAT} {hashlib.sha256(body).hexdigest()}\n".encode() + body


@pytest.mark.long
def test_what_somebody_else_signs_is_refused_or_a_state(state):
    body = state.to_bytes().partition(b"\n")[2]
    dice = random.Random(1)
    refused = 0
    for _ in range(150):
        at = dice.randrange(len(body))
        damaged = body[:at] + bytes([body[at] ^ (1 << dice.randrange(8))]) + body[at + 1 :]
        try:
            len(State.from_bytes(signed(damaged)))
        except ValueError:
            refused += 1
    assert refused > 10
    for nonsense in (b"", b"nonsense", body[: len(body) // 2]):
        with pytest.raises(ValueError):  # noqa: PT011 # of several kinds
            State.from_bytes(signed(nonsense))


def test_a_small_file_does_not_ask_for_all_memory():
    equal = pa.compute.run_end_encode(pa.array([1]))
    run = pa.RunEndEncodedArray.from_arrays(pa.array([2**31 - 1]), equal.values)
    column = pa.LargeListArray.from_arrays(pa.array([0, 2**31 - 1]), run)
    text = b'{"format": "metric-commons-test/1", "value": {"$column": 0}}'
    schema = pa.schema([("0", column.type)], {b"content": text})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as stream:
        stream.write_batch(pa.RecordBatch.from_arrays([column], schema=schema))
    body = sink.getvalue().to_pybytes()
    line = f"{Stored.FORMAT} {hashlib.sha256(body).hexdigest()}\n".encode()
    with pytest.raises(ValueError, match="its columns would take too much memory"):
        Stored.from_bytes(line + body)


def test_files_of_other_kinds_are_refused(state, tmp_path):
    part = Part({"bot": {state.module: state}})
    part.save(tmp_path / "1.part")
    with pytest.raises(ValueError, match=r"1\.part: not in the format metric-commons-state/1"):
        State.read(tmp_path / "1.part")
    (tmp_path / "2.part").write_bytes(b"metric-commons-part/4 " + b"0" * 64 + b"\n")
    with pytest.raises(ValueError, match=r"part/1, but metric-commons-part/4: score again"):
        Part.read(tmp_path / "2.part")
