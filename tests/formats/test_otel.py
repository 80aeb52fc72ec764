"""Runs as OpenTelemetry spans, decoded by OpenTelemetry's own messages."""

from __future__ import annotations

import base64
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status, TracesData

from stepgraph import END, Decision, Executor, MemoryStore, Reviews, Run, StateGraph, open_run
from stepgraph.formats.export import FORMATS, Exportable
from stepgraph.formats.otel import span_id, trace_id
from stepgraph.models.messages import ModelReply, Usage
from stepgraph.reviews.terms import ReviewTerms
from stepgraph.testing import FakeClock, sequential_ids
from stepgraph.values.errors import ExportError, ModelError
from tests.examples import examples
from tests.formats.random_graphs import graphs, run_of
from tests.graphs.journeys import JOURNEYS
from tests.graphs.playing import Journey
from tests.nodes.models import ChatScript, calling

OTEL = next(each for each in FORMATS if each.name == "otel")
_HEX = {"traceId": 32, "spanId": 16, "parentSpanId": 16}


def from_hex(value: Any) -> Any:
    """OTLP/JSON as JSON of protobuf, which has bytes in base64; the ids must be hexadecimal."""
    if isinstance(value, list):
        return [from_hex(item) for item in value]
    if not isinstance(value, dict):
        return value
    told = {key: from_hex(item) for key, item in value.items()}
    for key, length in _HEX.items():
        if key in told:
            assert re.fullmatch(f"[0-9a-f]{{{length}}}", told[key])
            told[key] = base64.b64encode(bytes.fromhex(told[key])).decode()
    return told


def decoded(text: str) -> list[Span]:
    """The spans of an export; every line is a message."""
    spans: list[Span] = []
    for line in text.splitlines():
        told = json.loads(line)
        assert all(
            isinstance(span["kind"], int) for span in told["resourceSpans"][0]["scopeSpans"][0]["spans"]
        )
        data = ParseDict(from_hex(told), TracesData())
        (resource,) = data.resource_spans
        assert table(resource.resource.attributes)["service.name"] == "stepgraph"
        (scope,) = resource.scope_spans
        assert scope.scope.name == "stepgraph"
        spans += scope.spans
    return spans


def plain(value: AnyValue) -> Any:
    """A value of the format as JSON."""
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [plain(item) for item in value.array_value.values]
    if kind == "kvlist_value":
        return table(value.kvlist_value.values)
    return getattr(value, kind) if kind is not None else None


def table(attributes: Any) -> dict[str, Any]:
    """Attributes as a table; each name stands once."""
    told = {each.key: plain(each.value) for each in attributes}
    assert len(told) == len(attributes)
    return told


def sound(run: Run) -> dict[str, list[Span]]:
    """The spans of a run by their names, after a look at what holds for any trace."""
    source = Exportable.of_run(run)
    text = OTEL.write(source).text
    assert OTEL.write(source).text == text, "exported twice, it is the same"
    spans = decoded(text)
    ids = [span.span_id for span in spans]
    assert len(set(ids)) == len(ids)
    assert {span.trace_id for span in spans} == {trace_id(run.id)}
    root = spans[-1]
    by_id = {span.span_id: span for span in spans}
    assert (root.parent_span_id, root.span_id) == (b"", span_id(run.id, ""))
    for span in spans:
        assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano
        assert root.start_time_unix_nano <= span.start_time_unix_nano
        assert span is root or span.parent_span_id in by_id
        for link in span.links:
            assert link.trace_id != span.trace_id or link.span_id in by_id
        _conventions(span)
    named: dict[str, list[Span]] = {}
    for span in spans:
        named.setdefault(span.name, []).append(span)
    return named


_REQUIRED = {
    "chat": ("gen_ai.provider.name", "gen_ai.request.model"),
    "execute_tool": ("gen_ai.tool.name",),
    "invoke_agent": ("gen_ai.agent.name",),
    "invoke_workflow": ("gen_ai.workflow.name",),
}
_NAMED_BY = {
    "chat": "gen_ai.request.model",
    "execute_tool": "gen_ai.tool.name",
    "invoke_agent": "gen_ai.agent.name",
    "invoke_workflow": "gen_ai.workflow.name",
}


