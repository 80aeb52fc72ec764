"""The local variables of the user's functions where a node failed: cut, masked, told without running code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from stepgraph import END, Executor, StateGraph
from stepgraph.runs.frame_values import frames_of
from stepgraph.stores.memory import MemoryStore


class Account:
    """Something with attributes, whose repr must not be called."""

    def __init__(self) -> None:
        self.balance = 3
        self.password = "open sesame"  # noqa: S105  # it is to be hidden
        self.entries = list(range(100))

    def __repr__(self) -> str:
        raise AssertionError("code of the user ran")


def pay(order: dict[str, Any], account: Account) -> Any:
    total = sum(order["prices"])
    return total / (account.balance - 3)


def failing(state: Mapping[str, Any]) -> dict[str, Any]:
    account, api_key, token = Account(), "sk-123456", state["token"]
    quoted = f"paid with {token}"
    order = {"prices": [1, 2.5], "note": "x" * 1_000}
    return {"paid": pay(order, account), "used": (api_key, quoted)}


def frames(node: Any = failing) -> list[Any]:
    graph = StateGraph("pays", start="pay")
    graph.add_key("token", secret=True)
    graph.add_node("pay", node)
    graph.add_edge("pay", END)
    store = MemoryStore()
    executor = Executor(graph.compile(), store)
    run = executor.start({"token": "hunter2-secret"}, run_id="r-1")
    executor.run(run)
    kept: Any = store.load("r-1").pointer.error
    assert "frames" not in kept["cause"]
    error: Any = store.rows("r-1")[-1].error
    told = error["cause"].get("frames", [])
    json.dumps(told)
    assert isinstance(told, list)
    return told


def test_the_variables_of_each_frame_are_told_the_last_call_last() -> None:
    first, last = frames()

    assert (first["function"], last["function"]) == ("failing", "pay")
    assert last["locals"]["total"] == "3.5"
    assert last["locals"]["order"].startswith("{'prices': [1, 2.5], 'note': 'xxx")
    assert last["locals"]["order"].endswith("…")
    entries = "[0, 1, 2, 3, 4, 5, 6, 7, …]"
    assert last["locals"]["account"] == f"Account(balance=3, password=***, entries={entries})"


def test_secrets_are_hidden_by_their_names_and_wherever_the_state_has_them() -> None:
    first, _ = frames()

    assert first["locals"]["api_key"] == "***"
    assert first["locals"]["quoted"] == "'paid with ***'"
    assert "hunter2" not in json.dumps(first)
    assert "state" not in first["locals"]


def test_values_of_the_environment_that_are_secret_by_their_names_are_hidden(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SHOP_API_KEY", "k-987654321")

    def node(state: Mapping[str, Any]) -> dict[str, Any]:
        header = "Authorization: k-987654321"
        raise ValueError(len(header))

    (frame,) = frames(node)

    assert frame["locals"] == {"header": "'Authorization: ***'"}


def test_what_is_endless_is_cut() -> None:
    def node(state: Mapping[str, Any]) -> dict[str, Any]:
        loop: list[Any] = []
        loop.append(loop)
        many = {f"n{number}": "y" * 500 for number in range(1_000)}
        huge = 10**5_000
        raise ValueError(len(many) + huge.bit_length() + len(loop))

    (frame,) = frames(node)

    assert frame["locals"]["loop"] == "[[[…]]]"
    assert len(frame["locals"]["many"]) <= 200
    assert frame["locals"]["huge"] == "a large whole number"
    assert len(json.dumps(frames(node))) < 10_000


def test_a_failure_in_a_library_tells_the_frame_that_called_it() -> None:
    def node(state: Mapping[str, Any]) -> dict[str, Any]:
        text = "{broken"
        return {"read": json.loads(text)}

    (frame,) = frames(node)

    assert frame["locals"] == {"text": "'{broken'"}


def test_without_a_traceback_there_are_no_frames() -> None:
    assert frames_of(None) == []
