"""What a hostile template cannot do: reach out of the sandbox, fill the memory, run for ever."""

from __future__ import annotations

import pytest

from stepgraph import NodeFailed
from stepgraph.templates.template import Template
from tests.nodes.support import visited

BIG = "x" * 900_000
NESTED = "{% set n = namespace(x=[1]) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}{% endfor %}"


@pytest.fixture(autouse=True)
def time_is_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a slow machine it would be met before the others."""
    monkeypatch.setattr("stepgraph.templates.render_budget.SECONDS", 3600.0)


def failure_of(text: str) -> str:
    template = Template(text, "prompt")
    assert list(template.problems("n")) == []  # checking a graph runs nothing of a template
    with pytest.raises(NodeFailed) as failed:
        template.render(visited({"big": BIG, "rows": list(range(50)), "amount": 7}))
    return failed.value.message


def test_the_text_it_renders_is_capped() -> None:
    assert "renders more than 1,000,000 characters" in failure_of("{{ big }}{{ big }}")
    assert len(Template("{{ big }}", "prompt").render(visited({"big": BIG}))) == 900_000


def test_a_value_is_capped() -> None:
    assert "it would make more than 10,000,000 characters" in failure_of("{{ 'a' * 10**9 }}")


@pytest.mark.parametrize(
    "text",
    [
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
def test_it_cannot_fill_the_memory(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stepgraph.templates.size_limits.WORKING", 1_000_000)  # quicker, and no less telling
    assert "it would make more than 1,000,000 characters" in failure_of(text)


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
        "{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}",
        "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(40) }}",
    ],
)
def test_it_cannot_run_for_ever(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stepgraph.templates.render_budget.TURNS", 20_000)  # quicker, and no less telling
    assert "more than 20,000 turns" in failure_of(text)


def test_the_turns_of_a_template_are_capped() -> None:
    text = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
    assert "more than 200,000 turns" in failure_of(text)


TWINS = (
    "{% set n = namespace(x=[1], y=[1]) %}"
    "{% for i in range(60) %}{% set n.x = [n.x, n.x] %}{% set n.y = [n.y, n.y] %}{% endfor %}"
)
KEYS = "{% set n = namespace(x=(1,)) %}{% for i in range(60) %}{% set n.x = (n.x, n.x) %}{% endfor %}"


@pytest.mark.parametrize(
    "text",
    [
        TWINS + "{{ n.x == n.y }}",
        TWINS + "{{ n.x < n.y }}",
        TWINS + "{{ n.x in [n.y] }}",
        TWINS + "{{ n.x in {'a': n.y}.values() }}",
        TWINS + "{{ n.x is eq n.y }}",
        TWINS + "{{ [n.x].index(n.y) }}",
        TWINS + "{{ [n.x] | select('eq', n.y) | list | length }}",
        KEYS + "{{ {n.x: 1} }}",
        KEYS + "{{ {'a': 1}[n.x] }}",
        KEYS + "{{ {'a': 1}.get(n.x) }}",
        NESTED + "{{ '%s' % {'a': n.x}.items() }}",
        NESTED + "{{ {'a': n.x}.values() }}",
    ],
)
def test_comparing_hashing_and_printing_shared_parts_does_not_take_for_ever(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stepgraph.templates.size_limits.WORKING", 100_000)  # quicker, and no less telling
    with pytest.raises(NodeFailed, match="it would make more than 100,000 characters"):
        Template(text, "prompt").render(visited({}))


def test_variables_of_a_namespace_are_not_printed_together() -> None:
    assert Template(NESTED + "{{ n }}", "prompt").render(visited({})) == "<namespace>"


@pytest.mark.parametrize(
    "made",
    [
        "big.lower()",
        "big[1:]",
        "big ~ i",
        "big + 'x'",
        "big | upper",
        "'a' * 900000",
        "big.split('x')",
        "range(99999) | list",
        "dict.fromkeys(range(99999))",
        "[" + "i," * 2_000 + "]",
    ],
)
def test_it_cannot_fill_the_memory_bit_by_bit(made: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stepgraph.templates.render_budget.MADE", 5_000_000)  # quicker, and no less telling
    loop = f"{{% for i in range(90000) %}}{{% set n.x = [n.x, {made}] %}}{{% endfor %}}"
    assert "more than 5,000,000 characters on its way" in failure_of("{% set n = namespace(x=[]) %}" + loop)


@pytest.mark.parametrize(
    "text",
    [
        "{% for i in range(99999) %}{% set y = (big ~ '1').count('y') %}{% endfor %}",
        "{% for i in range(99999) %}{% set y = rows | tojson %}{% endfor %}",
        "{% for i in range(99999) %}{% set y = range(999) | sort | first %}{% endfor %}",
        "{% for i in range(99999) %}{% set y = big == other %}{% endfor %}",
    ],
)
def test_it_cannot_take_longer_than_it_is_allowed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stepgraph.templates.render_budget.SECONDS", 0.01)
    monkeypatch.setattr("stepgraph.templates.render_budget.MADE", 10**12)
    with pytest.raises(NodeFailed, match=r"it takes more than 0\.01 seconds"):
        Template(text, "prompt").render(visited({"big": BIG, "other": BIG[:-1] + "z", "rows": [1] * 5_000}))


def test_sum_adds_numbers_only() -> None:
    assert "sum adds numbers only" in failure_of("{{ ([[1]] * 100000) | sum(start=[]) }}")
    assert Template("{{ rows | sum(start=1) }}", "prompt").render(visited({"rows": [1, 2]})) == "4"


def test_a_text_of_endless_digits_is_no_number() -> None:
    text = "{{ ('f' * 9000000) | int(base=16) }} {{ 'ff' | int(base=16) }} {{ 'x' | int(-1) }}"
    assert Template(text, "prompt").render(visited({})) == "0 255 -1"


def test_one_rendering_does_not_use_up_what_the_next_is_allowed() -> None:
    template = Template("{% for i in range(90000) %}{% endfor %}{{ ('a' * 9000000) | length }}", "prompt")
    assert {template.render(visited({})) for _ in range(7)} == {"9000000"}


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
