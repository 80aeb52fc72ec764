"""Opening a store by its address."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from stepgraph.stores import open_store, opening
from stepgraph.stores.sqlite import SqliteStore
from stepgraph.values.errors import StoreError


def test_a_tilde_is_the_home_folder(own_home: Path) -> None:
    with SqliteStore("~/runs.db"):
        assert (own_home / "runs.db").is_file()


@pytest.mark.parametrize(
    ("address", "message", "hint"),
    [
        ("", "is empty", "memory:"),
        (" ", "is empty", "memory:"),
        ("sqlite:", "names no file", "sqlite:///path"),
        ("sqlite:///", "names no file", "sqlite:///path"),
        ("sqlite://runs.db", "names no file", "sqlite:///path"),
        ("memory:runs", "says more than memory:", "memory: alone"),
        ("sqllite:///runs.db", "no kind of store 'sqllite'", "did you mean 'sqlite'?"),
        ("redsi://localhost", "no kind of store 'redsi'", "did you mean 'redis'?"),
        ("memmory:", "no kind of store 'memmory'", "did you mean 'memory'?"),
        (
            "mysql://ana:s3cret@localhost",
            "no kind of store 'mysql' .in 'mysql://ana@localhost'",
            "there are: memory, postgres",
        ),
    ],
)
def test_a_wrong_address_is_explained(
    address: str, message: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreError, match=message) as caught:
        open_store(address)
    assert hint in caught.value.hint
    assert not list(tmp_path.iterdir())


def _bring(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    entries = EntryPoints([EntryPoint("other", target, opening.GROUP)])
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: entries.select(group=group))


def test_a_store_that_cannot_be_loaded_names_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    _bring(monkeypatch, "no_such_package:Store")
    with pytest.raises(
        StoreError, match=r"'other' of no_such_package:Store cannot be loaded: ModuleNotFound"
    ):
        open_store("other:")
