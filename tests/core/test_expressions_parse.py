from __future__ import annotations

import warnings

import pytest

from stepgraph.conditions import Expression
from stepgraph.values.errors import ExpressionError
from tests.core.asked import answer


def refused(text: str) -> ExpressionError:
    with pytest.raises(ExpressionError) as caught:
        Expression(text)
    assert 0 <= caught.value.offset <= len(text)
    assert caught.value.text == text
    return caught.value


@pytest.mark.parametrize(
    ("text", "offset", "hint"),
    [
        ('category = "billing"', 9, "write: =="),
        ('a == "x" && b', 9, "write: and"),
        ("a || b", 2, "write: or"),
        ("!a", 0, "write: not"),
        ("a === 1", 2, "write: =="),
        ("a !== 1", 2, "write: !="),
        ("a <> 1", 2, "write: !="),
        ("a => 1", 2, "write: >="),
        ("a =< 1", 2, "write: <="),
        ("a := 1", 2, "write: =="),
        ("a & b", 2, "write: and"),
        ("(a == 1) | (b == 2)", 9, "write: or"),
        ("~a", 0, "write: not"),
        ("a == true", 5, "write True"),
        ("a == false", 5, "write False"),
        ("a == null", 5, "write None"),
        ("a in [null]", 6, "write None"),
        ("a AND b", 2, ""),
        ("len(x) > 1", 0, "compute it in a node"),
        ("x.get('a') == 1", 0, "order.amount"),
        ("a + 1 > 2", 2, "compute it in a node"),
        ("(a) * (b) > 2", 4, "compute it in a node"),
        ("-a == 1", 0, "compute it in a node"),
        ("--1 == a", 0, "compute it in a node"),
        ("-True == a", 0, "compute it in a node"),
        ("f'{a}' == 'x'", 0, "without the f"),
        ("a is True", 5, "write: =="),
        ("a is not 1", 9, "write: !="),
        ("None is a", 8, "write: =="),
        ("a < b is None", 0, "with and"),
        ("a == 'x' or 'y'", 12, 'x in ["a", "b"]'),
        ("1", 0, "compare it"),
        ("not None", 4, "compare it"),
        ("(a or 'x') == 'x'", 1, "compare each part"),
        ("a, b", 0, "join parts"),
        ("a in [b]", 6, "text in quotes"),
        ("a in ['x' 'y']", 6, "a comma"),
        ('a == """x"""', 5, "one pair of quotes"),
        ("a == “x”", 5, "straight quotes"),
        ('a == "x', 5, 'close it with "'),
        ("a == x'", 6, "close it with '"),
        ('a == "x\ny"', 5, 'close it with "'),
        ("a == (1", 5, "partner"),
        ("a) or (b", 1, "partner"),
        ("{{ a }} == 1", 0, "without {{ }}"),
        ("{% a %}", 0, "without braces"),
        ("$a == 1", 0, "plain name"),
        ("a ? b : c", 2, "and, or, not"),
        ("b if a else c", 0, "and, or, not"),
        ("if a == 1", 0, "behind 'if'"),
        ("order.from == 1", 6, '["from"]'),
        ("class == 1", 0, 'state["class"]'),
        ("1st == 2", 0, 'state["1st"]'),
        ("a == 01", 5, "without them"),
        ("a[b] == 1", 2, '["b"]'),
        ("a[1:2] == 1", 2, "one item"),
        ("a[1.5] == 1", 2, "[-1]"),
        ("a[True] == 1", 2, "[-1]"),
        ("'a'.b == 1", 0, "state's key"),
        ("lambda: 1", 0, "predicate"),
        ("[a for a in b]", 0, "predicate"),
        ("a.b(1).c == 1", 0, "compute it in a node"),
        ("[*a] == b", 1, "one by one"),
        ("a == 1j", 5, "a number"),
        ("a == b'x'", 5, "text in quotes"),
        ("a == ...", 5, "text in quotes"),
        ("await a", 0, "looks like this"),
        ("a b", 2, "looks like this"),
        ("a;b", 1, "looks like this"),
        ("visits > 1", 0, "visits.draft"),
        ("visits[0] > 1", 6, "visits.draft"),
        ("visits.a.b > 1", 8, "visits.draft"),
        ("state == 1", 0, "state.key"),
        ("state[0] == 1", 5, "state.key"),
        ("last_output.x == 1", 11, 'state["last_output"]'),
        ("step[0] == 1", 4, 'state["step"]'),
        ("__class__", 0, "predicate"),
        ("a.__class__ == 1", 1, "predicate"),
        ("a['__class__'] == 1", 1, "predicate"),
        ("state.__dict__ == 1", 5, "predicate"),
        ("visits.__len__ == 1", 6, "predicate"),
        ("a == '\x00'", 6, "delete it"),
        ("a == '\ud800'", 6, "delete it"),
        (r"a == '\ud800'", 5, "delete the escape"),
        ("a == 1e999", 5, "300 digits"),
        ("a == 9" + "9" * 500, 5, "300 digits"),
        ("a == 0x" + "f" * 900, 5, "300 digits"),
        ("a == -0x" + "f" * 900, 5, "300 digits"),
    ],
)
def test_a_usual_mistake_gets_a_caret_and_a_hint(text: str, offset: int, hint: str) -> None:
    error = refused(text)
    assert error.offset == offset
    assert hint in error.hint
    assert error.message


