"""Graphs of any shape that run offline, for properties of exports."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from stepgraph import END, Executor, MemoryStore, Run, StateGraph
from stepgraph.testing import FakeClock, sequential_ids

ODD_TEXTS = st.text(
    st.characters(codec="utf-8", exclude_characters="{}"), min_size=1, max_size=12
) | st.sampled_from(
    ["__import__('os')", '"""', "'''", "\\", "\n", "</script>", "a\r\nb", "\u2028", "#", "${x}", "%s", "\0x"]
)
NAMES = ODD_TEXTS.filter(
    lambda name: name.strip() != "" and name not in ("END", "__END__") and "/" not in name
)


@st.composite
def graphs(draw: st.DrawFn, names: st.SearchStrategy[str] = NAMES) -> StateGraph:
    """A graph that compiles, whose nodes set the keys that its edges ask for."""
    nodes = draw(st.lists(names, min_size=1, max_size=6, unique=True))
    graph = StateGraph(
        draw(names),
        start=draw(st.sampled_from(nodes)),
        max_steps=draw(st.integers(1, 12)),
        on_max_steps=draw(st.sampled_from(["return_last", "flag", "fail"])),
        on_no_match=draw(st.sampled_from(["fail", "end"])),
        note=draw(ODD_TEXTS),
    )
    graph.add_key("turn", default=draw(st.integers(0, 3)), note=draw(ODD_TEXTS))
    graph.add_key("log", reducer="append", default=[])
    for name in nodes:
        _add_node(draw, graph, name)
    labels = st.none() | ODD_TEXTS.filter(lambda text: text.strip() != "")
    for name in nodes:
        for _ in range(draw(st.integers(1, 4))):
            target, label, note = draw(st.sampled_from([*nodes, END])), draw(labels), draw(ODD_TEXTS)
            kind = draw(st.sampled_from(["always", "equals", "expression"]))
            if kind == "equals":
                value: Any = draw(st.none() | st.integers(0, 4) | ODD_TEXTS)
                graph.add_conditional_edge(name, target, "turn", value, label, note)
            else:
                when = (
                    None if kind == "always" else f"turn {draw(st.sampled_from(['<', '>=']))} 2 or step > 5"
                )
                graph.add_edge(name, target, when, label, note)
    return graph


def _add_node(draw: st.DrawFn, graph: StateGraph, name: str) -> None:
    text = draw(ODD_TEXTS)
    kinds: dict[str, dict[str, Any]] = {
        "transform": {"set": {"turn": draw(st.integers(0, 4))}},
        "llm": {"prompt": f"{text} {{{{ turn }}}}", "output": "log", "replies": [draw(ODD_TEXTS), text]},
    }
    kind = draw(st.sampled_from(sorted(kinds)))
    graph.declare_node(name, kind, kinds[kind], note=text)


def run_of(graph: StateGraph, steps: int | None = None) -> Run:
    """Run a graph, all the way or for some steps, at a time that stands still."""
    executor = Executor(graph.compile(), MemoryStore(), clock=FakeClock(), ids=sequential_ids())
    run = executor.start({})
    if steps is None:
        return executor.run(run)
    for _, _record in zip(range(steps), executor.iterate(run), strict=False):
        pass
    return run
