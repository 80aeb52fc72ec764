"""Results that raise or lie while they are read: each is its node's failure, or what it really is."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Any

import pytest

from stepgraph import END, Executor, NodeResult, ReviewRequest, RunStatus, State, StateGraph, StateStore
from stepgraph.values import json_values


class Raising(dict[str, Any]):
    def __init__(self, error: BaseException) -> None:
        super().__init__(a=1)
        self.error = error

    def items(self) -> Any:
        raise self.error


class Endless(dict[str, Any]):
    def items(self) -> Any:
        return (("a", 1) for _ in itertools.count())


class Posing:
    """An object that says it is a boolean."""

    @property
    def __class__(self) -> type:
        return bool

    @__class__.setter
    def __class__(self, kind: object) -> None: ...


class Shouting(str):
    __slots__ = ()

    def __str__(self) -> str:
        raise SystemExit("shouting")

    def encode(self, *_: object) -> bytes:
        return b"something else"


class Lying(list[int]):
    def __iter__(self) -> Iterator[int]:
        raise SystemExit("lying")


class Changing(int):
    def __int__(self) -> int:
        return 99


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise SystemExit("no words")


class Shapeless:
    def __repr__(self) -> str:
        raise SystemExit("no shape")


class Turning(str):
    """A status that says something else each time."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return next(_TURNS) % 2 == 0

    __hash__ = str.__hash__


_TURNS = itertools.count()


def raising(error: BaseException) -> Callable[[State], Any]:
    def node(state: State) -> Any:
        raise error

    return node


def stepped(store: StateStore, node: Callable[[State], Any]) -> Any:
    graph = StateGraph("hostile", start="work")
    graph.add_node("work", node)
    graph.add_edge("work", END)
    return after_a_step(store, graph)


def after_a_step(store: StateStore, graph: StateGraph) -> Any:
    executor = Executor(graph.compile(), store)
    run = executor.start({}, "r-1")
    executor.step(run)
    return run


@pytest.mark.parametrize(
    ("node", "words"),
    [
        (lambda state: Raising(ValueError("boo")), "cannot be read on visit 1: it raised ValueError: boo"),
        (lambda state: Raising(SystemExit("boo")), "it raised SystemExit: boo"),
        (lambda state: Raising(KeyboardInterrupt()), "it raised KeyboardInterrupt"),
        (
            lambda state: {"x": [Raising(RuntimeError("changed size"))]},
            "it raised RuntimeError: changed size",
        ),
        (lambda state: {"x": Posing()}, r'state\["x"\] is a Posing'),
        (lambda state: Posing(), "returned Posing"),
        (lambda state: Shapeless(), "returned Shapeless <Shapeless that cannot be shown>"),
        (lambda state: NodeResult(status=Shapeless()), "the status <Shapeless that cannot"),  # type: ignore[arg-type]
        (lambda state: NodeResult.failed(Shapeless()), "failed on visit 1: <Shapeless that"),  # type: ignore[arg-type]
        (lambda state: NodeResult(Raising(SystemExit("boo"))), "it raised SystemExit: boo"),
        (lambda state: NodeResult.pause(ReviewRequest(Posing())), "the review's prompt has"),  # type: ignore[arg-type]
        (raising(Unspeakable()), "raised Unspeakable on visit 1"),
        (raising(KeyError(Shapeless())), "raised KeyError on visit 1"),
    ],
)
def test_what_a_result_raises_while_it_is_read_is_a_failed_attempt(
    store: StateStore, node: Callable[[State], Any], words: str
) -> None:
    run = stepped(store, node)
    assert (run.status, run.step, run.values) == (RunStatus.FAILED, 0, {})
    with pytest.raises(type(run.error), match=words):
        run.raise_for_status()
    row = store.rows("r-1")[1]
    assert row.kind == "attempt"
    assert row.error is not None
    assert row.error["message"] == run.error.message


def test_a_subclass_is_stored_as_what_it_is(store: StateStore) -> None:
    run = stepped(store, lambda state: {"t": Shouting("text"), "l": Lying([1, 2]), "n": Changing(3)})
    assert run.values == store.values("r-1", 2) == {"t": "text", "l": [1, 2], "n": 3}
    assert [type(value) for value in run.values.values()] == [str, list, int]


def test_a_status_is_read_once(store: StateStore) -> None:
    run = stepped(store, lambda state: NodeResult({"n": 1}, status=Turning("success")))  # type: ignore[arg-type]
    assert (run.status, run.values) == (RunStatus.ENDED, {"n": 1})


