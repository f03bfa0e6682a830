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

from ..catalog.usage import check_outputs
from ..console.config import Document, validated, wrong
from ..files.stored import write_whole
from ..files.tables import Source
from ..integrations import ultrarag
from ..integrations.ultrarag_tables import signature, table
from ..numbers.checks import OptionError, RowError

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


_FLAT = {"ir_metrics", "qrels_path", "run_path", "run_new_path"}  # keys of its server's own file
_SERVERS = {"generation", "retriever", "prompt", "custom", "corpus", "memory", "reranker"}


def is_parameters(content: Mapping[str, Any]) -> bool:
    """Whether a file is one of UltraRAG's."""
    keys = {"evaluation", "pipeline", *_FLAT, *_SERVERS}
    return "modules" not in content and bool(keys & content.keys())


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
    is_flat = "evaluation" not in content  # the file of UltraRAG's server itself
    section = content if is_flat else _mapping(content["evaluation"], path, ["evaluation"])
    kind = _flat_tool(section, path) if is_flat else _tool(section, content, path)
    settings: Any = validated(kind, section, path, [] if is_flat else ["evaluation"])
    save = None if settings.save_path is None else Path(settings.save_path)
    for note in _notes(document, section, kind):
        typer.echo(f"{path}: {note}", err=True)

    if kind is Answers:
        benchmark = _benchmark(content, path)
        check_outputs([save], [path, Path(benchmark.path)])
        tool, results = "evaluate", _score_answers(settings, benchmark, path, profile)
        rows = len(next(iter(results.values())))
        line = signature(tool, profile, {"rows": rows})
    else:
        paths = [Path(value) for name, value in settings if name in _PATHS and value is not None]
        check_outputs([save], [path, *paths])
        tool = "evaluate_trec" if kind is Ranking else "evaluate_trec_pvalue"
        results = _score_runs(settings, path, profile)
        line = signature(tool, profile, {})
    if save:
        write_whole(save, _json({**results, "profile": profile, "signature": line}))
    typer.echo(f"{table(results)}\n{line}")
    if save:
        typer.echo(f"saved to {save}", err=True)


def _mapping(value: Any, path: Path, keys: Sequence[str]) -> dict[str, Any]:
    if value is not None and not isinstance(value, dict):
        raise wrong(path, keys, f"expected keys with values, got {value!r}")
    return value or {}


def _flat_tool(section: Mapping[str, Any], path: Path) -> type[_Section]:
    """What the parameter file of UltraRAG's evaluation server is about: what has its files."""
    if not section.keys() & (_FLAT | {"metrics"}):
        servers = ", ".join(map(str, section))
        raise ValueError(
            f"{path}: there is no section 'evaluation', only {servers}: the pipeline has no step "
            "evaluation.evaluate, evaluation.evaluate_trec or evaluation.evaluate_trec_pvalue"
        )
    missing = []
    for kind, tool, names in (
        (Rankings, "evaluate_trec_pvalue", ("run_new_path", "run_old_path", "qrels_path")),
        (Ranking, "evaluate_trec", ("run_path", "qrels_path")),
    ):
        absent = [
            f"{name} ({section.get(name)})"
            for name in names
            if not isinstance(section.get(name), str) or not Path(section[name]).exists()
        ]
        if not absent:
            return kind
        missing.append(f"{tool} lacks {', '.join(absent)}")
    raise ValueError(
        f"{path}: no tool of it can run: {'; '.join(missing)}; evaluate lacks pred_ls and gt_ls, "
        "which are in a section 'benchmark' (path, key_map) of a pipeline's parameter file"
    )


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
) -> dict[str, Any]:
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
    return {**scores, **{f"avg_{name}": mean for name, mean in means.items()}}


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
) -> dict[str, Any]:
    try:
        if isinstance(settings, Ranking):
            return {
                **ultrarag.evaluate_trec(
                    Path(settings.run_path),
                    Path(settings.qrels_path),
                    settings.ir_metrics,
                    settings.ks,
                    profile=profile,
                )
            }
        with _bar() as advance:
            return ultrarag.evaluate_trec_pvalue(
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


@contextmanager
def _bar() -> Iterator[ultrarag.Progress]:
    """A bar on stderr, if it takes longer than a second."""
    from tqdm import tqdm

    with tqdm(desc="scoring", delay=1, leave=False, disable=None) as bar:

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
