"""Parameter files of UltraRAG, run as its evaluation server would run them."""

import json
import random
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel, ConfigDict, Field

from ..evaluation.usage import check_outputs
from ..files.stored import write_whole
from ..files.tables import Source
from ..integrations import ultrarag
from ..numbers.checks import OptionError, RowError
from .config import Document, validated, wrong

_ROWS = 2048  # of a block
_PATHS = ("qrels_path", "run_path", "run_new_path", "run_old_path")


class _Section(BaseModel):
    """What is read of a section; its other keys are for other tools."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)


class KeyMap(_Section):
    """Which fields of the benchmark are what."""

    gt_ls: str
    pred_ls: str


class Benchmark(_Section):
    """Where answers and references come from."""

    path: str
    key_map: KeyMap
    limit: int = -1
    shuffle: bool = False
    seed: int = 42


class Answers(_Section):
    """What the tool `evaluate` takes, besides the benchmark."""

    metrics: list[str] | None = None
    save_path: str | None = None


class Ranking(_Section):
    """What the tool `evaluate_trec` takes."""

    run_path: str
    qrels_path: str
    ir_metrics: list[str] | None = None
    ks: list[int] | None = None
    save_path: str | None = None


class Rankings(_Section):
    """What the tool `evaluate_trec_pvalue` takes."""

    run_new_path: str
    run_old_path: str
    qrels_path: str
    ir_metrics: list[str] | None = None
    ks: list[int] | None = None
    n_resamples: Annotated[int, Field(ge=1)] | None = None
    save_path: str | None = None


Table = tuple[Sequence[str], list[Sequence[Any]]]  # header and rows


def is_parameters(content: Mapping[str, Any]) -> bool:
    """Whether a file is one of UltraRAG's."""
    return "modules" not in content and ("evaluation" in content or "pipeline" in content)


def run(path: Path, document: Document, profile: ultrarag.Profile) -> None:
    """Evaluate what the file names, print UltraRAG's table and save JSON of its shape.

    Raises:
        ValueError: the file, or one that it names, is not what it should be.
        OSError: a file cannot be read or written.
    """
    content = document.content
    if "pipeline" in content:
        raise ValueError(
            f"{path}: a pipeline; run its parameter file, which `ultrarag build` writes beside it"
        )
    section = _mapping(content["evaluation"], path, ["evaluation"])
    kind = _tool(section, content, path)
    settings: Any = validated(kind, section, path, ["evaluation"])
    save = None if settings.save_path is None else Path(settings.save_path)
    for note in _notes(document, section, kind):
        typer.echo(f"{path}: {note}", err=True)

    results: Mapping[str, Any]
    if kind is Answers:
        benchmark = _benchmark(content, path)
        check_outputs([save], [path, Path(benchmark.path)])
        results, (header, rows) = _score_answers(settings, benchmark, path, profile)
    else:
        paths = [Path(value) for name, value in settings if name in _PATHS and value is not None]
        check_outputs([save], [path, *paths])
        results, (header, rows) = _score_runs(settings, path, profile)
    from tabulate import tabulate

    if save:
        write_whole(save, _json(results))
    left = ("left",) * len(header)
    typer.echo(tabulate(rows, header, tablefmt="fancy_grid", colalign=left))
    if save:
        typer.echo(f"saved to {save}", err=True)


def _mapping(value: Any, path: Path, keys: Sequence[str]) -> dict[str, Any]:
    if value is not None and not isinstance(value, dict):
        raise wrong(path, keys, f"expected keys with values, got {value!r}")
    return value or {}


def _tool(section: Mapping[str, Any], content: Mapping[str, Any], path: Path) -> type[_Section]:
    """What the file is about: two runs, else one, else the answers of a benchmark."""
    present = {name for name, value in section.items() if value is not None}
    if present & {"run_new_path", "run_old_path"}:
        return Rankings
    if "run_path" in present:
        return Ranking
    if "benchmark" in content:
        return Answers
    raise ValueError(
        f"{path}: there is nothing to evaluate: neither a section 'benchmark', nor the keys "
        "'run_path' or 'run_new_path' in the section 'evaluation'"
    )


def _notes(document: Document, section: Mapping[str, Any], kind: type[_Section]) -> Iterator[str]:
    """What of the file does not count."""
    for key, line in document.repeated:
        yield f"key {key!r} is given again in line {line}; the last one counts"
    sections = {"evaluation", "benchmark"} if kind is Answers else {"evaluation"}
    ignored = [str(name) for name in document.content if name not in sections]
    ignored += [f"evaluation.{name}" for name in section if name not in kind.model_fields]
    if ignored:
        yield f"passed over: {', '.join(ignored)}"


def _benchmark(content: Mapping[str, Any], path: Path) -> Benchmark:
    """The benchmark, which generated files hold in a section of the same name."""
    keys = ["benchmark"]
    section = _mapping(content["benchmark"], path, keys)
    if isinstance(section.get("benchmark"), dict):
        section, keys = section["benchmark"], [*keys, "benchmark"]
    benchmark = validated(Benchmark, section, path, keys)
    if benchmark.limit < -1 or benchmark.limit == 0:
        raise wrong(path, [*keys, "limit"], f"expected -1 or at least 1, got {benchmark.limit}")
    return benchmark


