"""Every error that Stepgraph raises, in one tree.

    StepgraphError
    ├── ExpressionError        E001  a condition's text does not parse (carries the caret)
    ├── GraphError             E002  compile() found problems (all of them, in .problems)
    ├── GraphFileError         E003  a graph file cannot be read as one (in .problems)
    ├── TrustError             E004  the graph names Python code that nobody has trusted yet
    ├── EvaluationError        E005  a condition parses, but the state does not fit it
    ├── HandlerError           E006  a module:function cannot be imported or called
    ├── BreakpointError        E007  what should be a breakpoint is none, or names what is not there
    ├── FilterError            E008  what should choose among reviews cannot be read
    ├── ModelError             E009  a model could not be asked, or gave no answer that can be read
    ├── ExportError            E010  a graph or a run cannot be written in a format
    ├── RunError
    │   ├── MaxStepsExceeded   R001  the step limit was reached under on_max_steps="fail"
    │   ├── NoEdgeMatched      R002  a node ran, and none of its edges matched
    │   ├── NodeFailed         R003  a node raised, said FAILED, or returned nonsense
    │   ├── ConditionFailed    R004  an edge's condition raised
    │   ├── StateError         R005  a value is not JSON, has the wrong type, or is missing
    │   ├── NotReady           R006  the run is not in the status that the call needs
    │   └── DefinitionChanged  R007  the run was started with another graph
    ├── StoreError             S001  the store cannot be opened, read or written
    │   ├── Conflict           S002  another process has moved the run on
    │   ├── UnknownRun         S003  no run of that id in the store
    │   ├── RunExists          S004  a run of that id is there already
    │   ├── StoreLost          S005  the store's file was taken away while it was open
    │   ├── StoreDamaged       S006  the store is not as it was written
    │   ├── StoreUnreachable   S007  the store's server is down, or the connection was cut
    │   └── CommitsLost        S008  the store has lost what it had recorded of a run
    └── ReviewError
        ├── AlreadyDecided     V001  the review was decided before
        ├── UnknownReview      V002  no review of that id
        ├── PayloadChanged     V003  the review is not the one that was looked at
        └── NotAllowed         V004  a verb, a key or a value that was not offered

Each error has a stable ``code``, a ``message`` that says what happened and where, and a ``hint``
that says what to do next. All three are written for people and may be shown as they are.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from .problems import Problem


_WIDTH = 72  # cells: with what comes before it, it fits a terminal of 80


def pointed(text: str, offset: int, width: int = _WIDTH) -> str:
    """Show the line of a text that is wrong, and under it a caret at the place.

    Safe to print: of a long line only the surroundings are shown, and no character moves the cursor.

    Args:
        text: The whole text.
        offset: Where in it, in characters from 0.
        width: The cells that the line may have.
    """
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    line = text[start : len(text) if end < 0 else end].rstrip("\r")
    left = max(0, offset - start - width)  # of a very long line, what could be shown
    line, column = line[left : left + 2 * width], offset - start - left
    line = "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in line)
    cells = [_cells(char) for char in line]
    first, last = 0, len(line)
    while sum(cells[first:last]) >= max(2, width):  # the caret may stand after the last character
        if last - column > column - first:
            last -= 1
        else:
            first += 1
    return f"{line[first:last]}\n{' ' * sum(cells[first:column])}^"


def _cells(char: str) -> int:
    """Return the cells that a terminal uses for a character."""
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


class StepgraphError(Exception):
    """The root of the tree.

    Args:
        message: What happened and where, for people.
        hint: What to do next; may be empty.
    """

    code: ClassVar[str] = "E000"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class ExpressionError(StepgraphError):
    """A condition's text does not parse, or uses what conditions may not.

    Args:
        message: What is wrong.
        text: The whole condition.
        offset: Where in ``text`` it is wrong, in characters from 0.
        hint: What to write instead; may be empty.
    """

    code = "E001"

    def __init__(self, message: str, *, text: str = "", offset: int = 0, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.text = text
        self.offset = offset

    def caret(self) -> str:
        """Show the line of the condition that is wrong, and under it a caret at the place; safe to print."""
        return pointed(self.text, self.offset)


class _ProblemsError(StepgraphError):
    """What GraphError and GraphFileError share: a list of problems."""

    def __init__(self, message: str, problems: Sequence[Problem] = (), *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.problems: tuple[Problem, ...] = tuple(problems)

    def __str__(self) -> str:
        return "\n".join([self.message, *(f"  {problem}" for problem in self.problems)])


class GraphError(_ProblemsError):
    """compile() found problems; ``.problems`` lists every one of them."""

    code = "E002"


class GraphFileError(_ProblemsError):
    """A graph file is missing, unreadable, hostile, or not TOML; ``.problems`` says where."""

    code = "E003"


class ExportError(StepgraphError):
    """A graph or a run cannot be written in a format."""

    code = "E010"


class TrustError(StepgraphError):
    """The graph names Python code or commands, and nobody has trusted them yet.

    Args:
        message: What happened.
        files: The files that would be trusted, the graph file first.
        hint: What to do next.
    """

    code = "E004"

    def __init__(self, message: str, files: Sequence[str] = (), *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.files = tuple(files)


class EvaluationError(StepgraphError):
    """A condition cannot be answered: a path is missing, or values are unlike.

    While a run is routed it is the ``__cause__`` of a ConditionFailed.
    """

    code = "E005"


class HandlerError(StepgraphError):
    """A function that a graph names as ``module:function`` cannot be imported or called."""

    code = "E006"


class BreakpointError(StepgraphError):
    """What should be a breakpoint or a watch is none, or it names what the graph does not have."""

    code = "E007"


class FilterError(StepgraphError):
    """What should choose among reviews cannot be read as a filter."""

    code = "E008"


class ModelError(StepgraphError):
    """A model could not be asked, or gave no answer that can be read.

    In a run it is the ``__cause__`` of a NodeFailed.

    Args:
        message: What happened, for people.
        hint: What to do next.
        spent: What the ledger keeps of the answer so far: the tokens that it took, what they cost.
    """

    code = "E009"

    def __init__(self, message: str, *, hint: str = "", spent: dict[str, Any] | None = None) -> None:
        super().__init__(message, hint=hint)
        self.spent: dict[str, Any] = {} if spent is None else spent


class RunError(StepgraphError):
    """Something went wrong while a graph ran."""

    code = "R000"


class MaxStepsExceeded(RunError):
    """The run reached its step limit under ``on_max_steps="fail"``; the message has the loop report."""

    code = "R001"


class NoEdgeMatched(RunError):
    """The node ran, and none of its outgoing edges matched; the message lists them."""

    code = "R002"


class NodeFailed(RunError):
    """The node raised, said that it failed, or returned what no node may return."""

    code = "R003"


class ConditionFailed(RunError):
    """The condition of an edge raised; the original is the ``__cause__``."""

    code = "R004"


class StateError(RunError):
    """A value is not JSON, does not fit its declared type, or a required input is missing."""

    code = "R005"


class NotReady(RunError):
    """The run's status does not allow this call; the message names both."""

    code = "R006"


