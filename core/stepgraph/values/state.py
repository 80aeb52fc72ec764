"""The state of a run: what a node sees of it, and its declared keys."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeVar

from .errors import StateError
from .json_values import Json, copy_json, identical, plain, plain_names, preview, text, type_name
from .problems import did_you_mean

Reducer = Literal["replace", "append", "merge"]
ValueType = Literal["text", "number", "boolean", "list", "table"]
Op = Literal["append", "merge", "same", "remove", "set", "grown"]
"""How a ledger row's update differs from plainly replacing the key (see ``merge_updates``)."""


class Unset:
    """The type of UNSET; a default may be None (no value), so None cannot say "not given"."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET = Unset()


@dataclass(frozen=True, slots=True)
class StateKey:
    """A declared key of the state."""

    name: str
    reducer: Reducer = "replace"
    default: object = UNSET
    type: ValueType | None = None
    input: bool = False
    """Asked for at the start; refused by name when it has neither value nor default."""
    secret: bool = False
    """Masked on screen and in exports; the store holds it."""
    note: str = ""

    @property
    def has_default(self) -> bool:
        """True when a default was declared."""
        return self.default is not UNSET


class DecisionMade(Protocol):
    """A person's decision as a node reads it; ``stepgraph.Decision`` is one."""

    @property
    def verb(self) -> str:
        """``approve``, ``edit``, ``reject`` or ``respond``."""
        ...

    @property
    def values(self) -> Mapping[str, Json]:
        """The changed values of an edit, by dotted path."""
        ...

    @property
    def text(self) -> str:
        """The answer of a response."""
        ...

    @property
    def by(self) -> str:
        """Who decided: a claim on a file store, not a proof."""
        ...

    @property
    def comment(self) -> str:
        """The reason that the person gave."""
        ...

    @property
    def at(self) -> float:
        """When it was recorded, in seconds since 1970."""
        ...

    @property
    def hash(self) -> str:
        """The payload hash of the review that it answers."""
        ...

    def is_about(self, node: str, request: Any, values: dict[str, Json]) -> bool:
        """Check whether it answers what a node would ask now, a ``ReviewRequest`` about these values."""
        ...

    def apply_to(self, values: dict[str, Json]) -> dict[str, Json]:
        """Compute the top-level keys that an edit changes, with their new values."""
        ...


OWN = "own"
"""The kind of what a node keeps for itself, to go on with its visit after a pause: no call of anything."""


