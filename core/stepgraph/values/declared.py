"""Tables of known keys, declared once in the words of pydantic, which is loaded only where it has work to do.

To load pydantic takes longer than all the rest of a short command. So the tables of graph files and the
settings of the built-in nodes are declared here, and a declaration is used in two ways. ``plain_table`` reads
a table in which each value is of its key's own type, and gives up on everything else. ``model_of`` makes the
pydantic model of it: it says what is wrong, documents, and makes the forms. What the first takes, the model
takes, with the same values: a property test holds the two together.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Mapping
from functools import cache
from math import isfinite
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

if TYPE_CHECKING:
    from pydantic import BaseModel


_Read: TypeAlias = Callable[[Any], Any]
"""Gives a value as it is kept, or raises ValueError: it is not plainly right."""
_EXACT = 2**53  # up to here a float holds any whole number


class DeclaredField:
    """One key of a declaration.

    Args:
        default: Its value where a table does not have it; ``...`` when each must.
        options: What else ``field`` was given.
    """

    __slots__ = ("alias", "default", "factory", "options")

    def __init__(self, default: Any, options: dict[str, Any]) -> None:
        self.default, self.options = default, options
        self.alias: str | None = options.get("alias")
        self.factory: Callable[[], Any] | None = options.get("default_factory")

    @property
    def required(self) -> bool:
        """Whether every table must have it."""
        return self.default is ... and self.factory is None

    def value(self) -> Any:
        """Return its value when a table does not have it."""
        return self.default if self.factory is None else self.factory()


def field(
    default: Any = ...,
    *,
    default_factory: Callable[[], Any] | None = None,
    alias: str | None = None,
    min_length: int | None = None,
    description: str | None = None,
    examples: list[Any] | None = None,
    json_schema_extra: dict[str, Any] | None = None,
) -> Any:
    """Declare a key: takes of what pydantic's ``Field`` takes the part that both readings understand.

    Args:
        default: Its value where a table does not have it; ``...`` when each must.
        default_factory: Makes that value instead, where it is a list or a table.
        alias: Its name in a table, where that is not a name in Python.
        min_length: The least characters of a text.
        description: What it is, for people.
        examples: Values of it; a new node gets the first.
        json_schema_extra: Hints for forms and renaming.
    """
    options = {
        "default_factory": default_factory,
        "alias": alias,
        "min_length": min_length,
        "description": description,
        "examples": examples,
        "json_schema_extra": json_schema_extra,
    }
    return DeclaredField(default, {name: value for name, value in options.items() if value is not None})


class Converted:
    """Stands in an ``Annotated`` type for a function that changes or refuses (ValueError) a value.

    Args:
        function: Takes the value and gives what is kept of it.
        first: Whether it is called before the type is looked at, not after.
        takes: Makes of the JSON Schema of the type that of what the function takes, where that is more.
    """

    def __init__(
        self,
        function: Callable[[Any], Any],
        *,
        first: bool = False,
        takes: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
    ) -> None:
        self.function, self.first, self.takes = function, first, takes

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        """Declare the same to pydantic."""
        from pydantic_core import core_schema

        inner = handler(source)
        if self.first:
            return core_schema.no_info_before_validator_function(self.function, inner)
        return core_schema.no_info_after_validator_function(self.function, inner)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Callable[[Any], Any]) -> Any:
        """Declare to pydantic what is accepted."""
        inner = handler(schema)
        return self.takes(inner) if self.takes is not None else inner

    def reading(self, read: _Read) -> _Read:
        """Return what reads the value, with the function around it."""
        function = self.function
        if self.first:
            return lambda value: read(function(value))
        return lambda value: function(read(value))


class Declared:
    """A table of known keys: nothing unknown, nothing guessed, nothing changed later.

    A subclass annotates its keys as a pydantic model does, and says the rest of each by ``field``.
    """

    _declared: ClassVar[dict[str, DeclaredField]] = {}

    def __init_subclass__(cls) -> None:
        cls._declared = {}
        for name in inspect.get_annotations(cls):
            value = cls.__dict__.get(name, ...)
            cls._declared[name] = value if isinstance(value, DeclaredField) else DeclaredField(value, {})
            if name in cls.__dict__:
                delattr(cls, name)

    def __init__(self, values: Mapping[str, Any]) -> None:
        for name, field in self._declared.items():
            self.__dict__[name] = values[name] if name in values else field.value()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: its {name!r} cannot be set")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # there are lists in it

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in vars(self).items())})"

    def _check(self) -> None:
        """Refuse (ValueError) values that are right by themselves and do not fit together."""


D = TypeVar("D", bound=Declared)


def keys_of(declared: type[Declared]) -> dict[str, DeclaredField]:
    """Return what is declared, by the keys of a table."""
    return {field.alias or name: field for name, field in declared._declared.items()}


def defaults_of(declared: type[Declared] | type[BaseModel]) -> dict[str, Any]:
    """Return the defaults of a declaration; of ours without loading pydantic."""
    if issubclass(declared, Declared):
        return {key: field.value() for key, field in keys_of(declared).items() if not field.required}
    fields = declared.model_fields.items()
    return {
        key: field.get_default(call_default_factory=True) for key, field in fields if not field.is_required()
    }


def plain_table(declared: type[D], table: Mapping[str, Any]) -> D | None:
    """Read a table in which everything is plainly right; None where only the model can tell."""
    readers = _readers(declared)  # type: ignore[arg-type]  # to mypy a class cannot be hashed
    if not readers.keys() >= table.keys():
        return None
    values = {}
    try:
        for key, (name, required, read) in readers.items():
            if key in table:
                values[name] = read(table[key])
            elif required:
                return None
        found = declared(values)
        found._check()
    except ValueError:
        return None
    return found


def checked_table(declared: type[D], table: Mapping[str, Any]) -> D:
    """Read a table by the model, which says all that is wrong with it.

    Raises:
        pydantic.ValidationError: It does not fit.
    """
    model = model_of(declared).model_validate(dict(table))
    return declared({name: getattr(model, name) for name in declared._declared})


def model_of(declared: type[Declared] | type[BaseModel]) -> type[BaseModel]:
    """Return the pydantic model of a declaration; packages' node types may be pydantic models themselves."""
    if not issubclass(declared, Declared):
        return declared
    return _model(declared)  # type: ignore[arg-type]  # to mypy a class cannot be hashed


