"""The folders that a server may read from and write to."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path


class Roots:
    """Some folders, and which files lie below them once every link is followed.

    Relative paths start at the first folder.

    Raises:
        ValueError: one of them is no folder.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = [Path(os.path.realpath(folder)) for folder in folders]
        for folder in self._folders:
            if not folder.is_dir():
                raise ValueError(f"{folder} is not a folder")

    def to_read(self, name: str, path: str) -> Path:
        """The file that a path leads to.

        Args:
            name: what the caller calls the path.
            path: relative to the first folder, or absolute.

        Raises:
            ValueError: it leads outside, or not to a file but to a folder, a device or a pipe.
            OSError: there is nothing.
        """
        target = self._inside(name, path)
        if not stat.S_ISREG(target.stat().st_mode):
            raise ValueError(f"{name}: {path} is not a file")
        return target

    def to_write(self, name: str, path: str) -> Path:
        """The place that a path leads to, where a file may be written.

        Raises:
            ValueError: it leads outside, or to something that is not a file.
        """
        target = self._inside(name, path)
        if path.endswith(("/", os.sep)) or (target.exists() and not target.is_file()):
            raise ValueError(f"{name}: {path} is a folder or a device; name a file")
        return target

    def _inside(self, name: str, path: str) -> Path:
        if not isinstance(path, str) or not path or "\0" in path:
            raise ValueError(f"{name} must be a path, got {path!r}")
        target = Path(os.path.realpath(self._folders[0] / path))
        if not any(target.is_relative_to(folder) for folder in self._folders):
            folders = ", ".join(map(str, self._folders))
            raise ValueError(f"{name}: {path} leads outside of what this server may use: {folders}")
        for part in (target, *target.parents):
            if part.is_symlink():  # all links are followed, but for those that never end
                raise ValueError(f"{name}: {path} is a link that leads in a circle")
        return target
