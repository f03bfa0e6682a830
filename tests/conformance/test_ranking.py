"""Means of real runs by two versions of trec_eval, to the last bit."""

import csv
import re
from collections import defaultdict
from itertools import groupby

import pytest

from metric_commons.trec import read_qrels, read_run, score_run
from tests.spec import GIVEN

IR = GIVEN / "data" / "ir"
NAMES = {"P": "precision", "ndcg_cut": "ndcg", "map_cut": "map", "recip_rank": "mrr"}
VERSIONS = {"trec_eval_9.0.8": "float32", "trec_eval_10.0-rc3": "float64"}

pytestmark = pytest.mark.skipif(not IR.is_dir(), reason=f"{IR} is absent")


def ours(measure):
    """What we call a measure of trec_eval.

    >>> ours("ndcg_cut_10"), ours("Rprec")
    ('ndcg@10', 'rprec')
    """
    stem, cutoff = re.fullmatch(r"(\w+?)(?:_(\d+))?", measure).groups()
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


@pytest.mark.parametrize(("qrels", "run", "by_flags"), [*figures()] if IR.is_dir() else [])
@pytest.mark.parametrize("version", VERSIONS)
def test_means_are_those_of_trec_eval(version, qrels, run, by_flags):
    judgments, ranked = read_qrels(IR / qrels), read_run(IR / run)
    for flags, rows in by_flags.items():
        given = {ours(row["measure"]): float(row[version]) for row in rows if row[version]}
        if not given:  # this version ends with an error
            continue
        scores = score_run(
            judgments, ranked, [*given], score_dtype=VERSIONS[version], **options(flags)
        )["mean"]

        if flags == "-c -l 2":  # with -c trec_eval counts what is above 0 here, whatever -l says
            assert scores.pop("num_rel") < given.pop("num_rel")
        assert scores == given
