"""The words of `score`: which name modules and which files, and what texts of options mean."""

import re
import shlex
from collections.abc import Sequence
from contextlib import ExitStack
from errno import ENOENT
from pathlib import Path
from typing import Any

from ...data.files.streams import STANDARD_INPUT, suffix
from ...data.harness_logs.logs import TEXTS, format_names
from ...data.tables.selection import Selection
from ...data.tables.tables import Source
from ...evaluation.results.results import Results
from ...evaluation.rows.logged_scores import LOGGED
from ...evaluation.scoring.scoring import FORMATS_OF_BOTH, MissingInputError, score
from ...module.catalog import catalog
from ...module.catalog.field_names import suggestion
from ...module.catalog.usage import UsageError
from ...statistics.arguments.checks import OptionError, check_choice

_NAME_AND_FIELD = re.compile(r"(?P<name>[^=\[\]\"<>]+)=(?P<field>.+)")
# In the names of files of references.
_REFERENCES = re.compile(r"ref|gold|truth|target|label|answer", re.IGNORECASE)


def score_words(values: dict[str, Any], how: Any) -> Results:
    """Return the results of the words of `score`, or of the keys of a file."""
    modules, paths = modules_and_files(values.pop("words"))
    if values["clusters"] and not (
        values["confidence_level"]
        or any(values.get(name) for name in ("standard_error", "compare", "rows"))
        or how.save
    ):
        raise OptionError(
            "clusters", "changes only intervals and tests; add --confidence 0.95 or --compare"
        )
    predictions = values.pop("predictions")
    values["split_references"] = values["split_references"] or None
    with ExitStack() as stack:
        files, answers, field = _opened(stack, paths, values)
        _check_texts(modules, files, answers)
        values |= {"references": field, "answers": answers}
        try:
            return score(modules, files, predictions=_systems(predictions), **values)
        except MissingInputError as error:
            raise UsageError(_missing(error)) from error


def _systems(predictions: Any) -> Any:
    """Return the field of each system, from texts such as `field` or `name=field`."""
    if not isinstance(predictions, list):
        return predictions
    systems: dict[str, str] = {}
    for text in predictions:
        match = _NAME_AND_FIELD.fullmatch(text)
        name, field = (match["name"], match["field"]) if match else (text, text)
        if name in systems:
            raise UsageError(f"system {name!r} is given twice")
        systems[name] = field
    return systems or None


def _missing(error: MissingInputError) -> str:
    """Return which options name the fields that a module lacks."""
    flags = {"predictions": "--predictions FIELD", "references": "--references FIELD"}
    missing = " and ".join(flags.get(name, f"--column {name}=FIELD") for name in error.missing)
    has = f"; the file has {', '.join(map(str, error.fields))}" if error.fields else ""
    return f"{error.module} needs {missing}: the fields of {', '.join(error.needed)}{has}"


def modules_and_files(words: Sequence[str]) -> tuple[list[str], list[Path]]:
    """Return the words that name modules, and those that name files."""
    modules, paths = [], []
    for word in map(str, words):
        if word == LOGGED or catalog.is_known(word):
            modules.append(word)
        elif catalog.holds_module(word):
            modules.append(catalog.name_of(word))
        else:
            paths.append(Path(word))
    for path in paths:
        if path != STANDARD_INPUT and not path.exists():
            module_names = [*catalog.names(), LOGGED]
            hint = suggestion(str(path), module_names)
            if not hint and (path.suffix or len(path.parts) > 1):
                raise FileNotFoundError(ENOENT, "", str(path))
            hint = hint or f"; the modules are {', '.join(module_names)}"
            raise UsageError(f"{str(path)!r} is neither a module nor a file{hint}")
    if not modules:
        for path in filter(Path.is_dir, paths):
            try:
                catalog.name_of(path)
            except ValueError as error:
                advice = f"to score the files in it, name them after a module or {LOGGED}"
                raise ValueError(f"{error}; {advice}") from None
        raise UsageError(
            f"name a module: {', '.join(catalog.names())}; or {LOGGED}, for the scores in a log"
        )
    if not paths:
        raise UsageError("name a file to score")
    return modules, paths


