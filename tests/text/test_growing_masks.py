"""Masks that grow with a run: a look reads what is new, and what was lost or replaced is read again."""

from __future__ import annotations

from stepgraph import END, Executor, MemoryStore, StateGraph
from stepgraph.graphs.plan import CompiledGraph
from stepgraph.runs.masks import MASK, GrowingMask
from stepgraph.stores.ledger import Row
from stepgraph_tui.view.reviews import RunMasks
from tests.stores.building import step_row


class CountedStore(MemoryStore):
    """A run's rows, and how many of them were read."""

    def __init__(self, *tokens: str) -> None:
        super().__init__()
        self.written = tokens
        self.read = 0

    def rows(self, run_id: str, after: int = 0, upto: int | None = None, kinds: object = None) -> list[Row]:
        told = [step_row(seq, {"token": token}) for seq, token in enumerate(self.written, 1)][after:upto]
        self.read += len(told)
        return told


def app(*secret: str) -> CompiledGraph:
    graph = StateGraph("one", start="work")
    graph.add_node("work", lambda state: {})
    graph.add_edge("work", END)
    for key in secret:
        graph.add_key(key, secret=True)
    return graph.compile()


def test_a_look_reads_the_rows_that_are_new() -> None:
    store, plan = CountedStore("first-token", "second-token", "third-token"), app("token")
    mask = GrowingMask(store, "r-1")
    for version, read in ((2, 2), (2, 2), (3, 3)):
        mask.at(plan, version)
        assert store.read == read
    assert mask.at(plan, 3).text("first-token, third-token") == f"{MASK}, {MASK}"
    assert GrowingMask(store, "r-1").at(app(), 3).text("first-token") == "first-token"
    assert store.read == 3


def test_what_a_store_has_in_place_of_lost_rows_is_hidden_as_well() -> None:
    store, plan = CountedStore("first-token", "second-token", "third-token"), app("token")
    mask = GrowingMask(store, "r-1")
    mask.at(plan, 3)
    store.written = ("first-token", "other-token", "another-token")
    mask.at(plan, 1)
    assert mask.at(plan, 3).text("other-token another-token third-token") == f"{MASK} {MASK} {MASK}"


def test_a_graph_with_other_secrets_is_read_from_the_beginning() -> None:
    store = CountedStore("first-token", "second-token")
    mask = GrowingMask(store, "r-1")
    assert mask.at(app("elsewhere"), 2).text("first-token") == "first-token"
    assert mask.at(app("elsewhere", "token"), 2).text("first-token") == MASK


def test_another_run_of_the_same_id_is_another_run() -> None:

    plan = app("token")
    with MemoryStore() as store:
        masks = RunMasks(store)
        for token in ("first-token", "second-token"):
            run = Executor(plan, store).start({"token": token}, "r-1")
            assert masks.of(store.load("r-1")).text(token) == MASK
            store.delete_runs({"r-1": run.version})
