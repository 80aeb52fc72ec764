"""A server that says what none should: nothing breaks a run, tells a key, or lowers what was spent."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable

import pytest

from stepgraph.extras.providers.live import LiveModel
from stepgraph.models import bounded
from stepgraph.models.bounded import MAX_EVENT
from stepgraph.models.client import token_count
from stepgraph.models.settings import HIDDEN, KeySieve
from stepgraph.runs.spending import NOTHING_SPENT, SpendingLimits, refuse_over_limits, spending_of
from stepgraph.values.errors import ModelError, NodeFailed
from tests.models.asking import KEY, Watched, ask
from tests.models.fake_server import FakeServer, Raw, Said

Make = Callable[..., LiveModel]


def stream(*events: dict[str, object]) -> Raw:
    """Write events of OpenAI's protocol as they are."""
    lines = [f"data: {json.dumps(event)}\n\n" for event in events]
    return Raw("".join([*lines, "data: [DONE]\n\n"]).encode(), type="text/event-stream")


def chunk(delta: dict[str, object], finish: str | None = None, **more: object) -> dict[str, object]:
    return {"model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}


def calling(arguments: str, name: object = "look_up", id: object = "c1", times: int = 1) -> Raw:
    function = {"name": name, "arguments": arguments}
    calls = [{"index": place, "id": id, "type": "function", "function": function} for place in range(times)]
    return stream(chunk({"tool_calls": calls}), chunk({}, "tool_calls"))


@pytest.mark.parametrize(
    "usage",
    [
        (-5, 5),
        (5, -5),
        ("twelve", 3),
        (12, "many"),
        (1.5, 2),
        ([1], 2),
        (10**400, 1),
        (float("nan"), 1),
        (0, 0),
    ],
)
def test_tokens_that_are_none_are_not_counted(
    server: FakeServer, make: Make, usage: tuple[object, object]
) -> None:
    asked, told = usage
    said = {"prompt_tokens": asked, "completion_tokens": told, "total_tokens": 1}
    server.then(stream(chunk({"content": "hi"}), chunk({}, "stop", usage=said)))
    reply = ask(make("openai", input_price=1.0, output_price=1.0))
    assert (reply.text, reply.usage, reply.cost) == ("hi", None, None)


@pytest.mark.parametrize(
    ("said", "count"),
    [(7, 7), (7.0, 7), (0, 0), (True, None), (float("inf"), None), (None, None), (10**13, None)],
)
def test_what_counts_as_a_number_of_tokens(said: object, count: int | None) -> None:
    assert token_count(said) == count


@pytest.mark.parametrize("model", [{"a": 1}, ["m"], 5])
def test_a_name_of_a_model_that_is_none_is_left_out(server: FakeServer, make: Make, model: object) -> None:
    server.then(stream(chunk({"content": "hi"}, "stop", model=model)))
    assert ask(make("openai")).model == "m-1"


def test_a_name_of_a_model_without_end_is_cut(server: FakeServer, make: Make) -> None:
    server.then(stream(chunk({"content": "hi"}, "stop", model="m" * 1_000_000)))
    assert len(ask(make("openai")).model) == 200


def test_half_a_character_does_not_cost_the_reply(server: FakeServer, make: Make) -> None:
    server.then(stream(chunk({"content": "a\ud800b"}, "stop")), calling('{"a": "\\ud800"}', id="\udfff"))
    watched = Watched()
    assert ask(make("openai"), watched=watched).text == watched.text == "a?b"
    call = ask(make("openai")).tool_calls[0]
    assert (call.arguments, call.id) == ({"a": "?"}, "?")


@pytest.mark.parametrize("cut", range(1, len(KEY), 5))
def test_a_key_that_comes_in_pieces_is_never_shown(
    server: FakeServer, make: Make, provider: str, cut: int
) -> None:
    server.then(Said(f"your key {KEY[:cut]} \n{KEY[cut:]}".replace(" \n", ""), words=False))
    server.then(
        stream(chunk({"content": KEY[:cut]}), chunk({"content": f"{KEY[cut:]} sk"}), chunk({}, "stop"))
    )
    watched = Watched()
    whole = ask(make(provider, key_env="TEST_KEY"), watched=watched)
    assert whole.text == watched.text == f"your key {HIDDEN}"
    watched = Watched()
    parts = ask(make("openai", key_env="TEST_KEY"), watched=watched)
    assert parts.text == watched.text == f"{HIDDEN} sk"


def test_of_a_reply_that_is_cut_within_the_key_nothing_of_it_is_shown(server: FakeServer, make: Make) -> None:
    server.then(stream(chunk({"content": f"it is {KEY[:12]}"})))
    watched = Watched()
    with pytest.raises(ModelError):
        ask(make("openai", key_env="TEST_KEY"), watched=watched)
    assert watched.text == "it is "


def test_a_word_for_servers_that_want_any_key_stays_in_texts(
    server: FakeServer, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_KEY", "ollama")
    server.then(Said("ollama runs models"))
    assert ask(make("openai", key_env="TEST_KEY")).text == "ollama runs models"


def test_a_sieve_lets_go_of_what_only_began_like_the_key() -> None:
    sieve = KeySieve("aab-aab-aab-x")
    assert [sieve.take(piece) for piece in ("1 aab-", "aab-aab-y", " aa")] == ["1 ", "aab-aab-aab-y", " "]
    assert sieve.rest() == "aa"
    assert sieve.rest() == ""


def test_a_key_is_not_in_what_is_called(server: FakeServer, make: Make) -> None:
    server.then(calling(json.dumps({KEY: [KEY]}), id=KEY))
    call = ask(make("openai", key_env="TEST_KEY")).tool_calls[0]
    assert KEY not in repr(call)
    assert call.arguments == {HIDDEN: [HIDDEN]}


@pytest.mark.parametrize(
    "arguments",
    ['{"a": NaN}', '{"a": 1e999}', '{"a":' * 200 + "1" + "}" * 200, '{"a": ' + "9" * 4100 + "}", "[]", "5"],
)
def test_arguments_that_no_state_holds_fail_the_call(server: FakeServer, make: Make, arguments: str) -> None:
    server.then(calling(arguments))
    with pytest.raises(ModelError, match="with arguments that are not a JSON table"):
        ask(make("openai"))


def test_calls_with_one_id_are_told_apart(server: FakeServer, make: Make) -> None:
    server.then(calling("{}", times=3))
    assert [call.id for call in ask(make("openai")).tool_calls] == ["c1", "", ""]


def test_calls_without_end_are_a_reply_without_end(server: FakeServer, make: Make) -> None:
    server.then(calling("{}", times=1000))
    with pytest.raises(ModelError, match="it does not stop"):
        ask(make("openai", max_tokens=1000))


@pytest.mark.parametrize("kind", ["text/event-stream", "application/json", "text/html"])
@pytest.mark.parametrize("status", [200, 400])
def test_an_answer_without_end_is_cut(
    server: FakeServer, make: Make, provider: str, kind: str, status: int
) -> None:
    body = b"data: " + b"x" * (MAX_EVENT + 100)
    server.then(Raw(body, status, kind))
    with pytest.raises(ModelError, match="its answer does not end"):
        ask(make(provider))


def test_a_long_reply_of_small_events_is_not_without_end(
    server: FakeServer, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded, "MAX_EVENT", 2_000)
    server.then(Said("word " * 500))
    assert ask(make("openai")).text == "word " * 500


@pytest.mark.parametrize("status", [200, 400])
def test_the_charset_of_a_server_holds_nobody_up(
    server: FakeServer, make: Make, provider: str, status: int
) -> None:
    server.then(Raw(b"a-" + b"b" * 3_000_000, status, "text/plain; charset=punycode"))  # some take hours
    with pytest.raises(ModelError):
        ask(make(provider))


@pytest.mark.parametrize("status", [200, 400])
def test_what_was_packed_though_nobody_asked_is_not_unpacked(
    server: FakeServer, make: Make, provider: str, status: int
) -> None:
    packed = gzip.compress(b"data: " + b"x" * 50_000_000)
    kind = "text/event-stream" if status == 200 else "application/json"
    server.then(Raw(packed, status, kind, {"content-encoding": "gzip"}))
    with pytest.raises(ModelError) as caught:
        ask(make(provider))
    assert len(caught.value.message) < 500
    assert server.requests[0].headers.get("accept-encoding", "identity") == "identity"


@pytest.mark.parametrize("amount", [-5, float("nan"), float("inf"), True, "9", None])
def test_amounts_in_a_ledger_that_are_none_lower_nothing(amount: object) -> None:
    call = {"kind": "model", "input_tokens": 5, "output_tokens": 5, "cost": 1.0}
    wrong = {"kind": "model", "input_tokens": amount, "output_tokens": amount, "cost": amount}
    spent = spending_of([call, wrong])
    assert (spent.tokens, spent.cost) == (10, 1.0)


def test_a_limit_of_tokens_cannot_be_held_where_a_model_does_not_say_them() -> None:
    limits = SpendingLimits(max_tokens=100)
    refuse_over_limits(NOTHING_SPENT, limits, True)
    refuse_over_limits(spending_of([{"kind": "model", "error": "cut", "provider": "p"}]), limits, True)
    with pytest.raises(NodeFailed, match="max_tokens = 100 cannot be enforced"):
        refuse_over_limits(spending_of([{"kind": "model", "text": "hi"}]), limits, True)
