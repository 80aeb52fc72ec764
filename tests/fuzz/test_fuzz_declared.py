"""Declared tables: whatever is read without pydantic, pydantic reads alike."""

from __future__ import annotations

import types
from enum import IntEnum
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from stepgraph.documents import schema
from stepgraph.nodes.registry import node_types
from stepgraph.values.declared import Declared, checked_table, plain_table


class Number(IntEnum):
    ONE = 1


class Text(str):
    __slots__ = ()


MODULES = {cls.__module__ for cls in node_types().values()}
TABLES: list[type[Declared]] = [
    kind for kind in Declared.__subclasses__() if kind.__module__ in (schema.__name__, *MODULES)
]

words = st.sampled_from(["a", "a.b", "m:f", "text", "number", "approve", "edit", "low", "fail", "end"])
odd = st.one_of(
    st.text(max_size=3),
    st.sampled_from(["", "\ud800", "ü", Text("x"), Number.ONE, 1, 0, -1, 2**53 + 1, 10**400, 1.5, -0.0]),
    st.floats(allow_nan=True),
    st.booleans(),
    st.none(),
    st.just({1, 2}),
)
values = st.recursive(
    words | odd,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=2).map(tuple)
        | st.dictionaries(words | st.sampled_from(["\ud800", 1]), inner, max_size=2)
    ),
    max_leaves=4,
)


def fitting(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a type, as a file has them: lists for tuples."""
    origin, within = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return fitting(within[0])
    if origin in (Union, types.UnionType):
        return st.one_of([fitting(one) for one in within])
    if origin in (list, tuple):
        return st.lists(fitting(within[0]), max_size=2)
    if origin is dict:
        return st.dictionaries(words, fitting(within[1]), max_size=2)
    return words if kind is str else values if kind is Any else st.from_type(kind)


@st.composite
def tables(draw: st.DrawFn, declared: type[Declared]) -> dict[Any, Any]:
    """Tables that mostly fit."""
    kinds = get_type_hints(declared, include_extras=True)
    table: dict[Any, Any] = {}
    for name, said in declared._declared.items():
        if draw(st.integers(0, 9)) < (9 if said.required else 4):
            wrong = draw(st.integers(0, 11)) == 0
            table[said.alias or name] = draw(values if wrong else fitting(kinds[name]))
    if draw(st.integers(0, 11)) == 0:
        table[draw(st.sampled_from(["notes", "from", 1]))] = 1
    return table


@pytest.mark.parametrize("declared", TABLES, ids=lambda declared: declared.__name__)
@given(st.data())
def test_what_is_plainly_right_the_model_takes_with_the_same_values(
    declared: type[Declared], data: st.DataObject
) -> None:
    table = data.draw(tables(declared))
    plain = plain_table(declared, table)
    event("plain" if plain is not None else "left to the model")
    if plain is not None:
        assert repr(plain) == repr(checked_table(declared, table))  # which tells 1 from 1.0, and () from []
