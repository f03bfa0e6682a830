"""The tools of the server, with version 1 or version 2 of the library `mcp`."""

import json
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, redirect_stdout
from datetime import datetime
from importlib.metadata import version
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast

from anyio import from_thread, to_thread
from pydantic import Field, SkipValidation
from typing_extensions import TypedDict  # pydantic refuses that of typing in Python 3.11

from ..evaluation import catalog
from ..evaluation.arguments import input_names
from ..files.stored import plain, write_whole
from ..integrations import ultrarag
from ..statistics.methods import Method
from . import folder
from .roots import Roots

try:
    from mcp.server.mcpserver import Context, MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    _VERSION: dict[str, Any] = {"version": version("metric-commons")}
except ImportError:  # version 1, which tells clients its own version
    from mcp.server.fastmcp import Context  # type: ignore[attr-defined,no-redef]
    from mcp.server.fastmcp import FastMCP as MCPServer  # type: ignore[attr-defined,no-redef]
    from mcp.server.fastmcp.exceptions import ToolError  # type: ignore[import-not-found,no-redef]

    _VERSION = {}

T = TypeVar("T")

_MAX_LENGTH = 100_000_000  # of answers in one request; more should stay in a file
_MAX_MESSAGE = 2_000  # characters of an error message, which may quote a long value

_INSTRUCTIONS = """\
Exact scores of answers and of retrieval runs. evaluate scores answers that are passed in, \
evaluate_file those in a file, with any module of list_modules; evaluate_trec and \
evaluate_trec_pvalue score TREC runs. Paths are relative to the folder that the server may use."""

# Lists are checked by the evaluation, whose errors name a row. Errors of the schema would quote the
# whole list.
_Names = Annotated[list[str] | None, SkipValidation]
_Cutoffs = Annotated[list[int] | None, SkipValidation]

Metrics = Annotated[
    _Names, Field(description=f"Of {', '.join(ultrarag.ANSWER_METRICS)}; all if null.")
]
Measures = Annotated[
    _Names, Field(description=f"Of {', '.join(ultrarag.RANKING_METRICS)}; all if null.")
]
Ks = Annotated[
    _Cutoffs,
    Field(
        description="Cutoffs of recall, ndcg and precision; "
        f"{', '.join(map(str, ultrarag.CUTOFFS))} if null."
    ),
]
SavePath = Annotated[
    str | None,
    Field(description="Where to save the result as JSON; the time is put into the name."),
]
Profile = Annotated[
    ultrarag.Profile,
    Field(description="ultrarag gives the scores of UltraRAG, also where they are odd."),
]


class AnswersEvaluated(TypedDict):
    """The scores of all rows and their mean, by metric; the file with the result, if it was saved.

    The type says no more, because the library would check every score, slower than computing it.
    """

    eval_res: dict[str, Any]
    saved_to: str | None


class RunEvaluated(TypedDict):
    """The mean of each measure; the file with the result, if it was saved."""

    eval_res: dict[str, float]
    saved_to: str | None


class Comparison(TypedDict):
    """Two runs by one measure."""

    A_mean: float
    B_mean: float
    diff: float
    p_value: float
    significant: bool


class RunsCompared(TypedDict):
    """Two runs by each measure; the file with the result, if it was saved."""

    eval_res: dict[str, Comparison]
    saved_to: str | None


class FileEvaluated(TypedDict):
    """The format metric-commons/3, and the file with the result, if it was saved."""

    format: str
    systems: dict[str, Any]
    comparisons: list[Any]
    provenance: dict[str, Any]
    saved_to: str | None


class Module(TypedDict):
    """A module and the first line of its description."""

    name: str
    summary: str


class Modules(TypedDict):
    """All modules."""

    modules: list[Module]


class Description(TypedDict):
    """Inputs, options and card of a module."""

    name: str
    summary: str
    inputs: list[str]
    options: dict[str, Any]
    card: str


def server(roots: Sequence[Path], *, lifespan: Any = None) -> MCPServer:
    """A server with all tools, which reads and writes files below `roots` only.

    Args:
        roots: folders; relative paths start at the first.
        lifespan: a context manager that the library enters for each connection.
    """
    app = MCPServer(
        "metric-commons",
        instructions=_INSTRUCTIONS,
        log_level="WARNING",
        lifespan=lifespan,
        **_VERSION,
    )
    tools = Tools(Roots(roots))
    for tool in (
        tools.evaluate,
        tools.evaluate_trec,
        tools.evaluate_trec_pvalue,
        tools.evaluate_file,
        tools.list_modules,
        tools.describe_module,
    ):
        app.tool()(tool)
    return app


