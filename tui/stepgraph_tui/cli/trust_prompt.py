"""Asking, once, whether the Python code that a graph names may run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.values.errors import TrustError

from .asking import can_ask, says_yes

if TYPE_CHECKING:
    from stepgraph.files import TrustQuestion
    from stepgraph.graphs.builder import StateGraph
    from stepgraph.graphs.plan import CompiledGraph

    from .output import Output

_STYLES = {"-": "red", "+": "green"}


def ensure_trusted(output: Output, app: StateGraph | CompiledGraph, granted: bool) -> None:
    """Go on only with a graph that is trusted; ask when there is a terminal to ask at.

    Args:
        output: Where to ask.
        app: The graph.
        granted: Whether ``--trust`` was given.

    Raises:
        TrustError: It is not trusted, and was not now.
    """
    from stepgraph.files import grant, is_trusted, require_trust, trust_question

    if is_trusted(app):
        return
    question = trust_question(app)
    if granted:
        grant(app, question)
    elif can_ask():
        if not _ask(output, app, question):
            raise TrustError(f"graph {app.name!r} is not trusted; nothing ran")
        grant(app, question)
    require_trust(app)


def _ask(output: Output, app: StateGraph | CompiledGraph, question: TrustQuestion) -> bool:
    from stepgraph_tui.text.trust import any_tool_remark, file_changes

    verb = "is" if app.is_of_module else "runs"
    output.narrate(f"Graph {app.name!r} {verb} {question.untrusted}:")
    for file in question.told:
        output.narrate(f"  {file}")
    for heading, lines in file_changes(question.changes):
        output.narrate()
        output.narrate(heading, "bold")
        for line in lines:
            output.narrate(line.replace("\t", "    "), _STYLES.get(line[:1], "dim"))
    if question.changes:
        output.narrate()
    output.narrate(
        "If you trust it, these files may run until they change. What they import is not covered: "
        "look at it too."
    )
    if question.covered.commands:
        output.narrate(
            "Its commands may run, too, with any arguments. What their programs do is not covered."
        )
    if question.any_tool:
        from stepgraph_tui.connections import Connections

        output.narrate(any_tool_remark(Connections.of_user().tools.sources))
    return says_yes(output, "Trust these files and run them?")
