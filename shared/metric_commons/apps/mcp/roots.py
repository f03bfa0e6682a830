"""The folders that a server may read from and write to, as the context of its calls."""

import errno
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from io import FileIO
from pathlib import Path
from typing import Annotated, NamedTuple, TypeVar

from ...data.files.access import Access, check_name
from ...module.catalog.usage import UsageError
from ...statistics.arguments.domains import Range

ServerResamples = Annotated[int, Range(1, 1_000_000)]  # the command line draws more

_Opened = TypeVar("_Opened")

_SYSTEM = tuple(map(Path, ("/proc", "/sys", "/dev")))  # never read, even below a root
# Files that mark the folder of a project.
_MARKS = (
    *(".git", ".hg", "pyproject.toml", "setup.py", "requirements.txt", "package.json"),
    "Cargo.toml",
)

# Searching a folder needs no permission to list it where the system distinguishes these.
FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)
_ATTEMPTS = 5  # to open a path, if a name in it becomes a link after it was resolved
# The errors of opening a link, or a name below one, where no link is followed.
_CHANGED = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK, errno.ENOENT)


def project_folder() -> Path:
    """Return the working directory, if it is the folder of a project.

    Raises:
        UsageError: it is not, or it is the home folder or the root of the file system.
    """
    folder = Path.cwd()
    is_broad = folder in (Path(folder.anchor), Path.home())
    if is_broad or not any((folder / mark).exists() for mark in _MARKS):
        reason = (
            "is not the folder of one project" if is_broad else f"has none of {', '.join(_MARKS)}"
        )
        raise UsageError(
            "name the folder that may be used: metric-commons mcp --root DIR (the default is the "
            f"working directory, if it is the folder of a project, but {folder} {reason})"
        )
    return folder


class Root(NamedTuple):
    """A folder whose files may be used, and its identity when the server started."""

    path: Path
    device: int
    inode: int

    @classmethod
    def at(cls, folder: Path) -> "Root":
        """Return the folder with this path.

        Raises:
            ValueError: the path is not a folder, or belongs to the system, such as /proc.
        """
        path = Path(os.path.realpath(folder))
        if not path.is_dir():
            raise ValueError(f"{folder} is not a folder")
        if _is_of_system(path):
            raise ValueError(f"{folder} belongs to the system; name another folder")
        status = path.stat()
        return cls(path, status.st_dev, status.st_ino)

    def open(self) -> int:
        """Return a descriptor of the folder.

        Raises:
            ValueError: another folder has taken its place.
        """
        folder = os.open(self.path, FOLDER)
        status = os.fstat(folder)
        if (status.st_dev, status.st_ino) != (self.device, self.inode):
            os.close(folder)
            raise ValueError(f"{self.path} was replaced; start the server again")
        return folder


