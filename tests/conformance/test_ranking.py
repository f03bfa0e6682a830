"""Values of trec_eval in both versions, to the last bit, and of gdeval.pl to its five digits."""

import csv
import math
import re
from collections import defaultdict
from functools import cache
from itertools import groupby

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from metric_commons.data.trec.trec import read_qrels, read_run
from metric_commons.retrieval.names import parse_measures
from metric_commons.retrieval.runs import score_run
from tests.spec import GIVEN, ROOT, drawn_examples, recorded, trec_eval_files
from tests.tables import tabled

IR = GIVEN / "data" / "ir"
CARD = ROOT / "metrics" / "ir_ranking" / "README.md"
NAMES = {"recip_rank": "mrr"}
VERSIONS = {"trec_eval_9.0.8": "float32", "trec_eval_10.0-rc3": "float64"}

needs_data = pytest.mark.skipif(not IR.is_dir(), reason=f"{IR} is absent")


def ours(measure):
    """What we call a measure of trec_eval, or None for those that we do not have.

    >>> ours("ndcg_cut_10"), ours("Rprec"), ours("recip_rank_M5"), ours("relstring_10")
    ('ndcg_cut_10', 'Rprec', 'mrr@5', None)
    """
    stem, cutoff = re.fullmatch(r"(.+?)(?:_M?(\d+))?", measure).groups()
    if stem == "ndcg_exp" or "_M" in measure:
        return NAMES.get(stem, stem) + (f"@{cutoff}" if cutoff else "")
    try:
        parse_measures(measure)
    except ValueError:
        return None
    return measure


def options(flags):
    """Flags of trec_eval as options of `score_run`."""
    words = flags.split()
    return {
        "missing": "zero" if "-c" in words else "skip",
        "judged_only": "-J" in words,
        "relevance_level": int(words[words.index("-l") + 1]) if "-l" in words else 1,
        "max_depth": int(words[words.index("-M") + 1]) if "-M" in words else None,
    }


# Means of real runs


def figures():
    """For each pair of qrels and run the figures by flags."""
    with (IR / "figures.tsv").open(encoding="utf-8") as file:
        rows = sorted(
            csv.DictReader(file, delimiter="\t"), key=lambda row: (row["qrels"], row["run"])
        )
    for (qrels, run), of_run in groupby(rows, key=lambda row: (row["qrels"], row["run"])):
        by_flags = defaultdict(list)
        for row in of_run:
            by_flags[row["flags"]].append(row)
        yield pytest.param(qrels, run, by_flags, id=run)


@pytest.mark.long
@needs_data
@pytest.mark.parametrize(("qrels", "run", "by_flags"), [*figures()] if IR.is_dir() else [])
def test_means_are_those_of_trec_eval(qrels, run, by_flags):
    judgments, ranked = read_qrels(IR / qrels), read_run(IR / run)
    for flags, rows in by_flags.items():
        for version, score_dtype in VERSIONS.items():
            given = {ours(row["measure"]): float(row[version]) for row in rows if row[version]}
            if given:  # else this version ends with an error
                how = options(flags) | {"score_dtype": score_dtype, "per_query": False}
                assert score_run(judgments, ranked, [*given], **how)["mean"] == given


@needs_data
@pytest.mark.parametrize("version", VERSIONS)
def test_the_means_are_those_of_the_card(version):
    with_means = [
        sum(bool(row[version]) for rows in by_flags.values() for row in rows)
        for _, _, by_flags in (case.values for case in figures())
    ]
    told = f"{sum(with_means):,} means of {sum(map(bool, with_means))} real runs"
    peer = " ".join(version.rsplit("_", 1))

    assert re.search(rf"^\| {re.escape(peer)} .*{told}", CARD.read_text("utf-8"), re.M)


