import hashlib
import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path

import pytest

from metric_commons.evaluation.results.module_results import ModuleResult
from metric_commons.evaluation.results.rendering import p_value
from metric_commons.evaluation.results.results import Results
from metric_commons.evaluation.scoring.scoring import score
from metric_commons.reporting.plots.bar_plots import difference_panels, score_panels
from metric_commons.reporting.report import examples
from metric_commons.reporting.report.examples import find_examples
from metric_commons.reporting.report.page import fold, render, visible
from tests.apps.files import write_rows
from tests.spec import ROOT
from tests.tables import tabled

pytestmark = pytest.mark.long

CAPITALS = ROOT / "examples" / "capitals.jsonl"
NO_FIELDS = "There are no examples, since these results do not name the fields of the rows."
VOID = {"meta", "link", "img", "br", "hr", "input", "wbr"}


class Page(HTMLParser):
    """A page as a list of elements: tag, attributes and the text inside. Badly nested is an error.

    Only elements of SVG close themselves.
    """

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.stack = [], []
        self.feed(text)
        self.close()
        assert not self.stack, f"not closed: {self.stack}"

    def handle_starttag(self, tag, attributes):
        element = {"tag": tag, "text": "", "inside": [], **dict(attributes)}
        self.elements.append(element)
        for outer in self.stack:
            outer["inside"].append(element)
        if tag not in VOID:
            self.stack.append(element)

    def handle_startendtag(self, tag, attributes):
        assert tag in {"g", "rect", "path", "use"}, tag
        self.handle_starttag(tag, attributes)
        self.stack.pop()

    def handle_endtag(self, tag):
        assert self.stack, f"</{tag}> closes nothing"
        opened = self.stack.pop()["tag"]
        assert opened == tag, f"</{tag}> closes <{opened}>"

    def handle_data(self, data):
        for element in self.stack:
            element["text"] += data

    def where(self, **attributes):
        return [
            each
            for each in self.elements
            if all(each.get(name.replace("_", "-")) == value for name, value in attributes.items())
        ]

    def told(self, place):
        """The words of a part of the page."""
        return " ".join(self.where(id=place)[0]["text"].split())

    def of_class(self, name):
        return [each for each in self.elements if name in (each.get("class") or "").split()]


