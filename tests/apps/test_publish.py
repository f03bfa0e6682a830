"""Spaces are published whole, once, and under a version; then anybody can load them."""

import subprocess
import sys
from functools import partial
from importlib.metadata import version

import pytest
from huggingface_hub import constants

from metric_commons import load
from metric_commons.__main__ import main
from metric_commons.evaluation import catalog
from metric_commons.hub import bundle, publishing
from metric_commons.hub.demo import worked_examples
from tests.apps.fake_hub import TOKEN, Hub, as_stranger, fake_hub
from tests.spec import METRICS, PATIENCE

VERSION = version("metric-commons")
TAG = f"v{VERSION}"


@pytest.fixture
def command(monkeypatch, capsys):
    """Runs `metric-commons hub` against a Hub; returns status, output and errors."""

    def run(*arguments, endpoint="http://127.0.0.1:9", token=TOKEN):
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setattr(constants, "ENDPOINT", endpoint)
        monkeypatch.delenv("HF_TOKEN", raising=False)
        if token:
            monkeypatch.setenv("HF_TOKEN", token)
        status = main(["hub", *map(str, arguments)])
        return status, *capsys.readouterr()

    return run


# Runs where only evaluate, numpy and scipy are installed: reads [[address, settings, arguments]]
# and prints the results.
STRANGER = """
import json, sys
import evaluate

try:
    import metric_commons
except ModuleNotFoundError:
    calls = json.load(sys.stdin)
    json.dump([evaluate.load(at, **own).compute(**call) for at, own, call in calls], sys.stdout)
"""


@pytest.fixture(scope="module")
def stranger(tmp_path_factory):
    """Results of calls, from an environment that has nothing of ours."""
    home = tmp_path_factory.mktemp("stranger")
    python = home / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", home / "venv"], check=True, timeout=PATIENCE)
    installed = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "evaluate", "numpy", "scipy"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    if installed.returncode:
        pytest.skip(f"evaluate cannot be installed: {installed.stderr.strip()[-200:]}")

    return partial(as_stranger, STRANGER, home=home, python=python)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_what_is_published_is_the_bundle_with_a_tag(command, tmp_path):
    hub = Hub()
    with fake_hub(hub) as endpoint:
        status, output, errors = command("publish", "acme", "qa_em", "qa_f1", endpoint=endpoint)

    assert status == 0, errors
    assert output.splitlines() == [
        f"created   {endpoint}/spaces/acme/{name}" for name in ("qa_em", "qa_f1")
    ]
    for name in ("qa_em", "qa_f1"):
        files = hub.spaces[f"acme/{name}"]
        assert files.keys() == {"main", TAG}
        assert files["main"] == files[TAG]
        assert {
            **contents(bundle(name, tmp_path, namespace="acme")),
            ".gitattributes": files["main"][".gitattributes"],
        } == files["main"]
    assert not hub.private


def test_only_what_differs_is_touched(command):
    hub = Hub()
    with fake_hub(hub) as endpoint:
        command("publish", "acme", "qa_em", endpoint=endpoint)
        first = list(hub.writes)
        again = command("publish", "acme", "qa_em", "substring_recall", endpoint=endpoint)
        second = hub.writes[len(first) :]
        del hub.spaces["acme/qa_em"][TAG]
        untagged = command("publish", "acme", "qa_em", endpoint=endpoint)
        third = hub.writes[len(first) + len(second) :]

    made = ["create acme/{}", "commit acme/{}", f"tag acme/{{}} {TAG}"]
    assert first == [each.format("qa_em") for each in made]
    assert second == [each.format("substring_recall") for each in made]
    assert again[1].splitlines()[0] == f"unchanged {endpoint}/spaces/acme/qa_em"
    assert third == [f"tag acme/qa_em {TAG}"]
    assert untagged[1].startswith("tagged ")


def test_a_space_of_an_older_version_is_brought_up_to_date(command, tmp_path):
    hub = Hub()
    old = {"README.md": b"old", "no_longer_used.py": b"old", ".gitattributes": b"own"}
    hub.spaces["acme/qa_em"] = {"main": dict(old), "v0.0.1": dict(old)}
    with fake_hub(hub) as endpoint:
        status, output, errors = command("publish", "acme", "qa_em", endpoint=endpoint)

    assert status == 0, errors
    assert output.startswith("updated ")
    assert hub.spaces["acme/qa_em"]["v0.0.1"] == old
    assert hub.spaces["acme/qa_em"]["main"] == hub.spaces["acme/qa_em"][TAG]
    assert hub.spaces["acme/qa_em"][TAG] == {
        **contents(bundle("qa_em", tmp_path, namespace="acme")),
        ".gitattributes": b"own",
    }


