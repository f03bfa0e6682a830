"""The provider beside those of ir_measures 0.4.3, query by query.

Without ir_measures it is called as ir_measures does, with stand-ins for its classes.
"""

import random
import sys
from collections import namedtuple
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType, SimpleNamespace

import pytest

from metric_commons.frameworks.harnesses.ir_measures import NAME, register
from metric_commons.retrieval import score_run
from tests.tables import tabled

Value = namedtuple("Value", "query_id measure value")
QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1}}
RUN = {"q1": {"a": 0.5, "b": 2.0, "x": 0.5}, "q3": {"a": 1.0}, "q2": {}}
SAME = [
    *("nDCG@10", "nDCG", "AP", "AP@5", "AP(rel=2)@3", "RR", "P@5", "R@3", "Rprec", "Bpref"),
    *("infAP", "Success@2", "IPrec@0.1", "SetP", "SetR", "SetF", "SetAP", "RR(rel=2)"),
    *("nDCG(judged_only=True)@5", "P(rel=2)@3"),
]


class Measure:
    """A stand-in: a name with its parameters."""

    def __init__(self, text):
        self.text, self.NAME = text, text.split("(")[0].split("@")[0]

    def __str__(self):
        return self.text

    def validate_params(self):
        pass


class Evaluator:
    def __init__(self, measures, queries):
        self.measures, self.qrel_qids = measures, queries


def converter(table):
    return SimpleNamespace(as_dict_of_dict=lambda: table)


@pytest.fixture
def stand_in(monkeypatch):
    library, providers = ModuleType("ir_measures"), ModuleType("ir_measures.providers")
    library.util = SimpleNamespace(QrelsConverter=converter, RunConverter=converter)
    library.Metric = Value
    library.DefaultPipeline = SimpleNamespace(providers=["first", "second"])
    library.providers = providers
    providers.Evaluator, providers.Provider, providers.registry = Evaluator, object, {}
    monkeypatch.setitem(sys.modules, "ir_measures", library)
    monkeypatch.setitem(sys.modules, "ir_measures.providers", providers)
    return library


def test_the_provider_comes_first(stand_in):
    register()
    provider = register()

    assert stand_in.DefaultPipeline.providers == [provider, "first", "second"]
    assert stand_in.providers.registry == {NAME: provider}
    register(first=False)
    assert stand_in.DefaultPipeline.providers == ["first", "second"]


def test_values_are_those_of_score_run(stand_in):
    measures = [Measure("nDCG@10"), Measure("RBP@5"), Measure("RBP(rel=1)")]
    expected = score_run(
        QRELS, RUN, ["nDCG@10", "RBP(p=0.8)@5", "RBP(p=0.8,rel=1)"], missing="skip"
    )["per_query"]["q1"]

    found = list(register()._evaluator(measures, QRELS)._iter_calc(RUN))

    assert {value.query_id for value in found} == {"q1"}
    assert [value.value for value in found] == pytest.approx(list(expected.values()), abs=1e-12)


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize(
    ("name", "is_supported"),
    tabled(__file__, "only_equal_measures_are_supported"),
)
def test_only_equal_measures_are_supported(name, is_supported):
    assert register().supports(Measure(name)) is is_supported


@pytest.fixture
def library():
    if not find_spec("ir_measures") or not find_spec("pytrec_eval"):
        pytest.skip("the group bench, with ir_measures, is not installed")
    library = import_module("ir_measures")
    pipeline = list(library.DefaultPipeline.providers)
    yield library
    library.DefaultPipeline.providers[:] = pipeline
    library.providers.registry.pop(NAME, None)


def test_values_equal_those_of_the_providers_of_ir_measures(library):
    draw = random.Random(0)
    documents = [f"d{number}" for number in range(12)]
    qrels = [
        library.Qrel(f"q{query}", document, draw.choice([0, 0, 1, 2]))
        for query in range(30)
        for document in draw.sample(documents, draw.randint(1, 9))
    ]
    run = [
        library.ScoredDoc(f"q{query}", document, draw.choice([0.5, 1.0, draw.random()]))
        for query in range(2, 33)
        for document in draw.sample(documents, draw.randint(1, 12))
    ]
    measures = [library.parse_measure(name) for name in SAME]
    theirs = {(v.query_id, v.measure): v.value for v in library.iter_calc(measures, qrels, run)}

    provider = register()
    found = {(v.query_id, v.measure): v.value for v in library.iter_calc(measures, qrels, run)}

    assert all(provider.supports(measure) for measure in measures)
    assert found.keys() == theirs.keys()
    assert {key: value for key, value in found.items() if value != theirs[key]} == {}