@pytest.fixture
def run(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    return run


def write(rows, name="rows.jsonl"):
    return write_rows(name, rows)


@pytest.fixture
def scored(run):
    """Score systems of a file, as the command does it, and return the page about them."""

    def scored(path, systems, *more, modules=("qa_em", "qa_f1"), references="gold", report=()):
        fields = [word for system in systems for word in ("--predictions", system)]
        saved = ("--save", "r.json", "--rows", "rows_of.jsonl")
        status, _, err = run(
            "score", *modules, path, *fields, "--references", references, *more, *saved
        )
        assert status == 0, err
        return reported(*report)

    def reported(*arguments):
        status, out, err = run("report", "r.json", "--save", "page.html", *arguments)
        assert (status, out) == (0, "")
        page = Page(Path("page.html").read_text("utf-8"))
        notes = [line.removeprefix("note: ") for line in err.splitlines()]
        assert set(texts(page, "note")) <= set(notes)  # they are said in the terminal, too
        assert notes or not texts(page, "note")
        return page

    scored.reported = reported
    return scored


def texts(page, name):
    return [" ".join(each["text"].split()) for each in page.of_class(name)]


# What is on the page is in the results


def test_the_tables_of_a_page_are_those_of_the_terminal(scored):
    options = ["--confidence", "0.9", "--compare", "--group-by", "topic"]
    page = scored(CAPITALS, ["atlas", "borealis"], *options, references="answers")
    tables = Results.read("r.json").sort("qa_em").tables()

    assert [table.kind for table in tables] == ["scores", "groups", "differences"]
    for table in tables:
        cells = [" ".join(text.split()) for row in [table.header, *table.rows] for text in row]
        shown = [
            " ".join(each["text"].split())
            for each in page.where(id=table.kind)[0]["inside"]
            if each["tag"] in ("th", "td")
        ]
        assert shown == cells


def words(page, place):
    """The texts of a picture."""
    inside = page.where(id=place)[0]["inside"]
    return [each["text"].strip() for each in inside if each["tag"] == "text"]


def test_pictures_hold_scores_and_differences(scored):
    rows = [{"gold": "x", "a": "x", "b": "xy"[row > 2], "c": "y"} for row in range(20)]
    options = ("--compare", "--confidence", "0.9")
    page = scored(write(rows), ["a", "b", "c"], *options, modules=["qa_em"])
    results = Results.read("r.json")

    ((title, lines),) = score_panels(results)
    assert {line.name: line.value for line in lines} == {"a": 1.0, "b": 0.15, "c": 0.0}
    shown = {title, *(text for line in lines for text in (line.name, line.text))}
    assert shown <= {*words(page, "scores")}
    low, high = results.systems["b"]["qa_em"].confidence_interval["qa_em"]
    assert lines[1].ends == [low, high]
    ((_, lines),) = difference_panels(results)
    assert [each["significant"] for each in results.comparisons] == [True, True, False]
    for line, each in zip(lines, results.comparisons, strict=True):
        assert line.name == f"{each['a']} − {each['b']}"
        assert (line.value, line.ends) == (each["diff"], each["confidence_interval"])
        assert line.is_open is not each["significant"]
        ends = (f"{end:+.2f}" if end else "0" for end in each["confidence_interval"])
        text = f"{each['diff']:+.2f} [{', '.join(ends)}] p {p_value(each['p_adjusted'])}"
        assert line.text == text
        assert {line.name, text} <= {*words(page, "differences")}
    told = page.told("differences")
    assert "corrected by Bonferroni's method over 3 comparisons" in told
    assert "does not show that the systems are equal" in told
    assert "qa_emc0.00022–3" in page.told("ranks")


def test_of_very_many_groups_the_first_are_shown():
    groups = {f"g{number}": {"qa_em": 0.5, "n": 1} for number in range(270)}
    told = Page(render(results_of({"a": module_result(groups=groups)}), find_nothing())).told(
        "groups"
    )

    assert "g199" in told
    assert "g200" not in told
    assert "70 rows more are not on this page" in told


def test_what_is_undefined_has_a_page_and_lower_is_better_is_said():
    values = {"a": 0.5, "b": 0.25, "c": float("nan")}
    errors = {
        name: module_result(scores={"mae": value}, lower_is_better=["mae"])
        for name, value in values.items()
    }
    page = Page(render(results_of(errors), find_nothing()))

    assert "mae ↓ lower is better" in words(page, "scores")
    assert "nan" in page.told("scores")
    assert not [each for each in page.where(id="scores")[0]["inside"] if each["tag"] == "b"]


def test_signatures_and_provenance_are_on_the_page(scored):
    page = scored(CAPITALS, ["atlas", "borealis"], "--compare", references="answers")
    results = Results.read("r.json")
    source = results.provenance["inputs"][0]

    codes = [each["text"] for each in page.where(tag="code")]
    assert set(results.signatures()) | {source["sha256"]} <= set(codes)
    told = page.where(id="provenance")[0]["text"]
    for word in (source["path"], "unchanged", *results.provenance["versions"].values()):
        assert word in told


def results_of(systems, **more):
    return Results(systems={name: {"m": result} for name, result in systems.items()}, **more)


def module_result(**given):
    about = {name: given.pop(name) for name in ("confidence_interval", "groups") if name in given}
    values = {**given.pop("scores", {"qa_em": 0.5}), **about}
    return ModuleResult(**{"rows": 1, "signature": "m|rows=1"} | given, values=values)


def find_nothing():
    return find_examples(results_of({"a": module_result()}))


# Examples


ROWS = tabled(__file__, "ROWS")


def examples_of(page):
    """The kinds of examples: title and, of each example, its rows of text."""
    found = {}
    for section in page.where(id="examples")[0]["inside"]:
        if section["tag"] == "details" and section["inside"][0]["inside"][:1]:
            title = section["inside"][1]["text"]
            cards = [each for each in section["inside"] if each["tag"] == "article"]
            found[title] = [" ".join(card["text"].split()) for card in cards]
    return {title: cards for title, cards in found.items() if cards}


def test_the_worst_and_the_most_different_rows_are_shown_side_by_side(scored):
    page = scored(write(ROWS), ["one", "two"], report=("--show", "q"))
    found = examples_of(page)

    assert list(found) == ["Worst", "one better than two", "two better than one"]
    assert found["Worst"][0] == (
        "row 2 q Italy? references Rome one Milan qa_em 0 qa_f1 0 two Turin qa_em 0 qa_f1 0"
    )
    (better,) = found["one better than two"]
    assert better.startswith("row 0 q France? references Paris one Paris qa_em 1 qa_f1 1 two Rome")
    (other,) = found["two better than one"]
    assert "references Oslo Christiania" in other
    told = page.told("examples")
    assert "The lowest mean of qa_em and qa_f1 over all systems: 0 in 1 of 4 rows." in told
    assert "one is better in 1 row." in told


def test_one_system_has_its_worst_rows_with_their_group(scored):
    rows = [row | {"continent": "Europe"} for row in ROWS]
    found = examples_of(scored(write(rows), ["one"], "--group-by", "continent", modules=["qa_em"]))

    assert list(found) == ["Worst"]
    assert [card.split()[1] for card in found["Worst"]] == ["1", "2"]  # the others are right
    assert "continent Europe" in found["Worst"][0]


def test_rows_in_which_no_answer_is_found_are_examples_of_their_own(scored, monkeypatch):
    rows = [
        {"gold": "5", "a": "#### 5", "b": "five"},
        {"gold": "6", "a": "it is 6", "b": "six"},
        {"gold": "7", "a": "#### 8", "b": "#### 7"},
    ]
    options = ("--set", "extract=gsm8k")
    page = scored(write(rows), ["a", "b"], *options, modules=["qa_em"])
    text = page.told("examples")

    assert [card.split()[1] for card in examples_of(page)["Unparsed"]] == ["0", "1"]
    assert "no answer was found; they score 0 (a 1, b 2 of 3 rows)." in text
    assert "unparsed" in page.told("scores")
    with monkeypatch.context() as patch:
        patch.setattr(examples, "_COUNT", 1)
        page = scored.reported()
    assert "(a 1, b 2 of 3 rows); these are the first 1." in page.told("examples")
    assert "Unparsed" not in examples_of(scored(write(rows), ["a", "b"], modules=["qa_em"]))


def test_sets_of_references_are_shown(scored):
    rows = [{"gold": [["Oslo", "Kristiania"], ["Bergen"]], "a": "Oslo"}]
    found = examples_of(scored(write(rows), ["a"], modules=["substring_recall"]))

    assert all(text in found["Worst"][0] for text in ("Oslo", "Kristiania", "Bergen"))


def test_of_several_systems_those_rows_are_shown_that_split_them_most(scored):
    rows = [
        {"gold": "x", "a": "x", "b": "x", "c": "x", "d": "x"},
        {"gold": "x", "a": "y", "b": "x", "c": "x", "d": "x"},
        {"gold": "x", "a": "y", "b": "y", "c": "x", "d": "x"},
    ]
    page = scored(write(rows), ["a", "b", "c", "d"], modules=["qa_em"])

    assert [card.split()[1] for card in examples_of(page)["Most different"]] == ["2", "1"]


def test_systems_with_files_of_their_own_are_shown_together(scored, run):
    files = ("one.jsonl", "two.jsonl", "--predictions", "p", "--references", "gold")

    def worst(one, two):
        write(one, "one.jsonl")
        write(two, "two.jsonl")
        run("score", "qa_em", *files, "--save", "r.json", "--rows", "rows_of.jsonl")
        return examples_of(scored.reported())["Worst"][0]

    # Different references of a row stand beside each answer.
    other = worst([{"gold": ["x"], "p": "a"}], [{"gold": ["z"], "p": "b"}])
    assert other == "row 0 one a references x qa_em 0 two b references z qa_em 0"
    rows = [[{"gold": ["x"], "p": p}, {"gold": ["z"], "p": p}] for p in "xy"]
    assert worst(*rows) == "row 1 references z one x qa_em 0 two y qa_em 0"

    Path("two.jsonl").unlink()
    page = scored.reported()
    assert texts(page, "note") == ["two.jsonl is missing, so nothing from it is shown."]
    assert "one x qa_em 0 two not at hand qa_em 0" in examples_of(page)["Worst"][0]


def test_inputs_are_known_by_what_they_hold(scored):
    scored(write(ROWS), ["one"])
    Path("rows.jsonl").rename("elsewhere.jsonl")
    Path("rows.jsonl").write_text("other")

    page = scored.reported()
    (note,) = texts(page, "note")
    assert note.startswith("rows.jsonl has changed since it was scored")
    assert not examples_of(page)
    assert "changed or not there" in page.told("provenance")
    page = scored.reported("--data", "elsewhere.jsonl")
    assert not texts(page, "note")
    assert examples_of(page)


def test_a_page_needs_the_rows_alone_and_has_no_examples_without_them(scored, run):
    page = scored(write(ROWS), ["one", "two"])
    assert run("report", "rows_of.jsonl", "--save", "of_rows.html") == (0, "", "")
    of_rows = Page(Path("of_rows.html").read_text("utf-8"))
    assert examples_of(of_rows) == examples_of(page)
    assert of_rows.told("scores") == page.told("scores")

    Path("rows_of.jsonl").unlink()
    page = scored.reported()
    assert not examples_of(page)
    (note,) = texts(page, "note")
    assert note.startswith("The scored rows were not given (score --rows)")
    _, _, err = run("report", "r.json", "--save", "page.html")
    assert "note: r.json: its scored rows are missing: rows_of.jsonl; score again" in err


def test_examples_that_tie_are_from_all_over_the_file(scored, monkeypatch):
    rows = [{"gold": "x", "p": "y" if number < 8 else "x"} for number in range(9)]
    monkeypatch.setattr(examples, "_COUNT", 4)
    page = scored(write(rows), ["p"], modules=["qa_em"])

    assert "0 in 8 of 9 rows; 4 of the 8 rows that tie are shown." in page.told("examples")
    assert [card.split()[1] for card in examples_of(page)["Worst"]] == ["0", "2", "4", "6"]
    monkeypatch.setattr(examples, "_COUNT", 9)
    assert len(examples_of(scored.reported())["Worst"]) == 8


LOGS = ROOT / "examples" / "logs"


def test_logs_have_examples_with_their_questions(run):
    (log,) = (LOGS / "fid").glob("*.jsonl")
    records = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    for module, show in (("logged", ()), ("qa_em", ("--show", "doc.question"))):
        assert run("score", module, log, "--save", "r.json", "--rows", "rows.jsonl")[0] == 0
        assert run("report", "r.json", "--save", "page.html", *show) == (0, "", "")
        for card in examples_of(Page(Path("page.html").read_text("utf-8")))["Worst"]:
            record = records[int(card.split()[1])]
            question = " ".join(record["doc"]["question"].split())
            assert f"doc.question {question} references" in card
            assert " ".join(record["doc"]["answer"][0].split()) in card
            assert f"fid {record['filtered_resps'][0]}" in card
    status, _, err = run("report", "r.json", "--save", "page.html", "--show", "doc.none")
    assert (status, "has no field 'doc.none'" in err) == (1, True)


def test_several_results_are_on_one_page(run):
    for name in ("fid", "dpr"):
        (log,) = (LOGS / name).glob("*.jsonl")
        saved = ("--save", f"{name}.json", "--rows", f"{name}.jsonl")
        assert run("score", "logged", log, *saved)[0] == 0
    assert run("report", "fid.json", "dpr.json", "--save", "page.html") == (0, "", "")
    page = Page(Path("page.html").read_text("utf-8"))

    assert "fid − dpr" in words(page, "differences")  # the better one first
    assert {"Worst", "fid better than dpr"} <= examples_of(page).keys()
    run("score", "qa_em", log, "--set", "normalizer=none", "--save", "em.json")
    status, _, err = run("report", "fid.json", "em.json", "--save", "page.html")
    assert status == 0
    assert "note: em.json: it does not name a file of its scored rows" in err


def test_results_that_tell_little_have_a_page_without_examples():
    results = score("qa_em", predictions=["a"], references=["a"], rows=True)
    page = Page(render(results, find_examples(results)))
    assert texts(page, "note") == [NO_FIELDS]
    assert "The results name no input files" in page.told("provenance")

    sparse = {"inputs": [{"name": "x"}, {"path": "y"}], "columns": {}}
    for results in (Results(systems={}), results_of({"a": module_result()}, provenance=sparse)):
        assert texts(Page(render(results, find_examples(results))), "note")


def test_runs_of_retrieval_have_a_page(run):
    examples = ROOT / "examples"
    files = (examples / f"{name}.txt" for name in ("qrels", "dense.run", "bm25.run"))
    run("trec", "--compare", *files, "-m", "map", "--save", "r.json")
    status, out, err = run("report", "r.json", "--save", "page.html")

    assert (status, out) == (0, "")
    assert f"note: {NO_FIELDS}\n" in err
    page = Page(Path("page.html").read_text("utf-8"))
    assert "dense.run − bm25.run" in words(page, "differences")


# Text from data is hostile

EVIL = (
    "</span></details><script>alert(1)</script><img src=x onerror=alert(1)> &amp; \"'{{7*7}}"
    "<style>*{display:none}</style>\u202e\x00\x1b[31m"
)


def is_harmless(page, text):
    tags = {each["tag"] for each in page.elements}
    assert not tags & {"script", "img", "iframe", "object", "link", "base", "form", "image"}
    assert len(page.where(tag="style")) == 1
    for each in page.elements:
        assert not [name for name in each if name.startswith("on")]
        for name in ("href", "xlink:href"):
            assert (each.get(name) or "#").startswith("#")
    assert not re.search(r"url\([^#]|@import|https?:", text)
    assert not set(text) & set("\u202e\x00\x1b")
    text.encode("utf-8")


def test_hostile_text_stays_text(scored):
    rows = [{"gold": [EVIL, "x"], "q": f"{EVIL}\ud800", EVIL: EVIL, "kind": EVIL, "b": "y"}] * 2
    page = scored(
        *(write(rows), [EVIL, "b"], "--group-by", "kind", "--compare", "--confidence", "0.9"),
        report=("--show", "q"),
    )
    is_harmless(page, Path("page.html").read_text("utf-8"))
    spelled = EVIL.replace("\u202e\x00\x1b", r"\u202e\x00\x1b")

    first = page.of_class("example")[0]
    assert first["text"].count(spelled) == 5  # question, group, reference, system, prediction
    assert rf"{spelled}\ud800" in first["text"]
    assert spelled in page.told("scores")
    assert spelled in page.told("groups")


def test_hostile_results_stay_text():
    comparison = {
        **dict.fromkeys(["a", "b", "module", "score"], EVIL),
        **dict.fromkeys(["A_mean", "B_mean", "diff", "p_value", "p_adjusted"], 0.5),
        "significant": False,
        "confidence_interval": [0.0, 1.0],
        "options": {"correction": EVIL, "test": EVIL},
    }
    results = Results(
        systems={EVIL: {EVIL: module_result(scores={EVIL: 0.5}, options={EVIL: EVIL})}},
        comparisons=[comparison],
        provenance={
            "inputs": [{"path": f"{EVIL[:20]}/x", "sha256": EVIL, "rows": 1}],
            "versions": {EVIL: EVIL, "metric-commons": EVIL},
            "created": EVIL,
            "config": {EVIL: EVIL},
        },
    )
    text = render(results, find_examples(results))

    is_harmless(Page(text), text)


def test_the_page_loads_nothing(scored):
    scored(CAPITALS, ["atlas"], references="answers")
    text = Path("page.html").read_text("utf-8")

    is_harmless(Page(text), text)
    assert "Content-Security-Policy" in text
    assert "prefers-color-scheme: dark" in text


def test_long_texts_are_folded_very_long_ones_cut_and_empty_ones_said(scored):
    references = [f"r{number}" for number in range(40)]
    rows = [{"gold": references, "p": "word " * 10_000, "a": "", "b": " \n"}]
    page = scored(write(rows), ["p", "a", "b"], modules=["substring_recall"])

    long, *others = (each["text"] for each in page.of_class("answer"))
    assert "49,720 more characters" in long
    assert "30,000 that are not on this page" in long
    assert len(long) < 21_000
    assert "28 more" in page.of_class("references")[0]["text"]
    assert [text.split()[:2] for text in others] == [["a", "empty"], ["b", "blank"]]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\u05e9\u05dc\u05d5\u05dd", "\u05e9\u05dc\u05d5\u05dd"),
        ("a\u00a0b\u3000c\n\td", "a\u00a0b\u3000c\n\td"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
        ("a\u2066b\u200f\ufeff\u2028\x85\udfff", r"a\u2066b\u200f\ufeff\u2028\x85\udfff"),
    ],
)
def test_only_what_cannot_be_seen_is_spelled_out(text, seen):
    assert visible(text) == seen
    assert fold(text).start == seen


