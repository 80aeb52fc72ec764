"""Runs of a graph that is on the screen and nowhere on disk: trusted as it is, stored, gone on with later."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from stepgraph import Decision, DefinitionChanged, Executor, SqliteStore, TrustError
from stepgraph.documents.loader import GraphRebuilder
from stepgraph.editing import Design, Edit
from stepgraph.editing.edges import EditEdge
from stepgraph.editing.parts import EditPart
from stepgraph.editing.text import read_design
from stepgraph.files import examples_dir, grant, is_trusted, read_graph
from stepgraph.graphs.plan import CompiledGraph
from stepgraph.reviews.inbox import Reviews
from stepgraph.runs.views import runnable_plan
from stepgraph.stores.ledger import RunStatus
from stepgraph_tui.worker import Decide, Decided, Go, Start, Step
from tests.app.hearing import Hearing, status_of
from tests.cli.calling import COUNT

WORK = "def work(state):\n    return {'count': state['count'] + 1}\n"
ASK = """
format = 1
name = "ask"
start = "ask"

[nodes.ask]
type = "approval"
prompt = "Go on?"

[nodes.score]
type = "router"
key = "n"
threshold = 3
high = "much"
low = "little"

[state.n]
default = 5

[[edges]]
from = "ask"
to = "score"

[[edges]]
from = "score"
to = "END"
"""
ONCE_MORE = EditEdge(0, {"from": "work", "to": "work", "when": "count < 5", "label": "again"})
"""An edit that makes a run two steps longer."""


class Desk:
    """A folder, a store in it, and the stepping threads of one process after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._open: list[Hearing] = []

    @property
    def path(self) -> Path:
        return self.folder / "graph.toml"

    def store(self) -> SqliteStore:
        return SqliteStore(self.folder / "runs.db")

    def process(self) -> Hearing:
        """Another process: it knows nothing but the store and the disk."""
        hearing = Hearing(self.store)
        self._open.append(hearing)
        return hearing

    def close(self) -> None:
        for hearing in self._open:
            hearing.thread.close()

    def on_screen(self, text: str, *edits: Edit) -> CompiledGraph:
        """The graph of a design with edits, as the workbench compiles it."""
        design: Design = read_design(text, str(self.path))
        for edit in edits:
            design = edit.apply(design).design
        return GraphRebuilder().build(design.document(), self.path).compile()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    (tmp_path / "work.py").write_text(WORK, encoding="utf-8")
    desk = Desk(tmp_path)
    yield desk
    desk.close()


@pytest.mark.parametrize("path", sorted(examples_dir().glob("*.toml")), ids=lambda path: path.stem)
def test_a_design_is_the_graph_of_its_file(path: Path) -> None:
    design = read_design(path.read_text(encoding="utf-8"), str(path))
    built, read = GraphRebuilder().build(design.document(), path).compile(), read_graph(path).compile()
    assert built.definition == read.definition
    assert built.definition_hash == read.definition_hash
    assert is_trusted(built)


def test_a_run_goes_by_what_was_on_the_screen(desk: Desk) -> None:
    desk.path.write_text(COUNT, encoding="utf-8")
    app = desk.on_screen(COUNT, ONCE_MORE)
    grant(app)
    hearing = desk.process()
    assert hearing.done(Start(app, {}, "r-1")) == "done"
    assert hearing.done(Go("r-1")) == "ended"
    with desk.store() as store:
        assert status_of(store, "r-1")[1] == 5
    assert desk.path.read_text(encoding="utf-8") == COUNT


def test_another_process_goes_on_with_it_from_the_store_alone(desk: Desk) -> None:
    app = desk.on_screen(COUNT, ONCE_MORE)  # there is no file at all
    grant(app)
    first = desk.process()
    first.done(Start(app, {}, "r-1"))
    first.done(Step("r-1"))
    first.thread.close()
    second = desk.process()
    assert second.done(Step("r-1")) == "done"
    assert second.done(Go("r-1")) == "ended"
    with desk.store() as store:
        assert status_of(store, "r-1") == (RunStatus.ENDED, 5, None)
        assert runnable_plan(store, store.load("r-1")).definition_hash == app.definition_hash


