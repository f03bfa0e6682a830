"""Writes the pages of the site, and its configuration, into `build`, for Zensical.

Pages of `docs` are copied, with formulas as MathML. The cards of the modules, the help of the
commands, the docstrings of public names, the printed results of the benchmarks, the changelog, the
notebook and the guide for contributors are written once, where they belong; here they become pages.
"""

import ast
import json
import re
import shutil
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

import typer
from latex2mathml.converter import convert
from typer.cli import get_docs_for_click

from metric_commons import names
from metric_commons.__main__ import program
from metric_commons.module.catalog.field_names import USES
from metric_commons.module.catalog.stock_modules import replacements

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "build" / "docs"
PUBLIC = (
    *("base", "text", "labels", "regression", "retrieval", "structured", "mathematics", "judging"),
    *("programs", "statistics", "files", "rewards", "scorers", "testing"),
)
# A formula between dollars, on its own line or in a sentence.
FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\\w$`])\$([^$\n`]+)\$(?!\w)", re.DOTALL)
# A table of ten rows and more, which folds on a phone.
OPTIONS = re.compile(r"(?:^\|.*\|\n){12,}", re.MULTILINE)
CODE = re.compile(r"(^```.*?^```|`[^`\n]+`)", re.DOTALL | re.MULTILINE)


def main() -> None:
    """Write everything anew."""
    snippets = TARGET.parent / "snippets"
    for folder in (TARGET, snippets):
        shutil.rmtree(folder, ignore_errors=True)
    ignored = shutil.ignore_patterns("*.py", "*.yml", "__pycache__")
    shutil.copytree(ROOT / "docs", TARGET, ignore=ignored)
    snippets.mkdir()
    shutil.move(TARGET / "tables", snippets / "tables")
    for page in TARGET.rglob("*.md"):
        page.write_text(_with_formulas(_of_the_site(page.read_text("utf-8"))), "utf-8")
    for path, content in _pages().items():
        page = TARGET / path
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(content, "utf-8")
    for page in TARGET.rglob("*.md"):  # sessions, whose prompts and outputs are not copied
        page.write_text(
            page.read_text("utf-8").replace("```python\n>>> ", "```pycon\n>>> "), "utf-8"
        )
    settings = (ROOT / "docs" / "mkdocs.yml").read_text("utf-8")
    (TARGET.parent / "mkdocs.yml").write_text(f"{settings}{_navigation()}", "utf-8")


def rank_search() -> None:
    """Let cards and guides be found before the API, by the names that people type for a score."""
    path = TARGET.parent / "site" / "search.json"
    index = json.loads(path.read_text("utf-8"))
    for item in index["items"]:
        place = item["location"]
        card = re.fullmatch(r"modules/(\w+)/", place)
        if card:
            known = [name for name, uses in USES.items() if uses[0].module == card[1]]
            listed = ", ".join(known[:8]).replace("_", " ")
            item["title"] = f"{card[1]} ({listed})" if known else card[1]
            item["text"] = f"<p>{item['path'][-1]}: {' '.join(known)}</p>"
        elif place.startswith(("api/", "benchmarks/", "changelog/", "commands/")):
            item["text"] = ""  # found by their titles
        elif place.startswith(("disagree/#", "old_commands/#")):
            item["title"] = f"{item['path'][-1]}: {item['title']}"
        elif place == "guides/own_metric/":
            item["title"] = "A custom metric of your own"
    path.write_text(json.dumps(index), "utf-8")


def _navigation() -> str:
    """The entries of the navigation for the pages of this file, in YAML."""
    entries: list[Any] = [
        {"Modules": [f"modules/{name}.md" for name in names()]},
        {"In place of evaluate's own modules": "stock.md"},
        {"Command line": "commands.md"},
        {"API": ["api/index.md", *(f"api/{name}.md" for name in PUBLIC)]},
        {"Benchmarks": "benchmarks.md"},
        {"Changelog": "changelog.md"},
    ]
    return "".join(f"  - {json.dumps(entry)}\n" for entry in entries)


