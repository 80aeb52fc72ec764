"""Graphs and runs to export, and drawings read back."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from stepgraph import END, Executor, MemoryStore, StateGraph
from stepgraph.formats.export import Exportable
from stepgraph.runs.run import Run
from stepgraph_tui.exports.drawings import svg

GRAPHS = sorted((Path(__file__).parents[2] / "graphs").glob("*.toml"))
_NS = "{http://www.w3.org/2000/svg}"
_NUMBER = re.compile(r"-?[\d.]+")


class Frame(NamedTuple):
    """A rectangle of a picture."""

    x: float
    y: float
    width: float
    height: float

    def touches(self, x: float, y: float) -> bool:
        """Tell whether a point lies on the frame, as far as round corners allow."""
        inside = self.x <= x <= self.x + self.width and self.y <= y <= self.y + self.height
        return inside and (x in (self.x, self.x + self.width) or y in (self.y, self.y + self.height))

    def meets(self, other: Frame) -> bool:
        """Tell whether two rectangles overlap."""
        across = self.x < other.x + other.width and other.x < self.x + self.width
        return across and self.y < other.y + other.height and other.y < self.y + self.height


class Drawn:
    """A picture read back from its text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.root = ElementTree.fromstring(text)  # noqa: S314  # our own text
        self.groups = [group for group in self.root.iter(f"{_NS}g") if "class" in group.attrib]

    def of(self, kind: str) -> list[ElementTree.Element]:
        """List the groups of a class."""
        return [group for group in self.groups if kind in group.attrib["class"].split()]

    def title(self, group: ElementTree.Element) -> str:
        """Read the tooltip of a group."""
        return group.findtext(f"{_NS}title") or ""

    def part(self, group: ElementTree.Element, kind: str) -> ElementTree.Element:
        """Find an element of a group by its class."""
        return next(each for each in group if kind in each.get("class", "").split())

    def frame(self, group: ElementTree.Element, kind: str = "frame") -> Frame:
        """Measure a rectangle of a group."""
        found = self.part(group, kind)
        return Frame(*(float(found.attrib[name]) for name in ("x", "y", "width", "height")))

    def frames(self) -> dict[str, Frame]:
        """Measure the boxes, by the names in them."""
        return {
            self.part(group, "name" if kind == "node" else "ends").text or "": self.frame(group)
            for kind in ("node", "end")
            for group in self.of(kind)
        }

    def ends(self, edge: ElementTree.Element) -> tuple[tuple[float, float], tuple[float, float]]:
        """Read where a line begins, and the tip of its arrow."""
        begin = [float(said) for said in _NUMBER.findall(self.part(edge, "line").attrib["d"])[:2]]
        tip = [float(said) for said in _NUMBER.findall(self.part(edge, "head").attrib["points"])[:2]]
        return (begin[0], begin[1]), (tip[0], tip[1])


def drawn(graph: StateGraph) -> Drawn:
    """Draw a graph, and read the picture."""
    return Drawn(svg(Exportable.of_graph(graph.plan())).text)


def drawn_run(run: Run) -> Drawn:
    """Draw a run, and read the picture."""
    return Drawn(svg(Exportable.of_run(run)).text)


def looping(turns: int = 3) -> StateGraph:
    """Build a graph that goes round some times: ``try``, ``look``, and back."""
    graph = StateGraph("looping", start="try", max_steps=1_000)
    graph.add_node("try", lambda state: {"turn": state.get("turn", 0) + 1})
    graph.add_node("look", lambda state: {})
    graph.add_edge("try", "look")
    graph.add_edge("look", END, when=f"turn >= {turns}", label="enough")
    graph.add_edge("look", "try", label="again")
    return graph


def ran(graph: StateGraph) -> Run:
    """Run a graph in memory as far as it goes."""
    executor = Executor(graph.compile(), MemoryStore())
    return executor.run(executor.start({}))
