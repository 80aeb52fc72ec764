"""The values of a LangGraph state as JSON, and back.

JSON stays as it is. A message of LangChain becomes the table that LangChain itself takes for one, such as
``{"type": "ai", "content": "Hello", "id": "m-1"}``. Everything else becomes a table that says in ``$type``
what it is. Reading imports nothing: an object becomes one of the classes that the graph's own schemas name.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime
import math
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from functools import cache
from types import NoneType
from typing import Any, TypeVar
from uuid import UUID

import langchain_core.messages
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage
from langgraph.types import Interrupt, Overwrite, Send, TimeoutPolicy
from pydantic import BaseModel

from ...values.errors import StateError
from ...values.json_values import Json, canonical, with_article

_T = TypeVar("_T")
_KIND = "$type"

_MESSAGES: dict[str, type[BaseMessage]] = {
    field.default: cls
    for cls in (getattr(langchain_core.messages, name) for name in langchain_core.messages.__all__)
    if isinstance(cls, type)
    and issubclass(cls, BaseMessage)
    and isinstance((field := cls.model_fields["type"]).default, str)
}
"""The classes of messages by what each calls itself."""

_SCALARS: dict[str, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "bytes": (bytes, lambda data: base64.b64encode(data).decode(), base64.b64decode),
    "date": (datetime.date, datetime.date.isoformat, datetime.date.fromisoformat),
    "datetime": (datetime.datetime, datetime.datetime.isoformat, datetime.datetime.fromisoformat),
    "decimal": (Decimal, str, Decimal),
    "float": (float, str, float),
    "time": (datetime.time, datetime.time.isoformat, datetime.time.fromisoformat),
    "timedelta": (
        datetime.timedelta,
        lambda time: [time.days, time.seconds, time.microseconds],
        lambda parts: datetime.timedelta(*parts),
    ),
    "uuid": (UUID, str, UUID),
}
"""What is written as one value: its class, how it is written and how it is read."""

_OF_LANGGRAPH = (Send, TimeoutPolicy, Overwrite, Interrupt)
"""What LangGraph itself puts into its channels."""

_LISTS: dict[type, str] = {tuple: "tuple", set: "set", frozenset: "frozenset"}


class StateValues:
    """Writes the values of a graph's state as JSON, and reads them.

    Args:
        annotations: The types in the graph's schemas, whose classes are known.
        others: What else may be a class that is known, such as that of an agent's structured response.
    """

    def __init__(self, annotations: Iterable[Any], others: Iterable[Any] = ()) -> None:
        self._classes: dict[str, type] = {}
        self._others = iter(others)  # seldom needed, and what they name in turn takes long to find
        for annotation in (Document, *_OF_LANGGRAPH, *annotations):
            self._learn(annotation)

    def _learn(self, annotation: Any) -> None:
        """Find the classes in an annotation, and in those of their fields."""
        for part in typing.get_args(annotation):
            self._learn(part)
        cls = annotation
        if not isinstance(cls, type) or typing.get_origin(cls) is not None:
            return
        if typing.is_typeddict(cls):
            name = ""
        elif not _has_fields(cls) and not issubclass(cls, Enum):
            return
        else:
            name = cls.__qualname__
        if name in self._classes and self._classes[name] is not cls:
            name = f"{cls.__module__}.{name}"
        if self._classes.get(name) is cls or issubclass(cls, BaseMessage):
            return
        if name:
            self._classes[name] = cls
        for part in _annotations_of(cls):
            self._learn(part)

    def _find(self, known: Callable[[], _T | None]) -> _T | None:
        """Look for something among the classes, and once more with all others."""
        found = known()
        if found is None:
            for other in self._others:
                self._learn(other)
            found = known()
        return found

    def to_json(self, value: Any, path: str) -> Json:
        """Write a value as JSON.

        Args:
            value: Any value of a LangGraph state.
            path: Where it is, for the message: ``state["docs"]``.

        Raises:
            StateError: It cannot be written; the message names the exact part.
        """
        kind = type(value)
        if kind in (str, int, bool, NoneType) or (kind is float and math.isfinite(value)):
            return value  # type: ignore[no-any-return]
        if kind is list:
            return self._write_items(value, path)
        if kind is dict:
            return self._table(value, path)
        if isinstance(value, BaseMessage) and _MESSAGES.get(value.type) is kind:
            return self._message(value, path)
        for name, (cls, write, _) in _SCALARS.items():
            if kind is cls:
                return {_KIND: name, "value": write(value)}
        if kind in _LISTS:
            items = self._write_items(value, path)
            if kind is not tuple:  # a set comes in another order in each process
                items.sort(key=canonical)
            return {_KIND: _LISTS[kind], "items": items}
        return self._object(value, path)

    def _write_items(self, values: Iterable[Any], path: str) -> list[Json]:
        return [self.to_json(item, f"{path}[{i}]") for i, item in enumerate(values)]

    def _table(self, table: Mapping[Any, Any], path: str) -> dict[str, Json]:
        plain = all(type(key) is str for key in table) and _KIND not in table and not _is_message(table)
        if plain:
            return {key: self.to_json(item, f'{path}["{key}"]') for key, item in table.items()}
        pairs: list[Json] = [
            [self.to_json(key, f"a key of {path}"), self.to_json(item, f"{path}[{key!r}]")]
            for key, item in table.items()
        ]
        return {_KIND: "dict", "items": pairs}

    def _message(self, message: BaseMessage, path: str) -> dict[str, Json]:
        """Write a message, without what has its default."""
        fields = {"type": message.type, "content": message.content}
        for name, default in _defaults(type(message)).items():
            value = getattr(message, name)
            if name not in fields and value != default:
                fields[name] = value
        fields |= message.model_extra or {}
        return {name: self.to_json(item, f'{path}["{name}"]') for name, item in fields.items()}

    def _object(self, value: Any, path: str) -> dict[str, Json]:
        cls = type(value)
        name = self._find(lambda: next((name for name, known in self._classes.items() if known is cls), None))
        if name is None:
            raise StateError(
                f"{path} is {with_article(cls.__name__)}, which cannot be kept as JSON",
                hint=f"name {cls.__name__} in the annotations of the state or in the module of the graph, or "
                "keep JSON, messages, dataclasses or Pydantic models there",
            )
        if issubclass(cls, Enum):
            return {_KIND: name, "value": value.name}
        fields = {field: getattr(value, field) for field in fields_of(cls) if hasattr(value, field)}
        fields |= getattr(value, "model_extra", None) or {}
        written = {field: self.to_json(item, f"{path}.{field}") for field, item in fields.items()}
        return {_KIND: name, **written}

    def read(self, value: Json, path: str) -> Any:
        """Read what ``written`` wrote; all other JSON is what it is.

        Raises:
            StateError: It is an object of a class that the graph does not name, or no object of it.
        """
        if isinstance(value, list):
            return [self.read(item, f"{path}[{i}]") for i, item in enumerate(value)]
        if not isinstance(value, dict):
            return value
        if _KIND not in value and not _is_message(value):
            return {key: self.read(item, f'{path}["{key}"]') for key, item in value.items()}
        try:
            return self._read_tagged(value, path)
        except StateError:
            raise
        except Exception as error:  # whatever a class says of what a person may have written
            what = value.get(_KIND, value.get("type"))
            raise StateError(f"{path} is no {what}: {error}", hint="edit the state of the run") from error

    def _read_tagged(self, value: dict[str, Any], path: str) -> Any:
        kind = value.get(_KIND)
        if kind is None:
            fields = {name: self.read(item, f'{path}["{name}"]') for name, item in value.items()}
            return _MESSAGES[value["type"]](**fields)
        if kind == "dict":
            return {self.read(key, path): self.read(item, path) for key, item in value["items"]}
        if kind in _LISTS.values():
            made = next(cls for cls, name in _LISTS.items() if name == kind)
            return made(self.read(item, f"{path}[{i}]") for i, item in enumerate(value["items"]))
        if kind in _SCALARS:
            return _SCALARS[kind][2](value["value"])
        cls = self._find(lambda: self._classes.get(kind))
        if cls is None:
            raise StateError(
                f"{path} is a {kind!r}, which the graph does not know",
                hint="name its class in the annotations of the state, or in the module of the graph",
            )
        if issubclass(cls, Enum):
            return cls[value["value"]]
        fields = {name: self.read(item, f"{path}.{name}") for name, item in value.items() if name != _KIND}
        return _built(cls, fields)


@cache
def _defaults(cls: type[BaseMessage]) -> dict[str, Any]:
    """Find the defaults of a message's fields, to compare with: Pydantic takes long to make each again."""
    return {name: field.get_default(call_default_factory=True) for name, field in cls.model_fields.items()}


