"""What a hostile template cannot do: reach out, fill the memory, hold the interpreter."""

from __future__ import annotations

import pytest

from stepgraph import NodeFailed
from stepgraph.templates.template import Template
from tests.nodes.support import visited

BIG = "x" * 900_000
HUGE = "ab" * 3_000_000
STATE = {"big": BIG, "huge": HUGE, "rows": list(range(50)), "n": 7, "numbers": list(range(200_000))}
SHARED = "{% set n = namespace(x=[1]) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}{% endfor %}"


def refused(text: str) -> str:
    """What ``check`` says of a template, with what to do instead."""
    (problem,) = Template(text, "prompt").problems("n")
    assert problem.code == "G034"
    return f"{problem.message} ({problem.hint})"


def failure_of(text: str) -> str:
    template = Template(text, "prompt")
    assert list(template.problems("n")) == []  # it is found out only by the values
    with pytest.raises(NodeFailed) as failed:
        template.render(visited(STATE))
    return failed.value.message


def render(text: str) -> str:
    return Template(text, "prompt").render(visited(STATE))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{ ('a'*5000000).rfind('ab' ~ 'a'*2500000) }}", "no method named 'rfind'"),
        ("{{ big.rindex('ab') }}", "no method named 'rindex'"),
        ("{{ big.rsplit('ab') }}", "no method named 'rsplit' (did you mean 'split'?)"),
        ("{{ big.rpartition('ab') }}", "no method named 'rpartition'"),
        ("{{ big.strip('ab') }}", "the method 'strip' is used wrongly"),
        ("{{ big | trim('ab') }}", "the filter 'trim' is used wrongly: too many positional arguments"),
        ("{{ rows | map('trim', 'ab') }}", "the filter 'trim' is used wrongly"),
        ("{{ 'a'.ljust(10**9) }}", "no method named 'ljust'"),
        ("{{ (1).to_bytes(10, 'big') }}", "no method named 'to_bytes'"),
        ("{{ '{:{}}'.format(1, 9) }}", "no method named 'format' (use the filter: value | format)"),
        ("{{ rows.append(1) }}", "no method named 'append' (use {% set items = items + [item] %})"),
        ("{{ 9 ** 9 }}", "templates have no `**` (multiply,"),
        ("{{ big | center(9) }}", "no filter named 'center'"),
        ("{{ big | attr('__class__') }}", "no filter named 'attr' (write value.name or value['name'])"),
        ("{{ rows | map(big) | list }}", "map takes the name of a filter, in quotes"),
        ("{{ rows | map('upper', attribute='a') }}", "unexpected keyword argument 'attribute'"),
        ("{{ rows | map('map', 'upper') }}", "no filter named 'map' for map"),
        ("{{ rows | select('odd2') }}", "no test named 'odd2' for select (did you mean 'odd'?)"),
        ("{{ big | replace(*rows) }}", "replace takes no * and no **"),
        ("{{ big | replace('a') }}", "'new' (it is written replace(old, new, count))"),
        ("{{ lipsum(9) }}", "no function named 'lipsum' (there are: namespace, range)"),
        ("{{ rows is callable }}", "no test named 'callable'"),
        ("{% macro m() %}{{ m() }}{% endmacro %}", "templates have no `macro` (write the text"),
        ("{% for x in rows recursive %}{{ loop(x) }}{% endfor %}", "templates have no `recursive`"),
        ("{% import 'x' as y %}", "templates have no `import` (write its text"),
        ("{% with a = 1 %}{{ a }}{% endwith %}", "templates have no `with` (name the value"),
        ("{% filter upper %}a{% endfilter %}", "templates have no `filter` (use {% set text %}"),
        ("{% set a | upper %}a{% endset %}", "takes no filter"),
        ("{{ '%9d' % 1 }}", "% fills in no texts (write it so: '%s, %.2f' | format(name, amount))"),
        ("{{ '%s' % big }}", "line 1: % fills in no texts"),
        ("{{ 'a' '%s' % rows }}", "% fills in no texts"),
        ("{{ ('a' ~ big) % rows }}", "% fills in no texts"),
        ("{{ big.lstrip('ab') }}", "the method 'lstrip' is used wrongly"),
        ("{{ big.splitlines(true) }}", "the method 'splitlines' is used wrongly"),
    ],
)
def test_what_is_not_allowed_is_found_before_anything_runs(text: str, said: str) -> None:
    assert said in refused(text)
    assert refused(text).startswith("node 'n': the template 'prompt' is not allowed: line 1: ")
    with pytest.raises(NodeFailed, match="the template 'prompt' is not allowed: line 1: "):
        render(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{ rows | tojson(indent='x' * 1000) }}", "the filter 'tojson': its indent is from 0 to 8"),
        ("{{ huge | title }}", "the filter 'title': 6,000,000 characters are too many"),
        ("{{ huge | upper | length }}", "1,000,000 are the most"),
        ("{{ huge[1:] }}", "[:]: 5,999,999 characters are too many"),
        ("{{ 'a' * 10000000000 }}", "*: 10,000,000,000 characters are too many"),
        ("{{ 10000000000 * 'a' }}", "10,000,000,000 characters are too many"),
        ("{{ big ~ big }}", "1,800,000 characters are too many"),
        ("{{ big + big }}", "1,800,000 characters are too many"),
        ("{{ big | replace('x', big) }}", "810,000,000,000 characters are too many"),
        ("{{ big.replace('', big) }}", "characters are too many"),
        ("{{ range(100000) | join(big) }}", "characters are too many"),
        ("{{ big.join(range(100000)) }}", "characters are too many"),
        ("{{ ('\\n' * 900000) | indent(1000) }}", "characters are too many"),
        ("{{ ('\\x0b' * 900000) | indent(1000) }}", "characters are too many"),
        ("{{ big | indent(10000000000) }}", "characters are too many"),
        ("{{ range(10000000000) }}", "10,000,000,000 items are too many"),
        ("{{ range(10000000000000000000000) }}", "the number is too large"),
        ("{{ [0] * 1000000000 }}", "a number is needed here, not a list"),
        ("{{ ([[1]] * 2) }}", "a number is needed here, not a list"),
        ("{{ [[1]] | sum(start=[]) }}", "a number is needed here, not a list"),
        ("{{ '%999999999d' | format(1) }}", "%s, %d, %5d, %.2f"),
        ("{{ '%.*f' | format(9, 1) }}", "%s, %d, %5d, %.2f"),
        ("{% set m = 'a%s' %}{{ m % n }}", "%: a text and a number; '%.2f' | format(value)"),
        ("{{ big.lstrip().rstrip().capitalize() ~ big }}", "1,800,000 characters are too many"),
        ("{{ huge.splitlines() }}", "splitlines(): 6,000,000 characters are too many"),
        ("{{ n.splitlines() }}", "a text is needed here, not a number"),
        ("{{ 2.5 | round(1000000000) }}", "from -15 to 15 places"),
        ("{{ 12345 | round(-1000000000) }}", "from -15 to 15 places"),
        ("{{ 1e308 * 10 }}", "*: the number is too large"),
        ("{{ [1e308, 1e308] | sum }}", "the filter 'sum': the number is too large"),
        ("{{ ('9' * 4000) | int * ('9' * 4000) | int }}", "more than 4,000 digits"),
        ("{{ ('9' * 4000) | int / 0.5 }}", "/: the number is too large"),
        ("{{ n / 0 }}", "/: division by zero"),
        ("{{ {}[big] }}", "a table has no 'xxx"),
        ("{{ rows | join('a' * (('9' * 4000) | int)) }}", "so many characters are too many"),
        ("{{ n is divisibleby 0 }}", "the test 'divisibleby': division by zero"),
        ("{{ [n, 'a'] | sort }}", "a number and a text cannot be ordered; attribute='name'"),
        ("{{ n < 'a' }}", "<: a number and a text cannot be ordered"),
        ("{{ n + 'a' }}", "a number and a text; `~` joins values as text"),
        ("{% set m = n %}{{ m.first.x }}", "a number has no 'first'"),
        ("{{ big }}{{ big }}", "it renders more than 1,000,000 characters"),
        ("{{ ''.__class__ }}", "a text has no '__class__'"),
        ("{{ rows | map(attribute='__class__') }}", "a number has no '__class__'"),
        ("{{ big['__class__'] }}", "needs what the state does not have: 'big.__class__'"),
        ("{% set n.x = 1 %}", "'n' is not a namespace: {% set n = namespace() %} makes one"),
        ("{{ namespace(a=1) }}", "a namespace cannot be printed"),
        ("{{ [namespace(a=1)] }}", "a namespace cannot be written as JSON"),
        ("{{ {n: 1} }}", "a key of a table is a text, not a number"),
        ("{% for a, b in rows %}{% endfor %}", "a number cannot be taken apart into 2 names"),
        ("{% for a in n %}{% endfor %}", "a list is needed here, not a number"),
        ("{{ rows['a':] }}", "a whole number is needed here, not a text"),
        ("{{ n[1:] }}", "a number cannot be cut"),
    ],
)
def test_what_values_make_too_large_is_refused_before_it_is_made(text: str, said: str) -> None:
    message = failure_of(text)
    assert said in message
    assert len(message) < 300


