import pickle
import subprocess
import sys

import pytest

import metric_commons
from metric_commons.module.catalog import catalog
from tests.spec import METRICS, specs

ALL = [each for name in METRICS for each in specs(name)]


@pytest.mark.parametrize("name", catalog.names())
def test_a_module_is_what_evaluate_makes_of_its_script(name):
    ours, theirs = catalog.load_without_evaluate(name), metric_commons.load(name)

    for attribute in ("name", "description", "accepted_inputs", "input_names", "options"):
        assert getattr(ours, attribute) == getattr(theirs, attribute)
    assert ours.written_docstring == theirs.written_docstring
    assert ours.declared_options == theirs.declared_options
    assert ours.input_names == theirs._feature_names()
    assert ours.score_kind == theirs.score_kind
    assert ours.main_score == theirs.main_score
    assert ours.lower_is_better == theirs.lower_is_better


@pytest.mark.parametrize(
    "spec", ALL, ids=lambda each: "-".join(filter(None, [each.name, each.shape]))
)
def test_its_scores_are_those_of_a_module_of_evaluate(spec):
    ours, theirs = catalog.load_without_evaluate(spec.name), metric_commons.load(spec.name)

    assert repr(ours.compute(**spec.sample)) == repr(theirs.compute(**spec.sample))


def test_an_unknown_option_is_refused_with_a_hint():
    with pytest.raises(TypeError, match="has no option 'normaliser'; did you mean 'normalizer'"):
        catalog.load_without_evaluate("qa_em", normaliser="lower")


@pytest.mark.processes
def test_a_copy_in_another_process_has_settings_and_rows():
    module = catalog.load_without_evaluate("qa_em", normalizer="lower")
    module.add(prediction="The cat", reference="the cat")

    score = "import pickle, sys; print(pickle.load(sys.stdin.buffer).compute())"
    done = subprocess.run(
        [sys.executable, "-c", score], input=pickle.dumps(module), capture_output=True, check=True
    )

    assert done.stdout.strip() == b"{'qa_em': 1.0}"
    assert len(module) == 1
