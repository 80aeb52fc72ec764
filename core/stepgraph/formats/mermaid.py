"""Mermaid: a graph as a flowchart that Markdown pages show.

A node's text is its name, and an edge's is its label and its condition (see ``edge_texts``), whatever is in
them: what Mermaid or the Markdown inside of it would take for something else is written by its number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from html.entities import html5
from typing import TYPE_CHECKING

from ..graphs.parts import END
from .export import Exported
from .node_link import START, DrawnGraph, DrawnNode, drawn_graph

if TYPE_CHECKING:
    from .export import Exportable


MARK = "%% stepgraph 1: the text of a node is its name, that of an edge its label and [its condition]"
"""The line by which a flowchart is known to be ours."""
_KEYWORDS = frozenset(
    (
        *("graph", "flowchart", "subgraph", "end", "direction", "start", "o", "x", "v"),
        *("style", "linkstyle", "classdef", "class", "click", "call", "href", "default", "interpolate"),
        *("acctitle", "accdescr"),
    )
)
_SHAPES = {
    "approval": ("{{", "}}"),
    "router": ("{", "}"),
    "llm_router": ("{", "}"),
    "tool": ("(", ")"),
    "http_request": ("(", ")"),
    "handler": ("(", ")"),
    "transform": ("(", ")"),
    "subgraph": ("[[", "]]"),
}
_BOX = ("[", "]")
_CLASSES = {
    "done": "fill:#dafbe1,stroke:#1a7f37,color:#0a3d1a",
    "next": "fill:#ddf4ff,stroke:#0969da,stroke-width:3px,color:#0a3069",
    "waits": "fill:#fff8c5,stroke:#9a6700,stroke-width:3px,color:#4d2d00",
    "failed": "fill:#ffebe9,stroke:#cf222e,stroke-width:3px,color:#82071e",
}
_FIRED = "stroke:#1a7f37,stroke-width:3px"
_SAFE = frozenset(" ,/?'()=-+.!:_[]")
"""What is in a text as it is, beside letters and digits, unless ``_MEANT`` finds a meaning in it."""
_MEANT = re.compile(
    r"""^[ ]|[ ]$|[ ](?=[ ])      # blanks that would be lost
    |^[-+=:]|^\d(?=\d*[.)])        # the beginning of a list, or a line below a heading
    |(?<![^\W_])_|_(?![^\W_])      # a sign of emphasis
    |\](?=[(:\[])|!(?=\[)         # a link or a picture
    |(?<=www)\.|:(?=//)           # an address
    |(?<=direction)[ ]            # a statement of Mermaid's, wherever it stands
    """,
    re.VERBOSE | re.MULTILINE,
)
_NAMED = {'"': "#quot;", "&": "#amp;", "<": "#lt;", ">": "#gt;"}
"""The characters that are written by their names; others by their numbers."""
_STYLED = re.compile(r"style|classdef|\bfa", re.IGNORECASE)
"""Where it stands, Mermaid reads what follows a colon as its own."""


def write(source: Exportable) -> Exported:
    """Write a graph as a flowchart; of a run, what it visited and took is colored."""
    drawn = drawn_graph(source, _KEYWORDS)
    return Exported("\n".join(_lines(drawn)) + "\n")


def _lines(drawn: DrawnGraph) -> Iterator[str]:
    yield from ("---", f"title: {_title(drawn.name)}", "---")
    yield "flowchart TD"
    yield f"    {MARK}"
    yield f"    {START}([{START}])"
    for node in drawn.nodes:
        opened, closed = _SHAPES.get(node.type, _BOX)
        yield f'    {node.id}{opened}"{mermaid_text(node.name)}"{closed}'
    if any(edge.target == END for edge in drawn.edges):
        yield f"    {END}([{END}])"
    yield f"    {START} --> {drawn.start}"
    for edge in drawn.edges:
        text = f'|"{mermaid_text(edge.text)}"|' if edge.text else ""
        yield f"    {edge.source} -->{text} {edge.target}"
    if drawn.has_run:
        yield from _marks(drawn)


def _title(name: str) -> str:
    """Write a title as YAML; Mermaid looks for tags before it reads it, and would go on into the diagram."""
    return json.dumps(name, ensure_ascii=not name.isprintable()).replace("<", r"\u003c")


def _marks(drawn: DrawnGraph) -> Iterator[str]:
    """Color where a run has been, and where it stands."""
    ended = [DrawnNode(END, END, "", "done")] if drawn.ended else []
    nodes = [DrawnNode(START, START, "", "done"), *drawn.nodes, *ended]
    for mark, style in _CLASSES.items():
        ids = [node.id for node in nodes if node.mark == mark]
        if ids:
            yield f"    classDef {mark} {style}"
            yield f"    class {','.join(ids)} {mark}"
    fired = [0, *(position for position, edge in enumerate(drawn.edges, 1) if edge.times)]
    yield f"    linkStyle {','.join(map(str, fired))} {_FIRED}"


def mermaid_text(text: str) -> str:
    """Write a text between quotes, so that it is shown as it is; ``plain_text`` of the reader undoes it."""
    meant = {found.start() for found in _MEANT.finditer(text)}
    colon = _STYLED.search(text) is not None
    return "".join(_character(char, at in meant or (colon and char == ":")) for at, char in enumerate(text))


def _character(char: str, is_meant: bool) -> str:
    if char == "\n":
        return "<br/>"
    if not is_meant and (char in _SAFE or (char.isalnum() and char != "\ufb02") or _is_shown(char)):
        return char
    return _NAMED.get(char) or f"#{ord(char)};"


def _is_shown(char: str) -> bool:
    """Check whether a character beyond ASCII stands for itself: a mark above a letter, a sign, an emoji."""
    return ord(char) > 0xA0 and char.isprintable() and char not in "\ufb02\xb6"


_FRONTMATTER = re.compile(r"\s*---[ \t]*\n(.*?\n)?[ \t]*---[ \t]*(?:\n|\Z)", re.DOTALL)
_COMMENT = re.compile(r"^[ \t]*%%.*$", re.MULTILINE)
_TITLE = re.compile(r"^[ \t]*title:(.*)$", re.MULTILINE)
_ENTITY = re.compile(r"[#&](?:#?(\d{1,7})|(\w{1,32}));")
_BREAK = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,500}>")
_ICON = re.compile(r"\bfa[bklrs]?:fa-[\w-]+[ ]?")
_EMPHASIS = re.compile(r"(\*\*|__)(.+?)\1")
_OURS = MARK.partition(":")[0]


def bare(text: str) -> tuple[str, str, bool]:
    """Strip what is around a diagram; its lines stay where they are.

    Args:
        text: The text of a file.

    Returns:
        The diagram without frontmatter, directives and comments; its title; and whether it is one of ours.
    """
    title, front = "", _FRONTMATTER.match(text)
    if front is not None:
        found = _TITLE.search(front[1] or "")
        title = _yaml_text(found[1].strip(" \t")) if found is not None else ""
        text = "\n" * front[0].count("\n") + text[front.end() :]
    ours = any(line[0].strip().partition(":")[0] == _OURS for line in _COMMENT.finditer(text))
    return _COMMENT.sub("", _without_directives(text)), title, ours


def _without_directives(text: str) -> str:
    """Remove what is between ``%%{`` and ``}%%``."""
    parts, at = list[str](), 0
    while (begin := text.find("%%{", at)) >= 0 and (end := text.find("}%%", begin)) >= 0:
        parts += (text[at:begin], "\n" * text.count("\n", begin, end))
        at = end + 3
    return "".join((*parts, text[at:]))


def _yaml_text(text: str) -> str:
    if text[:1] == '"':
        try:
            return str(json.loads(text))
        except ValueError:
            pass
    return text.strip("'\"")


def plain_text(text: str, *, exact: bool = False) -> str:
    """Read what a text of a diagram shows: characters by number, line breaks; of others no tags and icons.

    Args:
        text: What is in the diagram, without the quotes around it.
        exact: Whether it is one of ours, in which nothing else has a meaning.
    """
    if not exact:
        if len(text) > 1 and text[0] == text[-1] == "`":
            text = _EMPHASIS.sub(r"\2", text[1:-1])
        text = _ICON.sub("", text)
        text = _TAG.sub("", _BREAK.sub("\n", text.replace("\\n", "\n")))
        return _ENTITY.sub(_entity, text).strip()
    return _ENTITY.sub(_entity, text.replace("<br/>", "\n"))


def _entity(found: re.Match[str]) -> str:
    number, name = found.groups()
    if number is None:
        return html5.get(f"{name};", found[0])
    code = int(number)
    return chr(code) if code < 0xD800 or 0xDFFF < code < 0x110000 else found[0]


class UniqueTexts:
    """Gives texts, each of them once.

    Args:
        taken: Those that nobody may have.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._numbers: dict[str, int] = {}

    def fresh(self, wanted: str, sign: str = "_", heard: Callable[[str], str] = str) -> str:
        """Return a text, with a number after it where it is taken.

        Args:
            wanted: The text.
            sign: What comes before a number.
            heard: By what two texts are the same.
        """
        text, number = wanted, self._numbers.get(wanted, 1)
        while heard(text) in self._taken:
            number += 1
            text = f"{wanted}{sign}{number}"
        self._numbers[wanted] = number
        self._taken.add(heard(text))
        return text
