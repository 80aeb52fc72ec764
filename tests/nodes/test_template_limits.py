"""What a hostile template cannot do: reach out of the sandbox, fill the memory, run for ever."""

from __future__ import annotations

import pytest

from stepgraph import NodeFailed
from stepgraph.nodes.templates import Template
from tests.nodes.support import visited

BIG = "x" * 900_000
NESTED = "{% set n = namespace(x=[1]) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}{% endfor %}"


def failure_of(text: str) -> str:
    template = Template(text, "prompt")
    assert list(template.problems("n")) == []  # checking a graph runs nothing of a template
    with pytest.raises(NodeFailed) as failed:
        template.render(visited({"big": BIG, "rows": list(range(50)), "amount": 7}))
    return failed.value.message


def test_the_text_it_renders_is_capped() -> None:
    assert "renders more than 1,000,000 characters" in failure_of("{{ big }}{{ big }}")
    assert len(Template("{{ big }}", "prompt").render(visited({"big": BIG}))) == 900_000


@pytest.mark.parametrize(
    "text",
    [
        "{{ 'a' * 10**9 }}",
        "{{ 10**9 * 'a' }}",
        "{{ [0] * 10**9 }}",
        "{{ ('a' * 10**6) * 100 }}",
        "{{ big | replace('x', big) }}",
        "{{ big.replace('x', big) }}",
        "{{ big.join(range(100000)) }}",
        "{{ range(100000) | join(big) }}",
        "{{ ('\n' * 10**6) | indent(10**6) }}",
        "{{ ('%s' * 1000) | format(big) }}",
        "{{ ('{0}' * 1000).format(big) }}",
        "{{ rows | tojson(indent=10**6) }}",
        "{{ range(100000) | map('replace', '0', big) | list | length }}",
        "{% set n = namespace(x='aaaa') %}{% for i in range(60) %}{% set n.x = n.x + n.x %}{% endfor %}",
        "{% set n = namespace(x='aaaa') %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}",
        "{% set n = namespace(x='a') %}"
        "{% for i in range(60) %}{% set n.x %}{{ n.x }}{{ n.x }}{% endset %}{% endfor %}",
        "{% set n = namespace(x=[1]) %}{% for i in range(60) %}{% set n.x = n.x + n.x %}{% endfor %}",
        NESTED + "{{ n.x }}",
        NESTED + "{{ n.x | upper }}",
        NESTED + "{{ n.x | string }}",
    ],
)
def test_it_cannot_fill_the_memory(text: str) -> None:
    assert "it would make more than 10,000,000 characters" in failure_of(text)


@pytest.mark.parametrize("text", ["{{ 9**(9**9) }}", "{{ 2**100000 }}", "{{ (10**4000) * (10**4000) }}"])
def test_it_cannot_make_endless_numbers(text: str) -> None:
    assert "thousands of digits" in failure_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "{{ '%1000000000d' % 1 }}",
        "{{ '%.*f' % (10**9, 1) }}",
        "{{ '{:1000000000}'.format(1) }}",
        "{{ '{:{}}'.format(1, 10**9) }}",
    ],
)
def test_it_cannot_make_endless_widths(text: str) -> None:
    assert "a width or precision of more than three digits" in failure_of(text)


def test_a_filter_takes_no_endless_number() -> None:
    assert "1,000,000,000 is too much for a filter" in failure_of("{{ 2.5 | round(10**9) }}")


def test_what_is_no_json_cannot_be_written_as_json() -> None:
    assert "cannot be written as JSON" in failure_of("{{ [range] | tojson }}")


def test_ordinary_formatting_works() -> None:
    text = "{{ '%.2f' | format(n) }} {{ '%05d' % n }} {{ '{:>4}'.format(n) }} {{ n | round(1) }}"
    assert Template(text, "prompt").render(visited({"n": 7})) == "7.00 00007    7 7"


@pytest.mark.parametrize(
    "text",
    [
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(40) }}",
    ],
)
def test_it_cannot_run_for_ever(text: str) -> None:
    assert "more than 200,000 turns" in failure_of(text)


def test_a_macro_that_calls_itself_is_stopped() -> None:
    assert "calls itself without end" in failure_of("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}")


@pytest.mark.parametrize(
    "text",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ big['__class__'] }}",
        "{{ big | attr('__class__') }}",
        "{{ 'a'.ljust(10**9) }}",
        "{{ 'a'['ljust'](10**9) }}",
        "{{ (1).to_bytes(10**9, 'big') }}",
        "{{ rows.append(1) }}",
        "{{ '{0.__class__}'.format(1) }}",
    ],
)
def test_it_reaches_no_python_and_no_method_that_grows_or_changes_things(text: str) -> None:
    assert "is not available in templates" in failure_of(text)


def test_a_failing_expression_says_where() -> None:
    assert failure_of("one\n{{ amount / 0 }}") == (
        "the template 'prompt' failed at line 2: ZeroDivisionError: division by zero"
    )
    assert "safe_range is a function" in failure_of("{{ range }}")


def test_loops_and_blocks_work_as_in_any_template() -> None:
    text = (
        "{% macro li(x) %}<{{ x }}>{% endmacro %}"
        "{% for row in rows %}{{ loop.index }}/{{ loop.length }}{{ li(row) }}"
        "{{ ', ' if not loop.last }}{% endfor %}"
        "{% for x in tree recursive %}[{{ loop(x) if x else '.' }}]{% endfor %}"
        "{% filter upper %}{{ 'a' ~ 1 ~ none }}{% endfilter %}"
    )
    rendered = Template(text, "prompt").render(visited({"rows": ["a", "b"], "tree": [[], [[]]]}))
    assert rendered == "1/2<a>, 2/2<b>[.][[.]]A1NONE"
