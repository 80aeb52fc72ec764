"""The keys of the dialogs, of forms and of the search field."""

from __future__ import annotations

from .command import ENDS, LINES, PAGES, Command, context, in_list, scrolling

FIND = context(
    "find",
    "Search field",
    Command("find.next", "enter", "submit", "Next", "Go to the first match", palette=False),
    Command("find.close", "escape", "close", "Close", "End the search", palette=False),
    help="This search",
)

CONFIRM = context(
    "confirm",
    "Questions",
    Command("confirm.yes", "y", "answer(True)", "Yes", "Do it", footer=1, palette=False),
    Command(
        "confirm.no", "n,escape,enter,q,ctrl+c", "answer(False)", "No", "Do nothing", footer=2, palette=False
    ),
    *scrolling("confirm", *LINES, *PAGES),
    help="This question",
)
"""A question of yes or no."""

TRUST = context(
    "trust",
    "Trust",
    Command(
        "trust.files",
        "y",
        "answer('files')",
        "Trust and run",
        "Trust these files until they change",
        footer=1,
    ),
    Command(
        "trust.folder",
        "f",
        "answer('folder')",
        "Trust folder",
        "Trust every graph in this folder until you quit, even if files change",
        footer=2,
    ),
    Command("trust.no", "n,escape,enter,q,ctrl+c", "answer('')", "Cancel", "Run nothing", footer=3),
    *scrolling("trust", *LINES, *PAGES),
    help="This question",
)
"""Whether Python code may run."""

LIVE = context(
    "live",
    "Asking real models",
    Command("live.yes", "y", "answer('yes')", "Go live", "Let real models answer", footer=1),
    Command("live.models", "m", "answer('models')", "Models", "List the models, add one, test one", footer=2),
    Command("live.no", "n,escape,enter,q,ctrl+c", "answer('')", "Cancel", "Ask nobody", footer=3),
    *scrolling("live", *LINES, *PAGES),
    help="This question",
)
"""Whether a run may ask models, which costs money."""

CONFLICT = context(
    "conflict",
    "File changed on disk",
    Command("conflict.reload", "r", "answer('reload')", "Reload", "Load the file from disk", footer=1),
    Command(
        "conflict.overwrite",
        "o",
        "answer('overwrite')",
        "Overwrite",
        "Replace the file on disk, and keep a copy of it",
        footer=2,
    ),
    Command(
        "conflict.difference",
        "equals_sign",
        "answer('difference')",
        "Difference",
        "Show how the file on disk differs",
        footer=3,
    ),
    Command("conflict.later", "escape,enter,q,ctrl+c", "answer(None)", "Later", "Decide later", footer=4),
    *scrolling("conflict", *LINES, *PAGES),
    help="This question",
)

ADOPT = context(
    "adopt",
    "A run on an older version",
    Command("adopt.yes", "a", "answer(True)", "Adopt", "Move the run to the changed graph", footer=1),
    Command(
        "adopt.no",
        "escape,enter,q,ctrl+c",
        "answer(False)",
        "Keep the older one",
        "Go on with the version that the run began with",
        footer=2,
    ),
    *scrolling("adopt", *LINES, *PAGES),
    help="This question",
)
"""Whether a run goes on with a changed graph."""

DRAFT = context(
    "draft",
    "Unsaved draft",
    Command("draft.restore", "r", "answer('restore')", "Restore", "Bring back the unsaved edits", footer=1),
    Command("draft.discard", "x", "answer('discard')", "Discard", "Delete the draft for good", footer=2),
    Command(
        "draft.difference",
        "equals_sign",
        "answer('difference')",
        "Difference",
        "Show what the draft would change",
        footer=3,
    ),
    Command(
        "draft.later",
        "escape,enter,q,ctrl+c",
        "answer(None)",
        "Later",
        "Keep the draft, and ask again next time",
        footer=4,
    ),
    *scrolling("draft", *LINES, *PAGES),
    help="This question",
)

UNSAVED = context(
    "unsaved",
    "Closing with unsaved edits",
    Command("unsaved.save", "s,ctrl+s", "answer('save')", "Save", "Save the file, then close it", footer=1),
    Command(
        "unsaved.discard", "x", "answer('discard')", "Discard", "Close the file without saving", footer=2
    ),
    Command("unsaved.stay", "escape,enter,q,ctrl+c", "answer(None)", "Stay", "Keep editing", footer=3),
    *scrolling("unsaved", *LINES),
    help="This question",
)