class State(Mapping[str, Any]):
    """What a node sees of the state during one visit: a read-only mapping of its own.

    Lists and tables read from it are plain copies, made at the first reading and thrown away
    after the step, so changing them changes nothing; return the changes instead.
    """

    __slots__ = (
        "_copies",
        "_feedback",
        "_previous",
        "_unused",
        "_values",
        "agreed",
        "calls",
        "decision",
        "run_id",
        "step",
        "visit",
    )

    def __init__(
        self,
        values: Mapping[str, Json],
        run_id: str = "",
        step: int = 1,
        visit: int = 1,
        decision: DecisionMade | None = None,
        feedback: str | None = None,
        previous: Callable[[], str | None] | None = None,
    ) -> None:
        self._values = values
        self._copies: dict[str, Json] | None = None
        self.run_id = run_id
        self.step = step
        self.visit = visit
        """How often the run has come to this node, this time included; counted from 1."""
        self.decision = decision
        """What a person decided about this visit's review, or None."""
        self.agreed: tuple[str, dict[str, Json]] | None = None
        """The action, with its arguments, that a person has agreed to before this visit, or None."""
        self.calls: list[Json] | None = None
        """What models and tools answered on this visit, as the ledger keeps it; None for nothing."""
        self._unused: list[dict[str, Json]] | None = None
        self._feedback = feedback
        self._previous = previous

    def keep(self, call: dict[str, Json]) -> None:
        """Keep an answer of a model or a tool, or what is a node's own, with this visit, for the ledger."""
        if self.calls is None:
            self.calls = []
        self.calls.append(call)

    def refuse_over_limits(self, is_priced: bool) -> None:
        """Refuse another call to a model where the run has spent what it may; here no run says anything.

        Args:
            is_priced: Whether it is known what the call will cost.

        Raises:
            NodeFailed: It has.
        """

    def recall(self, kind: str, name: str, digest: str) -> dict[str, Json] | None:
        """Take the answer that the very same call was given before on this visit; None when there is none.

        Each answer is taken once, the oldest first, so that a node that is executed again after a pause or a
        failure pays for nothing twice and does nothing twice.

        Args:
            kind: ``model`` or ``tool``.
            name: The alias of the model, or the name of the tool.
            digest: The hash of the messages.
        """
        if self._unused is None:
            made = [call for call in self.calls or () if isinstance(call, dict)]
            self._unused = [*self.earlier_calls, *made]
        for position, call in enumerate(self._unused):
            if (call.get("kind"), call.get("name"), call.get("digest")) == (kind, name, digest):
                return self._unused.pop(position)
        return None

    def with_decision(self, decision: DecisionMade) -> Self:
        """Return the same state with a decision, as if nobody had read it yet; both keep the same calls."""
        if self.calls is None:
            self.calls = []
        state = copy.copy(self)
        state._copies = state._unused = None
        state.decision = decision
        return state

    def __getitem__(self, key: str) -> Any:
        try:
            value = self._values[key]
        except KeyError:
            hint = did_you_mean(str(key), self._values, listing="it has")
            raise KeyError(f"the state has no key {key!r}" + (f" ({hint})" if hint else "")) from None
        kind = type(value)
        if kind is not list and kind is not dict:
            return value
        if self._copies is None:
            self._copies = {}
        if key not in self._copies:
            self._copies[key] = copy_json(value)
        return self._copies[key]

    if not TYPE_CHECKING:  # type checkers are to refuse both; only at run time they say what to do instead

        def __setitem__(self, key: str, value: object) -> None:
            raise TypeError(f"the state is read-only: return {{{key!r}: ...}} instead of setting it")

        def __delitem__(self, key: str) -> None:
            raise TypeError(f"the state is read-only: return {{{key!r}: None}} instead of deleting it")

    def get(self, key: str, default: Any = None) -> Any:
        """Read ``key``, or give ``default`` when the state has no such key."""
        return self[key] if key in self._values else default

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"State({dict(self._values)!r})"

    @property
    def feedback(self) -> str | None:
        """The text that asks a node to refine its work; None on a first visit or where it is off."""
        return self._feedback

    @property
    def previous_output(self) -> str | None:
        """What this node put out on its last visit; None on a first visit or where feedback is off."""
        return self._previous() if self._previous is not None else None

    @property
    def last_output(self) -> str:
        """What the node before this one put out; empty at the start of a run."""
        return ""

    @property
    def visits(self) -> dict[str, int]:
        """How often the run has come to each node of its graph, this visit included."""
        return {}

    def visits_since(self, node: str) -> dict[str, int]:
        """Count how often the run has come to each node since the last step of one, this visit included."""
        return self.visits

    @property
    def time_left(self) -> float | None:
        """The seconds that are left of the node's timeout, to hand on to what it calls; None without one."""
        return None

    @property
    def earlier_calls(self) -> list[dict[str, Json]]:
        """What models and tools answered on this visit before it paused or failed, oldest first."""
        return []

    @property
    def answers(self) -> list[tuple[dict[str, Json], DecisionMade]]:
        """What the node itself has asked a person on this visit, oldest first, each with its decision.

        The last one is ``decision``; a node that asks several questions on one visit finds here the others.
        A request is a table of JSON, as ``ReviewRequest.to_json`` writes it.
        """
        return []

    @property
    def idempotency_key(self) -> str:
        """``run_id:step``, the same whenever this step is tried again: give it to outside systems."""
        return f"{self.run_id}:{self.step}"


_TYPES: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "list": (list,),
    "table": (dict,),
}


def fits(value: Json, type_: str) -> bool:
    """True when ``value`` is of the declared type (a boolean is never a number)."""
    return type(value) in _TYPES[type_]


HOLDS = {"append": "list", "merge": "table"}
"""What the reducers that do not replace need the key to hold."""
_WIDE = 1 << 63
_SMALL = 64
"""Text up to this many characters is stored again even when it did not change: looking costs more."""


def check_value(key: StateKey | None, name: str, value: object) -> Json:
    """Check a value for the state key ``name``, and copy it.

    Raises:
        StateError: It is not JSON, or not of the key's declared type.
    """
    checked = plain(value, f'state["{name}"]')
    if key is None or key.type is None or checked is None or fits(checked, key.type):
        return checked
    if key.reducer == "append" and key.type == "list":
        return checked  # any other value becomes one item
    raise StateError(
        f'state["{name}"] is {type_name(checked)}, declared as {key.type}',
        hint=f"give it a {key.type}, or change its type in the graph",
    )


def check_whole(key: StateKey | None, name: object, value: object) -> Json:
    """Check a value that becomes the whole of the state key ``name``, its reducer left out, and copy it.

    Raises:
        StateError: The name is not text; the value is not JSON, or nothing that the key may hold.
    """
    checked = check_value(key, check_name(name), value)
    holds = None if key is None else HOLDS.get(key.reducer)
    if holds is None or checked is None or fits(checked, holds):
        return checked
    raise StateError(
        f'state["{name}"] is {type_name(checked)}, and its reducer "{key.reducer}" needs a {holds}',  # type: ignore[union-attr]
        hint=f"give it a {holds}",
    )