# Errors are one line, and leave nothing behind


def test_errors_are_one_line(run, monkeypatch):
    write(ROWS)
    fields = ("--predictions", "one", "--references", "gold")
    run("score", "qa_em", "rows.jsonl", *fields, "--save", "r.json", "--rows", "p.jsonl")
    header, first, _ = Path("p.jsonl").read_text().split("\n", 2)
    Path("short.jsonl").write_text(f"{header}\n{first}\n")
    results = Results.read("r.json")
    digest = hashlib.sha256(Path("short.jsonl").read_bytes()).hexdigest()
    record = {"rows": {"path": "short.jsonl", "sha256": digest}}
    replace(results, provenance=results.provenance | record).save("of_short.json")
    before = sorted(Path.cwd().iterdir())

    for arguments, status, message in (
        (("none.json",), 1, "no such file: none.json"),
        (
            ("rows.jsonl",),
            1,
            "rows.jsonl: not a JSON object in the format metric-commons/2: Extra data",
        ),
        (("of_short.json",), 1, "of_short.json: the rows of qa_em of system 'one' are missing"),
        (("r.json", "--data", "none"), 1, "no such file: none"),
        (("r.json", "--show", "x"), 1, "there is no field 'x'"),
        (("r.json", "--save", "r.json"), 2, "r.json would be overwritten"),
    ):
        out = () if "--save" in arguments else ("--save", "page.html")
        found, said, err = run("report", *arguments, *out)
        assert (found, said) == (status, ""), err
        assert message in err
        assert err.count("\n") == 1
    assert run("report", "r.json")[0] == 2

    monkeypatch.setitem(sys.modules, "jinja2", None)
    status, _, err = run("report", "r.json", "--save", "page.html")
    assert status == 1
    assert "pip install 'metric-commons[report]'" in err
    assert sorted(Path.cwd().iterdir()) == before


