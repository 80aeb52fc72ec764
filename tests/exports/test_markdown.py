"""Reports in Markdown: what they tell, and that no text of others is ever more than text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from stepgraph import END, ApprovalNode, Decision, Executor, MemoryStore, StateGraph
from stepgraph.formats.export import Exportable
from stepgraph.models import ModelReply
from stepgraph.runs.run import Run
from stepgraph_tui.exports.report import code, fence, markdown, table
from tests.nodes.models import ChatScript

from .graphs import GRAPHS, ran

every_graph = pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.stem)


def parsed(text: str) -> list[Token]:
    """Parse as sites for code do: CommonMark with tables."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    return [each for token in tokens for each in (token, *(token.children or ()))]


def of_run(run: Run) -> str:
    return markdown(Exportable.of_run(run)).text


@given(st.text())
def test_any_text_stands_in_a_line_a_fence_and_a_cell(text: str) -> None:
    for written in (
        code(text),
        *["\n".join(fence([text]))],
        "\n".join(table(("a", "b"), [(code(text), "end")])),
    ):
        kinds = [token for token in parsed(written) if token.type in ("text", "code_inline", "fence")]
        assert all(
            token.content in ("a", "b", "end", "(empty)", "(blank)")
            for token in kinds
            if token.type == "text"
        )
        assert sum(token.type == "table_open" for token in parsed(written)) <= 1
    cells = [token for token in parsed(written) if token.type == "td_open"]
    assert len(cells) == 2


@every_graph
def test_a_graph_is_told_with_its_nodes_prompts_edges_and_keys(path: Path) -> None:
    graph = StateGraph.from_file(path).plan().level()
    tokens = parsed(markdown(Exportable.of_graph(graph)).text)
    codes = {token.content.strip() for token in tokens if token.type in ("code_inline", "fence")}
    assert {graph.name, *graph.nodes, *graph.keys, *graph.tools} <= codes
    for entry in graph.nodes.values():
        prompt = (entry.settings or {}).get("prompt")
        assert not isinstance(prompt, str) or any(prompt.strip() in each for each in codes), entry.name
    cells = sum(token.type == "tr_open" for token in tokens)
    assert cells >= len(graph.edges) + len(graph.keys) + len(graph.tools)


@every_graph
def test_every_step_of_an_example_is_told(path: Path) -> None:
    run = ran(StateGraph.from_file(path))
    text = of_run(run)
    assert all(f"### {record.step}. {code(record.node)}" in text for record in run.history)
    assert f"## Run {code(run.id)}: {run.status.value}" in text


def test_failures_edits_and_loops_are_told() -> None:
    graph = StateGraph("broken", start="try", max_steps=6)
    graph.add_key("ready", default=False)

    def attempt(state: dict[str, object]) -> dict[str, object]:
        if not state["ready"]:
            raise ValueError("not yet")
        return {"turn": 1}

    graph.add_node("try", attempt)
    graph.add_edge("try", END, when="turn > 1", label="enough")
    graph.add_edge("try", "try", label="again")
    executor = Executor(graph.compile(), MemoryStore())
    run = executor.run(executor.start({}, run_id="r-1"))
    assert "`try`, step 1, visit 1, at " in of_run(run)
    assert "ValueError: not yet" in of_run(run)
    executor.edit("r-1", {"ready": True}, by="ben", comment="it is now")
    text = of_run(executor.run(executor.retry("r-1")))
    assert "## Edits of the state" in text
    assert "by ben: it is now`" in text
    assert "## Why it did not end" in text
    assert "LOOP" in text
    assert "| outcome | max_steps |" in text


def test_secrets_are_hidden_in_all_that_is_told() -> None:
    graph = StateGraph("quoting", start="ask")
    graph.add_key("token", default="s3cret-value", secret=True)
    graph.add_node("ask", ApprovalNode(prompt="Use {{ token }}?", action="call {{ token }}", show=["token"]))
    graph.add_node(
        "fail", lambda state: (_ for _ in ()).throw(ValueError(state["token"])), note="s3cret-value"
    )
    graph.add_edge("ask", "fail", when='token == "s3cret-value"', label="s3cret-value")
    graph.add_edge("ask", END)
    graph.add_edge("fail", END)
    executor = Executor(graph.compile(), MemoryStore())
    run = executor.run(executor.start({"copy": "it is s3cret-value"}))
    assert "s3cret" not in of_run(run)
    run = executor.resume(run.id, Decision.approve(by="s3cret-value", comment="so s3cret-value it is"))
    assert "ValueError" in of_run(run)
    assert "s3cret" not in of_run(run)
    assert "s3cret" not in markdown(Exportable.of_graph(graph.plan())).text


def test_the_drawing_is_a_diagram_that_sites_show_and_text_where_it_is_too_large() -> None:
    def of_size(edges: int) -> list[str]:
        graph = StateGraph("many", start="n0")
        for number in range(edges):
            graph.add_node(f"n{number}", dict)
            graph.add_edge(f"n{number}", f"n{number + 1}" if number + 1 < edges else END)
        text = markdown(Exportable.of_graph(graph.plan())).text
        return [token.info for token in parsed(text) if token.type == "fence"]

    assert of_size(500)[0] == "mermaid"
    assert of_size(501)[0] == "text"


def test_a_conversation_is_told_message_by_message_and_a_step_by_what_is_new() -> None:
    graph = StateGraph("chat", start="answer")
    graph.add_key("messages", reducer="append")
    graph.add_node("answer", lambda state: {"messages": [{"role": "assistant", "content": "Here\nit is."}]})
    graph.add_edge("answer", END)
    asked = [{"role": "user", "content": "Where is it?"}]
    executor = Executor(graph.compile(), MemoryStore())
    text = of_run(executor.run(executor.start({"messages": asked})))
    assert "+ messages assistant: Here it is." in text
    end = text[text.index("## State at the end") :]
    assert "| `messages` | 2 messages |" in end
    assert "`user`:\n\n`Where is it?`" in end
    assert '"role"' not in end


def test_a_conversation_under_a_key_that_quotes_a_secret_does_not_tell_it() -> None:
    graph = StateGraph("chat", start="answer")
    graph.add_key("token", secret=True, default="hunter2-secret")
    graph.add_node("answer", lambda state: {"of hunter2-secret": [{"role": "assistant", "content": "Hi."}]})
    graph.add_edge("answer", END)
    executor = Executor(graph.compile(), MemoryStore())
    text = of_run(executor.run(executor.start({})))
    assert "assistant: Hi." in text
    assert "hunter2-secret" not in text


def test_what_a_model_thought_is_told_as_text() -> None:
    graph = StateGraph("thinking", start="answer")
    graph.declare_node("answer", "llm", {"prompt": "Refund?"})
    graph.add_edge("answer", END)
    model = ChatScript([ModelReply("yes", thoughts="the order\n# is late")])
    executor = Executor(graph.compile(), MemoryStore(), models={"default": model})
    text = of_run(executor.run(executor.start({})))
    assert "Thinking:\n\n```text\nthe order\n# is late\n```" in text
