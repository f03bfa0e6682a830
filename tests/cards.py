"""What the tables of a card say."""

from functools import cache

from tests.spec import ROOT


@cache
def card(module: str) -> str:
    return (ROOT / "metrics" / module / "README.md").read_text("utf-8")


def rows_below(module: str, heading: str) -> list[list[str]]:
    """The rows of the table below a heading, cell by cell."""
    section = card(module).partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