def gdeval():
    """For each run the means of gdeval.pl, which rounds each query to five digits."""
    with (IR / "figures_gdeval.tsv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter="\t"))[1:]
    for (run, qrels), of_run in groupby(rows, key=lambda row: row[:2]):
        yield pytest.param(run, qrels, {row[2]: row[3] for row in of_run}, id=run)


@needs_data
@pytest.mark.parametrize(("run", "qrels", "means"), [*gdeval()] if IR.is_dir() else [])
def test_exponential_gains_are_those_of_gdeval(run, qrels, means):
    of_queries = score_run(IR / qrels, IR / run, [*means], missing="skip")["per_query"].values()

    for measure, mean in means.items():
        rounded = [round(scores[measure], 5) for scores in of_queries]
        assert f"{math.fsum(rounded) / len(rounded):.6f}" == mean


# What trec_eval expects of itself

OWN = tabled(__file__, "OWN")
COMMENTS = {"out.comment.test": ("qrels.comment.test.gz", "results.comment.test.gz", "")}


@pytest.mark.parametrize("name", [*OWN, pytest.param(*COMMENTS, marks=needs_data)])
def test_trec_eval_s_own_expected_output(name):
    qrels, run, flags = (OWN | COMMENTS)[name]
    folder = trec_eval_files() if name in OWN else IR / "treceval"
    printed = defaultdict(dict)
    for line in (folder / name).read_text().splitlines():
        measure, query, value = line.split()
        if ours(measure):
            printed[query][ours(measure)] = value
    scores = score_run(folder / qrels, folder / run, [*printed["all"]], **options(flags))

    assert len(printed["all"]) >= 10
    for query, values in printed.items():
        found = scores["mean"] if query == "all" else scores["per_query"][query]
        assert values == {
            each: f"{found[each]:.4f}" if "." in value else str(found[each])
            for each, value in values.items()
        }


# Recorded cases


@cache
def cases():
    """The recorded runs, by name."""
    return {case["id"]: case for case in recorded("ir") if case["kind"] == "eval"}


def valid():
    return [name for name, case in cases().items() if "error" not in case["expected"]]


@pytest.fixture
def scored(tmp_path):
    """Score the files of a case under its options."""

    def scored(case, measures, **others):
        for name in ("qrels", "run"):
            (tmp_path / name).write_bytes(case[name].encode("utf-8"))
        told = case["options"]
        return score_run(
            tmp_path / "qrels",
            tmp_path / "run",
            measures,
            missing="zero" if told["c"] else "skip",
            judged_only=told["J"],
            relevance_level=told["l"],
            max_depth=told["M"],
            **others,
        )

    return scored


def by_denominator(names):
    """The names of an expected result, as ours, by what average precision divides by.

    >>> by_denominator(["map_min@5", "P@5", "recall_cap@5", "err@5(max_grade=4)"])
    {'min_k': {'map@5': 'map_min@5'}, 'relevant': {'P@5': 'P@5', 'err(max_grade=4)@5': \
'err@5(max_grade=4)'}}
    """
    groups = defaultdict(dict)
    for name in names:
        stem, cutoff, parameter = re.fullmatch(r"(\w+)(?:@(\d+))?(\(.+\))?", name).groups()
        if stem == "recall_cap":  # which we do not have
            continue
        denominator = {"map_min": "min_k", "map_hits": "retrieved"}.get(stem, "relevant")
        stem = "map" if stem.startswith("map_") else stem
        groups[denominator][stem + (parameter or "") + (f"@{cutoff}" if cutoff else "")] = name
    return dict(groups)


def test_the_cases_are_those_of_the_card():
    assert (len(cases()), len(valid())) == (107, 98)
    peers = [case.id.split("-", 2)[2] for case in of_peers()]
    told = re.findall(r"^\| (\S+ \S+) .*?(\d+) recorded cases", CARD.read_text("utf-8"), re.M)

    assert {peer: int(count) for peer, count in told} == {
        "trec_eval 10.0-rc3": peers.count("trec_eval_10.0-rc3"),
        "trec_eval 9.0.8": peers.count("trec_eval_9.0.8"),
        "pytrec_eval-terrier 0.5.11": peers.count("pytrec_eval"),
        "gdeval.pl 1.2a": len(gdeval_cases()),
    }


@pytest.mark.parametrize("name", valid())
def test_a_case_scores_what_is_recommended(scored, name):
    case = cases()[name]
    expected = case["expected"]
    names = expected["mean"] or ["map", "ndcg@10", "P@5", "num_q"]
    for denominator, measures in by_denominator(names).items():
        found = scored(case, [*measures], map_denominator=denominator)

        assert found["per_query"].keys() == expected["per_query"].keys()
        for query, values in expected["per_query"].items():
            for measure, theirs in measures.items():
                if theirs in values:
                    assert found["per_query"][query][measure] == values[theirs], measure
        for measure, theirs in measures.items():
            if theirs not in expected["mean"]:
                continue
            # Of recommended values this one alone is not that of trec_eval: with -c, its total
            # counts what is above 0 whatever -l says, and so does ours. See the next test.
            if (measure, case["options"]["c"]) == ("num_rel", True) and case["options"]["l"] != 1:
                assert expected["mean"]["num_rel"] < found["mean"]["num_rel"]
                continue
            assert found["mean"][measure] == expected["mean"][theirs], measure
        if not expected["per_query"]:
            counts = ("num_q", "num_ret", "num_rel", "num_rel_ret")
            assert all(value == 0 or math.isnan(value) for value in found["mean"].values())
            assert all((value == 0) == (each in counts) for each, value in found["mean"].items())


def of_peers():
    """What trec_eval returned where it did. A byte order mark becomes part of a query there."""
    for name in valid():
        if cases()[name]["qrels"].startswith("\ufeff"):
            continue
        for peer, score_dtype in {**VERSIONS, "pytrec_eval": "float32"}.items():
            answer = cases()[name]["peers"].get(peer, {})
            values = answer if peer == "pytrec_eval" else answer["values"]
            if values and "error" not in values:
                yield pytest.param(name, values, score_dtype, id=f"{name}-{peer}")


@pytest.mark.parametrize(("name", "values", "score_dtype"), [*of_peers()])
def test_a_case_scores_what_trec_eval_returned(scored, name, values, score_dtype):
    case = cases()[name]
    asked = {each: ours(each) for of_query in values.values() for each in of_query if ours(each)}
    found = scored(case, list(dict.fromkeys(asked.values())), score_dtype=score_dtype)
    for query, of_query in values.items():
        mine = found["mean"] if query == "all" else found["per_query"][query]
        for theirs in asked.keys() & of_query.keys():
            score = mine[asked[theirs]]
            # of which they tell the logarithm
            if theirs in ("gm_map", "gm_bpref") and query != "all":
                score = math.log(score)
            if "_M" in theirs and case["options"]["J"]:  # which cuts before it leaves out
                cut = {**case, "options": case["options"] | {"M": int(theirs.split("_M")[1])}}
                again = scored(cut, ["mrr"], score_dtype=score_dtype)
                score = (again["mean"] if query == "all" else again["per_query"][query])["mrr"]
            assert score == of_query[theirs], theirs


def gdeval_cases():
    """What gdeval.pl returned, by way of ir_measures, where it did."""
    answers = {name: cases()[name]["peers"].get("ir_measures_gdeval", {}) for name in valid()}
    return [name for name, values in answers.items() if values and "error" not in values]


@pytest.mark.parametrize("name", gdeval_cases())
def test_a_case_scores_what_gdeval_returned(scored, name):
    values = cases()[name]["peers"]["ir_measures_gdeval"]
    named = {
        theirs: theirs.replace("nDCG(dcg='exp-log2')", "ndcg_exp")
        for of_query in values.values()
        for theirs in of_query
    }
    complete = cases()[name] | {"options": cases()[name]["options"] | {"c": True}}
    found = scored(complete, [*named.values()])["per_query"]
    for query, of_query in values.items():
        for theirs, value in of_query.items():
            assert round(found[query][named[theirs]], 5) == value, theirs


FAULTS = tabled(__file__, "FAULTS")


def test_every_case_with_an_error_is_looked_at():
    assert FAULTS.keys() == cases().keys() - set(valid())


@pytest.mark.parametrize("name", sorted(cases().keys() - set(valid())))
def test_a_case_with_an_error_is_one_line(tmp_path, name):
    which, line, problem = FAULTS[name]
    path = tmp_path / which
    path.write_bytes(cases()[name][which].encode("utf-8"))
    told = f"{path}, line {line}: {problem}" if line else f"{path} has no rows"
    with pytest.raises(ValueError, match=f"^{re.escape(told)}") as error:
        {"run": read_run, "qrels": read_qrels}[which](path)

    assert len(str(error.value).splitlines()) == 1


# Worked examples


def examples():
    """The printed examples that are files."""
    return [example for example in recorded("worked_examples") if "files" in example]


@pytest.mark.parametrize("example", examples(), ids=lambda example: example["source"])
def test_a_printed_example_comes_out(tmp_path, example):
    for name, text in example["files"].items():
        (tmp_path / name).write_text(text)
    means = score_run(tmp_path / "qrels", tmp_path / "run", [*example["measures"]])["mean"]

    assert {name: round(mean, 15) for name, mean in means.items()} == example["measures"]


# pytrec_eval, live

SEVERAL = {"P", "recall", "ndcg_cut", "map_cut", "success", "relative_P"}
PEERS = pytrec_eval.supported_nicknames["all_trec"] - {"runid", "relstring"} - SEVERAL
PEERS |= {f"{stem}.1,2,3,5,10,100" for stem in SEVERAL}
documents = st.text("ab-19éα文😀", min_size=1, max_size=12).map(lambda text: text * 3)
some_documents = st.lists(
    documents | st.sampled_from([f"FR94{n:04}" for n in range(30)]), unique=True, max_size=40
)


@st.composite
def runs(draw):
    """Judgments and a run with many ties. No query has only negative judgments.

    For such a query trec_eval reads memory that is not its own, and so does what is built on it.
    """
    qrels, run = {}, {}
    for query in draw(st.sets(st.sampled_from(["1", "2", "10", "é", "q-1"]), min_size=1)):
        pool = draw(some_documents)
        levels = draw(st.sampled_from([(0, 1), (-2, -1, 0, 1, 2, 3, 4), (0, 0, 0, 0, 7)]))
        judged = {d: draw(st.sampled_from(levels)) for d in pool if draw(st.booleans())}
        qrels[query] = judged | {"never retrieved": draw(st.sampled_from([0, 1, 2]))}
        score = st.sampled_from([0.0, -0.0, 1.0, 2.0, 2.00000001, -3.5, 1e300]) | st.floats(
            allow_nan=False, width=16
        )
        retrieved = draw(st.permutations([d for d in pool if draw(st.booleans())]))
        if retrieved:
            run[query] = {d: draw(score) for d in retrieved}
    return qrels, run


@pytest.mark.long
@drawn_examples(150)
@given(runs(), st.sampled_from([1, 2]), st.booleans())
def test_generated_runs_score_as_with_pytrec_eval(data, level, judged_only):
    qrels, run = data
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, PEERS, relevance_level=level, judged_docs_only_flag=judged_only
    )
    theirs = evaluator.evaluate(run)
    names = {theirs: ours(theirs) for of_query in theirs.values() for theirs in of_query}
    if not names:
        return
    found = score_run(
        qrels,
        run,
        [*names.values()],
        missing="skip",
        score_dtype="float32",
        relevance_level=level,
        judged_only=judged_only,
    )

    assert found["per_query"].keys() == theirs.keys()
    for query, of_query in theirs.items():
        of_query["gm_map"] = max(of_query["map"], 1e-5)  # it has the logarithm
        of_query["gm_bpref"] = max(of_query["bpref"], 1e-5)
        # 0 / 0 where no document is left: 0 here, as in all other measures
        of_query.update({name: 0.0 for name, value in of_query.items() if math.isnan(value)})
        assert found["per_query"][query] == {names[name]: of_query[name] for name in names}
    for name in names.keys() - {"gm_map", "gm_bpref"}:
        values = [theirs[query][name] for query in sorted(theirs, key=str.encode)]
        mean = pytrec_eval.compute_aggregated_measure(name, values)
        assert found["mean"][names[name]] == mean


