"""What every tool has besides its arguments: folders, reports of progress, and limits."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ..numbers.checks import OptionError
from .roots import Roots
from .workers import Progress

MAX_RESAMPLES = 1_000_000


@dataclass(frozen=True)
class Desk:
    """What a tool has besides its arguments.

    Args:
        roots: where it may read and write.
        server_folder: what `ultrarag-init` wrote, if UltraRAG starts this server.
        progress: takes reports of progress.
        python_version: of the Python that UltraRAG runs in; None for that of this server.
    """

    roots: Roots
    server_folder: Path | None
    progress: Progress
    python_version: str | None = None

    def to_save(
        self, path: str | None, name: str = "save_path", form: str = ".json"
    ) -> Path | None:
        """The file to write. As in UltraRAG its name has the time, so that none is replaced."""
        if path is None:
            return None
        target = self.roots.to_write(name, path)
        time = datetime.now().astimezone().strftime("%Y%m%d_%H%M%S_%f")
        return target.with_name(f"{target.stem}_{time}{form}")


def check_resamples(n_resamples: int | None) -> None:
    """Nothing, if a call may draw so often.

    Raises:
        ValueError: it may not.
    """
    if n_resamples is not None and n_resamples > MAX_RESAMPLES:
        raise OptionError(
            "n_resamples",
            f"is {n_resamples}, but this server draws {MAX_RESAMPLES:,} resamples at most; "
            "the command line, metric-commons score, takes more",
        )