@pytest.mark.parametrize(
    "text",
    [
        "{% for i in range(90000) %}{% for j in range(90000) %}{% endfor %}{% endfor %}",
        "{% for i in range(90000) %}{% set y = big == huge %}{% endfor %}",
        "{% for i in range(90000) %}{% set y = 'y' in huge %}{% endfor %}",
        "{% for i in range(90000) %}{% set y = huge.startswith(huge) %}{% endfor %}",
        "{% for i in range(90000) %}{% set y = big | lower %}{% endfor %}",
        "{% for i in range(90000) %}{% set y = big[1:] %}{% endfor %}",
        "{% for i in range(90000) %}{% set y = range(999) | sort | first %}{% endfor %}",
        "{% for i in range(90000) %}{% set y = rows | tojson %}{% endfor %}",
        "{% for i in range(90000) %}{% set y = {}[big] | default(1) %}{% endfor %}",
        "{% for i in range(90000) %}{% set y = {big: 1}.get(big) %}{% endfor %}",
        "{% for i in range(90000) %}{% set y = big in {} %}{% endfor %}",
        "{{ numbers | map(attribute=big, default=1) }}",
        "{{ numbers | map(attribute='a.' * 90, default=1) }}",
        "{{ 'a' | indent(-1000000000000) }}{% for i in range(90000) %}{% set y = big ~ i %}{% endfor %}",
        "{% for i in range(90000) %}{% set y = ('9' * 2000) | int * 9 %}{% endfor %}",
        "{% for i in huge %}{% endfor %}",
        "{% for i in huge if i == 'c' %}{% endfor %}",
        "{{ numbers | map('string') | sort | unique | map('int') | sort | length }}",
        "{% set n = namespace(x='a') %}{% for i in range(900) %}{% set n.x = n.x ~ 'a' * 9000 %}{% endfor %}",
        SHARED + "{{ n.x }}",
        SHARED + "{{ n.x | tojson(indent=8) }}",
        SHARED + "{{ n.x == n.x }}",
        SHARED + "{{ [n.x] < [n.x] }}",
        SHARED + "{{ n.x in [n.x] }}",
        SHARED + "{{ [n.x] | sort }}",
        SHARED + "{{ [n.x] | unique }}",
        SHARED + "{{ [n.x] | select('eq', n.x) | list | length }}",
        SHARED.replace("[1]", "[big]") + "{{ n.x | join(n.x) }}",
    ],
)
def test_work_is_counted_wherever_it_is_done(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stepgraph.templates.render_budget.WORK", 2_000_000)  # quicker, and no less telling
    assert any(said in failure_of(text) for said in ("it is too much work", "characters are too many"))


def test_a_value_that_is_nested_without_end_is_refused() -> None:
    deep = "{% set n = namespace(x=1) %}{% for i in range(50000) %}{% set n.x = [[[[n.x]]]] %}{% endfor %}"
    for use in ("{{ n.x }}", "{{ n.x == [n.x] }}"):
        assert "nested too deeply" in failure_of(deep + use)


def test_ordinary_formatting_works() -> None:
    text = (
        "{{ '%.2f' | format(n) }} {{ '%05d' | format(n) }} {{ '%s%%' | format('a') }} {{ 7.25 | round(1) }}"
    )
    assert render(text) == "7.00 00007 a% 7.2"


def test_a_failure_says_at_which_line() -> None:
    assert failure_of("one\n{{ n / 0 }}") == "the template 'prompt' failed at line 2: /: division by zero"


def test_loops_and_blocks_work_as_in_any_template() -> None:
    text = (
        "{% for x in rows %}{{ loop.index }}/{{ loop.length }}<{{ x }}>{{ ', ' if not loop.last }}"
        "{% endfor %}"
        "{% set n = namespace(sum=0) %}"
        "{% for x in [1, 2, 3] if x != 2 %}{% set n.sum = n.sum + x %}{% endfor %}"
        "{% set kept %}[{{ n.sum }}]{% endset %}{{ kept * 2 }}"
        "{% for x in [] %}{{ x }}{% else %}none{% endfor %}"
    )
    rendered = Template(text, "prompt").render(visited({"rows": ["a", "b"]}))
    assert rendered == "1/2<a>, 2/2<b>[4][4]none"
