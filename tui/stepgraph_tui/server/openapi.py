"""The server's description of itself, made from the models that check what it is sent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from stepgraph import __version__

from .api import OPERATIONS, Operation
from .bodies import ErrorAnswer, StatusEvent, StepEvent

_REFUSALS = {
    400: "It cannot be read, or is not allowed here.",
    401: "It does not show the server's token.",
    403: "It comes from elsewhere, or the graph is not trusted.",
    404: "There is none of that name.",
    408: "Its body did not come in time.",
    409: "Somebody else was first, or it stands elsewhere.",
    413: "Its body is too large.",
    415: "Its body is not declared as JSON.",
    422: "What it says does not fit.",
    503: "The server or its store cannot do it now.",
}
_ANSWERS = {
    200: "Done.",
    201: "It was started, and ended or failed.",
    202: "It pauses or goes on.",
    204: "There is nothing more to listen to.",
}
_REF = "#/components/schemas/{model}"


def description(graphs: Iterable[str], *, needs_token: bool) -> dict[str, Any]:
    """Describe the server.

    Args:
        graphs: The names of the graphs that can be started.
        needs_token: Whether clients must show a token.
    """
    models: dict[type[BaseModel], None] = {ErrorAnswer: None, StepEvent: None, StatusEvent: None}
    for each in OPERATIONS:
        models |= dict.fromkeys(model for model in (each.body, each.answer) if model is not None)
    kinds = [(model, "validation" if _is_body(model) else "serialization") for model in models]
    refs, definitions = models_json_schema(kinds, ref_template=_REF)  # type: ignore[arg-type]  # a list of literals
    names: dict[type[Any], str] = {model: ref["$ref"] for (model, _), ref in refs.items()}
    paths: dict[str, dict[str, Any]] = {}
    for each in OPERATIONS:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each, names, sorted(graphs))
    described: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "Stepgraph",
            "version": __version__,
            "description": "Runs of state graphs, and their reviews.",
        },
        "paths": paths,
        "components": {"schemas": definitions["$defs"]},
    }
    if needs_token:
        described["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        described["security"] = [{"token": []}]
        paths["/health"]["get"]["security"] = []
    return described


def _is_body(model: type[BaseModel]) -> bool:
    return any(each.body is model for each in OPERATIONS)


def _operation(each: Operation, names: dict[type[Any], str], graphs: list[str]) -> dict[str, Any]:
    said: dict[str, Any] = {
        "operationId": each.handler.__name__,
        "summary": each.summary,
        "parameters": _parameters(each, graphs),
        "responses": {
            **{str(status): _answer(each, status, names) for status in each.statuses},
            **{
                str(status): {
                    "description": _REFUSALS[status],
                    "content": _content({"$ref": names[ErrorAnswer]}),
                }
                for status in each.refusals
            },
        },
    }
    if each.body is not None:
        required = each.body.__name__ == "DecisionBody"
        said["requestBody"] = {"required": required, "content": _content({"$ref": names[each.body]})}
    elif each.inputs:
        table = {"type": "object", "description": "The inputs by the names of their keys."}
        said["requestBody"] = {"required": False, "content": _content(table)}
    return said


def _content(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _answer(each: Operation, status: int, names: dict[type[Any], str]) -> dict[str, Any]:
    said: dict[str, Any] = {"description": _ANSWERS[status]}
    if status == 201:
        said["headers"] = {"Location": {"schema": {"type": "string"}, "description": "Where to read it."}}
    if status == 204:
        return said
    if each.answer is None:
        told = f"`step` events have `{names[StepEvent]}`, `status` events `{names[StatusEvent]}`."
        # No type: some tools take this as the schema of the whole text, others as that of each event.
        said["content"] = {"text/event-stream": {"schema": {"description": told}}}
    else:
        said["content"] = _content({"$ref": names[each.answer]})
    return said


def _parameters(each: Operation, graphs: list[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if "{id}" in each.path:
        schema = {"type": "string", "minLength": 1, "maxLength": 200}
        found.append({"name": "id", "in": "path", "required": True, "schema": schema})
    asked = each.query.model_json_schema()
    for name, schema in asked.get("properties", {}).items():
        text = schema.pop("description", "")
        schema.pop("title", None)
        options = [option for option in schema.pop("anyOf", []) if option.get("type") != "null"]
        schema = {**schema, **(options[0] if options else {})}
        if schema.get("default", "") is None:
            del schema["default"]
        if name == "graph":
            schema["enum"] = graphs
        required = name in asked.get("required", [])
        found.append(
            {"name": name, "in": "query", "required": required, "schema": schema, "description": text}
        )
    if each.answer is None:
        schema = {"type": "string", "pattern": "^[0-9]{1,9}$"}
        text = "The step after which to begin, as browsers send it when they come back."
        found.append(
            {
                "name": "Last-Event-ID",
                "in": "header",
                "required": False,
                "schema": schema,
                "description": text,
            }
        )
    return found
