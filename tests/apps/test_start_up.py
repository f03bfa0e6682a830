"""What commands import: all that they do not need costs time before they begin."""

import pytest

from tests.programs import output
from tests.spec import ROOT, nightly

pytestmark = pytest.mark.processes

NETWORK = {"fsspec", "huggingface_hub", "httpx", "requests", "aiohttp", "asyncio"}
TABLES = {"pandas", "pyarrow", "datasets", "evaluate"}
OF_OTHER_COMMANDS = {
    *("matplotlib", "jinja2", "mcp", "pyspark", "gradio", "torch", "transformers", "sympy"),
    *("ruamel", "tqdm", "multiprocessing"),
}
NUMBERS = {"numpy", "scipy"}
# Random numbers, masked arrays and the files of other commands.
PARTS = {
    "numpy.random",
    "numpy.ma",
    *(f"metric_commons.apps.{name}" for name in ("cli.run", "functions.plot")),
}
# What rankings do not need.
OF_TEXTS = {
    *(
        f"metric_commons.{room}"
        for room in ("text", "labels", "regression", "module.declaration.module")
    ),
    *(
        "metric_commons.evaluation.rows.states",
        "metric_commons.apps.cli.run",
    ),
}
RUNS = ("examples/qrels.txt", "examples/bm25.run.txt", "examples/dense.run.txt")
FIELDS = ("--predictions", "atlas", "--references", "answers")


def loaded(*arguments):
    """What a process has imported once it has run a command: modules, and packages."""
    program = (
        "import sys; from metric_commons.__main__ import main; status = main();"
        "print(); print(*sys.modules); sys.exit(status)"
    )
    names = {*output(program, *arguments, cwd=ROOT).splitlines()[-1].split()}
    return names | {name.partition(".")[0] for name in names}


@pytest.mark.parametrize(
    ("arguments", "unneeded"),
    [
        (
            ("--version",),
            {"pydantic", "rich", "metric_commons.apps.console.commands"} | NUMBERS,
        ),
        (("--help",), NUMBERS),
        (("describe", "qa_f1"), {"scipy", "rich", *PARTS}),
        (("trec", *RUNS), {"scipy", "rich", *PARTS, *OF_TEXTS}),
        (("trec", "--compare", *RUNS), {"scipy", "rich", *OF_TEXTS}),
        (("score", "qa_em", "examples/capitals.jsonl", *FIELDS), {"scipy", *PARTS}),
        *nightly(
            (("score", "--help"), {"metric_commons.apps.cli.trec", *PARTS} | NUMBERS),
            (("trec", *RUNS, "--format", "json"), {"scipy", "rich", *PARTS, *OF_TEXTS}),
            (("trec", "--compare", *RUNS, "--test", "wilcoxon"), {"rich", *OF_TEXTS}),
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_command_imports_what_it_needs(arguments, unneeded):
    imported = loaded(*arguments)

    assert "metric_commons.apps.cli.app" in imported
    assert not (NETWORK | TABLES | OF_OTHER_COMMANDS | unneeded) & imported


def test_a_score_in_python_needs_neither_evaluate_nor_datasets():
    program = (
        "import sys, metric_commons; "
        "assert not {'numpy', 'click', 'evaluate'} & {*sys.modules}; "
        "r = metric_commons.score('qa_em', predictions=['a'], references=['a']); "
        "assert r.systems['predictions']['qa_em'].scores == {'qa_em': 1.0}, r; "
        "print(*sys.modules)"
    )
    assert not (TABLES | NETWORK | {"scipy", "click"}) & {*output(program).split()}


def test_at_the_end_of_a_command_modules_are_not_searched_for_garbage():
    program = (
        "import atexit, gc, sys; from metric_commons.__main__ import process;"
        "atexit.register(lambda: print(gc.get_freeze_count(), len(gc.get_objects())));"
        "sys.argv = ['metric-commons', 'trec', *sys.argv[1:], '--format', 'csv'];"
        "sys.exit(process())"
    )
    frozen, searched = map(int, output(program, *RUNS, cwd=ROOT).splitlines()[-1].split())
    assert frozen > 50_000
    assert searched < 1_000
