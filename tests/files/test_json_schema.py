"""The JSON Schema of graph files refuses what check refuses for its shape, and nothing else."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from stepgraph.documents import json_schema
from stepgraph.documents.json_schema import graph_schema
from stepgraph.documents.loader import from_document
from stepgraph.files.templates import TEMPLATES, template_text
from stepgraph.files.writer import schema_line, with_schema_line
from stepgraph.graphs.validation import check
from stepgraph.nodes.base import BaseNode
from stepgraph.nodes.registry import node_type, node_types
from stepgraph.nodes.settings import NodeSettings
from stepgraph.values.declared import model_of

GRAPHS = sorted((Path(__file__).parents[2] / "graphs").glob("*.toml"))
every_graph = pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.stem)
SCHEMA = graph_schema()
VALIDATOR = Draft202012Validator(SCHEMA)
SHAPE = {"F008", "F020", "F021", "F022", "G030", "G031", "G032", "G033"}
WRONG: tuple[object, ...] = ("word", 7, 1.5, True, [], [7], {}, {"odd": 7}, "")

Table = dict[str, Any]


class Inner(BaseModel):
    depth: int = Field(description="How deep.")


def document(path: Path) -> Table:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def tables(graph: Table) -> Iterator[tuple[Table, str]]:
    """The tables of a graph with keys of ours: not those of values."""
    yield graph, "top"
    for section in ("state", "tools", "nodes"):
        for name, table in graph.get(section, {}).items():
            yield table, f"{section}.{name}"
    for number, edge in enumerate(graph.get("edges", [])):
        yield edge, f"edges.{number}"
        if isinstance(edge.get("when"), dict):
            yield edge["when"], f"edges.{number}.when"
    if "reviews" in graph:
        yield graph["reviews"], "reviews"


def mutations(graph: Table, numbers: list[int]) -> Iterator[tuple[str, Table]]:
    """Each of these tables with one key misspelt, left out, or of another kind."""
    all_tables = [*tables(graph)]
    for number in numbers:
        table, where = all_tables[number]
        for key in table:
            for what, change in changes(key).items():
                mutated = copy.deepcopy(graph)
                change([*tables(mutated)][number][0])
                yield f"{where}.{key}: {what}", mutated


def shape(table: Table, where: str) -> object:
    """What a table is a table of, and which keys it has with values of which kind."""
    kinds = {(key, type(value)) for key, value in table.items()}
    words = {key: table.get(key) for key in ("type", "reducer", "op")}
    return where.partition(".")[0], where.endswith(".when"), repr(words), frozenset(kinds)


def tables_to_mutate() -> dict[Path, list[int]]:
    """The numbers of the tables of each example, of those that are alike the first one of all."""
    seen = set()
    found: dict[Path, list[int]] = {}
    for path in GRAPHS:
        for number, (table, where) in enumerate(tables(document(path))):
            if (alike := shape(table, where)) not in seen:
                seen.add(alike)
                found.setdefault(path, []).append(number)
    return found


TABLES = tables_to_mutate()


def changes(key: str) -> Mapping[str, Any]:
    def misspelt(table: Table) -> None:
        table[f"{key}x"] = table.pop(key)

    def left_out(table: Table) -> None:
        del table[key]

    def put(value: object) -> Any:
        return lambda table: table.__setitem__(key, value)

    return {"misspelt": misspelt, "left out": left_out} | {repr(value): put(value) for value in WRONG}


def codes(graph: Table) -> set[str]:
    """What check says of a document."""
    return {problem.code for problem in check(from_document(graph, opaque=False)) if problem.is_error}


@every_graph
def test_every_example_fits(path: Path) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(document(path))] == []


@pytest.mark.parametrize("template", [name for name in TEMPLATES if name != "blank"])
def test_every_template_fits(template: str) -> None:
    assert [*VALIDATOR.iter_errors(tomllib.loads(template_text(template, "new")))] == []


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_what_check_refuses_for_its_shape_the_schema_refuses_and_nothing_that_check_takes(path: Path) -> None:
    graph, refused, count = document(path), 0, 0
    for what, mutated in mutations(graph, TABLES[path]):
        said, fits = codes(mutated), VALIDATOR.is_valid(mutated)
        count += 1
        refused += not fits
        assert not (said & SHAPE and fits), f"{what}: check says {said}, the schema nothing"
        assert said or fits, f"{what}: the schema refuses what check takes"
    assert count / 4 < refused < count


@pytest.mark.parametrize("kind", [*node_types()])
def test_a_type_has_the_keys_descriptions_and_defaults_of_its_settings(kind: str) -> None:
    told = SCHEMA["$defs"][f"node_{kind}"]["properties"]
    for name, field in model_of(node_type(kind).Settings).model_fields.items():
        key = field.alias or name
        assert told[key]["description"] == field.description
        if field.default_factory is None and field.default not in (None, (), ...) and not field.is_required():
            assert told[key]["default"] == field.default
        assert "required" in SCHEMA["$defs"][f"node_{kind}"]
        assert (key in SCHEMA["$defs"][f"node_{kind}"]["required"]) == field.is_required()


def test_types_of_packages_are_in_it_and_what_no_schema_can_say_is_left_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Mine(BaseNode):
        type = "mine"

        class Settings(NodeSettings):
            inner: Inner = Field(description="What is inside.")

    class Odd(BaseNode):
        type = "odd"

        class Settings(NodeSettings):
            function: Any = Field(default=None, json_schema_extra=lambda schema: 1 / 0)  # type: ignore[arg-type]

    monkeypatch.setattr(json_schema, "node_types", lambda: {**node_types(), "mine": Mine, "odd": Odd})
    validator = Draft202012Validator(graph_schema())
    graph = document(GRAPHS[0])
    for node, fits in (
        ({"type": "mine", "inner": {"depth": 3}}, True),
        ({"type": "mine", "inner": {"depth": "3"}}, False),
        ({"type": "mine"}, False),
        ({"type": "odd", "anything": 1, "note": "x"}, True),
        ({"type": "odd", "note": 1}, False),
    ):
        graph["nodes"] = {"a": node}
        assert validator.is_valid(graph) is fits, node


def test_the_line_is_found_where_editors_look_for_it() -> None:
    assert schema_line("#:schema ./a.json\nx = 1\n") == "./a.json"
    assert schema_line("# a comment\n\n  #:schema  https://a.example/b c.json  \r\nx = 1\n") == (
        "https://a.example/b c.json"
    )
    for text in (
        "x = 1\n#:schema ./a.json\n",
        "# :schema ./a.json\n",
        "#:schema\n",
        "[a]\n#:schema ./a.json",
        "",
    ):
        assert schema_line(text) is None, text


@every_graph
def test_the_line_changes_nothing_but_the_line(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    written = with_schema_line(text, "a b.json")
    assert schema_line(written) == "./a%20b.json"
    assert tomllib.loads(written) == tomllib.loads(text)
    assert with_schema_line("a = 1\r\nb = 2\r\n", "s.json") == "#:schema ./s.json\r\na = 1\r\nb = 2\r\n"
