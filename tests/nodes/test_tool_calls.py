"""The line by which a model asks for a tool."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph import NodeFailed
from stepgraph.tools.call_line import tool_call_in, with_tool, without_calls
from stepgraph.values.json_values import dumps

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


# acceptance 98, 99, 102
# e9 12
@pytest.mark.parametrize(
    "line",
    [
        'CALL_TOOL: look_up {"id": 8812}',
        'call_tool: look_up {"id": 8812}',
        '  Call_Tool :look_up{"id": 8812}  ',
        'CALL_TOOL:\tlook_up\t{"id": 8812}\r',
    ],
)
def test_a_line_of_its_own_is_a_call_with_named_arguments(line: str) -> None:
    call = {"name": "look_up", "arguments": {"id": 8812}}
    assert tool_call_in(line) == call
    assert tool_call_in(f"Let me look.\n{line}\nThen we will see.") == call


@given(st.from_regex(r"[A-Za-z0-9_.-]{1,20}", fullmatch=True), st.dictionaries(st.text(), JSON, max_size=3))
def test_any_name_and_any_arguments_come_through(name: str, arguments: dict[str, object]) -> None:
    assert tool_call_in(f"CALL_TOOL: {name} {dumps(arguments)}") == {"name": name, "arguments": arguments}


# e9 12
@pytest.mark.parametrize(
    "reply",
    [
        "",
        "No tool is needed.",
        'You could write CALL_TOOL: look_up {"id": 1} to look it up.',
        '- CALL_TOOL: look_up {"id": 1}',
        '`CALL_TOOL: look_up {"id": 1}`',
        "The phrase CALL_TOOL: is reserved.",
        "CALL_TOOLS are many",
    ],
)
def test_the_words_within_prose_are_no_call(reply: str) -> None:
    assert tool_call_in(reply) is None


# e9 12
@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("CALL_TOOL:", "no tool's name"),
        ("CALL_TOOL: look_up", "no tool's name"),
        ('CALL_TOOL: {"id": 1}', "no tool's name"),
        ('CALL_TOOL: look up {"id": 1}', "no tool's name"),
        ("CALL_TOOL: look_up id=1", "no tool's name"),
        ("CALL_TOOL: look_up [1]", "no tool's name"),
        ('CALL_TOOL: look_up {"id": 1} please', "no tool's name"),
        ("CALL_TOOL: look_up {id: 1}", "not JSON"),
        ('CALL_TOOL: look_up {"id": 1} {"id": 2}', "not JSON"),
        ('CALL_TOOL: look_up {"id": NaN}', "NaN is not a JSON number"),
        ('CALL_TOOL: look_up {"id": "\\ud800"}', "lone surrogate"),
        ('CALL_TOOL: look_up {"id": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested"),
        ('CALL_TOOL: look_up {"id": ' + "1" * 5_000 + "}", "not JSON"),
    ],
)
def test_a_line_that_begins_like_a_call_and_is_none_fails_and_is_shown(line: str, why: str) -> None:
    with pytest.raises(NodeFailed) as failed:
        tool_call_in(f"Hm.\n{line}")
    assert why in failed.value.message
    assert line[:60] in failed.value.message
    assert len(failed.value.message) < 500
    assert 'CALL_TOOL: name {"argument": "value"}' in failed.value.hint


# e9 12
def test_a_call_over_several_lines_is_refused_rather_than_guessed() -> None:
    with pytest.raises(NodeFailed, match="look_up"):
        tool_call_in('CALL_TOOL: look_up\n{"id": 1}')


# e9 12
def test_several_calls_at_once_are_refused_and_shown() -> None:
    with pytest.raises(NodeFailed, match="2 tools at once") as failed:
        tool_call_in('CALL_TOOL: a {}\nand\nCALL_TOOL: b {"x": 1}')
    assert "CALL_TOOL: a {}" in failed.value.message
    assert 'CALL_TOOL: b {"x": 1}' in failed.value.message
    assert failed.value.hint == "one call a reply"


@pytest.mark.parametrize("blank", [" ", "\t", "\r", "\u3000", ":", "{", "}", '"', "a", "\\"])
def test_a_call_with_an_endless_run_in_it_is_read_at_once(blank: str) -> None:
    run = blank * 500_000  # a square of their length would take hours
    for reply in (f"CALL_TOOL: x{run}y", f"{run}CALL_TOOL{run}y", f"CALL_TOOL:{run}{{{run}"):
        with suppress(NodeFailed):
            tool_call_in(reply)
        without_calls(reply)
        with_tool(reply, "x", "y")


@given(st.text())
def test_any_reply_is_a_call_or_none_or_refused(reply: str) -> None:
    for text in (reply, f"CALL_TOOL:{reply}", f"CALL_TOOL: x {{{reply}}}"):
        try:
            call = tool_call_in(text)
        except NodeFailed:
            continue
        assert call is None or set(call) == {"name", "arguments"}
