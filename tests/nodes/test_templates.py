"""Templates: what they read, what they render, and how they fail."""

from __future__ import annotations

import pytest

from stepgraph import NodeFailed
from stepgraph.templates.template import Template
from tests.nodes.support import visited

ORDER = {"order": {"id": 8812, "amount": 240.0, "items": ["lamp", "cable"]}, "ticket": "charged twice"}


def render(text: str, values: dict[str, object] | None = None) -> str:
    return Template(text, "prompt").render(visited(ORDER if values is None else values))


# acceptance 67
def test_names_and_paths_of_the_state_are_filled_in() -> None:
    assert (
        render("Order {{ order.id }} ({{ order['amount'] }}): {{ ticket }}")
        == "Order 8812 (240.0): charged twice"
    )


# acceptance 67
@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("{{ '{{' }} id }}", "{{ id }}"),
        ("{% raw %}{{ ticket }}{% endraw %}", "{{ ticket }}"),
        ('a JSON example: {"id": 1}', 'a JSON example: {"id": 1}'),
        ("a set brace { and } alone", "a set brace { and } alone"),
    ],
)
def test_braces_can_be_written(text: str, made: str) -> None:
    assert render(text) == made


# acceptance 67
def test_all_missing_names_are_listed_at_once_with_the_nearest_known_ones() -> None:
    with pytest.raises(NodeFailed) as failed:
        render("{{ tiket }} {{ order.amuont }} {{ order.amuont }} {{ customer.name }}")
    assert failed.value.message == (
        "the template 'prompt' needs what the state does not have: "
        "'tiket' (did you mean 'ticket'?), 'order.amuont' (did you mean 'order.amount'?), 'customer'"
    )
    assert failed.value.hint == "it has: order, ticket"


# e9 14
def test_a_missing_value_never_becomes_a_word_in_the_prompt() -> None:
    with pytest.raises(NodeFailed, match="'context'"):
        render("Question: {{ question }}\nContext: {{ context }}", {"question": "why?"})


# e9 14
@pytest.mark.parametrize(
    ("value", "made"), [(12, "12"), (True, "True"), ([1, "a"], '[1, "a"]'), ({"a": None}, '{"a": null}')]
)
def test_any_type_of_value_can_be_printed(value: object, made: str) -> None:
    assert render("{{ question }}", {"question": value}) == made


@pytest.mark.parametrize(
    ("expression", "made"),
    [
        ("rows | join(', ', attribute='id')", "1, 2"),
        ("rows | map(attribute='id') | list", "[1, 2]"),
        ("rows | tojson", '[{"id": 1}, {"id": 2}]'),
        ("rows[0] | tojson(indent=1)", '{\n "id": 1\n}'),
        ("'a\nb' | indent(2)", "a\n  b"),
        ("'a\nb' | indent('> ', first=true)", "> a\n> b"),
        ("12 | indent", "12"),
        ("'<b> & c' | replace('b', 'i')", "<i> & c"),
        ("'a-b'.replace('-', '+')", "a+b"),
        ("'x' | string ~ 1 ~ rows[0]", 'x1{"id": 1}'),
        ("'long text' | truncate(6, leeway=0)", "lon..."),
    ],
)
def test_the_usual_filters_work(expression: str, made: str) -> None:
    assert render("{{ " + expression + " }}", {"rows": [{"id": 1}, {"id": 2}]}) == made


@pytest.mark.parametrize(
    ("call", "made"),
    [
        ("capitalize()", "  two\nlines, one\r\nmore \n"),
        ("lstrip()", "tWO\nlines, One\r\nmore \n"),
        ("rstrip()", "  tWO\nlines, One\r\nmore"),
        ("splitlines()", ["  tWO", "lines, One", "more "]),
        ("strip().splitlines()[1:]", ["lines, One", "more"]),
        ("strip().capitalize()", "Two\nlines, one\r\nmore"),
    ],
)
def test_a_text_is_stripped_split_and_capitalized_by_its_methods(call: str, made: object) -> None:
    template = Template(f"{{{{ ticket.{call} }}}}", "prompt")
    assert template.value(visited({"ticket": "  tWO\nlines, One\r\nmore \n"})) == made


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("one\n{{ a b }}", "line 2: expected token 'end of print statement', got 'b'", ""),
        ("{{ ticket | uper }}", "line 1: no filter named 'uper'", "did you mean 'upper'?"),
        ("{% include 'other.txt' %}", "templates have no `include`", "write its text into this template"),
        ("{{ " + "(" * 5_000 + ")" * 5_000 + " }}", "nested too deeply", "name a part of it with {% set %}"),
        ("{{ " + "1 + " * 5_000 + "1 }}", "nested too deeply", "name a part of it with {% set %}"),
        ("{{ 1" + "0" * 5_000 + " }}", "is too large", ""),
        ("{{ 1e999 }}", "line 1: the number 1e999 is too large", ""),
        ("{{ '\\ud800' }}", "line 1: an unpaired surrogate", ""),
    ],
)
def test_a_template_that_cannot_be_used_is_a_problem_with_its_line(
    text: str, message: str, hint: str
) -> None:
    template = Template(text, "system")
    (problem,) = template.problems("draft")
    assert (problem.code, problem.place.node, problem.place.key) == ("G034", "draft", "system")
    assert message in problem.message
    assert problem.hint == hint
    assert template.names == frozenset()
    with pytest.raises(NodeFailed, match=r"'system' (does not parse|is not allowed): "):
        template.render(visited({}))


@pytest.mark.parametrize("text", ["{{ order.amuont }}", "{{ [order.amuont] }}", "{{ {'a': order.amuont} }}"])
def test_a_value_that_is_missing_fails_as_a_text_would(text: str) -> None:
    with pytest.raises(NodeFailed, match=r"'order\.amuont' \(did you mean 'order\.amount'\?\)"):
        Template(text, "arguments.x").value(visited(ORDER))


def test_a_value_that_is_no_json_is_refused() -> None:
    with pytest.raises(NodeFailed, match=r"'arguments\.x' does not give JSON"):
        Template("{{ namespace(a=1) }}", "arguments.x").value(visited({}))


@pytest.mark.parametrize("text", ["Say {{ a", "{% if a %}\nb", "{{", "{% for x in"])
def test_where_a_template_breaks_off_the_caret_stands_behind_it(text: str) -> None:
    shown, mark = next(iter(Template(text, "prompt").problems("draft"))).excerpt.split("\n")
    assert len(mark) - 1 == len(shown)
