"""``stepgraph import``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import Cli

GRAPHS = Path(__file__).parents[2] / "graphs"
EXAMPLES = sorted(GRAPHS.glob("*.toml"))


def exported(cli: Cli, file: Path, out: str = "graph.json") -> None:
    assert cli("export", str(file), "-o", out).code == 0


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_every_example_comes_back_from_node_link_json_as_it_was(cli: Cli, file: Path) -> None:
    exported(cli, file, f"{file.stem}.json")
    for other in EXAMPLES:  # those that it names lie beside it
        if other != file:
            (cli.folder / other.name).write_bytes(other.read_bytes())
    result = cli("import", f"{file.stem}.json", "-o", file.name)
    assert result.code == 0, result.err
    assert cli("diff", str(file), file.name).code == 0


MERMAID = """flowchart TD
    A([Start]) --> B[Read the ticket]
    B --> C{Is it a refund?}
    C -->|yes| D[Pay] --> E([End])
    C -->|no| B
"""


def test_a_diagram_is_mended_told_of_and_runs_at_once(cli: Cli) -> None:
    (cli.folder / "plan.mmd").write_text(MERMAID, encoding="utf-8")
    result = cli("import", "plan.mmd", "-o", "plan.toml")
    assert result.code == 0
    assert "note: nodes are called after their texts: B is Read_the_ticket, " in result.err
    assert "made plan.toml of a Mermaid flowchart: 3 nodes, 4 edges" in result.err
    assert "ok, 3 nodes, 4 edges" in cli("check", "plan.toml").err
    assert cli("run", "plan.toml").code == 0


@pytest.mark.parametrize("fence", ["mermaid", "dot"])
def test_the_one_diagram_of_a_page_in_markdown_is_read(cli: Cli, fence: str) -> None:
    text = MERMAID if fence == "mermaid" else "digraph { a -> b }\n"
    page = f"# A plan\n\n```{fence}\n{text}```\n\nMore words.\n\n```json\n{{}}\n```\n"
    (cli.folder / "plan.md").write_text(page, encoding="utf-8")
    assert cli("import", "plan.md", "-o", "plan.toml").code == 0
    (cli.folder / "plan.md").write_text(page.replace("-->", "-->>").replace("->", "=>"), encoding="utf-8")
    assert "plan.md:" in cli("import", "plan.md").err
    (cli.folder / "plan.md").write_text(page * 2, encoding="utf-8")
    assert "this page has 2 diagrams" in cli("import", "plan.md").err


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        (b"", "F030", "it is empty"),
        (b" \n\t\n", "F030", "it is empty"),
        (b"hello", "F030", "Mermaid"),
        (
            b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "&b;&b;">]><x>&a;</x>',
            "F030",
            "XML is never parsed",
        ),
        (b"\n<svg/>", "F030", "in.txt:2: "),
        (b"format = 1\n", "F030", "stepgraph check in.txt"),
        (b"sequenceDiagram\n A->>B: x", "F033", "this is sequenceDiagram"),
        (b"digraph x -> y", "F031", "{ is missing"),
        (b"flowchart LR a --> b", "F031", "the direction is unknown"),
        (b"\xff\xfe{\x00", "F005", "UTF-16"),
        (b"{", "F031", "in.txt:1: "),
        (b'{\n"nodes": [1, NaN]}', "F031", "in.txt:2: error F031: it is not JSON: NaN is not a number"),
        (
            b'{"a": 1,\n"b": {"a": 1},\n"\\u0061": 2}',
            "F031",
            'in.txt:3: error F031: it is not JSON: the key "a"',
        ),
        (b'{"nodes": ["\\ud800"]}', "F031", "surrogate"),
        (b"[" * 100_000, "F032", "nested too deeply"),
        (b'{"a":' * 100_000, "F032", "nested too deeply"),
        (b"[" * 200 + b"]" * 200, "F031", "nested deeper than 100 levels"),
        (b"[" + b"9" * 5_000 + b"]", "F032", "too long"),
        (b"[]", "F030", "no graph that is known here"),
        (b'{"nodes": []}', "F031", "neither"),
        (b"[" + b"1," * 5_000_000 + b"1]", "F004", "larger than 10 MB"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_bad_input_is_told_with_its_place_and_writes_nothing(
    cli: Cli, data: bytes, code: str, said: str
) -> None:
    (cli.folder / "in.txt").write_bytes(data)
    result = cli("import", "in.txt", "-o", "out.toml")
    assert (result.code, result.out) == (1, "")
    assert code in result.err
    assert said in result.err
    assert not (cli.folder / "out.toml").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nothing.json",), "there is no such file"),
        ((".",), "it is a folder"),
        (("in.json", "-o", "out.json"), "name it out.json.toml"),
        (("in.json", "-o", "folder.toml"), "folder.toml is a folder"),
        (("langraph", "a:b"), "did you mean 'langgraph'?"),
        (("langgraph",), "stepgraph import langgraph my_agent.py:graph"),
    ],
)
def test_what_cannot_be_read_or_written_is_told(cli: Cli, words: tuple[str, ...], said: str) -> None:
    (cli.folder / "in.json").write_text("{}", encoding="utf-8")
    (cli.folder / "folder.toml").mkdir()
    result = cli("import", *words)
    assert (result.code, result.out) == (1, "")
    assert said in result.err


@pytest.mark.parametrize("is_there", [True, False])
def test_a_graph_in_python_is_told_that_it_need_not_be_imported(cli: Cli, is_there: bool) -> None:
    if is_there:
        (cli.folder / "my_agent.py").write_text("graph = 1\n", encoding="utf-8")
    result = cli("import", "my_agent.py:graph", "-o", "out.toml")
    assert (result.code, result.out) == (1, "")
    assert "'my_agent.py:graph' names a graph in a Python module" in result.err
    assert "stepgraph import langgraph my_agent.py:graph" in result.err
