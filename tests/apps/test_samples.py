"""The command on logs, joined files and long tables: which samples count, and what is said."""

import io
import json
from pathlib import Path

import pytest

from tests.apps.files import write_rows
from tests.apps.saved import systems_of
from tests.tables import by_table

EPOCHS = [("a", 1, "C", "x"), ("b", 1, "I", "x"), ("a", 2, "I", "y"), ("b", 2, "I", "y")]


def inspect_log(rows, **changes):
    samples = [
        {
            "id": name,
            "epoch": epoch,
            "target": "x",
            "output": {"completion": answer},
            "scores": {} if value is None else {"match": {"value": value}},
            "error": {"message": "boom"} if value == "error" else None,
            "metadata": {"topic": f"t{name}"},
        }
        for name, epoch, value, answer in rows
    ]
    for sample in samples:
        if sample["error"]:
            sample["scores"] = {}
    run = {"status": "success", "eval": {"model": "gpt", "task": "qa"}, "samples": samples}
    Path("x.json").write_text(json.dumps(run | changes))
    return "x.json"


@pytest.fixture
def result(run):
    def result(*words, system=None):
        status, out, err = run("score", *words, "--format", "json")
        assert (status, err) == (0, "")
        systems = systems_of(out)
        modules = systems[system] if system else next(iter(systems.values()))
        return next(iter(modules.values()))

    return result


@pytest.mark.parametrize(
    ("reduce", "score"), [("mean", 0.25), ("max", 0.5), ("mode", 0.5), ("median", 0.25)]
)
def test_rows_of_one_id_are_one_unit(run, result, reduce, score):
    path = inspect_log(EPOCHS)
    summary = result("logged", path, "--reduce", reduce, "--confidence", "0.9")
    answers = result("qa_em", path, "--reduce", reduce, "--group-by", "metadata.topic")

    assert summary["scores"] == {"match": score}
    assert summary["rows"] == answers["rows"] == 2
    assert f"|reduce={reduce}|rows=2|" in summary["signature"]
    assert answers["scores"] == {
        "qa_em": {"mean": 0.5, "max": 1.0, "mode": 1.0, "median": 0.5}[reduce]
    }
    assert answers["groups"]["ta"]["n"] == 1


def test_a_corpus_measure_takes_one_row_of_each_id(run, refused, result):
    path = inspect_log(EPOCHS)
    status, said = refused("score", "bleu", path)

    assert status == 1
    assert "rows of one id cannot become one; choose one row of each id with --where" in said
    assert result("bleu", path, "--where", "epoch=1")["rows"] == 2


MISSING = [("a", 1, "C", "x"), ("b", 1, "error", "x"), ("c", 1, None, "x"), ("d", 1, "I", "y")]


def test_samples_without_a_score_are_refused(run, refused):
    path = inspect_log(MISSING)

    assert refused("score", "logged", path) == (
        1,
        (
            "x.json: of 4 samples, 1 ended in an error, 1 have no score; exclude them with "
            "--missing skip, count them as 0 with --missing zero, or as worst and best with "
            "--missing bounds"
        ),
    )
    assert refused("score", "qa_em", path)[1].startswith(
        "x.json: of 4 samples, 1 ended in an error;"
    )


def test_samples_without_a_score_are_counted(run, result):
    path = inspect_log(MISSING)
    skipped = result("logged", path, "--missing", "skip")
    zero = result("logged", path, "--missing", "zero")

    assert skipped["scores"] == {"match": 0.5}
    assert skipped["left_out"] == {"error": 1, "unscored": 1}
    assert "|left_out=error:1,unscored:1|rows=2|" in skipped["signature"]
    assert zero["scores"] == {"match": 0.25}
    assert "|missing=zero:2|rows=4|" in zero["signature"]
    assert result("qa_em", path, "--missing", "skip")["scores"] == {"qa_em": pytest.approx(2 / 3)}


