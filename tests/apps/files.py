"""Small files of rows, for the commands that read them."""

import json
from pathlib import Path

from metric_commons.evaluation.results.results import Results


def write_rows(path, rows):
    """Write JSON Lines, in a folder that is made if it is missing, and return the path."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def systems_in(content):
    """The results of modules by system, in the JSON of results or what it says."""
    text = content if isinstance(content, str) else json.dumps(content)
    return Results.from_json(text).systems


def sample_of_lm_eval(number, answer, target, **scores):
    """A generated answer as lm-eval logs it; more fields come with `|`."""
    return {
        "doc_id": number,
        "doc": {},
        "target": target,
        "arguments": [["Q", {"until": ["."]}]],
        "resps": [[answer]],
        "filtered_resps": [answer],
        "filter": "none",
        "metrics": [*scores],
        **scores,
    }
