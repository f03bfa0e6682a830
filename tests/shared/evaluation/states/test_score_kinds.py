"""Kinds of scores: each is one file, imported when a module of this kind is used."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from metric_commons.evaluation.scoring.scoring import score
from metric_commons.evaluation.states.score_kind import ScoreKind, kind_of
from metric_commons.module.catalog.catalog import load_without_evaluate
from tests.spec import METRICS


@pytest.mark.parametrize("name", METRICS)
def test_every_module_has_a_kind(name):
    assert isinstance(kind_of(load_without_evaluate(name)), ScoreKind)


@pytest.mark.processes
def test_the_state_of_one_kind_imports_no_other():
    program = (
        "import sys; from metric_commons import State; state = State('qa_f1');"
        "state.update(predictions=['a'], references=['a']); assert state.result()['qa_f1'] == 1;"
        "print(*(name.removeprefix('metric_commons.') for name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    imported = done.stdout.split()
    assert "evaluation.states.means" in imported
    unused = {"regression", "retrieval", "judging"}
    assert not [name for name in imported if {name, name.partition(".")[0]} & unused]


def test_a_new_kind_is_one_file(monkeypatch):
    """A kind that is nowhere registered scores in one process and in two."""

    class Totals(ScoreKind):
        separates_rows = True

        def statistics(self, metric, *, with_intervals):
            raise NotImplementedError

        def score_block(self, metric, columns):
            return len(columns["predictions"])

        def summarize_blocks(self, metric, blocks, **reporting):
            return {"total": sum(blocks)}

    name = "metric_commons.evaluation.states.totals"
    monkeypatch.setitem(sys.modules, name, SimpleNamespace(KIND=Totals()))
    monkeypatch.setattr(type(load_without_evaluate("qa_em")), "score_kind", "totals")

    texts = ["a"] * 3
    one, two = (score("qa_em", predictions=texts, references=texts, jobs=jobs) for jobs in (1, 2))
    assert one.systems["predictions"]["qa_em"].scores == {"qa_em": 1.0}
    assert two.systems["predictions"]["qa_em"].scores == {"total": 3}


def test_scores_that_follow_from_sums_are_declared(monkeypatch):
    """Otherwise the means of their rows would be compared, silently."""
    module = load_without_evaluate("chrf")
    monkeypatch.setattr(type(module), "aggregation", {})

    with pytest.raises(TypeError, match="Chrf follow from sums; it must declare aggregation"):
        module.compute(predictions=["a"], references=["a"])
