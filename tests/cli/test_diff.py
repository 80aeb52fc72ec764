"""``stepgraph diff``."""

from __future__ import annotations

from tests.cli.calling import ASK, Cli


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


def test_secrets_are_not_told(cli: Cli) -> None:
    cli.graph(ASK, "a.toml")
    cli.graph(ASK.replace("hunter2-secret", "hunter3-secret"), "b.toml")
    result = cli("diff", "a.toml", "b.toml", "--json")
    assert result.code == 1
    assert "hunter" not in result.out
