"""Spans beside seqeval and nervaluate: recorded cases, seqeval itself, and published figures."""

import csv
import gzip
import json
import math
import random
import re

import pytest

from metric_commons import load
from metric_commons.labels.spans.spans import span_statistics
from tests.spec import GIVEN, ROOT, recorded, rounds

DATA = GIVEN / "data" / "sequences"
CARD = ROOT / "metrics" / "span_f1" / "README.md"
CASES = [case for case in recorded("sequences") if case["module"] == "span_f1"]
SCHEMES = {
    None: "BIESULX",
    "IOB1": "IB",
    "IOB2": "IB",
    "IOE1": "IE",
    "IOE2": "IE",
    "IOBES": "BIES",
    "BILOU": "BILU",
}
AVERAGES = {"micro": "", "macro": "macro_", "weighted": "weighted_"}

published = pytest.mark.skipif(not DATA.exists(), reason=f"no tags at {DATA}")


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_recorded_case(case):
    if "error" in case["expected"]:
        with pytest.raises(ValueError):  # noqa: PT011 - which one is tested elsewhere
            load("span_f1").compute(**case["inputs"], **case["options"])
        return
    found = load("span_f1").compute(**case["inputs"], **case["options"])
    for key, value in case["expected"].items():
        assert found[key] == value or (value == "nan" and math.isnan(found[key])), key


def test_the_card_counts_the_cases():
    counted = re.findall(
        r"^\| (seqeval|nervaluate)[^|]*\| .*? \| (.+?) \|", CARD.read_text("utf-8"), re.M
    )
    peers = {
        name: sum(any(peer.startswith(name) for peer in case["peers"]) for case in CASES)
        for name in ("seqeval", "nervaluate")
    }

    assert dict(counted) == {name: f"{cases} of {cases}" for name, cases in peers.items()}


# seqeval itself


def random_rows(chance, letters):
    """Tags of some rows, of which the predicted ones are mostly the true ones."""
    references, predictions = [], []
    for _ in range(8):
        size = chance.randrange(10)
        types = ["-A", "-B", "-C-D", f"-T{chance.randrange(20)}"]
        rows = [
            [
                "O" if chance.random() < 0.3 else chance.choice(letters) + chance.choice(types)
                for _ in range(size)
            ]
            for _ in range(2)
        ]
        references.append(rows[0])
        predictions.append([chance.choice([*2 * tag[:1], *tag]) for tag in zip(*rows, strict=True)])
    return predictions, references


def same(found, expected):
    return found == expected or (math.isnan(found) and math.isnan(expected))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@rounds(40, 150)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_seqeval(scheme, rounds):
    seqeval = pytest.importorskip("seqeval.metrics.sequence_labeling")
    strict = pytest.importorskip("seqeval.metrics.v1")
    schemes = pytest.importorskip("seqeval.scheme")
    chance = random.Random(SCHEMES[scheme])
    for _ in range(rounds):
        predictions, references = random_rows(chance, SCHEMES[scheme])
        found = span_statistics(predictions, references, scheme=scheme).result()
        if not found["per_type"]:
            continue
        for average, prefix in AVERAGES.items():
            if scheme is None:
                expected = seqeval.precision_recall_fscore_support(
                    references, predictions, average=average
                )
            else:
                expected = strict.precision_recall_fscore_support(
                    references, predictions, average=average, scheme=getattr(schemes, scheme)
                )
            scores = [found[f"{prefix}{key}"] for key in ("precision", "recall", "f1")]
            assert all(map(same, scores, expected[:3])), (predictions, references)
            assert found["support"] == expected[3]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("scheme", [None, "IOB2", "BILOU"])
