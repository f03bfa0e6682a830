"""Values of trec_eval in both versions, to the last bit, and of gdeval.pl to its five digits."""

import csv
import json
import math
import re
from collections import defaultdict
from functools import cache
from itertools import groupby

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from metric_commons.files.trec import read_qrels, read_run
from metric_commons.ranking.runs import score_run
from tests.spec import GIVEN

IR = GIVEN / "data" / "ir"
CASES = GIVEN / "cases" / "ir.jsonl"
NAMES = {"P": "precision", "ndcg_cut": "ndcg", "map_cut": "map", "recip_rank": "mrr"}
SAME = {"map", "gm_map", "bpref", "ndcg", "recall", "success", "num_q", "num_ret", "num_rel"}
SAME |= {"Rprec", "num_rel_ret", "ndcg_exp"}
VERSIONS = {"trec_eval_9.0.8": "float32", "trec_eval_10.0-rc3": "float64"}

needs_data = pytest.mark.skipif(not IR.is_dir(), reason=f"{IR} is absent")
needs_cases = pytest.mark.skipif(not CASES.exists(), reason=f"{CASES} is absent")


def translate(measure):
    """The name of a measure of trec_eval in this project, or None for one that it does not have.

    >>> translate("ndcg_cut_10"), translate("Rprec"), translate("recip_rank_M5"), translate("infAP")
    ('ndcg@10', 'rprec', 'mrr@5', None)
    """
    stem, cutoff = re.fullmatch(r"(.+?)(?:_M?(\d+))?", measure).groups()
    if stem not in NAMES and stem not in SAME:
        return None
    return NAMES.get(stem, stem.lower()) + (f"@{cutoff}" if cutoff else "")


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
    for (qrels, run), group in groupby(rows, key=lambda row: (row["qrels"], row["run"])):
        by_flags = defaultdict(list)
        for row in group:
            by_flags[row["flags"]].append(row)
        yield pytest.param(qrels, run, by_flags, id=run)


@needs_data
@pytest.mark.parametrize(("qrels", "run", "by_flags"), [*figures()] if IR.is_dir() else [])
@pytest.mark.parametrize("version", VERSIONS)
def test_means_are_those_of_trec_eval(version, qrels, run, by_flags):
    judgments, ranked = read_qrels(IR / qrels), read_run(IR / run)
    for flags, rows in by_flags.items():
        expected = {translate(row["measure"]): float(row[version]) for row in rows if row[version]}
        if not expected:  # this version ends with an error
            continue
        scores = score_run(
            judgments, ranked, [*expected], score_dtype=VERSIONS[version], **options(flags)
        )

        assert scores["mean"] == expected


