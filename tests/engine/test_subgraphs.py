"""A graph inside another one: its steps, its state, its pauses, and what a store keeps of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from stepgraph import (
    Decision,
    Executor,
    GraphError,
    MemoryStore,
    Run,
    RunStatus,
    StateGraph,
    check,
)
from stepgraph.files import grant, handler_refs, is_trusted, read_graph
from stepgraph.graphs.subgraphs import whole_document
from stepgraph.values.problems import Problem

CHILD = """
    format = 1
    name = "child"
    start = "draft"

    [state.ticket]
    input = true
    type = "text"

    [state.log]
    reducer = "append"
    default = ["began"]

    [state.key]
    secret = true
    default = "s3cret"

    [nodes.draft]
    type = "llm"
    prompt = "{{ ticket }}{% if visits.draft > 1 %} again{% endif %}"
    output = "answer"
    replies = ["One", "Two"]

    [nodes.note]
    type = "transform"
    set = { log = "{{ answer }} {{ visits.draft }} {{ last_output }}" }

    [[edges]]
    from = "draft"
    to = "note"
    when = "visits.draft >= 1 and answer != ticket"

    [[edges]]
    from = "note"
    to = "draft"
    when = "visits.draft < 2"
    label = "again"

    [[edges]]
    from = "note"
    to = "END"
"""
PARENT = """
    format = 1
    name = "parent"
    start = "sub"

    [state.ticket]
    default = "late"

    [state.results]
    reducer = "append"

    [nodes.sub]
    type = "subgraph"
    graph = "child.toml"
    inputs = { ticket = "{{ ticket }}!" }
    outputs = { results = "log", answer = "answer" }

    [[edges]]
    from = "sub"
    to = "sub"
    when = "visits.sub < 2"

    [[edges]]
    from = "sub"
    to = "END"
    when = "answer == 'Two' and ticket == 'late'"
"""
ASKING = """
    format = 1
    name = "asking"
    start = "ask"

    [state.letter]
    default = "Dear"

    [nodes.ask]
    type = "approval"
    prompt = "Send {{ letter }}?"
    show = ["letter"]
    editable = { letter = "text" }

    [[edges]]
    from = "ask"
    to = "END"
    when = { key = "decision", equals = "approve" }

    [[edges]]
    from = "ask"
    to = "ask"
"""
AROUND = """
    format = 1
    name = "around"
    start = "sub"

    [nodes.sub]
    type = "subgraph"
    graph = "child.toml"
    outputs = { letter = "letter" }

    [[edges]]
    from = "sub"
    to = "END"
