"""The loop doctor's lines: whole at any width, and without secrets."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from stepgraph import END, Executor, StateGraph
from stepgraph.runs.masks import Mask, mask_of
from stepgraph.runs.run import Run
from stepgraph.stores.memory import MemoryStore
from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.text.loops import loop_json, loop_lines
from stepgraph_tui.view.loops import loop_of
from tests.examples import examples


def looping(steps: int, *, name: str = "work", secret: str = "shibboleth") -> tuple[Run, Mask]:  # noqa: S107
    graph = StateGraph("g", start=name, max_steps=max(1, steps))
    graph.add_key("code", secret=True, default=secret)
    graph.add_node(name, lambda state: {"n": state.get("n", 0) + 1, "said": f"with {secret}"})
    graph.add_edge(name, END, when='code == "open" and n > 1')
    graph.add_edge(name, END, when='said == "over"', label="a long label that has no end at all, nearly")
    graph.add_edge(name, name)
    executor = Executor(graph.compile(), MemoryStore())
    run = executor.run(executor.start({}))
    return run, mask_of(run.plan, run.store, run.id)


@given(st.integers(1, 140), st.sampled_from(["work", "a name with blanks", "検索する節点", "tab\there"]))
@examples(60)
def test_no_line_is_wider_than_there_is_room_and_every_fact_is_there(width: int, name: str) -> None:
    run, mask = looping(7, name=name)
    loop = loop_of(run, mask)
    assert loop is not None
    lines = [line for line, _ in loop_lines(loop, width)]
    assert all(cell_len(line) <= max(width, 14) for line in lines)
    assert not any(char in line for line in lines for char in "\t\n\x1b")
    for word in ("LOOP", "VISITS", "CHANGED", "UNCHANGED", "AT"):
        assert any(line.startswith(word) for line in lines)


def test_values_of_secret_keys_stay_hidden_in_words_and_in_json() -> None:
    run, mask = looping(7)
    loop = loop_of(run, mask)
    assert loop is not None
    told = "\n".join(line for line, _ in loop_lines(loop, 120))
    written = json.dumps(loop_json(loop))
    for text in (told, written):
        assert "shibboleth" not in text
        assert "***" in text
    assert "with ***" in told