def _conventions(span: Span) -> None:
    """What the conventions ask of a span."""
    told = table(span.attributes)
    operation = told.get("gen_ai.operation.name")
    assert (operation is None) == span.name.startswith(("node ", "review "))
    if operation is not None:
        assert all(told[key] for key in _REQUIRED[operation])
        assert span.name == f"{operation} {told[_NAMED_BY[operation]]}"
        assert span.kind == (Span.SPAN_KIND_CLIENT if operation == "chat" else Span.SPAN_KIND_INTERNAL)
    failed = span.status.code == Status.STATUS_CODE_ERROR
    assert failed == ("error.type" in told)
    assert failed == any(event.name == "exception" for event in span.events)
    for event in span.events:
        if event.name == "exception":
            assert {"exception.type", "exception.message"} <= table(event.attributes).keys()


@pytest.mark.parametrize("journey", JOURNEYS, ids=str)
def test_the_spans_of_a_run_are_its_nodes_calls_and_reviews(journey: Journey) -> None:
    run = journey.run()
    named = sound(run)
    (root,) = named[f"invoke_workflow {run.head.graph}"]
    told = table(root.attributes)
    assert (told["stepgraph.run.status"], told["stepgraph.run.outcome"]) == ("ended", "end")
    steps = sorted(
        (told["stepgraph.step"], told["stepgraph.node"])
        for spans in named.values()
        for span in spans
        if "stepgraph.output" in (told := table(span.attributes))
    )
    assert steps == list(enumerate(journey.path.split(), 1))
    calls = [call for record in run.history for call in record.calls]
    spans = [
        span for name, those in named.items() for span in those if name.startswith(("chat ", "execute_"))
    ]
    assert len(spans) == len(calls)
    decided = [span for name, those in named.items() for span in those if name.startswith("review ")]
    assert len(decided) == len(list(run.rows_after(0, ("review",))))
    assert {table(span.attributes)["stepgraph.review.status"] for span in decided} <= {"decided", "expired"}


@given(graphs(), st.none() | st.integers(0, 5))
@examples(60, deadline=None)
def test_the_spans_of_any_run_are_sound(graph: StateGraph, steps: int | None) -> None:
    run = run_of(graph, steps)
    named = sound(run)
    assert sum(len(spans) for name, spans in named.items() if name.startswith("node ")) == run.step
    assert sound(open_run(run.store, run.id)).keys() == named.keys()


def chatting(model: Any, store: MemoryStore | None = None, clock: FakeClock | None = None) -> Executor:
    """A graph with an agent, run live."""
    graph = StateGraph("research", start="find")
    graph.add_tool("search", lambda query: {"found": "rain"})
    graph.declare_node("find", "agent", {"prompt": "Find it.", "tools": ["search"], "output": "fact"})
    graph.add_edge("find", END)
    clock = clock or FakeClock()
    return Executor(graph.compile(), store, models={"default": model}, clock=clock, ids=sequential_ids())


def test_an_agent_is_invoked_chats_and_executes_tools() -> None:
    asks = replace(calling("search", "c-1", query="rain"), usage=Usage(100, 20, 40), model="m-1", cost=0.25)
    said = ModelReply("It rains.", usage=Usage(150, 5, 0), model="m-1", cost=0.5)
    executor = chatting(ChatScript([asks, said]))
    named = sound(executor.run(executor.start({})))
    (agent,) = named["invoke_agent find"]
    chats, (tool,) = named["chat m-1"], named["execute_tool search"]
    assert {span.parent_span_id for span in (*chats, tool)} == {agent.span_id}
    first, second = (table(span.attributes) for span in chats)
    assert first["gen_ai.provider.name"] == "script"
    assert (first["gen_ai.usage.input_tokens"], first["gen_ai.usage.output_tokens"]) == (100, 20)
    assert first["gen_ai.usage.cache_read.input_tokens"] == 40
    assert first["gen_ai.response.finish_reasons"] == ["tool_call"]
    (message,) = first["gen_ai.output.messages"]
    assert message["parts"][-1] == {"type": "tool_call", "name": "search", "arguments": {"query": "rain"}}
    assert second["gen_ai.output.messages"] == [
        {
            "role": "assistant",
            "parts": [{"type": "text", "content": "It rains."}],
            "finish_reason": "stop",
        }
    ]
    assert (second["stepgraph.model"], second["stepgraph.cost"]) == ("default", 0.5)
    assert table(tool.attributes)["gen_ai.tool.call.result"] == {"found": "rain"}
    (root,) = named["invoke_workflow research"]
    assert table(root.attributes)["stepgraph.run.cost"] == 0.75