def _score_answers(
    settings: Answers, benchmark: Benchmark, path: Path, profile: ultrarag.Profile
) -> tuple[Mapping[str, Any], Table]:
    """Of the scores of rows only the numbers are kept, so that there may be many rows."""
    limit = None if benchmark.limit == -1 else benchmark.limit
    fields = benchmark.key_map
    source = Source(
        Path(benchmark.path),
        [fields.pred_ls, fields.gt_ls],
        limit=None if benchmark.shuffle else limit,
        progress=True,
    )
    scores: dict[str, array[float]] = {}
    before = 0
    for block in source.blocks(None if benchmark.shuffle else _ROWS):
        order = list(range(source.rows - before))
        if benchmark.shuffle:
            random.Random(benchmark.seed).shuffle(order)
            order = order[:limit]
        predictions, references = (
            [block[field][row] for row in order] for field in (fields.pred_ls, fields.gt_ls)
        )
        try:
            scores_of_block = ultrarag.evaluate(
                predictions, references, settings.metrics, profile=profile
            )
        except ValueError as error:
            if not isinstance(error, RowError):
                raise _keyed(error, "metrics", path) from error
            position = source.location(before + order[error.row])
            problem = error.about(f"field {getattr(fields, error.column)!r}")
            raise ValueError(f"{source.path}: {position}: {problem}") from error
        for name in [name for name in scores_of_block if f"avg_{name}" in scores_of_block]:
            scores.setdefault(name, array("d")).extend(scores_of_block[name])
        before = source.rows
    means = {name: ultrarag.average(values, profile=profile) for name, values in scores.items()}
    results = {**scores, **{f"avg_{name}": mean for name, mean in means.items()}}
    return results, (["Metric", "Value"], [[name, round(mean, 4)] for name, mean in means.items()])


def _json(results: Mapping[str, Any]) -> Iterator[str]:
    """The results as `json.dumps` has them with four blanks to a level, a piece at a time.

    >>> results = {"f1": [0.5, 1.0], "avg_f1": 0.75}
    >>> "".join(_json({**results, "f1": array("d", results["f1"])})) == json.dumps(
    ...     results, indent=4
    ... )
    True
    """
    opening = "{"
    for name, value in results.items():
        yield f"{opening}\n    {json.dumps(name)}: "
        opening = ","
        if isinstance(value, array):
            for start in range(0, len(value), _ROWS):
                yield "," if start else "["
                rows = map(float.__repr__, value[start : start + _ROWS])
                yield ",".join(f"\n        {row}" for row in rows)
            yield "\n    ]"
        else:
            text = json.dumps(value, indent=4, allow_nan=False)
            yield text.replace("\n", "\n    ")
    yield "\n}"


def _score_runs(
    settings: Ranking | Rankings, path: Path, profile: ultrarag.Profile
) -> tuple[Mapping[str, Any], Table]:
    try:
        if isinstance(settings, Ranking):
            means = ultrarag.evaluate_trec(
                Path(settings.run_path),
                Path(settings.qrels_path),
                settings.ir_metrics,
                settings.ks,
                profile=profile,
            )
            return means, (["Metric", "Value"], [[name, round(v, 6)] for name, v in means.items()])
        with _bar() as advance:
            compared = ultrarag.evaluate_trec_pvalue(
                Path(settings.run_new_path),
                Path(settings.run_old_path),
                Path(settings.qrels_path),
                settings.ir_metrics,
                settings.ks,
                settings.n_resamples,
                profile=profile,
                progress=advance,
            )
    except ValueError as error:
        raise _keyed(error, "ir_metrics", path) from error
    header = ["metrics", "A_mean", "B_mean", "Diff(A-B)", "p_value", "significant"]
    results = _reordered(settings.ir_metrics, compared)
    return results, (header, [[name, *result.values()] for name, result in results.items()])


def _reordered(metrics: list[str] | None, compared: dict[str, Any]) -> dict[str, Any]:
    """The comparisons metric by metric, as UltraRAG has them; each at its cutoffs."""
    order = [metric.lower() for metric in metrics or ultrarag.RANKING_METRICS]

    def rank(name: str) -> int:
        metric = name.partition("@")[0]
        return order.index("precision" if metric == "P" else metric)

    return {name: compared[name] for name in sorted(compared, key=rank)}


@contextmanager
def _bar() -> Iterator[ultrarag.Progress]:
    """A bar on stderr, if it takes longer than a second."""
    from tqdm import tqdm

    with tqdm(desc="scoring", delay=1, leave=False) as bar:

        def advance(finished: int, steps: int) -> None:
            bar.total = steps
            bar.update(finished - bar.n)

        yield advance


def _keyed(error: ValueError, metrics: str, path: Path) -> ValueError:
    """What is wrong with an argument, under the key that it has in the file."""
    if not isinstance(error, OptionError):
        return error
    key = error.option.replace("metrics", metrics)
    return wrong(path, ["evaluation", key], error.problem.removeprefix(": "))
