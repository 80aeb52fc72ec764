"""The declared tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...values.compare import named
from ...values.errors import StateError
from ...values.handler_names import HANDLER_HINT, is_handler
from ...values.json_values import plain
from ...values.messages import shown_value
from ...values.problems import KeyPath
from ..definition import OPAQUE
from .callables import is_async, is_class_of, is_runnable
from .names import is_sound, quoted

if TYPE_CHECKING:
    from ...nodes.tools import ToolEntry
    from .outline import Outline
    from .report import Report


def check_tools(outline: Outline, report: Report) -> None:
    """Report what is wrong with the declarations of tools."""
    stored = outline.graph.locate is None
    for name, entry in outline.graph.tools.items():
        path = ("tools", name)
        what = f"the tool {quoted(name)}"
        _name(name, path, report)
        if entry.requires_approval is not False:
            message = f"{what} requires approval, and this version has no review gates"
            hint = "put an approval node before the node that calls it, and leave requires_approval out"
            report.error("G025", message, (*path, "requires_approval"), hint)
        if entry.tool is not None:
            _object(entry.tool, what, path, report)
        elif entry.handler is not None:
            _handler(entry.handler, stored, what, path, report)
        else:
            _canned(entry, what, path, report)


def _name(name: object, path: KeyPath, report: Report) -> None:
    if not isinstance(name, str) or not name.strip() or not is_sound(name):
        report.error("G027", f"a tool cannot be named {quoted(name)}", path, "give it a name")


def _object(tool: object, what: str, path: KeyPath, report: Report) -> None:
    if is_async(tool):
        hint = "make it a plain function, which may call asyncio.run inside"
        report.error("G017", f"{what} is async, and Stepgraph never awaits", path, hint)
    elif is_class_of(tool):
        report.error("G027", f"{what} is a class, not an object of it", path, "call it: Tool(...)")
    elif not is_runnable(tool):
        message = f"{what} is {shown_value(tool)}, neither a function nor an object with execute"
        report.error("G027", message, path, "give a function that returns a table")


def _handler(handler: object, stored: bool, what: str, path: KeyPath, report: Report) -> None:
    if stored and handler == OPAQUE:
        return  # a stored definition says so of a Python object
    if not isinstance(handler, str) or not is_handler(handler):
        message = f"{what} has the handler {quoted(handler)}, which is not spelt module:function"
        report.error("G021", message, (*path, "handler"), HANDLER_HINT)


def _canned(entry: ToolEntry, what: str, path: KeyPath, report: Report) -> None:
    if entry.returns is None:
        report.error(
            "G027", f"{what} has nothing to run", path, "give it a handler, or canned answers in returns"
        )
        return
    path = (*path, "returns")
    try:
        returns = plain(entry.returns, f"what {what} returns")
    except StateError as error:
        report.error("G027", error.message, path, error.hint)
        return
    answers = returns if isinstance(returns, list) else [returns]
    wrong = next((answer for answer in answers if not isinstance(answer, dict)), None)
    if wrong is not None or not answers:
        found = (
            f"has {named(wrong)} among its canned answers"
            if answers
            else "has an empty list of canned answers"
        )
        report.error(
            "G027", f"{what} {found}", path, "a tool answers with a table, or with one a visit in a list"
        )
