"""The page of a Space scores in the browser, with the files that it carries."""

import json
import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import socket
from threading import Thread
from time import monotonic, sleep
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest

from metric_commons import load
from metric_commons.apps.hub.bundling import bundle
from metric_commons.apps.hub.demo import answer
from metric_commons.apps.hub.page import (
    _PROGRAM,
    _PYODIDE_HOME,
    card_html,
    page,
    usage,
    worked_examples,
)
from tests.spec import METRICS, PATIENCE, ROOT, nightly
from tests.tables import by_table

pytestmark = pytest.mark.processes

# Where a complete distribution of Pyodide lies, which has numpy and scipy.
PYODIDE = Path(os.environ.get("PYODIDE", ROOT / "build" / "pyodide"))


def carried(html):
    """The files that a page carries."""
    return json.loads(re.search(r'id="files">(.*?)</script>', html, re.DOTALL)[1])


# The program of the page, in a Python that has numpy and scipy alone. It prints what it answers to
# the texts that it reads.
ALONE = """
import json, sys
sys.modules.update(dict.fromkeys(["metric_commons", "pyarrow", "pandas", "huggingface_hub"]))
lines = {program!r}.splitlines()
exec("\\n".join(lines[:-1]))
answer = eval(lines[-1])
print(json.dumps([json.loads(answer(each)) for each in json.load(sys.stdin)]))
"""


def ask_page(name, html, folder, texts):
    """What the program of a page answers."""
    space = folder / "space"
    space.mkdir()
    for file, text in carried(html).items():
        (space / file).write_text(text, "utf-8")
    program = _PROGRAM.replace('"/space"', repr(str(space))).replace("NAME", name)
    run = subprocess.run(
        [sys.executable, "-c", ALONE.format(program=program)],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PATH": os.defpath, "HF_ALLOW_CODE_EVAL": "1"},
        timeout=PATIENCE,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


# By day one module each of texts, rankings and objects. That the files of all others are there
# shows in the tests of bundles, which pages carry unchanged.
BY_DAY = ["ir_ranking", "qa_f1", "tool_calls"]


@pytest.mark.parametrize(
    "name", [*BY_DAY, *nightly(*(name for name in METRICS if name not in BY_DAY))]
)
def test_a_page_answers_as_the_module(name, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")
    folder = bundle(name, tmp_path)
    examples = worked_examples((folder / "README.md").read_text("utf-8"), name)
    texts = [json.dumps(example) for example in examples]

    answers = ask_page(name, (folder / "index.html").read_text("utf-8"), tmp_path, texts)

    for text, answered in zip(texts, answers, strict=True):
        # BLAS, which fits covariates, rounds by where the arrays lie in memory: another process
        # may have other last digits.
        digits = 12 if name == "pairwise_ranking" else 17
        here = json.loads(answer(load(name), text))
        assert "value" in here
        assert rounded(answered, digits) == rounded(here, digits)


def rounded(value, digits):
    """The text of a JSON value, in which NaN equals itself, with floats of so many digits."""
    parts = json.JSONDecoder(parse_float=lambda text: f"{float(text):.{digits}g}")
    return json.dumps(parts.decode(json.dumps(value)))


CALL = {"predictions": ["a"], "references": ["a"]}


@pytest.mark.parametrize("name", METRICS)
def test_the_examples_of_a_card_are_answered_as_compute_does(name, monkeypatch):
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")
    card = (ROOT / "metrics" / name / "README.md").read_text("utf-8")
    examples = worked_examples(card, name)

    assert examples
    assert usage(card)[0][-1].want
    for example in examples:
        answered = json.loads(answer(load(name), json.dumps(example)))["value"]
        expected = load(name).compute(**example)
        if not isinstance(expected, dict):  # as evaluate's own modules
            expected = {example["result_format"]: expected}
        assert answered == json.loads(json.dumps(expected), parse_constant=lambda _: None)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "the arguments are not JSON: "),
        ("[]", "the arguments must be a JSON object"),
        (json.dumps({**CALL, "normaliser": "none"}), "did you mean 'normalizer'"),
        (json.dumps({**CALL, "references": [1]}), "references[0] is 1"),
    ],
)
def test_what_is_typed_wrong_is_said(text, problem):
    assert problem in json.loads(answer(load("qa_em"), text))["problem"]


EXAMPLES = """\
# Toy

## Usage

```python
>>> import evaluate
>>> toy = evaluate.load("./metrics/toy", size=2)
>>> toy.compute(predictions=["a"], references=["b"])["toy"]
0.5
```

Words between.

```python
>>> data = {"predictions": ["<"], "references": ["c"]}
>>> first = toy.compute(**data, kind="x")
>>> scores = [score for score in range(3)]
>>> toy.compute(predictions=scores)
1
>>> toy.compute(predictions=["a"], references=["b"])
2
>>> other = evaluate.load("./metrics/toy", normalizer=str.lower)
>>> other.compute(**data)
3
>>> round(toy.compute(predictions=data["predictions"]), 1)
4
```

## Inputs

```python
>>> toy.compute(predictions=["never"])
```
"""


def test_examples_are_the_calls_that_json_can_hold():
    assert worked_examples(EXAMPLES, "toy") == [
        {"size": 2, "predictions": ["a"], "references": ["b"]},
        {"size": 2, "predictions": ["<"], "references": ["c"], "kind": "x"},
        {"size": 2, "predictions": [0, 1, 2]},
        {"size": 2, "predictions": ["<"]},
    ]
    assert [len(block) for block in usage(EXAMPLES)] == [3, 8]