def test_samples_without_a_score_leave_bounds(run, result):
    path = inspect_log(MISSING)
    logged = result("logged", path, "--missing", "bounds")

    assert logged["scores"] == {"match": 0.5}
    assert logged["score_bounds"] == {"match": [0.25, 0.75]}
    assert logged["missing_rows"] == 2
    assert "|missing=bounds:2|rows=4|" in logged["signature"]
    _, out, _ = run("score", "logged", path, "--missing", "bounds")
    assert "0.2500 to 0.7500" in out
    assert "gpt lacks 2 rows: whatever these rows are, the score is between" in out


@pytest.mark.parametrize("missing", ["skip", "zero", "bounds"])
@pytest.mark.parametrize("module", ["logged", "qa_em"])
def test_rows_of_logs_are_merged(run, result, module, missing):
    whole = result(module, inspect_log(MISSING), "--missing", missing)
    for name, rows in (("1", MISSING[:3]), ("2", MISSING[3:])):
        path = Path(inspect_log(rows)).rename(f"{name}.json")
        command = ("score", module, path, "--missing", missing, "--rows", f"{name}.parquet")
        assert run(*command)[::2] == (0, "")
    status, out, err = run("merge", "1.parquet", "2.parquet", "--format", "json")

    assert (status, err) == (0, "")
    assert systems_of(out) == {"gpt": {module: whole}}


def test_a_sample_that_lacks_one_of_its_rows_is_missing(run, result):
    epochs = [("a", 1, "C", "x"), ("a", 2, "error", "x"), ("b", 1, "C", "x"), ("b", 2, "C", "x")]
    logged = result("logged", path := inspect_log(epochs), "--missing", "bounds")

    assert logged["scores"] == {"match": 1.0}
    assert logged["score_bounds"] == {"match": [0.5, 1.0]}
    passes = result("pass_at_k", path, "--set", "k=2", "--missing", "bounds")
    assert passes["score_bounds"] == {"pass@2": [0.5, 1.0]}


def test_a_log_without_scores_has_nothing_to_summarise(run, refused):
    path = inspect_log([("a", 1, None, "x")])

    assert refused("score", "logged", path) == (
        1,
        "x.json: the log has no scores; its samples were not scored",
    )


def test_a_log_of_which_a_part_is_there_says_so(run, refused, result):
    path = inspect_log(EPOCHS[:2], results={"total_samples": 9})

    assert "the file has 2 samples, but its run had 9" in refused("score", "logged", path)[1]
    assert result("logged", path, "--incomplete")["left_out"] == {"cut": 7}


def test_systems_are_called_by_their_models(run):
    path = inspect_log(EPOCHS[:2])
    _, out, _ = run("score", "logged", path, "--format", "json")
    assert list(systems_of(out)) == ["gpt"]

    Path("y.json").write_text(Path(path).read_text().replace('"gpt"', '"llama"'))
    _, out, _ = run("score", "logged", path, "y.json", "--format", "json", "--compare")
    assert list(systems_of(out)) == ["gpt", "llama"]
    assert json.loads(out)["comparisons"][0]["diff"] == 0

    Path("z.json").write_text(Path(path).read_text())
    _, out, _ = run("score", "logged", path, "z.json", "--format", "json")
    assert list(systems_of(out)) == ["x", "z"]


GOLD = [{"q": "a", "gold": ["x"]}, {"q": "b", "gold": ["y"]}, {"q": "c", "gold": ["z"]}]
ANSWERS = [{"q": "c", "answer": "z"}, {"q": "a", "answer": "x"}, {"q": "b", "answer": "?"}]
JOIN = ("--answers", "g.jsonl", "--id", "q", "--predictions", "answer", "--references", "gold")


@by_table("answers, message")
def test_ids_that_do_not_match_are_counted_and_named(run, refused, answers, message):
    write_rows("g.jsonl", GOLD)
    status, said = refused("score", "qa_em", write_rows("p.jsonl", answers), *JOIN)

    assert status == 1
    assert said.startswith(message)


