"""Opening a store by its address."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from ..values.errors import StoreError
from ..values.folders import data_folder
from ..values.problems import did_you_mean
from .base import StateStore

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "stepgraph.stores"
"""The entry-point group of other stores: the name is the scheme of their addresses, and what it
points to is called with the whole address and returns the store."""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")  # two letters or more: C: is a drive
_FORMS = "write memory:, sqlite:///path/to/runs.db, or just the path of a file"


def default_store_url() -> str:
    """The address of the store that is used when none is named.

    STEPGRAPH_STORE when it is set, otherwise ``runs.db`` in the user's data folder.
    """
    named = os.environ.get("STEPGRAPH_STORE", "")
    return named or f"sqlite:///{data_folder() / 'runs.db'}"


def open_store(url: str | None = None) -> StateStore:
    """Open the store at an address.

    Args:
        url: ``memory:`` (a new, empty one), ``sqlite:///path`` (a relative path; an absolute one has
            a fourth slash), the plain path of a SQLite file, or ``scheme:…`` of a store that another
            package brings. ``default_store_url()`` when None.

    Raises:
        StoreError: There is no such kind of store, or it cannot be opened.
    """
    address = default_store_url() if url is None else url
    if not address.strip():
        raise StoreError("the address of the store is empty", hint=_FORMS)
    match = _SCHEME.match(address)
    if match is None:
        return _open_file(address)
    scheme, rest = match[1].lower(), address[match.end() :]
    if scheme == "memory":
        return _open_memory(address, rest)
    if scheme == "sqlite":
        if not rest.startswith("///") or not rest[3:]:
            raise StoreError(f"the store address {address!r} names no file", hint=_FORMS)
        return _open_file(rest[3:])
    return _open_other(scheme, address)


def _open_memory(address: str, rest: str) -> StateStore:
    from .memory import MemoryStore

    if rest.strip("/"):
        raise StoreError(f"the store address {address!r} says more than memory:", hint="write memory: alone")
    return MemoryStore()


def _open_file(path: str) -> StateStore:
    from .sqlite import SqliteStore

    return SqliteStore(path)


def _open_other(scheme: str, address: str) -> StateStore:
    from importlib.metadata import entry_points

    others = {entry.name: entry for entry in entry_points(group=GROUP)}
    entry = others.get(scheme)
    if entry is None:
        hint = did_you_mean(scheme, ["memory", "sqlite", *others], listing="there are")
        raise StoreError(
            f"there is no kind of store {scheme!r} (in {address!r})",
            hint=f"{hint}; a file of that name is written ./{address}",
        )
    return _load(entry)(address)


def _load(entry: EntryPoint) -> Callable[[str], StateStore]:
    try:
        return cast(Callable[[str], StateStore], entry.load())
    except Exception as error:  # another package's import may raise anything
        raise StoreError(
            f"the store {entry.name!r} of {entry.value} cannot be loaded: {type(error).__name__}: {error}",
            hint="reinstall the package that brings it",
        ) from error
