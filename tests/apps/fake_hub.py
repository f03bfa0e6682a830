"""A local HTTP server that plays the Hub, and a stranger who loads from it."""

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote

import yaml

from tests.spec import PATIENCE

TOKEN = "hf_of_somebody_who_may_write"
COLORS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
COMMIT = "0" * 40

Reply = tuple[int, object, dict[str, str]]


class Hub:
    """What the Hub holds: of each Space its revisions, of each revision its files."""

    def __init__(self, folders: Mapping[str, Path] | None = None) -> None:
        """`folders` are Spaces by full name ("org/name"), with the one revision `main`."""
        self.spaces = {
            name: {"main": {path.name: path.read_bytes() for path in folder.iterdir()}}
            for name, folder in (folders or {}).items()
        }
        self.private: set[str] = set()
        self.writes: list[str] = []

    def reply(self, method: str, path: str, body: bytes, token: str | None) -> Reply:
        """Status, content and headers of the answer to a request."""
        for pattern, action in self._actions().items():
            match = re.fullmatch(pattern, f"{method} {path}")
            if match:
                space, *rest = [unquote(group) for group in match.groups()] or [""]
                if method == "POST" and token != TOKEN:
                    return 401, {"error": "Invalid credentials"}, {}
                if space and space not in self.spaces:
                    return 404, {"error": "not found"}, {"X-Error-Code": "RepoNotFound"}
                return action(space, *rest, *([body] if method == "POST" else []))
        return 404, {"error": f"the Hub is not asked for {method} {path}"}, {}

    def _actions(self):
        space = "([^/]+/[^/]+)"
        return {
            f"(?:GET|HEAD) /spaces/{space}/resolve/([^/]+)/([^/]+)": self._file,
            f"GET /api/spaces/{space}/refs": self._refs,
            rf"GET /api/spaces/{space}/tree/([^/?]+)(?:\?.*)?": self._tree,
            f"GET /api/spaces/{space}/revision/([^/]+)": self._revision,
            "POST /api/repos/create": self._create,
            "POST /api/validate-yaml": self._validate,
            f"POST /api/spaces/{space}/preupload/([^/]+)": self._preupload,
            f"POST /api/spaces/{space}/commit/([^/]+)": self._commit,
            f"POST /api/spaces/{space}/tag/([^/]+)": self._tag,
        }

    def _file(self, space: str, revision: str, name: str) -> Reply:
        content = self.spaces[space].get(revision, {}).get(name)
        if content is None:
            return 404, b"", {"X-Error-Code": "EntryNotFound"}
        # evaluate keys its cache by the ETag.
        headers = {"ETag": f'"{hashlib.sha256(content).hexdigest()}"', "X-Repo-Commit": COMMIT}
        return 200, content, headers

    def _refs(self, space: str) -> Reply:
        refs = [
            {"name": name, "ref": f"refs/{'heads' if name == 'main' else 'tags'}/{name}"}
            | {"targetCommit": COMMIT}
            for name in self.spaces[space]
        ]
        return 200, {"branches": refs[:1], "converts": [], "tags": refs[1:]}, {}

    def _tree(self, space: str, revision: str) -> Reply:
        if revision not in self.spaces[space]:
            return 404, {"error": "no such revision"}, {"X-Error-Code": "RevisionNotFound"}
        listed = [
            {"type": "file", "path": name, "size": len(content)}
            | {"oid": hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()}
            for name, content in self.spaces[space][revision].items()
        ]
        return 200, listed, {}

    def _revision(self, space: str, revision: str) -> Reply:
        return 200, {"id": space, "sha": COMMIT, "private": False, "tags": [], "siblings": []}, {}

    def _create(self, _: str, body: bytes) -> Reply:
        asked = json.loads(body)
        space = f"{asked['organization']}/{asked['name']}"
        assert asked["type"] == "space"
        assert asked["sdk"] in ("static", "gradio")
        if space in self.spaces:
            return 409, {"error": "You already created this repo"}, {}
        self.writes.append(f"create {space}")
        # A new Space is not empty.
        self.spaces[space] = {"main": {".gitattributes": b"*.bin lfs\n", "style.css": b"body {}\n"}}
        if asked.get("visibility") == "private" or asked.get("private"):  # by version of the client
            self.private.add(space)
        return 200, {"url": f"https://huggingface.co/spaces/{space}", "name": space}, {}

    def _validate(self, _: str, body: bytes) -> Reply:
        found = [{"message": fault} for fault in faults(json.loads(body)["content"])]
        return (400 if found else 200), {"errors": found, "warnings": []}, {}

    def _preupload(self, space: str, _: str, body: bytes) -> Reply:
        plain = {"uploadMode": "regular", "shouldIgnore": False, "oid": None}
        return 200, {"files": [{"path": f["path"], **plain} for f in json.loads(body)["files"]]}, {}

    def _commit(self, space: str, revision: str, body: bytes) -> Reply:
        self.writes.append(f"commit {space}")
        files = self.spaces[space][revision]
        for line in body.splitlines():
            entry = json.loads(line)
            if entry["key"] == "file":
                files[entry["value"]["path"]] = base64.b64decode(entry["value"]["content"])
            elif entry["key"] == "deletedFile":
                del files[entry["value"]["path"]]
        url = f"https://huggingface.co/spaces/{space}/commit/{COMMIT}"
        return 200, {"success": True, "commitOid": COMMIT, "commitUrl": url, "hookOutput": ""}, {}

    def _tag(self, space: str, revision: str, body: bytes) -> Reply:
        tag = json.loads(body)["tag"]
        self.writes.append(f"tag {space} {tag}")
        if tag in self.spaces[space]:
            return 409, {"error": "the tag exists"}, {}
        self.spaces[space][tag] = dict(self.spaces[space][revision])
        return 200, {}, {}