# Many systems


def comparison(a, b, values, *, score="s", low=-0.1, high=0.1, significant=True, **options):
    """A comparison of two systems with these values; the interval is around the difference."""
    difference = values[a] - values[b]
    return {
        "a": a,
        "b": b,
        "module": "m",
        "score": score,
        "diff": difference,
        "A_mean": values[a],
        "B_mean": values[b],
        "p_value": 0.01,
        "confidence_interval": [difference + low, difference + high],
        "p_adjusted": 0.01 if significant else 0.5,
        "significant": significant,
        "options": {"alpha": 0.05, **options},
    }


def many(systems, scores, length=0):
    """Results of so many systems and scores, of which every two were compared by each score."""
    names = [f"{'x' * length}model-{number}" for number in range(systems)]
    measures = [f"score_{number}" for number in range(scores)]
    values = {name: 0.5 + number / 100 for number, name in enumerate(names)}
    comparisons = [
        comparison(a, b, values, score=measure, significant=values[b] - values[a] > 0.055)
        for measure in measures
        for a, b in combinations(names, 2)
    ]
    systems = {
        name: module_result(
            scores=dict.fromkeys(measures, value),
            confidence_interval={measure: [value - 0.05, value + 0.05] for measure in measures},
        )
        for name, value in values.items()
    }
    return results_of(systems, comparisons=comparisons)


