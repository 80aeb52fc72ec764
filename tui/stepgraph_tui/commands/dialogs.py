"""The keys of the dialogs, of forms and of the search field."""

from __future__ import annotations

from collections.abc import Iterator

from .command import Command, context

_LINES, _PAGES = ("down", "up"), ("page_down", "page_up")
_SCROLLED = {
    "down": ("j,down", "Down", "Scroll down"),
    "up": ("k,up", "Up", "Scroll up"),
    "page_down": ("pagedown", "Page down", "Scroll a page down"),
    "page_up": ("pageup", "Page up", "Scroll a page up"),
    "top": ("g", "Top", "Scroll to the top"),
    "bottom": ("G", "Bottom", "Scroll to the bottom"),
}


def _scrolling(context: str, *ways: str) -> Iterator[Command]:
    """Give a dialog keys that scroll what it shows."""
    for way in ways:
        keys, label, tooltip = _SCROLLED[way]
        yield Command(f"{context}.{way}", keys, f"scroll('{way}')", label, tooltip, palette=False)


APPROVAL = context(
    "approval",
    "Approval",
    Command("approval.approve", "y", "approve", "Approve", "Approve; a second step confirms it", footer=1),
    Command(
        "approval.edit", "e", "edit", "Edit & approve", "Change what can be changed, then approve", footer=2
    ),
    Command("approval.reject", "n", "reject", "Reject", "Reject; the comment says why", footer=3),
    Command("approval.respond", "r", "respond", "Respond", "Answer the question with a text", footer=4),
    Command("approval.comment", "c", "comment", "Comment", "Write the comment", footer=5),
    Command(
        "approval.details",
        "d",
        "turn_page('details')",
        "Details",
        "Show all arguments and texts in full",
        footer=6,
    ),
    Command(
        "approval.difference",
        "equals_sign",
        "turn_page('difference')",
        "Diff",
        "Show what changed since the last look",
        footer=7,
    ),
    Command(
        "approval.earlier",
        "left_square_bracket",
        "walk(-1)",
        "Earlier",
        "In the difference: show what the step before has changed",
        footer=7,
        palette=False,
    ),
    Command(
        "approval.later_step",
        "right_square_bracket",
        "walk(1)",
        "Later",
        "In the difference: show what the step after has changed",
        footer=7,
        palette=False,
    ),
    *_scrolling("approval", *_SCROLLED),
    Command(
        "approval.previous",
        "less_than_sign",
        "turn_to(-1)",
        "Previous",
        "The review that waits before this one",
    ),
    Command(
        "approval.next", "greater_than_sign", "turn_to(1)", "Next", "The review that waits after this one"
    ),
    Command(
        "approval.later", "escape,q,ctrl+c", "later", "Later", "Close; the review stays pending", footer=8
    ),
    help="This review",
)

FIND = context(
    "find",
    "Search field",
    Command("find.next", "enter", "submit", "Next", "Go to the first match, back in the pane", palette=False),
    Command("find.close", "escape", "close", "Close", "End the search", palette=False),
    help="This search",
)

CONFIRM = context(
    "confirm",
    "Questions",
    Command("confirm.yes", "y", "answer(True)", "Yes", "Do it", footer=1, palette=False),
    Command(
        "confirm.no", "n,escape,enter,q,ctrl+c", "answer(False)", "No", "Leave it", footer=2, palette=False
    ),
    *_scrolling("confirm", *_LINES, *_PAGES),
    help="This question",
)
"""A question of yes or no."""

TRUST = context(
    "trust",
    "Trust",
    Command(
        "trust.files", "y", "answer('files')", "Trust and run", "Trust these files as they are", footer=1
    ),
    Command(
        "trust.folder",
        "f",
        "answer('folder')",
        "Trust folder",
        "Trust each graph in this folder, whatever changes in it, until you quit",
        footer=2,
    ),
    Command("trust.no", "n,escape,enter,q,ctrl+c", "answer('')", "Cancel", "Run nothing", footer=3),
    *_scrolling("trust", *_LINES, *_PAGES),
    help="This question",
)
"""Whether Python code may run."""

CONFLICT = context(
    "conflict",
    "A file that changed on disk",
    Command("conflict.reload", "r", "answer('reload')", "Reload", "Take the file as it is on disk", footer=1),
    Command(
        "conflict.overwrite",
        "o",
        "answer('overwrite')",
        "Overwrite",
        "Write over it, and leave a copy",
        footer=2,
    ),
    Command(
        "conflict.difference",
        "equals_sign",
        "answer('difference')",
        "Difference",
        "Show what is different on disk",
        footer=3,
    ),
    Command(
        "conflict.later", "escape,enter,q,ctrl+c", "answer(None)", "Later", "Leave both as they are", footer=4
    ),
    *_scrolling("conflict", *_LINES, *_PAGES),
)

