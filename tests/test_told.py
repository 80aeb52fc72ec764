"""Whatever tells of a run gives no secret away, and lets no text of others hide or pass for ours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from stepgraph import END, CompiledGraph, Decision, Executor, Run, SqliteStore, StateGraph
from stepgraph.formats.export import Exportable
from stepgraph.runs import mask_of, try_node
from stepgraph.values import ExportError
from stepgraph_tui.commands.hints import UNMAPPED
from stepgraph_tui.dialogs.approval.pages import details, proposal, summary
from stepgraph_tui.dialogs.approval.proposal import Proposal
from stepgraph_tui.dialogs.approval.subject import Subject
from stepgraph_tui.dialogs.try_node import tried_lines
from stepgraph_tui.exports import FORMATS
from stepgraph_tui.run_view import RunSnapshot, RunView
from stepgraph_tui.server.driver import ThreadDriver
from stepgraph_tui.server.guard import AccessRules
from stepgraph_tui.server.pages import Site
from stepgraph_tui.server.service import Service
from stepgraph_tui.text.characters import shows
from stepgraph_tui.view.trials import TrialStory
from stepgraph_tui.widgets.chrome.pane import Pane
from stepgraph_tui.widgets.node import NodePane
from stepgraph_tui.widgets.node.visit_pane import visit_story
from stepgraph_tui.widgets.state import StatePane
from stepgraph_tui.widgets.trace import TracePane
from stepgraph_tui.widgets.why import WhyPane
from stepgraph_tui.worker import Try
from tests.app.playing import play, widget_lines
from tests.app.telling import rows_at
from tests.cli.calling import Cli
from tests.cli.conftest import cli as cli
from tests.fuzz.foreign_texts import FORGED
from tests.rest.client import Client

HIDDEN = "hunter2"
TEXTS = [
    "plain", f"two\n{FORGED}", f"\r\n{FORGED}", "\x1b[31mred\x1b[0m", "\x1b]0;pwned\x07", "\x1b[2J", "\x9b1A",
    "\u202erev", "\u2066iso\u2069", "\u200bzero", "\ufeffmark", "\u00adsoft", "\u3164" * 9, "\u2800" * 9,
    "\U000e0041\U000e007f", "\u2028line", "a\u0301\u0301\u0301\u0301\u0301\u0301", "[red]b[/red]",
    "`ticks` | *bold*", "<script>alert(1)</script>", 'quo"ted\\', "'single'", "tab\ttab", "%(name)s ${7}",
]  # fmt: skip
ENDS = "swordfish"


@dataclass
class Told:
    """A run that quotes a secret and a hostile text wherever it can."""

    app: CompiledGraph
    run: Run
    waiting: Run
    agent: Run
    """Another run that waits: an agent asks, and what was said before is told with it."""
    store: SqliteStore
    text: str
    secret: str


def name_of(text: str) -> str:
    """Name the node that fails."""
    return f"late {text}".strip()


def quoting(text: str, secret: str) -> StateGraph:
    graph = StateGraph(f"g {text}".strip(), start="first", note=f"It is {secret}, {text}.")
    graph.add_key("token", default=secret, secret=True, note=f"Not {secret} {text}")
    graph.add_key("copy", default=[{"of": secret, text: text}], note=text)
    graph.add_key(f"k {text}", default=text)
    graph.add_tool("look", returns={"token": secret, "text": text}, note=f"{secret} {text}")
    settings: dict[str, Any] = {"prompt": f"{secret} {{{{ token }}}}", "replies": [f"say {secret} {text}"]}
    graph.declare_node("first", "llm", settings, note=f"Knows {secret} {text}", side_effects=True)
    asks: dict[str, Any] = {
        "prompt": "Use {{ token }} {{ copy }}?",
        "action": f"pay {secret}",
        "show": ["token", "copy"],
    }
    graph.declare_node("ask", "approval", asks | {"editable": {"copy": "list"}, "risk": "high"})

    def late(state: Any) -> dict[str, Any]:
        raise ValueError(f"{state['token']} {text}")

    last = name_of(text)
    graph.add_node(last, late, note=f"{secret} {text}", side_effects=True)
    graph.add_edge("first", "ask", "token != 'x' and copy != 'x'", f"to {secret} {text}", note=secret)
    graph.add_edge("first", END)
    graph.add_edge("ask", last, label=text)
    graph.add_edge(last, END)
    return graph


def paying(text: str, secret: str) -> StateGraph:
    graph = StateGraph("agent", start="desk")
    graph.add_key("token", default=secret, secret=True)
    graph.add_tool("pay", returns={}, requires_approval=True)
    replies = [f'say {secret} {text}\nCALL_TOOL: pay {{"n": 1}}', "paid"]
    settings: dict[str, Any] = {"prompt": f"{text}\n{{{{ token }}}} {{{{ given }}}}", "tools": ["pay"]}
    graph.declare_node("desk", "agent", settings | {"replies": replies})
    graph.add_edge("desk", END)
    return graph


@pytest.fixture(params=TEXTS, ids=ascii)
def told(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Told]:
    text = str(request.param)
    secret = f"{HIDDEN}{text}{ENDS}"
    with SqliteStore(tmp_path / "runs.db") as store:
        executor = Executor(quoting(text, secret).compile(), store)
        waiting = executor.run(executor.start({"given": f"{secret} {text}"}, run_id="r-waits"))
        run = executor.run(executor.start({"given": f"{secret} {text}"}, run_id="r-failed"))
        assert run.pending is not None
        decision = Decision.approve(by=f"ana {secret}", comment=f"{secret} {text}")
        executor.resume(run.id, decision, review=run.pending.id, expect_hash=run.pending.hash)
        executor.edit(run.id, {"more": f"{secret} {text}"}, by="ana", comment=f"was {secret} {text}")
        run = executor.load(run.id)
        assert run.error is not None
        assert waiting.pending is not None
        desk = Executor(paying(text, secret).compile(), store)
        agent = desk.run(desk.start({"given": f"{secret} {text}"}, run_id="r-agent"))
        assert agent.pending is not None
        assert len(agent.pending.request.conversation) == 2
        yield Told(executor.app, run, executor.load(waiting.id), agent, store, text, secret)


def check(what: str, written: str, *, for_people: bool = True, ours: bool = True) -> None:
    """Look through what was written; where lines stand in boxes and fences, none needs to be ours."""
    for line in written.split("\n"):
        assert HIDDEN not in line, f"{what}: {line}"
        assert ENDS not in line, f"{what}: {line}"
        if for_people:
            assert all(shows(line)), f"{what}: {line!a}"
            assert not ours or not line.strip(" ┃").startswith(FORGED), f"{what}: {line}"


def test_exports(told: Told) -> None:
    for wanted in FORMATS:
        try:
            exported = wanted.write(Exportable.of_run(told.run))
        except ExportError as error:  # the function of a node has no module
            assert wanted.name == "python"
            check(wanted.name, str(error), for_people=False)
            continue
        is_for_people = wanted.name in ("markdown", "text", "ascii")
        for each in (exported, *exported.beside.values()):
            check(wanted.name, each.text, for_people=is_for_people, ours=False)
    report = next(each for each in FORMATS if each.name == "markdown").write(Exportable.of_run(told.agent))
    check("markdown", report.text, ours=False)


def test_the_command_line(told: Told, cli: Cli) -> None:
    review = told.waiting.pending
    asked = told.agent.pending
    assert review is not None
    assert asked is not None
    commands = [
        ("runs",), ("runs", "show", "r-failed"), ("runs", "show", "r-waits"), ("approvals",),
        ("runs", "show", "r-failed", "--step", "1"), ("runs", "show", "r-failed", "--step", "2"),
        ("approvals", "show", review.id), ("runs", "diff", "r-failed", "r-waits"), ("doctor",),
        ("approvals", "show", asked.id), ("runs", "show", "r-agent"),
    ]  # fmt: skip
    for words in commands:
        for form in ((), ("--json",)):
            result = cli(*words, *form, "--store", told.store.url)
            assert result.out or result.err
            check(" ".join(words), result.out + result.err, for_people=not form)


def test_rest_and_pages(told: Told) -> None:
    driver = ThreadDriver(told.store, {}, lambda what, error: None)
    site = Site(
        Service(told.store, {}, driver), AccessRules("127.0.0.1", None), str, lambda what, error: None
    )
    client, review, asked = Client(site.app), told.waiting.pending, told.agent.pending
    assert review is not None
    assert asked is not None
    reviews = [f"/api/v1/reviews/{each.id}" for each in (review, asked)]
    paths = ["/api/v1/agent-executions/r-failed", "/api/v1/reviews", *reviews]
    for path in paths:
        answer = client("GET", path)
        assert answer.status == 200, answer.text
        check(path, answer.text, for_people=False)
    for path in ("/inbox", f"/inbox/{review.id}", f"/inbox/{asked.id}"):
        answer = client("GET", path)
        assert answer.status == 200, answer.text
        assert "<script>alert" not in answer.text
        check(path, answer.text.replace("\n", " "))  # to a browser they are the same
    driver.close()


def test_the_dialogs(told: Told) -> None:
    review, asked = told.waiting.pending, told.agent.pending
    assert review is not None
    assert asked is not None
    subject = Subject.read(told.store, review.id)
    edit = Decision.edit({"copy": [f"{told.secret} {told.text}"]}, by="ana", comment=told.secret)
    pages = [summary(subject, 90, UNMAPPED), details(subject, 90)]
    of_agent = Subject.read(told.store, asked.id)
    pages += [summary(of_agent, 90, UNMAPPED), details(of_agent, 90)]
    pages.append(proposal(Proposal(subject, edit, subject.lead_of(edit), subject.edited_by(edit)), 90))
    for rows in pages:
        check("review", "\n".join("".join(text for text, _ in row.parts) for row in rows))
    tried = try_node(told.app, name_of(told.text), told.run.values)
    standing = visit_story(RunSnapshot.now(RunView(told.store, told.agent.id)))
    check("standing", "\n".join(rows_at(standing, 90)))
    story = TrialStory(tried, mask_of(told.app, told.store, told.run.id))
    lines = tried_lines(Try(told.app, name_of(told.text), dict(told.run.values)), story)
    check("trial", "\n".join(rows_at(lines, 90)))


class Panes(App[None]):
    """All that tells of a run in the workbench, one below the other."""

    def __init__(self, *panes: Pane) -> None:
        super().__init__()
        self.panes = panes

    def compose(self) -> ComposeResult:
        yield from self.panes


def test_the_panes(told: Told) -> None:
    node, graph = NodePane(), NodePane()
    panes = (WhyPane(), node, graph, StatePane(), TracePane())
    host = Panes(*panes)

    async def look(pilot: Pilot[None]) -> None:
        view = RunView(told.store, told.run.id)
        for moment in (RunSnapshot.now(view), RunSnapshot.at(view, 1), RunSnapshot.at(view, 0)):
            for name in (name_of(told.text), "first"):
                node.about(told.app, name)
                graph.about(told.app)
                for pane in panes:
                    pane.moment = moment
                await pilot.pause()
                for pane in panes:
                    check(type(pane).__name__, "\n".join(widget_lines(pane)))
        node.about(told.app, None, 0)
        await pilot.pause()
        check("edge", "\n".join(widget_lines(node)))

    play(host, look, (100, 160))