def _pages() -> dict[str, str]:
    """The pages that are made here, by path."""
    pages = {f"modules/{name}.md": _card(name) for name in names()}
    pages |= {f"api/{name}.md": _api(f"metric_commons.{name}") for name in PUBLIC}
    pages["api/index.md"] = _api("metric_commons")
    pages["stock.md"] = _stock_modules()
    pages["commands.md"] = _commands()
    pages["benchmarks.md"] = _benchmarks()
    pages["changelog.md"] = (ROOT / "CHANGELOG.md").read_text("utf-8")
    pages["guides/notebook.md"] = _notebook(ROOT / "examples" / "evaluation.ipynb")
    pages["guides/add-a-metric.md"] = (ROOT / ".github" / "CONTRIBUTING.md").read_text("utf-8")
    return pages


def _of_the_site(text: str) -> str:
    """A page with the links of the site, and with the tables that lines of it link to."""
    text = re.sub(r"\]\(((?:\.\./)*)\.\./metrics/(\w+)/README\.md", r"](\1modules/\2.md", text)
    text = text.replace("](../shared/metric_commons/__init__.py)", "](api/index.md)")
    text = text.replace("](../CHANGELOG.md)", "](changelog.md)")
    table = r"^\[[^]]*\]\((?:\.\./)*(tables/\w+\.{})\)$"
    text = re.sub(table.format("md"), r'--8<-- "\1"', text, flags=re.MULTILINE)
    printed = r'```text\n--8<-- "\1"\n```'
    return re.sub(table.format("txt"), printed, text, flags=re.MULTILINE)


def _with_formulas(text: str) -> str:
    """A page in which formulas of LaTeX outside of code are MathML, which browsers typeset."""

    def typeset(match: re.Match[str]) -> str:
        if match[1]:
            return f'<div class="formula">{convert(match[1].strip(), display="block")}</div>'
        return convert(match[2])

    parts = CODE.split(text)
    return "".join(part if part.startswith("`") else FORMULA.sub(typeset, part) for part in parts)


def _notebook(path: Path) -> str:
    """A notebook as a page: its texts, code and results, pictures included."""
    parts = []
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "image/png" in data:
                picture = "".join(data["image/png"]).strip()
                source = f"data:image/png;base64,{picture}"
                parts.append(f'<img alt="the plot of this cell" src="{source}">')
                continue
            printed = "".join(output.get("text") or data.get("text/plain", []))
            if printed.strip():
                parts.append(f"```text\n{printed.rstrip()}\n```")
    return "\n\n".join([*parts, ""])


def _card(name: str) -> str:
    """The card of a module; `x[0][1]` in its messages is an item of a list, not a link."""
    card = (ROOT / "metrics" / name / "README.md").read_text("utf-8")
    card = card.replace("](../../docs/", "](../")
    card = re.sub(r"\]\(\.\./(\w+)/README\.md", r"](\1.md", card)  # to the card of another module
    pieces = re.split(r"(^```.*?^```|`[^`\n]+`)", card, flags=re.DOTALL | re.MULTILINE)
    card = "".join(
        piece if piece.startswith("`") else piece.replace("][", "]\\[") for piece in pieces
    )
    folded = (
        r'<details class="options" markdown>\n<summary>Options</summary>\n\n\g<0>\n</details>\n'
    )
    return OPTIONS.sub(folded, card)


def _api(package: str) -> str:
    """A page of the public names of a package: its docstring, then each name."""
    module = import_module(package)
    homes = _homes(package)
    imports = [f"from {package} import {name}" for name in sorted(homes, key=str.lower)]
    lines = [f"# {package}", "", module.__doc__ or "", "", "```python", *imports, "```", ""]
    for name in module.__all__:
        if name in homes:
            lines += [f"::: {homes[name]}.{name}", ""]
    return "\n".join(lines)