def test_the_result_of_evaluate(scheme):
    seqeval = pytest.importorskip("seqeval.metrics")
    schemes = pytest.importorskip("seqeval.scheme")
    strict = {"mode": "strict", "scheme": getattr(schemes, scheme)} if scheme else {}
    options = {"mode": "strict", "scheme": scheme} if scheme else {}
    module = load("span_f1", result_format="seqeval")
    predictions, references = random_rows(random.Random(20), SCHEMES[scheme])

    report = seqeval.classification_report(references, predictions, output_dict=True, **strict)
    names = {"precision": "precision", "recall": "recall", "f1": "f1-score", "number": "support"}
    averages = {average: report.pop(f"{average} avg") for average in ("micro", "macro", "weighted")}
    assert module.compute(predictions=predictions, references=references, **options) == {
        **{
            kind: {key: scores[name] for key, name in names.items()}
            for kind, scores in report.items()
        },
        **{f"overall_{key}": averages["micro"][names[key]] for key in list(names)[:3]},
        "overall_accuracy": seqeval.accuracy_score(references, predictions),
    }


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@rounds(500, 1_500)
def test_one_row_of_any_tags(rounds):
    seqeval = pytest.importorskip("seqeval.metrics")
    chance = random.Random(2)
    letters = "BIESOX.b-"
    for _ in range(rounds):
        rows = [
            [
                "".join(chance.choice(letters) for _ in range(chance.randrange(1, 4)))
                for _ in range(6)
            ]
            for _ in range(2)
        ]
        expected = seqeval.f1_score(rows[1:], rows[:1])

        assert span_statistics(rows[:1], rows[1:]).result()["f1"] == expected, rows


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@rounds(250, 1_000)
@pytest.mark.parametrize("suffix", [False, True])
def test_rows_of_any_tags_have_the_result_of_evaluate(suffix, rounds):
    seqeval = pytest.importorskip("seqeval.metrics")
    chance = random.Random(3)
    module, plain = load("span_f1", result_format="seqeval"), load("span_f1")
    keys = {"precision": "precision", "recall": "recall", "f1": "f1-score"}
    differences = 0
    for _ in range(rounds):
        tags = ["O", *chance.choice(["BMES", "BILU", "BIX."])]
        if chance.random() < 0.5:  # some with types
            tags += [f"A-{tag}" if suffix else f"{tag}-A" for tag in tags]
        sizes = [chance.randrange(1, 4), *(chance.randrange(4) for _ in range(3))]
        references = [chance.choices(tags, k=size) for size in sizes]
        predictions = [
            [tag if chance.random() < 0.7 else chance.choice(tags) for tag in row]
            for row in references
        ]
        columns = {"predictions": predictions, "references": references, "suffix": suffix}

        report = seqeval.classification_report(
            references, predictions, output_dict=True, suffix=suffix
        )
        found = module.compute(**columns)
        if "micro avg" not in report:  # there are no spans
            assert found["overall_f1"] == 0
            continue
        totals = {key: found[f"overall_{key}"] for key in keys}
        assert totals == {key: report["micro avg"][name] for key, name in keys.items()}, columns
        types = {name: scores for name, scores in found.items() if not name.startswith("overall_")}
        assert types == {
            name: {key: scores[field] for key, field in {**keys, "number": "support"}.items()}
            for name, scores in report.items()
            if not name.endswith(" avg")
        }
        differences += found["overall_f1"] != plain.compute(**columns)["f1"]

    assert differences > rounds / 100  # a span of the row before continues


# Published figures


def sentences(name):
    path = DATA / name
    data = path.read_bytes()
    text = (gzip.decompress(data) if name.endswith(".gz") else data).decode("utf-8")
    rows = [[line.split() for line in part.splitlines()] for part in re.split(r"\n\s*\n", text)]
    rows = [row for row in rows if row]
    return [[tags[-1] for tags in row] for row in rows], [
        [tags[-2] for tags in row] for row in rows
    ]


def figures():
    if not DATA.exists():
        return {}
    with (DATA / "figures.tsv").open(encoding="utf-8") as table:
        rows = [row for row in csv.DictReader(table, delimiter="\t") if row["module"] == "span_f1"]
    tables = {}
    for row in rows:
        key = row["file"], row["options"]
        tables.setdefault(key, {})[row["key"]] = json.loads(row["value"])
    return tables


@pytest.mark.long
@published
@pytest.mark.parametrize(("name", "options"), figures())
def test_recorded_figures_of_systems(name, options):
    expected = figures()[name, options]
    predictions, references = sentences(name)
    found = span_statistics(predictions, references, **json.loads(options)).result()

    assert {key: found[key] for key in expected} == expected


@pytest.mark.long
@published
def test_published_figures():
    conll03 = span_statistics(*sentences("spans/conll03_elmo_9222.tsv.gz")).result()

    assert round(100 * conll03["f1"], 2) == 92.22
