"""Reading DOT, the language of Graphviz."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.entities import html5
from itertools import pairwise
from typing import NamedTuple, NoReturn

from ...formats.reading import MAX_BYTES, Imported, refused
from .drafting import ForeignDiagram, drafted

MOST_TOKENS = 2_000_000
"""With the blanks between them; a graph of 20,000 edges with all that Graphviz says of each has fewer."""
_TOKEN = re.compile(
    r"""(?P<skipped>(?:\s+|//[^\n]*|/\*.*?\*/|^\#[^\n]*)+)
    |(?P<id>[^\W\d]\w*|-?(?:\.\d+|\d+(?:\.\d*)?))
    |(?P<sign>->|--|[{}\[\];,=:])
    |"(?P<text>(?:[^"\\]|\\.)*+)"
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_JOINED = re.compile(r"\s*\+\s*(?=\")")
_ANGLES = re.compile(r"[<>]")
_ENTITY = re.compile(r"&(?:#(\d{1,7})|#[xX]([0-9A-Fa-f]{1,6})|(\w{1,32}));")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_TAG = re.compile(r"<[^<>]{0,2000}>")
_BREAK = re.compile(r"<br[^<>]{0,100}>|</tr>", re.IGNORECASE)


class DotToken(NamedTuple):
    """A word or a sign."""

    kind: str
    """A sign itself, or ``id`` for a word or a number, ``text``, ``html``; empty at the end."""
    text: str
    line: int

    @property
    def is_id(self) -> bool:
        """Whether it can name something."""
        return self.kind in ("id", "text", "html")


def dot_tokens(text: str, name: str) -> Iterator[DotToken]:
    """Cut a text into words and signs; comments are left out.

    Raises:
        GraphFileError: There is something that DOT does not have, or there is more than anybody would write.
    """
    at = count = 0
    line = 1
    while at < len(text):
        count += 1
        if count > MOST_TOKENS:
            message = f"it has more than {MOST_TOKENS:,} words and signs"
            raise refused("F032", message, name, line, "take a part of it")
        found, begun = _TOKEN.match(text, at), at
        kind = found.lastgroup if found is not None else ""
        if found is None:
            at = _html_end(text, at, name, line)
            yield DotToken("html", text[begun + 1 : at - 1], line)
        elif kind == "text":
            content, at = _join_texts(text, found)
            yield DotToken("text", content, line)
        else:
            at = found.end()
            if kind != "skipped":
                yield DotToken("id" if kind == "id" else found[0], found[0], line)
        line += text.count("\n", begun, at)
    yield DotToken("", "", line)


def _join_texts(text: str, found: re.Match[str]) -> tuple[str, int]:
    """Read a text in quotes, and those that are joined to it; with the place after them."""
    parts, end = [_unquoted(found["text"])], found.end()
    while (sign := _JOINED.match(text, end)) is not None:
        following = _TOKEN.match(text, sign.end())
        if following is None:  # it has no end, which is reported next
            break
        parts.append(_unquoted(following["text"]))
        end = following.end()
    return "".join(parts), end


def _unquoted(text: str) -> str:
    """Undo the escapes of quotes and of line breaks; all others are the label's."""
    return text.replace("\\\n", "").replace('\\"', '"') if "\\" in text else text


def _html_end(text: str, at: int, name: str, line: int) -> int:
    """Find the end of a text between angles, which may have more of them inside.

    Raises:
        GraphFileError: It has no end, or here begins nothing that DOT has.
    """
    if text[at] == '"':
        raise refused("F031", "a text in quotes has no end", name, line, 'end it with "')
    if text[at] != "<":
        raise refused("F031", f"{text[at]!r} has no meaning in DOT", name, line, "texts stand in quotes")
    depth = 0
    for found in _ANGLES.finditer(text, at):
        depth += 1 if found[0] == "<" else -1
        if not depth:
            return found.end()
    raise refused("F031", "a text in angles has no end", name, line, "end it with >")


def shown_text(token: DotToken, node: str = "") -> str:
    """Read what a label shows.

    Args:
        token: The label.
        node: The node that it is of, which it may quote.
    """
    if token.kind == "html":
        return _ENTITY.sub(_character, _TAG.sub("", _BREAK.sub("\n", token.text))).strip()
    escapes = {"n": "\n", "l": "\n", "r": "\n", "N": node}
    plain = _ESCAPE.sub(lambda found: escapes.get(found[1], found[1]), token.text)
    return _ENTITY.sub(_character, plain)


