"""What a node is: the contract, the result, the base class of the built-in types, and their fields."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Protocol,
    Self,
    TypeAlias,
    get_args,
    get_origin,
    runtime_checkable,
)

from ..values.declared import Converted, Declared, model_of, plain_table
from ..values.errors import StateError
from ..values.json_values import Json, plain

if TYPE_CHECKING:
    from logging import Logger

    from pydantic import BaseModel

    from ..conditions import Condition
    from ..models.client import CallListener, LLMClient, ModelRequest, Recordings
    from ..reviews.model import ReviewRequest
    from ..templates.template import Template
    from ..tools.registry import ToolRegistry
    from ..values.problems import Problem
    from ..values.state import Scope, State, StateKey


@dataclass(frozen=True, eq=False, repr=False)  # which are half of what it takes to make the class
class NodeFacts:
    """The declarations of one node; by default it declares nothing, and may write any key.

    What needs a template parsed is computed when it is first read: a graph may have thousands of nodes.
    """

    templates: tuple[Template, ...] = ()
    """The templates in its settings."""
    conditions: tuple[tuple[str, Condition], ...] = ()
    """The conditions in its settings that parse, each with the setting that it comes from."""
    reads: frozenset[str] | None = None
    """The state keys that it reads beside those in its texts; None where nobody knows (see ``all_reads``)."""
    writes: frozenset[str] | None = None
    """The state keys that it may write; None when it could write any."""
    removes: tuple[str, ...] = ()
    """The dotted paths that it takes out of the state."""
    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The state keys that it always writes a table to, each with what is surely in it."""
    appends: Mapping[str, str] = field(default_factory=dict)
    """The settings that name a state key to which it appends, each with the key."""
    typed_keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The settings that name state keys which the graph must declare, each with those keys."""
    editable: tuple[str, ...] = ()
    """The paths into the state that a reviewer may change, where it asks one."""
    chooses: str | None = None
    """The state key under which it writes which of its edges is taken.

    An edge without a condition is then taken where its label, else its target, is the value of that key.
    None where edges choose by their conditions alone.
    """
    tools: frozenset[str] = frozenset()
    """The tools in its settings."""
    calls_tools: bool = True
    """Whether those are called on its visits, not only told to a model."""
    call_key: str | None = None
    """The state key that names the tool which it calls; None where only its settings do."""
    calls_any_tool: bool = False
    """Whether that key may name any tool of the user's servers, which trust is then asked for."""
    tool_arguments: Mapping[str, Mapping[str, Json] | None] = field(default_factory=dict)
    """The tools that its settings have it call, each with the arguments there, None without any."""
    models: frozenset[str] = frozenset()
    """The model aliases that it cannot do without."""
    may_call: frozenset[str] = frozenset()
    """The aliases that a live run may ask, though scripted replies do otherwise (see ``all_models``)."""
    handlers: tuple[str, ...] = ()
    """The Python functions in its settings, as ``module:function``."""
    addresses: tuple[str, ...] = ()
    """What it does on the network, and where, for people who are asked for trust."""
    _scope: Scope | None = None
    """The names of the texts, where they are inside of a subgraph and the keys are named from outside."""

    @classmethod
    def of_methods(cls, node: object) -> NodeFacts:
        """Collect the facts that a node gives one by one, in methods named like the fields."""
        methods = {name: getattr(node, name, None) for name in _NAMES}
        found: dict[str, Any] = {name: method() for name, method in methods.items() if callable(method)}
        for name in found.keys() & {"templates", "conditions"}:
            found[name] = tuple(found[name])
        editable = getattr(getattr(node, "settings", None), "editable", None)
        if isinstance(
            editable, Mapping
        ):  # it asks a person, with a setting like that of the type ``approval``
            found.setdefault("editable", tuple(editable))
        return cls(**found)

    @cached_property
    def all_reads(self) -> frozenset[str]:
        """The state keys that it is known to read: those in its texts, and those that it names beside."""
        return self._reads_by(lambda template: template.names)

    @cached_property
    def needed_reads(self) -> frozenset[str]:
        """Those of ``all_reads`` that it fails without, as far as that is known."""
        return self._reads_by(lambda template: template.needed)

    def _reads_by(self, names: Callable[[Template], frozenset[str]]) -> frozenset[str]:
        found = {name for template in self.templates for name in names(template)}
        found.update(name for _, condition in self.conditions for name in condition.reads)
        return (self.reads or frozenset()).union(self._outside(found))

    @cached_property
    def visits_read(self) -> Mapping[str, str]:
        """The nodes whose visits its texts count, each with the setting that does so first."""
        found: dict[str, str] = {}
        counted = [(template.where, template.visits_read) for template in self.templates]
        counted += [(where, condition.visits_read) for where, condition in self.conditions]
        for where, nodes in counted:
            for node in sorted(self._outside(nodes)):
                found.setdefault(node, where)
        return found

    @property
    def all_models(self) -> frozenset[str]:
        """The model aliases that it may ask in a live run, scripted replies or not."""
        return self.models | self.may_call

    def scoped(self, scope: Scope) -> NodeFacts:
        """Rename the keys of a node inside of a subgraph to what the graph around it calls them.

        Templates and conditions keep the names of the inside, where they are filled in and asked.
        """
        outer = scope.outer
        return replace(
            self,
            reads=frozenset(map(outer, self.reads or ())),
            writes=None if self.writes is None else frozenset(map(outer, self.writes)),
            removes=tuple(map(outer, self.removes)),
            tables=scope.without(self.tables),
            appends={setting: outer(key) for setting, key in self.appends.items()},
            typed_keys={setting: tuple(map(outer, keys)) for setting, keys in self.typed_keys.items()},
            editable=tuple(map(outer, self.editable)),
            chooses=None if self.chooses is None else outer(self.chooses),
            call_key=None if self.call_key is None else outer(self.call_key),
            _scope=scope if self._scope is None else replace(scope, node=outer(self._scope.node)),
        )

    def _outside(self, names: Iterable[str]) -> Iterable[str]:
        """Rename names in the texts as the graph around the node has them."""
        return names if self._scope is None else map(self._scope.outer, names)


