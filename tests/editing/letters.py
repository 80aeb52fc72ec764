"""A graph file with comments, edited."""

from __future__ import annotations

import tomllib
from typing import Any

from stepgraph.editing import Design, Part
from stepgraph.editing.text import design_text, read_design

TEXT = """\
# Letters

format = 1
name = "letters"
start = "draft"

# the writer
[nodes.draft]  # a model
type = "llm"

# said to it
prompt = 'Write a "letter"'  # short

# the reader
[nodes.review]
type = "approval"
prompt = "Send it?"

# ---- edges ----

# often
[[edges]]
from = "draft"
to = "review"
when = "step < 3"

[[edges]]
from = "draft"
to = "END"

[[edges]]
from = "review"
to = "END"
"""


def edited(design: Design, part: Part, name: str | None = None, **changes: Any) -> Design:
    """The design with other values in a part; None takes a key away."""
    table = {key: value for key, value in {**part.table, **changes}.items() if value is not None}
    return design.replacing({part: [part.having(table, name)]})


def after(text: str, node: str = "draft", **changes: Any) -> str:
    design = read_design(text)
    new = edited(design, design.nodes[node], **changes)
    result = design_text(new)
    assert tomllib.loads(result) == new.document()
    return result