def _is_message(table: Mapping[Any, Any]) -> bool:
    """Check whether a table is one that a message was written as."""
    kind = table.get("type")
    return isinstance(kind, str) and kind in _MESSAGES and "content" in table


def _has_fields(cls: type) -> bool:
    return issubclass(cls, (BaseModel, Send)) or dataclasses.is_dataclass(cls) or _is_named_tuple(cls)


def _is_named_tuple(cls: type) -> bool:
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


def fields_of(cls: Any) -> Sequence[str]:
    """List the fields of a class that has some: a model, a dataclass, a typed dict or a named tuple."""
    if typing.is_typeddict(cls):
        return sorted(cls.__required_keys__ | cls.__optional_keys__)
    if issubclass(cls, BaseModel):
        return tuple(cls.model_fields)
    if dataclasses.is_dataclass(cls):
        return tuple(field.name for field in dataclasses.fields(cls))
    return tuple(cls.__slots__ if cls is Send else getattr(cls, "_fields", ()))


def _built(cls: Any, fields: dict[str, Any]) -> Any:
    """Restore an object from its fields; what its class does to new ones was done to them before."""
    if issubclass(cls, BaseModel):
        return cls.model_construct(**fields)
    if _is_named_tuple(cls):
        return cls(**fields)
    made = cls.__new__(cls)
    for name, value in fields.items():
        object.__setattr__(made, name, value)
    return made


def _annotations_of(cls: type) -> Iterable[Any]:
    try:
        return tuple(typing.get_type_hints(cls, include_extras=True).values())
    except Exception:  # a name in them that is not there; then LangGraph has told of it, or nobody needs it
        return ()