def test_a_question_is_stored_as_what_it_is(store: StateStore) -> None:
    asked = ReviewRequest(Shouting("Go on?"), show=Lying(), risk=Shouting("low"))  # type: ignore[arg-type]
    run = stepped(store, lambda state: NodeResult.pause(asked))
    assert run.pending.request.to_json() == ReviewRequest("Go on?", risk="low").to_json()


@pytest.mark.parametrize("make", [lambda: doubled(40), Endless, lambda: {"x": Endless()}])
def test_a_small_value_with_endless_parts_is_refused(
    store: StateStore, monkeypatch: pytest.MonkeyPatch, make: Callable[[], Any]
) -> None:
    monkeypatch.setattr(json_values, "MAX_PARTS", 1_000)
    run = stepped(store, lambda state: make())
    assert run.status is RunStatus.FAILED
    assert "has more than 1,000 parts" in run.error.message


def doubled(times: int) -> dict[str, Any]:
    """A few bytes that are a trillion values when they are written out."""
    value: list[Any] = [1]
    for _ in range(times):
        value = [value, value]
    return {"x": value}


# Names that are no plain text


class Field(StrEnum):
    """Names of state keys, as many programs have them."""

    AMOUNT = "amount"
    ITEMS = "items"


class Elsewhere(str):
    """Hashes as no text does, so that no table finds it."""

    __slots__ = ()

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other)


class Anything(str):
    """Says that it is every other text."""

    __slots__ = ()

    def __hash__(self) -> int:
        return hash("items")

    def __eq__(self, other: object) -> bool:
        return True


class Broken(str):
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise SystemExit("no comparison")

    def __hash__(self) -> int:
        return 1


def held(store: StateStore, node: Callable[[State], Any]) -> Any:
    """A run of a node whose result is merged by its declared keys, and routed by one of them."""
    graph = StateGraph("named", start="work")
    graph.add_key("items", reducer="append", default=["first"])
    graph.add_node("work", node)
    graph.add_edge("work", END, when="amount == 3")
    graph.add_edge("work", END)
    return after_a_step(store, graph)


@pytest.mark.parametrize(
    ("returned", "after"),
    [
        ({Field.AMOUNT: 3}, {"items": ["first"], "amount": 3}),
        ({Field.ITEMS: ["second"], "amount": 3}, {"items": ["first", "second"], "amount": 3}),
        ({Elsewhere("amount"): 3}, {"items": ["first"], "amount": 3}),
        ({Elsewhere("items"): "second", "amount": 3}, {"items": ["first", "second"], "amount": 3}),
        ({Anything("amount"): 3}, {"items": ["first"], "amount": 3}),
        ({Broken("amount"): 3}, {"items": ["first"], "amount": 3}),
        ({Field.ITEMS: "x" * 99, "items": "y", "amount": 3}, {"items": ["first", "y"], "amount": 3}),
        (NodeResult({Field.AMOUNT: 3}), {"items": ["first"], "amount": 3}),
        ({"amount": {Field.AMOUNT: 1}}, {"items": ["first"], "amount": {"amount": 1}}),
    ],
)
def test_a_name_is_the_text_that_it_is_however_it_hashes_and_compares(
    store: StateStore, returned: Any, after: dict[str, Any]
) -> None:
    run = held(store, lambda state: returned)
    assert run.values == store.values("r-1", 2) == after
    assert [type(name) for name in run.values] == [str] * len(after)
    assert run.history[0].edges[0].matched is (after["amount"] == 3)


@pytest.mark.parametrize("name", [1, b"amount", None, ("amount",), frozenset()])
def test_a_name_that_is_no_text_is_refused_behind_one_that_is(store: StateStore, name: object) -> None:
    run = held(store, lambda state: {Field.AMOUNT: 3, name: 1})
    assert run.status is RunStatus.FAILED
    assert "which is not text" in run.error.message


def test_values_that_a_program_gives_may_have_such_names_too(store: StateStore) -> None:
    graph = StateGraph("named", start="work")
    graph.add_key("amount", input=True, type="number")
    graph.add_key("items", reducer="append", default=[])
    graph.add_node("work", lambda state: {})
    graph.add_edge("work", "work")
    executor = Executor(graph.compile(), store)
    run = executor.start({Field.AMOUNT: 3}, "r-1")
    assert run.values == {"amount": 3, "items": []}
    run = executor.edit("r-1", {Field.ITEMS: ["one"], Anything("amount"): 4}, by="ana")
    assert run.values == executor.load("r-1").values == {"amount": 4, "items": ["one"]}
    executor.step(run)
    forked = executor.fork("r-1", values={Field.AMOUNT: 5}, new_run_id="r-2")
    assert forked.values == executor.load("r-2").values == {"amount": 5, "items": ["one"]}
