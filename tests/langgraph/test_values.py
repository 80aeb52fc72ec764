"""Values of LangGraph states as JSON: what is written is read back as it was, and nothing else is."""

from __future__ import annotations

import datetime
import json
import math
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

pytest.importorskip("langgraph")

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from stepgraph import StateError
from stepgraph.extras.langgraph.values import StateValues
from tests.counting import calls_of


class Level(Enum):
    LOW = 1
    HIGH = "high"


class Pair(NamedTuple):
    left: Any
    right: Any


@dataclass(frozen=True, slots=True)
class Frozen:
    inner: Any = None


class Order(BaseModel, extra="allow"):
    number: int
    lines: list[Any] = []


class Schema(TypedDict):
    things: list[Frozen | Order] | None
    pairs: dict[str, Pair]
    level: Level


VALUES = StateValues([Schema])
WORDS = st.sampled_from(["type", "content", "$type", "ai", "human", "dict", "set", "value", "items", "x"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False)
    | WORDS
    | st.binary(max_size=5)
    | st.dates()
    | st.datetimes(timezones=st.none() | st.just(datetime.UTC))
    | st.timedeltas()
    | st.decimals(allow_nan=False)
    | st.uuids()
    | st.sampled_from(Level)
)


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    tables = st.dictionaries(WORDS, inner, max_size=3)
    return (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | tables
        | st.dictionaries(st.integers(0, 3) | WORDS | st.tuples(WORDS), inner, max_size=2)
        | st.builds(Pair, inner, inner)
        | st.builds(Frozen, inner)
        | st.builds(
            lambda lines, more: Order.model_construct(number=1, lines=[lines], more=more), inner, inner
        )
        | st.builds(lambda table: HumanMessage("hi", additional_kwargs=table, id="m-1"), tables)
        | st.builds(lambda table: ToolMessage("12", tool_call_id="c-1", artifact=table), inner)
        | st.frozensets(st.integers() | WORDS, max_size=3)
        | st.sets(st.integers() | WORDS, max_size=3)
    )


def same(one: Any, other: Any) -> bool:
    """Compare as Python does, and the types as well."""
    if type(one) is not type(other):
        return False
    if isinstance(one, BaseMessage | BaseModel):
        return same(dict(one), dict(other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Frozen):
        return same(one.inner, other.inner)
    return bool(one == other)


@given(st.recursive(SCALARS, nested, max_leaves=8))
def test_what_is_written_is_json_and_is_read_back_as_it_was(value: Any) -> None:
    written = VALUES.to_json(value, "state")
    assert same(VALUES.read(json.loads(json.dumps(written, allow_nan=False)), "state"), value)


CALL = {"name": "look", "args": {"a": [1, None]}, "id": "c-1", "type": "tool_call"}

MESSAGES = [
    HumanMessage("Hello", id="m-1", name="ana"),
    AIMessage(
        "",
        id="m-2",
        tool_calls=[CALL],
        usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
    ),
    AIMessage([{"type": "text", "text": "Hi"}, "there"], response_metadata={"model": "x"}),
    AIMessageChunk(content="Hal", id="m-3", tool_call_chunks=[]),
    ToolMessage("12", tool_call_id="c-1", artifact={"rows": (1, 2)}, status="error"),
    SystemMessage("Be kind."),
    FunctionMessage(content="12", name="look"),
    ChatMessage(content="Hm", role="critic"),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_each_kind_of_message_is_kept_whole(message: BaseMessage) -> None:
    written: Any = VALUES.to_json([message], "state")
    assert VALUES.read(json.loads(json.dumps(written)), "state") == [message]
    table = written[0]
    assert (table["type"], table["content"]) == (message.type, message.content)


def test_json_stays_as_it_is() -> None:
    value = {"a": [1, 2.5, True, None, "text"], "role": {"type": "text", "text": "x"}}
    assert VALUES.to_json(value, "state") == value


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_numbers_that_json_does_not_know_are_kept(number: float) -> None:
    read = VALUES.read(VALUES.to_json([number], "state"), "state")
    assert str(read) == str([number])


class Stranger:
    pass


@dataclass
class Unnamed:
    x: int


@pytest.mark.parametrize("value", [Stranger(), Unnamed(1), print, object])
def test_what_no_schema_names_is_refused_by_its_path(value: object) -> None:
    with pytest.raises(StateError) as caught:
        VALUES.to_json({"a": [1, value]}, 'state["x"]')
    assert caught.value.message.startswith('state["x"]["a"][1] is a')
    assert caught.value.hint


@pytest.mark.parametrize(
    "written",
    [
        {"$type": "os:system", "value": "true"},
        {"$type": "Stranger"},
        {"$type": "Unnamed", "x": 1},
        {"$type": "BaseModel"},
        {"$type": "uuid", "value": "no"},
        {"$type": "set", "items": [[1]]},
        {"$type": "set"},
        {"$type": "Level", "value": "MIDDLE"},
        {"$type": "Pair", "left": 1},
        {"$type": ["dict"], "items": []},
        {"type": "ai", "content": 3},
    ],
    ids=str,
)
def test_nothing_is_made_of_what_nobody_wrote(written: Any) -> None:
    with pytest.raises(StateError, match=r'state\["x"\]'):
        VALUES.read(written, 'state["x"]')


def test_a_message_is_written_without_making_its_defaults_anew() -> None:
    messages = [AIMessage(f"answer {number}") for number in range(50)]
    VALUES.to_json(messages[:1], "state")  # what is made once is not counted
    calls, _ = calls_of(lambda: VALUES.to_json(messages, "state"))
    assert 50 < calls < 50 * 100