"""


def written(folder: Path, parent: str = PARENT, child: str = CHILD, **others: str) -> Path:
    """Write the files of two graphs, and give the one around."""
    for name, text in {"parent": parent, "child": child, **others}.items():
        (folder / f"{name}.toml").write_text(dedent(text), encoding="utf-8")
    return folder / "parent.toml"


def ran(file: Path, values: Mapping[str, object] | None = None) -> Run:
    executor = Executor(StateGraph.from_file(file).compile())
    return executor.run(executor.start(values or {}, "r1"))


def errors(file: Path) -> list[Problem]:
    return [problem for problem in check(StateGraph.from_file(file)) if problem.is_error]


def test_an_output_that_is_not_there_fails_where_the_run_goes_out(tmp_path: Path) -> None:
    run = ran(written(tmp_path, PARENT.replace('results = "log"', 'results = "lok"')))
    assert run.current == "sub/END"
    assert "ended without 'lok'" in str(run.error)
    assert "did you mean 'log'?" in str(run.error)


def test_its_cap_holds_each_time_it_is_entered(tmp_path: Path) -> None:
    assert ran(written(tmp_path, child=CHILD.replace("start =", "max_steps = 4\nstart ="))).step == 12
    capped = ran(written(tmp_path, child=CHILD.replace("start =", "max_steps = 3\nstart =")))
    assert (capped.status, capped.current) == (RunStatus.FAILED, "sub/note")
    assert "limit of 3 steps" in str(capped.error)


def test_subgraphs_may_be_inside_of_subgraphs(tmp_path: Path) -> None:
    middle = AROUND.replace("child.toml", "inner.toml").replace(
        'start = "sub"', 'start = "sub"\n\n[state.letter]'
    )
    file = written(tmp_path, AROUND, middle, inner=ASKING)
    executor = Executor(StateGraph.from_file(file).compile())
    run = executor.run(executor.start({}, "r1"))
    assert run.current == "sub/sub/ask"
    run = executor.resume("r1", Decision.edit({"sub/sub/letter": "Dear Ben"}, by="ana"))
    assert run.values == {"letter": "Dear Ben"}
    assert [record.node for record in run.history] == [
        "sub",
        "sub/sub",
        "sub/sub/ask",
        "sub/sub/END",
        "sub/END",
    ]
    assert run.plan.around("sub/sub/ask") == ("sub", "sub/sub")


def test_python_inside_sees_its_own_names_and_is_asked_trust_for(tmp_path: Path) -> None:
    child = """
        format = 1
        name = "child"
        start = "work"
        [state.n]
        default = 1
        [nodes.work]
        type = "handler"
        handler = "subgraph_work:double"
        [[edges]]
        from = "work"
        to = "work"
        when = { predicate = "subgraph_work:is_small" }
        [[edges]]
        from = "work"
        to = "END"
    """
    (tmp_path / "subgraph_work.py").write_text(
        "def double(state):\n    return {'n': state['n'] * 2}\n\n\n"
        "def is_small(context):\n    assert list(context.state) == ['n'], context.state\n"
        "    assert context.node == 'work'\n"
        "    assert context.visits == {'work': len(context.outputs['work'])}\n"
        "    return context.state['n'] < 8\n",
        encoding="utf-8",
    )
    file = written(tmp_path, AROUND.replace('{ letter = "letter" }', '{ n = "n" }'), child)
    graph = StateGraph.from_file(file)
    assert handler_refs(graph.compile()) == ["subgraph_work:double", "subgraph_work:is_small"]
    assert not is_trusted(graph)
    grant(graph)
    assert ran(file).values == {"n": 8}
    (tmp_path / "child.toml").write_text(
        dedent(child).replace("default = 1", "default = 2"), encoding="utf-8"
    )
    assert not is_trusted(StateGraph.from_file(file))


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        (('graph = "child.toml"', 'graph = "gone.toml"'), "G044", "there is no such file"),
        (
            ('graph = "child.toml"', 'graph = "parent.toml"'),
            "G044",
            "it names itself: parent.toml -> parent.toml",
        ),
        (('graph = "child.toml"', 'graph = "broken.toml"'), "G044", "does not say its format"),
        (('graph = "child.toml"', 'graph = "../child.toml"'), "G035", "without a path"),
        (('graph = "child.toml"', ""), "G035", "'graph' is missing"),
        (('inputs = { ticket = "{{ ticket }}!" }', ""), "G045", "needs 'ticket'"),
        (('type = "subgraph"', 'type = "subgraph"\ntimeout = "3s"'), "G045", "a timeout bounds one visit"),
        (("[state.ticket]", '[state."sub/x"]\n[state.ticket]'), "G045", "'sub/x' would be a name inside"),
        (("start =", 'on_no_match = "end"\nstart ='), "G045", "the one inside fails"),
    ],
)
def test_what_does_not_fit_is_told_before_it_runs(
    tmp_path: Path, change: tuple[str, str], code: str, words: str
) -> None:
    (problem,) = errors(written(tmp_path, PARENT.replace(*change), broken="name = 'x'"))
    assert problem.code == code
    assert words in problem.message
    with pytest.raises(GraphError):
        StateGraph.from_file(tmp_path / "parent.toml").compile()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("max_seconds = 3\nstart =", "max_seconds"),
        ("tools.look_up = { returns = { id = 2 } }\nstart =", "declare the tool 'look_up'"),
    ],
)
def test_settings_of_whole_graphs_do_not_go_inside(tmp_path: Path, change: str, words: str) -> None:
    parent = PARENT.replace("start =", "tools.look_up = { returns = { id = 1 } }\nstart =")
    (problem,) = errors(written(tmp_path, parent, CHILD.replace("start =", change)))
    assert problem.code == "G045"
    assert words in problem.message


@pytest.mark.parametrize("where", ["beside", "below"])
def test_a_tool_is_the_same_for_all_graphs_of_a_run(tmp_path: Path, where: str) -> None:
    """Else a call would run the tool of another file, unasked where only its own requires approval."""
    pay = "tools.pay = {{ returns = {{ id = 1 }}{} }}\nstart ="
    here, there = pay.format(""), pay.format(", requires_approval = true")
    one, other = (CHILD.replace("start =", each) for each in (here, there))
    second = '[nodes.other]\ntype = "subgraph"\ngraph = "other.toml"\ninputs = { ticket = "x" }\n'
    second += '[[edges]]\nfrom = "other"\nto = "END"\n'
    if where == "beside":
        file = written(tmp_path, dedent(PARENT) + second, one, other=other)
        said = "node 'other': its graph and that of node 'sub' declare the tool 'pay', each in its own way"
    else:  # the graph between the two declares none
        file = written(tmp_path, PARENT.replace("start =", here), dedent(CHILD) + second, other=other)
        said = "node 'sub': its graph and this graph declare the tool 'pay', each in its own way"
    (problem,) = errors(file)
    assert (problem.code, problem.message) == ("G045", said)
    written(tmp_path, dedent(PARENT) + second, one, other=one)
    assert errors(file) == []


def test_graphs_that_name_each_other_are_refused(tmp_path: Path) -> None:
    file = written(tmp_path, AROUND, AROUND.replace("child.toml", "parent.toml"))
    (problem,) = errors(file)
    assert "names itself" in problem.message
    assert "parent.toml -> child.toml -> parent.toml" in problem.message


def test_graphs_are_inside_of_one_another_only_so_deep(tmp_path: Path) -> None:
    chain = {f"g{level}": AROUND.replace("child.toml", f"g{level + 1}.toml") for level in range(12)}
    file = written(tmp_path, AROUND.replace("child.toml", "g0.toml"), g12=ASKING, **chain)
    (problem,) = errors(file)
    assert "the 9th graph inside of another" in problem.message


def test_a_graph_that_explodes_is_refused(tmp_path: Path) -> None:
    def many(name: str) -> str:
        nodes = "\n".join(f'[nodes.n{at}]\ntype = "subgraph"\ngraph = "{name}.toml"' for at in range(30))
        edges = "\n".join(f'[[edges]]\nfrom = "n{at}"\nto = "n{(at + 1) % 30}"' for at in range(30))
        end = '[[edges]]\nfrom = "n0"\nto = "END"\n'
        return f'format = 1\nname = "many"\nstart = "n0"\n{nodes}\n{end}{edges}\n'

    file = written(tmp_path, many("a"), ASKING, a=many("b"), b=many("c"), c=many("child"))
    problem = errors(file)[0]
    assert "more than 10,000 nodes" in problem.message


def test_what_is_secret_inside_is_in_no_comment_of_the_audit(tmp_path: Path) -> None:
    child = ASKING.replace(
        "[state.letter]", '[state.pin]\n    secret = true\n    default = "s3cret-pin"\n\n[state.letter]'
    )
    store = MemoryStore()
    executor = Executor(StateGraph.from_file(written(tmp_path, AROUND, child)).compile(), store)
    executor.run(executor.start({}, "r1"))
    executor.decide("r1", Decision.approve(by="ana", comment="with s3cret-pin"))
    (entry,) = store.audit()
    assert "s3cret" not in str(entry)
    assert "ana" in str(entry)


@pytest.mark.parametrize("depth", [3, 8])
def test_the_document_of_too_many_graphs_in_graphs_is_not_written(tmp_path: Path, depth: int) -> None:
    def level(inner: str) -> str:
        nodes = "".join(f'[nodes.n{n}]\ntype = "subgraph"\ngraph = "{inner}"\n' for n in range(30))
        return f'format = 1\nname = "g"\nstart = "n0"\n{nodes}'

    for number in range(depth):
        (tmp_path / f"l{number}.toml").write_text(level(f"l{number + 1}.toml"))
    (tmp_path / f"l{depth}.toml").write_text(
        'format = 1\nname = "g"\nstart = "n"\n[nodes.n]\ntype = "router"\n'
    )
    graph = StateGraph.from_file(tmp_path / "l0.toml")
    with pytest.raises(GraphError, match="more than 10,000 nodes"):
        whole_document(graph)
    assert "definition" not in str(graph.document)  # as far as they can be read


def test_what_is_compared_with_trust_is_what_runs_though_its_file_changes_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, AROUND, ASKING)
    graph = StateGraph.from_file(path)
    reads: list[Path] = []

    def reading(file: Path) -> StateGraph:
        reads.append(file)
        found = read_graph(file)
        file.write_text(dedent(ASKING).replace("Send", f"Burn {len(reads)}"), encoding="utf-8")
        return found

    monkeypatch.setattr("stepgraph.files.subgraphs.read_graph", reading)
    plan = graph.plan()
    asked: Any = plan.nodes["sub/ask"].settings
    document: Any = plan.document
    compared = document["nodes"]["sub"]["definition"]["nodes"]["ask"]
    assert compared["prompt"] == asked["prompt"] == "Send {{ letter }}?"
    assert len(reads) == 1
