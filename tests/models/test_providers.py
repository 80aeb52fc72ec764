"""Both protocols by their official libraries: text as it comes, tools, schemas, tokens, and what is sent."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stepgraph.extras.providers.live import LiveModel
from stepgraph.extras.providers.thinking import ThinkTags
from stepgraph.values.errors import ModelError
from tests.models.asking import KEY, Watched, ask
from tests.models.fake_server import FakeServer, Raw, Said

Make = Callable[..., LiveModel]


def test_a_model_can_be_asked_outside_of_a_run(make: Make, provider: str) -> None:
    assert make(provider).generate("hi") == "You said: hi"


def test_a_key_does_not_follow_a_redirect(server: FakeServer, make: Make, provider: str) -> None:
    with FakeServer() as elsewhere:
        server.then(Raw(b"", 307, headers={"location": f"{elsewhere.address}/stolen"}))
        with pytest.raises(Exception, match=r"sends elsewhere \(307\)"):
            ask(make(provider, key_env="TEST_KEY"))
        assert elsewhere.requests == []


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_what_a_model_thinks_comes_apart_from_its_reply(
    server: FakeServer, make: Make, provider: str, name: str
) -> None:
    server.then(Said("It rains.", "Bergen? Rain.", name, tools=[("look", {"at": "sky"})]))
    watched = Watched()
    reply = ask(make(provider), watched=watched)
    assert (watched.thoughts, watched.text) == ("Bergen? Rain.", "It rains.")
    assert (reply.thoughts, reply.text) == ("Bergen? Rain.", "It rains.")
    assert [call.name for call in reply.tool_calls] == ["look"]


@pytest.mark.parametrize("words", [True, False])
@pytest.mark.parametrize(
    ("sent", "thought", "said"),
    [
        ("<think>\nhm < hm </ hm\n</think>\n\nyes", "\nhm < hm </ hm\n", "yes"),
        ("\n <think></think>yes", "", "yes"),
        ("<think>cut </th", "cut </th", ""),
        ("<thin ice>", "", "<thin ice>"),
        ("<thi", "", "<thi"),
        ("yes <think>no</think>", "", "yes <think>no</think>"),
    ],
)
def test_thoughts_between_tags_are_no_reply(
    server: FakeServer, make: Make, sent: str, thought: str, said: str, words: bool
) -> None:
    server.then(Said(sent, words=words))
    watched = Watched()
    reply = ask(make("openai"), watched=watched)
    assert (reply.thoughts, reply.text) == (thought, said)
    assert (watched.thoughts, watched.text) == (thought, said)


_PARTS = st.sampled_from(("<think>", "</think>", "<thi", "</think", "nk>", " ", "\n", "a", "<"))


@given(st.lists(_PARTS, max_size=8).map("".join), st.lists(st.integers(0, 60)))
@example("<think></think> a", [15])
def test_pieces_make_no_difference_to_tags(text: str, cuts: list[int]) -> None:
    def split(pieces: list[str]) -> tuple[str, str]:
        tags = ThinkTags()
        found = [*map(tags.take, pieces), tags.rest()]
        return "".join(thought for thought, _ in found), "".join(said for _, said in found)

    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    assert split([text[a:b] for a, b in pairwise(places)]) == split([text])


def test_no_key_is_in_what_a_model_thinks(server: FakeServer, make: Make, provider: str) -> None:
    server.then(Said("no", f"is it {KEY[:9]} {KEY[9:]} or {KEY} ?"))
    watched = Watched()
    reply = ask(make(provider, key_env="TEST_KEY"), watched=watched)
    assert KEY not in watched.thoughts + reply.thoughts
    assert reply.thoughts.count("•••") == 1


def test_a_model_that_thinks_without_end_is_stopped(server: FakeServer, make: Make, provider: str) -> None:
    server.then(Said("no", "hmm " * 5_000))
    with pytest.raises(ModelError, match="it does not stop"):
        ask(make(provider, max_tokens=100))


def test_a_signature_without_end_is_stopped(server: FakeServer, make: Make) -> None:
    server.then(Said("no", "hm", signature="c2ln" * 5_000))
    with pytest.raises(ModelError, match="it does not stop"):
        ask(make("anthropic", max_tokens=100))


def test_an_empty_reply_is_a_reply(server: FakeServer, make: Make, provider: str) -> None:
    server.then(Said(""))
    assert ask(make(provider)).text == ""
