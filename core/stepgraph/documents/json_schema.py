"""The JSON Schema of graph files, made from what reads them, for editors and for other programs.

It describes the shape of a file. What a shape cannot express, such as an edge to no node, is left
to ``stepgraph check``.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..nodes.registry import node_types
from ..tools.command_part import CommandArgument, CommandContainer
from ..values.declared import Declared, model_of
from .schema import (
    COMMON,
    EdgePart,
    EqualsPart,
    GraphPart,
    KeyPart,
    NodePart,
    PredicatePart,
    ReviewsPart,
    ToolPart,
)

if TYPE_CHECKING:
    from pydantic import BaseModel

    from ..nodes.base import BaseNode

TITLE = "Stepgraph graph file"
"""What a schema calls itself."""
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_WORDS = frozenset(("holds", "keys", "types", "empty", "title"))
"""What the declarations say to forms and to renaming, and names that pydantic makes up."""
_TYPES = {"text": "string", "number": "number", "boolean": "boolean", "list": "array", "table": "object"}

_Schema = dict[str, Any]


def graph_schema() -> dict[str, Any]:
    """Build the schema of graph files, with the node types of all packages that are installed here."""
    kinds = node_types()
    parts = {
        "key": _table(KeyPart),
        "tool": _tool(),
        "reviews": _table(ReviewsPart),
        "edge": _edge(),
        "node": _node(kinds),
    }
    for name, kind in kinds.items():
        parts |= _node_of_type(name, kind)
    schema = _table(GraphPart)
    schema["required"] = ["format", "name", "start"]
    properties = schema["properties"]
    for name in schema["required"]:
        del properties[name]["default"]
    properties["format"]["description"] = "The format of the file: 1."
    properties["name"]["minLength"] = properties["start"]["minLength"] = 1
    reviews = properties["reviews"]
    properties["reviews"] = {key: reviews[key] for key in ("description", "examples")} | _ref("reviews")
    for section, part, description in (
        ("state", "key", "The declared keys of the state."),
        ("tools", "tool", "The tools that nodes call."),
        ("nodes", "node", "The nodes, in the order in which they are drawn."),
    ):
        properties[section] = {
            "description": description,
            "type": "object",
            "additionalProperties": _ref(part),
        }
    description = "The edges; those of a node are tried in this order, and the first that matches is taken."
    properties["edges"] = {"description": description, "type": "array", "items": _ref("edge")}
    head = {"$schema": _DIALECT, "title": TITLE, "description": "A state graph, as Stepgraph runs it."}
    return head | {key: schema[key] for key in sorted(schema) if key != "description"} | {"$defs": parts}


def _ref(name: str) -> _Schema:
    return {"$ref": f"#/$defs/{name}"}


def _table(declared: type[Declared] | type[BaseModel], within: str = "") -> _Schema:
    """Build the schema of one table, as editors like it: without nulls, which TOML has not.

    Args:
        declared: What reads the table.
        within: Stands before the names of schemas that this one refers to, so that no two share one.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a default that is none
        made = model_of(declared).model_json_schema(by_alias=True, ref_template=f"#/$defs/{within}{{model}}")
    tidy: _Schema = _tidied(made)
    if "description" in tidy:
        tidy["description"] = tidy["description"].replace("``", "`")
    return tidy


def _tidied(value: Any, *, names: bool = False) -> Any:
    """Remove what is only ours, and null.

    Args:
        value: A schema, or a part of one.
        names: Whether it is a table of schemas, whose keys are names of others.
    """
    if isinstance(value, list):
        return [_tidied(each) for each in value]
    if not isinstance(value, dict):
        return value
    if names:
        return {name: _tidied(each) for name, each in value.items()}
    options = value.get("anyOf", [])
    some = [each for each in options if each != {"type": "null"}]
    if len(some) < len(options):
        rest = {key: each for key, each in value.items() if key != "anyOf"}
        value = {**some[0], **rest} if len(some) == 1 else {"anyOf": some, **rest}
    types = [_TYPES[each] for each in value.get("types", ()) if each in _TYPES]
    kept = {
        key: each for key, each in value.items() if key not in _WORDS and (key, each) != ("default", None)
    }
    if types:
        kept["type"] = types
    tables = ("properties", "$defs", "patternProperties")
    as_they_are = ("default", "examples", "enum", "const")
    return {
        key: each if key in as_they_are else _tidied(each, names=key in tables) for key, each in kept.items()
    }


def _tool() -> _Schema:
    tool = _table(ToolPart)
    kinds = {"enum": [*_TYPES], "type": "string"}
    tool["properties"]["arguments"]["additionalProperties"] = {"anyOf": [kinds, _table(CommandArgument)]}
    container = _table(CommandContainer)
    del container["description"]
    tool["properties"]["container"] = {**tool["properties"]["container"], **container}
    return tool


def _edge() -> _Schema:
    edge = _table(EdgePart)
    edge["required"] = ["from", "to"]
    properties = edge["properties"]
    for end, description in (("from", "The source node."), ("to", "The target node, or END.")):
        properties[end] = {"type": "string", "minLength": 1, "description": description}
    conditions = [{"type": "string", "description": "An expression over the state, such as amount >= 100."}]
    for part, required in ((EqualsPart, ["key", "equals"]), (PredicatePart, ["predicate"])):
        condition = _table(part)
        for each in condition["properties"].values():
            each.pop("default", None)
        conditions.append(condition | {"required": required})
    properties["when"] = {"description": "The condition; always true if left out.", "anyOf": conditions}
    return edge


def _node(kinds: Mapping[str, type[BaseNode]]) -> _Schema:
    """Build the schema of any node: its type's schema describes its settings.

    Only that one is asked, so that errors are about it alone. The last part holds for every node; it
    lists the schemas for editors that look for what may be in a table, and do not follow conditions.
    """
    of_types = [
        {"if": {"properties": {"type": {"const": name}}, "required": ["type"]}, "then": _ref(f"node_{name}")}
        for name in kinds
    ]
    return {
        "type": "object",
        "required": ["type"],
        "properties": {"type": {"enum": [*kinds], "description": "What kind of node it is."}},
        "allOf": of_types,
        "anyOf": [*(_ref(f"node_{name}") for name in kinds), {}],
    }


def _node_of_type(name: str, kind: type[BaseNode]) -> dict[str, _Schema]:
    """Build the schema of a type's nodes, with those that it refers to."""
    common = _table(NodePart)
    typed = {"const": name, "description": f"What kind of node it is: {name}."}
    try:
        settings = _table(kind.Settings, f"node_{name}_")
    except Exception:  # a model of a package may hold what JSON Schema cannot say; its nodes may have any key
        settings = {"properties": {}, "additionalProperties": True}
    parts = {f"node_{name}_{part}": each for part, each in settings.pop("$defs", {}).items()}
    properties = {"type": typed} | settings.get("properties", {})
    properties |= {key: common["properties"][key] for key in COMMON if key != "type"}
    schema = {"type": "object", "properties": properties}
    schema["required"] = ["type", *settings.get("required", [])]
    return {f"node_{name}": settings | schema, **parts}
