"""Opening a store by its address."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from stepgraph.stores import default_store_url, open_store, opening
from stepgraph.stores.memory import MemoryStore
from stepgraph.stores.sqlite import SqliteStore
from stepgraph.values.errors import StoreError
from tests.stores.building import create


def test_memory_is_a_new_empty_store_each_time() -> None:
    with open_store("memory:") as one, open_store("memory:") as other:
        assert isinstance(one, MemoryStore)
        create(one)
        assert other.runs() == []


def test_a_sqlite_address_a_plain_path_and_the_url_of_a_store_name_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a b%20ü" / "runs.db"
    with SqliteStore(path) as store:
        create(store)
        url = store.url
    for address in (url, f"sqlite:///{path}", str(path), "sqlite:///a b%20ü/runs.db", "a b%20ü/runs.db"):
        with open_store(address) as store:
            assert [run.head.id for run in store.runs()] == ["r-1"]
            assert store.url == url


def test_a_tilde_is_the_home_folder(own_home: Path) -> None:
    with SqliteStore("~/runs.db"):
        assert (own_home / "runs.db").is_file()


def test_the_default_is_in_the_users_data_folder(own_home: Path) -> None:
    assert default_store_url() == f"sqlite:///{own_home}/.local/share/stepgraph/runs.db"
    with open_store() as store:
        assert store.url == default_store_url()
    assert (own_home / ".local/share/stepgraph/runs.db").is_file()


def test_the_environment_chooses_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPGRAPH_STORE", "memory:")
    assert default_store_url() == "memory:"
    with open_store() as store:
        assert isinstance(store, MemoryStore)


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


class OtherStore(MemoryStore):
    """A store that another package brings."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.address = url


def _bring(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    entries = EntryPoints([EntryPoint("other", target, opening.GROUP)])
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: entries.select(group=group))


def test_another_package_may_bring_a_store(monkeypatch: pytest.MonkeyPatch) -> None:
    _bring(monkeypatch, f"{__name__}:OtherStore")
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    with open_store("other://host/db") as store:
        assert getattr(store, "address", None) == "other://host/db"
    with pytest.raises(StoreError) as caught:
        open_store("othr://host/db")
    assert "did you mean 'other'?" in caught.value.hint


def test_a_store_that_cannot_be_loaded_names_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    _bring(monkeypatch, "no_such_package:Store")
    with pytest.raises(
        StoreError, match=r"'other' of no_such_package:Store cannot be loaded: ModuleNotFound"
    ):
        open_store("other:")


def test_opening_a_store_in_memory_loads_nothing_heavy() -> None:
    code = (
        "import sys; from stepgraph.stores import open_store, default_store_url; open_store('memory:');"
        "assert not {'apsw', 'platformdirs', 'importlib.metadata'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
