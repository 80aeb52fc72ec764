"""The terms of reviews in the forms of Design, and in the text of the file."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph.documents.loader import from_document
from stepgraph.editing import Design
from stepgraph.editing.parts import EditPart, EditSettings
from stepgraph.editing.text import design_text, losses, read_design
from stepgraph.reviews.terms import ReviewTerms
from stepgraph_tui.dialogs.design import NodeForm, SettingsForm
from tests.app.forms import result, told

TEXT = """format = 1
name = "g"
start = "a"

# who decides
[reviews]
deadline = "4h"          # half a day
# or fail
on_timeout = "reject"

# first
[nodes.a]
type = "approval"
prompt = "Go?"
approvers = ["ana"]   # her alone

[[edges]]
from = "a"
to = "END"
"""


def edited(design: Design, **texts: str) -> str:
    """The file after other texts in the form of its node."""
    edit = result(NodeForm(design, "a"), **texts)
    assert isinstance(edit, EditPart)
    after = edit.apply(design).design
    assert losses(after) == []
    return design_text(after)


@pytest.mark.parametrize(
    ("field", "typed", "written"),
    [
        ("deadline", "30m", 'deadline = "30m"'),
        ("on_timeout", "approve_unsafe", 'on_timeout = "approve_unsafe"'),
        ("allow_self", "no", "allow_self = false"),
        ("allow_self", "yes", "allow_self = true"),
        ("approvals", "1", "approvals = 1"),
    ],
)
def test_each_term_is_asked_for_and_written(field: str, typed: str, written: str) -> None:
    text = edited(read_design(TEXT), **{field: typed})
    assert f"\n{written}\n" in text
    assert text.replace(f"{written}\n", "") == TEXT


def test_lists_of_people_keep_their_comments_and_terms_are_taken_away_again() -> None:
    assert edited(read_design(TEXT), approvers='["ana", "ben"]') == TEXT.replace('["ana"]', '["ana", "ben"]')
    text = edited(read_design(TEXT), escalate_after="1h", escalate_to='["ben"]')
    assert 'escalate_after = "1h"\nescalate_to = ["ben"]\n' in text
    assert edited(read_design(text), escalate_after="", escalate_to="") == TEXT


@pytest.mark.parametrize(
    ("texts", "field", "words"),
    [
        ({"deadline": "4 hours"}, "deadline", "a length of time is written 30s, 10m, 4h, 2d or 2w"),
        ({"approvals": "2"}, "approvals", "approvers has 1 name"),
        ({"escalate_after": "1h"}, "escalate_after", "does not say to whom"),
        ({"escalate_after": "5h", "escalate_to": '["b"]'}, "escalate_after", "the deadline has passed"),
        ({"approvals": "2", "approvers": '["a", "b"]', "editable": 'x = "text"'}, "approvals", "'edit' is"),
    ],
)
def test_what_cannot_work_is_told_at_its_field(texts: dict[str, str], field: str, words: str) -> None:
    assert words in told(NodeForm(read_design(TEXT), "a"), **texts)[field]


def test_the_graphs_terms_are_a_table_in_its_form() -> None:
    design = read_design(TEXT)
    edit = result(SettingsForm(design), reviews='deadline = "5h"\non_timeout = "reject"')
    assert isinstance(edit, EditSettings)
    assert design_text(edit.apply(design).design) == TEXT.replace("4h", "5h")
    found = told(SettingsForm(design), reviews='deadline = "5h"')
    assert "there is a deadline of 5h, but not what happens then" in found["reviews"]
    assert told(SettingsForm(design)) == {}


def test_the_first_terms_of_a_graph_are_a_table_of_their_own() -> None:
    design = read_design(TEXT.replace(TEXT[TEXT.index("# who") : TEXT.index("# first")], ""))
    edit = result(SettingsForm(design), reviews='deadline = "5h"\non_timeout = "reject"')
    after: Any = edit.apply(design).design
    graph = from_document(read_design(design_text(after)).document())
    assert graph.settings.terms == ReviewTerms(5 * 3600, "reject")