def test_a_page_about_many_systems_stays_small():
    results = many(40, 2, length=30)
    text = render(results, find_nothing())
    panels = difference_panels(results)

    assert len(text.encode()) < 200_000
    assert [len(lines) for _, lines in panels] == [39] * 2  # each beside the best
    assert all("del-39" in line.name for _, lines in panels for line in lines)
    assert "xxxxxxxxxxxx…xxxmodel-39" in words(Page(text), "scores")


SPOKEN = tabled(__file__, "SPOKEN")


def transcripts(**options):
    columns = {name: [row[name] for row in SPOKEN] for name in SPOKEN[0]}
    systems = {"whisper": columns["whisper"], "echo": columns["echo"]}
    results = score(
        ["error_rate"],
        predictions=systems,
        references=columns["said"],
        rows=True,
        options=options,
    )
    path = write(SPOKEN)
    sha256 = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    file = {"path": path, "format": "jsonl", "id": None}
    provenance = results.provenance | {
        "inputs": [{"path": path, "sha256": sha256, "rows": len(SPOKEN)}],
        "sources": {
            name: file | {"fields": {"predictions": name, "references": "said"}} for name in systems
        },
    }
    return replace(results, provenance=provenance)


def test_examples_of_transcripts_mark_what_was_put_in_and_left_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = transcripts()
    examples = find_examples(results)
    worst, *_ = examples.choices
    page = Page(render(results, examples))

    assert worst["reason"].startswith("The highest wer over all systems: 0.25 in 1 of 3 rows")
    assert worst["examples"][0]["row"] == 1
    assert [choice["title"] for choice in examples.choices[1:]] == ["whisper better than echo"]
    lines = [line["text"] for line in page.of_class("alignment")]
    assert lines[:3] == ["good night <b>all", "the cat sat on the mat", "the a cat sat on the mat"]
    marks = {
        (mark["tag"], mark["text"], mark["title"])
        for mark in page.elements
        if mark["tag"] in ("ins", "del")
    }
    assert marks == {
        ("ins", "<b>all", "put in"),
        ("del", "the", "left out"),
        ("del", "the", "substituted"),
        ("ins", "a", "in its place"),
        ("del", "goes", "substituted"),
        ("ins", "went", "in its place"),
    }
    assert {"full", "some"} <= {
        kind for answer in page.of_class("answer") for kind in answer["class"].split()
    }


def test_normalizers_with_only_a_name_align_nothing_and_characters_have_no_spaces(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)

    def aligned(**options):
        results = transcripts(**options)
        page = Page(render(results, find_examples(results)))
        return {line["text"] for line in page.of_class("alignment")}

    assert not aligned(normalizer=str.lower)
    assert aligned(normalizer="jiwer_standardize")
    # In the first "the " is left out; in the second a is in the place of t, and he is left out.
    assert {"the cat sat on the mat", "tahe cat sat on the mat"} <= aligned(unit="character")
