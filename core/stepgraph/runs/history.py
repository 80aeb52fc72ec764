"""A run's past, read from its ledger when somebody looks, and grown as the run steps."""

from __future__ import annotations

import json
from abc import abstractmethod
from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain, takewhile
from typing import TYPE_CHECKING, TypeVar, get_args, overload

from ..locks import Lock
from ..stores.base import rows_backwards
from ..stores.ledger import Row, RowKind, is_partial, replaying, returned_output, returned_updates
from ..stores.opening import damaged
from ..values.json_values import Json, dumps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..graphs.parts import Edge
    from ..graphs.plan import CompiledGraph
    from ..stores.base import StateStore
    from .predicate_code import PredicateCode
    from .spending import SpendingReader


T = TypeVar("T")

PAGE = 256
"""How many rows are read at a time."""
_KEPT = 16  # pages
UNFINISHED: tuple[RowKind, ...] = ("attempt", "review")
"""The kinds of rows by which a visit pauses or fails."""


class Paged(Sequence[T]):
    """A sequence whose items are read when they are looked at, and so are those of its slices."""

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        places = range(len(self))
        if isinstance(index, slice):
            return PagedSlice(self, places[index])
        return self.item(places[index])

    @abstractmethod
    def item(self, index: int) -> T:
        """Read an item; there is one at ``index``, counted from 0."""


class PagedSlice(Paged[T]):
    """A part of a sequence."""

    def __init__(self, whole: Sequence[T], places: Sequence[int]) -> None:
        self._whole, self._places = whole, places

    def __len__(self) -> int:
        return len(self._places)

    def item(self, index: int) -> T:
        """Read an item of the whole."""
        return self._whole[self._places[index]]