def open_inside(root: Root, folders: Sequence[str]) -> int:
    """Return a descriptor of a folder below a root, reached one name at a time.

    No name may be a link, so the descriptor cannot lead outside, even if folders change meanwhile.

    Args:
        root: the root.
        folders: the names of the folders that lead from the root to it; none is "..".

    Raises:
        ValueError: the root was replaced.
        OSError: a folder is missing, or has become a link.
    """
    folder = root.open()
    try:
        for name in folders:
            inner = os.open(name, FOLDER | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
    except BaseException:
        os.close(folder)
        raise
    return folder


class Roots(Access):
    """Folders whose files may be used, where links that lead from one to another are followed.

    A path is first resolved, then opened one name at a time from the descriptor of a root, without
    following links. If a name has become a link meanwhile, the path is resolved again.

    Relative paths start at the first folder. `execution_allowed` determines whether modules may run
    programs that a model wrote.

    Raises:
        ValueError: a path is not a folder, or belongs to the system, such as /proc.
    """

    def __init__(self, folders: Sequence[Path], *, execution_allowed: bool = False) -> None:
        self.execution_allowed = execution_allowed
        self._roots = [Root.at(folder) for folder in folders]

    @property
    def first(self) -> Path:
        """Return the folder at which relative paths start."""
        return self._roots[0].path

    def to_read(self, name: str, path: str) -> Path:
        """Return the file at a path.

        Args:
            name: the name of the argument, for messages.
            path: relative to the first folder, or absolute.

        Raises:
            ValueError: the file is outside the folders, or it is a folder, a device or a pipe.
            OSError: the file does not exist.
        """
        target = self._resolved(name, path)
        if not stat.S_ISREG(target.stat().st_mode):
            raise ValueError(f"{name}: {path} is not a file")
        return target

    def to_write(self, name: str, path: str) -> Path:
        """Return the path of a file that may be written, with all links followed.

        Raises:
            ValueError: the file is outside the folders, it is a folder or a device, or its name has
                control characters.
        """
        target = self._resolved(name, path)
        if path.endswith(("/", os.sep)) or (target.exists() and not target.is_file()):
            raise ValueError(f"{name}: {path} is a folder or a device; name a file")
        check_name(path)
        return target

    def is_file(self, path: Path) -> bool:
        """Return whether this is a file below the folders; relative paths start at the first."""
        try:
            target = self._resolved("path", str(path))
        except ValueError:
            return False
        return target.is_file()

    def opened(self, path: Path) -> FileIO:
        """Return the file, open for reading.

        Raises:
            ValueError: it is outside the folders, or it is a folder, a device or a pipe.
            OSError: it cannot be read.
        """

        def open_file(folder: int, name: str) -> FileIO:
            # A pipe would wait for its other end, unless it is opened without blocking.
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
            descriptor = os.open(name, flags, dir_fd=folder)
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                os.close(descriptor)
                raise ValueError(f"{path} is not a file")
            return FileIO(descriptor, "rb")

        return self._inside(path, open_file)

    def target(self, path: Path) -> Path:
        """Return the path of a file to write, in a folder that is created if it is missing.

        Raises:
            ValueError: it is outside the folders.
            OSError: a folder cannot be created, or has become a link.
        """
        target = self._resolved("path", str(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        return self._inside(path, lambda *_: target)

    def _inside(self, path: Path, act: Callable[[int, str], _Opened]) -> _Opened:
        """Return the result of `act` on the open folder of a file and the name of the file."""
        attempts_left = _ATTEMPTS
        while True:
            target = self._resolved("path", str(path))
            root = next(root for root in self._roots if target.is_relative_to(root.path))
            *folders, name = target.relative_to(root.path).parts or ["."]
            try:
                folder = open_inside(root, folders)
                try:
                    return act(folder, name)
                finally:
                    os.close(folder)
            except OSError as error:
                attempts_left -= 1
                if error.errno not in _CHANGED or not attempts_left:
                    raise OSError(error.errno, error.strerror, str(path)) from error

    def _resolved(self, name: str, path: str) -> Path:
        """Return the path without links, if it is below a root."""
        if not path or "\0" in path:
            raise ValueError(f"{name} must be a path, got {path!r}")
        try:
            target = Path(os.path.realpath(self.first / path))
        except UnicodeEncodeError:
            raise ValueError(f"{name} must be a path, got {path!r}") from None
        if _is_of_system(target):
            raise ValueError(f"{name}: {path} is a system file, which is never read")
        if not any(target.is_relative_to(root.path) for root in self._roots):
            folders = ", ".join(str(root.path) for root in self._roots)
            raise ValueError(
                f"{name}: {path} leads outside the folders that this server may use: {folders}; "
                f"start the server with --root {target.parent} to allow it"
            )
        for part in (target, *target.parents):
            if part.is_symlink():  # realpath follows every link except circular ones
                raise ValueError(f"{name}: {path} is a circular link")
        return target


def _is_of_system(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in _SYSTEM)


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
