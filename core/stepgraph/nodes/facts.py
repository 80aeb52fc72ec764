"""Facts: what a node declares before it runs.

A node type gives them in one method, ``facts``. Validation, forms, completion, trust and drawing read them.
A new kind of fact is a field here; where it names keys of the state, ``scoped`` gives them the names that
they have outside of a subgraph.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..conditions import Condition
    from ..templates.template import Template
    from ..values.json_values import Json
    from ..values.scopes import Scope


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
    """The aliases that it may ask in a live run, though canned replies do otherwise (see ``all_models``)."""
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
        found = {name for template in self.templates for name in template.names}
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
        """The model aliases that it may ask in a live run, canned replies or not."""
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
        """Give names in the texts as the graph around the node has them."""
        return names if self._scope is None else map(self._scope.outer, names)


_NAMES = tuple(each.name for each in fields(NodeFacts) if not each.name.startswith("_"))

NOTHING_DECLARED = NodeFacts()
"""The facts of a function, and of a node whose settings are wrong: nobody knows what it does."""
