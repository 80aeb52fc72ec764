"""What Mermaid's diagrams have in common: what stands around them, and how their texts are spelt."""

from __future__ import annotations

import json
import re
from html.entities import html5

from .mermaid import MARK

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
    """Take off what stands around a diagram; its lines stay where they are.

    Args:
        text: The text of a file.

    Returns:
        The diagram without frontmatter, directives and comments; its title; and whether it is one of ours.
    """
    title, front = "", _FRONTMATTER.match(text)
    if front is not None:
        said = _TITLE.search(front[1] or "")
        title = _yaml_text(said[1].strip(" \t")) if said is not None else ""
        text = "\n" * front[0].count("\n") + text[front.end() :]
    ours = any(line[0].strip().partition(":")[0] == _OURS for line in _COMMENT.finditer(text))
    return _COMMENT.sub("", _without_directives(text)), title, ours


def _without_directives(text: str) -> str:
    """Take out what stands between ``%%{`` and ``}%%``."""
    parts, at = list[str](), 0
    while (begin := text.find("%%{", at)) >= 0 and (end := text.find("}%%", begin)) >= 0:
        parts += (text[at:begin], "\n" * text.count("\n", begin, end))
        at = end + 3
    return "".join((*parts, text[at:]))


def _yaml_text(said: str) -> str:
    if said[:1] == '"':
        try:
            return str(json.loads(said))
        except ValueError:
            pass
    return said.strip("'\"")


def plain_text(text: str, *, exact: bool = False) -> str:
    """Read what a text of a diagram shows: characters by number, line breaks; of others no tags and icons.

    Args:
        text: What stands in the diagram, without the quotes around it.
        exact: Whether it is one of ours, in which nothing else has a meaning.
    """
    if not exact:
        if len(text) > 1 and text[0] == text[-1] == "`":
            text = _EMPHASIS.sub(r"\2", text[1:-1])
        text = _ICON.sub("", text)
        text = _TAG.sub("", _BREAK.sub("\n", text.replace("\\n", "\n")))
        return _ENTITY.sub(_character, text).strip()
    return _ENTITY.sub(_character, text.replace("<br/>", "\n"))


def _character(found: re.Match[str]) -> str:
    number, name = found.groups()
    if number is None:
        return html5.get(f"{name};", found[0])
    code = int(number)
    return chr(code) if code < 0xD800 or 0xDFFF < code < 0x110000 else found[0]
