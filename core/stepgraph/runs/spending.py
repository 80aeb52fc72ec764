"""What the calls of a run to models have taken and cost, and how far it may go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..nodes.base import BaseNode
from ..nodes.scoped import inmost, is_ours
from ..stores.base import rows_with_calls
from ..stores.ledger import Row, calls_of
from ..values.errors import NodeFailed
from ..values.json_values import Json
from .modes import SAYING_MODE

if TYPE_CHECKING:
    from ..graphs.parts import GraphSettings
    from ..graphs.plan import CompiledGraph
    from ..stores.base import StateStore

_MOST = 1e15


@dataclass(frozen=True, slots=True)
class Spending:
    """What calls to models took: of a row, a node or a whole run. Those that were replayed took nothing."""

    calls: int = 0
    """How many models answered or failed, replayed ones included."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    """In US dollars, as far as prices are known."""
    unpriced: int = 0
    """How many of the live calls took tokens at a price that is not known."""
    seconds: float = 0.0
    """How long models were waited for."""
    sources: frozenset[str] = frozenset()
    """Who answered: ``live``, ``replay``, or both."""
    untold: int = 0
    """How many of the live calls answered without saying how many tokens they took."""

    @property
    def tokens(self) -> int:
        """Those of the input and the output together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Spending) -> Spending:
        return Spending(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost + other.cost,
            self.unpriced + other.unpriced,
            self.seconds + other.seconds,
            self.sources | other.sources,
            self.untold + other.untold,
        )

    def to_json(self) -> dict[str, Json]:
        """Write it as JSON."""
        return {
            "calls": self.calls,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cost": round(self.cost, 9),
            "unpriced": self.unpriced,
            "seconds": round(self.seconds, 6),
            "sources": [*sorted(self.sources)],
        }


NOTHING_SPENT = Spending()


def spending_of(calls: Iterable[Mapping[str, Any]]) -> Spending:
    """Add up recorded calls; those of tools take nothing, nor those that reached no model."""
    spent = NOTHING_SPENT
    for call in calls:
        if call.get("kind") == "model" and ("error" not in call or "provider" in call):
            spent += _of_call(call)
    return spent


def _of_call(call: Mapping[str, Any]) -> Spending:
    source, seconds = str(call.get("source", "live")), _number(call, "seconds")
    if source != "live":
        return Spending(calls=1, seconds=seconds, sources=frozenset((source,)))
    input_tokens, output_tokens = int(_number(call, "input_tokens")), int(_number(call, "output_tokens"))
    is_unpriced = "cost" not in call and (input_tokens + output_tokens > 0 or "error" not in call)
    cost, is_untold = _number(call, "cost"), "input_tokens" not in call and "error" not in call
    return Spending(
        1, input_tokens, output_tokens, cost, int(is_unpriced), seconds, frozenset((source,)), int(is_untold)
    )


def _number(call: Mapping[str, Any], name: str) -> float:
    """Read a number; what a store has that is none, or below zero, counts nothing."""
    value = call.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return 0
    return value if 0 <= value <= _MOST else 0


def spending_of_row(row: Row) -> Spending:
    """Find what the calls of a step, an attempt or a review took."""
    return spending_of(calls_of(row))


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """How much a run may spend on models."""

    max_cost: float | None = None
    """US dollars; None for any."""
    max_tokens: int | None = None
    """Tokens of input and output; None for any."""

    def over(self, settings: GraphSettings) -> SpendingLimits:
        """Fill in from the graph what a run itself does not say."""
        return SpendingLimits(
            settings.max_cost if self.max_cost is None else self.max_cost,
            settings.max_tokens if self.max_tokens is None else self.max_tokens,
        )

    def to_json(self) -> dict[str, Json]:
        """Write it as the ledger keeps it."""
        table: dict[str, Json] = {"max_cost": self.max_cost, "max_tokens": self.max_tokens}
        return {name: value for name, value in table.items() if value is not None}

    @classmethod
    def from_json(cls, data: object) -> SpendingLimits:
        """Read what ``to_json`` wrote; what is none is not a limit."""
        if not isinstance(data, Mapping):
            return cls()
        cost, tokens = data.get("max_cost"), data.get("max_tokens")
        return cls(
            float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) else None,
            tokens if type(tokens) is int else None,
        )