class DefinitionChanged(RunError):
    """The run was started with another graph than the executor's.

    Args:
        message: What happened.
        differences: One line for each difference between the two definitions.
        hint: What to do next.
    """

    code = "R007"

    def __init__(self, message: str, differences: Sequence[str] = (), *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.differences = tuple(differences)


class StoreError(StepgraphError):
    """The store cannot be opened, read or written."""

    code = "S001"


class Conflict(StoreError):
    """Another process has moved the run on; this handle has changed nothing."""

    code = "S002"


class UnknownRun(StoreError):
    """The store has no run of that id; which others it has is not told, for they may be somebody else's.

    Args:
        message: What happened and where.
        run_id: The id.
        hint: What to do next.
    """

    code = "S003"

    def __init__(self, message: str, run_id: str = "", *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.run_id = run_id


class RunExists(StoreError):
    """The store has a run of that id already."""

    code = "S004"


class StoreLost(StoreError):
    """The store's file was deleted, moved, replaced or cut while it was open; nothing is written any more."""

    code = "S005"


class StoreDamaged(StoreError):
    """The store is not as it was written.

    Args:
        message: What happened and where.
        what: What is damaged, without naming the store.
        hint: What to do next.
    """

    code = "S006"

    def __init__(self, message: str, what: str = "", *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.what = what or message


class StoreUnreachable(StoreError):
    """The store's server does not answer, or the connection was cut; what was asked has not been done.

    Where it cannot be known whether it was done, for the server has not come back, the hint says so.

    Args:
        message: What happened and where.
        what: What is wrong with the server, without naming the store.
        hint: What to do next.
    """

    code = "S007"

    def __init__(self, message: str, what: str = "", *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.what = what or message


class CommitsLost(StoreError):
    """The store has lost what it had recorded: a run is older than it was, or gone, and nobody deleted it."""

    code = "S008"


class ReviewError(StepgraphError):
    """A decision was refused; nothing was recorded."""

    code = "V000"


class AlreadyDecided(ReviewError):
    """The review was decided before; the message says who, when and what."""

    code = "V001"


class UnknownReview(ReviewError):
    """There is no such review, or the run never had one."""

    code = "V002"


class PayloadChanged(ReviewError):
    """What the reviewer looked at is not what waits now."""

    code = "V003"


class NotAllowed(ReviewError):
    """The verb, the key or the value was not offered by the review."""

    code = "V004"