def gdeval():
    """For each run the means of gdeval.pl, which rounds each query to five digits."""
    with (IR / "figures_gdeval.tsv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file, delimiter="\t"))[1:]
    for (run, qrels), group in groupby(rows, key=lambda row: row[:2]):
        yield pytest.param(run, qrels, {row[2]: row[3] for row in group}, id=run)


@needs_data
@pytest.mark.parametrize(("run", "qrels", "means"), [*gdeval()] if IR.is_dir() else [])
def test_exponential_gains_are_those_of_gdeval(run, qrels, means):
    per_query = score_run(IR / qrels, IR / run, [*means], missing="skip")["per_query"]

    for measure, mean in means.items():
        rounded = [round(scores[measure], 5) for scores in per_query.values()]
        assert f"{math.fsum(rounded) / len(rounded):.6f}" == mean


# The test suite of trec_eval

OUTPUTS = {
    "out.test": ("qrels.test", "results.test", ""),
    "out.test.a": ("qrels.test", "results.test", ""),
    "out.test.aq": ("qrels.test", "results.test", ""),
    "out.test.aqc": ("qrels.test", "results.trunc", "-c"),
    "out.test.aqcM": ("qrels.test", "results.trunc", "-c -M 100"),
    "out.test.aql": ("qrels.rel_level", "results.test", "-l 2"),
    "out.test.meas_params": ("qrels.test", "results.test", ""),
    "out.comment.test": ("qrels.comment.test.gz", "results.comment.test.gz", ""),
}


@needs_data
@pytest.mark.parametrize("name", OUTPUTS)
def test_the_expected_outputs_of_trec_eval_come_out(name):
    qrels, run, flags = OUTPUTS[name]
    folder = IR / "treceval"
    printed = defaultdict(dict)
    for line in (folder / name).read_text().splitlines():
        measure, query, value = line.split()
        if translate(measure):
            printed[query][translate(measure)] = value
    scores = score_run(folder / qrels, folder / run, [*printed["all"]], **options(flags))

    assert len(printed["all"]) >= 10
    for query, values in printed.items():
        results = scores["mean"] if query == "all" else scores["per_query"][query]
        assert values == {
            measure: f"{results[measure]:.4f}" if "." in value else str(results[measure])
            for measure, value in values.items()
        }


# Recorded cases


@cache
def cases():
    """The recorded runs, by name."""
    if not CASES.exists():
        return {}
    with CASES.open(encoding="utf-8") as lines:
        return {case["id"]: case for case in map(json.loads, lines) if case["kind"] == "eval"}


def valid():
    return [name for name, case in cases().items() if "error" not in case["expected"]]


@pytest.fixture
def score_case(tmp_path):
    """Score the files of a case under its options."""

    def score_case(case, measures, **options):
        for name in ("qrels", "run"):
            (tmp_path / name).write_bytes(case[name].encode("utf-8"))
        flags = case["options"]
        return score_run(
            tmp_path / "qrels",
            tmp_path / "run",
            measures,
            missing="zero" if flags["c"] else "skip",
            judged_only=flags["J"],
            relevance_level=flags["l"],
            max_depth=flags["M"],
            **options,
        )

    return score_case


def by_denominator(names):
    """Measures and their names in an expected result, by the denominator of average precision.

    >>> by_denominator(["map_min@5", "P@5", "recall_cap@5", "err@5(max_grade=4)"])
    {'min_k': {'map@5': 'map_min@5'}, 'relevant': {'P@5': 'P@5', 'err(max_grade=4)@5': \
'err@5(max_grade=4)'}}
    """
    groups = defaultdict(dict)
    for name in names:
        stem, cutoff, parameter = re.fullmatch(r"(\w+)(?:@(\d+))?(\(.+\))?", name).groups()
        if stem == "recall_cap":  # which this project does not have
            continue
        denominator = {"map_min": "min_k", "map_hits": "retrieved"}.get(stem, "relevant")
        stem = "map" if stem.startswith("map_") else stem
        groups[denominator][stem + (parameter or "") + (f"@{cutoff}" if cutoff else "")] = name
    return dict(groups)


@needs_cases
def test_the_numbers_of_cases_are_those_of_the_card():
    assert (len(cases()), len(valid()), len(gdeval_cases())) == (107, 98, 79)
    peers = [case.id.split("-", 2)[2] for case in peer_values()]
    assert [peers.count(peer) for peer in (*VERSIONS, "pytrec_eval")] == [92, 93, 86]


@pytest.mark.parametrize("name", valid())
def test_a_case_scores_what_is_recommended(score_case, name):
    case = cases()[name]
    expected = case["expected"]
    names = expected["mean"] or ["map", "ndcg@10", "P@5", "num_q"]
    for denominator, measures in by_denominator(names).items():
        result = score_case(case, [*measures], map_denominator=denominator)

        assert result["per_query"].keys() == expected["per_query"].keys()
        for query, values in expected["per_query"].items():
            for measure, name_in_case in measures.items():
                if name_in_case in values:
                    assert result["per_query"][query][measure] == values[name_in_case], measure
        for measure, name_in_case in measures.items():
            if name_in_case not in expected["mean"]:
                continue
            # This is the only recommended value that differs from trec_eval: with -c, the total
            # of trec_eval counts judgments above 0 at any -l, and so does ours. See the next test.
            if (measure, case["options"]["c"]) == ("num_rel", True) and case["options"]["l"] != 1:
                assert expected["mean"]["num_rel"] < result["mean"]["num_rel"]
                continue
            assert result["mean"][measure] == expected["mean"][name_in_case], measure
        if not expected["per_query"]:
            counts = ("num_q", "num_ret", "num_rel", "num_rel_ret")
            means = result["mean"]
            assert all(value == 0 or math.isnan(value) for value in means.values())
            assert all((value == 0) == (measure in counts) for measure, value in means.items())


def peer_values():
    """The values that trec_eval returned; it takes a byte order mark for a part of the query."""
    for name in valid():
        if cases()[name]["qrels"].startswith("\ufeff"):
            continue
        for peer, score_dtype in {**VERSIONS, "pytrec_eval": "float32"}.items():
            answer = cases()[name]["peers"].get(peer, {})
            values = answer if peer == "pytrec_eval" else answer["values"]
            if values and "error" not in values:
                yield pytest.param(name, values, score_dtype, id=f"{name}-{peer}")


@pytest.mark.parametrize(("name", "values", "score_dtype"), [*peer_values()])
def test_a_case_scores_what_trec_eval_returned(score_case, name, values, score_dtype):
    case = cases()[name]
    measures = {measure: translate(measure) for row in values.values() for measure in row}
    measures = {measure: name for measure, name in measures.items() if name}
    names = list(dict.fromkeys(measures.values()))
    result = score_case(case, names, score_dtype=score_dtype)
    for query, expected in values.items():
        scores = result["mean"] if query == "all" else result["per_query"][query]
        for measure in measures.keys() & expected.keys():
            score = scores[measures[measure]]
            if measure == "gm_map" and query != "all":  # trec_eval prints its logarithm
                score = math.log(score)
            if "_M" in measure and case["options"]["J"]:  # cut before documents are dropped
                cut = {**case, "options": case["options"] | {"M": int(measure.split("_M")[1])}}
                result_of_cut = score_case(cut, ["mrr"], score_dtype=score_dtype)
                rows = {"all": result_of_cut["mean"], **result_of_cut["per_query"]}
                score = rows[query]["mrr"]
            assert score == expected[measure], measure


def gdeval_cases():
    """The cases for which gdeval.pl, called by ir_measures, returned values."""
    answers = {name: cases()[name]["peers"].get("ir_measures_gdeval", {}) for name in valid()}
    return [name for name, values in answers.items() if values and "error" not in values]


@pytest.mark.parametrize("name", gdeval_cases())
def test_a_case_scores_what_gdeval_returned(score_case, name):
    values = cases()[name]["peers"]["ir_measures_gdeval"]
    measures = {
        measure: measure.replace("nDCG(dcg='exp-log2')", "ndcg_exp")
        for row in values.values()
        for measure in row
    }
    complete = cases()[name] | {"options": cases()[name]["options"] | {"c": True}}
    scores = score_case(complete, [*measures.values()])["per_query"]
    for query, expected in values.items():
        for measure, value in expected.items():
            assert round(scores[query][measures[measure]], 5) == value, measure


FAULTS = {  # of the recorded cases: the file, the line and the message
    "ir-039": ("run", 1, "the score is not a number: '1 Q0 a 1 1,5 run'"),
    "ir-041": ("run", 1, "the score is not a number: '1 Q0 a 1 1_000 run'"),
    "ir-087": ("qrels", 1, "the relevance is not an integer: '1 0 a 2.7'"),
    "ir-116": ("run", 2, "the query has this document already: '1 Q0 a 2 2 run'"),
    "ir-118": ("qrels", 2, "the query has this document already: '1 0 a 1'"),
    "ir-124": ("run", 3, "the query has this document already: '2 Q0 b 2 5 run'"),
    "ir-133": ("run", 1, "expected 6 columns (query, Q0, document, rank, score, tag), got 3"),
    "ir-135": ("qrels", 1, "expected 4 columns (query, iteration, document, relevance), got 5"),
    "ir-145": ("qrels", None, "qrels has no rows"),
}


@needs_cases
def test_every_case_with_an_error_is_tested():
    assert FAULTS.keys() == cases().keys() - set(valid())


@pytest.mark.parametrize("name", sorted(cases().keys() - set(valid())))
def test_a_case_with_an_error_is_one_line(tmp_path, name):
    file, line, problem = FAULTS[name]
    path = tmp_path / file
    path.write_bytes(cases()[name][file].encode("utf-8"))
    message = f"{path}, line {line}: {problem}" if line else f"{path} has no rows"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}") as error:
        {"run": read_run, "qrels": read_qrels}[file](path)

    assert len(str(error.value).splitlines()) == 1


