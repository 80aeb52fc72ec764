"""What there is to begin with, and its text under a name of one's own."""

from __future__ import annotations

import re
from pathlib import Path

TEMPLATES = {
    "blank": "no node yet: draw it yourself",
    "tool-router": "a model that calls tools until it can answer",
    "approval": "a draft that a person approves before it is sent",
    "critique-loop": "a writer and a critic, until the text is good enough",
}
"""The templates by name, each with what it is. All but the blank one run as they are, offline."""

DEFAULT = "blank"
"""The one for people who do not say which."""

_NAME = re.compile(r"^name = .*$", re.MULTILINE)


def template_text(template: str, name: str) -> str:
    """The text of a new graph file.

    Args:
        template: One of ``TEMPLATES``.
        name: The graph's name.
    """
    from ...toml.values_as_toml import graph_text

    file = Path(__file__).parent / f"{template.replace('-', '_')}.toml"
    line = graph_text({"name": name}).removesuffix("\n")
    return _NAME.sub(lambda _: line, file.read_text(encoding="utf-8"), count=1)