_NAMES = tuple(each.name for each in fields(NodeFacts) if not each.name.startswith("_"))

NOTHING_DECLARED = NodeFacts()
"""The facts of a function, and of a node whose settings are wrong: nobody knows what it does."""


if TYPE_CHECKING:
    SettingsModel: TypeAlias = type[Declared] | type[BaseModel]

NodeStatus = Literal["success", "paused", "failed"]


@dataclass(frozen=True, slots=True)
class NodeResult:
    """What a node did: the changes it asks for, and what it put out."""

    updates: Mapping[str, object] | None = None
    """The changed keys; a value of None removes the key."""
    output: str | None = None
    """What it put out, as text; when None, the updates as JSON."""
    status: NodeStatus = "success"
    error: str | None = None
    """Why it failed, for people; only with the status ``failed``."""
    review: ReviewRequest | None = None
    """What to ask a person; only with the status ``paused``."""

    @classmethod
    def pause(cls, review: ReviewRequest) -> NodeResult:
        """Ask a person. The node is executed again with ``state.decision`` once somebody decided.

        What an edit has changed is in the state then, unless ``review.merge_edits`` is off.
        """
        return cls(status="paused", review=review)

    @classmethod
    def failed(cls, error: str) -> NodeResult:
        """Return a failed result without raising."""
        return cls(status="failed", error=error)


@runtime_checkable
class Node(Protocol):
    """Anything with ``execute``; the executor asks for nothing else."""

    def execute(self, state: State) -> NodeResult | dict[str, Any]:
        """Run the node for one visit."""
        ...


