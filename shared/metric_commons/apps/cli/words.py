"""The words of `score`: which name modules and which files, and what texts of options mean."""

import re
from collections.abc import Sequence
from contextlib import ExitStack
from errno import ENOENT
from pathlib import Path
from typing import Any

from ...data.files.streams import STANDARD_INPUT
from ...data.harness_logs.logs import TEXTS, format_names
from ...data.tables.selection import Selection
from ...data.tables.tables import Source
from ...evaluation.results.results import Results
from ...evaluation.rows.logged_scores import LOGGED
from ...evaluation.scoring.scoring import FORMATS_OF_BOTH, score
from ...module.catalog import catalog
from ...module.catalog.field_names import suggestion
from ...module.catalog.usage import UsageError
from ...statistics.arguments.checks import OptionError, check_choice

_NAME_AND_FIELD = re.compile(r"(?P<name>[^=\[\]\"<>]+)=(?P<field>.+)")


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
        _check_texts(modules, files)
        values |= {"references": field, "answers": answers}
        return score(modules, files, predictions=_systems(predictions), **values)


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
            catalog.name_of(path)  # which says why this is no module
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
    answered = values.pop("answers") or []
    answers = [Path(text) for text in texts if text not in fields]
    answers += [answered] if isinstance(answered, Path) else map(Path, answered)
    of_both = origin if origin in FORMATS_OF_BOTH else None
    judged = [opened(path, of_both, Selection(incomplete=is_incomplete)) for path in answers]
    everything = [*paths, *answers]
    if everything.count(STANDARD_INPUT) > 1:
        raise UsageError("only one file can be standard input")
    named = [file for file in (*files, *judged) if file.path != STANDARD_INPUT]
    if origin is None and {file.log.format_name for file in named} == {"lines"}:
        if fields and not judged:
            raise FileNotFoundError(ENOENT, "", fields[0])
        for file in (*files, *judged) if judged else ():
            if file.path == STANDARD_INPUT:  # which has no name that says so
                file.format_name = "lines"
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


def _check_texts(modules: Sequence[str], files: Sequence[Source]) -> None:
    """Check that modules take texts as predictions, if files have lines of them."""
    for file in files:
        if file.path == STANDARD_INPUT or file.log.format_name not in TEXTS:
            continue
        for name in modules:
            if name == LOGGED:
                continue
            accepted = catalog.load_without_evaluate(name).accepted_inputs
            if "str" not in accepted.get("predictions", ["str"]):
                raise UsageError(
                    f"{catalog.name_of(name)} takes no lines of text, as in {file.path}; name a "
                    "table, such as .csv, or say the format with --from"
                )


def plot_words(values: dict[str, Any], how: Any) -> bytes:
    """Return the picture of the words of `plot`."""
    from ..functions.plot import plot

    return plot(**{**values, "predictions": _systems(values["predictions"])})
