"""``stepgraph new``."""

from __future__ import annotations

import pytest

from tests.cli.calling import Cli


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("there.toml", "there.toml already exists"),
        ("folder.toml", "folder.toml already exists"),
        ("link.toml", "link.toml already exists"),
        ("no such/x.toml", "make it first: mkdir -p 'no such'"),
        ("there.toml/x.toml", "there.toml is not a folder"),
        ("there", "there.toml already exists"),
        ("x.txt", "name it x.txt.toml"),
        (".toml", "the file has no name"),
        ("", "the file has no name"),
        (f"{'x' * 300}.toml", "File name too long"),
    ],
)
def test_what_cannot_be_made_is_told_and_nothing_is_touched(cli: Cli, file: str, said: str) -> None:
    (cli.folder / "folder.toml").mkdir()
    (cli.folder / "there.toml").write_text("mine", encoding="utf-8")
    (cli.folder / "link.toml").symlink_to("nowhere")
    before = sorted(path.name for path in cli.folder.iterdir())
    result = cli("new", file)
    assert (result.code, result.out) == (1, "")
    assert said in result.err
    assert "Traceback" not in result.err
    assert sorted(path.name for path in cli.folder.iterdir()) == before
    assert (cli.folder / "there.toml").read_text("utf-8") == "mine"


@pytest.mark.parametrize("words", [("new",), ("new", "a.toml", "--template", "none"), ("new", "a.toml", "b")])
def test_what_is_not_understood_makes_nothing(cli: Cli, words: tuple[str, ...]) -> None:
    assert cli(*words).code == 2
    assert list(cli.folder.glob("*.toml")) == []


def test_a_full_disk_leaves_no_half_file(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    result = cli("new", "a.toml")
    assert result.code == 1
    assert "a.toml cannot be written: No space left on device" in result.err
    assert not (cli.folder / "a.toml").exists()
