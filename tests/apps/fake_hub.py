"""A local HTTP server that plays the Hub, as far as `evaluate.load` needs one."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread


@contextmanager
def fake_hub(spaces: Mapping[str, Path]) -> Iterator[str]:
    """The value for HF_ENDPOINT, while the block runs.

    `spaces` are folders by full name ("org/name"); a folder is the only revision, `main`.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = find(spaces, self.path)
            self.send_response(404 if content is None else 200)
            if content is not None:  # evaluate keys its cache by the ETag
                self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content or b"")

        def do_HEAD(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            """Say nothing: stderr belongs to the tests."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def find(spaces: Mapping[str, Path], path: str) -> bytes | None:
    """The file at `/spaces/org/name/resolve/main/file`, if there is one."""
    match = re.fullmatch(r"/spaces/([^/]+/[^/]+)/resolve/main/([^/]+)", path)
    if match is None or match[1] not in spaces:
        return None
    file = spaces[match[1]] / match[2]
    return file.read_bytes() if file.is_file() else None
