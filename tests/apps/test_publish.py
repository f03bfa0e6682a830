"""Spaces are published whole, once, and under a version; then anybody can load them."""

import subprocess
import sys
from functools import partial
from importlib.metadata import version

import pytest
from huggingface_hub import constants

from metric_commons import load
from metric_commons.__main__ import main
from metric_commons.apps.hub import publishing
from metric_commons.apps.hub.bundling import MARKER_FILE, Marker, bundle
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
        attributes = {".gitattributes": files["main"][".gitattributes"]}
        expected = contents(bundle(name, tmp_path, namespace="acme"))
        assert files["main"] == expected | attributes
    assert not hub.private


def test_only_what_differs_is_touched(publish):
    hub = Hub()
    publish(hub, "qa_em")
    first = list(hub.writes)
    again = publish(hub, "qa_em", "substring_recall")
    second = hub.writes[len(first) :]
    del hub.spaces["acme/qa_em"][TAG]
    untagged = publish(hub, "qa_em")
    third = hub.writes[len(first) + len(second) :]

    made = ["create acme/{}", "commit acme/{}", f"tag acme/{{}} {TAG}"]
    assert first == [each.format("qa_em") for each in made]
    assert second == [each.format("substring_recall") for each in made]
    assert again[1].splitlines()[0] == "unchanged HUB/spaces/acme/qa_em"
    assert third == [f"tag acme/qa_em {TAG}"]
    assert untagged[1].startswith("tagged ")


def published(name="qa_em", **files):
    """A Space of an older version, with these files beside."""
    own = {"README.md": b"old", "no_longer_used.py": b"old", f"{name}.py": b"old"}
    marker = Marker(f"acme/{name}", "0.0.1", tuple(own)).to_json()
    beside = {file.replace("_dot_", "."): content for file, content in files.items()}
    return {MARKER_FILE: marker.encode(), ".gitattributes": b"own", **own, **beside}


def test_a_space_of_an_older_version_is_brought_up_to_date(publish, tmp_path):
    old = published()
    hub = Hub()
    hub.spaces["acme/qa_em"] = space = {"main": dict(old), "v0.0.1": dict(old)}
    status, output, errors = publish(hub, "qa_em")

    assert (status, output) == (0, "updated   HUB/spaces/acme/qa_em\n"), errors
    assert space["v0.0.1"] == old
    assert space["main"] == space[TAG] == bundled(tmp_path, **{".gitattributes": b"own"})


NEW_CARD = """---
title: Qa Em
sdk: static
---

Check out the configuration reference at https://huggingface.co/docs/hub/spaces-config-reference
"""


def newer():
    """A Space of a version to come."""
    marker = Marker("acme/qa_em", "99.0.0", ()).to_json().encode()
    return {MARKER_FILE: marker, "README.md": b"new"}


@pytest.mark.parametrize(
    ("files", "is_hidden", "message"),
    [
        (newer(), False, f"holds version 99.0.0, which is newer than {VERSION}"),
        ({}, True, "a Space acme/qa_em already exists, which this token cannot see"),
        ({"README.md": NEW_CARD.encode() + b"\nMy notes."}, False, "did not create: it has README"),
    ],
)
def test_a_space_of_others_is_left_alone(files, is_hidden, message, publish):
    hub = Hub()
    hub.spaces["acme/qa_em"] = {"main": dict(files)}
    hub.hidden |= {"acme/qa_em"} if is_hidden else set()
    status, _, errors = publish(hub, "qa_em")

    assert (status, hub.spaces["acme/qa_em"]["main"], errors.count("\n")) == (1, files, 1)
    assert not [write for write in hub.writes if not write.startswith("create")]
    assert message in errors


