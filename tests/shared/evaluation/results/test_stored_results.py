"""Results, parts and states in damaged files: one line, never other numbers."""

import json
import random
import re

import pytest
from metric_commons.evaluation.scoring.states import Part, State

from metric_commons.data.files import stored_columns
from metric_commons.data.files.stored import checksum
from metric_commons.evaluation.results.results import Results
from metric_commons.evaluation.scoring.scoring import score
from metric_commons.module.catalog import catalog
from metric_commons.module.declaration.declarations import REPORTING
from metric_commons.statistics.arguments.domains import check_score, score_range
from tests.spec import METRICS, specs

ROWS = {"predictions": ["Paris", "Rome", "Oslo"], "references": ["paris", "Rom", "Oslo"]}


@pytest.fixture(scope="module")
def results():
    return score("qa_em", **ROWS, confidence_level=0.9, groups=["a", "a", "b"])


@pytest.fixture
def part():
    state = State("qa_em")
    state.update(**ROWS)
    source = {"path": "1.jsonl", "sha256": "1" * 64, "rows": 3}
    return Part({"bot": {"qa_em": state}}, [source])


def mutants(text, count):
    """A text with small damages: digits, letters, keys and pieces."""
    dice = random.Random(0)
    for _ in range(count):
        at = dice.randrange(len(text))
        yield dice.choice(
            [
                text[:at] + dice.choice('0123456789"{}[],:-e. ') + text[at + 1 :],
                text[:at] + text[at + dice.randrange(1, 30) :],
                text[:at] + text[at : at + 12] * 2 + text[at + 12 :],
                text[:at],
            ]
        )


def test_damaged_files_are_refused_or_the_same(results, part):
    refused = 0
    for stored, kind in ((results, Results), (part, Part), (part.states["bot"]["qa_em"], State)):
        text = stored.to_json()
        for mutant in mutants(text, 300):
            try:
                again = kind.from_json(mutant)
            except ValueError:
                refused += 1
            else:
                assert again.to_dict() == stored.to_dict()

    assert refused > 800


def changed(stored, path, value):
    """A file in which one value is another, with a checksum that fits."""
    content = json.loads(stored.to_json())
    del content["sha256"]
    at = content
    *folders, last = path.split(".")
    for key in folders:
        at = at[int(key) if isinstance(at, list) else key]
    at[int(last) if isinstance(at, list) else last] = value
    return json.dumps(content | {"sha256": checksum(content)})


@pytest.fixture(scope="module")
def compared():
    systems = {"a": ROWS["predictions"], "b": ["paris", "x", "y"]}
    return score(
        "qa_em",
        predictions=systems,
        references=ROWS["references"],
        confidence_level=0.9,
        groups=["a", "a", "b"],
        compare=True,
        inputs=[{"path": "1.jsonl", "sha256": "1" * 64, "rows": 3}],
    )


