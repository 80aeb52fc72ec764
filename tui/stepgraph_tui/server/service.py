"""What the server does, without HTTP: starting, resuming, reading and deciding over one store."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from stepgraph.files import grant, is_trusted
from stepgraph.graphs import END
from stepgraph.reviews import Decision, Review, Reviews, urgency
from stepgraph.runs import (
    Executor,
    History,
    Mask,
    StepRecord,
    error_from_json,
    not_ready,
    undeclared,
    view_run,
    waypoint,
)
from stepgraph.stores import RunStatus
from stepgraph.values import Conflict, StateError, StepgraphError, UnknownReview, did_you_mean
from stepgraph_tui.text.inbox import InboxReader, ReviewState
from stepgraph_tui.text.run_list import UNKNOWN
from stepgraph_tui.view.errors import ErrorStory
from stepgraph_tui.view.reviews import RunMasks, in_list, masked
from stepgraph_tui.view.runs import RunStory, StepStory

from .bodies import (
    DamageAnswer,
    ExecutionAnswer,
    ReviewAnswer,
    ReviewDetails,
    ReviewList,
    StatusEvent,
    StepEvent,
    execution_answer,
    first_few,
    review_answer,
    review_details,
    status_event,
    step_event,
)
from .guard import RequestRefused
from .review_page import OpenReview

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.stores import StateStore
    from stepgraph.values import Json

    from .driver import RunDriver

PAGE = 100
"""How many rows of a ledger are sent at once."""
SOURCE = "rest"


@dataclass(frozen=True, slots=True)
class Going:
    """A run that goes on: wait for the future as long as you like, then read where the run stands."""

    run_id: str
    future: Future[None]


@dataclass(frozen=True, slots=True)
class News:
    """What has happened in a run since a step."""

    steps: list[StepEvent]
    row: int
    """The last row of the ledger that they cover."""
    more: bool
    """Whether there are further rows already."""
    status: StatusEvent
    version: int


class Service:
    """Starts, drives, reads and decides runs of some graphs over one store.

    Args:
        store: Where the runs live.
        graphs: The graphs that can be started, by name.
        driver: Who drives the runs.
        any_start: Whether clients may choose the node to start with.
        live: Whether the runs that clients start ask models.
        now: The time, in seconds since 1970; see ``Reviews``.
    """

    def __init__(
        self,
        store: StateStore,
        graphs: Mapping[str, CompiledGraph],
        driver: RunDriver,
        *,
        any_start: bool = False,
        live: bool = False,
        now: Callable[[], float] | None = None,
    ) -> None:
        self.store = store
        self.graphs = graphs
        self.driver = driver
        self._any_start, self._live = any_start, live
        self._reviews, self._masks, self._now = Reviews(store, now), RunMasks(store), now
        self._timed: set[str] = set()

    # Executions

    def start(
        self,
        graph: str,
        values: Mapping[str, Json],
        *,
        run_id: str | None = None,
        start_node: str | None = None,
        by: str = "",
    ) -> Going:
        """Start a run, and have it go on.

        Args:
            graph: The name of one of the graphs.
            values: The inputs.
            run_id: Its id; a new one when None.
            start_node: The node to begin with; the graph's own when None.
            by: Who starts it.

        Raises:
            RequestRefused: There is no such graph, or it cannot be started there.
            StateError: Inputs are missing or refused, each by name.
            RunExists: There is a run of that id.
            TrustError: Its code has changed since it was trusted.
        """
        found = self.graphs.get(graph)
        if found is None:
            hint = did_you_mean(graph, self.graphs, listing="there are")
            raise RequestRefused(404, f"there is no graph {graph[:200]!r} here", hint)
        app = found if start_node in (None, found.start) else self._started_at(found, str(start_node))
        self.driver.refuse_if_full()
        with _masking(lambda: [Mask(app, dict(values))]):
            _refuse_undeclared(app, values)
            run = Executor(app, self.store, live=self._live).start(values, run_id, by=by)
        return Going(run.id, self.driver.drive(run.id))

    def _started_at(self, app: CompiledGraph, node: str) -> CompiledGraph:
        """Return the same graph with another start.

        It is what the run then goes by, so whoever looks at it later sees where it began.
        """
        if node not in app.nodes:
            hint = did_you_mean(node, app.nodes, listing="it has")
            raise RequestRefused(400, f"graph {app.name!r} has no node {node[:200]!r}", hint)
        if not self._any_start:
            raise RequestRefused(
                400,
                f"graph {app.name!r} starts at {app.start!r}, and this server starts it nowhere else",
                "leave startNodeId out, or serve with --any-start",
            )
        if app.is_of_module:  # the run would go by a graph that the module does not make
            raise RequestRefused(
                400,
                f"graph {app.name!r} is Python, and starts where its module says: at {app.start!r}",
                "leave startNodeId out",
            )
        gate = gate_before(app, node)
        if gate is not None:
            raise RequestRefused(
                400,
                f"graph {app.name!r} cannot be started at {node!r}: a person is asked before, at {gate!r}",
                "start it before that node",
            )
        moved = replace(app, settings=replace(app.settings, start=node))
        if is_trusted(app) and not is_trusted(moved):
            grant(moved)  # the very same code, from another node on
        return moved

    def resume(self, run_id: str, decision: Decision | None, review_id: str = "", seen: str = "") -> Going:
        """Decide the review that a run waits for, or carry on a run that is ready.

        Args:
            run_id: The run.
            decision: The decision; None to carry on.
            review_id: The review.
            seen: The hash of what was looked at.

        Raises:
            UnknownRun: There is no such run.
            NotReady: It waits for a decision, has ended or has failed.
            Conflict: It goes on elsewhere.
            StepgraphError: The decision was refused; see ``Reviews.decide``. Or the run cannot go on here.
        """
        stored = self.store.load(run_id)
        if decision is None:
            if self.driver.drives(run_id):
                raise Conflict(f"run {run_id!r} is already running", hint="read it until it pauses or ends")
            if stored.pointer.status is not RunStatus.READY:
                raise not_ready(view_run(self.store, stored), "resume")
        elif self._reviews.get(review_id).run_id != run_id:
            raise UnknownReview(
                f"review {review_id!r} does not belong to execution {run_id!r}",
                hint="the execution's answer has the review that it waits for",
            )
        self.driver.refuse_if_full()
        self.driver.check(stored)  # else it would be decided, and stay where it is
        if decision is not None:
            self._decide(review_id, decision, seen)
        return Going(run_id, self.driver.drive(run_id))

    def read(self, run_id: str) -> ExecutionAnswer:
        """Read where a run stands.

        Raises:
            UnknownRun: There is no such run.
        """
        self._reviews.settle(run_id)
        stored = self.store.load(run_id)
        run = view_run(self.store, stored, self._masks.plan(stored))
        story = RunStory(run, self._masks.of(stored))
        return execution_answer(story, running=self.driver.drives(run_id))

    def version(self, run_id: str) -> int:
        """Find the version of a run: it changes with everything that happens to it.

        Raises:
            UnknownRun: There is no such run.
        """
        return self.store.load(run_id).pointer.version

    def news(self, run_id: str, after: int, row: int = 0) -> News:
        """Read the steps after one, those of a page of the ledger at most, and where the run stands.

        It reads what is new, and neither the state nor what came before.

        Args:
            run_id: The run.
            after: The last step that was sent.
            row: The last row of the ledger that was sent; it is looked for when 0.

        Raises:
            UnknownRun: There is no such run.
        """
        stored = self.store.load(run_id)
        pointer, review = stored.pointer, None
        if pointer.status is RunStatus.PAUSED and pointer.review is not None:
            review, found = self._reviews.read(pointer.review)
            stored = found.run  # the mask is to hide what the review has in it by now
        plan, mask = self._masks.plan(stored), self._masks.of(stored)
        history = History(self.store, run_id, plan)
        begin = row or (history.seq_of(after) if after <= pointer.step else pointer.version)
        last = pointer.step, pointer.version
        end = min(begin + PAGE, pointer.version)
        rows = (each for each in self.store.rows(run_id, begin, end, ("step",)) if each.step > after)
        # What failed to find its way may have been routed again, behind this page.
        final = (each if each.error is None else history.step_row(each.step, *last) for each in rows)
        steps = [step_event(StepStory(StepRecord(each, history), mask)) for each in final]
        error = None if pointer.error is None else ErrorStory.of(error_from_json(pointer.error), mask)
        status = status_event(pointer, error, None if review is None else masked(review, mask))
        return News(steps, end, end < pointer.version, status, pointer.version)

    # Reviews

    def reviews(self, state: ReviewState = "pending") -> ReviewList:
        """List the reviews of a state, and what is broken beside them.

        Args:
            state: Those that wait for a person, the most urgent first; or the latest that were decided, that
                expired, or that are broken.
        """
        lists = InboxReader(self.store, self._now, self._masks).read(past=state != "pending")
        found = [in_list(each) for each in lists.of(state)]
        if state == "pending":
            found.sort(key=urgency)
        answers = [review_answer(review) for review in found]
        damaged = [
            DamageAnswer(execution_id=None if each.run_id == UNKNOWN else each.run_id, message=each.why)
            for each in lists.broken
        ]
        return ReviewList(reviews=answers, damaged=damaged)

    def review(self, review_id: str) -> ReviewDetails:
        """Describe all of a review, and where each answer leads.

        Raises:
            UnknownReview: There is none of that id.
        """
        view = self.view(review_id)
        return review_details(view)

    def settle(self) -> float:
        """Apply the rules of deadlines that have passed, and carry on the runs that can go on here.

        Returns:
            When the next deadline passes or the next review is escalated, in seconds since 1970.
        """
        ended = {review.id for review in self._reviews.expire()}
        waiting = self._reviews.pending()
        timed = {review.id for review in waiting if review.deadline is not None}
        for review_id in ended | (self._timed - timed):  # whoever looked at one has applied its rule
            with suppress(RequestRefused, StepgraphError):  # then somebody else goes on with it, or nobody
                self._carry_on_expired(review_id)
        self._timed = timed
        moments = (
            moment
            for review in waiting
            for moment in (review.deadline, None if review.escalated else review.escalates_at)
        )
        return min((moment for moment in moments if moment is not None), default=math.inf)

    def _carry_on_expired(self, review_id: str) -> None:
        review, (stored, _) = self._reviews.read(review_id)
        ready = stored.pointer.status is RunStatus.READY and stored.pointer.review == review_id
        if ready and review.status == "expired":
            self.driver.check(stored)
            self.driver.drive(review.run_id)

    def view(self, review_id: str) -> OpenReview:
        """Read a review with its run, for a page.

        Raises:
            UnknownReview: There is none of that id.
        """
        self._reviews.get(review_id)  # which applies what is overdue
        review, found = self._reviews.read(review_id)
        run = view_run(self.store, found.run, self._masks.plan(found.run))
        return OpenReview(review, run, self._masks.of(found.run), self.driver.drives(run.id))

    def decide_and_go_on(self, review_id: str, decision: Decision, seen: str) -> Going | None:
        """Record a decision, and have its run go on where that is possible here.

        Returns:
            The run that goes on; None where it cannot do so here, and waits for somebody else.

        Raises:
            StepgraphError: The decision was refused; see ``Reviews.decide``.
        """
        run_id = self._decide(review_id, decision, seen).run_id
        try:
            self.driver.refuse_if_full()
            self.driver.check(self.store.load(run_id))
        except (RequestRefused, StepgraphError):
            return None
        return Going(run_id, self.driver.drive(run_id))

    def decide(self, review_id: str, decision: Decision, seen: str) -> ReviewAnswer:
        """Record a decision; nothing runs.

        Args:
            review_id: The review.
            decision: The decision.
            seen: The hash of what was looked at.

        Raises:
            StepgraphError: It was refused; see ``Reviews.decide``.
        """
        decided = self._decide(review_id, decision, seen)
        return review_answer(self._masks.masked(decided))

    def _decide(self, review_id: str, decision: Decision, seen: str) -> Review:
        def masks() -> list[Mask]:
            stored = self._reviews.read(review_id)[1].run
            sent = ({path.split(".")[0]: value} for path, value in decision.values.items())
            return [self._masks.of(stored), Mask(self._masks.plan(stored), *sent)]

        with _masking(masks):
            return self._reviews.decide(review_id, replace(decision, source=SOURCE), expect_hash=seen)


def gate_before(app: CompiledGraph, node: str) -> str | None:
    """Find a node that asks a person and from which a way leads to this one; None for none."""
    behind: dict[str, list[str]] = {}
    for edge in app.edges:
        if edge.target != END:
            behind.setdefault(edge.target, []).append(edge.source)
    seen, front = {node}, [node]
    while front:
        for source in behind.get(front.pop(), []):
            if _asks(app, source):
                return source
            if source not in seen:
                seen.add(source)
                front.append(source)
    return None


def _asks(app: CompiledGraph, node: str) -> bool:
    gate = app.nodes[node].gate(app.settings.review)
    return gate in ("after", "last") or waypoint(app, node).asks


def _refuse_undeclared(app: CompiledGraph, values: Mapping[str, Json]) -> None:
    """Refuse a key that nobody would see to be a slip.

    Raises:
        StateError: There are such keys; each is named.
    """
    unknown = undeclared(app, values)
    if unknown:
        wrong = first_few(f"the input {name[:200]!r} is not declared" for name in unknown)
        raise StateError(wrong, hint=did_you_mean(unknown[0], app.keys, listing="declared"))


@contextmanager
def _masking(masks: Callable[[], list[Mask]]) -> Iterator[None]:
    """Hide secrets in errors, also what a client has just sent as the value of a secret key.

    Args:
        masks: Makes the masks, which only an error needs.
    """
    try:
        yield
    except UnknownReview:  # of no run
        raise
    except StepgraphError as error:
        for mask in masks():
            error.message, error.hint = mask.text(error.message), mask.text(error.hint)
        raise