@pytest.fixture
def texts(run):
    """Files of texts in the working directory."""
    Path("ref.txt").write_text("the cat sat down\nhello big wide world\n")
    Path("hyp.txt").write_text("the cat sat\nhello big wild world\n")
    Path("other.txt").write_text("a cat sat down\nhello big wide world\n")


def test_texts_are_compared_with_those_of_another_file(texts, result, refused):
    for flags in (["-r", "ref.txt"], ["--references", "ref.txt"], ["--answers", "ref.txt"]):
        assert result("error_rate", "hyp.txt", *flags)["scores"]["wer"] == 0.25
    Path("short.txt").write_text("x\n")
    message = "hyp.txt has 2 rows, but short.txt has 1"
    assert refused("score", "qa_em", "hyp.txt", "-r", "short.txt") == (1, message)
    write_rows("g.jsonl", GOLD)
    status, said = refused("score", "qa_em", "hyp.txt", "--answers", "g.jsonl", "-r", "q")
    assert (status, said) == (2, "references in a file need --id, the field of ids in both")


def test_several_files_are_systems_and_several_references(texts, run, result):
    files = "score", "error_rate", "hyp.txt", "other.txt", "-r", "ref.txt", "--format", "json"
    systems = systems_of(run(*files)[1])
    wer = {system: modules["error_rate"]["scores"]["wer"] for system, modules in systems.items()}
    assert wer == {"hyp": 0.25, "other": 0.125}

    references = ["-r", "ref.txt", "-r", "other.txt"]
    scores = result("qa_f1", "hyp.txt", *references, "--set", "normalizer=none")["scores"]
    best = result("qa_f1", "hyp.txt", "-r", "ref.txt", "--set", "normalizer=none")["scores"]
    assert scores == best  # the other reference is never closer
    lengths = result("bleu", "other.txt", "-r", "hyp.txt", "-r", "ref.txt")["scores"]
    assert lengths["ref_len"] == 8


@pytest.mark.parametrize("texts_on_input", ["hyp.txt", "ref.txt"])
def test_a_dash_is_standard_input(texts, run, monkeypatch, texts_on_input):
    content = Path(texts_on_input).read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    names = {texts_on_input: "-"}
    hypothesis, reference = (names.get(name, name) for name in ("hyp.txt", "ref.txt"))
    _, out, _ = run("score", "error_rate", hypothesis, "-r", reference, "--format", "json")
    (modules,) = systems_of(out).values()
    assert modules["error_rate"]["scores"]["wer"] == 0.25


def test_texts_need_references(texts, refused):
    message = "bleu needs --references; the format lines has no column 'references'"
    assert refused("score", "bleu", "qa_f1", "hyp.txt", "ref.txt") == (2, message)


def test_nothing_is_compared_with_itself(texts, refused, run):
    message = "hyp.txt: field 'prediction' would be compared with itself"
    for name in ("hyp.txt", str(Path("hyp.txt").resolve())):
        assert refused("score", "bleu", "hyp.txt", "-r", name) == (2, message)
    message = "g.jsonl: field 'gold' would be compared with itself"
    write_rows("g.jsonl", GOLD)
    for further in ([], ["--where", "q=a"], ["--answers", "g.jsonl", "--id", "q"]):
        command = ["score", "qa_em", "g.jsonl", "-p", "gold", "-r", "gold", *further]
        assert refused(*command) == (2, message)
    Path("g.conll").write_text("Paris O B-LOC\n")
    message = "g.conll: field 'prediction' would be compared with itself"
    assert refused("score", "span_f1", "g.conll", "-r", "g.conll") == (2, message)


def test_a_field_comes_before_a_file_of_this_name(texts, result, refused):
    write_rows("g.jsonl", [row | {"answer": row["gold"][0]} for row in GOLD])
    Path("gold").write_text("no table")
    assert result("qa_em", "g.jsonl", "-p", "answer", "-r", "gold")["scores"] == {"qa_em": 1.0}
    assert refused("score", "bleu", "hyp.txt", "-r", "no.txt") == (1, "no such file: no.txt")
    two = ("-r", "gold", "-r", "q")
    message = "--references q is not a file, and one field is enough"
    assert refused("score", "qa_em", "g.jsonl", "-p", "answer", *two) == (2, message)


