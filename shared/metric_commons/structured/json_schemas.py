"""JSON Schemas that predictions are checked against, by the library jsonschema (extra `schema`)."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from ..statistics.arguments.checks import OptionError
from ..statistics.arguments.domains import PerRow
from .json_texts import InvalidJsonError, read_json

Schemas = Mapping[str, Any] | str | Annotated[Sequence[Any], PerRow("JSON Schema")]


class SchemaValidators:
    """The schemas of all rows, each prepared once."""

    def __init__(self, schema: Any, rows: int) -> None:
        """Prepare the schemas.

        Args:
            schema: one for all rows, or a list with one for each; schemas may be JSON texts.
            rows: the number of rows.

        Raises:
            ImportError: jsonschema is not installed.
            OptionError: a schema is not valid, or there is not one for each row.
        """
        is_list = not isinstance(schema, Mapping | str)
        schemas = list(schema) if is_list else [schema]
        if is_list and rows and len(schemas) != rows:
            raise OptionError("schema", f"has {len(schemas)} schemas for {rows} rows")
        validators: dict[int | str, Any] = {}  # rows often share a schema
        keys = [item if isinstance(item, str) else id(item) for item in schemas]
        for row, (key, item) in enumerate(zip(keys, schemas, strict=True)):
            if key not in validators:
                label = f"schema[{row}]" if is_list else "schema"
                validators[key] = _validator(item, label)
        self._validators = [validators[key] for key in keys] * (1 if is_list else rows)

    def is_valid(self, row: int, value: Any) -> bool:
        """Return whether a value follows the schema of a row."""
        try:
            return bool(self._validators[row].is_valid(value))
        except RecursionError:
            return False


def _validator(schema: Any, label: str) -> Any:
    try:
        from jsonschema import SchemaError
        from jsonschema.validators import Draft202012Validator, validator_for
    except ImportError as error:
        raise ImportError(
            "option schema needs jsonschema: pip install 'metric-commons[schema]'"
        ) from error
    if isinstance(schema, str):
        try:
            schema = read_json(schema)
        except InvalidJsonError as error:
            raise OptionError(label, str(error)) from None
    if not isinstance(schema, Mapping | bool):
        raise OptionError(label, "is not a JSON Schema, which is an object")
    kind = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(schema)
    except SchemaError as error:
        raise OptionError(label, f"is not a JSON Schema: {error.message}") from None
    return kind(schema)
