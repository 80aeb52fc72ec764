"""The shape of a graph file: one declaration for each kind of table.

Every key has a default, so that of any table what is right can be kept.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ..tools import command_part
from ..values.declared import Converted, Declared, as_duration, field, keys_of, parse_duration
from ..values.state import UNSET

if TYPE_CHECKING:
    from ..toml.adding import Rank


def _length(text: str) -> str:
    """Refuse (ValueError) a text that is not a duration."""
    parse_duration(text)
    return text


def _number(format: object) -> object:
    """Refuse (ValueError) what equals a number and is written otherwise: true, 1.0."""
    if not isinstance(format, int) or isinstance(format, bool):
        raise ValueError("format is a whole number, such as 1")
    return format


_Length = Annotated[str, Converted(_length, takes=as_duration)]
_DEADLINE = field(
    None,
    description="How long a review waits, such as 4h, before on_timeout applies; 0 waits forever.",
    examples=["4h"],
)
_ON_TIMEOUT = field(
    None,
    description="What happens when nobody decides in time; approve_unsafe approves unseen.",
)
_APPROVERS = field(None, description="Who may decide; anybody when left out.", examples=[["ana", "ben"]])
_ALLOW_SELF = field(
    None, description="Whether people who started the run or edited its state may decide; yes by default."
)
_APPROVALS = field(None, description="How many people must approve; one rejection is enough.", examples=[2])
_ESCALATE_AFTER = field(None, description="How long a review waits before it escalates.", examples=["1h"])
_ESCALATE_TO = field(None, description="Who may decide then as well.", examples=[["chris"]])
_OnTimeout = Literal["reject", "fail", "approve_unsafe"]


class ReviewsPart(Declared):
    """The table ``[reviews]``: on what terms reviews wait, where a node does not say."""

    deadline: _Length | None = _DEADLINE
    on_timeout: _OnTimeout | None = _ON_TIMEOUT
    approvers: list[str] | None = _APPROVERS
    allow_self: bool | None = _ALLOW_SELF
    approvals: int | None = _APPROVALS
    escalate_after: _Length | None = _ESCALATE_AFTER
    escalate_to: list[str] | None = _ESCALATE_TO


class GraphPart(Declared):
    """The top level."""

    format: Annotated[Literal[1], Converted(_number, first=True)] = 1
    name: str = field("", description="The graph's name.")
    note: str = field("", description="What the graph is for.")
    start: str = field("", description="The node that runs first.")
    max_steps: int = field(50, description="The step limit of a run.")
    on_max_steps: Literal["return_last", "flag", "fail"] = field(
        "return_last", description="What happens at the limit: end, end flagged, or fail."
    )
    on_no_match: Literal["fail", "end"] = field("fail", description="What happens when no edge matches.")
    max_seconds: float | None = field(
        None, description="Time limit for all nodes of a run, checked between steps."
    )
    max_cost: float | None = field(
        None, description="Spending limit for models in US dollars, checked before each call."
    )
    max_tokens: int | None = field(
        None, description="Token limit for models, read and written, checked before each call."
    )
    feedback: bool = field(True, description="Whether a node that is visited again sees its previous output.")
    no_feedback: list[str] = field(
        default_factory=list, description="Nodes that never see it.", examples=[["draft"]]
    )
    review: Literal["never", "every", "last"] = field(
        "never",
        description="Default of the nodes' review: none, each, or the one whose edge leads to END.",
    )
    reviews: dict[str, Any] = field(
        default_factory=dict,
        description="Default terms of reviews: deadline, approvers and more.",
        examples=[{"deadline": "4h", "on_timeout": "reject"}],
    )
    state: dict[str, Any] = field(default_factory=dict)
    tools: dict[str, Any] = field(default_factory=dict)
    nodes: dict[str, Any] = field(default_factory=dict)
    edges: list[Any] = field(default_factory=list)


class KeyPart(Declared):
    """A table ``[state.KEY]``."""

    type: Literal["text", "number", "boolean", "list", "table"] | None = field(
        None, description="Its type; any if left out."
    )
    default: Any = field(UNSET, description="Its value at the start.")
    input: bool = field(False, description="Whether it is asked for at the start.")
    reducer: Literal["replace", "append", "merge"] = field(
        "replace", description="How updates merge: into a list, or into a table one level deep."
    )
    secret: bool = field(False, description="Whether it is masked on screens and in exports.")
    note: str = field("", description="What it is for.")


class ToolPart(Declared):
    """A table ``[tools.NAME]``."""

    handler: str | None = field(None, description="Its Python function, as module:function.")
    command: command_part.Words | None = command_part.COMMAND
    arguments: dict[str, Any] = command_part.ARGUMENTS
    stdin: str | None = command_part.STDIN
    timeout: command_part.Length = command_part.TIMEOUT
    env: command_part.Variables = command_part.ENV
    folder: str = command_part.FOLDER
    output: Literal["text", "json"] = command_part.OUTPUT
    exit_codes: list[int] = command_part.EXIT_CODES
    max_output: command_part.Size = command_part.MAX_OUTPUT
    container: dict[str, Any] | None = command_part.CONTAINER
    returns: Any = field(
        None,
        description="Scripted answers: a table, or a list with one per visit; live, a command runs.",
        examples=[{"id": 8812, "amount": 240}],
        json_schema_extra={"types": ["table", "list"]},
    )
    side_effects: bool = field(False, description="Whether it changes the world outside the state.")
    requires_approval: bool = field(
        False, description="Whether a person approves each call and its arguments."
    )
    note: str = field("", description="What it is for.")

    def _check(self) -> None:
        keys = keys_of(command_part.CommandPart).items()
        own = [key for key, field in keys if not field.required and vars(self)[key] != field.value()]
        if self.command is None and own:
            raise ValueError(f"{own[0]} is for a command, and it has none")
        if self.command is not None and self.handler is not None:
            raise ValueError("it has a handler and a command: leave out one of them")
        if self.command is not None:
            command_part.check_places(self)

    def as_command(self) -> command_part.CommandPart | None:
        """Return what it says of a command; None where it runs none."""
        if self.command is None:
            return None
        part = command_part.CommandPart
        return part({key: vars(self)[key] for key in keys_of(part)})


class NodePart(Declared):
    """What every ``[nodes.NAME]`` may have; the other keys are the settings of its type."""

    type: str = ""
    note: str = field("", description="What the node is for.")
    review: Literal["before", "after", "never"] | None = field(
        None,
        description="When a person is asked: before the node runs, or after, about its result; the graph's "
        "default if left out.",
    )
    timeout: str | None = field(
        None,
        description="Time limit for a visit, which fails then; none if left out.",
        examples=["30s"],
    )
    side_effects: bool = field(False, description="Whether it changes the world outside the state.")
    deadline: _Length | None = _DEADLINE
    on_timeout: _OnTimeout | None = _ON_TIMEOUT
    approvers: list[str] | None = _APPROVERS
    allow_self: bool | None = _ALLOW_SELF
    approvals: int | None = _APPROVALS
    escalate_after: _Length | None = _ESCALATE_AFTER
    escalate_to: list[str] | None = _ESCALATE_TO


class EdgePart(Declared):
    """A table ``[[edges]]``."""

    source: str = field("", alias="from")
    target: str = field("", alias="to")
    when: Any = None
    label: str | None = field(None, description="A short name for people.")
    note: str = field("", description="What it is for.")


class EqualsPart(Declared):
    """A condition ``{ key = ..., equals = ... }``."""

    key: str = ""
    equals: Any = None


class PredicatePart(Declared):
    """A condition ``{ predicate = "module:function" }``."""

    predicate: str = ""


COMMON = tuple(keys_of(NodePart))
"""The keys of a node's table that are not settings of its type."""

_PARTS: dict[str, type[Declared]] = {
    "state": KeyPart,
    "tools": ToolPart,
    "nodes": NodePart,
    "edges": EdgePart,
}


def rank_of(kind: str) -> Rank:
    """Rank the keys of a kind of table; the kind of the settings is empty."""
    known = _ranks(kind)
    others = known["note"] + 1 if kind == "nodes" else len(known) * 2  # the settings of a node's type
    return lambda key: known.get(key, others)


@cache
def _ranks(kind: str) -> dict[str, int]:
    return {key: 2 * place for place, key in enumerate(keys_of(_PARTS.get(kind, GraphPart)))}