def _character(found: re.Match[str]) -> str:
    decimal, hexadecimal, name = found.groups()
    if name is not None:
        return html5.get(f"{name};", found[0])
    code = int(decimal) if decimal is not None else int(hexadecimal, 16)
    return chr(code) if code < 0xD800 or 0xDFFF < code < 0x110000 else found[0]


_LOOKS = re.compile(
    r"(?:\s+|//[^\n]*\n|/\*.*?\*/|\#[^\n]*\n)*+(?:strict\s+)?"
    r"(?:digraph\b|graph\b\s*+(?:[\w.-]+|\"(?:[^\"\\]|\\.)*+\"|<[^{]*>)?\s*\{)",
    re.DOTALL | re.IGNORECASE,
)
_DEEPEST = 100
"""How many subgraphs deep a diagram may be."""
_Attributes = dict[str, DotToken]
_NOTHING = DotToken("", "", 0)
_MEANT = frozenset(("label", "xlabel", "shape", "style", "dir", "stepgraph"))
"""The attributes that have a meaning here."""


def looks_like(text: str) -> bool:
    """Check whether a text is DOT."""
    return _LOOKS.match(text) is not None


def read(text: str, name: str) -> Imported:
    """Read the first digraph of a file in DOT.

    Raises:
        GraphFileError: It is none, or its edges have no direction; the problem has the line.
    """
    return drafted(_Digraph(text, name).read())


@dataclass
class _Scope:
    """What holds between a pair of braces."""

    node: _Attributes = field(default_factory=dict)
    edge: _Attributes = field(default_factory=dict)
    nodes: dict[str, None] = field(default_factory=dict)
    """The nodes that are mentioned in it, in order."""


