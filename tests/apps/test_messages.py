"""What commands say of written files and of mistakes of beginners, and their help."""

import json
import re
import zipfile
from pathlib import Path

import pytest

from metric_commons.__main__ import main, program
from tests.tables import by_table

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


@by_table("content, message")
def test_a_wrong_table_is_explained(scored, content, message):
    status, said = scored(content)

    assert status == 1
    assert message in said


@by_table("arguments")
def test_a_missing_file_is_said_alike_everywhere(refused, arguments):
    assert refused(*arguments) == (1, "no such file: no.csv")


def test_options_are_listed_once(scored):
    status, said = scored(ROWS, "--set", "overlap=set")

    assert status == 2
    assert said == (
        "--set: there is no option 'overlap'; the options are normalizer, "
        "reference_aggregation, thoughts, extract, extract_references, choices"
    )


@pytest.mark.long
def test_clusters_without_an_interval_or_a_test_are_refused(scored):
    message = "--cluster-by changes only intervals and tests; add --confidence 0.95 or --compare"

    assert scored(ROWS, "--cluster-by", "document") == (2, message)
    for options in (["--confidence", "0.95"], ["--standard-error"], ["--rows", "r.jsonl"]):
        assert scored(ROWS, "--cluster-by", "document", *options)[0] == 0
    systems = ["--predictions", "document", "--compare"]
    assert scored(ROWS, "--cluster-by", "document", *systems)[0] == 0


def test_letters_are_explained_where_there_are_some(run):
    rows = "".join(f"{n},{n},{n % 2},x\n" for n in range(20))
    Path("x.csv").write_text(f"gold,good,bad,worse\n{rows}")
    systems = ["-p", "good", "-p", "bad", "--references", "gold", "--compare"]
    legend = "Systems whose scores share a letter cannot be told apart."

    _, out, _ = run("score", "qa_em", "x.csv", "-p", "worse", *systems)
    assert legend in out
    _, out, _ = run("score", "qa_em", "x.csv", *systems)
    assert legend not in out  # of two systems the difference has a line of its own
    Path("x.csv").write_text("gold,good,bad\nx,x,x\n")
    _, out, _ = run("score", "qa_em", "x.csv", *systems)
    assert out.startswith("No difference is significant: qa_em ")
    assert "on 1 row." in out


@pytest.mark.long
def test_what_was_written_is_said(raw):
    Path("x.csv").write_text(ROWS)
    score = ("score", "qa_em", "x.csv", *FIELDS)
    written = {
        (*score, "--save", "new/r.json", "--rows", "rows.jsonl"): (
            "wrote rows.jsonl\nwrote new/r.json\n"
        ),
        (*score, "--save", "/dev/null"): None,
        (*score, "--rows", "x.part"): "wrote x.part\n",
        ("report", "new/r.json", "--save", "r.html"): "wrote r.html\n",
        ("export", "new/r.json", "--scale", "1", "--save", "r.md"): "wrote r.md\n",
    }
    for arguments, said in written.items():
        status, err = raw(*arguments)
        assert (status, err) == (0, said) if said else status == 1
    assert Path("new/r.json").is_file()


def test_no_option_is_cut_in_the_help(run):
    for command in ("score", "trec"):
        _, out, _ = run(command, "--help")
        assert not re.search("…|<bool>|9223372036854775807|Args:", out), command
        assert max(map(len, out.splitlines())) <= 80
    assert len(run("score", "--help")[1].splitlines()) <= 80
    assert len(run("score", "--help-all")[1].splitlines()) > 80
    _, out, _ = run("--help")
    assert "Compare and decide" in out
    assert re.search(r"Exit status: 0 done; 1 .*; 2 ", out)


def test_every_option_has_a_help():
    group = program()
    commands = {name: group.get_command(None, name) for name in group.list_commands(None)}
    commands |= commands.pop("hub").commands
    lacking = {
        f"{name} {parameter.name}"
        for name, command in commands.items()
        for parameter in command.params
        if not getattr(parameter, "help", "an argument")
    }
    assert len(commands) > 20
    assert not lacking


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
    assert "--where m: is both 't=1' and 'u'" in err


# references in one cell


def test_cells_with_several_references_are_split_on_request(run):
    Path("x.csv").write_text("answer,gold\nParis,Paris|Lutetia\nRome,Milan | Rome\nBonn,Bonn\n")
    command = ("score", "qa_em", "x.csv", "-p", "answer", "-r", "gold")

    status, out, err = run(*command, "--split-references", "|", "--explain")
    assert (status, err) == (0, "")
    assert "1.0000" in out
    assert "|split_references=vertical line|" in out
    assert run(*command, "--split-references", "|", "--rows", "p")[0] == 0
    assert "|split_references=vertical line|" in run("merge", "p", "--explain")[1]


# the forms of messages


@pytest.fixture
def raw(run, capsys):
    """Run the command in an empty folder: its exit status, and all that is on stderr."""
    return lambda *arguments: (main(list(map(str, arguments))), capsys.readouterr().err)


def test_an_error_is_said_to_be_one(raw):
    message = "error: there is no module 'wer'; use error_rate (its score wer)\n"
    assert raw("describe", "wer") == (2, message)


def test_usual_mistakes_with_files_say_what_to_do(raw):
    Path("x.csv").write_text(ROWS)
    with zipfile.ZipFile("book.xlsx", "w") as book:
        book.writestr("xl/workbook.xml", "<workbook/>")
    Path("latin.csv").write_bytes("answer,gold\nMünchen,München\n".encode("latin-1"))
    Path("columns.json").write_text('{"answer": ["a"], "gold": ["a"]}')
    Path("more.csv").write_text("answer,gold\na,b,c\n")
    fields = ("-p", "answer", "-r", "gold")

    message = (
        "error: book.xlsx: an archive that is no log; of a spreadsheet, save a sheet as .csv\n"
    )
    assert raw("score", "qa_em", "book.xlsx", *fields) == (1, message)
    assert raw("score", "qa_em", "latin.csv", *fields)[1].endswith("save the file as UTF-8\n")
    assert "one per row" in raw("score", "qa_em", "columns.json", *fields)[1]
    assert "needs double quotes" in raw("score", "qa_em", "more.csv", *fields)[1]
    assert "name the files in it" in raw("score", "qa_em", ".", *fields)[1]
    Path("rows.jsonl").write_text('{"answer": "a"}\n' * 2)
    assert "must be scored first" in raw("compare", "rows.jsonl")[1]


def test_modules_presets_and_descriptions_are_json_on_request(run):
    modules, presets = (
        json.loads(run(name, "--format", "json")[1]) for name in ("list", "presets")
    )

    assert {"name", "summary", "takes"} == modules[0].keys()
    assert {"name", "about", "modules"} <= presets[0].keys()
    assert "[noise]" in run("describe", "error_rate")[1]
