"""Calls written as Python, such as `[f(a=1), g()]`: the syntax is read, and nothing is evaluated.

Values are literals, tuples, and bounded arithmetic of numbers; a name, or a call without keywords,
is its own text, as in BFCL's decoder. BFCL evaluates arithmetic and drops positional arguments;
here a text with positional arguments cannot be read.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..statistics.arguments.python_syntax import syntax_tree

_LONGEST = 1_000_000  # characters; a longer text would take seconds and gigabytes to parse
_DEEPEST = 20  # nested operations
_LARGEST_BASE, _LARGEST_EXPONENT = 10**6, 64
# TypeError: the key of an object is a list or an object.
_FAULTS = (
    SyntaxError,
    ValueError,
    TypeError,
    ArithmeticError,
    RecursionError,
    MemoryError,
    SystemError,
)
_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


class Call(NamedTuple):
    """A call: the name of a tool, and its arguments by name."""

    name: str
    arguments: dict[str, Any]


class UnreadableCallError(ValueError):
    """A text, or an object, that attempts a call and cannot be read."""


def read_python_calls(text: str) -> list[Call]:
    """Return the calls of a text: a list, or one after the other, perhaps each in `print`.

    Raises:
        UnreadableCallError: the text is not a list of calls with keyword arguments.

    >>> read_python_calls("f(a=[1, -2.5], b=3 * 4), math.g()")
    [Call(name='f', arguments={'a': [1, -2.5], 'b': 12}), Call(name='math.g', arguments={})]
    >>> read_python_calls("f(a=2 ** 99999999)")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    UnreadableCallError: an argument is BinOp, which is not a value
    """
    text = text.strip().strip("`\n ").strip("'")
    if len(text) > _LONGEST:
        raise UnreadableCallError(f"the text has more than {_LONGEST:,} characters")
    is_list = text.startswith("[") or text.endswith("]")
    if is_list:  # brackets may be missing, as in BFCL's decoder
        text = f"[{text.removeprefix('[').removesuffix(']')}]"
    try:
        statements = syntax_tree(text.strip(), "exec").body
        if is_list and len(statements) > 1:
            raise UnreadableCallError("several lists of calls follow each other")
        return [_read_call(node) for statement in statements for node in _calls_of(statement)]
    except UnreadableCallError:
        raise
    except _FAULTS as error:
        raise UnreadableCallError(f"the text is not Python: {error}") from None


def _calls_of(statement: ast.stmt) -> list[ast.expr]:
    match statement:
        case ast.Expr(value=ast.List(elts=nodes) | ast.Tuple(elts=nodes)):
            return nodes
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=[ast.Call() as node])):
            return [node]
        case ast.Expr(value=node):
            return [node]
    raise UnreadableCallError("the text is not a list of calls")


def _read_call(node: ast.expr) -> Call:
    if not isinstance(node, ast.Call):
        raise UnreadableCallError("the text is not a list of calls")
    names: list[str] = []
    function = node.func
    while isinstance(function, ast.Attribute):
        names.append(function.attr)
        function = function.value
    if not isinstance(function, ast.Name):
        raise UnreadableCallError("the name of a call is an expression")
    name = ".".join([function.id, *reversed(names)])
    arguments = {keyword.arg: _read_value(keyword.value) for keyword in node.keywords}
    if node.args or None in arguments or len(arguments) < len(node.keywords):
        raise UnreadableCallError(f"{name} has positional, ** or repeated arguments")
    return Call(name, arguments)  # type: ignore[arg-type] # None is not among the names


def _read_value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=None | str() | int() | float() as value):
            return value
        case ast.Constant(value=value) if value is Ellipsis:
            return "..."
        case ast.List(elts=items):
            return [_read_value(item) for item in items]
        case ast.Tuple(elts=items):
            return tuple(_read_value(item) for item in items)
        case ast.Dict(keys=keys, values=values) if None not in keys:
            pairs = zip(keys, values, strict=True)
            return {_read_value(key): _read_value(value) for key, value in pairs if key}
        case ast.BinOp() | ast.UnaryOp():
            return _arithmetic(node, 0)
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return ast.unparse(node)  # a variable
        case ast.Call(keywords=[]):
            return ast.unparse(node)
        case ast.Call():
            call = _read_call(node)
            return {call.name: call.arguments}
    raise UnreadableCallError(f"an argument is {type(node).__name__}, which is not a value")


def _arithmetic(node: ast.expr, depth: int) -> int | float:
    """Return the value of an arithmetic expression of numbers.

    Raises:
        UnreadableCallError: it is not one, or is too large.
        ArithmeticError: it has no value.
    """
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign):
            value = _arithmetic(node.operand, depth + 1)
            return -value if isinstance(sign, ast.USub) else value
        case ast.BinOp(op=operation) if type(operation) in _OPERATORS and depth <= _DEEPEST:
            left = _arithmetic(node.left, depth + 1)
            right = _arithmetic(node.right, depth + 1)
            is_large = abs(left) > _LARGEST_BASE or abs(right) > _LARGEST_EXPONENT
            if not (isinstance(operation, ast.Pow) and is_large):
                result = _OPERATORS[type(operation)](left, right)
                if isinstance(result, int | float) and result == result:  # or complex, NaN
                    return result
    raise UnreadableCallError("an argument is an expression, which is not a value")
