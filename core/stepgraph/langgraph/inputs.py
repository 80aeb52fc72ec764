"""The keys that a run of a LangGraph graph cannot begin without, so that they are asked for at the start."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap
import typing
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from langchain_core.messages import BaseMessage
from langgraph.graph import add_messages
from pydantic import BaseModel

from .refusals import function_of
from .ways import START

if TYPE_CHECKING:
    from .loaded import LoadedGraph


def required_inputs(loaded: LoadedGraph) -> frozenset[str]:
    """Find the keys that a run surely cannot begin without.

    LangGraph itself asks for none. A model and a dataclass say which they are, and so does a schema for the
    inputs alone; else it is the conversation, and what the first function reads without looking.
    """
    builder = loaded.builder
    schema: Any = builder.input_schema
    keys = loaded.inputs
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        return frozenset(name for name in keys if schema.model_fields[name].is_required())
    if dataclasses.is_dataclass(schema):
        fields = (each for each in dataclasses.fields(schema) if each.name in keys)
        return frozenset(each.name for each in fields if _has_no_default(each))
    if typing.is_typeddict(schema) and schema is not builder.state_schema:
        return frozenset(name for name in keys if name in schema.__required_keys__)
    read = frozenset(name for function in _first_functions(loaded) for name in read_at_once(function))
    return frozenset(
        name
        for name in keys
        if getattr(builder.channels[name], "operator", None) is add_messages
        or (
            name in read
            and (holds_messages(loaded.annotations[name]) or not builder.channels[name].is_available())
        )
    )


def holds_messages(annotation: object) -> bool:
    """Whether a key holds messages: an empty list is there from the first, and no model answers it."""
    if isinstance(annotation, type):
        return issubclass(annotation, BaseMessage)
    return any(holds_messages(part) for part in typing.get_args(annotation))


def _has_no_default(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _first_functions(loaded: LoadedGraph) -> Iterator[Callable[..., Any]]:
    """Give the functions that see the inputs first: the routers at START, else the first node."""
    builder = loaded.builder
    works: list[Any] = [branch.path for branch in builder.branches.get(START, {}).values()]
    if not works:
        works = [builder.nodes[target].runnable for source, target in builder.edges if source == START]
    yield from filter(None, map(function_of, works))


def read_at_once(function: Callable[..., Any]) -> frozenset[str]:
    """Find the keys that a function reads from its first argument, and never looks whether they are there."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):  # a lambda within a call, or nobody has its source
        return frozenset()
    if not isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef):
        return frozenset()
    arguments = [*tree.args.posonlyargs, *tree.args.args][inspect.ismethod(function) :]
    if not arguments or any(isinstance(part, ast.Try) for part in ast.walk(tree)):
        return frozenset()
    state = arguments[0].arg
    read: set[str] = set()
    looked_for: set[str] = set()
    for part in ast.walk(tree):
        match part:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key)), ctx=ast.Load()):
                read |= {key} if name == state else set()
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name)), args=[ast.Constant(value=str(key)), *_]
            ):
                looked_for |= {key} if name == state else set()
            case ast.Compare(left=ast.Constant(value=str(key))):
                looked_for.add(key)
    return frozenset(read - looked_for)
