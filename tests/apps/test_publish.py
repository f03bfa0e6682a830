"""Spaces are published whole, once, and under a version; then anybody can load them."""

import subprocess
import sys
from functools import partial
from importlib.metadata import version

import pytest
from huggingface_hub import constants

from metric_commons import load
from metric_commons.__main__ import main
from metric_commons.apps.hub.bundling import MARKER_FILE, bundle
from metric_commons.apps.hub.page import worked_examples
from metric_commons.module.catalog import catalog
from tests.apps.fake_hub import TOKEN, Hub, as_stranger, fake_hub
from tests.spec import METRICS, PATIENCE, nightly

pytestmark = pytest.mark.processes

VERSION = version("metric-commons")
TAG = f"v{VERSION}"


@pytest.fixture
def command(monkeypatch, capsys):
    """Runs `metric-commons hub` against a Hub; returns status, output and errors."""

    def run(*arguments, endpoint="http://127.0.0.1:9", token=TOKEN):
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setattr(constants, "ENDPOINT", endpoint)
        monkeypatch.setattr(
            constants,
            "HUGGINGFACE_CO_URL_TEMPLATE",
            endpoint + "/{repo_id}/resolve/{revision}/{filename}",
        )
        monkeypatch.delenv("HF_TOKEN", raising=False)
        if token:
            monkeypatch.setenv("HF_TOKEN", token)
        status = main(["hub", *map(str, arguments)])
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def publish(command):
    """Publishes modules on a Hub: status, output and errors, in which its address is HUB."""

    def publish(hub, *arguments, **settings):
        with fake_hub(hub) as endpoint:
            status, *texts = command("publish", "acme", *arguments, endpoint=endpoint, **settings)
        return status, *(text.replace(endpoint, "HUB") for text in texts)

    return publish


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


def bundled(folder, **further):
    """The files of a Space of qa_em."""
    return contents(bundle("qa_em", folder, namespace="acme")) | further


def test_what_is_published_is_the_bundle_with_a_tag(publish, tmp_path):
    hub = Hub()
    status, output, errors = publish(hub, "qa_em", "qa_f1")

    assert status == 0, errors
    assert output == "created   HUB/spaces/acme/qa_em\ncreated   HUB/spaces/acme/qa_f1\n"
    for name in ("qa_em", "qa_f1"):
        files = hub.spaces[f"acme/{name}"]
        assert files.keys() == {"main", TAG}
        assert files["main"] == files[TAG]
        of_the_hub = {name: files["main"][name] for name in (".gitattributes", "style.css")}
        expected = contents(bundle(name, tmp_path, namespace="acme"))
        assert files["main"] == expected | of_the_hub
    assert not hub.private


def test_only_what_differs_is_touched(publish):
    hub = Hub()
    publish(hub, "qa_em")
    first = list(hub.writes)
    hub.spaces["acme/qa_em"][TAG]["qa_em.py"] += b"# other\n"
    again = publish(hub, "qa_em", "substring_recall")
    second = hub.writes[len(first) :]

    made = ["create acme/{}", "commit acme/{}", f"tag acme/{{}} {TAG}"]
    assert first == [each.format("qa_em") for each in made]
    assert second == [each.format("substring_recall") for each in made]
    assert again[1].splitlines()[0] == "unchanged HUB/spaces/acme/qa_em"


def published(**beside):
    """A Space of an older version, with these files beside."""
    own = {"README.md": b"old", "no_longer_used.py": b"old", "qa_em.py": b"old"}
    return {MARKER_FILE: b"{}", ".gitattributes": b"own", **own, **beside}


def test_a_space_of_an_older_version_is_brought_up_to_date(publish, tmp_path):
    old = published(**{"notes.md": b"mine"})
    hub = Hub()
    hub.spaces["acme/qa_em"] = space = {"main": dict(old), "v0.0.1": dict(old)}
    status, output, errors = publish(hub, "qa_em")

    assert (status, output) == (0, "updated   HUB/spaces/acme/qa_em\n"), errors
    assert space["v0.0.1"] == old
    assert (
        space["main"]
        == space[TAG]
        == bundled(tmp_path, **{".gitattributes": b"own", "notes.md": b"mine"})
    )


