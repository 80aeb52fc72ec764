"""A server of tools that only notes what it was asked, and graph files that reach it."""

from __future__ import annotations

from pathlib import Path

from stepgraph import StateGraph, ToolRegistry
from stepgraph.models.client import ToolSpec
from stepgraph.tools.protocols import ToolContext
from stepgraph.values.json_values import Json


class ServerTool:
    """A tool of it."""

    def __init__(self, name: str, asked: list[str]) -> None:
        self.name, self.asked = name, asked

    def spec(self) -> ToolSpec:
        """Note that it was asked to describe itself."""
        self.asked.append("spec")
        return ToolSpec(self.name)

    def execute(self, params: dict[str, Json]) -> dict[str, Json]:
        """Note the call."""
        return self.call(params, ToolContext())

    def call(self, params: dict[str, Json], context: ToolContext) -> dict[str, Json]:
        """Note the call."""
        self.asked.append(f"call {self.name}")
        return {"text": "done"}


class NotingServer:
    """A source of tools that notes what it was asked; it has a tool of every name."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def tool(self, name: str) -> ServerTool:
        """Give a tool."""
        return ServerTool(name, self.asked)

    def requires_approval(self, name: str) -> bool:
        """Ask nobody, as servers do whose settings do not say otherwise."""
        return False

    def known(self) -> None:
        """Know nothing before it is asked."""

    def specs(self) -> list[ToolSpec]:
        """Note that it was asked for its tools."""
        self.asked.append("specs")
        return []

    def close(self) -> None:
        """Have nothing to end."""


def serving() -> tuple[ToolRegistry, NotingServer]:
    """Give the tools of a user whose one server is called ``files``."""
    server, tools = NotingServer(), ToolRegistry()
    tools.add_source("files", server)
    return tools, server


def graph_file(folder: Path, node: str, more: str = "") -> Path:
    """Write a graph whose only node is ``a``."""
    file = folder / "g.toml"
    head = f'format = 1\nname = "g"\nstart = "a"\n{more}\n[nodes.a]\n{node}\n'
    file.write_text(f'{head}[[edges]]\nfrom = "a"\nto = "END"\n', encoding="utf-8")
    return file


def graph(folder: Path, node: str, more: str = "") -> StateGraph:
    """Read a graph whose only node is ``a``."""
    return StateGraph.from_file(graph_file(folder, node, more))
