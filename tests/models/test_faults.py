"""What can go wrong with a call: each fault has its words, says what to do, and never tells a key."""

from __future__ import annotations

import socket
import sys
import traceback
from collections.abc import Callable

import pytest

from stepgraph.extras.providers.live import LiveModel
from stepgraph.models.catalog import make_client
from stepgraph.values.errors import ModelError
from tests.models.asking import KEY, Watched, ask, read
from tests.models.fake_server import FAULTS, Answer, FakeServer, Raw, Refused, Said

Make = Callable[..., LiveModel]

WORDS = {
    "401": ("its key was refused (401): Incorrect API key provided", "look at TEST_KEY"),
    "403": ("the key may not use it (403): You may not use this model", "check what the key allows"),
    "404": ("does not have it (404): The model does not exist", "look at `model` (m-1) and `base_url`"),
    "429": ("too many requests (429): Too many requests", "wait a while, then retry"),
    "quota": ("its account has no quota left (429)", "check its billing"),
    "500": ("its server failed (500): Internal error", "wait a while, then retry"),
    "529": ("it is overloaded (529): Overloaded", "wait a while, then retry"),
    "too-long": (
        "the request is too long (400): This model's maximum context",
        "shorten the prompt",
    ),
    "cut": ("the connection was cut after 31 characters", "retry to ask it again"),
    "garbage": ("its reply cannot be read: JSONDecodeError", "speak the protocol"),
    "error": ("it broke off: ", "retry to ask it again"),
    "malformed": ("answers with application/json, not with a reply", "fix `base_url`"),
    "html": ("answers with a page of HTML, not with a reply", "fix `base_url`"),
    "arguments": (
        "calls the tool 'look_up' with arguments that are not a JSON table: '{\"order\": 12'",
        "retry",
    ),
    "length": ("its reply was cut at max_tokens = 50", "raise `max_tokens`"),
    "filter": ("it refused to answer", "rephrase it"),
    "refusal": ("it refused to answer", "rephrase it"),
    "endless": ("it does not stop: ", "the server ignores max_tokens"),
    "silent": ("no word came for 0.3 seconds", "a longer `timeout`"),
    "comments": ("no word came for 0.3 seconds", "a longer `timeout`"),
}


def test_every_fault_has_its_words() -> None:
    assert {name for name in FAULTS if not name.endswith("-once")} - {"empty"} == set(WORDS)


@pytest.mark.parametrize("fault", WORDS)
def test_each_fault_says_what_happened_and_what_to_do(
    server: FakeServer, make: Make, provider: str, fault: str
) -> None:
    server.then(*FAULTS[fault])
    message, hint = WORDS[fault]
    timeout = 0.3 if fault in ("silent", "comments") else 30
    with pytest.raises(ModelError) as caught:
        ask(make(provider, key_env="TEST_KEY", max_tokens=50, timeout=timeout))
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "answer",
    [
        Refused(401, f"Incorrect API key provided: {KEY}. Find yours at https://example.org"),
        Refused(500, f"Bearer {KEY} failed, and so did sk-another-1234567"),
        Raw(f'{{"echo": "{KEY}"}}'.encode()),
        Raw(f"<html>{KEY}</html>".encode(), 500, "text/html"),
        Said("x", error=f"overloaded {KEY}"),
        Said(tools=[("t", f"{{{KEY}")]),
    ],
)
def test_no_key_is_told_whatever_a_server_says(
    server: FakeServer, make: Make, provider: str, answer: Answer
) -> None:
    server.then(answer)
    with pytest.raises(ModelError) as caught:
        ask(make(provider, key_env="TEST_KEY"))
    told = "".join(traceback.format_exception(caught.value))
    assert KEY not in told
    assert "sk-another" not in told


@pytest.mark.parametrize(
    "body",
    [
        b"data: {}\n\n",
        b"data: [1, 2]\n\n",
        b'data: {"choices": "abc"}\n\n',
        b"event: x\ndata: 7\n\n",
        b"",
        b"\xff\xfe\n\n",
    ],
)
def test_a_stream_of_another_shape_cannot_be_read(
    server: FakeServer, make: Make, provider: str, body: bytes
) -> None:
    server.then(Raw(body + b"\n\n", type="text/event-stream"))
    with pytest.raises(ModelError, match=r"cannot be read|was cut"):
        ask(make(provider))


def test_nobody_answering_is_said(make: Make, provider: str) -> None:
    with socket.socket() as taken:  # and nobody listens at it
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with pytest.raises(ModelError) as caught:
            ask(make(provider, base_url=f"http://127.0.0.1:{port}/v1"))
    assert f"no answer from http://127.0.0.1:{port}/v1" in caught.value.message
    assert "is the server running" in caught.value.hint


def test_a_missing_library_names_its_extra(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, provider, None)
    with pytest.raises(ModelError) as caught:
        make_client(read({"provider": provider, "model": "m", "base_url": "http://127.0.0.1:1/v1"}))
    assert caught.value.message == f"the library of {provider} is not installed"
    assert f"pip install 'stepgraph[{provider}]'" in caught.value.hint


def test_a_listener_that_raises_ends_the_call(server: FakeServer, make: Make, provider: str) -> None:
    watched = Watched(left=-1.0)
    server.then(*FAULTS["silent"])
    with pytest.raises(ModelError, match="its node ran out of time"):
        ask(make(provider), watched=watched)