class FaultyHub(Hub):
    """A Hub whose answer to one request is lost; the request is done, or not even received."""

    def __init__(self, fault, *, is_received):
        super().__init__()
        self.fault, self.is_received, self.requests = fault, is_received, 0

    def reply(self, *request):
        self.requests += 1
        if self.requests - 1 != self.fault:
            return super().reply(*request)
        if self.is_received:
            super().reply(*request)
        return 418, {"error": "the answer is lost"}, {}


@pytest.mark.parametrize("is_received", [True, *nightly(False)])
def test_publishing_can_be_cut_at_every_request_and_is_finished(is_received, publish):
    for _ in range(2):  # the first publication of a process makes one request more
        whole = FaultyHub(None, is_received=True)
        assert publish(whole, "qa_em")[0] == 0

    assert whole.requests >= 5
    for fault in range(whole.requests):
        hub = FaultyHub(fault, is_received=is_received)
        publish(hub, "qa_em")
        assert hub.requests > fault
        files = hub.spaces.get("acme/qa_em", whole.spaces["acme/qa_em"])["main"]
        assert len(files) in (2, len(whole.spaces["acme/qa_em"]["main"]))
        if len(files) == 2 and "acme/qa_em" in hub.spaces:
            status, _, errors = publish(hub, "qa_em")
            assert (status, "whose creation was interrupted" in errors) == (1, True)
            del hub.spaces["acme/qa_em"]
        status, _, errors = publish(hub, "qa_em")
        assert (status, hub.spaces) == (0, whole.spaces), (fault, errors)


@pytest.mark.parametrize("files", [{}, {"README.md": b"theirs", "app.py": b"theirs"}])
def test_a_foreign_space_is_left_alone(files, publish):
    hub = Hub()
    hub.spaces["acme/qa_em"] = {"main": dict(files), "v9": dict(files)}
    status, _, errors = publish(hub, "qa_em")

    assert status == 1
    assert "acme/qa_em is a Space that metric-commons did not create" in errors
    assert (hub.spaces["acme/qa_em"]["main"], hub.writes) == (files, [])


# By day three: test_bundle.py bundles all, and the rest of the way is the same for each.
@pytest.mark.parametrize("names", [METRICS[:2], *nightly(METRICS)])
def test_every_module_can_be_published(names, publish):
    hub = Hub()
    status, output, errors = publish(hub, *names, "--private")

    assert status == 0, errors
    assert output.count("\n") == len(names)
    assert hub.private == hub.spaces.keys() == {f"acme/{name}" for name in names}
    for space in hub.spaces.values():
        assert "index.html" in space["main"]


def test_a_dry_run_writes_what_would_be_sent(command, tmp_path):
    status, output, errors = command(
        "publish", "acme", "qa_em", "--dry-run", tmp_path / "out", token=None
    )

    assert status == 0, errors
    assert output == f"{tmp_path / 'out' / 'qa_em'}\n"
    assert contents(tmp_path / "out" / "qa_em") == bundled(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "token", "cause"),
    [
        (["qa_em"], None, "there is no Hub token"),
        (["qa_em"], "hf_of_a_stranger", "401"),
        (["qa_em", "qa_f2"], TOKEN, "did you mean 'qa_f1'"),
    ],
)
def test_what_goes_wrong_is_said_in_one_line(arguments, token, cause, publish, command):
    status, output, errors = command("publish", "acme", "qa_em")  # of a Hub out of reach
    assert (status, output, errors.count("\n")) == (1, "", 1)
    hub = Hub()
    status, output, errors = publish(hub, *arguments, token=token)

    assert (status, output, errors.count("\n")) == (1, "", 1)
    assert cause in errors
    assert not hub.writes


@pytest.mark.slow
def test_anybody_can_load_what_is_published(command, stranger):
    names = ["qa_f1", "rouge_n_l", "ir_ranking", "paired_significance"]
    examples = {
        name: worked_examples((catalog.path(name) / "README.md").read_text("utf-8"), name)[0]
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