def check_name(name: object) -> str:
    """Check the name of a state key, and return it.

    Raises:
        StateError: It is not text, or no sound one.
    """
    if not issubclass(type(name), str):
        raise StateError(
            f"the state cannot have the key {preview(name)}, which is not text", hint="write it as text"
        )
    return text(name, "a key of the state")


def merge_updates(
    values: dict[str, Json], updates: Mapping[str, object], keys: Mapping[str, StateKey]
) -> tuple[dict[str, Json], dict[str, Json], dict[str, Op] | None]:
    """Check a node's updates and merge them into a copy of the state.

    Args:
        values: The state before; not changed.
        updates: What the node returned.
        keys: The declared keys by name.

    Returns:
        The state after; the checked updates; and how each key that was not plainly replaced
        merged (None when all were): ``append`` and ``merge`` by its reducer, ``same`` for a large value
        that did not change (the ledger need not store it again), ``grown`` for a list that begins with what
        it was (the ledger stores what came to it), ``remove`` for an append key.

    Raises:
        StateError: A value is refused, by its path.
    """
    merged = values.copy()
    checked: dict[str, Json] = {}
    ops: dict[str, Op] | None = None
    for name, given in updates.items():
        if type(name) is not str:
            check_name(name)
            return merge_updates(values, plain_names(updates), keys)
        key = keys.get(name) if keys else None
        kind = type(given)
        if (  # the common case needs no call: a small scalar that is surely JSON
            key is None
            and name.isascii()
            and (
                kind is bool
                or (kind is int and -_WIDE < given < _WIDE)  # type: ignore[operator]
                or (kind is str and len(given) <= _SMALL and given.isascii())  # type: ignore[arg-type,attr-defined]
            )
        ):
            merged[name] = checked[name] = given  # type: ignore[assignment]
            continue
        value = check_value(key, check_name(name), given)
        checked[name] = value
        op = _merge_one(merged, name, value, key)
        if op is not None:
            if ops is None:
                ops = {}
            ops[name] = op
    return merged, checked, ops


def _merge_one(merged: dict[str, Json], name: str, value: Json, key: StateKey | None) -> Op | None:
    reducer = "replace" if key is None else key.reducer
    if value is None:
        merged.pop(name, None)
        return "remove" if reducer == "append" else None
    if reducer == "append":
        merged[name] = appended(merged.get(name), value, name)
        return "append"
    if reducer == "merge" and name in merged:
        merged[name] = merged_tables(merged[name], value, name)
        return "merge"
    kind, old = type(value), merged.get(name)
    if (kind is list or kind is dict or (kind is str and len(value) > _SMALL)) and identical(old, value):  # type: ignore[arg-type]
        return "same"
    merged[name] = value
    return "grown" if kind is list and type(old) is list and _begins_with(value, old) else None  # type: ignore[arg-type]


def _begins_with(items: list[Json], old: list[Json]) -> bool:
    return 0 < len(old) < len(items) and all(map(identical, old, items))


def appended(old: Json, value: Json, name: str) -> list[Json]:
    """Append to a list: the items of a list, anything else as one item."""
    if old is not None and type(old) is not list:
        raise StateError(
            f'state["{name}"] is {type_name(old)}, and its reducer "append" needs a list',
            hint="start it with a list, or without a value",
        )
    return [*(old or []), *(value if type(value) is list else [value])]


def merged_tables(old: Json, value: Json, name: str) -> dict[str, Json]:
    """Merge ``value`` over the table ``old``, one level deep."""
    if type(old) is dict and type(value) is dict:
        return {**old, **value}
    wrong = old if type(old) is not dict else value
    raise StateError(
        f'state["{name}"] is {type_name(wrong)}, and its reducer "merge" needs tables',
        hint="return a table of the changed parts",
    )


T = TypeVar("T")

SEPARATOR = "/"
"""What is between the name of a subgraph's node and a name inside it."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The prefix that keeps the names inside a subgraph apart from all others.

    Args:
        node: The node that is the subgraph.
    """

    node: str

    @property
    def prefix(self) -> str:
        """What comes before a name outside."""
        return self.node + SEPARATOR

    @property
    def exit(self) -> str:
        """The node at which the run leaves the subgraph."""
        return f"{self.prefix}END"

    def outer(self, name: str) -> str:
        """Return the name outside of a name inside; of a path, and of END, as well."""
        return self.prefix + name

    def has(self, name: str) -> bool:
        """Check whether a name outside is one of the inside."""
        return name.startswith(self.prefix)

    def within(self, table: Mapping[str, T]) -> dict[str, T]:
        """Return what belongs to the inside, by the names that it has there."""
        cut = len(self.prefix)
        return {name[cut:]: item for name, item in table.items() if self.has(name)}

    def without(self, table: Mapping[str, T]) -> dict[str, T]:
        """Rename the keys of a table of the inside to their names outside."""
        return {self.prefix + name: item for name, item in table.items()}
