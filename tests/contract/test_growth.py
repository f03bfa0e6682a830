"""CPU time of one row at 1, 2, 4 and 8 times its size: as its size, or as the product of two.

The ratios are asserted, not the times, so that a slow or busy machine agrees. Steps of extraction
and normalizers of transcripts have tests of their own, beside theirs.
"""

import json
import random
from time import process_time

import pytest

import metric_commons

pytestmark = pytest.mark.slow

FACTORS = (2, 4, 8)
# Of the usual growth; eight times a text of which time is the square takes 64 times as long.
SLACK, FLOOR = 2.5, 0.004


def words(n, seed):
    chance = random.Random(seed)
    return " ".join(f"w{chance.randrange(400)}" for _ in range(n))


def repeated(n, seed):
    return "the cat sat on the mat. " * (n // 6)


def one_word(n, seed):
    return "ab" * (3 * n) + str(seed)


def lines(n, seed):
    return words(n, seed).replace(" w1", "\nw1")


def stuck_lines(n, seed):
    return "the cat sat on\n" * (n // 4)


def short_lines(n, seed):
    chance = random.Random(seed)
    return "\n".join(" ".join(f"w{chance.randrange(20)}" for _ in range(4)) for _ in range(n))


def nested(n, seed, width=1):
    """Lists within lists, each with a few others that differ."""
    value = [seed]
    for level in range(n):
        value = [value, *([level + seed * n * k] for k in range(width))]
    return json.dumps(value)


def wide(n, seed):
    return nested(n, seed, width=3)


def calls(n, seed):
    chance = random.Random(seed)
    return json.dumps(
        [
            {"name": f"f{k % 3}", "arguments": {name: chance.randrange(9) for name in "abc"}}
            for k in range(n)
        ]
    )


def spans(n, seed):
    chance = random.Random(seed)
    starts = [chance.randrange(n) for _ in range(n)]
    ends = [start + chance.randrange(1, 9) for start in starts]
    return {"type": [chance.choice("ABC") for _ in starts], "start": starts, "end": ends}


def overlapping(n, seed):
    kinds = ["A" if seed == 1 else "B"] * n
    return {"type": kinds, "start": list(range(n)), "end": list(range(n, 2 * n))}


TEXTS = (words, repeated, one_word, stuck_lines)
LINEAR = [
    # Arrays of chrF for shorter texts are small enough to stay in the memory of those before.
    (module, options, text, 16_000 if module == "chrf" else 4_000)
    for module, options in (
        ("qa_em", {}),
        ("qa_f1", {}),
        ("qa_f1", {"normalizer": "drop"}),
        ("squad_v2", {}),
        ("substring_recall", {"match": "substring"}),
        ("substring_recall", {"match": "tokens"}),
        ("substring_recall", {"match": "token_set"}),
        ("rouge_n_l", {"rouge_types": ["rouge1", "rouge2"], "use_stemmer": True}),
        ("bleu", {}),
        ("chrf", {"word_order": 2}),
        ("sari", {}),
        ("math_equivalence", {}),
    )
    for text in TEXTS
] + [
    ("rouge_n_l", {"rouge_types": ["rougeLsum"]}, stuck_lines, 4_000),
    ("json_match", {"list_order": "any"}, nested, 28),
    ("json_match", {"list_order": "any", "by_path": True}, nested, 28),
    ("json_match", {"list_order": "any", "by_path": True}, wide, 28),
    ("json_match", {"list_order": "any", "abs_tol": 0.1}, wide, 28),
    ("json_match", {"list_order": "any", "by_path": True, "abs_tol": 0.1}, wide, 28),
    ("json_match", {"by_path": True}, calls, 200),
    ("json_match", {"parse": "found"}, calls, 200),
    ("json_match", {"parse": "fenced"}, calls, 200),
    ("tool_calls", {}, calls, 200),
    *(("span_f1", {"match": match}, spans, 1_000) for match in ("strict", "exact", "type")),
]
# By their definitions as the product of both sides; SECURITY.md says so.
PRODUCT = [
    ("error_rate", {}, words, 500),
    ("error_rate", {"unit": "character"}, words, 500),
    ("error_rate", {"unit": "character"}, one_word, 500),
    ("ter", {}, words, 200),
    ("ter", {}, repeated, 200),
    *(("rouge_n_l", {"rouge_types": ["rougeL"]}, text, 1_000) for text in TEXTS),
    *(("rouge_n_l", {"rouge_types": ["rougeLsum"]}, text, 1_000) for text in (words, lines)),
    ("rouge_n_l", {"rouge_types": ["rougeLsum"]}, short_lines, 200),
    ("json_match", {"list_order": "any"}, calls, 20),
    ("tool_calls", {"arguments": "superset"}, calls, 100),
    ("tool_calls", {"arguments": "subset", "match": "in_order"}, calls, 100),
    *(("span_f1", {"match": match}, overlapping, 100) for match in ("partial", "type")),
]


def seconds(module, options, text, size):
    """The least CPU time of three calls, of one row."""
    rows = {"predictions": [text(size, 1)], "references": [text(size, 2)]}
    if module == "squad_v2":
        rows["references"] = [rows["references"]]
    if module == "sari":
        rows = {"sources": rows["references"], **rows, "references": [rows["references"]]}
    times = []
    for _ in range(3):
        start = process_time()
        module_of(module).compute(**rows, **options)
        times.append(process_time() - start)
    return min(times)


LOADED = {}


def module_of(name):
    if name not in LOADED:
        LOADED[name] = metric_commons.load(name)
    return LOADED[name]


def name_of(case):
    module, options, text, _ = case
    return "-".join([module, *map(str, options.values()), text.__name__])


@pytest.mark.parametrize(
    ("case", "power"),
    [
        pytest.param(case, power, id=name_of(case))
        for cases, power in ((LINEAR, 1), (PRODUCT, 2))
        for case in cases
    ],
)
def test_time_grows_no_faster_than_it_must(case, power):
    module, options, text, size = case
    first = seconds(module, options, text, size)
    for factor in FACTORS:
        taken = seconds(module, options, text, size * factor)
        assert taken < SLACK * factor**power * max(first, FLOOR / factor), (factor, first, taken)