@pytest.mark.parametrize("text", ["", "  ", "\n\t\n", "# only a remark"])
def test_blank_text_is_an_error_and_no_unconditional_edge(text: str) -> None:
    assert "empty" in refused(text).message


def test_nesting_has_a_limit_of_twenty_levels() -> None:
    assert answer("not " * 18 + "a", a=True) is True
    assert "20 levels" in refused("not " * 20 + "a").message
    assert "20 levels" in refused("a == " + "[" * 25 + "]" * 25).message
    assert answer(".".join(["a"] * 20) + " is None") is True
    assert "20 parts" in refused(".".join(["a"] * 22) + " is None").message


@pytest.mark.parametrize(
    "text",
    [
        "(" * 400 + "a" + ")" * 400,
        "(" * 999,
        "[" * 999,
        "a == " + "-" * 990 + "1",
        "not " * 240 + "a",
        "a" + ".b" * 490,
        "a" + "[0]" * 330,
        "a" + "(" * 400 + ")" * 400,
        "a == " + "1 if a else " * 80 + "1",
        "lambda:" * 140 + "a",
        "a" + "**a" * 330,
    ],
)
def test_hostile_nesting_is_refused_without_a_crash(text: str) -> None:
    refused(text)


@pytest.mark.parametrize("raised", [RecursionError(), MemoryError(), ValueError("null bytes")])
def test_whatever_pythons_parser_gives_up_with_becomes_our_error(
    monkeypatch: pytest.MonkeyPatch, raised: Exception
) -> None:
    def give_up(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr("ast.parse", give_up)
    assert "nested too deeply" in refused("a == 1").message


def test_a_thousand_characters_of_harmless_parts_are_fine() -> None:
    assert answer(" and ".join(["a == 1"] * 90), a=1) is True


def test_pythons_warnings_about_the_text_do_not_leak() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert answer(r"a == '\d'", a="\\d") is True
        assert answer("a == 1and b", a=1, b=True) is True
        refused("a is 1")
    assert told == []


def test_the_caret_stands_under_the_mistake_whatever_the_alphabet() -> None:
    assert refused("größe == 1 and ü + 1 == 2").caret() == "größe == 1 and ü + 1 == 2\n                 ^"
    assert refused("  \t a + 1").caret() == "    a + 1\n      ^"


def test_the_caret_of_a_long_line_keeps_to_its_surroundings() -> None:
    line, mark = refused("x == 1 and " * 60 + "y = 2 and " + "x" * 300).caret().split("\n")
    assert len(line) < 80
    assert line[len(mark) - 1] == "="


def test_the_caret_counts_the_cells_of_wide_and_of_combining_characters() -> None:
    line, mark = refused('名前 == "日本" and b = 2').caret().split("\n")
    assert (line, len(mark)) == (
        '名前 == "日本" and b = 2',
        22,
    )  # six characters more than a terminal's cells are 16
    assert refused("e\u0301 = 1").caret().split("\n")[1] == "  ^"
    line, mark = refused("日" * 90 + " = 1").caret().split("\n")
    assert 60 < len(mark) <= 72
    assert line.endswith("日 = 1")


@pytest.mark.parametrize("text", ["x and", 'a == "日" or ', "x ==", "a == 1 and # later\n  b ==\t"])
def test_where_something_is_missing_the_caret_stands_behind_the_end(text: str) -> None:
    error = refused(text)
    assert (error.message, error.offset) == ("the condition is incomplete", len(text.rstrip()))


def test_the_caret_never_prints_what_moves_the_cursor_or_cannot_be_encoded() -> None:
    caret = refused("a == '\x1b[2J\ud800' \u202e").caret()
    assert caret.replace("\n", "").isprintable()
    assert caret.encode()


def test_an_error_carries_its_code_and_the_whole_text() -> None:
    error = refused("a = 1")
    assert error.code == "E001"
    assert str(error) == "a single '=' assigns (write: == to compare)"


@pytest.mark.parametrize("name", ["ﬁeld", "ª"])
def test_a_name_means_what_python_makes_of_its_spelling(name: str) -> None:
    folded = {"ﬁeld": "field", "ª": "a"}[name]
    assert Expression(f"{name} == 1").reads == {folded}
    assert Expression(f'state["{name}"] == 1').reads == {name}
