"""Masks that grow with a run: a look reads what is new, and what was lost or replaced is read again."""

from __future__ import annotations

from stepgraph import END, MemoryStore, StateGraph
from stepgraph.graphs.plan import CompiledGraph
from stepgraph.runs.masks import MASK, GrowingMask
from stepgraph.stores.ledger import Row
from tests.stores.building import step_row


class CountedStore(MemoryStore):
    """A run's rows, and how many of them were read."""

    def __init__(self, *tokens: str) -> None:
        super().__init__()
        self.written = tokens
        self.read = 0

    def rows(
        self,
        run_id: str,
        after: int = 0,
        upto: int | None = None,
        kinds: object = None,
        with_data: bool = False,
    ) -> list[Row]:
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