class _Digraph:
    """One pass over the words and signs of a digraph.

    Args:
        text: The whole text.
        name: The file's name in problems.
    """

    def __init__(self, text: str, name: str) -> None:
        self._tokens = dot_tokens(text, name)
        self._next = next(self._tokens)
        self._found = ForeignDiagram("a digraph in DOT", name)
        self._scopes: list[_Scope] = []
        self._graph: _Attributes = {}
        self._points: set[str] = set()
        self._hides_edges = False
        self._said = 0

    def read(self) -> ForeignDiagram:
        """Read it to its last brace."""
        self._keyword("strict")
        if self._keyword("graph"):
            hint = "write digraph in place of graph, and -> in place of --"
            message = "it is a graph whose edges have no direction, so no run can go along them"
            raise refused("F033", message, self._found.file, self._next.line, hint)
        if not self._keyword("digraph"):
            self._refuse("digraph is missing", "such as: digraph { a -> b }")
        title = self._take() if self._next.is_id else None
        self._braces()
        if self._next.kind:
            self._found.notes.append("only the first graph of the file is read")
        found = self._found
        sources, targets = ({edge[end] for edge in found.edges} for end in (0, 1))
        found.starts += [id for id in self._points if id in sources and id not in targets]
        found.ends |= {id for id in self._points if id in targets and id not in sources}
        found.exact = self._graph.get("stepgraph", _NOTHING).text == "1"
        shown = self._graph.get("label") if found.exact else title
        found.title = " ".join(shown_text(shown).split()) if shown is not None else ""
        if self._hides_edges:
            found.notes.append("edges that are not shown only arrange a diagram, and are left out")
        return found

    def _take(self) -> DotToken:
        taken = self._next
        self._next = next(self._tokens, taken)  # the end stays the end
        return taken

    def _skip(self, *kinds: str) -> bool:
        """Skip a sign, if one of these is next."""
        if self._next.kind not in kinds:
            return False
        self._take()
        return True

    def _keyword(self, word: str) -> bool:
        if self._next.kind != "id" or self._next.text.lower() != word:
            return False
        self._take()
        return True

    def _braces(self) -> dict[str, None]:
        """Read what is between braces, and return the nodes that are mentioned there."""
        if not self._skip("{"):
            self._refuse("{ is missing", "such as: digraph { a -> b }")
        if len(self._scopes) >= _DEEPEST:
            raise refused("F032", "its subgraphs are nested too deeply", self._found.file, self._next.line)
        around = self._scopes[-1] if self._scopes else _Scope()
        scope = _Scope(dict(around.node), dict(around.edge))
        self._scopes.append(scope)
        while not self._skip("}"):
            if not self._next.kind:
                self._refuse("} is missing at the end", "close every brace that was opened")
            if not self._skip(";", ","):
                self._statement()
        self._scopes.pop()
        return scope.nodes

    def _statement(self) -> None:
        scope = self._scopes[-1]
        for word, defaults in (("node", scope.node), ("edge", scope.edge), ("graph", None)):
            if self._keyword(word):
                given = self._attributes()
                if defaults is not None:
                    defaults |= given
                elif len(self._scopes) == 1:
                    self._graph |= given
                return
        group = self._group()
        if self._skip("="):
            value = self._value("behind =", 'such as: rankdir = "LR"')
            if len(self._scopes) == 1:
                self._graph |= dict.fromkeys(group, value)
        elif self._next.kind in ("->", "--"):
            self._edges(group)
        elif self._next.kind == "[":
            self._say(group, self._attributes())

    def _value(self, where: str, hint: str) -> DotToken:
        if not self._next.is_id:
            self._refuse(f"a value is missing {where}", hint)
        return self._take()

    def _group(self) -> dict[str, None]:
        """Read a node, or a subgraph with all its nodes."""
        if self._keyword("subgraph"):
            if self._next.is_id:
                self._take()
            inside = self._braces() if self._next.kind == "{" else {}
        elif self._next.kind == "{":
            inside = self._braces()
        else:
            return self._node()
        self._scopes[-1].nodes |= inside
        return inside

    def _node(self) -> dict[str, None]:
        if not self._next.is_id:
            what = repr(self._next.text) if self._next.kind else "the end of the file"
            self._refuse(f"a node is missing before {what}", "such as: a -> b")
        id = self._take().text
        while self._skip(":"):  # a port
            if not self._next.is_id:
                self._refuse("a port is missing behind :", "such as: a:north")
            self._take()
        if self._next.kind != "=":
            scope = self._scopes[-1]
            scope.nodes[id] = None
            if id not in self._found.nodes:  # it is new: the defaults for nodes apply
                self._found.add_node(id)
                self._say({id: None}, scope.node)
        return {id: None}

    def _say(self, nodes: Mapping[str, None], attributes: _Attributes) -> None:
        """Keep the attributes of nodes that mean something here."""
        for id in nodes:
            if "label" in attributes:
                self._found.nodes[id] = self._label_text(attributes["label"], id)
            if attributes.get("shape", _NOTHING).text == "point":
                self._points.add(id)

    def _attributes(self) -> _Attributes:
        """Read ``[key=value, ...]``, as often as it is here."""
        found: _Attributes = {}
        while self._skip("["):
            while not self._skip("]"):
                if not self._next.is_id:
                    self._refuse("] is missing", 'such as: a [label="text"]')
                key = self._take().text
                value = DotToken("id", "true", 0)
                if self._skip("="):
                    value = self._value(f"behind {key}=", 'such as: a [label="text"]')
                if key in _MEANT:  # the others would be kept for every pair of braces
                    found[key] = value
                self._skip(",", ";")
        return found

    def _edges(self, group: dict[str, None]) -> None:
        """Read the edges between nodes or subgraphs, and their attributes."""
        groups, line = [group], self._next.line
        while self._next.kind in ("->", "--"):
            if self._next.kind == "--":
                self._refuse("-- stands between nodes of a digraph", "write -> in its place")
            self._take()
            groups.append(self._group())
        attributes = self._scopes[-1].edge | self._attributes()
        label = attributes.get("label") or attributes.get("xlabel")
        text, way = self._label_text(label) if label is not None else "", attributes.get("dir", _NOTHING).text
        if "invis" in attributes.get("style", _NOTHING).text:
            self._hides_edges = True
            return
        for sources, targets in pairwise(groups):
            for source in sources:
                for target in targets:
                    if way != "back":
                        self._found.add_edge(source, target, text, line)
                    if way in ("back", "both"):
                        self._found.add_edge(target, source, text, line)

    def _label_text(self, label: DotToken, node: str = "") -> str:
        """Read a label; a default is read for each that has it, and a long one for thousands has no end."""
        self._said += len(label.text)
        if self._said > MAX_BYTES:
            message = f"its labels come to more than {MAX_BYTES:,} characters, each counted where it is shown"
            raise refused("F032", message, self._found.file, self._next.line, "shorten what all nodes show")
        return shown_text(label, node)

    def _refuse(self, message: str, hint: str) -> NoReturn:
        raise refused("F031", message, self._found.file, self._next.line, hint)