def serve(roots: Sequence[Path], *, ultrarag_folder: Path | None = None) -> None:
    """Serve on stdin and stdout until stdin ends.

    Args:
        roots: as in `server`.
        ultrarag_folder: the folder from which UltraRAG starts this server; the tool `build` writes
            its server.yaml.
    """
    app = server(roots, lifespan=_stdout_is_for_the_protocol)
    if ultrarag_folder is not None:
        app.tool()(_build_tool(ultrarag_folder))
    # The protocol writes to a duplicate of stdout; whatever else writes to stdout reaches stderr.
    sys.stdout = TextIOWrapper(os.fdopen(os.dup(1), "wb"), encoding="utf-8")
    os.dup2(2, 1)
    app.run(transport="stdio")


@asynccontextmanager
async def _stdout_is_for_the_protocol(_: MCPServer) -> AsyncIterator[None]:
    """Redirect prints to stderr, once the library holds the stdout of the protocol."""
    with redirect_stdout(sys.stderr):
        yield


def _build_tool(server_folder: Path) -> Callable[[str], None]:
    def build(parameter_file: str) -> None:
        """Write server.yaml, which describes the tools to UltraRAG, beside parameter_file."""
        try:
            folder.build(server_folder, parameter_file)
        except (ValueError, OSError) as error:
            raise ToolError(_message(error)) from error

    return build


class Tools:
    """The tools, which compute in threads, so that the server can answer meanwhile."""

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        # Threads must not load modules at the same time, since evaluate copies scripts to files.
        self._loading = threading.Lock()

    async def evaluate(
        self,
        pred_ls: Annotated[
            list[str], SkipValidation, Field(description="One predicted answer a row.")
        ],
        gt_ls: Annotated[
            list[list[str]], SkipValidation, Field(description="The accepted answers of each row.")
        ],
        metrics: Metrics = None,
        save_path: SavePath = None,
        profile: Profile = "standard",
        *,
        ctx: Context,
    ) -> AnswersEvaluated:
        """Score short answers: for each metric the score of every row, and avg_<metric>."""

        def scores(progress: ultrarag.Progress) -> dict[str, Any]:
            characters = _characters(pred_ls) + _characters(gt_ls)
            if characters > _MAX_LENGTH:
                raise ValueError(
                    f"pred_ls and gt_ls hold {characters:,} characters, more than {_MAX_LENGTH:,}; "
                    "put them into a file and call evaluate_file"
                )
            return ultrarag.evaluate(pred_ls, gt_ls, metrics, profile=profile, progress=progress)

        return cast(AnswersEvaluated, await self._evaluated(scores, save_path, ctx))

    async def evaluate_trec(
        self,
        run_path: str,
        qrels_path: str,
        metrics: Measures = None,
        ks: Ks = None,
        save_path: SavePath = None,
        profile: Profile = "standard",
        *,
        ctx: Context,
    ) -> RunEvaluated:
        """Score a TREC run: its means of map, mrr, ndcg@k, P@k and recall@k, as trec_eval's."""

        def scores(_: ultrarag.Progress) -> dict[str, float]:
            return ultrarag.evaluate_trec(
                self._roots.to_read("run_path", run_path),
                self._roots.to_read("qrels_path", qrels_path),
                metrics,
                ks,
                profile=profile,
            )

        return cast(RunEvaluated, await self._evaluated(scores, save_path, ctx))

    async def evaluate_trec_pvalue(
        self,
        run_new_path: str,
        run_old_path: str,
        qrels_path: str,
        metrics: Measures = None,
        ks: Ks = None,
        n_resamples: int | None = None,
        save_path: SavePath = None,
        profile: Profile = "standard",
        seed: int = 0,
        *,
        ctx: Context,
    ) -> RunsCompared:
        """Compare two TREC runs by permutation tests.

        For each measure A_mean (of the new run), B_mean, diff, p_value and significant.
        """

        def scores(progress: ultrarag.Progress) -> dict[str, Any]:
            return ultrarag.evaluate_trec_pvalue(
                self._roots.to_read("run_new_path", run_new_path),
                self._roots.to_read("run_old_path", run_old_path),
                self._roots.to_read("qrels_path", qrels_path),
                metrics,
                ks,
                n_resamples,
                seed=seed,
                profile=profile,
                progress=progress,
            )

        return cast(RunsCompared, await self._evaluated(scores, save_path, ctx))

    async def evaluate_file(
        self,
        path: Annotated[str, Field(description="A .jsonl, .json, .csv, .tsv or .parquet file.")],
        modules: Annotated[
            list[str], SkipValidation, Field(description="Names that list_modules returns.")
        ],
        predictions: Annotated[str, Field(description="The field of the predictions.")],
        references: Annotated[
            str | None, Field(description="The field of the references, if the modules need them.")
        ] = None,
        options: Annotated[
            dict[str, Any] | None,
            Field(description='Options of the modules, such as {"normalizer": "ultrarag"}.'),
        ] = None,
        confidence_level: Annotated[
            float | None, Field(description="Of intervals, such as 0.95.")
        ] = None,
        interval: Annotated[
            Method, Field(description="How they are made; auto suits the method to each score.")
        ] = "auto",
        standard_error: Annotated[
            bool, Field(description="Also report the standard error of each score.")
        ] = False,
        cluster_by: Annotated[
            str | None,
            Field(description="A field of labels of rows that are alike; intervals count labels."),
        ] = None,
        n_resamples: int = 10_000,
        seed: int = 0,
        group_by: Annotated[
            str | None, Field(description="A field; the rows of each of its values are scored too.")
        ] = None,
        save_path: SavePath = None,
        *,
        ctx: Context,
    ) -> FileEvaluated:
        """Score a field of a file with any modules; the data stays in the file."""

        def work(progress: ultrarag.Progress) -> FileEvaluated:
            target = self._target(save_path)
            source = self._roots.to_read("path", path)
            if not isinstance(modules, list) or not modules:
                names = ", ".join(catalog.names())
                raise ValueError(f"modules must be names of modules: {names}")
            for name in modules:
                catalog.path(name)
            from ..evaluation.evaluations import Evaluation

            evaluation = Evaluation(
                modules=modules,
                systems={predictions: (source, predictions)},
                fields={"references": references, "groups": group_by, "clusters": cluster_by},
                options=options or {},
                uncertainty={
                    "confidence_level": confidence_level,
                    "interval": interval,
                    "standard_error": standard_error,
                    "n_resamples": n_resamples,
                    "seed": seed,
                },
            )
            with self._loading:
                progress(0, 2)
                results = evaluation.results().to_dict()
            progress(1, 2)
            saved_to = _save(results, target)
            progress(2, 2)
            return cast(FileEvaluated, results | {"saved_to": saved_to})

        return await _in_thread(work, ctx)

    async def list_modules(self) -> Modules:
        """List the evaluation modules, each with a line about it."""
        names = catalog.names()
        return {"modules": [{"name": name, "summary": catalog.summary(name)} for name in names]}

    async def describe_module(self, name: str, *, ctx: Context) -> Description:
        """Describe a module: its inputs, its options with their defaults, and its card."""

        def work(_: ultrarag.Progress) -> Description:
            card = (catalog.path(name) / "README.md").read_text("utf-8")
            with self._loading:
                module = catalog.load(name)
            return {
                "name": name,
                "summary": catalog.summary(name),
                "inputs": input_names(module),
                "options": plain(module.options),
                "card": card,
            }

        return await _in_thread(work, ctx)

    async def _evaluated(
        self,
        scores: Callable[[ultrarag.Progress], Mapping[str, Any]],
        save_path: str | None,
        context: Context,
    ) -> Mapping[str, Any]:
        """The scores as UltraRAG's tools return them, and the file with the result, if saved."""

        def work(progress: ultrarag.Progress) -> Mapping[str, Any]:
            target = self._target(save_path)  # before anything is scored, since it may be refused
            results = plain(scores(progress))
            return {"eval_res": results, "saved_to": _save(results, target)}

        return await _in_thread(work, context)

    def _target(self, save_path: str | None) -> Path | None:
        return None if save_path is None else self._roots.to_write("save_path", save_path)