@pytest.mark.parametrize(
    ("header", "prediction", "reference"),
    [("question,prediction,answer", "prediction", "answer"), ("gold,output,x", "output", "gold")],
)
def test_fields_with_obvious_names_need_no_option(run, header, prediction, reference):
    cells = ("x" if name in (prediction, reference) else "q" for name in header.split(","))
    Path("qa.csv").write_text(f"{header}\n{','.join(cells)}\n")
    status, out, err = run("score", "qa_f1", "qa.csv")
    assert status == 0
    assert "1.0000" in out
    said = f"predictions are the field '{prediction}', references are the field '{reference}'"
    assert err == f"note: {said}\n"
    assert run("score", "qa_f1", "qa.csv", "--quiet")[2] == ""


def test_the_field_of_a_file_of_references_may_be_obvious(run, result):
    write_rows("p.jsonl", [{"q": 1, "bot": "x"}, {"q": 2, "bot": "y"}])
    write_rows("g.jsonl", [{"q": 2, "gold": "y"}, {"q": 1, "gold": "y"}])
    scores = result("qa_em", "p.jsonl", "-p", "bot", "-r", "g.jsonl", "--id", "q", "-q")["scores"]
    assert scores == {"qa_em": 0.5}


def test_a_report_is_a_table(run):
    Path("x.csv").write_text("p,y\na,a\na,b\nc,c\n")
    fields = ["-p", "p", "-r", "y"]
    _, out, _ = run("score", "classification", "x.csv", *fields, "--set", "report=true")
    lines = [line.split() for line in out.splitlines()]
    assert ["label", "precision", "recall", "f1-score", "support"] in lines
    assert ["a", "0.5000", "1.0000", "0.6667", "1"] in lines
    assert ["weighted", "avg", "0.5000", "0.6667", "0.5556", "3"] in lines


def test_tags_of_two_files_are_in_the_last_columns(run, result):
    Path("p.conll").write_text("Paris B-LOC\nis O\n\nRome O\n")
    Path("g.conll").write_text("Paris B-LOC\nis O\n\nRome B-LOC\n")
    scores = result("span_f1", "p.conll", "-r", "g.conll")["scores"]
    assert (scores["precision"], scores["recall"]) == (1.0, 0.5)


LONG = ("--system", "s", "--predictions", "p", "--references", "r")


def test_a_long_table_is_split(run, result, refused):
    rows = [
        {"s": s, "q": q, "p": p, "r": "x"}
        for s, q, p in [("a", 1, "x"), ("b", 2, "x"), ("b", 1, "?"), ("a", 2, "x")]
    ]
    path = write_rows("l.jsonl", rows)

    assert result("qa_em", path, *LONG, "--id", "q", system="a")["scores"] == {"qa_em": 1.0}
    assert result("qa_em", path, *LONG, system="b")["scores"] == {"qa_em": 0.5}
    _, out, _ = run("score", "qa_em", path, *LONG, "--id", "q", "--compare", "--format", "json")
    assert json.loads(out)["comparisons"][0]["diff"] == 0.5
    write_rows("l.jsonl", rows[:3])
    assert (
        "'a' has no row for 1 id ('2') of 'b'"
        in refused("score", "qa_em", path, *LONG, "--id", "q", "--compare")[1]
    )


@by_table("words, message")
def test_a_command_that_makes_no_sense_is_one_line(run, refused, words, message):
    inspect_log(EPOCHS)
    write_rows("p.jsonl", ANSWERS)
    status, said = refused("score", *words)

    assert status == 2
    assert said.startswith(message)


def test_a_logged_score_beyond_1_leaves_no_bounds(run, refused):
    path = inspect_log([("a", 1, 31.5, "x"), ("b", 1, None, "x")])
    said = refused("score", "logged", path, "--missing", "bounds")[1]
    assert "match of a row that is missing may be any number, so there are no bounds" in said
