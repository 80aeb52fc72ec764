"""Reports in Markdown: what they tell, and that no text of others is ever more than text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from stepgraph import END, ApprovalNode, Decision, Executor, MemoryStore, StateGraph
from stepgraph.formats.export import Exportable
from stepgraph.runs.run import Run
from stepgraph_tui.exports.markdown import code, fence, table
from stepgraph_tui.exports.report import markdown
from stepgraph_tui.exports.run_report import FIRST, LAST

from .graphs import GRAPHS, looping, ran

every_graph = pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.stem)
EVIL = [
    "```\n# evil",
    "`evil`",
    "``` evil ````",
    "| evil | evil |",
    "evil \\| evil \\",
    "<script>evil()</script>",
    "<!-- evil",
    "![evil](http://evil.example/x.png)",
    "[evil]: http://evil.example",
    "@evil #12 evil@evil.example",
    "\n\n# evil\n\n- evil\n\n    evil\n~~~\n",
    "evil\r# evil\u2028# evil\x85# evil\x0c# evil",
    "\x1b[31mevil\x00\u202eevil",
    "&lt;evil&gt; $evil$ <evil@evil.example>",
    " evil ",
]


def parsed(text: str) -> list[Token]:
    """Parse as sites for code do: CommonMark with tables."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    return [each for token in tokens for each in (token, *(token.children or ()))]


def of_run(run: Run) -> str:
    return markdown(Exportable.of_run(run)).text


def prose(text: str) -> str:
    """All that is read as Markdown: what is no code."""
    tokens = parsed(text)
    assert not [
        token for token in tokens if token.type in ("html_inline", "html_block", "image", "link_open")
    ]
    return "\n".join(token.content for token in tokens if token.type == "text")


def evil_runs() -> Iterator[Run]:
    """Runs in which each text that somebody else has written is an attack: paused, ended, failed."""
    for evil in EVIL:
        graph = StateGraph(f"name {evil}", start=f"one {evil}", max_steps=3)
        graph.add_key(f"key {evil}", default=evil, note=evil)
        node = ApprovalNode(prompt="Really?", action="pay")
        graph.add_node(
            f"one {evil}", lambda state, evil=evil: {f"key {evil}": evil * 3, "new": [evil, {evil: evil}]}
        )
        graph.add_node("ask", node, note=evil)
        graph.add_node("fail", lambda state, evil=evil: (_ for _ in ()).throw(ValueError(evil)))
        graph.add_edge(f"one {evil}", "ask", label=evil)
        graph.add_edge("ask", "fail", when='decision == "approve"', label=f"to {evil}")
        graph.add_conditional_edge("ask", END, "decision", evil)
        graph.add_edge("ask", END)
        graph.add_edge("fail", END)
        executor = Executor(graph.compile(), MemoryStore())
        run = executor.run(executor.start({}, run_id=f"r-{EVIL.index(evil)}"))
        yield run
        yield executor.resume(run.id, Decision.approve(by=evil, comment=evil))


def test_no_text_of_others_is_read_as_markdown_or_html() -> None:
    count = 0
    for run in evil_runs():
        count += 1
        for source in (Exportable.of_run(run), Exportable.of_graph(run.plan)):
            text = markdown(source).text
            assert "evil" not in prose(text)
            assert "evil" in text
    assert count == 2 * len(EVIL)


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


def test_a_line_of_code_reads_as_the_text_that_was_given() -> None:
    for text in ("a", "`", "a`b``c", "``", " a ", "a|b", "\\", "a\\|b"):
        [token] = [token for token in parsed(code(text)) if token.type == "code_inline"]
        assert token.content == text
        found = [
            each for each in parsed("\n".join(table(("h",), [(code(text),)]))) if each.type == "code_inline"
        ]
        assert [each.content for each in found] == [text]


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


def test_a_run_is_told_from_its_inputs_to_its_end() -> None:
    graph = StateGraph.from_file(next(path for path in GRAPHS if path.stem == "refund_triage"))
    executor = Executor(graph.compile(), MemoryStore())
    run = executor.run(executor.start({}, run_id="r-1"))
    assert "## Run `r-1`: paused" in of_run(run)
    assert "### `review`, step 5: pending" in of_run(run)
    run = executor.resume("r-1", Decision.edit({"order.amount": 90}, by="ana", comment="half of it"))
    text = of_run(run)
    assert "## Run `r-1`: ended" in text
    assert "### 4. `amount_check` → `review`" in text
    assert "Edge 1 of 2, `high`, was taken." in text
    assert '    true    route == "high"' in text
    assert '`pay(order_id="8812", amount=240, currency="EUR")`' in text
    assert "`approved with changes by ana (library)`" in text
    assert "`order.amount = 90`: `half of it`" in text
    assert "- order.amount 240\n+ order.amount 90" in text
    assert '| `ticket` | `"I was charged twice' in text
    assert "refund_triage.toml" in text
    assert str(Path.cwd()) not in text


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


def test_of_a_long_run_the_first_and_the_last_steps_are_told() -> None:
    text = of_run(ran(looping((FIRST + LAST) // 2)))
    assert "left out" not in text
    assert text.count("\n### ") == FIRST + LAST
    text = of_run(ran(looping((FIRST + LAST) // 2 + 3)))
    assert f"*Steps {FIRST + 1} to {FIRST + 6} are left out" in text
    assert text.count("\n### ") == FIRST + LAST
    assert f"\n### {FIRST + LAST + 6}. `look` → END" in text


def test_a_long_value_and_many_keys_are_cut_with_a_count() -> None:
    graph = StateGraph("large", start="a")
    graph.add_node("a", lambda state: {f"k{number}": "x" * 5_000 for number in range(300)})
    graph.add_edge("a", END)
    text = of_run(ran(graph))
    assert len(text) < 300_000
    assert "100 more keys left out." in text
    assert "100 more changed values left out." in text
    assert "x" * 4_001 not in text
    assert "characters are left out.)" in text


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
