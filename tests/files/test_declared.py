"""Declared tables: what they take, and what who declares one is told."""

from __future__ import annotations

from typing import Annotated

import pytest

from stepgraph.documents.schema import GraphPart
from stepgraph.values.declared import Converted, Declared, checked_table, keys_of, plain_table


def test_lists_and_tables_that_a_table_does_not_have_are_its_own() -> None:
    one, other = (plain_table(GraphPart, {}) for _ in range(2))
    assert one is not None
    assert other is not None
    assert one.nodes == other.nodes == {}
    assert one.nodes is not other.nodes


def test_a_type_that_cannot_be_read_plainly_is_told_to_who_declares_it() -> None:
    class Odd(Declared):
        when: complex = 1j

    with pytest.raises(TypeError, match="no table is declared to hold <class 'complex'>"):
        plain_table(Odd, {})


def test_a_declaration_says_what_its_keys_are() -> None:
    class Point(Declared):
        x: Annotated[int, Converted(abs)]
        y: int = 2

    assert {key: said.required for key, said in keys_of(Point).items()} == {"x": True, "y": False}
    point = plain_table(Point, {"x": -1})
    assert repr(point) == repr(checked_table(Point, {"x": -1})) == "Point(x=1, y=2)"
    assert point == checked_table(Point, {"x": -1}) != plain_table(Point, {"x": 2})
    assert plain_table(Point, {"y": 1}) is None
    with pytest.raises(AttributeError, match="Point is frozen"):
        point.x = 3
