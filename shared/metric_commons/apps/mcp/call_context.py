"""The context of a call to a tool: folders, and UltraRAG."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from .roots import Roots


@dataclass(frozen=True)
class CallContext:
    """The context of a call, passed to every tool along with its arguments.

    Args:
        roots: the folders that the tool may read and write.
        server_folder: the folder written by `ultrarag-init`, as the only root, if UltraRAG starts
            this server.
        python_version: the version of UltraRAG's Python; None for that of this server.
    """

    roots: Roots
    server_folder: Roots | None = None
    python_version: str | None = None

    def to_save(
        self, path: str | None, name: str = "save_path", suffix: str = ".json"
    ) -> Path | None:
        """Return the file to write.

        As in UltraRAG, its name has the time, so no file is replaced.
        """
        if path is None:
            return None
        target = self.roots.to_write(name, path)
        time = datetime.now().astimezone().strftime("%Y%m%d_%H%M%S_%f")
        return target.with_name(f"{target.stem}_{time}{suffix}")
