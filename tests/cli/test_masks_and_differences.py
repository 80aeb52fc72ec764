"""Masking secrets, and what differs between two states."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from stepgraph import Executor, StateGraph
from stepgraph.conditions import Explanation
from stepgraph.runs.masks import MASK, Mask


def masked() -> tuple[Mask, Executor]:
    graph = StateGraph("masked", start="work")
    graph.add_key("token", default="s3cret!", secret=True)
    graph.add_key("pin", default={"code": "4711-99", "n": 7}, secret=True)
    graph.add_node("work", lambda state: {"echo": f"I saw {state['token']}"})
    graph.add_edge("work", "work", 'token == "x"')
    graph.add_edge("work", "__END__", 'echo != ""')
    app = graph.compile()
    executor = Executor(app)
    return Mask(app, executor.start({}).values), executor


def test_secret_keys_and_what_quotes_them_are_masked() -> None:
    mask, _ = masked()
    values = mask.values(
        {"token": "s3cret!", "pin": {"n": 7}, "say": ["it is s3cret!", {"a": "4711-99"}], "n": 7}
    )
    assert values == {"token": MASK, "pin": MASK, "say": [f"it is {MASK}", {"a": MASK}], "n": 7}
    assert mask.value("pin.code", "4711-99") == MASK
    assert mask.value("token", None) is None
    assert mask.text("Bearer s3cret!") == f"Bearer {MASK}"


@pytest.mark.parametrize("quote", [str, json.dumps, repr, lambda text: json.dumps(json.dumps(text))])
def test_a_secret_is_found_however_it_is_quoted(quote: Callable[[str], str]) -> None:
    graph = StateGraph("quoting", start="a")
    graph.add_key("key", secret=True)
    words = 'BEGIN "key"\nline two\\ é'
    told = Mask(graph, {"key": words}).text(f"Bearer {quote(words)}.")  # type: ignore[arg-type]  # its keys are enough
    assert MASK in told
    assert "BEGIN" not in told
    assert "line two" not in told


def test_numbers_and_the_names_of_keys_are_masked_too() -> None:
    graph = StateGraph("numbers", start="a")
    graph.add_key("pin", secret=True)
    mask = Mask(graph, {"pin": 481516})  # type: ignore[arg-type]  # its keys are enough
    assert mask.values({"seen": [481516, 481517, True], "481516": 1}) == {
        "seen": [MASK, 481517, True],
        MASK: 1,
    }


def test_explanations_do_not_tell_secrets() -> None:
    mask, executor = masked()
    run = executor.run(executor.start({}))
    for edge in run.history[0].edges:
        told = "\n".join(mask.text(line) for line in mask.explanation(edge.explanation).lines())
        assert "s3cret" not in told
        assert MASK in told


def test_inside_of_a_subgraph_a_secret_goes_by_its_own_name() -> None:
    graph = StateGraph("around", start="work")
    graph.add_key("sub/token", secret=True)
    mask = Mask(graph)  # type: ignore[arg-type]  # its keys are enough
    operand = Explanation("token", "ab", role="operand")
    told = mask.explanation(Explanation('token == "x"', result=False, parts=(operand,)))
    assert told.lines() == ['false   token == "x"', '          token = "***"']


def test_what_quotes_a_secret_is_masked_in_every_part_of_an_explanation() -> None:
    mask, _ = masked()
    part = Explanation("echo", {"is": ["I saw s3cret!"]}, error="no s3cret! here", role="operand")
    told = mask.explanation(
        Explanation('echo == "s3cret!"', result=False, parts=(part,), code=('x = "s3cret!"',))
    )
    assert told == Explanation(
        f'echo == "{MASK}"',
        result=False,
        parts=(Explanation("echo", {"is": [f"I saw {MASK}"]}, error=f"no {MASK} here", role="operand"),),
        code=(f'x = "{MASK}"',),
    )


def test_a_graph_without_secrets_is_told_as_it_is() -> None:
    graph = StateGraph("open", start="work")
    graph.add_node("work", lambda state: {})
    graph.add_edge("work", "__END__")
    mask = Mask(graph.compile(), {"a": "text"})
    assert mask.values({"a": "text", "b": [1]}) == {"a": "text", "b": [1]}
