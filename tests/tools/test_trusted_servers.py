"""A graph that names tools of the user's own servers calls none of them before a person has agreed."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph import Executor, TrustError
from stepgraph.files import grant, is_trusted, trust_question

from .noting_server import graph, serving

AGENT = (
    'type = "agent"\nprompt = "x"\ntools = ["files/write"]\nreplies = ["CALL_TOOL: files/write {}", "Done."]'
)
TOOL = 'type = "tool"\ntool = "files/write"'
LLM = 'type = "llm"\nprompt = "x"\ntools = ["files/write"]'


@pytest.mark.parametrize("node", [AGENT, TOOL, LLM])
def test_no_server_is_reached_by_a_graph_that_nobody_has_agreed_to(tmp_path: Path, node: str) -> None:
    tools, server = serving()
    found = graph(tmp_path, node)
    question = trust_question(found)
    assert not is_trusted(found)
    assert "tool of a server: files/write" in question.files
    assert question.named == "tools of your servers"
    with pytest.raises(TrustError):
        Executor(found.compile(), tools=tools)
    assert server.asked == []


def test_a_graph_that_was_agreed_to_calls_them_until_it_names_another(tmp_path: Path) -> None:
    tools, server = serving()
    found = graph(tmp_path, TOOL)
    grant(found)
    executor = Executor(found.compile(), tools=tools)
    executor.run(executor.start({}))
    assert server.asked == ["call write"]
    assert not is_trusted(graph(tmp_path, TOOL.replace("write", "delete")))


@pytest.mark.parametrize("more", ['[tools."files/write"]\nreturns = { x = 1 }', ""])
def test_scripted_answers_do_not_make_up_for_an_agreement(tmp_path: Path, more: str) -> None:
    assert not is_trusted(graph(tmp_path, TOOL, more))
