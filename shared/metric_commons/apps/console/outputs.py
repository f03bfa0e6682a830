"""The output of functions: files and the screen."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import Parameter, signature
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import Annotated, Any, Literal
from unicodedata import combining, east_asian_width

import click

from ...data.files.access import check_name
from ...data.files.stored import OPEN_FILES
from ...evaluation.results.comparison_tables import winner_first
from ...evaluation.results.rendering import KINDS, Table, listed_names, message_line
from ...evaluation.results.results import FORMATS, TABLE_FORMATS, Results
from ...evaluation.results.standings import Comparison
from ...module.catalog.usage import UsageError, note
from ...statistics.arguments.domains import Count, OneOf, Range
from ...statistics.resampling.progress import is_quiet
from ..functions.findings import Finding

_GAP = 2  # spaces between columns


@dataclass(frozen=True)
class Plain:
    """The options of how a finding is printed.

    Args:
        format_name: Format of the printed output.
    """

    format_name: Literal["table", "json"] = "table"


@dataclass(frozen=True)
class Presentation:
    """The options of how results are printed and saved.

    Args:
        format_name: Format of the printed output.
        digits: Decimals in tables; by default no more than the intervals support, and at most four.
        percent: Show proportions in percent.
        table: Which table to print. By default one if systems are compared and in LaTeX, else all.
        caption: Caption of the table, with --format latex.
        label: Label of the table, such as tab:nq, with --format latex.
        explain: Also print the other tables, and how scores were computed: the signature of each,
            to be cited.
        sort: Sort systems by this score, best first.
        top: Show only the first systems.
        save: Write the result as JSON.
    """

    format_name: Annotated[str, OneOf(FORMATS)] = "table"
    digits: Annotated[int, Range(0, 15)] | None = None
    percent: bool = False
    table: Annotated[str, OneOf([*KINDS, "all"])] | None = None
    caption: str = ""
    label: str = ""
    explain: bool = False
    sort: str | None = None
    top: Count | None = None
    save: Path | None = None

    def check(self) -> None:
        """Check that the format can show the requested options.

        Raises:
            UsageError: it does not.
        """
        of_tables = {"--digits": self.digits is not None, "--percent": self.percent}
        if self.format_name in FORMATS.keys() - TABLE_FORMATS.keys():
            for option, is_given in {**of_tables, "--table": self.table is not None}.items():
                if is_given:
                    raise UsageError(
                        f"{option} is not for --format {self.format_name}, which has all numbers "
                        "in full"
                    )
        if self.format_name != "latex" and (self.caption or self.label):
            raise UsageError("--caption and --label are for --format latex")

    def show(self, results: Results) -> None:
        """Print results in the format; in tables, the best tier of each score is in bold."""
        if self.format_name in FORMATS.keys() - TABLE_FORMATS.keys():
            text = getattr(results, f"to_{self.format_name}")()
            click.echo(text, nl=not text.endswith("\n"))
            return
        tables = self._chosen(results)
        if self.format_name != "table":
            page = getattr(results, "to_page", None) if self.format_name == "html" else None
            render = TABLE_FORMATS[self.format_name]
            click.echo(page(tables) if page else render(tables, results.signatures()))
            return
        for problem in results.provenance.get("not_compared", ()):
            note(problem)
        if results.comparisons:
            click.echo(f"{message_line(verdict(results))}\n")
        if not self.explain:
            tables = [table._replace(explanation="") for table in tables]
        show_tables(tables, results.signatures() if self.explain else ())

    def _chosen(self, results: Results) -> list[Table]:
        """Return the tables to show: after a verdict one, unless more are asked for."""
        kind = None if self.table == "all" else self.table
        tables = results.chosen_tables(kind, self.digits, self.percent)
        if self.table is None and self.format_name == "latex":
            tables = tables[:1]
        elif self.table is None and results.comparisons and not self.explain:
            are_ranked = any(len(ranks) > 2 for ranks in results.ranks.values())
            main = "scores" if are_ranked else "differences"
            tables = [table for table in tables if table.kind == main]
        return [table._replace(caption=self.caption, label=self.label) for table in tables]


@dataclass(frozen=True)
class WithRows(Presentation):
    """The options of how results are printed, and saved with their rows.

    Args:
        rows: Write the scored rows, for compare, gate, report and merge: as JSON Lines if the name
            ends in .jsonl, else as Parquet.
    """

    rows: Path | None = None


@dataclass(frozen=True)
class OneTable(Presentation):
    """The options of how a leaderboard is printed, which is a single table."""

    table: None = field(default=None, init=False)
    sort: None = field(default=None, init=False)


WRITTEN = ("rows", "save", "plot")  # options that name a file to write


def written_files(values: Mapping[str, Any], how: object) -> list[Path]:
    """Return the files that a command writes, once its options are checked.

    Raises:
        UsageError: an option does not fit the format, a name is not printable, or a file would
            replace an input or another output.
    """
    if isinstance(how, Presentation):
        how.check()
    given = {**values, **(vars(how) if how else {})}
    outputs = [given[name] for name in WRITTEN if isinstance(given.get(name), Path)]
    inputs = [
        path
        for name, value in given.items()
        if name not in WRITTEN
        for path in (value if isinstance(value, list | tuple) else [value])
        if isinstance(path, Path) or (isinstance(path, str) and name in ("words", "references"))
    ]
    check_written(outputs, inputs)
    return outputs


def check_written(outputs: Sequence[Path], inputs: Sequence[Path | str]) -> None:
    """Check the names of outputs.

    Raises:
        UsageError: a name is not printable, or an output would replace an input or another output.
    """
    paths_in_use = {os.path.realpath(path) for path in inputs}  # even for circular links
    for path in outputs:
        try:
            check_name(path)
        except ValueError as error:
            raise UsageError(str(error)) from None
        if os.path.realpath(path) in paths_in_use:
            raise UsageError(f"{path} would be overwritten")
        paths_in_use.add(os.path.realpath(path))


def say_written(*paths: Path | None) -> None:
    """Report on stderr the files that were written, unless --quiet is set."""
    for path in filter(None, paths):
        if not (is_quiet() or str(path).startswith(OPEN_FILES)):
            click.echo(message_line(f"wrote {path}"), err=True)


def deliver(spec: Any, values: dict[str, Any], how: Any) -> int:
    """Call the function of a command, print and save what it returns; returns the exit status."""
    written = written_files(values, how)
    rows = getattr(how, "rows", None)
    if rows is not None and "rows" in spec.hidden:
        values["rows"] = True
    found = spec.adapt(values, how) if spec.adapt else call(spec.function, values)
    if isinstance(found, int):
        return found
    if isinstance(found, Results):
        if how.sort is not None:
            found = found.sort(how.sort)
        if rows is not None:
            found = found.save_rows(rows)
        if how.save is not None:
            found.save(how.save)
        how.show(replace(found, top=how.top))
    elif isinstance(found, Finding):
        if how is not None and how.format_name == "json":
            click.echo(json.dumps(found.to_dict(), indent=2))
        elif found.tables:
            show_tables(found.tables, found.lines)
        elif found.lines:
            click.echo("\n".join(found.lines))
    say_written(*written)
    return found.status if isinstance(found, Finding) else 0


def call(function: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    """Call a function with the values of its parameters."""
    kinds = signature(function).parameters
    first = [v for n, v in values.items() if kinds[n].kind is Parameter.VAR_POSITIONAL]
    named = {n: v for n, v in values.items() if kinds[n].kind is not Parameter.VAR_POSITIONAL}
    return function(*(first[0] or () if first else ()), **named)


def verdict(results: Results) -> str:
    """Return what comparisons show, in a sentence: who is better, and by how much."""
    compared, is_lower = results.comparisons, results.standings.is_lower_better
    are_many = len({pair[side] for pair in compared for side in "ab"}) > 2
    won = [pair for pair in compared if pair["significant"]]
    if not won:
        said = "No difference is significant"
        shown = winner_first(compared[0], is_lower(compared[0]))
        return f"{said}." if are_many else f"{said}: {_difference(shown)}."
    if are_many and results.ranks:
        score, ranks = next(iter(results.ranks.items()))
        best, *others = (system for system, rank in ranks.items() if rank["tier"] == 1)
        if not others:
            return f"{best} is significantly better than all others by {score}."
        among = listed_names(others)
        return f"{best} is best by {score}, but not significantly better than {among}."
    signs = [1 if (pair["diff"] > 0) != is_lower(pair) else -1 for pair in won]
    better, worse = ("a", "b")[:: signs[0]]
    told = [_difference(p, sign) for p, sign in zip(won, signs, strict=True) if sign == signs[0]]
    return f"{won[0][better]} is better than {won[0][worse]}: {', '.join(told)}."


def _difference(comparison: Comparison, sign: int = 1) -> str:
    """Return a difference with its interval and p-value; the sign is -1 for B - A."""
    ends = (comparison.get("confidence_interval") or ())[::sign]
    interval = ", ".join("..." if end is None else _signed(sign * end) for end in ends)
    p = comparison.get("p_adjusted", comparison["p_value"])
    shown = f"{comparison['score']} {_signed(sign * comparison['diff'])}"
    return f"{shown}{f' [{interval}]' if ends else ''}, p {p:.2g}"


def _signed(value: float) -> str:
    """Return two digits at least.

    >>> _signed(0.0123), _signed(-100.4), _signed(float("-inf"))
    ('+0.012', '-100', '-inf')
    """
    return f"{value:+.0f}" if 100 <= abs(value) < 1e6 else f"{value:+.2g}"


def show_tables(tables: Sequence[Table], lines: Sequence[str] = ()) -> None:
    """Print tables with their notes, fitted to the width of the screen, then the lines."""
    width = get_terminal_size().columns
    blocks: list[str] = []
    for table in tables:
        if table.sentence:
            blocks.append(click.style(fill(table.sentence, width), bold=True))
        blocks += ["\n".join(_drawn(table, columns)) for columns in _pages(table, width)]
        if table.small_print:
            said = fill(table.small_print, width, break_on_hyphens=False)
            blocks.append(click.style(said, dim=True))
    if lines:
        blocks.append("\n".join(click.style(line, dim=True) for line in lines))  # to be copied
    text = "\n\n".join(blocks)
    if not (sys.stdout.isatty() or "FORCE_COLOR" in os.environ):
        text = click.unstyle(text)
    sys.stdout.write(f"{text}\n")  # click would write UTF-8 where stdout has another encoding
    sys.stdout.flush()


def _width(text: str) -> int:
    """Return how many cells of a terminal a text takes."""
    return sum(1 + (east_asian_width(c) in "WF") for c in text if not combining(c))


def _widths(table: Table) -> list[int]:
    return [max(map(_width, cells)) for cells in zip(table.header, *table.rows, strict=True)]


def _pages(table: Table, width: int) -> Iterator[list[int]]:
    """Yield the columns of scores of each page of a table that is wider than the screen."""
    widths = _widths(table)
    room = width - sum(widths[: table.labels]) - _GAP * (table.labels - 1)
    page: list[int] = []
    for column in range(table.labels, len(widths)):
        if page and sum(widths[j] + _GAP for j in [*page, column]) > room:
            yield page
            page = []
        page.append(column)
    yield page


def _drawn(table: Table, columns: Sequence[int]) -> Iterator[str]:
    """Yield the lines of a table with these columns of scores, the best in bold."""
    widths, shown = _widths(table), [*range(table.labels), *columns]
    for i, row in enumerate([table.header, *table.rows], start=-1):
        cells = []
        for j in shown:
            space = " " * (widths[j] - _width(row[j]))
            text = click.style(row[j], bold=True) if (i, j) in table.best else row[j]
            cells.append(text + space if j < table.labels else space + text)
        yield (" " * _GAP).join(cells).rstrip()
        if i < 0:
            yield "─" * (sum(widths[j] + _GAP for j in shown) - _GAP)
