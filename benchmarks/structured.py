"""CPU time of tool calls and JSON beside agentevals and deepdiff, on the same rows.

    python benchmarks/structured.py [ROWS]

Rows are drawn with a seed: conversations of one to four calls, and objects of eight fields, half of
them with an error. Both sides start from JSON texts, as files hold them, and their verdicts are
compared.
"""

import json
import random
import sys
from time import process_time

from agentevals.trajectory.match import create_trajectory_match_evaluator
from deepdiff import DeepDiff

from metric_commons import load


def cpu(function, *arguments):
    """The CPU seconds of a call, the least of three, and what it returns."""
    seconds = []
    for _ in range(3):
        start = process_time()
        result = function(*arguments)
        seconds.append(process_time() - start)
    return min(seconds), result


def call(chance):
    arguments = {
        "city": chance.choice(["Rome", "Oslo", "Lima"]),
        "days": chance.randrange(1, 4),
        "units": {"temperature": chance.choice("CF"), "wind": "km/h"},
    }
    return {"name": chance.choice(["forecast", "history"]), "arguments": arguments}


def conversations(chance, rows):
    expected = [[call(chance) for _ in range(chance.randrange(1, 5))] for _ in range(rows)]
    predicted = []
    for calls in expected:
        calls = json.loads(json.dumps(calls))
        chance.shuffle(calls)
        if chance.random() < 0.5:
            calls[0]["arguments"]["days"] += 1
        predicted.append(calls)
    return predicted, expected


def message(calls):
    functions = [
        {"function": {"name": call["name"], "arguments": json.dumps(call["arguments"])}}
        for call in calls
    ]
    return {"role": "assistant", "content": "", "tool_calls": functions}


def tool_calls(rows):
    predicted, expected = conversations(random.Random(0), rows)
    texts = [json.dumps(message(calls)) for calls in predicted]
    references = [json.dumps(calls) for calls in expected]
    metric = load("tool_calls")

    def ours():
        columns = {"predictions": texts, "references": references}
        return metric.compute(**columns, per_example=True)["per_example"]["exact_match"]

    evaluator = create_trajectory_match_evaluator(trajectory_match_mode="unordered")

    def agentevals():
        return [
            float(
                evaluator(
                    outputs=[json.loads(text)], reference_outputs=[message(json.loads(reference))]
                )["score"]
            )
            for text, reference in zip(texts, references, strict=True)
        ]

    return ours, agentevals


def record(chance):
    items = [{"sku": chance.randrange(99), "price": chance.random()} for _ in range(4)]
    return {"id": chance.randrange(999), "name": "Ada", "tags": ["a", "b"], "items": items}


def json_match(rows, *, any_order):
    chance = random.Random(1)
    expected = [record(chance) for _ in range(rows)]
    predicted = json.loads(json.dumps(expected))
    for value in predicted:
        if any_order:
            chance.shuffle(value["items"])
        if chance.random() < 0.5:
            value["items"][0]["sku"] += 1
    texts = list(map(json.dumps, predicted)), list(map(json.dumps, expected))
    metric = load("json_match", list_order="any" if any_order else "ordered")
    options = {"ignore_numeric_type_changes": True}
    if any_order:
        options |= {"ignore_order": True, "report_repetition": True}

    def ours():
        columns = dict(zip(("predictions", "references"), texts, strict=True))
        return metric.compute(**columns, per_example=True)["per_example"]["exact_match"]

    def deepdiff():
        return [
            float(not DeepDiff(json.loads(reference), json.loads(prediction), **options))
            for prediction, reference in zip(*texts, strict=True)
        ]

    return ours, deepdiff


def main(rows=500):
    print(f"{rows} rows; CPU milliseconds per 1,000 rows, one process")
    for name, peer, (ours, theirs) in (
        ("tool_calls", "agentevals", tool_calls(rows)),
        ("json_match", "deepdiff", json_match(rows, any_order=False)),
        ("json_match, any order", "deepdiff", json_match(rows, any_order=True)),
    ):
        (seconds, found), (peer_seconds, expected) = cpu(ours), cpu(theirs)
        if found != expected:
            raise SystemExit(f"{name}: verdicts differ from those of {peer}")
        scale = 1e6 / rows
        print(
            f"{name:22} {seconds * scale:8.1f}   {peer:10} {peer_seconds * scale:9.1f}   "
            f"ratio {peer_seconds / seconds:6.1f}"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