@dataclass(frozen=True, slots=True)
class Choice:
    """A way out of a node that chooses among its edges by itself."""

    label: str
    """What the node calls it: the edge's label, else where it leads."""
    target: str
    note: str = ""
    """What the edge is for."""
    target_note: str = ""
    """What the node is for that it leads to."""


@dataclass(frozen=True, slots=True)
class Services:
    """What an executor hands to the nodes that ask for it."""

    tools: ToolRegistry
    _clients: Mapping[str, LLMClient] = field(default_factory=dict)
    """The models by alias, as they were given to the executor: ``calls.ask_model`` alone asks them."""
    live: bool = False
    """True when models are asked although a node has scripted replies."""
    resolve: Callable[[str], Callable[..., Any]] | None = None
    """Turns ``module:function`` into the function; None where nothing may be imported."""
    find: Callable[[str], object] | None = None
    """Turns ``module:name`` into whatever has that name there; None where nothing may be imported."""
    recordings: Recordings | None = None
    """Recorded calls that answer in place of models and tools; None where nothing is replayed."""
    tell: CallListener | None = None
    """Hears of calls while they last."""
    stopped: Callable[[], bool] | None = None
    """Whether somebody has asked to stop: asked while a call lasts."""
    now: Callable[[], float] = time.time
    """The time, in seconds since 1970."""
    keys: Mapping[str, StateKey] = field(default_factory=dict)
    """The declared keys of the state."""
    choices: tuple[Choice, ...] = ()
    """The ways out of the node, where it chooses among its edges by itself (see ``NodeFacts.chooses``)."""

    @property
    def models(self) -> Mapping[str, LLMClient]:
        """The models by alias, for ``generate`` in a node of one's own.

        What they are asked during a visit is recorded, replayed and bounded as every call is.
        """
        from .calls import VisitModels

        return VisitModels(self._clients)


class BaseNode:
    """The base class of nodes: settings that are checked, a logger, and the name that the graph gives.

    A node does its work in ``execute``; everything else has a default. One with settings describes them
    by a pydantic model in ``Settings``, and one that graph files can name has its name there in ``type``.
    A field that names keys, tools or nodes says so by ``settings.holding``, so that renaming follows it.
    A node holds no run's data: it may serve many runs at once.

    Args:
        name: The node's name, where no graph names it: ``add_node`` does, and so do graph files.
        settings: The fields of ``Settings``.

    Raises:
        GraphError: The settings do not fit; all problems at once.
    """

    type: ClassVar[str] = "python"
    Settings: ClassVar[SettingsModel]
    asks_again: ClassVar[bool] = False
    """Whether it goes on with its own work once a person has answered, and may ask more on the same visit."""

    name: str = ""
    """What the graph calls the node; empty until it is in one."""

    def __init__(self, name: str = "", /, **settings: Any) -> None:
        self.name = name
        self.settings: Any = None
        self.services: Services | None = None
        if settings or hasattr(type(self), "Settings"):
            self.settings = _settings(type(self), name, settings)

    def named(self, name: str) -> Self:
        """Name the node as its graph does; one that has another name is copied."""
        node = self if self.name in ("", name) else copy.copy(self)
        node.name = name
        return node

    def execute(self, state: State) -> NodeResult | dict[str, Any]:
        """Run the node for one visit."""
        raise TypeError(f"{type(self).__name__} does not say what it does: define execute(self, state)")

    def bind(self, services: Services) -> Self:
        """Copy this node, so that it may use ``services``; the executor does so once."""
        bound = copy.copy(self)
        bound.services = services
        return bound

    @property
    def log(self) -> Logger:
        """A logger of the node's own: ``stepgraph.node.<name>``."""
        import logging

        return logging.getLogger(f"stepgraph.node.{self.name}")

    def facts(self) -> NodeFacts:
        """Declare what the node reads, writes and calls, going by its settings alone.

        By default each fact is taken from a method of its name, such as ``writes`` or ``templates``, where
        there is one. A type with more to declare makes a ``NodeFacts`` itself. Nodes are asked when a graph
        is built and checked, never on a step.
        """
        return NodeFacts.of_methods(self)

    def proposes(self, state: State) -> tuple[str, dict[str, Json]]:
        """Describe what the node is about to do on this visit: an action, and all its arguments.

        A gate before the node shows it to a person. By default that is the node and its templates, filled in.

        Raises:
            NodeFailed: A template cannot be filled in, so the node could not run either.
        """
        texts = self.facts().templates
        filled: dict[str, Json] = {template.where: template.render(state) for template in texts}
        return f"run {self.name}", {where: text for where, text in filled.items() if text}

    def sees(self, state: State) -> State:
        """Return the state as the node, its templates and its conditions see it."""
        return state

    def model_request(self, state: State) -> ModelRequest | None:
        """Write what the node says to a model first on this visit; None where it asks none.

        Raises:
            NodeFailed: A template cannot be filled in.
        """
        return None

    def must_ask(self, state: State) -> bool:
        """Check whether a person must agree to this visit first, whatever the graph says of reviews."""
        return False

    def problems(self) -> Iterable[Problem]:
        """Find what is wrong with the settings beyond their shape: templates that do not parse."""
        for template in self.facts().templates:
            yield from template.problems(self.name)


