"""A store that somebody else made, or that was damaged: one message, no traceback, and nothing runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import Cli
from tests.stores.forging import forged

Change = Callable[[Any], Any]


def lacking(*path: str) -> Change:
    """What takes a part of a document away."""

    def change(document: Any) -> Any:
        table = document
        for part in path[:-1]:
            table = table[part]
        del table[path[-1]]
        return document

    return change


def setting(value: Any, *path: Any) -> Change:
    """What puts something else in a document."""

    def change(document: Any) -> Any:
        table = document
        for part in path[:-1]:
            table = table[part]
        table[path[-1]] = value
        return document

    return change


def rewrite(store: Path, table: str, column: str, where: str, change: Change) -> None:
    with forged(store) as connection:
        query = f"SELECT {column} FROM {table} WHERE {where}"  # noqa: S608  # what the tests below name
        text = json.dumps(change(json.loads(connection.execute(query).get)))
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (text,))  # noqa: S608  # as above


def looked_at(cli: Cli, review: str) -> list[tuple[tuple[str, ...], int, str]]:
    """Everything that only looks, and what comes after it."""
    commands = [
        ("approvals",), ("approvals", "show", review), ("approvals", "show", review, "--json"),
        ("runs", "show", "r-1"), ("runs", "show", "r-1", "--json"),
        ("approvals", "decide", review, "--approve"), ("resume", "r-1"),
    ]  # fmt: skip
    results = [(words, cli(*words)) for words in commands]
    return [(words, result.code, result.out + result.err) for words, result in results]


@pytest.mark.parametrize(
    "change",
    [
        lacking("request"),
        lacking("request", "risk"),
        lacking("hash"),
        setting("none", "request", "risk"),
        setting([1], "request", "prompt"),
        setting(["steal"], "request", "allow"),
        setting(3, "values"),
        lambda _: [],
    ],
)
def test_a_review_that_is_none_is_told(cli: Cli, change: Change) -> None:
    review = cli.paused()
    rewrite(cli.folder / "runs.db", "ledger", "data", "kind = 'review'", change)
    for words, code, told in looked_at(cli, review):
        assert "bug" not in told, words
        assert code == 1, words
        assert "damaged" in told


@pytest.mark.parametrize(
    "change",
    [
        lacking("nodes"),
        lacking("nodes", "ask"),
        setting(5, "edges"),
        setting("x", "edges", 0),
        setting({"a": "b"}, "edges", 0),
        setting(None, "state"),
        setting({"x": 1}, "tools"),
        setting({}, "start"),
        lambda _: [1],
    ],
)
def test_a_definition_that_is_none_is_told(cli: Cli, change: Change) -> None:
    review = cli.paused()
    rewrite(cli.folder / "runs.db", "definitions", "body", "1", change)
    for words, _, told in looked_at(cli, review):
        assert "bug" not in told, words
    assert "damaged" in cli("runs", "show", "r-1").err


@pytest.mark.parametrize(
    "change", [lambda _: {}, lacking("type"), setting(["x"], "cause"), setting(1, "message")]
)
def test_an_error_that_is_none_is_told(cli: Cli, change: Change) -> None:
    assert cli("run", cli.count("return 1 / 0"), "--trust", "--run-id", "r-1").code == 1
    for table in ("runs", "ledger"):
        rewrite(cli.folder / "runs.db", table, "error", "error IS NOT NULL", change)
    for words in (("runs", "show", "r-1"), ("runs", "show", "r-1", "--json"), ("resume", "r-1")):
        assert "bug" not in cli(*words).err


@pytest.mark.parametrize(
    "update",
    [
        "runs SET current = 'nowhere'",
        "runs SET current = NULL",
        "runs SET source = 'a' || char(0)",
        "runs SET created_at = 1e300",
        "ledger SET node = 'nowhere'",
        "ledger SET at = -1e300",
    ],
)
def test_what_does_not_fit_together_is_no_crash(cli: Cli, update: str) -> None:
    review = cli.paused()
    with forged(cli.folder / "runs.db") as connection:
        connection.execute(f"UPDATE {update}")
    for words, _, told in looked_at(cli, review):
        assert "bug" not in told, words


@pytest.mark.parametrize(
    "update",
    [
        "runs SET id = 'r-1' || char(27) || ']0;mine'",
        "runs SET id = ' '",
        "runs SET id = printf('%.201c', 'r')",
        "runs SET definition = char(27) || '[31m'",
        "runs SET definition = upper(definition)",
        "runs SET review = 'a-1' || char(10) || 'error: forged'",
        "runs SET origin = char(27) || 'c@3'",
        "runs SET origin = 'r-0'",
        "runs SET origin = 'r-0@3+'",
        "ledger SET review = char(27) || 'c' WHERE review IS NOT NULL",
        """ledger SET data = replace(data, '"hash":"', '"hash":"\\u001b') WHERE review IS NOT NULL""",
        "ledger SET data = replace(data, 'Pay 240', 'Pay 2') WHERE review IS NOT NULL",
    ],
)
def test_ids_and_hashes_that_no_stepgraph_makes_are_damage(cli: Cli, update: str) -> None:
    review = cli.paused()
    with forged(cli.folder / "runs.db") as connection:
        connection.execute(f"UPDATE {update}")
    told = [(words, code, text) for words, code, text in looked_at(cli, review)]
    assert any(code == 1 and "damaged" in text for _, code, text in told)
    for words, code, text in told:
        assert code != 0 or words[0] == "runs" or "pending" not in text, words
        assert "\x1b" not in text, words
        assert "\nerror: forged" not in text, words