OF_A = "systems.a.qa_em"


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (f"{OF_A}.scores.qa_em", 7.5, "qa_em is 7.5, but must lie between 0 and 1"),
        (f"{OF_A}.scores.qa_em", -1, "qa_em is -1, but must lie between 0 and 1"),
        (f"{OF_A}.scores.qa_em", "0.5", "qa_em is '0.5', but must be a number"),
        (f"{OF_A}.scores", {}, "module 'qa_em' lacks scores"),
        (f"{OF_A}.scores", 7.5, "scores must be an object"),
        (f"{OF_A}.rows", "3", "rows must be an integer, at least 0, got '3'"),
        (f"{OF_A}.rows", True, "rows must be an integer"),
        (f"{OF_A}.rowss", 3, "module 'qa_em' has a key 'rowss'; did you mean 'rows'?"),
        (f"{OF_A}.signature", 1, "signature must be a string"),
        (f"{OF_A}.options", None, "options must be an object"),
        (f"{OF_A}.lower_is_better", "qa_em", "lower_is_better must be a list"),
        (f"{OF_A}.scores.qa_f1", "x", "qa_f1 is 'x'"),
        (f"{OF_A}.confidence_interval.qa_em", [0.9, 0.1], "not two ends"),
        (f"{OF_A}.confidence_interval.qa_em", [1], "not two ends"),
        (f"{OF_A}.confidence_interval.qa_em", [0.1, 7.5], "qa_em is 7.5"),
        (f"{OF_A}.confidence_interval.qa_f1", [0, 1], "names 'qa_f1', which is not a score"),
        (f"{OF_A}.effective_n.qa_em", -1, "effective_n of 'qa_em' must be a number"),
        (f"{OF_A}.interval.qa_em", "\x1b[2J", "which is not the name of a method"),
        (f"{OF_A}.value_counts.qa_em", [[0.0, 7.5], [1, 2]], "qa_em is 7.5"),
        (f"{OF_A}.groups.a.qa_em", 7.5, "qa_em is 7.5"),
        (f"{OF_A}.groups.a.n", "2", "n of group 'a' must be an integer"),
        (f"{OF_A}.lower_is_better", ["qa_f1"], "lower_is_better names 'qa_f1'"),
        ("comparisons.0.p_value", 7.5, "p_value must be a number from 0 to 1"),
        ("comparisons.0.p_valeu", 0.5, "a comparison has a key 'p_valeu'; did you mean 'p_value'?"),
        ("comparisons.0.score", "qa_f1", "by 'qa_f1' names 'a', which does not have it"),
        ("comparisons.0.a", "c", "names 'c', which does not have it"),
        ("comparisons.0.options.alpha", 5, "alpha must be a number strictly between 0 and 1"),
        ("comparisons.0.rows", 0, "rows must be an integer, at least 1"),
        ("ranks.qa_em.a.tier", "1", "tier must be an integer"),
        ("provenance.inputs.0.sha256", "1", "which is not a digest"),
        ("provenance.inputs.0.rows", -3, "rows must be"),
        ("provenance.created", "soon", "created"),
        ("provenance.versions.numpy", 2, "the version of 'numpy' must be a string"),
        ("provenance.versoins", {}, "provenance has a key 'versoins'; did you mean 'versions'?"),
        ("system", {}, "a result has a key 'system'; did you mean 'systems'?"),
        ("systems.c", [], "system 'c' must be an object"),
    ],
)
def test_values_of_other_types_and_ranges_are_refused(compared, path, value, message):
    with pytest.raises(ValueError, match=re.escape(message)) as raised:
        Results.from_json(changed(compared, path, value))

    assert "\n" not in str(raised.value)
    assert Results.from_json(changed(compared, "format", compared.FORMAT)).systems