def _settings(cls: type[BaseNode], name: str, settings: dict[str, Any]) -> Declared | BaseModel:
    declared = getattr(cls, "Settings", None)
    if isinstance(declared, type) and issubclass(declared, Declared):
        found = plain_table(declared, settings)
        if found is not None:
            return found
    from .settings import checked_settings  # pydantic loads with the first node that it has to check

    return checked_settings(cls, name, settings)


Holds = Literal["key", "path", "template", "condition", "reply", "tool", "node"]
"""What the texts of a setting name: a state key; a dotted path into the state (in a table, by its keys); the
names in a template, or in a condition; the tools in what a model says; a tool; a node. Renaming follows."""


class Held(NamedTuple):
    """What the texts in a setting name."""

    texts: Holds | None
    """The text itself, or the texts in its list or its table."""
    keys: Holds | None
    """The keys of its table."""


def _json(value: dict[str, Any]) -> dict[str, Json]:
    try:
        return {key: plain(item, key) for key, item in value.items()}
    except StateError as error:
        raise ValueError(str(error)) from None


JsonTable = Annotated[dict[str, Any], Converted(_json)]
"""A table of JSON with any keys."""


def in_tables_too(schema: dict[str, Any]) -> dict[str, Any]:
    """Allow nested tables for a table of paths in its JSON Schema: paths then need no quotes."""
    kind = schema.get("additionalProperties")
    return {**schema, "additionalProperties": {"anyOf": [kind, {"type": "object"}]}} if kind else schema


def holding(what: Holds | None, keys: Holds | None = None) -> dict[str, Any]:
    """Declare what a field's texts name: a field of a settings model passes it as ``json_schema_extra``.

    Args:
        what: What its text names, or the texts in its list or its table.
        keys: What the keys of its table name; only those of a table of paths do, where it is left out.
    """
    return {"holds": what} if keys is None else {"holds": what, "keys": keys}


def names_held(settings: type[Declared] | type[BaseModel]) -> dict[str, Held]:
    """Find the settings that declare what they name, by their keys in a file."""
    found: dict[str, Held] = {}
    for name, info in model_of(settings).model_fields.items():
        extra = info.json_schema_extra
        holds = (extra.get(each) for each in ("holds", "keys")) if isinstance(extra, dict) else (None, None)
        texts, keys = (each if each in get_args(Holds) else None for each in holds)
        if (texts, keys) == ("path", None) and get_origin(info.annotation) is dict:
            texts, keys = None, "path"
        if texts is not None or keys is not None:
            found[info.alias or name] = Held(texts, keys)  # type: ignore[arg-type]  # it is one of them
    return found