def test_attempts_that_failed_are_spans_with_errors() -> None:
    store = MemoryStore()
    executor = chatting(
        ChatScript([ModelError("the server is down", hint="later"), ModelReply("Done.")]), store
    )
    run = executor.run(executor.start({}))
    named = sound(run)
    (root,), (failed,) = named["invoke_workflow research"], named["invoke_agent find"]
    (chat,) = named["chat default"]
    assert [span.status.code for span in (root, failed, chat)] == [Status.STATUS_CODE_ERROR] * 3
    assert "the server is down" in chat.status.message
    assert table(failed.attributes)["error.type"] == "ModelError"
    named = sound(executor.run(executor.retry(run.id)))
    (root,) = named["invoke_workflow research"]
    assert root.status.code == Status.STATUS_CODE_UNSET
    first, second = named["invoke_agent find"]
    assert first.status.code == Status.STATUS_CODE_ERROR
    assert second.status.code == Status.STATUS_CODE_UNSET
    assert len(named["chat default"]) == 2


def test_an_exception_of_a_users_node_has_its_type_and_traceback() -> None:
    graph = StateGraph("g", start="a")
    graph.add_node("a", lambda state: 1 / 0)
    graph.add_edge("a", END)
    executor = Executor(graph.compile())
    (span,) = sound(executor.run(executor.start({})))["node a"]
    (event,) = span.events
    told = table(event.attributes)
    assert told["exception.type"] == "ZeroDivisionError"
    assert "1 / 0" in told["exception.stacktrace"]


def asking(terms: ReviewTerms) -> tuple[Executor, Reviews, FakeClock]:
    """A graph that asks a person."""
    graph = StateGraph("g", start="ask")
    editable: dict[str, Any] = {} if terms.approvals else {"editable": {"amount": "number"}}
    graph.declare_node("ask", "approval", {"prompt": "Pay {{ amount }}?", **editable}, terms=terms)
    graph.add_edge("ask", END)
    store, clock = MemoryStore(), FakeClock()
    return (
        Executor(graph.compile(), store, clock=clock, ids=sequential_ids()),
        Reviews(store, clock.time),
        clock,
    )


def test_a_review_lasts_as_long_as_a_person_was_waited_for() -> None:
    executor, _, clock = asking(ReviewTerms(approvals=2))
    run = executor.run(executor.start({"amount": 5}))
    clock.advance(60)
    assert run.pending is not None
    (waiting,) = sound(open_run(run.store, run.id))["review ask"]
    assert table(waiting.attributes)["stepgraph.review.status"] == "pending"
    pending = run.pending
    executor.decide(run.id, Decision.approve(by="ben"), review=pending.id, expect_hash=pending.hash)
    clock.advance(60)
    last = Decision.approve(by="ana", comment="fine")
    executor.decide(run.id, last, review=pending.id, expect_hash=pending.hash)
    named = sound(executor.run(executor.load(run.id)))
    (review,) = named["review ask"]
    assert review.end_time_unix_nano - review.start_time_unix_nano == pytest.approx(120e9)
    told = table(review.attributes)
    assert told["stepgraph.review.id"] == pending.id
    assert told["stepgraph.review.prompt"] == "Pay 5?"
    assert told["stepgraph.review.wait_seconds"] == pytest.approx(120, abs=0.001)
    said = {key: told[f"stepgraph.review.{key}"] for key in ("status", "verb", "by", "comment")}
    assert said == {"status": "decided", "verb": "approve", "by": "ana", "comment": "fine"}
    (vote,) = review.events
    assert (vote.name, table(vote.attributes)["by"]) == ("stepgraph.vote", "ben")
    paused, done = named["node ask"]
    assert table(paused.attributes)["stepgraph.paused"] is True
    assert [link.span_id for link in done.links] == [review.span_id]


def test_a_review_names_what_was_edited() -> None:
    executor, _, _ = asking(ReviewTerms())
    run = executor.run(executor.start({"amount": 5}))
    assert run.pending is not None
    edit = Decision.edit({"amount": 4}, by="ana")
    executor.resume(run.id, edit, review=run.pending.id, expect_hash=run.pending.hash)
    (review,) = sound(executor.load(run.id))["review ask"]
    assert table(review.attributes)["stepgraph.review.edited"] == ["amount"]


@pytest.mark.parametrize("rule", ["reject", "fail"])
def test_a_review_that_nobody_decided_in_time_says_so(rule: Any) -> None:
    executor, reviews, clock = asking(ReviewTerms(deadline=60, on_timeout=rule))
    run = executor.run(executor.start({"amount": 5}))
    clock.advance(61)
    reviews.expire()
    run = executor.run(executor.load(run.id))
    (review,) = sound(run)["review ask"]
    told = table(review.attributes)
    assert told["stepgraph.review.status"] == "expired"
    assert ("error.type" in told) == (rule == "fail")


