"""The parts of an annotation of an option."""

import types
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal, Union, get_args, get_origin

KINDS = {Union: "union", types.UnionType: "union", Literal: "literal", Annotated: "annotated"}
KINDS |= {Sequence: "list", list: "list", tuple: "list", Mapping: "object", dict: "object"}


def parts(annotation):
    """The kind of an annotation, and its arguments."""
    if annotation is Callable or get_origin(annotation) is type(Callable):
        return "function", ()
    return KINDS.get(get_origin(annotation), "plain"), get_args(annotation)


def marker(annotation):
    """The marker of an `Annotated` type; None for other types."""
    kind, members = parts(annotation)
    return members[1] if kind == "annotated" else None
