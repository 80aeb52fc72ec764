"""Reading Mermaid state diagrams."""

from __future__ import annotations

import re
from typing import NoReturn

from ...files.reader import MAX_EDGES
from ...formats.mermaid import bare, plain_text
from ...formats.reading import Imported, refused
from .drafting import MOST_EDGES, ForeignDiagram, ForeignEdge, drafted

_HEADER = re.compile(r"\s*stateDiagram(?:-v2)?[ \t]*(?=[;\n]|\Z)")
_NAME = r"(?:\[\*\]|[^\s:{}\"<>\[\]-]+(?:-(?!->)[^\s:{}\"<>\[\]-]*)*)"
_CLASS = r"(?::::[\w-]+)?"
_EDGE = re.compile(rf"({_NAME}){_CLASS}[ \t]*-->[ \t]*({_NAME}){_CLASS}[ \t]*(?::[ \t]*(.*))?")
_NAMED = re.compile(rf'state[ \t]+"([^"]*)"[ \t]+as[ \t]+({_NAME}){_CLASS}[ \t]*(\{{)?')
_STATE = re.compile(rf"state[ \t]+({_NAME}){_CLASS}[ \t]*(?:<<(\w+)>>|\[\[(\w+)\]\])?[ \t]*(\{{)?")
_SAID = re.compile(rf"({_NAME})[ \t]*:[ \t]*(.*)")
_ALONE = re.compile(rf"({_NAME}){_CLASS}")
_NOTE = re.compile(r"note\b[^:]*(:)?.*")
_STYLING = re.compile(
    r"(?:direction|classDef|class|style|click|scale|hide|accTitle|accDescr)\b(?![ \t]*(?:-->|:[^:])).*"
)
_BLOCK = re.compile(r"accDescr[ \t]*\{")
_MARK = "[*]"
_PARALLEL = ("fork", "join")
_SHOWN = 40


def looks_like(text: str) -> bool:
    """Check whether a text is a state diagram."""
    return _HEADER.match(bare(text)[0]) is not None


def read(text: str, name: str) -> Imported:
    """Read a state diagram. A state of states is opened: its own states are beside the others.

    Raises:
        GraphFileError: It is none, or has what runs side by side; the problem has the line.
    """
    return drafted(_StateDiagram(text, name).read())