class LedgerRows(Paged["Row"]):
    """The rows of a run. Only the pages that were looked at last are in memory.

    Args:
        store: Where the run lives.
        run_id: The run.
    """

    def __init__(self, store: StateStore, run_id: str) -> None:
        self.version = 0
        """How many rows there are."""
        self._store = store
        self._run_id = run_id
        self._pages: dict[int, list[Row]] = {}  # the one that was looked at last comes last
        self._lock = Lock()

    def __len__(self) -> int:
        return self.version

    def item(self, index: int) -> Row:
        """Read a row, with its page where that is not in memory."""
        return self._page(index // PAGE)[index % PAGE]

    def after(self, seq: int) -> Iterator[Row]:
        """Read the rows after one, page by page."""
        while seq < self.version:
            yield from self._page(seq // PAGE)[seq % PAGE :]
            seq += PAGE - seq % PAGE

    def _page(self, number: int) -> list[Row]:
        first, end = number * PAGE, min(number * PAGE + PAGE, self.version)
        with self._lock:
            page = self._pages.pop(number, [])
            if len(page) < end - first:
                page = page + self._store.rows(self._run_id, first + len(page), end)
            if len(page) < end - first:
                raise damaged(self._store.url, f"the ledger of run {self._run_id!r} has gaps")
            self._pages[number] = page
            if len(self._pages) > _KEPT:
                del self._pages[next(iter(self._pages))]
        return page


class History:
    """The steps of one run.

    Args:
        store: The store that has the ledger.
        run_id: The run.
        plan: The run's graph.
        fresh: True for a run that was just created with nothing but its start row.
    """

    def __init__(self, store: StateStore, run_id: str, plan: CompiledGraph, *, fresh: bool = False) -> None:
        self.store = store
        self.run_id = run_id
        self.plan = plan
        if fresh:
            self.visited = {}
        self._steps: list[Row] = []
        self._read = 0  # the ledger is in _steps up to this sequence number
        self._reading = Lock()  # others may look at a run while one thread steps it
        self._pages = LedgerRows(store, run_id)
        self._seqs = array("Q")  # the row of each step, as far as somebody has asked
        self._routes: dict[int, Row] = {}  # of steps that were routed again, by the step's row
        self._routed = 0  # they are in _routes up to this sequence number
        self._edges_before: list[tuple[int, dict[str, tuple[Edge, ...]]]] | None = None

    @cached_property
    def visited(self) -> dict[str, list[int]]:
        """For each visited node, the sequence numbers of its step rows."""
        # Of two threads that ask at once both get the first one's: it is the one that grows.
        first: dict[str, list[int]] = self.__dict__.setdefault("visited", self.store.visits(self.run_id))
        return first

    @cached_property
    def code(self) -> PredicateCode:
        """What is known of the graph's predicates without calling them."""
        from .predicate_code import PredicateCode  # only where somebody asks why

        return PredicateCode(self.plan)

    @cached_property
    def spending(self) -> SpendingReader:
        """What the calls to models have taken; it is to be read up to a sequence number."""
        from .spending import SpendingReader  # most runs ask no model

        return SpendingReader(self.store, self.run_id)

    def count(self, node: str, upto: int | None = None) -> int:
        """Count the visits of a node, up to a sequence number."""
        seqs = self.visited.get(node)
        if seqs is None:
            return 0
        return len(seqs) if upto is None else bisect_right(seqs, upto)

    def last_visit(self, node: str, upto: int) -> int:
        """Find the row of a node's last step, up to a sequence number; 0 where there is none."""
        count = self.count(node, upto)
        return self.visited[node][count - 1] if count else 0

    def add(self, row: Row) -> None:
        """Record a step row that has been committed."""
        node = row.node
        assert node is not None  # every step row has one  # noqa: S101
        visited = self.visited
        seqs = visited.get(node)
        if seqs is None:
            visited[node] = [row.seq]
        elif seqs[-1] != row.seq:  # it is there already when the visits were read just now
            seqs.append(row.seq)

    def forget_visits(self) -> None:
        """Read the visits again when they are asked for: a step was committed of which this has not heard."""
        self.__dict__.pop("visited", None)

    def seq_of(self, step: int) -> int:
        """Find the sequence number of a step's row; of the start row for 0."""
        # A step's row comes after the start row and all earlier steps; other rows push it further back. What
        # is left to it is known from any step on the way: there is at least a row for each between the two.
        after, window = step, 16
        while step > 0:
            rows = self.store.rows(self.run_id, after, after + window, ("step",))
            for row in rows:
                if row.step == step:
                    return row.seq
            after, window = after + window, 16 if rows else window * 4
            if rows:
                after = max(after, rows[-1].seq + step - rows[-1].step - 1)
        return 1

    def steps(self, upto: int) -> StepRows:
        """Find the step rows up to a sequence number; each is read when it is looked at."""
        with self._reading:
            visited = list(self.visited.values())
            if len(self._seqs) != sum(map(len, visited)):
                self._seqs = array("Q", sorted(chain.from_iterable(visited)))
            if upto > self._routed:
                for row in self.store.rows(self.run_id, self._routed, upto, ("route",)):
                    self._routes[self._seqs[bisect_right(self._seqs, row.seq) - 1]] = row
                self._routed = upto
            self._pages.version = max(self._pages.version, upto)
            return StepRows(self._pages, self._seqs, bisect_right(self._seqs, upto), self._routes)

    def step_row(self, step: int, completed: int, upto: int) -> Row:
        """Read the row of a step, as ``steps`` has it, without finding all the others.

        Args:
            step: The step.
            completed: How many steps there are.
            upto: The sequence number of the run's last row.
        """
        row = self.row(self.seq_of(step))
        end = self.seq_of(step + 1) if step < completed else upto
        routes = self.store.rows(self.run_id, row.seq, end, ("route",))
        return rerouted(row, routes[-1]) if routes else row

    def _all_steps(self, upto: int) -> list[Row]:
        """Read the step rows up to a sequence number, as they were written, and keep them for all outputs."""
        with self._reading:
            if upto > self._read:
                self._steps += self.store.rows(self.run_id, self._read, upto, ("step",))
                self._read = upto
            return self._steps[: bisect_right(self._steps, upto, key=lambda row: row.seq)]

    def last_steps(self, count: int, upto: int) -> list[Row]:
        """Read the last step rows up to a sequence number, as ``steps`` has them."""
        seqs = sorted(seq for seqs in self.visited.values() for seq in seqs if seq <= upto)[-count:]
        rows: list[Row] = []
        for row in self.store.rows(self.run_id, seqs[0] - 1, upto, ("step", "route")) if seqs else ():
            if row.kind == "step":
                rows.append(row)
            else:
                rows[-1] = rerouted(rows[-1], row)
        return rows

    def of_visit(self, step: int, upto: int, kinds: Sequence[RowKind] = UNFINISHED) -> list[Row]:
        """Read the rows of a step's visit before it completed, oldest first.

        Args:
            step: The step.
            upto: The sequence number of the last row that counts.
            kinds: Which of them; its pauses and its failures when not given.
        """
        # They come after the start row and all earlier steps.
        back = rows_backwards(self.store, self.run_id, upto, ("step", *kinds), after=step)
        own = takewhile(lambda row: row.kind != "step", back)
        return [row for row in own if row.step == step][::-1]

    def row(self, seq: int) -> Row:
        """Read the row of a sequence number."""
        return self.store.rows(self.run_id, seq - 1, seq)[0]

    def values(self, seq: int) -> dict[str, Json]:
        """Rebuild the state after a row, as copies."""
        return self.store.values(self.run_id, seq)

    def output(self, row: Row) -> str:
        """Return what the node of a step row put out."""
        if row.output is not None:
            return row.output
        return dumps(self.updates(row))

    def updates(self, row: Row) -> dict[str, Json]:
        """Return copies of a row's updates as its node returned them."""
        keys = self.plan.append_keys
        return returned_updates(row, self.values(row.seq) if is_partial(row, keys) else {}, keys)

    def output_of_visit(self, node: str, visit: int) -> str:
        """Return what the node put out on a visit, counted from 1."""
        return self.output(self.row(self.visited[node][visit - 1]))

    def last_output(self, upto: int) -> str:
        """Return what the last node put out, up to a sequence number; empty before the first step."""
        steps = (seqs[index - 1] for seqs in self.visited.values() if (index := bisect_right(seqs, upto)))
        last = max(steps, default=0)
        return self.output(self.row(last)) if last else ""

    def outputs(self, upto: int | None = None) -> dict[str, list[str]]:
        """Collect what each node put out, visit by visit."""
        if upto is None:
            upto = max((seqs[-1] for seqs in self.visited.values()), default=0)
        steps = self._all_steps(upto)
        append_keys = self.plan.append_keys
        if any(row.output is None and is_partial(row, append_keys) for row in steps):
            return self._outputs_from_the_start(upto)
        found: dict[str, list[str]] = {}
        for row in steps:
            found.setdefault(row.node or "", []).append(self.output(row))
        return found

    def _outputs_from_the_start(self, upto: int) -> dict[str, list[str]]:
        """Collect the outputs of a run whose rows keep some updates in part, in one pass."""
        found: dict[str, list[str]] = {}
        values: dict[str, Json] = {}
        for row in replaying(values, self.store.rows(self.run_id, upto=upto)):
            if row.kind == "step":
                output = returned_output(row, values, self.plan.append_keys)
                found.setdefault(row.node or "", []).append(output)
        return found

    def edges_at(self, row: Row) -> tuple[Edge, ...]:
        """Find the edges that a step's row was routed by, also when the graph was changed since."""
        if self._edges_before is None:
            adoptions = self.store.rows(self.run_id, kinds=("adopt",))
            self._edges_before = [
                (adoption.seq, self._stored_edges(str((adoption.data or {}).get("from"))))
                for adoption in adoptions
            ]
        for seq, edges in self._edges_before:
            if routed_at(row) < seq:
                return edges.get(row.node or "", ())
        node = row.node or ""
        return self.plan.edges_from(node) if node in self.plan.nodes else ()  # a store may be damaged

    def _stored_edges(self, definition: str) -> dict[str, tuple[Edge, ...]]:
        from ..documents.loader import from_document

        edges: dict[str, tuple[Edge, ...]] = {}
        for edge in from_document(json.loads(self.store.definition(definition))).plan().edges:
            edges[edge.source] = (*edges.get(edge.source, ()), edge)
        return edges


class StepRows(Paged[Row]):
    """The step rows of a run; a later routing of a step is merged into its row.

    Args:
        rows: The ledger.
        seqs: The row of each step, and perhaps of later ones.
        count: How many of them count.
        routes: The later routings, by the step's row.
    """

    def __init__(
        self, rows: Sequence[Row], seqs: Sequence[int], count: int, routes: Mapping[int, Row]
    ) -> None:
        self._rows, self._seqs, self._count, self._routes = rows, seqs, count, routes

    def __len__(self) -> int:
        return self._count

    def item(self, index: int) -> Row:
        """Read the row of a step."""
        seq = self._seqs[index]
        row, route = self._rows[seq - 1], self._routes.get(seq)
        return row if route is None else rerouted(row, route)


def routed_at(row: Row) -> int:
    """Find the row in whose state a step's edges were tried: its own, unless they were tried again later."""
    routed = row.seq if row.data is None else row.data.get("routed", row.seq)
    assert isinstance(routed, int)  # noqa: S101  # a sequence number
    return routed


def rerouted(step: Row, route: Row) -> Row:
    """Merge the result of a later routing into a step's row."""
    return Row(
        step.seq,
        "step",
        step.step,
        step.node,
        step.visit,
        step.at,
        step.duration,
        step.updates,
        step.ops,
        step.output,
        route.next,
        route.edge,
        route.error,
        data={**(step.data or {}), "routed": route.seq},
    )


_KEEPS_WAITING: frozenset[RowKind] = frozenset({"vote", "escalation", "adopt", "extend", "mode"})
WITHOUT_STEPS: tuple[RowKind, ...] = tuple(
    kind for kind in get_args(RowKind) if kind not in {"start", "step", "route"}
)
"""The rows that a timeline must take to know how long a run waited."""


class Timeline:
    """Looks at work and waiting, row by row, in the order of the ledger.

    A question waits until it is decided, or until anything else happens that answers or withdraws it.

    Args:
        rows: The first rows.
    """

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.waits: dict[int, float] = {}
        """The seconds that each step waited for a person, by its number; those that waited only."""
        self.longest_work = 0.0
        """The most seconds that a completed step worked."""
        self.longest_wait = 0.0
        """The most seconds that a step waited for a person."""
        self.asked: float | None = None
        """Since when a question waits, in seconds since 1970; None while none does."""
        self._step, self._waited = 0, 0.0
        for row in rows:
            self.take(row)

    def take(self, row: Row) -> None:
        """Process the next row."""
        if row.kind == "step":
            self.longest_work = max(self.longest_work, row.duration)
        if self.asked is not None and row.kind not in _KEEPS_WAITING:
            waited = max(0.0, row.at - self.asked)
            self._waited += waited
            self.waits[self._step] = self.waits.get(self._step, 0.0) + waited
            self.longest_wait = max(self.longest_wait, self.waits[self._step])
            self.asked = None
        if row.kind == "review":
            self.asked, self._step = row.at + row.duration, row.step

    def waiting(self, now: float | None = None) -> float:
        """Add up the seconds of waiting, for a person or a time.

        Args:
            now: The time, in seconds since 1970: a question that waits still counts up to it; not at all
                when None.
        """
        open_for = 0.0 if now is None or self.asked is None else max(0.0, now - self.asked)
        return self._waited + open_for