NO_LIMITS = SpendingLimits()


def limits_in(rows: Iterable[Row]) -> SpendingLimits:
    """Read how much a run may spend out of its rows of the kinds SAYING_MODE: the last of each holds."""
    cost, tokens = None, None
    for row in rows:
        limits = SpendingLimits.from_json((row.data or {}).get("limits"))
        cost = cost if limits.max_cost is None else limits.max_cost
        tokens = tokens if limits.max_tokens is None else limits.max_tokens
    return SpendingLimits(cost, tokens)


def limits_of(store: StateStore, run_id: str, upto: int | None = None) -> SpendingLimits:
    """Read how much a run may spend, where the run itself says, up to one of its rows."""
    return limits_in(store.rows(run_id, upto=upto, kinds=SAYING_MODE))


class SpendingReader:
    """What a run has spent so far; each row of its ledger is read once.

    What a run was forked from has paid for itself: its calls do not count here.

    Args:
        store: Where the run lives.
        run_id: The run.
    """

    def __init__(self, store: StateStore, run_id: str) -> None:
        self._store, self._run_id = store, run_id
        self._read = 0
        self._forked_at: int | None = None
        self._begin()

    def _begin(self) -> None:
        self.total = NOTHING_SPENT
        self.by_node: dict[str, Spending] = {}
        """What the calls of each node took."""

    def upto(self, version: int) -> SpendingReader:
        """Read on to a row of the ledger."""
        if version < self._read:
            self._read = 0
            self._begin()
        if self._forked_at is None:
            self._forked_at = _forked_at(self._store.load(self._run_id).head.origin)
        for row in rows_with_calls(self._store, self._run_id, self._read, version):
            self.take(row)
        self._read = version
        return self

    def take(self, row: Row) -> None:
        """Process the next row of the ledger."""
        data = row.data or {}
        self._read = row.seq
        if "calls" in data and row.step > (self._forked_at or 0):
            spent = spending_of_row(row)
            self.total += spent
            self.by_node[row.node or ""] = self.by_node.get(row.node or "", NOTHING_SPENT) + spent


def has_asked_nobody(store: StateStore, run_id: str, version: int, plan: CompiledGraph) -> bool:
    """Check whether no node of a run can have asked a model, whatever mode it is in.

    A program may go on with it in another mode, unsaid. Before it adopted that graph, it went by another.
    """
    if store.rows(run_id, upto=version, kinds=("adopt",)):
        return False
    return all(
        isinstance(entry.node, BaseNode)
        and entry.settings is not None
        and is_ours(inmost(entry.node))
        and not entry.facts.all_models
        for entry in plan.nodes.values()
    )


def _forked_at(origin: str | None) -> int:
    """Return the last step whose rows a run shares with its origin; 0 if none."""
    number = (origin or "").rpartition("@")[2].partition("+")[0]
    return int(number) if number.isdecimal() else 0


def refuse_over_limits(spent: Spending, limits: SpendingLimits, is_priced: bool) -> None:
    """Refuse another call to a model where a run has spent what it may.

    Args:
        spent: What it has spent.
        limits: What it may spend.
        is_priced: Whether it is known what the call will cost.

    Raises:
        NodeFailed: It has, or nobody could tell.
    """
    if limits.max_tokens is not None and spent.tokens >= limits.max_tokens:
        raise NodeFailed(
            f"the run has used {spent.tokens:,} tokens, and max_tokens = {limits.max_tokens:,}",
            hint="retry it with --max-tokens and a larger number to continue",
        )
    if limits.max_tokens is not None and spent.untold:
        raise NodeFailed(
            f"max_tokens = {limits.max_tokens:,} cannot be enforced: the model does not report its tokens",
            hint="leave out max_tokens, or use a model that reports its tokens; then retry",
        )
    if limits.max_cost is None:
        return
    if spent.cost >= limits.max_cost:
        raise NodeFailed(
            f"the run has spent ${spent.cost:.4g}, and max_cost = ${limits.max_cost:g}",
            hint="retry it with --max-cost and a larger amount to continue",
        )
    if not is_priced or spent.unpriced:
        raise NodeFailed(
            f"max_cost = ${limits.max_cost:g} cannot be enforced: the model's price is unknown",
            hint="give it input_price and output_price in the settings (0 where it is free), then retry",
        )