def test_nothing_ends_the_script_that_carries_the_files():
    files = {"toy.py": '"</script><b>"'}
    html = page(
        "", name="toy", summary="", namespace="acme", version="1", requirements=[], files=files
    )

    assert carried(html)["toy.py"] == files["toy.py"]
    assert "<b>" not in html


@pytest.mark.parametrize("name", METRICS)
def test_a_card_is_rendered_whole(name):
    card = (ROOT / "metrics" / name / "README.md").read_text("utf-8")

    html = card_html(card)

    assert html.count("<pre>") == card.count("```") / 2
    assert html.count("<table>") == len(re.findall(r"^\|[ :-]+\|", card, re.MULTILINE))
    assert len(re.findall("<h[23]>", html)) == len(re.findall("^##? ", card, re.MULTILINE))
    assert "title:" not in html
    shown = re.sub("<code>.*?</code>|<pre>.*?</pre>", "", html, flags=re.DOTALL)
    assert not re.search(r"`|\D\*\*|^\||\]\(", shown, re.MULTILINE)


@by_table("text, html")
def test_what_cards_are_written_in(text, html):
    assert card_html(text) == f"{html}\n"


# In a browser, with a complete distribution of Pyodide.


class Browser:
    """Chromium without a window, by the protocol of WebDriver."""

    def __init__(self, address):
        self._address = address
        flags = "headless no-sandbox disable-gpu no-first-run disable-background-networking"
        options = {"args": [f"--{flag}" for flag in [*flags.split(), "disable-component-update"]]}
        wanted = {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}
        self._session = self._send("POST", "/session", {"capabilities": wanted})["sessionId"]

    def _send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = Request(self._address + path, data, method=method)
        request.add_header("Content-Type", "application/json")
        try:
            with urlopen(request, timeout=PATIENCE) as reply:
                return json.load(reply)["value"]
        except HTTPError as error:
            raise AssertionError(error.read().decode()) from error

    def do(self, command, method="POST", **body):
        return self._send(method, f"/session/{self._session}/{command}", body)

    def run(self, script, *arguments):
        return self.do("execute/sync", script=script, args=list(arguments))

    def until(self, script):
        """What a script returns, once that is true."""
        end = monotonic() + PATIENCE
        while not (value := self.run(script)):
            problem = self.run("return document.getElementById('problem').textContent")
            assert not problem, problem
            assert monotonic() < end, script
            sleep(0.2)
        return value

    def close(self):
        self._send("DELETE", f"/session/{self._session}")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    driver = shutil.which("chromedriver")
    if driver is None or not any(PYODIDE.glob("numpy-*.whl")):
        pytest.skip("there is no chromedriver, or no Pyodide; see PYODIDE")
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with subprocess.Popen([driver, f"--port={port}"], stdout=subprocess.DEVNULL) as process:
        try:
            end = monotonic() + PATIENCE
            while True:
                try:
                    urlopen(f"http://127.0.0.1:{port}/status").close()
                    break
                except URLError:
                    assert monotonic() < end
                    sleep(0.1)
            browser = Browser(f"http://127.0.0.1:{port}")
            yield browser
            browser.close()
        finally:
            process.terminate()


class Quiet(SimpleHTTPRequestHandler):
    """Serves files to pages from anywhere, as the network that Pyodide comes from does."""

    def end_headers(self):
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()

    def log_message(self, *_):
        """Say nothing."""


@contextmanager
def served(folder):
    """The address of a folder."""
    handler = partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()


@pytest.fixture(scope="module")
def opened(browser, tmp_path_factory):
    """The browser with a page, opened as a file, whose Python has been loaded."""
    folder = tmp_path_factory.mktemp("page")
    html = (bundle("qa_em", folder) / "index.html").read_text("utf-8")
    with served(PYODIDE) as home:
        (folder / "index.html").write_text(html.replace(_PYODIDE_HOME, home), "utf-8")
        browser.do("url", url=(folder / "index.html").as_uri())
        browser.run("document.getElementById('open').click()")
        browser.until("return !document.getElementById('form').hidden")
        yield browser


def score_of(browser):
    browser.run("document.getElementById('score').click()")
    return browser.run(
        "return [...document.querySelectorAll('#scores tbody tr')].map("
        "row => [...row.cells].map(cell => cell.textContent))"
    )


TYPE = """
const field = document.getElementById('arguments');
field.value = JSON.stringify({...JSON.parse(field.value), ...arguments[0]});
"""


def test_an_example_is_edited_and_scored_in_the_browser(opened):
    before = score_of(opened)
    opened.run(TYPE, {"predictions": ["a", "b"], "references": ["a", "b"]})
    after = score_of(opened)
    opened.run(TYPE, {"confidence_level": 0.95})
    with_interval = score_of(opened)

    assert 0 <= float(before[0][1]) < float(after[0][1]) == 1
    assert json.loads(with_interval[0][2])[1] == 1


def test_a_problem_is_shown(opened):
    opened.run("document.getElementById('arguments').value = '[]'")
    assert score_of(opened) == []
    shown = opened.run("return document.getElementById('problem').textContent")
    assert shown == "the arguments must be a JSON object"
    opened.run("document.getElementById('examples').onchange()")
    assert score_of(opened)
    assert not opened.run("return document.getElementById('problem').textContent")


@pytest.mark.parametrize("width", [360, 1200])
def test_the_link_opens_the_card_and_nothing_is_wider_than_the_window(opened, width):
    opened.do("window/rect", width=width, height=900)
    opened.run("document.getElementById('card').open = false")
    assert not opened.run("return document.getElementById('card').open")
    opened.run("document.querySelector('a[href=\"#card\"]').click()")

    opened.until("return document.getElementById('card').open")
    assert opened.run("return document.querySelectorAll('#card table').length") > 0
    assert opened.run("return document.documentElement.scrollWidth <= innerWidth")
