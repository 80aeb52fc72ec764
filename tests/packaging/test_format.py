"""The page about graph files has every key that a graph file may have, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from stepgraph.documents.schema import EdgePart, GraphPart, KeyPart, NodePart, ReviewsPart, ToolPart
from stepgraph.nodes.registry import node_types
from stepgraph.values.declared import Declared, model_of

PAGE = (Path(__file__).parents[2] / "graphs" / "FORMAT.md").read_text(encoding="utf-8")


def documented(heading: str) -> set[str]:
    """The keys in the table below a heading."""
    section = re.split(rf"^#+ {re.escape(heading)}$", PAGE, flags=re.MULTILINE)[1]
    section = re.split(r"^#+ ", section, flags=re.MULTILINE)[0]
    first_cells = re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)
    return {name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)}


def keys(declared: type[Declared] | type[BaseModel]) -> set[str]:
    return {field.alias or name for name, field in model_of(declared).model_fields.items()}


def test_the_tables_of_a_file() -> None:
    tables = {"state", "tools", "nodes", "edges"}
    assert documented("Top level") == keys(GraphPart) - tables
    assert documented("`[reviews]`") == keys(ReviewsPart) < keys(NodePart)
    assert documented("`[state.KEY]`") == keys(KeyPart)
    assert documented("`[tools.NAME]`") == keys(ToolPart)
    assert documented("`[[edges]]`") == keys(EdgePart)
    intro = PAGE.split("## `[nodes.NAME]`")[1].split("###")[0]
    assert all(f"`{key}`" in intro for key in keys(NodePart))


OURS = {name: cls for name, cls in node_types().items() if cls.__module__.startswith("stepgraph.")}


@pytest.mark.parametrize("name", OURS)
def test_the_settings_of_each_node_type(name: str) -> None:
    assert documented(f'`type = "{name}"`') == keys(OURS[name].Settings)