def _homes(package: str) -> dict[str, str]:
    """Return the file of each public name, from the imports for type checkers."""
    module = import_module(package)
    source = Path(module.__file__ or "").read_text("utf-8")
    statements = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    return {
        alias.name: resolve_name(f"{'.' * statement.level}{statement.module}", module.__package__)
        for statement in statements
        for alias in statement.names
        if statement.level and alias.name in module.__all__
    }


def _stock_modules() -> str:
    """What replaces each of evaluate's own modules, as the scripts of ours declare it."""
    lines = [
        "# In place of evaluate's own modules",
        "",
        "With a `result_format`, a module has the inputs, options, keys and values of one of",
        "evaluate's own modules. In a clone, `evaluate.load` takes it as configuration, and",
        "`metric_commons.patch_evaluate` lets scripts that load the stock module get ours; see",
        "[Score a model in training](guides/training.md#in-the-official-scripts).",
        "",
        "Every row is checked. Empty inputs, `None`, NaN and infinite numbers, labels such as",
        '`0.5` or `"1"`, true or false in place of a number, and numbers in place of texts are',
        "errors here; the stock modules turn some of them into another value, or return NaN. Of",
        'texts they check only the first row: a later `1` becomes `"1"`.',
        "",
        "| evaluate's module | ours | differences |",
        "| --- | --- | --- |",
    ]
    for entry in replacements():
        names = [entry.stock, *filter(None, [entry.configuration])]
        stock = ", ".join(f'"{name}"' for name in names)
        ours = f'metric_commons.load("{entry.module}", result_format="{entry.result_format}")'
        link = f"[{entry.module}](modules/{entry.module}.md)"
        lines.append(f"| `load({stock})` | {link}: `{ours}` | {entry.differences} |")
    return "\n".join([*lines, ""])


def _commands() -> str:
    """The help of each command, with whole sentences in lists, and examples as code."""
    command = typer.main.get_command(program())
    context = typer.Context(command, info_name="metric-commons")
    text = get_docs_for_click(obj=command, ctx=context, name="metric-commons")
    for name, summary in _summaries(command):
        text = re.sub(
            rf"^\* `{name}`: .*\.\.\.$", f"* `{name}`: {summary}", text, flags=re.MULTILINE
        )
    return re.sub(r"^(metric-commons .*)$", r"```sh\n\1\n```", text, flags=re.MULTILINE)


def _summaries(group: Any) -> Iterator[tuple[str, str]]:
    """The name and the first paragraph of the help of each command."""
    for name, command in group.commands.items():
        yield name, " ".join((command.help or "").partition("\n\n")[0].split())
        if hasattr(command, "commands"):
            yield from _summaries(command)


def _benchmarks() -> str:
    """What each benchmark printed when it last ran."""
    tables = sorted((ROOT / "docs" / "tables").glob("*.txt"))
    scripts = (path.stem for path in sorted((ROOT / "benchmarks").glob("[!_]*.py")))
    missing = [name for name in scripts if name not in {path.stem for path in tables}]
    lines = [
        "# Benchmarks",
        "",
        "These are the outputs of the scripts in `benchmarks/`. Unless a line says otherwise, a",
        "number with an x is the CPU time of the other tool divided by ours, on the same input.",
        "The times in seconds depend on the machine, which was shared when they were measured.",
        "`classification` was run with 100,000 rows only.",
        "",
        f"Not included: {', '.join(f'`{name}`' for name in missing)}. `interval_coverage` makes",
        "the tables of the page on [statistics](statistics.md); the others measure elapsed time or",
        "take too long. `make bench` runs all scripts and updates this page.",
        "",
    ]
    for path in tables:
        script = ROOT / "benchmarks" / f"{path.stem}.py"
        title = script.read_text("utf-8").partition("\n")[0].strip('"').rstrip(".")
        lines += [f"## {path.stem}", "", f"{title}.", "", "```text"]
        lines += [path.read_text("utf-8").rstrip(), "```", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    rank_search() if sys.argv[1:] == ["search"] else main()
