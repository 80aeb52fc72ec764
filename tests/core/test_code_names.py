"""What the source of a predicate names: found in its text, which is never run."""

from __future__ import annotations

from textwrap import dedent

import pytest

from stepgraph.conditions.code_names import CodeNames, names_in


def read(source: str) -> CodeNames | None:
    return names_in(tuple(source.split("\n")))


def named(source: str) -> list[str]:
    found = read(dedent(source))
    assert found is not None
    return [each.text for each in found.names]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ('context.state["count"] > 2', ["count"]),
        ('context.state.get("tries", 0) > 2', ["tries"]),
        ('context.values["count"] > 2', ["count"]),
        ('"draft" in context.state', ["draft"]),
        ('"draft" not in context.state', ["draft"]),
        ('context.state["order"]["sum"] > context.state["order"]["limit"]', ["order.sum", "order.limit"]),
        ('context.state.get("order", {}).get("amount")', ["order.amount"]),
        ('context.state.get("a", context.state["b"])', ["a", "b"]),
        ('context.state["docs"][0]["my-key"]', ['docs[0]["my-key"]']),
        ('context.state["step"] > context.step', ['state["step"]', "step"]),
        ('context.visits["draft"] > 1 or context.visits.get("check", 0)', ["visits.draft", "visits.check"]),
        ("sum(context.visits.values())", ["visits"]),
        ('"yes" in context.last_output', ["last_output"]),
        ('any(doc["ok"] for doc in context.state["docs"])', ["docs"]),
        ('context.state[f"n{context.step}"]', ["step"]),
        ('context.state["a"] and context.state["a"]', ["a"]),
        ('(state := context.state)["a"] and state["b"]', ["a", "b"]),
        ('is_good(context.state)', []),
        ('other["count"] > 2 and os.environ["HOME"]', []),
        ('context.outputs["draft"]', []),
        ('context.state[True]', []),
        ("True", []),
    ],
)  # fmt: skip
def test_names_are_constants_that_look_into_the_context(body: str, names: list[str]) -> None:
    assert named(f"def asks(context):\n    return {body}") == names
    assert named(f'graph.add_edge("a", "b", when=lambda context: {body}, label="x")') == names


def test_parts_of_the_context_may_have_names_of_their_own() -> None:
    source = """
        def asks(context):
            state = context.state
            order = state["order"]
            return order["amount"] > state["limit"]
        """
    assert named(source.strip("\n")) == ["order", "order.amount", "limit"]


def test_a_name_that_means_two_things_means_nothing() -> None:
    source = """
        def asks(context):
            order = context.state["old"]
            order = context.state["new"]
            return order["amount"]
        """
    assert named(source.strip("\n")) == ["old", "new"]


@pytest.mark.parametrize(
    ("source", "function"),
    [
        ("@decorated(1)\ndef asks(context):\n    return context.step", "asks"),
        ("    def asks(self, context):\n        return context.step and self.state['x']", "asks"),
        ("class Asks:\n    limit = 3\n    def __call__(self, context):\n        return context.step", "Asks"),
        ("asks = lambda context: context.step", "<lambda>"),
        ("    when=lambda context: context.step,", "<lambda>"),
        ('    ("b", lambda context: context.step), ("c", 3),', "<lambda>"),
        ("    when=lambda context: (  # long\n        context.step\n        > 2),", "<lambda>"),
        ("    lambda context: any(map(lambda each: each > context.step, range(3)))", "<lambda>"),
    ],
)
def test_the_function_is_found_in_the_lines_that_have_it(source: str, function: str) -> None:
    found = read(source)
    assert found is not None
    assert (found.function, [each.text for each in found.names]) == (function, ["step"])


@pytest.mark.parametrize(
    "source",
    [
        '    ("a", lambda c: c.state["a"]), ("b", lambda c: c.state["b"])',
        'pick(lambda c: c.state["a"], lambda c: c.state["b"])',
        'say("lambda", lambda c: c.step)',
        "def asks(context:",
        "class Other:\n    limit = 3",
        "limit = 3",
        "",
        "\0",
        "(" * 10_000,
        "x" * 60_000,
    ],
)
def test_where_it_cannot_be_told_which_function_it_is_nothing_is(source: str) -> None:
    assert read(source) is None


def test_of_very_many_names_the_first_are_told() -> None:
    many = " or ".join(f'context.state["k{at}"]' for at in range(100))
    assert named(f"def asks(context):\n    return {many}") == [f"k{at}" for at in range(20)]
