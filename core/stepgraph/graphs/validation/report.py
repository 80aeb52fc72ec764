"""Collecting problems: each gets its place in the graph and, where there is a file, its line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ...values.problems import KeyPath, Place, Problem, Severity
from .names import quoted

if TYPE_CHECKING:
    from ..builder import StateGraph


_SECTIONS: Mapping[str | int, int] = {"state": 1, "tools": 2, "nodes": 3, "edges": 4}


class Report:
    """The problems of one graph.

    Args:
        graph: The graph that is checked.
    """

    def __init__(self, graph: StateGraph) -> None:
        self._graph = graph
        self._found: list[tuple[KeyPath, Problem]] = []

    def error(
        self, code: str, message: str, path: KeyPath = (), hint: str = "", about: str = "", excerpt: str = ""
    ) -> None:
        """Keep a problem that stops ``compile``, at a path such as ``("nodes", "draft", "prompt")``."""
        place = self._file, self._line(path)
        self._found.append((path, _problem(code, "error", message, path, hint, about, excerpt, *place)))

    def warning(self, code: str, message: str, path: KeyPath = (), hint: str = "", about: str = "") -> None:
        """Keep a problem that stops nothing."""
        place = self._file, self._line(path)
        self._found.append((path, _problem(code, "warning", message, path, hint, about, "", *place)))

    def flags(self, code: str, what: str, given: Mapping[str, object], path: KeyPath) -> None:
        """Keep what is neither true nor false of the flags of a part: elsewhere it would be read as either.

        Args:
            code: The code of a part that is declared wrongly.
            what: The part, for the message.
            given: Its flags by name.
            path: Where it stands.
        """
        for name, value in given.items():
            if not isinstance(value, bool):
                message = f"{what} has {name} = {quoted(value)}, which is neither true nor false"
                self.error(code, message, (*path, name), "give it true or false")

    def adopt(self, problem: Problem, node: str | None = None) -> None:
        """Keep a problem that somebody else found, with what is known here about its place.

        Args:
            problem: What was found.
            node: The node that found it in its own settings.
        """
        place = problem.place
        if place.node is None and node is not None:
            place = replace(place, node=node)
        path = _path_of(place)
        line = place.line if place.line is not None else self._line(path)
        place = replace(place, file=self._file or place.file, line=line)
        self._found.append((path, replace(problem, place=place)))

    def in_order(self) -> list[Problem]:
        """Sort the problems by line, and those of one line (or of no file) by declaration."""
        return [problem for _, problem in sorted(self._found, key=self._rank)]

    def _line(self, path: KeyPath) -> int | None:
        return self._graph.locate(path) if self._graph.locate is not None else None

    @cached_property
    def _file(self) -> str | None:
        source = self._graph.source
        if source is None:
            return None
        here = Path.cwd()
        return str(source.relative_to(here) if source.is_relative_to(here) else source)

    @cached_property
    def _indexes(self) -> Mapping[str | int, Mapping[str, int]]:
        graph = self._graph
        sections: dict[str | int, Iterable[str]] = {
            "state": graph.keys,
            "tools": graph.tools,
            "nodes": graph.nodes,
            "edges": (),
        }
        return {
            section: {name: index for index, name in enumerate(names)} for section, names in sections.items()
        }

    def _rank(self, found: tuple[KeyPath, Problem]) -> tuple[int, int, int]:
        """Order the lines, then the parts of a graph: settings, keys, tools, nodes, edges."""
        path, problem = found
        line = problem.place.line or 0
        if len(path) < 2 or path[0] not in _SECTIONS:
            return line, 0, 0
        section, part = path[:2]
        index = part if isinstance(part, int) else self._indexes[section].get(part, 0)
        return line, _SECTIONS[section], index


@lru_cache(maxsize=16_384)  # an editor checks at every edit, and a large graph has thousands of warnings
def _problem(
    code: str,
    severity: Severity,
    message: str,
    path: KeyPath,
    hint: str,
    about: str,
    excerpt: str,
    file: str | None,
    line: int | None,
) -> Problem:
    return Problem(code, severity, message, Place.at(path, file, line), hint, about, excerpt)


def _path_of(place: Place) -> KeyPath:
    """Make the path in a graph file of a place, as far as it can be told from its dotted key."""
    parts = tuple(place.key.split(".")) if place.key else ()
    if place.node is not None:
        return ("nodes", place.node, *parts)
    if place.edge is not None:
        return ("edges", place.edge, *parts)
    return parts