def test_a_version_keeps_its_content(command):
    hub = Hub()
    with fake_hub(hub) as endpoint:
        command("publish", "acme", "qa_em", endpoint=endpoint)
        hub.spaces["acme/qa_em"][TAG]["qa_em.py"] += b"# other\n"
        before = list(hub.writes)
        status, _, errors = command("publish", "acme", "qa_em", endpoint=endpoint)

    assert status == 1
    assert f"has a tag {TAG} with another content; what changes needs a new version" in errors
    assert hub.writes == before


@pytest.mark.parametrize("sdk", ["static", "gradio"])
def test_every_module_can_be_published(sdk, command):
    hub = Hub()
    with fake_hub(hub) as endpoint:
        status, output, errors = command(
            "publish", "acme", "--sdk", sdk, "--private", endpoint=endpoint
        )

    page = {"static": "index.html", "gradio": "app.py"}
    assert status == 0, errors
    assert len(output.splitlines()) == len(METRICS)
    assert hub.private == hub.spaces.keys() == {f"acme/{name}" for name in METRICS}
    for space in hub.spaces.values():
        assert page[sdk] in space["main"]
        assert not {*page.values()} - {page[sdk]} & space["main"].keys()


def test_a_dry_run_writes_what_would_be_sent(command, tmp_path):
    status, output, errors = command(
        "publish", "acme", "qa_em", "--dry-run", tmp_path / "out", token=None
    )

    assert status == 0, errors
    assert output == f"{tmp_path / 'out' / 'qa_em'}\n"
    assert contents(tmp_path / "out" / "qa_em") == contents(
        bundle("qa_em", tmp_path, namespace="acme")
    )


@pytest.mark.parametrize(
    ("arguments", "token", "cause"),
    [
        (["qa_em"], None, "there is no token of the Hub"),
        (["qa_em"], "hf_of_a_stranger", "401"),
        (["qa_em", "qa_f2"], TOKEN, "did you mean 'qa_f1'"),
    ],
)
def test_what_goes_wrong_is_said_in_one_line(arguments, token, cause, command):
    hub = Hub()
    with fake_hub(hub) as endpoint:
        status, output, errors = command(
            "publish", "acme", *arguments, endpoint=endpoint, token=token
        )

    assert (status, output) == (1, "")
    assert cause in errors
    assert len(errors.splitlines()) == 1
    assert not hub.writes


def test_a_tag_that_evaluate_would_take_for_its_own_is_refused(command, monkeypatch):
    hub = Hub()
    monkeypatch.setattr(publishing.metadata, "version", lambda name: "0.4.6")
    with fake_hub(hub) as endpoint:
        status, _, errors = command("publish", "acme", "qa_em", endpoint=endpoint)

    assert status == 1
    assert "version 0.4.6 is also that of evaluate" in errors
    assert not hub.writes


def test_a_hub_out_of_reach_is_an_error(command):
    status, output, errors = command("publish", "acme", "qa_em")

    assert (status, output) == (1, "")
    assert len(errors.splitlines()) == 1


@pytest.mark.slow
def test_anybody_can_load_what_is_published(command, stranger):
    names = ["qa_f1", "rouge_n_l", "ir_ranking", "paired_significance"]
    examples = {
        name: worked_examples((catalog.path(name) / "README.md").read_text("utf-8"))[0]
        for name in names
    }
    here = [load(name).compute(**example) for name, example in examples.items()]
    latest = [(f"acme/{name}", {}, example) for name, example in examples.items()]
    pinned = [(at, {"revision": VERSION}, example) for at, _, example in latest]
    hub = Hub()
    with fake_hub(hub) as endpoint:
        status, _, errors = command("publish", "acme", *names, endpoint=endpoint)
        assert status == 0, errors
        assert stranger([*latest, *pinned], HF_ENDPOINT=endpoint) == [*here, *here]
        assert stranger(latest, HF_ENDPOINT=endpoint, HF_EVALUATE_OFFLINE="1") == here

        newer = hub.spaces["acme/qa_f1"]["main"]
        newer["qa_f1.py"] = newer["qa_f1.py"].replace(b'"qa_recall":', b'"recall":')
        changed = stranger([latest[0], pinned[0]], HF_ENDPOINT=endpoint)

    assert [result.keys() for result in changed] == [
        {"qa_f1", "qa_precision", "recall"},
        {"qa_f1", "qa_precision", "qa_recall"},
    ]
