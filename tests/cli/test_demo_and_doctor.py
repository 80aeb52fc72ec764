"""``stepgraph demo`` and ``stepgraph doctor``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import Cli


# acceptance 88
def test_the_demo_tells_the_whole_story_on_one_screen(cli: Cli) -> None:
    result = cli("demo")
    assert result.code == 0
    lines = result.out.splitlines()
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 80
    for words in (
        "Paused at review",
        "scripted reviewer",
        "approve -> pay ! -> notify -> END",
        'route == "high" (route is "high")',
        "stepgraph run ",
    ):
        assert words in result.out
    assert not (cli.folder / "runs.db").exists()


def test_the_demo_as_json_is_its_run(cli: Cli) -> None:
    assert cli("demo", "--json").json["outcome"] == "end"


def test_the_doctor_prints_versions_paths_and_the_stores_health(cli: Cli) -> None:
    assert cli("doctor", "--json").json["store"]["health"] == "not made yet"
    cli.paused()
    result = cli("doctor", "--json")
    assert result.code == 0
    store = result.json["store"]
    assert (store["health"], store["runs"], store["pending reviews"]) == ("ok", 1, 1)
    assert store["schema version"] >= 1
    assert result.json["paths"]["data"] == str(cli.folder / "home")
    assert {"stepgraph", "python", "sqlite", "textual", "networkx"} <= result.json["versions"].keys()
    assert "TERMINAL" in cli("doctor").out


@pytest.mark.parametrize(
    "content", [b"no database at all, but long enough to be looked at" * 20, b"x" * 5000]
)
def test_a_store_that_is_ill_gives_exit_1_and_says_why(cli: Cli, content: bytes) -> None:
    (cli.folder / "runs.db").write_bytes(content)
    result = cli("doctor", "--json")
    assert result.code == 1
    assert "runs.db" in result.json["store"]["health"]


@pytest.mark.parametrize("command", [("runs",), ("approvals",), ("resume", "r-1")])
def test_a_store_that_is_no_store_is_one_message(cli: Cli, command: tuple[str, ...]) -> None:
    (cli.folder / "runs.db").write_bytes(b"not a database" * 500)
    result = cli(*command)
    assert result.code == 1
    assert "is not an SQLite database" in result.err


def test_a_store_address_that_means_nothing_is_one_message(cli: Cli) -> None:
    result = cli("runs", "--store", "mysql://localhost")
    assert result.code == 1
    assert "there is no kind of store 'mysql'" in result.err


def test_a_folder_is_no_store(cli: Cli, tmp_path: Path) -> None:
    result = cli("runs", "--store", tmp_path)
    assert result.code == 1
    assert "it is a folder" in result.err


@pytest.mark.parametrize("command", [("runs",), ("doctor",)])
def test_a_data_folder_that_may_not_be_read_is_one_message(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    def refused(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setenv("STEPGRAPH_STORE", f"sqlite:///{cli.folder}")  # a folder: it cannot be opened
    monkeypatch.setattr(Path, "exists", refused)
    result = cli(*command)
    assert result.code == 1
    assert "cannot be opened" in " ".join((result.err + result.out).split())  # it may be wrapped
    assert "bug" not in result.err
