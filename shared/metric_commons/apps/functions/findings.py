"""What functions return that find something else than scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...data.files.stored import to_jsonable
from ...evaluation.results.rendering import Table, as_text
from ...evaluation.results.results import Results
from ...statistics.arguments.checks import OptionError

if TYPE_CHECKING:
    from ...evaluation.comparison.saved_results import SavedResult

Saved = Results | Path | str  # results, or the path of saved results or scored rows


@dataclass(frozen=True)
class Finding:
    """What a function found: numbers for programs, and lines and tables for people."""

    record: Any
    lines: Sequence[str] = ()
    tables: Sequence[Table] = ()
    status: int = 0  # the exit status of the command

    def __getitem__(self, name: str) -> Any:
        """Return a number by its name."""
        return self.record[name]

    def to_dict(self) -> Any:
        """Return the numbers, as values that JSON can hold."""
        return to_jsonable(self.record)

    def __str__(self) -> str:
        """Return the tables and the lines as text."""
        return as_text(self.tables, self.lines) if self.tables else "\n".join(self.lines)


def opened(results: Saved, clusters: str | Sequence[str] | None = None) -> Results:
    """Return results with their scored rows, which are read if they are in a file."""
    if isinstance(results, Results):
        return results
    from ...evaluation.comparison.saved_results import read_results

    return read_results(Path(results), fields_of(clusters))


def with_origin(results: Saved, clusters: str | Sequence[str] | None = None) -> "SavedResult":
    """Return results and their file, perhaps without scored rows."""
    from ...evaluation.comparison.saved_results import SavedResult, saved_result

    if isinstance(results, Results):
        return SavedResult(Path("results"), results)
    return saved_result(Path(results), fields_of(clusters))


def fields_of(clusters: str | Sequence[str] | None) -> list[str]:
    """Return the fields of clusters, of which one may be given as a text."""
    return [clusters] if isinstance(clusters, str) else [*(clusters or ())]


def one_field(clusters: str | Sequence[str] | None) -> str | None:
    """Return the field of clusters, if there is one.

    Raises:
        ValueError: there are several.
    """
    fields = fields_of(clusters)
    if fields[1:]:
        raise OptionError("clusters", f"names one field here, not {len(fields)}")
    return fields[0] if fields else None


def refuse(values: dict[str, Any], reason: str) -> None:
    """Check that none of these arguments is given.

    Raises:
        ValueError: one is; the reason is the rest of a sentence that begins with its name.
    """
    for name, value in values.items():
        if value:
            raise OptionError(name, reason)
