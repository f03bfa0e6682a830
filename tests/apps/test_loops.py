"""The recipes of the guide for loops of PyTorch and Lightning return what `compute` does."""

import pickle
import re
import sys
from types import ModuleType, SimpleNamespace

import pytest

import metric_commons
from tests.spec import ROOT

GUIDE = (ROOT / "docs/guides/training.md").read_text("utf-8")
RECIPES = re.findall(r"^```python\n(.*?)^```", GUIDE, re.DOTALL | re.MULTILINE)


def recipe(name, **names):
    """A name that a recipe of the guide defines."""
    (code,) = (code for code in RECIPES if re.search(rf"^(class|def) {name}\b", code, re.MULTILINE))
    exec(code, names)
    return names[name]


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="torch is not installed")


@pytest.fixture
def rows(torch):
    generator = torch.Generator().manual_seed(5)
    inputs = torch.randn(23, 4, generator=generator)
    labels = torch.randint(0, 3, (23,), generator=generator)
    return [{"inputs": row, "labels": label} for row, label in zip(inputs, labels, strict=True)]


@pytest.fixture
def model(torch):
    torch.manual_seed(5)
    return torch.nn.Linear(4, 3)


def expected(model, rows):
    return metric_commons.load("classification").compute(
        predictions=[int(model(row["inputs"]).argmax()) for row in rows],
        references=[int(row["labels"]) for row in rows],
    )


def test_a_plain_loop(torch, rows, model):
    evaluated = recipe("evaluated", torch=torch, metric_commons=metric_commons)

    result = evaluated(model, torch.utils.data.DataLoader(rows, batch_size=5))

    assert result == expected(model, rows)
    assert 0 < result["accuracy"] < 1


def test_lightning_counts_the_rows_of_all_processes(monkeypatch):
    """With a stand-in for Lightning, which has two processes."""

    class LightningModule:
        trainer = SimpleNamespace(world_size=2)

        def log_dict(self, scores):
            self.logged = scores

    lightning = SimpleNamespace(LightningModule=LightningModule)
    made = recipe("Classifier", lightning=lightning, metric_commons=metric_commons)
    processes = [made(None), made(None)]
    rows = [{"predictions": [0, 1, 1], "references": [0, 1, 0]}]
    rows += [{"predictions": [2], "references": [2]}]
    for process, columns in zip(processes, rows, strict=True):
        process.state.update(**columns)
    gathered = [pickle.loads(pickle.dumps(process.state)) for process in processes]

    def all_gather_object(states, own):
        states[:] = gathered

    torch = ModuleType("torch")
    torch.distributed = ModuleType("torch.distributed")
    torch.distributed.all_gather_object = all_gather_object
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "torch.distributed", torch.distributed)
    for process in processes:
        process.on_validation_epoch_end()

    expected = metric_commons.load("classification").compute(
        predictions=[0, 1, 1, 2], references=[0, 1, 0, 2]
    )
    assert [process.logged for process in processes] == [expected, expected]


@pytest.mark.filterwarnings("ignore")  # of Lightning, about cores and loggers
def test_lightning(torch, rows, model, tmp_path):
    lightning = pytest.importorskip("lightning", reason="lightning is not installed")
    module = recipe("Classifier", lightning=lightning, metric_commons=metric_commons)(model)
    trainer = lightning.Trainer(
        accelerator="cpu",
        default_root_dir=tmp_path,
        enable_checkpointing=False,
        enable_model_summary=False,
        enable_progress_bar=False,
        logger=False,
    )
    batches = torch.utils.data.DataLoader(rows, batch_size=5)

    for _ in range(2):  # epochs, of which the second starts anew
        (result,) = trainer.validate(module, batches, verbose=False)
        assert result == pytest.approx(expected(model, rows), rel=1e-6)  # it logs single precision
