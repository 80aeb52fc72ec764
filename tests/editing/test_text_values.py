"""Where values and keys change in the text of a graph file, the comments around them stay."""

from __future__ import annotations

from typing import Any

import pytest

from tests.editing.letters import after

# Values


@pytest.mark.parametrize(
    ("old", "new", "written"),
    [
        ('"""\nDear all\n"""', "Dear\nAna\n", '"""\nDear\nAna\n"""'),
        ('"""Dear all"""', "Dear Ana", '"""Dear Ana"""'),
        ('"""\nDear all"""', "Dear Ana", '"""\nDear Ana"""'),
        ('"""Dear all"""', "Dear\r\nAna", '"Dear\\r\\nAna"'),
        ("'''C:\\'''", "D:\\", "'''D:\\'''"),
        ("'''C:\\'''", "'''", "\"'''\""),
        ("'''\nC:\\\n'''", "D:\\\nE:\\\n", "'''\nD:\\\nE:\\\n'''"),
        ("'C:'", "bell\a", '"bell\\u0007"'),
        ('"C:"', 'D: "x"', "'D: \"x\"'"),
        ("1_000", 2000, "2000"),
        ("true", "yes", '"yes"'),
    ],
)
def test_a_text_stays_between_quotes_of_its_kind_where_it_can(old: str, new: Any, written: str) -> None:
    text = f'[nodes.a]\ntype = "llm"  # type\nprompt = {old}  # prompt\n'
    assert after(text, "a", prompt=new) == text.replace(old, written)


def test_an_inline_table_keeps_the_pairs_that_did_not_change() -> None:
    text = "[nodes.a]\narguments = {x='1',  y = 0x10 , z = [ 1,2 ]}  # odd\n"
    new = after(text, "a", arguments={"x": "2", "y": 16, "z": [1, 2], "new": True})
    assert new == "[nodes.a]\narguments = { x= '2', y = 0x10, z = [ 1,2 ], new = true }  # odd\n"


def test_an_inline_table_that_becomes_long_gets_a_header() -> None:
    arguments = '# rendered\narguments = { x = "1" }  # strings\n'
    text = f'[nodes.a]\ntype = "tool"\n{arguments}output = "o"\n\n[nodes.b]\n'
    new = after(text, "a", arguments={"x": "1" * 60, "y": "2" * 60})
    assert new == (
        '[nodes.a]\ntype = "tool"\noutput = "o"\n\n# rendered\n[nodes.a.arguments]  # strings\n'
        f'x = "{"1" * 60}"\ny = "{"2" * 60}"\n\n[nodes.b]\n'
    )


# Keys


def test_a_new_key_is_indented_as_its_neighbors() -> None:
    text = '[nodes.a]\n    type = "llm"\n    prompt = "x"\n'
    assert after(text, "a", output="o") == text + '    output = "o"\n'
