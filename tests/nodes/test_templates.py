"""Templates: what they read, what they render, and how they fail."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from stepgraph import NodeFailed
from stepgraph.templates.comparisons import TESTS
from stepgraph.templates.filters import FILTERS, FUNCTIONS, METHODS
from stepgraph.templates.template import Template, rendered, templates_in
from stepgraph.values.json_values import Json
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


@pytest.mark.parametrize(
    "text", ["{{ critique | default('none') }}", "{% if critique is defined %}x{% else %}none{% endif %}"]
)
def test_a_name_may_be_missing_where_the_template_says_so(text: str) -> None:
    assert render(text) == "none"
    with pytest.raises(NodeFailed, match="'other'") as failed:
        render(text + "{{ other }}")
    assert "critique" not in failed.value.message


def test_a_missing_item_of_a_list_and_a_missing_part_of_a_loop_are_named() -> None:
    with pytest.raises(NodeFailed, match=r"'order\.items\.5'"):
        render("{{ order['items'][5] }}")
    with pytest.raises(NodeFailed, match="at line 2: a table has no 'name'"):
        render("{% for row in rows %}\n{{ row.name }}{% endfor %}", {"rows": [{"nam": 1}]})


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


def test_a_key_is_found_before_a_method_of_the_same_name() -> None:
    assert render("{{ order.items | join(', ') }}") == "lamp, cable"
    assert (
        render("{% for k, v in table.items() %}{{ k }}={{ v }};{% endfor %}", {"table": {"a": 1}}) == "a=1;"
    )


def test_a_key_that_is_no_identifier_is_read_from_the_state() -> None:
    template = Template("{{ state['my-key'] }}", "prompt")
    assert template.render(visited({"my-key": "here"})) == "here"
    assert template.names == {"my-key"}
    with pytest.raises(NodeFailed, match="did you mean 'my-key'"):
        Template("{{ state['my-kee'] }}", "prompt").render(visited({"my-key": "here"}))


def test_text_from_the_state_is_never_taken_for_a_template() -> None:
    assert render("{{ ticket }}", {"ticket": "{{ secret }}", "secret": "s3"}) == "{{ secret }}"


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


def test_blank_lines_at_the_end_are_kept_with_and_without_names() -> None:
    assert render("a\n") == "a\n"
    assert render("{{ ticket }}\n") == "charged twice\n"


def test_a_template_knows_what_it_reads() -> None:
    text = "{{ a.b }} {% for x in rows %}{{ x }}{% endfor %} {% set y = c %}{{ y }} {{ range(3) | join }}"
    assert Template(text, "prompt").names == {"a", "rows", "c"}
    templates = templates_in({"q": ["{{ a }}", {"deep": "{{ b }}"}], "n": 1}, "arguments")
    assert [template.names for template in templates] == [{"a"}, {"b"}]


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
        ("{{ '\\ud800' }}", "line 1: half a character", ""),
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


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{{ order.amount }}", 240.0),
        ("{{ order.items }}\n", '["lamp", "cable"]\n'),
        (" {{ order.amount }}", " 240.0"),
        ("{{ order }}", ORDER["order"]),
        ("{{ order.amount > 100 }}", True),
        ("{{ order.items | map('upper') }}", ["LAMP", "CABLE"]),
        ("{{ order.id }}!", "8812!"),
        ("plain", "plain"),
    ],
)
def test_a_text_that_is_exactly_one_expression_keeps_its_type(text: str, value: object) -> None:
    found = Template(text, "arguments.x").value(visited(ORDER))
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", ["{{ order.amuont }}", "{{ [order.amuont] }}", "{{ {'a': order.amuont} }}"])
def test_a_value_that_is_missing_fails_as_a_text_would(text: str) -> None:
    with pytest.raises(NodeFailed, match=r"'order\.amuont' \(did you mean 'order\.amount'\?\)"):
        Template(text, "arguments.x").value(visited(ORDER))


def test_a_value_that_is_no_json_is_refused() -> None:
    with pytest.raises(NodeFailed, match=r"'arguments\.x' gives no JSON"):
        Template("{{ namespace(a=1) }}", "arguments.x").value(visited({}))


def test_nested_settings_are_rendered_and_what_is_no_text_is_kept() -> None:
    setting: Json = {"id": "{{ order.id }}", "note": ["about {{ order.id }}", 7, None, True]}
    assert rendered(setting, "arguments", visited(ORDER)) == {
        "id": 8812,
        "note": ["about 8812", 7, None, True],
    }


def test_a_template_cannot_change_the_state() -> None:
    values = {"tags": ["a"], "table": {"k": {"deep": 1}}}
    state = visited(values)
    for text in ("{{ tags.append('b') }}", "{{ table.update({'k': 2}) }}", "{% set table.k = 1 %}"):
        with pytest.raises(NodeFailed):
            Template(text, "prompt").render(state)
    value = Template("{{ table }}", "prompt").value(state)
    assert isinstance(value, dict)
    value["k"] = "changed"
    assert values == {"tags": ["a"], "table": {"k": {"deep": 1}}}
    assert state["table"] == {"k": {"deep": 1}}


def test_jinja_is_loaded_only_for_texts_with_braces() -> None:
    code = (
        "import sys\n"
        "from stepgraph.templates.template import Template\n"
        "assert Template('plain', 'prompt').render({}) == 'plain'\n"
        "assert 'jinja2' not in sys.modules\n"
        "assert Template('{{ a }}', 'prompt').render({'a': 1}) == '1'\n"
        "assert 'jinja2' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("text", "line", "at"),
    [
        ("{{ a b }}", "{{ a b }}", "b }}"),
        ("one\n\t{{ a | nope }} {{ nope }}", " {{ a | nope }} {{ nope }}", "nope }} {{"),
        ("日本 {{ a | nope }}", "日本 {{ a | nope }}", "nope"),
        ("{{ a is not odd2 }}", "{{ a is not odd2 }}", "odd2"),
        ("a\r\nb {{ 日 日 }}", "b {{ 日 日 }}", "日 }}"),
        ("{{ a ? b }}", "{{ a ? b }}", "? b"),
        ("{% nope %}", "{% nope %}", "nope"),
        ("one\n {% include 'x' %}", " {% include 'x' %}", "include"),
        ("{{ 1e9 * 1e999 }}", "{{ 1e9 * 1e999 }}", "1e999"),
        ("{{ 2 ** 3 }}", "{{ 2 ** 3 }}", "** 3"),
        ("a\n{{ b }}{{ b.rfind('a') }}", "{{ b }}{{ b.rfind('a') }}", "rfind"),
        ("{{ a | b.c }}", "{{ a | b.c }}", "{{"),
    ],
)
def test_the_caret_of_a_template_stands_under_the_mistake(text: str, line: str, at: str) -> None:
    excerpt = next(iter(Template(text, "prompt").problems("draft"))).excerpt
    shown, mark = excerpt.split("\n")
    assert shown == line
    before = line[: line.index(at)]
    assert len(mark) - 1 == len(before) + sum(char in "日本" for char in before)


@pytest.mark.parametrize("text", ["Say {{ a", "{% if a %}\nb", "{{", "{% for x in"])
def test_where_a_template_breaks_off_the_caret_stands_behind_it(text: str) -> None:
    shown, mark = next(iter(Template(text, "prompt").problems("draft"))).excerpt.split("\n")
    assert len(mark) - 1 == len(shown)


def test_a_prompt_reads_facts_of_the_run_and_keys_of_their_names_through_state() -> None:
    assert render("{{ step }} {{ state['step'] }} {{ state.state }}", {"step": "mine", "state": "too"}) == (
        "1 mine too"
    )
    template = Template("{{ last_output }}{{ step }}{{ visits.draft }}{{ state.visits }}{{ x }}", "prompt")
    assert template.names == {"visits", "x"}
    assert template.visits_read == {"draft"}
    with pytest.raises(NodeFailed, match=r"'visits\.nobody'"):
        render("{{ visits.nobody }}")


def test_the_page_of_the_format_lists_all_that_templates_may_use() -> None:
    page = (Path(__file__).parents[2] / "graphs" / "FORMAT.md").read_text(encoding="utf-8")
    tables = {"filters": FILTERS, "tests": TESTS, "methods": METHODS, "functions": FUNCTIONS}
    for kind, table in tables.items():
        (row,) = (line for line in page.splitlines() if line.startswith(f"| {kind} |"))
        assert set(re.findall("`(.+?)`", row)) == table.keys()