# ir_measures 0.4.3, what it returned

JUDGED = {"1": {"a": 2, "b": 0, "c": 1, "d": 3, "e": 0, "f": 1}, "2": {"a": 1, "x": 2, "y": 0}}
RETRIEVED = {
    "1": {"a": 9.0, "z": 8.0, "b": 7.5, "c": 6.0, "w": 5.0, "d": 4.0, "v": 3.0},
    "2": {"u": 5.0, "y": 4.0, "x": 3.0, "a": 1.0},
}
IR_MEASURES = tabled(__file__, "IR_MEASURES")


def test_names_of_ir_measures_mean_what_they_mean_there():
    found = score_run(JUDGED, RETRIEVED, [*IR_MEASURES], score_dtype="float32")["mean"]
    of_gdeval = ["nDCG(dcg='exp-log2')@5", "ERR@5"]  # it prints five digits
    rounded = score_run(JUDGED, RETRIEVED, of_gdeval)["mean"].values()

    assert found == pytest.approx(IR_MEASURES, rel=1e-12)
    assert [*rounded] == pytest.approx([0.44048, 0.1377], abs=1e-5)


def test_names_of_trec_eval_for_several_measures():
    for name in ("official", "set", "all_trec"):
        named = pytrec_eval.supported_nicknames[name] - {"runid", "relstring"}
        peer = pytrec_eval.RelevanceEvaluator(JUDGED, named).evaluate(RETRIEVED)

        assert score_run(JUDGED, RETRIEVED, name)["per_query"].keys() == peer.keys()
        assert score_run(JUDGED, RETRIEVED, name)["mean"].keys() == peer["1"].keys()


@needs_data
def test_what_trec_eval_10_alone_has():
    """The values of its own test/out.test.a; all its relevant documents have level 1."""
    folder = IR / "treceval"
    found = score_run(
        folder / "qrels.test",
        folder / "results.test",
        ["unj_5", "unj_10", "unj_20", "rbp(p=0.9)", "rbp_resid(p=0.9)"],
    )["mean"]

    assert [round(value, 4) for value in found.values()] == [0.0, 0.0, 0.0333, 0.3234, 0.0204]