def _save(results: Mapping[str, Any], target: Path | None) -> str | None:
    """The file of the results. As in UltraRAG its name has the time, so that none is replaced."""
    if target is None:
        return None
    time = datetime.now().astimezone().strftime("%Y%m%d_%H%M%S_%f")
    path = target.with_name(f"{target.stem}_{time}.json")
    write_whole(path, [json.dumps(results, ensure_ascii=False, indent=4, allow_nan=False), "\n"])
    return str(path)


def _characters(texts: Any) -> int:
    """The length of all texts in a list, or in lists inside it."""
    if isinstance(texts, list):
        return sum(map(_characters, texts))
    return len(texts) if isinstance(texts, str) else 0


async def _in_thread(work: Callable[[ultrarag.Progress], T], context: Context) -> T:
    """The result of `work`; a ValueError or an OSError becomes an error of the tool."""

    def progress(done: int, total: int) -> None:
        from_thread.run(context.report_progress, done, total)

    try:
        return await to_thread.run_sync(work, progress)
    except (ValueError, OSError) as error:
        raise ToolError(_message(error)) from error


def _message(error: ValueError | OSError) -> str:
    """The message of an error; of a very long message the start and the end."""
    message = str(error)
    if isinstance(error, OSError) and error.filename:
        message = f"{error.filename}: {error.strerror}"
    if len(message) > _MAX_MESSAGE:
        message = f"{message[: _MAX_MESSAGE // 2]} ... {message[-_MAX_MESSAGE // 2 :]}"
    return message
