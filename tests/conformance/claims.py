"""What our cards claim to equal, as one table: each claim is drawn, scored by both and compared.

    python -m tests.conformance.claims                     prints the table
    python -m tests.conformance.claims --write             writes it into its page
    python -m tests.conformance.claims --rows N --seed S   draws more rows, or others

A row that differs without a rule that is listed here is a fault. `metric-commons verify` asks the
same of somebody's own rows.
"""

import argparse
import random
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from metric_commons.evaluation.peers.agreement import compare_with_peer
from metric_commons.evaluation.peers.peers import PEERS
from tests.generators import rows

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "conformance.md"
_TABLE = re.compile(r"(?<=<!-- claims -->\n).*?(?=<!-- end of claims -->)", re.DOTALL)

Columns = Mapping[str, Sequence[Any]]


class Claim(NamedTuple):
    """That a module equals a peer, with the rules by which rows may differ."""

    module: str
    peer: str
    draw: Callable[[random.Random, int], tuple[Columns, Mapping[str, Any]]]
    options: Mapping[str, Any] = {}
    known: tuple[str, ...] = ()  # names of `CHANGES`, which the card names, too

    @property
    def name(self) -> str:
        """Return the module with its options, as the table shows it."""
        settings = ", ".join(f"{key}={value}" for key, value in self.options.items())
        return f"{self.module} ({settings})" if settings else self.module


def moderate_numbers(chance, size):
    """Numbers near zero, or integers: of others, and of constant ones, the peer rounds the mean."""
    while True:
        columns, options = rows.predicted_numbers(chance, size)
        columns["references"] = [x + row for row, x in enumerate(columns["references"])]
        if all(isinstance(x, int) or abs(x) < 1e8 for column in columns.values() for x in column):
            return columns, options


def tagged(chance, size):
    """Tags of which one row at least has some."""
    columns, options = rows.tags(chance, size)
    return {name: [*column, ["B-A", "O"]] for name, column in columns.items()}, options


# Changes of both sides of a row after which ours and the peer agree, if nothing else differs.
CHANGES = {
    "integers beyond 2**53": lambda side: (
        side - 2**53 if isinstance(side, int) and abs(side) > 2**53 else side
    ),
}

CLAIMS = (
    Claim("error_rate", "jiwer", rows.single_texts),
    Claim("error_rate", "jiwer", rows.single_texts, {"unit": "character"}),
    Claim("bleu", "sacrebleu", rows.texts),
    Claim("bleu", "sacrebleu", rows.texts, {"tokenize": "char"}),
    Claim("bleu", "sacrebleu", rows.texts, {"tokenize": "intl", "lowercase": True}),
    Claim("chrf", "sacrebleu", rows.texts),
    Claim("chrf", "sacrebleu", rows.texts, {"word_order": 2}),
    Claim("ter", "sacrebleu", rows.texts),
    Claim("ter", "sacrebleu", rows.texts, {"normalized": True, "asian_support": True}),
    Claim("rouge_n_l", "rouge_score", rows.texts),
    Claim("rouge_n_l", "rouge_score", rows.texts, {"use_stemmer": True}),
    Claim("span_f1", "seqeval", tagged),
    Claim("classification", "sklearn", rows.labels),
    Claim("classification", "sklearn", rows.labels, {"average": "weighted"}),
    Claim("regression", "sklearn", moderate_numbers, known=("integers beyond 2**53",)),
    Claim("clustering", "sklearn", rows.partitions),
)


class Outcome(NamedTuple):
    """What came of a claim's drawn rows."""

    rows: int
    known: Counter  # differences by a rule that the claim lists
    unexplained: list[str]  # the others, each with its rows


def asked(claim, rows, seed):
    """Draw rows of a claim in calls of 1 to 25, and compare ours with the peer."""
    chance = random.Random(f"{seed} {claim.peer} {claim.name}")
    drawn, known, unexplained = 0, Counter(), []
    while drawn < rows:
        columns, _ = claim.draw(chance, chance.choice((1, 2, 5, 12, 25)))
        sides = columns["predictions"], columns["references"]
        with warnings.catch_warnings(action="ignore"):  # the peer's, about undefined scores
            agreement = compare_with_peer(claim.module, *sides, PEERS[claim.peer], claim.options)
        drawn += agreement.rows
        for difference in agreement.differences:
            chosen = (
                slice(None) if difference.row is None else slice(difference.row, difference.row + 1)
            )
            part = [side[chosen] for side in sides]
            rule = next((name for name in claim.known if agrees_after(name, claim, part)), None)
            if rule is not None:
                known[rule] += 1
            else:
                unexplained.append(f"{difference} {part!r}")
    return Outcome(drawn, known, sorted(unexplained, key=len))


def agrees_after(name, claim, sides):
    """Return whether ours and the peer agree on these rows once both sides are changed."""
    changed = [[*map(CHANGES[name], side)] for side in sides]
    agreement = compare_with_peer(claim.module, *changed, PEERS[claim.peer], claim.options)
    return changed != [*map(list, sides)] and not agreement.differences


def installed(claim):
    """Return whether the peer of a claim can be run here."""
    return find_spec(PEERS[claim.peer].package) is not None


HEAD = """\
| Module | Peer | Rows | Differ by a named rule | Unexplained |
| --- | --- | --- | --- | --- |
"""


def line(claim, outcome):
    """Return the row of the table."""
    rules = ", ".join(f"{rule}: {number}" for rule, number in outcome.known.items()) or "0"
    cells = (claim.name, PEERS[claim.peer].release, f"{outcome.rows:,}", rules)
    return "| " + " | ".join([*cells, str(len(outcome.unexplained))]) + " |\n"


def claims_of_page():
    """Return the module and the peer, without its version, of each row of the written table."""
    return [(module, peer.split()[0], other) for module, peer, *_, other in _cells_of_page()]


def _cells_of_page():
    (table,) = _TABLE.findall(PAGE.read_text("utf-8"))
    return [[cell.strip() for cell in text.split("|")[1:-1]] for text in table.splitlines()[2:]]


def main(arguments=None):
    """Print the table; the exit status is 1 if a row differs that no listed rule explains."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.claims")
    parser.add_argument("--rows", type=int, default=2000, help="of each claim")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--write", action="store_true", help="into its page")
    parser.add_argument("--pins", action="store_true", help="print the table's versions alone")
    options = parser.parse_args(arguments)
    if options.pins:
        print(*sorted({cells[1].replace(" ", "==") for cells in _cells_of_page()}))  # noqa: T201
        return 0
    outcomes = {
        number: asked(claim, options.rows, options.seed)
        for number, claim in enumerate(CLAIMS)
        if installed(claim)
    }
    table = HEAD + "".join(line(CLAIMS[number], outcome) for number, outcome in outcomes.items())
    if options.write:
        PAGE.write_text(_TABLE.sub(lambda _: table, PAGE.read_text("utf-8")), "utf-8")
    print(table)  # noqa: T201 - a command
    failed = {number: each for number, each in outcomes.items() if each.unexplained}
    for number, outcome in failed.items():
        claim = CLAIMS[number]
        print(f"{claim.name}, {claim.peer}: {outcome.unexplained[0]}")  # noqa: T201
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