@cache
def _model(declared: type[Declared]) -> type[BaseModel]:
    from pydantic import ConfigDict, Field, create_model, model_validator

    def check(self: Any) -> Any:
        declared._check(self)
        return self

    kinds = get_type_hints(declared, include_extras=True)
    validators: dict[str, Any] = {"check": model_validator(mode="after")(check)}
    fields: dict[str, Any] = {}
    for name, field in declared._declared.items():
        options = dict(field.options)
        if get_origin(kinds[name]) is tuple:
            options["strict"] = False  # files have lists
        if field.factory is None:
            options["default"] = field.default
        fields[name] = kinds[name], Field(**options)
    return create_model(
        declared.__name__,
        __config__=ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False),
        __doc__=declared.__doc__,
        __module__=declared.__module__,
        __validators__=validators,
        **fields,
    )


@cache
def _readers(declared: type[Declared]) -> dict[str, tuple[str, bool, _Read]]:
    """Return for each key its attribute, whether a table must have it, and what reads its value."""
    kinds = get_type_hints(declared, include_extras=True)
    return {
        field.alias or name: (name, field.required, _reader(kinds[name], field.options.get("min_length", 0)))
        for name, field in declared._declared.items()
    }


def _reader(kind: Any, least: int = 0) -> _Read:
    """Build the parser of a type: text of at least ``least`` characters, numbers, lists and tables."""
    origin, within = get_origin(kind), get_args(kind)
    if kind is Any:
        return lambda value: value
    if kind is str:
        return lambda value: _text(value, least)
    if kind in _NUMBERS:
        return _NUMBERS[kind]
    if origin is Literal:
        return lambda value: _one_of(value, within)
    if origin is Annotated:
        read = _reader(within[0], least)
        for constraint in within[1:]:
            read = constraint.reading(read)
        return read
    if origin in (Union, types.UnionType) and within[1:] == (types.NoneType,):
        some = _reader(within[0], least)
        return lambda value: None if value is None else some(value)
    if origin in (list, tuple):
        item = _reader(within[0])
        return lambda value: origin(map(item, _typed(value, list)))
    if origin is dict:
        of_keys, item = _reader(within[0]), _reader(within[1])
        return lambda value: {of_keys(key): item(one) for key, one in _typed(value, dict).items()}
    raise TypeError(f"no table is declared to hold {kind}")


def _typed(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise ValueError
    return value


def _text(value: Any, least: int) -> str:
    text: str = _typed(value, str)
    if len(text) < least:
        raise ValueError
    if not text.isascii():
        text.encode()  # which refuses half a character
    return text


def _number(value: Any) -> float:
    if type(value) is int and abs(value) <= _EXACT:
        return float(value)
    if not isfinite(_typed(value, float)):
        raise ValueError
    return value  # type: ignore[no-any-return]


def _one_of(value: Any, choices: tuple[Any, ...]) -> Any:
    if not any(value == choice and type(value) is type(choice) for choice in choices):
        raise ValueError
    return value


_NUMBERS: dict[Any, _Read] = {
    bool: lambda value: _typed(value, bool),
    int: lambda value: _typed(value, int),
    float: _number,
}


_UNITS = {"w": 7 * 86_400, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
LONGEST = 3_650 * 86_400
"""Ten years, in seconds: what waits longer waits for ever."""

PATTERN = r"^\s*(0|[0-9]{1,9}(\.[0-9]{1,6})?[wdhms])\s*$"
"""Matches lengths of time as JSON Schema has it."""
_WRITTEN = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)([wdhms])")


def parse_duration(text: str) -> float:
    """Read a length of time, in seconds; a plain ``0`` is none at all.

    Raises:
        ValueError: It is none, or longer than ten years.
    """
    found = _WRITTEN.fullmatch(text.strip())
    seconds = 0.0 if text.strip() == "0" else float(found[1]) * _UNITS[found[2]] if found else None
    if seconds is None:
        raise ValueError("a duration is written 30s, 10m, 4h, 2d or 2w")
    if seconds > LONGEST:
        raise ValueError("at most ten years")
    return seconds


def as_duration(schema: dict[str, Any]) -> dict[str, Any]:
    """Mark a text as a duration in its JSON Schema."""
    return {**schema, "pattern": PATTERN}


def duration_text(seconds: float) -> str:
    """Write a length of time as ``parse_duration`` reads it, in the largest unit that divides it."""
    for unit, size in _UNITS.items():
        if unit != "w" and seconds >= size and seconds % size == 0:
            return f"{seconds // size:.0f}{unit}"
    return f"{seconds:.6f}".rstrip("0").rstrip(".") + "s" if seconds else "0"