def _opened(
    stack: ExitStack, paths: Sequence[Path], values: dict[str, Any]
) -> tuple[list[Source], list[Source], str | None]:
    """Return the files, those of references, and the field of references.

    `references` name a field or, if no file of predictions has it, a file.
    """
    origin = values["source"]
    if origin is not None:
        check_choice("--from", origin, format_names())
    is_incomplete = values["incomplete"] or values["missing"] == "skip"
    selection = Selection(values["filter"], values["where"] or {}, is_incomplete)

    def opened(path: Path, name: str | None, selected: Selection) -> Source:
        file = Source(path, [], format_name=name, selection=selected, progress=True)
        stack.callback(file.close)
        return file

    files = [opened(path, origin, selection) for path in paths]
    references = values.pop("references") or []
    texts = [references] if isinstance(references, str) else list(dict.fromkeys(references))
    fields = [text for text in texts if not _is_file(text, files)]
    if fields[1:]:
        raise OptionError("references", f"{fields[1]} is not a file, and one field is enough")
    named = values.pop("answers") or []
    answers = [Path(text) for text in texts if text not in fields]
    answers += [named] if isinstance(named, Path) else map(Path, named)
    of_both = origin if origin in FORMATS_OF_BOTH else None
    judged = [opened(path, of_both, Selection(incomplete=is_incomplete)) for path in answers]
    everything = [*paths, *answers]
    if everything.count(STANDARD_INPUT) > 1:
        raise UsageError("only one file can be standard input")
    piped = [file for file in (*files, *judged) if file.path == STANDARD_INPUT]
    formats = {f.log.format_name for f in (*files, *judged) if f.path != STANDARD_INPUT}
    if piped and judged and origin is None and formats <= {"lines"}:
        piped[0].format_name = "lines"
    if fields and not judged and formats == {"lines"}:
        if suffix(paths[0]) == "txt":
            raise FileNotFoundError(ENOENT, "", fields[0])
        raise UsageError(
            f"{paths[0]} is read as lines of text, so --references is a file, and there is no file "
            f"{fields[0]!r}; for a table say --from csv or --from tsv"
        )
    return files, judged, next(iter(fields), None)


def _is_file(name: str, sources: Sequence[Source]) -> bool:
    """Return whether this is a file of references, and not a field of the predictions."""
    path = Path(name)
    if not (path == STANDARD_INPUT or path.exists()):
        return False
    for source in sources:
        if source.path == STANDARD_INPUT and source.format_name is None and "." in name:
            continue  # there may be texts, too
        if name in source.log.names or name in source.log.columns:
            return False
    return True


def _check_texts(modules: Sequence[str], files: Sequence[Source], judged: Sequence[Source]) -> None:
    """Check that files of texts have references in other files, and are for modules of texts.

    Raises:
        UsageError: they do not; the message has the command to use.
    """
    texts = [
        file.path for file in files if file.path != STANDARD_INPUT and file.log.format_name in TEXTS
    ]
    scored = [catalog.load_without_evaluate(name) for name in modules if name != LOGGED]
    for module in scored if texts else ():
        accepted = module.accepted_inputs.get("predictions", ["str"])
        if "str" not in accepted or module.log_columns[0] == "predicted":
            hint = "write a table, such as .csv, with a field of predictions and one of references"
            if any("doc_id" in kind for kind in accepted):
                hint = "metric-commons trec QRELS RUN scores runs"
            elif "list of str" in accepted:
                hint = "name another format of the file, such as --from conll"
            name = catalog.name_of(module)
            raise UsageError(f"{name} takes no lines of text, as in {texts[0]}; {hint}")
    if judged or not texts or not any("references" in m.required_inputs for m in scored):
        return
    references = [path for path in texts if _REFERENCES.search(path.stem)]
    if not references and len(files) > 1:
        references = texts[:1]
    predicted = [file.path for file in files if file.path not in references] or [STANDARD_INPUT]
    names = shlex.join(map(str, [*modules, *predicted]))
    flags = [f"--references {shlex.quote(str(path))}" for path in references]
    command = " ".join(["metric-commons score", names, *(flags or ["--references FILE"])])
    raise UsageError(f"texts need references, in a file of their own: {command}")


def plot_words(values: dict[str, Any], how: Any) -> bytes:
    """Return the picture of the words of `plot`."""
    from ..functions.plot import plot

    return plot(**{**values, "predictions": _systems(values["predictions"])})