def test_an_edited_file_does_not_reach_a_run_that_has_begun(desk: Desk) -> None:
    desk.path.write_text(COUNT, encoding="utf-8")
    app = desk.on_screen(COUNT)
    grant(app)
    hearing = desk.process()
    hearing.done(Start(app, {}, "r-1"))
    hearing.done(Step("r-1"))
    longer = desk.on_screen(COUNT, ONCE_MORE)
    grant(longer)
    desk.path.write_text(COUNT.replace("count < 3", "count < 5"), encoding="utf-8")
    assert hearing.done(Go("r-1")) == "ended"
    hearing.done(Start(longer, {}, "r-2"))
    assert hearing.done(Go("r-2")) == "ended"
    with desk.store() as store:
        assert [status_of(store, run)[1] for run in ("r-1", "r-2")] == [3, 5]


def test_trust_is_in_what_is_on_the_screen(desk: Desk) -> None:
    desk.path.write_text(COUNT, encoding="utf-8")
    grant(read_graph(desk.path))
    hearing = desk.process()
    assert hearing.done(Start(desk.on_screen(COUNT), {}, "r-1")) == "done"
    other = desk.on_screen(
        COUNT, EditPart("nodes", "work", "work", {"type": "handler", "handler": "work:other"})
    )
    assert isinstance(hearing.refused(Start(other, {}, "r-2")), TrustError)
    longer = desk.on_screen(COUNT, ONCE_MORE)
    assert isinstance(hearing.refused(Start(longer, {}, "r-2")), TrustError)
    grant(longer)
    assert hearing.done(Start(longer, {}, "r-2")) == "done"
    assert not is_trusted(other)


def test_another_process_asks_anew_where_the_code_has_changed(desk: Desk) -> None:
    app = desk.on_screen(COUNT, ONCE_MORE)
    grant(app)
    first = desk.process()
    first.done(Start(app, {}, "r-1"))
    (desk.folder / "work.py").write_text(WORK + "\nHARM = 1\n", encoding="utf-8")
    second = desk.process()
    assert isinstance(second.refused(Step("r-1")), TrustError)
    with desk.store() as store:
        grant(runnable_plan(store, store.load("r-1")))
    assert second.done(Go("r-1")) == "ended"


def test_a_shipped_example_that_was_edited_is_no_shipped_example() -> None:
    path = examples_dir() / "refund_triage.toml"
    text = path.read_text(encoding="utf-8")
    assert is_trusted(GraphRebuilder().build(read_design(text, str(path)).document(), path).compile())
    design = read_design(text.replace("refund_tools:", "os:", 1), str(path))
    assert not is_trusted(GraphRebuilder().build(design.document(), path))


def test_a_review_of_it_is_decided_and_gone_on_with_elsewhere(desk: Desk) -> None:
    app = desk.on_screen(ASK)
    first = desk.process()
    first.done(Start(app, {}, "r-1"))
    assert first.done(Go("r-1")) == "paused"
    second = desk.process()
    with desk.store() as store:
        (review,) = Reviews(store).pending()
    decided = second.do(Decide("r-1", review.id, Decision.approve(by="ana"), review.hash))
    assert isinstance(decided, Decided)
    assert second.done(Go("r-1")) == "ended"
    with desk.store() as store:
        assert store.values("r-1", store.load("r-1").pointer.version)["route"] == "much"


def test_the_library_goes_on_with_it_by_an_equal_graph_alone(desk: Desk) -> None:
    desk.path.write_text(ASK, encoding="utf-8")
    edit = EditPart(
        "nodes", "score", "score", {"type": "router", "key": "n", "threshold": 9, "high": "h", "low": "l"}
    )
    app = desk.on_screen(ASK, edit)
    with desk.store() as store:
        run = Executor(app, store).start({}, "r-1")
        run = Executor(app, store).run(run)
        assert run.pending is not None
        with pytest.raises(DefinitionChanged, match="score"):
            Executor(read_graph(desk.path).compile(), store).load("r-1")
        again = Executor(desk.on_screen(ASK, edit), store)
        assert again.resume("r-1", Decision.approve(by="ana")).values["route"] == "l"


def test_a_folder_that_is_gone_leaves_the_run_readable_and_says_what_is_missing(desk: Desk) -> None:
    app = desk.on_screen(COUNT, ONCE_MORE)
    grant(app)
    hearing = desk.process()
    hearing.done(Start(app, {}, "r-1"))
    shutil.move(desk.folder / "work.py", desk.folder / "moved.py")
    second = desk.process()
    assert isinstance(second.refused(Step("r-1")), TrustError)
    with desk.store() as store:
        assert status_of(store, "r-1")[1] == 0