@pytest.mark.parametrize("card", [NEW_CARD, NEW_CARD.partition("Check")[0], None])
def test_a_creation_that_was_cut_off_is_finished(card, publish, tmp_path):
    hub = Hub()
    template = {".gitattributes": b"", "index.html": b"<p>Welcome", "style.css": b""}
    if card is not None:
        template["README.md"] = card.encode()
    hub.spaces["acme/qa_em"] = {"main": template}
    status, output, errors = publish(hub, "qa_em")

    assert (status, output) == (0, "updated   HUB/spaces/acme/qa_em\n"), errors
    assert hub.spaces["acme/qa_em"][TAG] == bundled(tmp_path, **{".gitattributes": b""})


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
    whole = FaultyHub(None, is_received=True)
    assert publish(whole, "qa_em")[0] == 0

    assert whole.requests >= 5
    for fault in range(whole.requests):
        hub = FaultyHub(fault, is_received=is_received)
        publish(hub, "qa_em")
        assert hub.requests > fault
        files = hub.spaces.get("acme/qa_em", whole.spaces["acme/qa_em"])["main"]
        assert len(files) in (2, len(whole.spaces["acme/qa_em"]["main"]))
        status, _, errors = publish(hub, "qa_em")
        assert (status, hub.spaces) == (0, whole.spaces), (fault, errors)


def test_files_that_somebody_has_added_stay_unless_they_are_in_the_way(publish, tmp_path):
    hub = Hub()
    hub.spaces["acme/qa_em"] = {"main": published(notes_dot_md=b"mine", shapes_dot_py=b"mine")}
    status, output, errors = publish(hub, "qa_em")
    again = publish(hub, "qa_em")

    kept = "kept      notes.md, which someone else added"
    assert status == 0, errors
    assert output.splitlines() == [
        "updated   HUB/spaces/acme/qa_em",
        kept,
        "replaced  shapes.py, which someone else added",
    ]
    beside = {".gitattributes": b"own", "notes.md": b"mine"}
    assert hub.spaces["acme/qa_em"]["main"] == bundled(tmp_path, **beside)
    assert again[1].splitlines() == ["unchanged HUB/spaces/acme/qa_em", kept]


FOREIGN = {
    "no marker": {"README.md": b"theirs", "app.py": b"theirs", ".gitattributes": b"theirs"},
    "a marker of another Space": published("qa_f1"),
    "a marker that is none": {"README.md": b"theirs", MARKER_FILE: b"[]"},
}


@pytest.mark.parametrize("files", FOREIGN.values(), ids=FOREIGN)
def test_a_foreign_space_is_left_alone_until_it_may_be_replaced(files, publish, tmp_path):
    hub = Hub()
    hub.spaces["acme/qa_em"] = {"main": dict(files), "v9": dict(files)}
    listed = ", ".join(sorted(set(files) - {".gitattributes"}))
    refused = publish(hub, "qa_em")
    asked = publish(hub, "qa_em", "--replace")

    assert refused[0] == asked[0] == 1
    assert (
        f"acme/qa_em is a Space that metric-commons did not create: it has {listed};" in refused[2]
    )
    assert f"acme/qa_em: --replace would delete {listed}; confirm with --yes" in asked[2]
    assert (hub.spaces["acme/qa_em"]["main"], hub.writes) == (files, [])

    done = publish(hub, "qa_em", "--replace", "--yes")
    assert done[1] == "updated   HUB/spaces/acme/qa_em\n", done[2]
    assert hub.spaces["acme/qa_em"]["v9"] == files
    attributes = {name: files[name] for name in files if name == ".gitattributes"}
    assert hub.spaces["acme/qa_em"]["main"] == bundled(tmp_path, **attributes)


def test_an_empty_space_is_nobodys(publish):
    hub = Hub()
    hub.spaces["acme/qa_em"] = {"main": {".gitattributes": b""}}
    assert publish(hub, "qa_em")[1].startswith("updated ")


def test_a_version_keeps_its_content(publish):
    hub = Hub()
    publish(hub, "qa_em")
    hub.spaces["acme/qa_em"][TAG]["qa_em.py"] += b"# other\n"
    before = list(hub.writes)
    status, _, errors = publish(hub, "qa_em")

    assert (status, hub.writes) == (1, before)
    message = "with different content; changes need a new version"
    assert f"has a tag {TAG} {message}" in errors


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


def test_a_tag_that_evaluate_would_take_for_its_own_is_refused(publish, monkeypatch):
    hub = Hub()
    monkeypatch.setattr(publishing.metadata, "version", lambda name: "0.4.6")
    status, _, errors = publish(hub, "qa_em")

    assert (status, hub.writes) == (1, [])
    assert "version 0.4.6 is also that of evaluate" in errors


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
