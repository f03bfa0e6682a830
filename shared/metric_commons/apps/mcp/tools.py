"""The table of tools: their functions and the schemas of their results."""

import json
import os
from collections.abc import Mapping
from typing import Any

from ...data.files.access import limited_to
from ...data.files.stored import to_jsonable
from ...statistics.resampling.progress import watched
from .call_context import CallContext
from .file_tools import (
    COMPARISON_FIELDS,
    REQUEST_FIELDS,
    compare_files,
    describe_module,
    evaluate_file,
    list_modules,
    report,
)
from .schemas import ToolSchema
from .ultrarag_tools import build, evaluate, evaluate_trec, evaluate_trec_pvalue
from .workers import Progress


def call(
    progress: Progress,
    name: str,
    arguments: Mapping[str, Any],
    context: CallContext,
) -> tuple[str, dict[str, Any]]:
    """Run a tool; its result as JSON, and as an object.

    Raises:
        ValueError: an argument or the content of a file is not valid.
        OSError: a file cannot be read or written.
    """
    os.chdir(context.roots.first)  # relative paths in saved results start here, too
    with limited_to(context.roots), watched(progress):
        result: Any = to_jsonable(TOOLS[name].function(context, **arguments))
    text = json.dumps(result, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a pair of surrogates, which no message can hold
        text = text.encode("utf-8", "replace").decode()
        result = json.loads(text)
    return text, result


# Schemas of results


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


_TEXT, _TEXT_OR_NULL, _NUMBER = {"type": "string"}, {"type": ["string", "null"]}, {"type": "number"}
_OBJECT, _LIST = {"type": "object"}, {"type": "array"}
_ABOUT = {"saved_to": _TEXT_OR_NULL, "profile": _TEXT, "signature": _TEXT}
_RESULTS = _object(
    format=_TEXT, systems=_OBJECT, comparisons=_LIST, provenance=_OBJECT, saved_to=_TEXT_OR_NULL
)
_COMPARISON = _object(
    A_mean=_NUMBER,
    B_mean=_NUMBER,
    diff=_NUMBER,
    p_value=_NUMBER,
    significant={"type": "boolean"},
)


def _mapping(values: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values}


TOOLS = {
    tool.name: tool
    for tool in (
        # Scores of rows and their means; the client would check every score.
        ToolSchema(evaluate, _object(eval_res=_OBJECT, **_ABOUT)),
        ToolSchema(evaluate_trec, _object(eval_res=_mapping(_NUMBER), **_ABOUT)),
        ToolSchema(evaluate_trec_pvalue, _object(eval_res=_mapping(_COMPARISON), **_ABOUT)),
        ToolSchema(evaluate_file, _RESULTS, request=REQUEST_FIELDS),
        ToolSchema(compare_files, _RESULTS, request=COMPARISON_FIELDS),
        ToolSchema(report, _object(saved_to=_TEXT)),
        ToolSchema(
            list_modules,
            _object(modules={"type": "array", "items": _object(name=_TEXT, summary=_TEXT)}),
            read_only=True,
        ),
        ToolSchema(
            describe_module,
            _object(
                name=_TEXT,
                summary=_TEXT,
                inputs={"type": "array", "items": _TEXT},
                options=_OBJECT,
                card=_TEXT,
            ),
            read_only=True,
        ),
        ToolSchema(build, {"type": "object"}),
    )
}
