"""Whatever a model answers is read in linear time, and its run goes on or fails in words."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stepgraph import END, CompiledGraph, RunStatus, StateGraph
from stepgraph.testing import ScriptedModel
from tests.fuzz.growth import RUNS

LONGEST = 65_536
"""The characters that a reply may have, as ``max_tokens`` is by default."""
SECONDS = 5.0
"""Of the processor, for a run: fifty times what it takes, and the thousandth part of a square."""
_BEGINNINGS = (
    "", "```", "```json\n", "CALL_TOOL:", "CALL_TOOL: look", "CALL_TOOL: look {",
    'CALL_TOOL: look {"id": "', "{", '{"kind": "', '{"kind": "refund", "', "refund", "`refund`", "\ufeff",
)  # fmt: skip
_ENDS = ("", "x", "}", "```", '"}', "\n```", "{}", ": {}", "\n!", "refund")


@st.composite
def replies(draw: st.DrawFn) -> str:
    """A reply of up to as many characters as one may have, most of which are runs."""
    text = draw(st.sampled_from(_BEGINNINGS))
    for _ in range(draw(st.integers(1, 3))):
        piece = draw(
            st.sampled_from((*RUNS, "CALL_TOOL: look {}\n", "```\n", "refund ")) | st.text(max_size=4)
        )
        text += piece * draw(st.sampled_from((1, 3, LONGEST // (2 * len(piece) or 1), LONGEST)))
        text = text[: LONGEST - 20] + draw(st.sampled_from(_ENDS))
    return text


def _graphs() -> dict[str, CompiledGraph]:
    def graph(kind: str, **settings: Any) -> CompiledGraph:
        made = StateGraph(kind, start="ask")
        made.add_key("kind", type="text")
        made.add_key("amount", type="number")
        made.add_key("said", reducer="append", default=[])
        made.add_tool("look", lambda id: {"found": id})
        made.declare_node("ask", kind, {"prompt": "?", **settings})
        made.declare_node(
            "guard", "guardrail", {"rules": {"short": 'response != "refund"'}, "on_fail": "route"}
        )
        made.declare_node("tell", "llm", {"prompt": _PROMPT, "replies": ["done"]})
        if kind == "llm_router":
            made.add_edge("ask", "tell", label="refund")
            made.add_edge("ask", "guard", label="other")
        else:
            made.add_edge("ask", "guard")
        made.add_edge("guard", "tell")
        made.add_edge("tell", END)
        return made.compile()

    return {
        "text": graph("llm", tools=["look"], messages="said"),
        "structured": graph("llm", schema=["kind", "amount"]),
        "route": graph("llm_router", output="response"),
        "agent": graph("agent", tools=["look"], max_turns=3, messages="said"),
    }


_PROMPT = "{{ response | trim | title | wordcount }} {{ response | lower | truncate(40) }}"
GRAPHS = _graphs()


@pytest.mark.parametrize("kind", GRAPHS)
@given(reply=replies())
@example(reply="```" + "\n" * 6_000)
@example(reply="CALL_TOOL: x" + " " * 60_000 + "y")
@example(reply="{" + ",".join(f'"k{number}": 1' for number in range(5_000)) + "}")
@example(reply="CALL_TOOL: look {" + ",".join(f'"k{number}": 1' for number in range(5_000)) + "}")
def test_any_reply_is_read_in_linear_time_and_its_run_is_told_in_words(kind: str, reply: str) -> None:
    began = time.process_time()
    run = GRAPHS[kind].run({"response": ""}, models={"default": ScriptedModel([reply] * 5)})
    assert time.process_time() - began < SECONDS
    assert run.status in (RunStatus.ENDED, RunStatus.FAILED)
    if run.error is not None:
        assert "Traceback" not in str(run.error)
        assert len(str(run.error)) < 2 * LONGEST
