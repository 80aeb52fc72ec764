"""Which engine runs are handed to, and by which address."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from stepgraph.stores.engines import engine_for, engine_name, engines_of, named_engine, wake
from stepgraph.values.errors import StoreError

needs_temporal = pytest.mark.skipif(find_spec("temporalio") is None, reason="temporalio is not installed")
READ = """
import sys
from stepgraph.extras.temporal.server import read_address
print(read_address(sys.argv[1])[:3])
"""


def read(address: str) -> subprocess.CompletedProcess[str]:
    """Read an address in a process of its own: Temporal's library stays out of this one."""
    return subprocess.run([sys.executable, "-c", READ, address], capture_output=True, text=True, check=False)


@needs_temporal
@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("temporal", ("127.0.0.1:7233", "default", "stepgraph")),
        ("temporal:?queue=refunds", ("127.0.0.1:7233", "default", "refunds")),
        ("temporal://example.org", ("example.org:7233", "default", "stepgraph")),
        ("temporal://example.org:1/ours?queue=a%20b", ("example.org:1", "ours", "a b")),
        ("temporal://[::1]/ours", ("[::1]:7233", "ours", "stepgraph")),
    ],
)
def test_an_address_may_leave_everything_out(address: str, found: tuple[str, ...]) -> None:
    assert read(address).stdout.strip() == str(found)


@needs_temporal
@pytest.mark.parametrize(
    "address",
    [
        "temporal://a/b/c",
        "temporal://a:port",
        "temporal://me:secret@a",
        "temporal://a?queues=x",
        "temporal://a?x",
    ],
)
def test_another_address_is_refused_without_its_password(address: str) -> None:
    last = read(address).stderr.strip().splitlines()[-1]
    assert ("StoreError" in last, "cannot be read" in last, "secret" in last) == (True, True, False)


@needs_temporal
def test_the_environment_says_what_the_address_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", "cloud.example.org:443")
    monkeypatch.setenv("TEMPORAL_NAMESPACE", "theirs")
    done = subprocess.run(
        [sys.executable, "-c", READ, "temporal"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(("cloud.example.org:443", "theirs", "stepgraph"))


def test_an_engine_is_named_for_as_long_as_a_command_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPGRAPH_ENGINE", "temporal://a")
    with named_engine("temporal", "refunds"):
        assert engine_name() == "temporal:?queue=refunds"
    with named_engine(None, "a b"):
        assert engine_name() == "temporal://a?queue=a%20b"
    assert engine_name() == "temporal://a"
    with pytest.raises(StoreError, match="only Temporal has task queues"), named_engine("queue", "refunds"):
        pass


def test_an_engine_that_cannot_drive_a_store_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, address, says in (
        ("zeppelin", "sqlite:///a.db", "there is no engine 'zeppelin'"),
        ("queue", "sqlite:///a.db", "workers need a store on PostgreSQL"),
        ("temporal", "memory:", "runs in memory cannot be handed over"),
    ):
        monkeypatch.setenv("STEPGRAPH_ENGINE", name)
        with pytest.raises(StoreError, match=says):
            engine_for(address)


def test_where_no_engine_is_named_nothing_drives_the_runs_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STEPGRAPH_ENGINE", raising=False)
    assert engines_of("sqlite:///a.db") == []
    wake("r")


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPGRAPH_ENGINE", "temporal")
    monkeypatch.setitem(sys.modules, "stepgraph.extras.temporal.engine", None)
    with pytest.raises(StoreError, match="workers need temporalio") as caught:
        engine_for("sqlite:///a.db")
    assert 'pip install "stepgraph[temporal]"' in caught.value.hint
