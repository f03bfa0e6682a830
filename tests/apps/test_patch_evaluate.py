"""Scripts that load evaluate's own modules get ours, with the same results and no network."""

import sys
from pathlib import Path

import evaluate
import pytest
from evaluate.evaluator import base

import metric_commons
from tests.tables import by_table

SCRIPT = """
import sys
import evaluate
import beside

assert __name__ == "__main__"
metric = evaluate.load("glue", sys.argv[1])
print(sys.argv[1:], metric.compute(predictions=[0, 1], references=[0, 0]))
if "--fail" in sys.argv:
    raise ValueError("of the script")
sys.exit(7)
"""


SPANS = {"predictions": [["B", "E"], ["M", "E"]], "references": [["B", "E"], ["B", "E"]]}


@by_table("arguments, options, columns, name, value")
def test_a_stock_name_loads_our_module(arguments, options, columns, name, value):
    with metric_commons.patch_evaluate():
        loaded = evaluate.load(*arguments, **options)
    average = {"average": "micro"} if loaded.config_name == "multilabel" else {}
    found = loaded.compute(**columns, **average)

    assert loaded.config_name == (options.get("config_name") or (*arguments, "default")[1])
    assert found[name] == pytest.approx(value, abs=1e-4)


def test_a_span_ends_with_its_row_in_ours():
    assert metric_commons.load("span_f1").compute(**SPANS)["f1"] == 1.0
    with metric_commons.patch_evaluate():
        wer = evaluate.load("evaluate-metric/wer")
    assert wer.compute(predictions=["a"], references=["a"]) == 0.0


def test_programs_are_run_with_the_defaults_of_the_stock_module(monkeypatch):
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")
    columns = {"predictions": [["x = 1", "x = 2"]], "references": ["assert x == 1"]}
    with metric_commons.patch_evaluate():
        pass_at_k, results = evaluate.load("code_eval").compute(**columns, k=[1, 2])
        of_defaults, _ = evaluate.load("code_eval").compute(**columns)

    assert (pass_at_k, of_defaults) == ({"pass@1": 0.5, "pass@2": 1.0}, {"pass@1": 0.5})
    assert [outcome["passed"] for _, outcome in results[0]] == [True, False]


def test_arguments_of_load_may_have_no_names(tmp_path):
    with metric_commons.patch_evaluate():
        accuracy = evaluate.load("accuracy", None, "metric", 1, 2, None, "of_two")
        f1 = evaluate.load(path="f1", num_process=2, process_id=1, experiment_id="of_two")

    assert (accuracy.process_id, accuracy.num_process) == (1, 2)
    assert accuracy.experiment_id == f1.experiment_id == "of_two"
    assert accuracy.data_dir != f1.data_dir
    with metric_commons.patch_evaluate():
        shared = evaluate.load("accuracy", num_process=2, process_id=1, cache_dir=str(tmp_path))
    assert shared.data_dir == str(tmp_path / "accuracy" / "default")


def test_another_type_of_module_is_loaded_as_usual(monkeypatch):
    calls = []

    def stock_load(path, config_name=None, module_type=None, **settings):
        calls.append((path, module_type))

    monkeypatch.setattr(evaluate, "load", stock_load)
    with metric_commons.patch_evaluate():
        evaluate.load("accuracy", module_type="measurement")
    assert calls == [("accuracy", "measurement")]


def test_combine_and_evaluator_get_our_modules():
    columns = {"prediction_scores": [0.25, 0.75], "references": [0, 1]}
    with metric_commons.patch_evaluate():
        assert base.load is evaluate.load
        areas, combined = evaluate.combine(["roc_auc"]), evaluate.combine(["accuracy", "f1"])
    areas.add_batch(predictions=None, **columns)

    assert areas.compute() == {"roc_auc": 1.0}
    assert combined.compute(predictions=[0, 1], references=[0, 1]) == {"accuracy": 1.0, "f1": 1.0}


def test_other_names_are_loaded_as_usual_and_a_wrong_configuration_is_named(tmp_path):
    with metric_commons.patch_evaluate():
        with pytest.raises(FileNotFoundError):
            evaluate.load(str(tmp_path / "nothing"))
        with pytest.raises(ValueError, match="glue has no configuration 'mprc'; it has cola, "):
            evaluate.load("glue", "mprc")


def test_the_end_of_the_patch(capsys):
    stock = evaluate.load
    with pytest.raises(ZeroDivisionError), metric_commons.patch_evaluate():
        1 / (evaluate.load is stock)

    assert evaluate.load is evaluate.loading.load is base.load is stock
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "evaluate.load returns our modules for accuracy, bleu, " in captured.err


def test_a_script_runs_as_it_is(run, monkeypatch):
    monkeypatch.setattr(sys, "argv", [])
    monkeypatch.setattr(sys, "path", [*sys.path])
    Path("script.py").write_text(SCRIPT)
    Path("beside.py").write_text("")
    with pytest.raises(SystemExit) as end:
        run("patch-evaluate", "script.py", "cola", "--do_eval", "-h")
    assert end.value.code == 7
    status, out, err = run("patch-evaluate", "script.py", "cola", "--fail")

    assert out == (
        "['cola', '--do_eval', '-h'] {'matthews_correlation': 0.0}\n"
        "['cola', '--fail'] {'matthews_correlation': 0.0}\n"
    )
    assert status == 1
    assert "ValueError: of the script" in err.splitlines()


def test_load_takes_the_names_of_stock_modules():
    texts = {"predictions": ["the cat"], "references": ["the cat sat"]}

    assert metric_commons.load("rouge").compute(**texts)["rouge1"] == 0.8
    assert metric_commons.load("evaluate-metric/wer").compute(**texts) == 1 / 3
    with pytest.raises(ValueError, match="glue has no configuration None; it has cola"):
        metric_commons.load("glue")
