"""The context of a call to a tool: folders, progress reports, and limits."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ...statistics.arguments.checks import OptionError
from .roots import Roots

MAX_RESAMPLES = 1_000_000


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


def check_resamples(n_resamples: int | None) -> None:
    """Check that the number of resamples is within the limit of the server.

    Raises:
        ValueError: it exceeds the limit.
    """
    if n_resamples is not None and n_resamples > MAX_RESAMPLES:
        raise OptionError(
            "n_resamples",
            f"is {n_resamples}, but this server draws at most {MAX_RESAMPLES:,} resamples; "
            "the command line, metric-commons score, allows more",
        )
