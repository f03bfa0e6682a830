"""Runs scripts of transformers three times: with evaluate's module, and with ours in two ways.

    python -m tests.apps.official_child RUN.json...

It stands in the folder `metrics` of a checkout of evaluate, so that `evaluate.load("glue")` finds
the stock module. `datasets.load_dataset` returns the data of a task instead of asking the Hub.
"""

import json
import re
import runpy
import sys
import traceback
from pathlib import Path
from typing import Any

from tests.spec import ROOT

WAYS = ("stock", "configured", "patched")
# What a script writes beside its scores; `_mm` is for the mismatched part of MNLI.
TIMES = re.compile(r"(^epoch|_runtime|_per_second|_time|_samples)(_mm)?$")


def scores(run: dict[str, Any], way: str) -> dict[str, Any]:
    """The scores that the script writes."""
    import metric_commons

    script, output = Path(run["script"]), Path(run["folder"]) / way
    path = edited(script, run) if way == "configured" else script
    sys.argv = [str(path), *run["arguments"], "--output_dir", str(output)]
    if way == "patched":
        with metric_commons.patch_evaluate():
            runpy.run_path(str(path), run_name="__main__")
    else:
        runpy.run_path(str(path), run_name="__main__")
    written = json.loads((output / "all_results.json").read_text("utf-8"))
    return {name: value for name, value in written.items() if not TIMES.search(name)}


def edited(script: Path, run: dict[str, Any]) -> Path:
    """A copy of the script in which another module is loaded, and nothing else is changed."""
    if not run["loaded"]:  # the script computes its score itself
        return script
    text = script.read_text("utf-8")
    stock, ours = run["loaded"]
    if stock not in text:
        raise SystemExit(f"{script.name} does not load {stock}")
    copy = Path(run["folder"]) / script.name
    copy.write_text(text.replace(stock, ours.replace("METRICS", f"{ROOT}/metrics")), "utf-8")
    return copy


def no_download() -> None:
    """Replace what would ask the Hub, or download data."""
    import datasets
    import nltk

    from tests.apps import official_models

    makers = {
        "nyu-mll/glue": official_models.glue,
    }
    stock = datasets.load_dataset

    def load_dataset(path: str, *arguments: Any, **options: Any) -> Any:
        if path not in makers:
            return stock(path, *arguments, **options)
        official_models.DICE.seed(31)
        data = makers[path](*arguments)
        return data[options["split"]] if "split" in options else data

    datasets.load_dataset = load_dataset
    datasets.List.dtype = "list"  # as before datasets 4; run_classification asks for it
    nltk.data.find = lambda name: None
    nltk.sent_tokenize = lambda text: re.split(r"(?<=\.) ", text)


def main(requests: list[str]) -> None:
    """Run the scripts; the scores of each, or the cause of its failure, are files beside it."""
    no_download()
    for request in requests:
        run = json.loads(Path(request).read_text("utf-8"))
        folder, beside = Path(run["folder"]), str(Path(run["script"]).parent)
        if beside not in sys.path:
            sys.path.insert(0, beside)
        try:
            results = {way: scores(run, way) for way in WAYS}
        except (Exception, SystemExit):
            (folder / "failure.txt").write_text(traceback.format_exc(), "utf-8")
        else:
            (folder / "scores.json").write_text(json.dumps(results), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
