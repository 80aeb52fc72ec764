"""Python modules with graphs in them, for tests of the app."""

from __future__ import annotations

from pathlib import Path

from stepgraph.files import grant, graph_ref, unopened

AGENT = '''
from stepgraph import END, StateGraph

print("the module is imported")


def analyze(state):
    """Count the words."""
    return {"count": len(state["question"].split())}


def look_up(state):
    raise RuntimeError("the shelf is empty")


def is_long(context):
    return context.state["count"] > 2


graph = StateGraph("agent", start="analyze")
graph.add_key("question", input=True, type="text", default="what is a state graph")
graph.add_node("analyze", analyze, note="counts the words")
graph.add_node("look_up", look_up)
graph.add_edge("analyze", "look_up", when=is_long, label="long")
graph.add_edge("analyze", END)
graph.add_edge("look_up", END)
'''
"""A graph whose second node fails."""
BROKEN_LINE = '    raise RuntimeError("the shelf is empty")'
MENDED_LINE = '    return {"found": "a book"}'
MENDED = AGENT.replace(BROKEN_LINE, MENDED_LINE)
IMPORTED = "the module is imported"
"""What the module prints."""


def line_of(text: str, part: str) -> int:
    """The number of the first line that has a part."""
    return next(number for number, line in enumerate(text.split("\n"), 1) if part in line)


def module(folder: Path, text: str = AGENT, name: str = "agent", *, trusted: bool = False) -> Path:
    """Write a module, and give the path of the graph in it."""
    file = folder / f"{name}.py"
    file.write_text(text, encoding="utf-8")
    path = Path(f"{file}:graph")
    if trusted:
        trust(path)
    return path


def trust(path: Path) -> None:
    """Agree to a module as it is now."""
    ref = graph_ref(path)
    assert ref is not None
    grant(unopened(ref))
