"""Where keys come from: variables, and the system's keyring; and that none is told."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import keyring
import pytest
from keyring.backend import KeyringBackend

from stepgraph.models.settings import KeySource, keep_in_keyring, key_source, scrubbed
from stepgraph.values.errors import ModelError
from tests.models.asking import read


class Kept(KeyringBackend):
    """A keyring in memory."""

    priority = 1.0
    locked = False

    @cached_property
    def entries(self) -> dict[tuple[str, str], str]:
        return {}

    def get_password(self, service: str, username: str) -> str | None:
        if self.locked:
            raise RuntimeError("locked: sk-secret-000000")
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        if self.locked:
            raise RuntimeError("locked")
        self.entries[service, username] = password


@pytest.fixture
def ring() -> Iterator[Kept]:
    before, kept = keyring.get_keyring(), Kept()  # type: ignore[no-untyped-call]  # the library's base
    keyring.set_keyring(kept)
    yield kept
    keyring.set_keyring(before)


def test_a_key_of_the_keyring_is_read_and_kept(ring: Kept) -> None:
    source = key_source(read({"provider": "openai", "model": "m", "keyring": "stepgraph/default"}))
    assert source == KeySource("keyring", "stepgraph/default")
    assert not source.is_there()
    with pytest.raises(ModelError, match="the keyring has no entry stepgraph/default") as caught:
        source.read()
    assert "`keyring set stepgraph default`" in caught.value.hint
    keep_in_keyring("stepgraph/default", "sk-1")
    assert source.read() == "sk-1"
    assert source.is_there()


def test_a_keyring_that_refuses_is_said_without_its_words(ring: Kept) -> None:
    ring.locked = True
    with pytest.raises(ModelError) as caught:
        KeySource("keyring", "a/b").read()
    assert caught.value.message == "the system's keyring cannot be read (RuntimeError)"
    with pytest.raises(ModelError, match="refused the key"):
        keep_in_keyring("a/b", "sk-1")


def test_without_the_package_a_variable_is_proposed(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(ModelError) as caught:
        KeySource("keyring", "a/b").read()
    assert "pip install 'stepgraph[keyring]'" in caught.value.hint


@pytest.mark.parametrize("value", ["", "  ", "clé-secrète", "two\nlines"])
def test_a_variable_that_holds_no_key_is_refused(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE", value)
    with pytest.raises(ModelError) as caught:
        KeySource("variable", "MINE").read()
    assert "MINE" in caught.value.message
    assert not value.strip() or value not in str(caught.value)


def test_ordinary_words_stay() -> None:
    assert scrubbed("a risk-taking bearer of news asks: sk-8?") == "a risk-taking bearer of news asks: sk-8?"