# Worked examples


def examples():
    """The printed examples that are files."""
    file = GIVEN / "worked_examples.jsonl"
    if not file.exists():
        return []
    return [
        example
        for example in map(json.loads, file.read_text("utf-8").splitlines())
        if "files" in example
    ]


@pytest.mark.parametrize("example", examples(), ids=lambda example: example["source"])
def test_a_printed_example_comes_out(tmp_path, example):
    for name, text in example["files"].items():
        (tmp_path / name).write_text(text)
    means = score_run(tmp_path / "qrels", tmp_path / "run", [*example["measures"]])["mean"]

    assert {name: round(mean, 15) for name, mean in means.items()} == example["measures"]


# pytrec_eval, live

PEERS = {
    "map",
    "gm_map",
    "recip_rank",
    "Rprec",
    "bpref",
    "ndcg",
    "num_ret",
    "num_rel",
    "num_rel_ret",
    "P.1,2,3,5,10,100",
    "recall.1,2,3,5,10,100",
    "ndcg_cut.1,2,3,5,10,100",
    "map_cut.1,2,3,5,10,100",
    "success.1,2,3,5,10,100",
}
documents = st.text("ab-19éα文😀", min_size=1, max_size=12).map(lambda text: text * 3)
some_documents = st.lists(
    documents | st.sampled_from([f"FR94{n:04}" for n in range(30)]), unique=True, max_size=40
)


@st.composite
def runs(draw):
    """Judgments and a run with many ties. No query has only negative judgments.

    For such a query trec_eval reads memory that it did not allocate, and so does pytrec_eval.
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


@settings(max_examples=150, deadline=None)
@given(runs(), st.sampled_from([1, 2]), st.booleans())
def test_generated_runs_score_as_with_pytrec_eval(data, level, judged_only):
    qrels, run = data
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, PEERS, relevance_level=level, judged_docs_only_flag=judged_only
    )
    expected = evaluator.evaluate(run)
    names = {measure: translate(measure) for row in expected.values() for measure in row}
    if not names:
        return
    result = score_run(
        qrels,
        run,
        [*names.values()],
        missing="skip",
        score_dtype="float32",
        relevance_level=level,
        judged_only=judged_only,
    )

    assert result["per_query"].keys() == expected.keys()
    for query, row in expected.items():
        row["gm_map"] = max(row["map"], 1e-5)  # pytrec_eval returns the logarithm
        assert result["per_query"][query] == {names[name]: row[name] for name in names}
    for name in names.keys() - {"gm_map"}:
        values = [expected[query][name] for query in sorted(expected, key=str.encode)]
        mean = pytrec_eval.compute_aggregated_measure(name, values)
        assert result["mean"][names[name]] == mean
