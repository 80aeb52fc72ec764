"""Reading Mermaid flowcharts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

from ...files.reader import MAX_NODES
from ...formats.mermaid import bare, plain_text
from ...formats.reading import Imported, refused
from .drafting import MOST_NODES, ForeignDiagram, drafted

_HEADER = re.compile(r"\s*(?:graph|flowchart(?:-elk)?)\b[ \t]*+(?:TB|TD|BT|RL|LR|[<>^v])?[ \t]*(?=[;\n]|\Z)")
_LOOKS = re.compile(r"\s*(?:flowchart\b|graph(?:[ \t]+[A-Z<>^v]{1,2})?[ \t]*(?:[;\n]|\Z))")
_BLANK = re.compile(r"[ \t]*")
_BETWEEN = re.compile(r"[\s;]*")
_REST = re.compile(r"[^\n;]*")
_LINE = re.compile(r"[^\n]*")
_ID = re.compile(r"(?:[\w!#$%'*+.`?\\/]|-(?=[^>\-.])|=(?!=)|:(?!:))+")
_STYLING = re.compile(r"(?:classDef|class|style|linkStyle|accTitle|direction)\b(?=[ \t:])")
_CLICK = re.compile(r"click\b[ \t]")
_DESCRIPTION = re.compile(r"accDescr[ \t]*(?:\{[^}]*\}|:[^\n]*)")
_SUBGRAPH = re.compile(r"subgraph\b[ \t]*")
_END = re.compile(r"end(?=[ \t]*(?:[;\n]|\Z))")
_CLASS = re.compile(r":::[\w-]+")
_EDGE_ID = re.compile(r"[ \t]*([\w-]+)@(?=[xo<]?(?:--|==|-\.|\.-|~~~))")
_LINK = re.compile(
    r"(?:[ \t]*(?P<back>[xo<]?)|\s*)"
    r"(?:--+(?P<normal>[-xo>])|==+(?P<thick>[=xo>])|-?\.+-(?P<dotted>[xo>]?)|(?P<hidden>~~~+))"
)
_OPEN_LINK = re.compile(r"(?:[ \t]*(?P<back>[xo<]?)|\s*)(?P<kind>--|==|-\.)[ \t]*")
_CLOSED = {
    "--": re.compile(r"(?<!-)--+([-xo>])"),
    "==": re.compile(r"(?<!=)==+([=xo>])"),
    "-.": re.compile(r"(?<!\.)\.++-([xo>]?)"),
}
_AND = re.compile(r"\s*&\s*")
_BETWEEN_LINES = re.compile(r"\s*")
_DATA = re.compile(r"@\{")
_CLOSE_DATA = re.compile(r"[\s,]*\}")
_BAR = re.compile(r"[ \t]*\|[ \t]*")
_PAIR = re.compile(r"[\s,]*([\w-]+)[ \t]*:[ \t]*(?:\"([^\"]*)\"|'([^']*)'|([^\s,}]+))")
_SHAPES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("(((", (")))",)),
    ("((", ("))",)),
    ("([", ("])",)),
    ("(-", ("-)",)),
    ("(", (")",)),
    ("[[", ("]]",)),
    ("[(", (")]",)),
    ("[|", ("|]",)),
    ("[/", ("/]", "\\]")),
    ("[\\", ("\\]", "/]")),
    ("[", ("]",)),
    ("{{", ("}}",)),
    ("{", ("}",)),
    (">", ("]",)),
)
"""How the text of a node begins, and how it may end; longer beginnings first."""
_SHOWN = 40
"""Characters of the text that an error quotes."""


def looks_like(text: str) -> bool:
    """Check whether a text is a flowchart."""
    return _LOOKS.match(bare(text)[0]) is not None


def read(text: str, name: str) -> Imported:
    """Read a flowchart.

    Raises:
        GraphFileError: It is none; the problem has the line.
    """
    return drafted(_Flowchart(text, name).read())


class _Link(NamedTuple):
    """The line between two nodes."""

    text: str
    forward: bool
    back: bool
    hidden: bool = False


class _Flowchart:
    """One pass over the text of a flowchart.

    Args:
        text: The whole text.
        name: The file's name in problems.
    """

    def __init__(self, text: str, name: str) -> None:
        self._text, title, exact = bare(text)
        self._found = ForeignDiagram("a Mermaid flowchart", name, title, exact=exact)
        self._at = 0
        self._boxes: list[str] = []
        self._inside: dict[str, list[str]] = {}
        self._edge_ids: set[str] = set()
        self._line, self._line_at = 1, 0

    def read(self) -> ForeignDiagram:
        """Read it to its end."""
        header = _HEADER.match(self._text)
        if header is None:
            self._at = len(self._text) - len(self._text.lstrip())
            self._refuse("the direction is unknown", "such as: flowchart TD")
        self._at = header.end()
        while True:
            self._at = _BETWEEN.match(self._text, self._at).end()  # type: ignore[union-attr]  # also nothing
            if self._at == len(self._text):
                break
            self._statement()
        if self._boxes:
            self._refuse(f"the subgraph {self._boxes[-1]!r} has no end", "write end on a line of its own")
        self._open_boxes()
        return self._found

    def _statement(self) -> None:
        if self._take(_STYLING):
            self._take(_REST)
        elif self._take(_DESCRIPTION):
            pass
        elif self._take(_CLICK):  # its address may have a semicolon
            self._take(_LINE)
        elif self._take(_SUBGRAPH):
            self._subgraph()
        elif self._boxes and self._take(_END):
            self._boxes.pop()
        else:
            self._chain()

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Skip what matches here, if anything does."""
        found = pattern.match(self._text, self._at)
        if found is not None:
            self._at = found.end()
        return found

    def _subgraph(self) -> None:
        """Read the beginning of a box around nodes: an id, a text, or both."""
        id = self._take(_ID)
        self._take(_BLANK)
        text = self._shape() if self._at < len(self._text) and self._text[self._at] in "[(" else None
        rest = self._take(_REST)
        whole = (id[0] if id else "") + (rest[0] if rest and text is None else "")
        box = (
            id[0] if id and text is not None else whole.strip().strip('"')
        ) or f"box {len(self._inside) + 1}"
        self._boxes.append(box)
        self._inside.setdefault(box, [])
        if len(self._boxes) > 100:
            raise refused("F032", "its subgraphs are nested too deeply", self._found.file, self._where())

    def _chain(self) -> None:
        """Read nodes, and nodes that lines connect: ``a & b --> c --> d``."""
        group = self._group()
        while True:
            link = self._link()
            if link is None:
                break
            line = self._where()
            self._take(_BETWEEN_LINES)
            following = self._group()
            if link.hidden:
                self._tell("lines that are not shown only arrange a diagram, and are left out")
            for source in group if not link.hidden else ():
                for target in following:
                    self._connect(source, target, link, line)
            group = following
        self._take(_BLANK)
        if self._at < len(self._text) and self._text[self._at] not in "\n;":
            self._refuse(f"{self._rest()} is neither a node nor a line between two", "such as: a -->|text| b")

    def _connect(self, source: str, target: str, link: _Link, line: int) -> None:
        if link.forward or not link.back:
            self._found.add_edge(source, target, link.text, line)
        if link.back:
            self._found.add_edge(target, source, link.text, line)
        if not link.forward and not link.back:
            self._tell("lines without an arrow lead from the first node to the second here")

    def _group(self) -> Sequence[str]:
        """Read nodes with ``&`` between them."""
        group = [self._node()]
        while self._take(_AND):
            group.append(self._node())
            if len(group) > MOST_NODES:
                raise self._found.too_many("nodes", MAX_NODES)
        return group

    def _node(self) -> str:
        found = self._take(_ID)
        if found is None:
            self._refuse(f"a node is missing before {self._rest()}", "name it, such as: a --> b")
        id = found[0]
        text = self._data(id) if self._take(_DATA) else self._shape()
        while self._take(_CLASS):
            pass
        if id in self._edge_ids or (text is None and id in self._inside):  # it speaks of a line, or of a box
            return id
        if id not in self._found.nodes:
            for box in self._boxes:
                self._inside[box].append(id)
        self._found.add_node(id, text)
        return id

    def _shape(self) -> str | None:
        """Read the text of a node with the signs around it; None where it has none."""
        text, at = self._text, self._at
        shape = next((each for each in _SHAPES if text.startswith(each[0], at)), None)
        if shape is None:
            return None
        opened, closes = shape
        start = _BLANK.match(text, at + len(opened)).end()  # type: ignore[union-attr]  # also nothing
        if text.startswith('"', start):
            end = text.find('"', start + 1)
            close = _BLANK.match(text, end + 1).end() if end > 0 else -1  # type: ignore[union-attr]  # the same
            label = text[start + 1 : end]
        else:
            ends = [found for found in (text.find(each, start) for each in closes) if found >= 0]
            close = min(ends, default=-1)
            label = text[start:close].strip()
        closed = next((each for each in closes if close >= 0 and text.startswith(each, close)), None)
        if closed is None:
            self._refuse(f"the text of a node has no end: {self._rest()}", f"end it with {closes[0]}")
        self._at = close + len(closed)
        return plain_text(label, exact=self._found.exact)

    def _data(self, id: str) -> str | None:
        """Read ``@{ shape: rect, label: "text" }``."""
        label = None
        while (pair := self._take(_PAIR)) is not None:
            if pair[1] == "label":
                label = plain_text(next(each for each in pair.groups()[1:] if each is not None))
        if not self._take(_CLOSE_DATA):
            self._refuse(
                f"what is said of {id!r} cannot be read: {self._rest()}", 'such as: @{ label: "text" }'
            )
        return label

    def _link(self) -> _Link | None:
        """Read a line between nodes, with its text; None where there is none."""
        named = self._take(_EDGE_ID)
        if named is not None:
            self._edge_ids.add(named[1])
        found = self._take(_LINK)
        if found is not None:
            head = found["normal"] or found["thick"] or found["dotted"] or ""
            return _Link(self._bar_text(), head in (*"xo>",), found["back"] == "<", bool(found["hidden"]))
        opened = self._take(_OPEN_LINK)
        if opened is None:
            return None
        closed, label = _CLOSED[opened["kind"]], ""
        if self._text.startswith('"', self._at):
            end = self._text.find('"', self._at + 1)
            label, self._at = self._text[self._at + 1 : end], end + 1 if end > 0 else len(self._text)
        close = closed.search(self._text, self._at)
        if close is None or (not label and "\n" in self._text[self._at : close.start()]):
            self._refuse("the line between two nodes has no end", "such as: a -- text --> b")
        label = label or self._text[self._at : close.start()].strip()
        self._at = close.end()
        return _Link(plain_text(label), close[1] in (*"xo>",), opened["back"] == "<")

    def _bar_text(self) -> str:
        """Read ``|text|`` after a line."""
        if not self._take(_BAR):
            return ""
        at = self._at
        quoted = self._text.startswith('"', at)
        end = self._text.find('"|' if quoted else "|", at + 1 if quoted else at)
        if end < 0:
            self._refuse("the text of a line has no end", "such as: a -->|text| b")
        self._at = end + (2 if quoted else 1)
        label = self._text[at + 1 : end] if quoted else self._text[at:end].strip()
        return plain_text(label, exact=self._found.exact)

    def _open_boxes(self) -> None:
        """Redirect edges of a box: those to it lead to its first node, those from it leave its last one."""
        if self._inside:
            self._tell("subgraphs are only boxes around nodes here: their nodes stand side by side")
        boxes = {
            box: [id for id in inside if id not in self._inside]
            for box, inside in self._inside.items()
            if box in self._found.nodes
        }
        if not any(boxes.values()):
            return
        self._tell("what leads to a box leads to its first node, and what leaves it leaves its last one")
        self._found.edges = [
            edge._replace(
                source=(boxes.get(edge.source) or [edge.source])[-1],
                target=(boxes.get(edge.target) or [edge.target])[0],
            )
            for edge in self._found.edges
        ]
        for box, inside in boxes.items():
            if inside:
                del self._found.nodes[box]

    def _tell(self, note: str) -> None:
        """Note something once."""
        if note not in self._found.notes:
            self._found.notes.append(note)

    def _where(self) -> int:
        """Count the lines up to here."""
        self._line += self._text.count("\n", self._line_at, self._at)
        self._line_at = self._at
        return self._line

    def _rest(self) -> str:
        """Quote what is here."""
        rest = self._text[self._at : self._at + _SHOWN].partition("\n")[0].strip()
        return repr(rest) if rest else "the end of the line"

    def _refuse(self, message: str, hint: str) -> NoReturn:
        raise refused("F031", message, self._found.file, self._where(), hint)