def leaves(value, path=()):
    """The paths to all values of a JSON document."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield ".".join([*path, str(key)])
        if isinstance(item, dict | list):
            yield from leaves(item, (*path, str(key)))


@pytest.mark.long
def test_no_value_of_another_type_makes_a_traceback(compared):
    paths = [p for p in leaves(json.loads(compared.to_json())) if p.count("metric-commons") == 0]
    dice = random.Random(0)
    outcomes = []
    for path in dice.sample(paths, 40):
        if path == "sha256":
            continue
        for odd in ("x", -1, 7.5, None, [], {}, True, 10**400, "\x1b[2J"):
            try:
                again = Results.from_json(changed(compared, path, odd))
            except ValueError:
                outcomes.append(False)
            else:
                outcomes.append(bool(again.to_table() and again.to_csv() and again.to_json()))

    assert outcomes.count(False) > 0.8 * len(outcomes)


@pytest.mark.parametrize("name", METRICS)
def test_what_every_module_returns_may_be_stored(name, tmp_path):
    ranges = catalog.score_ranges(name)
    assert ranges == catalog.load(name).score_ranges
    for spec in specs(name):
        for key, value in spec.result.items():
            check_score(key, value, ranges)
        for key, (low, high) in spec.ranges.items():
            least, greatest = score_range(key, ranges)
            assert least <= low
            assert greatest >= high - 0.1 or key == "coverage"
        metric = catalog.load(name)
        columns = {key: spec.sample[key] for key in metric.input_names if key in spec.sample}
        if "predictions" not in columns:
            continue
        options = {key: value for key, value in spec.sample.items() if key not in columns}
        level = {"confidence_level": 0.9} if "confidence_level" in metric.options else {}
        results = score(name, **columns, options=_of_scores(options), **level, n_resamples=50)
        assert Results.from_json(results.to_json()).to_dict() == results.to_dict()


def _of_scores(options):
    return {name: value for name, value in options.items() if name not in REPORTING}


def test_rows_have_types_and_ranges(tmp_path):
    results = score("qa_em", **ROWS, ids=["x", "y", "z"], rows=True)
    saved = results.save_rows(tmp_path / "rows.jsonl")
    lines = (tmp_path / "rows.jsonl").read_text().splitlines()
    saved.with_rows(tmp_path / "rows.jsonl")
    for change, message in (
        ({"row": "0"}, "row must be an integer"),
        ({"row": True}, "row must be an integer"),
        ({"scores": []}, "scores must be an object"),
        ({"scores": {"qa_em": "1.0"}}, "qa_em must be a number"),
        ({"scores": {"qa_em": True}}, "qa_em must be a number"),
        ({"scores": {"qa_em": 7.5}}, "qa_em[0] is 7.5: qa_em is 7.5, but must lie between 0 and 1"),
        ({"scores": {}}, "has 2 rows of qa_em, but 3 were scored"),
        ({"scores": {"qa_f1": 1}}, "'qa_f1' is unknown"),
        ({"system": 1}, "system must be a string"),
        ({"id": None}, "id must be"),
        ({"id": {}}, "id must be"),
        ({"text": "x"}, "a row has a key 'text'"),
        ({"statistics": {"qa_em": {}}}, "some rows of 'predictions' have 'qa_em', not all"),
        ({"statistics": []}, "statistics must be an object"),
    ):
        first = json.dumps(json.loads(lines[0]) | change)
        (tmp_path / "rows.jsonl").write_text("\n".join([first, *lines[1:]]) + "\n")
        with pytest.raises(ValueError, match=re.escape(message)) as raised:
            saved.with_rows(tmp_path / "rows.jsonl")
        assert "\n" not in str(raised.value)


def test_a_changed_number_is_noticed(results):
    text = results.to_json().replace('"rows": 3', '"rows": 4')
    with pytest.raises(ValueError, match="the content has changed since it was written"):
        Results.from_json(text)


def test_nothing_is_merged_into_itself(part):
    for stored in (part, part.states["bot"]["qa_em"]):
        with pytest.raises(ValueError, match="cannot be merged into itself"):
            stored.merge(stored)


def test_a_shard_is_known_by_its_content(part):
    other = Part.from_json(part.to_json())
    other.inputs[0]["path"] = "copy.jsonl"
    with pytest.raises(ValueError, match=r"copy.jsonl are in both parts, there as 1.jsonl"):
        part.merge(other)

    assert len(part.states["bot"]["qa_em"]) == 3


def state_of(name, number, **labels):
    """The state of rows of a module's ordinary call."""
    sample = specs(name)[number].sample
    metric = catalog.load(name)
    columns = {key: value for key, value in sample.items() if key not in metric.options}
    stated = sample.keys() - columns.keys() - REPORTING - {"sample_weight"}
    state = State(name, **{key: sample[key] for key in stated})
    state.update(**columns, **labels)
    return state


CLUSTERS = {"clusters": ["a", "a", "b"]}
SCORES_OF_EM = "statistics.0.1.0.qa_em"
CLUSTERS_OF_EM = "statistics.0.1.1.qa_em"


