"""What commands say of written files and of mistakes of beginners, and their help."""

import re
from pathlib import Path

import pytest

from metric_commons.__main__ import main

FIELDS = ["--predictions", "answer", "--references", "gold"]
ROWS = "answer,gold,document\nParis,Paris,a\nRom,Rome,b\n"


@pytest.fixture
def scored(run):
    """Score a file with this content: the exit status and the message."""

    def scored(content, *options, name="x.csv"):
        Path(name).write_text(content)
        status, _, err = run("score", "qa_em", name, *FIELDS, *options)
        return status, err.rstrip("\n")

    return scored


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "question,anwser,gold\nx,y,z\nx,y,z\n",
            (
                "line 1: there is no field 'answer'; did you mean 'anwser'? The fields are "
                "question, anwser, gold"
            ),
        ),
        (
            "answer;gold\nx;y\n",
            (
                "line 1: the cells seem to be separated by semicolons, not by commas: "
                "'answer;gold'; .csv needs commas, and .tsv tabs"
            ),
        ),
        ("answer\tgold\nx\ty\n", "by tabs, not by commas: 'answer\\tgold'; .csv needs commas"),
        ("answer,gold\nx,y,z\n", "row 0 (line 2): the number of cells is 3, but the header has 2"),
        (
            "answer,gold\nx,\nx,y\n",
            (
                "row 0 (line 2): field 'gold' is empty; if an empty text is an accepted answer, "
                "add --allow-empty-references"
            ),
        ),
        ("", "x.csv: the file is empty"),
        ("answer,gold\n", "x.csv: there is a header, but no rows"),
    ],
)
def test_a_wrong_table_is_explained(scored, content, message):
    status, said = scored(content)

    assert status == 1
    assert said.endswith(message) or message in said


def test_a_field_that_all_rows_lack_is_said_once(scored):
    status, said = scored('{"a": "x", "gold": "y"}\n' * 9, name="x.jsonl")

    assert status == 1
    assert said == (
        "x.jsonl: row 0 (line 1): there is no field 'answer'; the fields are a, gold "
        "(in all 9 rows)"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "qa_em", "no.csv", *FIELDS],
        ["report", "no.csv", "--save", "x.html"],
        ["compare", "no.csv", "no.json"],
        ["trec", "no.csv", "no.run"],
        ["run", "no.csv"],
        ["plot", "roc", "no.csv", *FIELDS, "--save", "x.png"],
    ],
)
def test_a_missing_file_is_said_alike_everywhere(refused, arguments):
    assert refused(*arguments) == (1, "no such file: no.csv")


def test_a_wrong_name_of_a_module_is_a_wrong_command_line(refused):
    Path("x.csv").write_text(ROWS)
    expected = "'qa_emm'; did you mean 'qa_em'?"

    assert refused("describe", "qa_emm") == (2, f"there is no module {expected}")
    assert refused("score", "qa_emm", "x.csv", *FIELDS) == (
        2,
        "'qa_emm' is neither a module nor a file; did you mean 'qa_em'?",
    )


def test_options_are_listed_once(scored):
    status, said = scored(ROWS, "--set", "both_empty=1")

    assert status == 2
    assert said == (
        "--set: there is no option 'both_empty'; the options are normalizer, "
        "reference_aggregation, extract, extract_references, choices"
    )


def test_clusters_without_an_interval_or_a_test_are_refused(scored):
    message = "--cluster-by changes only intervals and tests; add --confidence 0.95 or --compare"

    assert scored(ROWS, "--cluster-by", "document") == (2, message)
    for options in (["--confidence", "0.95"], ["--standard-error"], ["--per-example", "r.jsonl"]):
        assert scored(ROWS, "--cluster-by", "document", *options)[0] == 0
    systems = ["--predictions", "gold", "--compare"]
    assert scored(ROWS, "--cluster-by", "document", *systems)[0] == 0


