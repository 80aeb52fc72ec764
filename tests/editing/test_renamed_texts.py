"""Names within conditions, templates and tool calls: only the names change."""

from __future__ import annotations

import pytest

from stepgraph.expressions.rename import with_keys
from stepgraph.templates.parsing import with_key
from stepgraph.templates.parsing import with_nodes as nodes_in_template
from stepgraph.values.errors import StepgraphError


@pytest.mark.parametrize(
    ("text", "renamed"),
    [
        ("draft", "letter"),
        ("draft.draft == 'draft'  and  draft[0] > 1", "letter.draft == 'draft'  and  letter[0] > 1"),
        ("state.draft in [1] or state['draft'] == 2", "state.letter in [1] or state['letter'] == 2"),
        ('state["draft"].x is None', 'state["letter"].x is None'),
        ('state["\\u0064raft"] == 1', 'state["letter"] == 1'),
        ("\n  not draft  # draft\n", "\n  not letter  # draft\n"),
        ("é == 'é' and draft == 'ü'", "é == 'é' and letter == 'ü'"),
        ("visits.draft > 1 and order.draft", None),
        ("draft_2 == 1 and adraft and draft2 and 'a draft'", None),
        ("1 if draft_2 else 2", None),
        ("draft_2 == 1 and(draft)and adraft", "draft_2 == 1 and(letter)and adraft"),
        ("1<draft", "1<letter"),
        ("last_output == 'draft'", None),
        ("draft ==", None),
        ("draft + 1", None),
        ("f(draft)", None),
        ("", None),
        ("draft " * 2000, None),
    ],
)
def test_a_condition_names_a_key_by_its_new_name(text: str, renamed: str | None) -> None:
    assert with_keys(text, {"draft": "letter"}) == (text if renamed is None else renamed)


def test_quotes_stay_as_they_were_where_the_name_allows_it() -> None:
    assert with_keys("state['a'] == 1", {"a": "b c"}) == "state['b c'] == 1"
    assert with_keys("state['a'] == 1", {"a": "it's"}) == 'state["it\'s"] == 1'
    assert with_keys("state.a == 1", {"a": "b c"}) == 'state["b c"] == 1'


def test_a_name_in_another_spelling_is_found() -> None:
    assert with_keys("ﬁeld == 1", {"field": "x"}) == "x == 1"


@pytest.mark.parametrize("new", ["__x", "x" * 1000, "__class__"])
def test_a_name_that_no_condition_can_have_is_refused(new: str) -> None:
    with pytest.raises(StepgraphError):
        with_keys("draft == 1", {"draft": new})


@pytest.mark.parametrize(
    ("text", "renamed"),
    [
        ("{{ draft }} draft", "{{ letter }} draft"),
        ("{{ state.draft | default('') }}", "{{ state.letter | default('') }}"),
        ("{{ x.draft }} {{ x['draft'] }} {{ 'draft' }} {{ f(draft=1) }}", None),
        ("{{ range(draft) | default(draft=1) }}", None),
        ("{{ namespace(draft=draft).draft }}", "{{ namespace(draft=letter).draft }}"),
        ("{{ draft.draft | default('draft') }}", "{{ letter.draft | default('draft') }}"),
        (
            "{%- if draft is defined -%}  {{draft}}{%- endif %}",
            "{%- if letter is defined -%}  {{letter}}{%- endif %}",
        ),
        ("{{ state.draft }}{{ state['draft'].x }}", "{{ state.letter }}{{ state['letter'].x }}"),
        ("{{ state.draft|default('') }}", "{{ state.letter|default('') }}"),
        ('{{ state["\\u0064raft"] }}', '{{ state["letter"] }}'),
        ("{{ other.state.draft }}", None),
        ("{{ draft_2 }}{{ adraft }}{{ draft2.x }}", None),
        ("{{ draft_2 }}{{draft}}{{ adraft ~draft~ 1 }}", "{{ draft_2 }}{{letter}}{{ adraft ~letter~ 1 }}"),
        ("{% set draft = draft|trim %}{{ draft }}", "{% set draft = letter|trim %}{{ draft }}"),
        (
            "{% for draft in drafts %}{{ draft }}{% else %}{{ draft }}{% endfor %}{{ draft }}",
            "{% for draft in drafts %}{{ draft }}{% else %}{{ letter }}{% endfor %}{{ letter }}",
        ),
        ("{% for x in draft if draft %}{% endfor %}", "{% for x in letter if letter %}{% endfor %}"),
        ("{% set draft %}{{ draft }}{% endset %}", "{% set draft %}{{ letter }}{% endset %}"),
        ("{% filter upper %}{{ draft }}{% endfilter %}", None),
        (
            "{% raw %}{{ draft }}{% endraw %}{# draft #}{{ draft }}",
            "{% raw %}{{ draft }}{% endraw %}{# draft #}{{ letter }}",
        ),
        ("a\r\n{{ draft }}\r{{ draft }}\n", "a\r\n{{ letter }}\r{{ letter }}\n"),
        ("{{ draft", None),
        ("{{ draft | nonsense }}", None),
        ("{% include draft %}", None),
        ("no braces: draft", None),
    ],
)
def test_a_template_names_a_key_by_its_new_name(text: str, renamed: str | None) -> None:
    assert with_key(text, "draft", "letter") == (text if renamed is None else renamed)


@pytest.mark.parametrize(
    ("text", "renamed"),
    [
        ("{{ visits.a }} {{ visits['b'] }} {{ a }}", "{{ visits.b }} {{ visits['my node'] }} {{ a }}"),
        ("{% if visits.b > 1 %}again{% endif %}", '{% if visits["my node"] > 1 %}again{% endif %}'),
        ("{{ state.visits.a }}{{ other.visits.a }}{{ 'visits.a' }}", None),
        ("{% set visits = x %}{{ visits.a }}", None),
    ],
)
def test_a_template_counts_the_visits_of_nodes_by_their_new_names(text: str, renamed: str | None) -> None:
    assert nodes_in_template(text, {"a": "b", "b": "my node"}) == (text if renamed is None else renamed)


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("{{ state[('draft')] }}", "letter"),
        ("{{ (state).draft }}{{ draft }}", "letter"),
        ("{% if x %}{% set draft = 1 %}{% endif %}{{ draft }}", "letter"),
        ("{% set state = 1 %}{{ draft }}", "two words"),
    ],
)
def test_a_template_that_would_mean_something_else_is_refused(text: str, new: str) -> None:
    with pytest.raises(StepgraphError, match="cannot name"):
        with_key(text, "draft", new)
