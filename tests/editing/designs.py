"""Designs made of a few lines of TOML, and their edges in words."""

from __future__ import annotations

from textwrap import dedent

from stepgraph.editing import Design, Edit, Edited
from stepgraph.editing.text import read_design

LETTER = """
    format = 1
    name = "letters"
    start = "classify"
    no_feedback = ["draft"]

    [state.ticket]
    input = true

    [state.order]
    type = "table"

    [tools.look_up]
    returns = {}

    [nodes.classify]
    type = "llm"
    prompt = "What is {{ ticket }}?"
    output = "category"
    replies = ["billing"]

    [nodes.draft]
    type = "llm"
    prompt = "Write to {{ order.customer }} about {{ ticket }}: {{ order['id'] }}"
    output = "letter"
    replies = ["Hello", "CALL_TOOL: look_up {}"]

    [nodes.look_up]
    type = "tool"
    tool = "look_up"
    arguments = { who = ["{{ order.id }}"] }
    output = "order"

    [nodes.review]
    type = "approval"
    prompt = "Send {{ letter }}?"
    show = ["order", "letter"]
    editable = { "order.amount" = "number" }

    [[edges]]
    from = "classify"
    to = "look_up"
    when = 'category == "billing"'
    label = "billing"

    [[edges]]
    from = "classify"
    to = "END"

    [[edges]]
    from = "look_up"
    to = "draft"

    [[edges]]
    from = "draft"
    to = "review"

    [[edges]]
    from = "review"
    to = "draft"
    when = 'decision == "reject" and visits.draft < 3'

    [[edges]]
    from = "review"
    to = "END"
"""
"""A graph with something of everything."""


def design_of(text: str = LETTER) -> Design:
    """The design of a text, which may be indented."""
    return read_design(dedent(text))


def edited(edit: Edit, text: str = LETTER) -> Edited:
    """What comes of an edit of a design, given as text."""
    return edit.apply(design_of(text))


def ways(design: Design) -> list[str]:
    """The edges in their order: ``classify -> look_up if ...``."""
    return [
        f"{edge.table.get('from')} -> {edge.table.get('to')}"
        + (f" if {edge.table['when']}" if "when" in edge.table else "")
        for edge in design.edges
    ]