DRAFT = context(
    "draft",
    "A draft that was left",
    Command("draft.restore", "r", "answer('restore')", "Restore", "Take the edits of the draft", footer=1),
    Command("draft.discard", "x", "answer('discard')", "Discard", "Remove the draft for good", footer=2),
    Command(
        "draft.difference",
        "equals_sign",
        "answer('difference')",
        "Difference",
        "Show what the draft would change",
        footer=3,
    ),
    Command(
        "draft.later", "escape,enter,q,ctrl+c", "answer(None)", "Later", "Keep it, and ask again", footer=4
    ),
    *_scrolling("draft", *_LINES, *_PAGES),
)

UNSAVED = context(
    "unsaved",
    "Closing with edits",
    Command("unsaved.save", "s,ctrl+s", "answer('save')", "Save", "Save the file, then close it", footer=1),
    Command("unsaved.discard", "x", "answer('discard')", "Discard", "Close it without the edits", footer=2),
    Command("unsaved.stay", "escape,enter,q,ctrl+c", "answer(None)", "Stay", "Go on editing", footer=3),
    *_scrolling("unsaved", *_LINES),
)

FORM_TEXT = (
    Command("form.editor", "f4", "edit_elsewhere", "$EDITOR", "Edit this field in $EDITOR", footer=3),
)
"""What only forms with texts have."""

FORM = context(
    "form",
    "Forms",
    Command(
        "form.next",
        "tab",
        "next_field",
        "Next field",
        "Go to the next field, or take the completion while its list is open",
        palette=False,
    ),
    Command(
        "form.previous",
        "shift+tab",
        "previous_field",
        "Previous field",
        "Go to the field before",
        palette=False,
    ),
    Command("form.accept", "ctrl+j,ctrl+s", "accept", "Accept", "Accept what is in the form", footer=1),
    Command("form.cancel", "escape", "cancel", "Cancel", "Close the form", footer=2),
    sometimes=FORM_TEXT,
    help="This form",
)

CHOICE = context(
    "choice",
    "Forms, where some words can be chosen",
    Command("choice.previous", "left", "step(-1)", "Before", "Go to the word before", palette=False),
    Command("choice.next", "right", "step(1)", "Next", "Go to the next word", palette=False),
    Command("choice.take", "space", "take", "Choose", "Choose the next word, or this one too", palette=False),
)
"""The field of a form that offers some words."""

DECLARED = context(
    "declared",
    "Lists of state keys and tools",
    Command("declared.down", "j,down", "move(1)", "Down", "Go to the next line", palette=False),
    Command("declared.up", "k,up", "move(-1)", "Up", "Go to the line before", palette=False),
    Command("declared.first", "g,home", "first", "First", "Go to the first line", palette=False),
    Command("declared.last", "G,end", "last", "Last", "Go to the last line", palette=False),
    Command("declared.page_down", "pagedown", "page(1)", "Page down", "Go a page down", palette=False),
    Command("declared.page_up", "pageup", "page(-1)", "Page up", "Go a page up", palette=False),
    Command("declared.edit", "enter", "edit", "Edit", "Edit what is selected", footer=1),
    Command("declared.add", "a", "add", "Add", "Declare another one", footer=2),
    Command("declared.delete", "d,delete", "delete", "Delete", "Delete what is selected", footer=3),
    Command("declared.close", "escape,q", "close", "Close", "Close the list", footer=4),
)

PICK = context(
    "pick",
    "Lists to pick from",
    Command("pick.take", "enter,ctrl+j", "submit", "Accept", "Take the selected", footer=1, palette=False),
    Command("pick.down", "down", "move(1)", "Down", "Go to the next one", footer=2, palette=False),
    Command("pick.up", "up", "move(-1)", "Up", "Go to the one before", footer=3, palette=False),
    Command("pick.page_down", "pagedown", "turn(1)", "Page down", "Go a page down", palette=False),
    Command("pick.page_up", "pageup", "turn(-1)", "Page up", "Go a page up", palette=False),
    Command("pick.leave", "escape", "leave", "Cancel", "Take nothing", footer=5, palette=False),
    Command(
        "pick.complete",
        "tab",
        "complete",
        "Complete",
        "Take the completion that is shown",
        footer=4,
        palette=False,
    ),
)
"""A field above a list of what can be taken."""

LIST = context(
    "list",
    "Dialogs that show something",
    *_scrolling("list", *_SCROLLED),
    Command("list.copy", "y", "copy", "Copy", "Copy all of it", footer=1),
    Command("list.close", "escape,q,enter", "close", "Close", "Close this", footer=2),
    help="This dialog",
)

VALUE = context(
    "value",
    "A value and its versions",
    Command(
        "value.earlier",
        "left_square_bracket",
        "version(-1)",
        "Earlier",
        "Show the version of the value before this one",
        footer=3,
        palette=False,
    ),
    Command(
        "value.later",
        "right_square_bracket",
        "version(1)",
        "Later",
        "Show the version of the value after this one",
        footer=4,
        palette=False,
    ),
    Command(
        "value.mode", "v", "mode", "View", "Show what changed, or the whole value", footer=5, palette=False
    ),
    help="This dialog",
)
"""The keys of a value that a run has changed, beside those of ``LIST``."""

TRIED = context(
    "tried",
    "What came of trying a node",
    Command("tried.again", "r", "again", "Again", "Try it again, with the same values or others", footer=3),
)
