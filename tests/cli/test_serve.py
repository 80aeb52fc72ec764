"""``stepgraph serve``, as far as it refuses to begin; tests/rest has the rest."""

from __future__ import annotations

import pytest

from stepgraph_tui.server.listening import bound
from tests.cli.calling import ASK, Cli


def test_two_servers_on_one_port_are_told_so(cli: Cli) -> None:
    graph = cli.graph(ASK)
    with bound("127.0.0.1", 0) as taken:
        port = taken.url.rpartition(":")[2]
        answer = cli("serve", graph, "--port", port)
    assert answer.code == 1
    assert f"port {port} of 127.0.0.1 is taken" in answer.err
    assert "--port" in answer.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--host", "0.0.0.0"], "can be reached from other machines"),  # noqa: S104 - it is refused
        (["--host", "nowhere.invalid"], "can be reached from other machines"),
        (["--port", "70000"], "there is no port 70000"),
    ],
)
def test_where_it_cannot_listen_is_said_before_anything_is_read(
    cli: Cli, words: list[str], said: str
) -> None:
    answer = cli("serve", cli.folder / "missing.toml", *words)
    assert answer.code == 1
    assert said in answer.err


def test_untrusted_code_is_asked_about_before_anything_is_served(cli: Cli) -> None:
    answer = cli("serve", cli.count(), "--port", "0")
    assert answer.code == 6
    assert "work.py" in answer.err


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "has no graph files"),
        ({"a.toml": ASK, "b.toml": ASK}, "two graphs have the name 'ask'"),
        ({"a.toml": "format = 1"}, "a.toml"),
    ],
)
def test_a_folder_is_served_whole_or_not_at_all(cli: Cli, files: dict[str, str], said: str) -> None:
    folder = cli.folder / "graphs"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    answer = cli("serve", folder, "--port", "0")
    assert answer.code == 1
    assert said in answer.err


def test_the_app_cannot_share_a_store_in_memory(cli: Cli) -> None:
    answer = cli("serve", cli.graph(ASK), "--port", "0", "--web", "--store", "memory:")
    assert answer.code == 1
    assert "cannot see a store in memory" in answer.err