class _StateDiagram:
    """One pass over the lines of a state diagram.

    Args:
        text: The whole text.
        name: The file's name in problems.
    """

    def __init__(self, text: str, name: str) -> None:
        text, title, _ = bare(text)
        header = _HEADER.match(text)
        begin = header.end() if header is not None else 0
        self._lines = text[begin:].split("\n")
        self._line = text.count("\n", 0, begin)
        self._found = ForeignDiagram("a Mermaid state diagram", name, title)
        self._around: list[str] = []  # the states that are open, the outermost first
        self._inner: dict[str, tuple[str, int]] = {}  # of states of states: the marks in them, and how deep
        self._inside: dict[str, set[str]] = {}  # of states of states: all that is mentioned in them
        self._notes = 0

    def read(self) -> ForeignDiagram:
        """Read it to its end."""
        lines = iter(self._lines)
        for line in lines:
            self._line += 1
            bare_line = line.strip().removesuffix(";").strip()
            if not bare_line:
                continue
            until = self._statement(bare_line)
            while until:
                following = next(lines, None)
                if following is None:
                    self._refuse("a note has no end", f"write {until} on a line of its own")
                self._line += 1
                until = "" if following.strip() == until else until
        if self._around:
            self._refuse(f"the state {self._around[-1]!r} has no end", "write } on a line of its own")
        if self._notes:
            self._found.notes.append(f"notes are left out: {self._notes}")
        self._open_states()
        return self._found

    def _statement(self, line: str) -> str:
        """Read a line, and tell which line ends what it begins, if it does not end with it."""
        if line == "}":
            self._close()
        elif line == "--":
            self._refuse_parallel("states that run side by side")
        elif _BLOCK.match(line) and "}" not in line:
            return "}"
        elif (note := _NOTE.fullmatch(line)) is not None and "-->" not in line:
            self._notes += 1
            return "" if note[1] else "end note"
        elif not _STYLING.fullmatch(line):
            self._states(line)
        return ""

    def _states(self, line: str) -> None:
        """Read an edge, or what a line says of a state."""
        found = self._found
        if (edge := _EDGE.fullmatch(line)) is not None:
            source, target, text = edge.groups()
            source, target = self._end_of_edge(source, "begin"), self._end_of_edge(target, "end")
            found.add_edge(source, target, plain_text(text or ""), self._line)
            for around in self._around:
                self._inside.setdefault(around, set()).update((source, target))
        elif (named := _NAMED.fullmatch(line)) is not None:
            found.add_node(named[2], plain_text(named[1]))
            self._open(named[2], named[3])
        elif (state := _STATE.fullmatch(line)) is not None:
            kind = state[2] or state[3]
            if kind in _PARALLEL:
                self._refuse_parallel(f"a <<{kind}>>")
            found.add_node(state[1])
            self._open(state[1], state[4])
        elif (match := _SAID.fullmatch(line)) is not None and match[1] != _MARK:
            before = found.nodes.get(match[1])
            found.add_node(match[1], "\n".join(filter(None, (before, plain_text(match[2])))))
        elif (alone := _ALONE.fullmatch(line)) is not None and alone[1] != _MARK:
            found.add_node(alone[1])
        else:
            shown = repr(line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…")
            self._refuse(f"{shown} says nothing of a state or an edge", "such as: a --> b : text")

    def _end_of_edge(self, name: str, word: str) -> str:
        """Name an end of an edge: a state, or where the state that is open begins or ends; else the run."""
        if name != _MARK:
            return name
        around = self._around[-1] if self._around else ""
        mark = f"{_MARK} {word} {around}"
        if around:
            self._inner[mark] = (around, len(self._around))
        elif word == "end":
            self._found.ends.add(mark)
        elif mark not in self._found.starts:
            self._found.starts.append(mark)
        return mark

    def _open(self, name: str, brace: str | None) -> None:
        if brace:
            self._around.append(name)
            if len(self._around) > 100:
                raise refused("F032", "its states are nested too deeply", self._found.file, self._line)

    def _close(self) -> None:
        if not self._around:
            self._refuse("this } closes nothing", "leave it out")
        self._around.pop()

    def _open_states(self) -> None:
        """Redirect edges of a composite state: in to where it begins, out from where it ends."""
        if self._inner:
            note = "states of states are opened: what is in them stands beside the others"
            self._found.notes.append(note)
        for mark, (name, _) in sorted(self._inner.items(), key=lambda each: each[1][1]):
            edges = self._found.edges
            if mark.startswith(f"{_MARK} begin"):
                self._found.edges = [
                    edge._replace(source=name) if edge.source == mark else edge for edge in edges
                ]
            else:
                self._found.edges = self._led_on(mark, name)
            del self._found.nodes[mark]

    def _led_on(self, mark: str, name: str) -> list[ForeignEdge]:
        """Redirect what leads to the end of a state to where the state itself led."""
        found = self._found
        inside = self._inside.get(name, set())
        on = [edge for edge in found.edges if edge.source == name and edge.target not in inside]
        if not on:
            on = [ForeignEdge(name, self._over())]
        edges: list[ForeignEdge] = []
        for edge in found.edges:
            if edge.target == mark:
                edges += (edge._replace(target=each.target, text=each.text or edge.text) for each in on)
                if len(edges) > MOST_EDGES:
                    raise found.too_many("edges", MAX_EDGES)
            elif edge not in on:
                edges.append(edge)
        return edges

    def _over(self) -> str:
        """Name the end of the run."""
        mark = f"{_MARK} end "
        self._found.ends.add(mark)
        self._found.add_node(mark)
        return mark

    def _refuse_parallel(self, what: str) -> NoReturn:
        hint = "a run is at one node at a time: put them one after the other"
        raise refused("F033", f"it has {what}", self._found.file, self._line, hint)

    def _refuse(self, message: str, hint: str) -> NoReturn:
        raise refused("F031", message, self._found.file, self._line, hint)