def faults(card: str) -> list[str]:
    """What the Hub would not take in the front matter of a Space."""
    front = yaml.safe_load(card.split("---\n")[1])
    wanted = {**dict.fromkeys(("title", "emoji", "license"), str), "pinned": bool, "tags": list}
    if front.get("sdk") == "gradio":
        wanted |= dict.fromkeys(("sdk_version", "python_version", "app_file"), str)
    found = [key for key, kind in wanted.items() if not isinstance(front.get(key), kind)]
    found += [key for key in ("colorFrom", "colorTo") if front.get(key) not in COLORS]
    # evaluate lists the Spaces of one of these tags; an emoji is one picture.
    if len({"metric", "comparison", "measurement"} & set(front.get("tags") or [])) != 1:
        found.append("tags")
    if str(front.get("emoji")).isascii() or len(str(front.get("emoji")).strip("\ufe0f")) != 1:
        found.append("emoji")
    return found + (["sdk"] if front.get("sdk") not in ("static", "gradio") else [])


def as_stranger(
    program: str, calls: object, home: Path, *, python: str | Path = sys.executable, **more: str
) -> object:
    """What `program` prints as JSON of the JSON it is given.

    It runs in a new process, in a foreign folder, and in an environment that holds `more` alone.
    """
    home.mkdir(exist_ok=True)
    run = subprocess.run(
        [python, "-c", program],
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        cwd=home,
        env={
            "PATH": os.defpath,
            "HOME": str(home),
            "HF_HOME": str(home / "huggingface"),
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",
            **more,
        },
        timeout=PATIENCE,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@contextmanager
def fake_hub(hub: Hub | Mapping[str, Path]) -> Iterator[str]:
    """The value for HF_ENDPOINT, while the block runs: a Hub, or one of these folders."""
    known = hub if isinstance(hub, Hub) else Hub(hub)

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            scheme, _, token = self.headers.get("Authorization", "").partition(" ")
            token = token if scheme == "Bearer" else None
            status, content, headers = known.reply(self.command, self.path, self.body(), token)
            sent = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(sent))}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(sent)

        def body(self) -> bytes:
            if self.headers.get("Transfer-Encoding") != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            chunks = []
            while size := int(self.rfile.readline(), 16):
                chunks.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(chunks)

        do_GET = do_HEAD = do_POST = answer  # noqa: N815 - names of http.server

        def log_message(self, *_: object) -> None:
            """Say nothing: stderr belongs to the tests."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
