"""Structured replies: declared keys as a JSON schema, and one repair."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import END, Executor, GraphError, NodeFailed, RunStatus, StateGraph
from stepgraph.nodes.structured import Unfit, read_table, schema_of
from stepgraph.testing import ScriptedModel
from stepgraph.values.json_values import dumps
from stepgraph.values.state import StateKey
from tests.nodes.models import ChatScript, Reply, calling

KEYS = {
    "category": StateKey("category", type="text", note="billing or other"),
    "urgency": StateKey("urgency", type="number"),
    "tags": StateKey("tags", reducer="append", type="list"),
    "extra": StateKey("extra"),
}


def test_the_schema_has_the_types_and_notes_of_the_keys() -> None:
    assert schema_of(["category", "urgency", "tags", "extra"], KEYS) == {
        "type": "object",
        "properties": {
            "category": {"type": "string", "description": "billing or other"},
            "urgency": {"type": "number"},
            "tags": {"type": "array"},
            "extra": {},
        },
        "required": ["category", "urgency", "tags", "extra"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "text",
    [
        '{"urgency": 3}',
        ' {"urgency": 3}\n',
        '```json\n{"urgency": 3}\n```',
        ' \n``` JSON \r\n\n{"urgency": 3}\n\n ```\n',
        '```\n{"urgency": 3}```',
    ],
)
def test_a_reply_is_one_object_and_a_fence_is_no_harm(text: str) -> None:
    assert read_table(text, ["urgency"], KEYS) == {"urgency": 3}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("urgent", "no JSON"),
        ("[3]", "a list, not a JSON object"),
        ('{"urgency": NaN, "category": "x"}', "NaN is not a JSON number"),
        ('{"urgency": 3}', "'category' is missing"),
        ('{"urgency": 3, "category": "x", "categry": 1}', "did you mean 'category'?"),
        ('{"urgency": "3", "category": "x"}', "'urgency' is \"3\", a text, not a number"),
        ('{"urgency": true, "category": "x"}', "a boolean, not a number"),
        ('{"urgency": null, "category": 1}', "'urgency' is null"),
        ("[" * 100_000, "nested too deeply"),
        ('{"urgency": 1e999, "category": "x"}', "inf"),
    ],
)
def test_what_does_not_fit_is_told_in_full(text: str, says: str) -> None:
    with pytest.raises(Unfit) as unfit:
        read_table(text, ["category", "urgency"], KEYS)
    assert says in str(unfit.value)


@pytest.mark.parametrize("text", ["```", "```\n", "``````", '```json {"urgency": 3}\n```', "```\n1"])
def test_a_fence_that_is_none_is_no_json(text: str) -> None:
    with pytest.raises(Unfit, match="it is no JSON"):
        read_table(text, ["urgency"], KEYS)


@pytest.mark.parametrize("run", ["\n", " ", "\r\n", "`", "a", '"', "{", "[", "\\", "\u2028"])
def test_a_reply_with_an_endless_run_in_it_is_read_at_once(run: str) -> None:
    for head in ("", "```", "```json\n", "{"):  # a cube of their length would take years
        with pytest.raises(Unfit):
            read_table(head + run * 500_000 + "x", ["urgency"], KEYS)


def test_of_a_reply_that_makes_up_thousands_of_keys_some_are_told() -> None:
    made_up = dict.fromkeys((f"urgency{number}" for number in range(5_000)), 1)
    with pytest.raises(Unfit) as unfit:
        read_table(dumps(made_up), ["urgency"], KEYS)
    assert "'urgency0' was not asked for (did you mean 'urgency'?)" in str(unfit.value)
    assert str(unfit.value).endswith("4,995 more were not asked for")


def graph(**settings: Any) -> StateGraph:
    """A node that fills in two keys."""
    made = StateGraph("g", start="sort")
    made.add_key("category", type="text", note="billing or other")
    made.add_key("urgency", type="number")
    made.add_tool("look", lambda: {"found": True})
    made.declare_node(
        "sort", "llm", {"prompt": "Sort {{ ticket }}", "schema": ["category", "urgency"], **settings}
    )
    made.add_edge("sort", END)
    return made


GOOD = '{"category": "billing", "urgency": 3}'


def test_the_reply_goes_into_its_keys_and_not_under_output() -> None:
    model = ChatScript([GOOD])
    run = graph().compile().run({"ticket": "x"}, models={"default": model})
    assert run.values == {"ticket": "x", "category": "billing", "urgency": 3, "next_action": "RESPOND"}
    assert run.output == GOOD
    assert model.requests[0].schema is not None
    assert model.requests[0].schema["required"] == ["category", "urgency"]


def test_a_reply_that_does_not_fit_is_asked_for_once_more_with_what_was_wrong() -> None:
    model = ChatScript(['{"category": "billing"}', GOOD])
    run = graph().compile().run({"ticket": "x"}, models={"default": model})
    assert run.values["urgency"] == 3
    first, second = model.requests
    assert second.messages[: len(first.messages)] == first.messages
    assert [message.role for message in second.messages[-2:]] == ["assistant", "user"]
    assert second.messages[-2].text == '{"category": "billing"}'
    assert "'urgency' is missing" in second.messages[-1].text
    assert '"required":["category","urgency"]' in second.messages[-1].text
    assert first.idempotency_key != second.idempotency_key
    assert [call["text"] for call in run.history[0].calls] == ['{"category": "billing"}', GOOD]


def test_a_second_one_that_does_not_fit_is_a_failure_that_a_retry_takes_up() -> None:
    model = ChatScript(["no", "no JSON either", GOOD])
    executor = Executor(graph().compile(), models={"default": model})
    run = executor.run(executor.start({"ticket": "x"}, run_id="r"))
    assert run.status is RunStatus.FAILED
    assert "does not fit, also when the model was told what was wrong: it is no JSON" in str(run.error)
    assert '"no JSON either"' in str(run.error)
    assert executor.retry("r").values["category"] == "billing"
    assert len(model.requests) == 3  # the first reply and what was wrong with it are known


def test_a_client_that_takes_only_text_is_told_the_schema_in_words() -> None:
    model = ScriptedModel([GOOD])
    graph().compile().run({"ticket": "x"}, models={"default": model})
    assert '"urgency":{"type":"number"}' in model.prompts[0]
    assert model.prompts[0].endswith("Sort x")


def test_canned_replies_are_read_as_the_models_are() -> None:
    assert graph(replies=[GOOD]).compile().run({"ticket": "x"}).values["category"] == "billing"
    run = graph(replies=["billing"]).compile().run({"ticket": "x"})
    with pytest.raises(NodeFailed, match="it is no JSON"):
        run.raise_for_status()


def test_a_reply_that_asks_for_a_tool_fills_in_nothing() -> None:
    replies: list[Reply] = [calling("look", "c1")]
    run = graph(tools=["look"]).compile().run({"ticket": "x"}, models={"default": ChatScript(replies)})
    assert run.values["tool_call"] == {"name": "look", "arguments": {}, "id": "c1"}
    assert "category" not in run.values


def test_only_declared_keys_can_be_filled_in() -> None:
    made = graph(schema=["category", "urgeny"])
    with pytest.raises(GraphError) as refused:
        made.compile()
    (problem,) = refused.value.problems
    assert problem.code == "G051"
    assert problem.place.key == "schema"
    assert "urgency" in problem.hint