GAP = context(
    "gap",
    "Deleting a connected node",
    Command(
        "gap.bridge", "b", "answer('bridge')", "Bridge", "Delete it, and connect its neighbours", footer=1
    ),
    Command(
        "gap.delete",
        "d,delete",
        "answer('delete')",
        "Delete",
        "Delete it and its edges",
        footer=2,
    ),
    Command("gap.keep", "escape,enter,q,ctrl+c", "answer(None)", "Cancel", "Delete nothing", footer=3),
    *scrolling("gap", *LINES, *PAGES),
    help="This question",
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
        "Go to the next field, or accept the completion if its list is open",
        palette=False,
    ),
    Command(
        "form.previous",
        "shift+tab",
        "previous_field",
        "Previous field",
        "Go to the previous field",
        palette=False,
    ),
    Command("form.accept", "ctrl+j,ctrl+s", "accept", "Accept", "Accept the form", footer=1),
    Command("form.cancel", "escape", "cancel", "Cancel", "Close the form without changes", footer=2),
    sometimes=FORM_TEXT,
    help="This form",
)

CHOICE = context(
    "choice",
    "Forms: choice fields",
    Command("choice.previous", "left", "step(-1)", "Previous", "Go to the previous choice", palette=False),
    Command("choice.next", "right", "step(1)", "Next", "Go to the next choice", palette=False),
    Command("choice.take", "space", "take", "Choose", "Choose the next one, or add this one", palette=False),
)
"""The field of a form that offers some words."""

DECLARED = context(
    "declared",
    "Lists of state keys and tools",
    *in_list("declared", "line"),
    Command("declared.edit", "enter", "edit", "Edit", "Edit the selected one", footer=1),
    Command("declared.add", "a", "add", "Add", "Declare a new one", footer=2),
    Command("declared.delete", "d,delete", "delete", "Delete", "Delete the selected one", footer=3),
    Command("declared.close", "escape,q", "close", "Close", "Close the list", footer=4),
    help="This dialog",
)

MODELS = context(
    "models",
    "Models",
    *in_list("models", "model"),
    Command(
        "models.editor", "E", "editor", "Editor", "Open the settings in $EDITOR, and go by them", footer=2
    ),
    Command("models.add", "a", "add", "Add", "Add a model to your settings", footer=1),
    Command(
        "models.test", "t", "test", "Test", "Ask the model one short thing; it may cost a little", footer=3
    ),
    Command("models.stop", "X", "stop", "Stop", "Wait for the answer no more", footer=4),
    Command("models.close", "escape,q", "close", "Close", "Close the list", footer=5),
    help="This dialog",
)
"""The models of the user's settings."""

FIXES = context(
    "fixes",
    "Fixes for a problem",
    *in_list("fixes", "fix", *LINES),
    Command("fixes.take", "enter", "take", "Fix", "Apply the selected fix", footer=1),
    *scrolling("fixes", *PAGES),
    Command("fixes.close", "escape,q", "close", "Cancel", "Close without fixing", footer=2),
    help="This dialog",
)

PICK = context(
    "pick",
    "Lists to pick from",
    Command(
        "pick.take", "enter,ctrl+j", "submit", "Accept", "Choose the selected item", footer=1, palette=False
    ),
    Command("pick.down", "down", "move(1)", "Down", "Go to the next item", footer=2, palette=False),
    Command("pick.up", "up", "move(-1)", "Up", "Go to the previous item", footer=3, palette=False),
    Command("pick.page_down", "pagedown", "turn(1)", "Page down", "Go down a page", palette=False),
    Command("pick.page_up", "pageup", "turn(-1)", "Page up", "Go up a page", palette=False),
    Command("pick.leave", "escape", "leave", "Cancel", "Close without choosing", footer=5, palette=False),
    Command(
        "pick.complete",
        "tab",
        "complete",
        "Complete",
        "Accept the completion",
        footer=4,
        palette=False,
    ),
    help="This dialog",
)
"""A field above a list of what can be taken."""

LIST = context(
    "list",
    "Read-only dialogs",
    *scrolling("list", *LINES, *PAGES, *ENDS),
    Command("list.copy", "y", "copy", "Copy", "Copy everything", footer=1),
    Command("list.close", "escape,q,enter", "close", "Close", "Close the dialog", footer=2),
    help="This dialog",
)

LOOP = context(
    "loop",
    "Loop doctor",
    Command(
        "loop.extend", "plus,x", "extend", "More steps", "Let the run continue past its step limit", footer=1
    ),
    Command("loop.close", "D", "close", "Close", "Close the dialog", palette=False),
    help="This dialog",
)
"""The keys of the loop doctor beside those of ``LIST``."""

VALUE = context(
    "value",
    "A value and its versions",
    Command(
        "value.earlier",
        "left_square_bracket",
        "version(-1)",
        "Earlier",
        "Show the previous version of the value",
        footer=3,
        palette=False,
    ),
    Command(
        "value.later",
        "right_square_bracket",
        "version(1)",
        "Later",
        "Show the next version of the value",
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
    "Result of trying a node",
    Command("tried.again", "r", "again", "Again", "Try it again, with the same values or new ones", footer=3),
)
