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
from metric_commons.apps.hub.demo import Demo
from metric_commons.apps.hub.page import (
    _PROGRAM,
    _PYODIDE_HOME,
    card_html,
    page,
    worked_examples,
)
from tests.spec import METRICS, PATIENCE, ROOT, nightly
from tests.tables import tabled

pytestmark = pytest.mark.processes

# Where a complete distribution of Pyodide lies, which has numpy and scipy.
PYODIDE = Path(os.environ.get("PYODIDE", ROOT / "build" / "pyodide"))


def carried(html):
    """The files that a page carries."""
    return json.loads(re.search(r'id="files">(.*?)</script>', html, re.DOTALL)[1])


# The program of the page, in a Python that has numpy and scipy alone. It prints what it answers to
# the questions that it reads.
ALONE = """
import json, sys
sys.modules.update(dict.fromkeys(["metric_commons", "pyarrow", "pandas", "huggingface_hub"]))
lines = {program!r}.splitlines()
exec("\\n".join(lines[:-1]))
demo = eval(lines[-1])
print(json.dumps([json.loads(demo(*each)) for each in json.load(sys.stdin)]))
"""


def ask_page(html, folder, questions):
    """What the program of a page answers."""
    space = folder / "space"
    space.mkdir()
    for name, text in carried(html).items():
        (space / name).write_text(text, "utf-8")
    program = _PROGRAM.replace('"/space"', repr(str(space)))
    run = subprocess.run(
        [sys.executable, "-c", ALONE.format(program=program)],
        input=json.dumps(questions),
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
    demo = Demo(load(name), worked_examples((folder / "README.md").read_text("utf-8")))
    numbers = range(len(demo.examples))
    questions = [("titles", "[]"), *(("example", f"[{number}]") for number in numbers)]
    calls = [[demo.cells(number), demo.options(number)] for number in numbers]
    questions += [("score", json.dumps(call)) for call in calls]

    answers = ask_page((folder / "index.html").read_text("utf-8"), tmp_path, questions)

    titles, *others = [answer["value"] for answer in answers]
    assert titles == demo.titles()
    for number in numbers:
        assert others[number]["cells"] == demo.cells(number)
        shown = json.loads(json.dumps(demo.score(*calls[number])))
        # BLAS, which fits covariates, rounds by where the arrays lie in memory: another process
        # may have other last digits.
        digits = 12 if name == "pairwise_ranking" else 17
        assert rounded(others[len(demo.examples) + number], digits) == rounded(shown, digits)


def rounded(value, digits):
    """The text of a JSON value, in which NaN equals itself, with floats of so many digits."""
    parts = json.JSONDecoder(parse_float=lambda text: f"{float(text):.{digits}g}")
    return json.dumps(parts.decode(json.dumps(value)))


def test_what_is_typed_wrong_is_said(tmp_path):
    html = (bundle("qa_em", tmp_path) / "index.html").read_text("utf-8")

    answers = ask_page(
        html,
        tmp_path,
        [
            ("score", json.dumps([[["a", "["]], "{}"])),
            ("score", json.dumps([[["a", "b"]], "{"])),
            ("score", json.dumps([[["a", "b"]], '{"normaliser": "none"}'])),
        ],
    )

    problems = [answer["problem"] for answer in answers]
    assert problems[0].startswith("references[0] is '['; not JSON")
    assert problems[1].startswith("the options are not JSON")
    assert "did you mean 'normalizer'" in problems[2]


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


TABLE = '<div class="wide"><table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n'
END = "</tbody>\n</table></div>"


@pytest.mark.parametrize(
    ("text", "html"),
    tabled(__file__, "what_cards_are_written_in"),
)
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
const field = document.querySelector('#rows tbody tr:nth-child(2) input');
field.value = document.querySelectorAll('#rows tbody tr:nth-child(2) input')[1].value;
"""


def test_an_example_is_edited_and_scored_in_the_browser(opened):
    before = score_of(opened)
    opened.run(TYPE)
    after = score_of(opened)
    opened.run("document.getElementById('level').click()")
    with_interval = score_of(opened)
    opened.run("document.getElementById('level').click()")

    assert 0 <= float(before[0][1]) < float(after[0][1]) <= 1
    assert json.loads(with_interval[0][2])[1] >= float(after[0][1])
    assert opened.run("return document.querySelectorAll('#of-rows tbody tr').length") >= 2


def test_a_row_may_be_added_and_a_problem_is_shown(opened):
    rows = opened.run("return document.querySelectorAll('#rows tbody tr').length")
    opened.run("document.getElementById('add').click()")
    assert opened.run("return document.querySelectorAll('#rows tbody tr').length") == rows + 1

    opened.run("document.getElementById('options').value = '[]'")
    assert score_of(opened) == []
    shown = opened.run("return document.getElementById('problem').textContent")
    assert shown == "the options must be a JSON object"
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