def test_a_configuration_with_idle_clusters_is_refused(refused):
    Path("x.csv").write_text(ROWS)
    fields = "{predictions: answer, references: gold, clusters: document}"
    Path("x.yaml").write_text(f"data: {{path: x.csv, fields: {fields}}}\nmodules: [qa_em]\n")

    status, said = refused("run", "x.yaml")

    assert status == 1
    assert said == (
        "x.yaml: key 'data.fields.clusters': changes only intervals and tests; set "
        "confidence_level or compare"
    )


def test_letters_are_explained_where_there_are_some(run):
    rows = "".join(f"{n},{n},{n % 2}\n" for n in range(20))
    Path("x.csv").write_text(f"gold,good,bad\n{rows}")
    systems = ["--predictions", "good", "--references", "gold", "--compare"]
    legend = "A letter after a score: significantly better than the system with that letter."

    _, out, _ = run("score", "qa_em", "x.csv", "--predictions", "bad", *systems)
    assert legend in out
    _, out, _ = run("score", "qa_em", "x.csv", "--predictions", "same=good", *systems)
    assert legend not in out
    assert "No difference is significant." in out


def test_one_row_is_one_row(run):
    Path("x.csv").write_text("gold,a,b\nx,x,x\n")
    systems = ["--predictions", "a", "--predictions", "b", "--references", "gold", "--compare"]

    _, out, _ = run("score", "qa_em", "x.csv", *systems)

    assert "on 1 row." in out


def test_what_was_written_is_said(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text(ROWS)
    written = {
        (
            "score",
            "qa_em",
            "x.csv",
            *FIELDS,
            "--save",
            "new/r.json",
            "--per-example",
            "rows.jsonl",
        ): ("wrote rows.jsonl\nwrote new/r.json\n"),
        ("score", "qa_em", "x.csv", *FIELDS, "--save", "/dev/null"): None,
        ("score", "qa_em", "x.csv", *FIELDS, "--partial", "x.part"): "wrote x.part\n",
        ("report", "new/r.json", "--save", "r.html"): (
            f"wrote r.html; open {(tmp_path / 'r.html').as_uri()}\n"
        ),
        ("export", "new/r.json", "--to", "csv", "--save", "r.csv"): "wrote r.csv\n",
    }
    for arguments, said in written.items():
        status = main(list(arguments))
        err = capsys.readouterr().err
        assert (status, err) == (0, said) if said else status == 1
    assert Path("new/r.json").is_file()


def test_no_option_is_cut_in_the_help(run):
    for command in ("score", "trec", "compare", "gate", "leaderboard", "export", "merge"):
        _, out, _ = run(command, "--help")
        assert "…" not in out, command
        assert max(map(len, out.splitlines())) <= 80
    _, out, _ = run("--help")
    assert re.search(r"Exit status: 0 done; 1 .*; 2 ", out)


@pytest.mark.parametrize("option", [("--per-example", "rows.jsonl"), ("--standard-error",)])
def test_an_option_that_no_module_has_is_a_wrong_call(run, option):
    Path("x.csv").write_text("answer,gold\n1,2\n2,2\n")
    status, _, err = run("score", "regression", "x.csv", *FIELDS, *option)
    assert status == 2
    assert f"{option[0]}: " in err
    assert "is not an option of any of the modules: regression" in err


def test_conditions_may_contain_equals_signs_but_not_contradict_each_other(run):
    Path("x.jsonl").write_text(
        '{"answer": "a", "gold": "a", "m": "t=1"}\n{"answer": "b", "gold": "a", "m": "u"}\n'
    )
    conditions = ("--where", "m=t=1", "--where", "m=t=1")
    status, out, err = run("score", "qa_em", "x.jsonl", *FIELDS, *conditions, "--format", "json")
    assert status == 0, err
    assert '"rows": 1' in out
    status, _, err = run("score", "qa_em", "x.jsonl", *FIELDS, "--where", "m=t=1", "--where", "m=u")
    assert status == 2
    assert "--where m: a row cannot be both 't=1' and 'u'" in err