def test_an_edit_withdraws_a_review_and_is_an_event_of_the_run() -> None:
    executor, _, _ = asking(ReviewTerms())
    run = executor.run(executor.start({"amount": 5}))
    executor.edit(run.id, {"amount": 6}, by="ana", comment="typo")
    named = sound(open_run(run.store, run.id))
    statuses = [table(span.attributes)["stepgraph.review.status"] for span in named["review ask"]]
    assert statuses == ["withdrawn", "pending"]
    (event,) = named["invoke_workflow g"][0].events
    told = table(event.attributes)
    assert (event.name, told["stepgraph.by"], told["stepgraph.changed"]) == (
        "stepgraph.edit",
        "ana",
        ["amount"],
    )


def test_a_fork_is_linked_to_the_run_that_it_came_from() -> None:
    run = JOURNEYS[0].run()
    executor = Executor(run.plan, run.store)
    fork = executor.fork(run.id, at=1, new_run_id="r-2")
    (root,) = sound(executor.run(fork))["invoke_workflow threshold-router"]
    assert [(link.trace_id, link.span_id) for link in root.links] == [(trace_id(run.id), span_id(run.id, ""))]


def test_secrets_are_masked_in_every_span() -> None:
    graph = StateGraph("s3cret", start="a")
    graph.add_key("token", default="s3cret", secret=True)
    graph.add_tool("look", lambda token: {"token": token, "echo": f"is {token}"})
    graph.declare_node("a", "tool", {"tool": "look", "arguments": {"token": "{{ token }}"}})
    graph.declare_node("b", "approval", {"prompt": "Use {{ token }}?", "editable": {"token": "text"}})
    graph.add_node("c", lambda state: {"x": 1 / (len(state["token"]) - 7)})
    for one, two in (("a", "b"), ("b", "c"), ("c", END)):
        graph.add_edge(one, two, label="s3cret")
    executor = Executor(graph.compile())
    run = executor.run(executor.start({}))
    assert run.pending is not None
    decision = Decision.edit({"token": "an0ther"}, by="ana", comment="was s3cret")
    executor.resume(run.id, decision, review=run.pending.id, expect_hash=run.pending.hash)
    run = executor.load(run.id)
    assert run.error is not None
    text = OTEL.write(Exportable.of_run(run)).text
    assert "s3cret" not in text
    assert "an0ther" not in text


@pytest.mark.parametrize(
    "value", [2**70, -(2**63), 1.5, None, True, [[[[[[[[[[[[["deep"]]]]]]]]]]]]], {"a": {"b": [None]}}]
)
def test_odd_results_of_tools_can_be_decoded(value: Any) -> None:
    graph = StateGraph("g", start="a")
    graph.add_tool("odd", lambda: {"value": value})
    graph.declare_node("a", "tool", {"tool": "odd"})
    graph.add_edge("a", END)
    executor = Executor(graph.compile())
    (span,) = sound(executor.run(executor.start({})))["execute_tool odd"]
    told = table(span.attributes)["gen_ai.tool.call.result"]["value"]
    if isinstance(value, list):
        assert json.dumps(told).count("deep") == 1
    else:
        assert told == (str(value) if isinstance(value, int) and abs(value) > 2**62 and value > 0 else told)


def test_a_long_run_takes_several_messages() -> None:
    graph = StateGraph("long", start="a", max_steps=2_500)
    graph.add_node("a", lambda state: {})
    graph.add_edge("a", "a")
    executor = Executor(graph.compile())
    run = executor.run(executor.start({}))
    parts = list(OTEL.write(Exportable.of_run(run)).parts)
    assert len(parts) == 3
    assert len(decoded("".join(parts))) == 2_501


def test_it_needs_a_run_and_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    executor, _, _ = asking(ReviewTerms())
    run = executor.start({"amount": 5})
    assert (OTEL.needs_run, OTEL.extra) == (True, "otel")
    with pytest.raises(ExportError, match="spans are of a run"):
        OTEL.write(Exportable.of_graph(run.plan))
    for name in _loaded():
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ExportError, match=r'pip install "stepgraph\[otel\]"'):
        OTEL.write(Exportable.of_run(run))


def _loaded() -> Iterator[str]:
    yield "opentelemetry.proto.trace.v1"
    yield "opentelemetry.proto.trace.v1.trace_pb2"
