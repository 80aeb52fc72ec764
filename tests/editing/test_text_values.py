"""Where values and keys change in the text of a graph file, the comments around them stay."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from stepgraph.editing.text import design_text, losses, read_design
from tests.editing.letters import TEXT, after, edited

# Values


def test_a_changed_value_keeps_its_comments_and_its_quotes() -> None:
    assert after(TEXT, prompt='Write "two" letters') == TEXT.replace(
        "'Write a \"letter\"'", "'Write \"two\" letters'"
    )
    assert after(TEXT, prompt="it's") == TEXT.replace("'Write a \"letter\"'", '"it\'s"')


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


def test_a_changed_list_keeps_its_lines_and_the_comments_of_what_is_still_in_it() -> None:
    text = """\
[nodes.a]
show = [ # all of it
  "x", # the first

  # the second
  "y",
  "z"
  # the end
]
"""
    assert (
        after(text, "a", show=["x", "y", "new", "z"])
        == """\
[nodes.a]
show = [
  # all of it
  "x",  # the first
  # the second
  "y",
  "new",
  "z",
  # the end
]
"""
    )


def test_what_a_shorter_list_loses_is_told() -> None:
    text = '[nodes.a]\nshow = [\n    "x",  # the first\n    "y",  # the second\n]\n'
    design = read_design(text)
    design = edited(design, design.nodes["a"], show=["y"])
    assert design_text(design) == '[nodes.a]\nshow = [\n    "y",  # the second\n]\n'
    assert losses(design) == ["line 3: the comment '# the first' has no place any more"]


def test_a_list_that_becomes_something_else_loses_its_comments_and_tells() -> None:
    text = "# long: " + "x" * 80 + "\n\n[nodes.a]\nshow = [\n    # " + "y" * 90 + '\n    "x",\n]\n'
    design = read_design(text)
    told = losses(edited(design, design.nodes["a"], show="all"))
    assert told == [f"line 5: the comment '# {'y' * 57}…' has no place any more"]


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


def test_a_table_under_a_header_stays_there() -> None:
    text = '[nodes.a]\ntype = "tool"\n\n# given\n[nodes.a.arguments]  # all\nx = 1  # one\n'
    assert after(text, "a", arguments={"x": 2, "y": 3}) == text.replace(
        "x = 1  # one\n", "x = 2  # one\ny = 3\n"
    )
    assert after(text, "a", arguments={}) == text.replace("x = 1  # one\n", "")
    assert after(text, "a", arguments=None) == '[nodes.a]\ntype = "tool"\n'


# Keys


def test_a_new_key_goes_where_it_usually_stands() -> None:
    assert after(TEXT, note="Short.") == TEXT.replace('type = "llm"\n', 'type = "llm"\nnote = "Short."\n')
    assert after(TEXT, output="letter") == TEXT.replace("# short\n", '# short\noutput = "letter"\n')
    design = read_design(TEXT)
    first, second, _ = design.edges
    assert design_text(edited(design, first, label="on")) == TEXT.replace('< 3"\n', '< 3"\nlabel = "on"\n')
    with_both = edited(design, second, label="end", when="step > 2")
    assert 'to = "END"\nwhen = "step > 2"\nlabel = "end"\n' in design_text(with_both)
    assert design_text(design.having({**design.head, "max_steps": 5})) == TEXT.replace(
        'start = "draft"\n', 'start = "draft"\nmax_steps = 5\n'
    )


def test_a_new_first_key_leaves_the_banner_on_top() -> None:
    text = '# Letters\n\nname = "x"\n'
    design = read_design(text)
    assert design_text(design.having({"format": 1, "name": "x"})) == '# Letters\n\nformat = 1\nname = "x"\n'


def test_a_new_key_is_indented_as_its_neighbours() -> None:
    text = '[nodes.a]\n    type = "llm"\n    prompt = "x"\n'
    assert after(text, "a", output="o") == text + '    output = "o"\n'


def test_a_key_that_goes_takes_its_own_comments_with_it() -> None:
    text = '[nodes.a]\n# kind\ntype = "llm"  # cheap\n\n# -- words --\n\n# short\nprompt = "x"\n# foot\n'
    start = '[nodes.a]\n# kind\ntype = "llm"  # cheap\n'
    assert after(text, "a", type=None) == '[nodes.a]\n\n# -- words --\n\n# short\nprompt = "x"\n# foot\n'
    assert after(text, "a", prompt=None) == f"{start}# -- words --\n# foot\n"


def test_a_table_that_becomes_another_value_tells_its_comments() -> None:
    text = "[nodes.a]\n\n# lead\n[nodes.a.x]  # head\n# free\n\nk = 1  # of the key\n# foot\n"
    design = read_design(text)
    design = edited(design, design.nodes["a"], x=5)
    assert design_text(design) == "[nodes.a]\nx = 5\n"
    assert [told.split("'")[1] for told in losses(design)] == ["# lead", "# head", "# free", "# foot"]


@pytest.mark.parametrize("new", [[1, {"x": 1}], {"x": 1}, "none"])
def test_a_list_of_tables_that_becomes_another_value_tells_its_comments(new: Any) -> None:
    design = read_design("# kept?\n[[x]]\na = 1\n# behind\n\n[[x]]\nb = 2\n")
    changed = design.having({"x": new})
    assert tomllib.loads(design_text(changed)) == {"x": new}
    told = " ".join(losses(changed))
    assert "kept?" in told
    assert "behind" in told
    assert losses(design.having({"x": [{"b": 2}]})) == []
    assert losses(design.having({"x": []})) == []
