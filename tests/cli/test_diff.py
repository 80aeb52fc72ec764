"""``stepgraph diff``."""

from __future__ import annotations

from tests.cli.calling import ASK, COUNT, REFUND, Cli


def test_two_files_that_mean_the_same(cli: Cli) -> None:
    cli.graph(COUNT, "a.toml")
    cli.graph(COUNT.replace("max_steps = 9", "max_steps  =  9 # at most"), "b.toml")
    result = cli("diff", "a.toml", "b.toml")
    assert (result.code, result.out) == (0, "")
    assert "a.toml and b.toml: the same by meaning\n" in result.err


def test_differences_are_told_section_by_section(cli: Cli) -> None:
    cli.graph(ASK, "a.toml")
    text = ASK.replace('start = "ask"', 'start = "ask"\nmax_steps = 7').replace(
        "threshold = 100", "threshold = 90", 1
    )
    text = text.replace('decision == "approve" and order.amount > 0', 'decision == "approve"')
    text = text.replace("amount = 240", "amount = 250")
    cli.graph(text + '\n[tools.look]\nhandler = "m:look"\n', "b.toml")
    result = cli("diff", "a.toml", "b.toml")
    assert result.code == 1
    assert result.out.splitlines() == [
        "settings",
        "  max_steps: 50 became 7",
        "state keys",
        '  state key \'order\': default {"id": "8812", "amount": 240} became {"id": "8812", "amount": 250}',
        "tools",
        "  tool 'look' was added",
        "nodes",
        "  node 'pay': threshold 100 became 90",
        "edges",
        "  edge 'ask' -> 'pay': its condition decision == \"approve\" and order.amount … became "
        'decision == "approve"',
        '      - decision == "approve" and order.amount > 0',
        '      + decision == "approve"',
    ]
    assert "5 differences" in result.err


def test_another_order_of_edges_is_called_out(cli: Cli) -> None:
    cli.graph(ASK, "a.toml")
    first = ASK.index("[[edges]]")
    second = ASK.index("[[edges]]", first + 1)
    third = ASK.index("[[edges]]", second + 1)
    cli.graph(ASK[:first] + ASK[second:third] + ASK[first:second] + ASK[third:], "b.toml")
    result = cli("diff", "a.toml", "b.toml")
    assert result.out == "edges\n  edge 'ask' -> 'refuse' is now tried before 'ask' -> 'pay'\n"


def test_a_prompt_is_compared_line_by_line(cli: Cli) -> None:
    lines = [f"line {number} of the question" for number in range(9)]
    prompt = 'prompt = "Pay {{ order.amount }}?"'
    cli.graph(ASK.replace(prompt, 'prompt = """\n' + "\n".join(lines) + '"""'), "a.toml")
    lines[4] = "another \u001b[31mquestion"
    cli.graph(
        ASK.replace(prompt, 'prompt = """\n' + "\n".join(lines).replace("\u001b", "\\u001b") + '"""'),
        "b.toml",
    )
    assert cli("diff", "a.toml", "b.toml").out.splitlines() == [
        "nodes",
        "  node 'ask': prompt changed",
        "        line 3 of the question",
        "      - line 4 of the question",
        "      + another \\x1b[31mquestion",
        "        line 5 of the question",
    ]


def test_notes_and_labels_count_where_they_are_asked_for(cli: Cli) -> None:
    cli.graph(COUNT, "a.toml")
    cli.graph(COUNT.replace('label = "again"', 'label = "once more"\nnote = "until 3"'), "b.toml")
    result = cli("diff", "a.toml", "b.toml")
    assert result.code == 0
    assert "`--notes` shows how" in result.err
    result = cli("diff", "a.toml", "b.toml", "--notes")
    assert result.code == 1
    assert result.out.splitlines() == [
        "edges",
        "  edge 'work' -> 'work': label \"again\" became \"once more\"",
        "  edge 'work' -> 'work': note \"until 3\" was added",
    ]


def test_differences_as_json(cli: Cli) -> None:
    cli.graph(COUNT, "a.toml")
    cli.graph(COUNT.replace("max_steps = 9", "max_steps = 8"), "b.toml")
    result = cli("diff", "a.toml", "b.toml", "--json")
    assert result.code == 1
    assert result.json["same"] is False
    assert result.json["differences"] == [
        {
            "section": "settings",
            "name": "",
            "said": "max_steps: 9 became 8",
            "key": "max_steps",
            "old": 9,
            "new": 8,
        }
    ]
    assert cli("diff", "a.toml", "a.toml", "--json").json == {"same": True, "differences": []}


def test_files_that_cannot_be_compared_tell_all_their_problems(cli: Cli) -> None:
    cli.graph("this is no toml", "a.toml")
    cli.graph(COUNT.replace("max_steps = 9", "max_step = 9"), "b.toml")
    result = cli("diff", "a.toml", "b.toml")
    assert (result.code, result.out) == (1, "")
    assert "a.toml:1: error F006" in result.err
    assert "b.toml:5: error F020" in result.err
    assert cli("diff", REFUND, "missing.toml").code == 1


def test_one_file_alone_is_not_understood(cli: Cli) -> None:
    assert cli("diff", REFUND).code == 2


def test_secrets_are_not_told(cli: Cli) -> None:
    cli.graph(ASK, "a.toml")
    cli.graph(ASK.replace("hunter2-secret", "hunter3-secret"), "b.toml")
    result = cli("diff", "a.toml", "b.toml", "--json")
    assert result.code == 1
    assert "hunter" not in result.out