@pytest.mark.parametrize(
    ("state", "path", "value", "message"),
    [
        (("qa_em", 0), f"{SCORES_OF_EM}.0.1", 7.5, "qa_em[1] is 7.5, but must lie between 0 and 1"),
        (("qa_em", 0), f"{SCORES_OF_EM}.0.0", -1, "qa_em[0] is -1.0, but must lie between 0"),
        (("qa_em", 0), f"{SCORES_OF_EM}.1", [1, -1], "are positive integers"),
        (("qa_em", 0, CLUSTERS), f"{CLUSTERS_OF_EM}.0", 10**9, "which no float has"),
        (("qa_em", 0, CLUSTERS), "statistics.0.1.1", {}, "qa_em is missing"),
        (("ir_ranking", 0), "statistics.columns.=mrr.0", 1.5, "mrr[0] is 1.5, but must lie betw"),
        (("ir_ranking", 0), "statistics.columns.integer.1", 0, "ranking 0 occurs twice"),
        (("span_f1", 0), "statistics.columns.=tags.0", -1, "tags[0] is -1, but must be at least 0"),
        (("error_rate", 0), "statistics.columns.=hits", "abcd", "=hits is str, not a column"),
        (("squad_v2", 0), "statistics.columns.f1.0", 7.5, "f1[0] is 7.5, but must lie between"),
        (("squad_v2", 0), "statistics.columns.exact", [0.0, 0.5, 1.0, 2.0], "exact[3] is 2.0"),
        (("squad_v2", 0), "statistics.names", [], "is a column without a name"),
        (("regression", 0), "statistics.0.1.0.sums.absolute.0", -1, "sum of absolute is negative"),
        (("regression", 0), "statistics.0.1.0.sums", {}, "sums of terms are missing"),
        (("regression", 0), "statistics.0.1", [], "sums of outputs are missing"),
        (("regression", 0), "statistics.0.1.0.weight", [-1, 1], "the sum of weights is negative"),
        (("chrf", 0), "options.char_order", 10**15, "char_order must be an integer from 1 to 100"),
        (("qa_em", 0), "rows", 10**15, "damaged: it should have 1000000000000000 rows"),
        (("qa_em", 0), "seed", 1, "a state has a key 'seed'"),
    ],
)
def test_a_state_that_no_rows_leave_is_refused_though_the_checksum_fits(
    state, path, value, message
):
    name, number, *labels = state
    rows = state_of(name, number, **(labels[0] if labels else {}))
    text = changed(rows, path, value)
    part = Part({"bot": {name: rows}})
    in_part = changed(part, f"states.bot.{name}.{path}", value)

    with pytest.raises(ValueError, match=re.escape(message)) as raised:
        State.from_json(text)
    assert "\n" not in str(raised.value)
    with pytest.raises(ValueError, match=re.escape(message)) as raised:
        Part.from_json(in_part)
    assert str(raised.value).startswith("system 'bot': ")


def test_a_binary_file_names_file_system_column_and_row(tmp_path):
    state = State("qa_f1")
    words = [str(number) for number in range(40)]
    for number in range(1, 41):
        state.update(predictions=[" ".join(words[:number])], references=[" ".join(words)])
    content = state.content()
    values = content["statistics"][0][1][0]["qa_f1"][0]
    values[39] = 7.5
    body = stored_columns._packed(content)
    path = tmp_path / "1.state"
    path.write_bytes(stored_columns._first_line(State.FORMAT, body) + body)

    with pytest.raises(ValueError, match=r"1\.state: the state of qa_f1 .*: qa_f1\[39\] is 7\.5, "):
        State.read(path)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("seed", 1, "a part has a key 'seed'"),
        ("states", {}, "different modules, or there are none"),
        ("states.bot", {}, "different modules, or there are none"),
        ("states.bot.qa_em.module", "qa_f1", "the state of qa_em is one of qa_f1"),
        ("inputs.0.sha256", "1", "which is not a digest"),
        ("inputs.0.rows", -3, "rows must be"),
        ("inputs", {}, "inputs must be a list"),
        ("rows", {"cat": {"references": 1}}, "rows are of system 'cat', which has no states"),
        ("rows", {"bot": {"references": -1}}, "the digest of 'references' is -1"),
        ("preset", 1, "preset must be a string"),
    ],
)
def test_a_part_has_what_parts_have(part, path, value, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Part.from_json(changed(part, path, value))


def test_clusters_of_a_result_have_types():
    clustered = score("qa_em", **ROWS, confidence_level=0.9, clusters=["a", "a", "b"])
    of_em = "systems.predictions.qa_em.cluster_counts.qa_em"
    for path, value, message in (
        (f"{of_em}.0", 10**9, "the unit of cluster_counts"),
        (f"{of_em}.1.0.0", -1, "not rows, sum and number"),
        (of_em, [], "are not counts of clusters"),
    ):
        with pytest.raises(ValueError, match=re.escape(message)):
            Results.from_json(changed(clustered, path, value))


def test_rows_without_weight_leave_a_state_that_can_be_stored():
    state = State("regression")
    state.update(predictions=[1.0], references=[2.0], sample_weight=[0.0])
    again = State.from_json(state.to_json())
    again.update(predictions=[1.0], references=[2.0], sample_weight=[0.5])

    assert again.result()["mae"] == 1.0
