"""The Why pane: every edge, its condition, the values it looked at, who wrote them, and which won."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from stepgraph import END, Decision, NodeResult, ReviewRequest, StateGraph
from stepgraph.files import read_graph
from stepgraph.graphs.parts import NodeEntry
from stepgraph.nodes.approval import ApprovalNode
from stepgraph.stores.memory import MemoryStore
from stepgraph.values.json_values import Json
from stepgraph_tui.run_view import RunSnapshot
from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.widgets.why import WhyPane
from tests.app.telling import Driven, graph_of, story, text_of, told


def test_without_a_run_it_says_what_it_will_show_and_which_key_starts_one() -> None:
    lines = told(WhyPane())
    assert "No run yet." in lines[0]
    assert "c starts a run" in text_of(lines)


def test_the_taken_edge_is_explained_with_each_value_and_its_writer() -> None:
    lines = told(WhyPane(), Driven().step(4).now())
    assert lines[:7] == [
        " step 4  amount_check → review               first match wins",
        "",
        " TAKEN  1 high → review                                  true",
        '          route == "high"                                true',
        '            route  "high"        written by step 4, this node',
        "",
        " ·      2 low → pay                               not reached",
    ]
    assert lines[7] == "          always                                  would match"


def test_it_reads_well_in_36_cells() -> None:
    lines = told(WhyPane(), Driven().step(4).now(), (37, 40))
    assert max(map(cell_len, lines)) <= 36
    assert lines[3:7] == [
        " TAKEN  1 high → review         true",
        '      route == "high"           true',
        '       route  "high"',
        "        written by step 4, this node",
    ]


def test_edges_that_did_not_match_say_false_and_the_written_node_is_named() -> None:
    driven = Driven(values={"ticket": "order 8812"}).step(1)
    driven.edit({"category": "other"})
    seen = text_of(story(driven.now()))
    assert 'category "billing" written by step 1, this node' in seen  # as it was when the edges were tried


def test_values_from_the_start_an_edit_or_nowhere_say_so() -> None:
    graph = graph_of((END, "gone is not None or mine == 2", None), ("a", "given == 1", None), returns={})
    driven = Driven(graph, {"given": 1, "mine": 1, "gone": 5})
    driven.edit({"mine": 3, "gone": None})
    seen = text_of(story(driven.step().now()))
    assert "gone is missing removed by ana at the start" in seen
    assert "mine 3 edited by ana at the start" in seen
    assert "given 1 from the start" in seen
    never = Driven(graph_of((END, "never is None", None))).step().now()
    assert "never is missing never written" in text_of(story(never))


def test_inside_of_a_subgraph_values_are_written_by_who_wrote_them_there(tmp_path: Path) -> None:
    inner = """
        format = 1
        name = "inner"
        start = "a"
        state.pin = { secret = true, default = "ab" }
        nodes.a = { type = "transform", set = { n = 1 } }
        edges = [{ from = "a", to = "END", when = "n == 1 and pin != 'x' and gone is None" }]
        """
    outer = """
        format = 1
        name = "outer"
        start = "sub"
        nodes.sub = { type = "subgraph", graph = "inner.toml", outputs = { found = "n" } }
        edges = [{ from = "sub", to = "END", when = "found == 1" }]
        """
    (tmp_path / "inner.toml").write_text(dedent(inner), encoding="utf-8")
    (tmp_path / "outer.toml").write_text(dedent(outer), encoding="utf-8")
    driven = Driven(read_graph(tmp_path / "outer.toml"))
    seen = text_of(story(driven.step(2).now()))
    assert "n 1 written by step 2, this node" in seen
    assert 'pin "***" written by step 1, sub' in seen  # a short secret, too
    assert "gone is missing never written" in seen
    assert "found 1 written by step 3, this node" in text_of(story(driven.step().now()))


def test_facts_of_the_run_say_what_they_are() -> None:
    graph = graph_of(("a", "step == 9 or visits.a > 3", None), (END, 'last_output != "x"', None))
    seen = text_of(story(Driven(graph).step().now()))
    assert "step 1 the number of this step" in seen
    assert "visits.a 1 visits so far, this step included" in seen
    assert 'last_output "{}" the output of this node' in seen


def test_an_edge_that_was_not_reached_says_what_it_would_have_answered() -> None:
    graph = graph_of(
        (END, None, None),
        ("a", "n == 1", None),
        ("a", "n == 2", None),
        ("a", "m.x == 2", None),
        returns={"n": 1},
    )
    lines = story(Driven(graph).step().now())
    verdicts = [line.split()[-2:] for line in lines if "would" in line]
    assert verdicts == [["would", "match"], ["not", "match"], ["would", "fail"]]


def test_python_conditions_are_never_called_again() -> None:
    asked: list[str] = []

    def predicate(context: object) -> bool:
        asked.append("once")
        return len(asked) == 2

    driven = Driven(
        graph_of(("a", predicate, "no"), (END, predicate, "yes"), ("a", predicate, "late"))
    ).step()
    lines = story(driven.now())
    assert len(asked) == 2
    seen = text_of(lines)
    assert "○ 1 no → a false Python code, not called again false" in seen
    assert "TAKEN 2 yes → END true Python code, not called again true" in seen
    assert "· 3 late → a not reached Python code not called" in seen


def test_a_condition_that_failed_names_the_missing_path_and_how_to_go_on() -> None:
    graph = graph_of((END, "order.amount > 2 and step == 1", None), returns={"order": {"amont": 3}})
    seen = text_of(story(Driven(graph).step().now()))
    assert "step 1 a a condition failed" in seen
    assert "FAILED → END failed" in seen
    assert "order.amount is missing written by step 1, this node" in seen
    assert "order has no key \"amount\" (did you mean 'amont'?)" in seen
    assert "step == 1 not asked" in seen
    assert "r tries the edges again; the node does not run again" in seen


def test_a_python_condition_that_raised_says_what() -> None:
    def broken(context: object) -> bool:
        raise ValueError("[red]no\x1b[0m")

    seen = text_of(story(Driven(graph_of((END, broken, None))).step().now()))
    assert "failed: ValueError: [red]no\\x1b[0m" in seen


def test_no_match_lists_what_each_candidate_answered() -> None:
    graph = graph_of(("a", 'c == "x"', "one"), (END, 'c == "y"', "two"), returns={"c": "z"})
    seen = text_of(story(Driven(graph).step().now()))
    assert "step 1 a no edge matched" in seen
    assert "○ 1 one → a false" in seen
    assert "○ 2 two → END false" in seen
    assert "The routing of a failed" in seen


def test_a_failed_node_says_so_and_that_r_retries_it() -> None:
    def fails(state: object) -> dict[str, Any]:
        raise RuntimeError("out of paper")

    graph = StateGraph("g", start="a")
    graph.add_node("a", fails)
    graph.add_edge("a", END)
    seen = text_of(story(Driven(graph).step().now()))
    assert "─ a failed ─" in seen
    assert "out of paper" in seen
    assert "r retries it" in seen


def test_each_line_of_a_failure_is_a_line() -> None:
    def fails(state: object) -> dict[str, Any]:
        raise RuntimeError("they differ:\n- one \x1b[0m\n+ two")

    graph = StateGraph("g", start="a")
    graph.add_node("a", fails)
    graph.add_edge("a", END)
    seen = [line.strip() for line in story(Driven(graph).step().now())]
    at = next(number for number, line in enumerate(seen) if "they differ:" in line)
    assert seen[at + 1 : at + 3] == ["- one \\x1b[0m", "+ two"]


@pytest.mark.parametrize("policy", ["flag", "fail"])
def test_the_cap_is_explained_with_the_whole_loop_report(policy: str) -> None:
    graph = StateGraph("g", start="a", max_steps=6, on_max_steps=policy)  # type: ignore[arg-type]
    graph.add_node("a", lambda state: {"n": state.visit})
    graph.add_node("b", lambda state: {})
    graph.add_edge("a", "b", label="on")
    graph.add_edge("b", "a")
    seen = text_of(story(Driven(graph, {"stuck": 1}).step(9).now()))
    assert "It stopped at its cap of 6 steps" in seen
    assert "went round" in seen
    assert "kept matching" in seen
    assert "visits a 3, b 3" in seen
    assert "never changed stuck" in seen


@pytest.mark.parametrize(
    ("mode", "words"), [("end", "It reached END after 1 step."), ("no_match", "No edge of a matched")]
)
def test_the_end_says_why(mode: str, words: str) -> None:
    when = None if mode == "end" else "1 == 2"
    graph = graph_of((END, when, None), on_no_match="end")
    assert words in text_of(story(Driven(graph).step().now()))


def test_before_the_first_step_it_says_what_the_start_node_will_be_asked() -> None:
    for moment in (Driven().now(), Driven().step(3).at(0)):
        seen = text_of(story(moment))
        assert "at the start → classify first match wins" in seen
        assert '1 billing → lookup category == "billing"' in seen
        assert "2 other → hand_over always" in seen


def test_it_foresees_the_answers_of_an_approval_without_asking_anybody() -> None:
    driven = Driven().step(4)
    seen = text_of(story(driven.now()))
    assert "─ If review is answered ─" in seen
    assert "y approve 1 approved → pay ! → notify → END" in seen
    assert "e edit 1 approved → pay ! → notify → END" in seen
    assert "n reject 2 rejected → refuse → notify → END" in seen
    assert "! has side effects: pay" in seen
    assert "opens the review" not in seen
    assert driven.view.version == driven.run.version
    assert driven.view.run.pending is None


def test_a_pending_review_says_which_key_opens_it() -> None:
    seen = text_of(story(Driven().step(5).now()))
    assert "y approve 1 approved → pay ! → notify → END" in seen
    assert "A opens the review" in seen


def test_an_answered_review_tells_only_where_that_answer_leads() -> None:
    driven = Driven().step(5)
    driven.decide(Decision.reject(by="ana", comment="no [bold]way"))
    seen = text_of(story(driven.now()))
    assert "review is answered" in seen
    assert "reject by ana" in seen
    assert "no [bold]way" in seen
    assert "n reject 2 rejected → refuse" in seen
    assert "y approve" not in seen


def test_a_question_that_cannot_be_put_says_why() -> None:
    driven = Driven().step(4)
    driven.edit({"order": None})
    seen = text_of(story(driven.now()))
    assert "Cannot show where the answers lead" in seen


def test_a_python_node_that_asks_leads_where_nobody_can_know() -> None:
    graph = StateGraph("g", start="ask")
    graph.add_node("ask", lambda state: NodeResult.pause(ReviewRequest("sure?")))
    graph.add_edge("ask", END, when="x == 1")
    seen = text_of(story(Driven(graph).step().now()))
    assert "y approve cannot be known: it depends on what the code of 'ask' does" in seen


def test_a_past_step_tells_of_its_own_edges_alone() -> None:
    seen = text_of(story(Driven().step(5).at(1)))
    assert "step 1 classify → lookup" in seen
    assert "is answered" not in seen


def test_secrets_are_hidden_whole_and_in_part() -> None:
    graph = StateGraph("g", start="a")
    graph.add_key("token", secret=True)
    graph.add_node("a", lambda state: {"note": "the key is hunter22", "token": state["token"]})
    graph.add_edge("a", "a", when='token == "x" or note == "y"')
    graph.add_edge("a", "a", when='token == 5 or "hunter22" == note')
    graph.add_edge("a", END, when="token")
    for secret in ("hunter22", "abc"):
        seen = text_of(story(Driven(graph, {"token": secret}).step().now()))
        assert f'"{secret}"' not in seen
        assert 'token "***"' in seen
        assert ("the key is hunter22" in seen) == (len(secret) == 3)  # there it is no secret


@pytest.mark.parametrize(
    "nasty", ["[red]x[/]", "\x1b[31mx", "a\nb\tc", "\u202eabc", "日本語" * 40, "שלום" * 20, ""]
)
def test_names_values_and_labels_are_data(nasty: str) -> None:
    graph = StateGraph("g", start="a")
    name = nasty or "b"
    graph.add_node("a", lambda state: {"v": nasty})
    graph.add_node(name, lambda state: {})
    graph.add_edge("a", name, when='v != "never"', label=nasty or None)
    graph.add_edge("a", END)
    graph.add_edge(name, END)
    moment = Driven(graph).step().now()
    for width in (60, 35, 18):
        lines = story(moment, width)
        assert all(cell_len(line) <= width + 1 for line in lines)
        assert not any(char in "".join(lines) for char in "\x1b\u202e\t")
        if nasty.startswith("["):
            assert width < 30 or "[red]x[/]" in text_of(lines)


def test_a_tiny_pane_shows_what_it_can() -> None:
    for size in ((6, 4), (2, 1)):
        assert len(told(WhyPane(), Driven().step(4).now(), size)) == size[1]


def test_a_huge_state_is_told_in_a_few_lines() -> None:
    big = {
        "text": "x" * 10_000_000,
        "items": list(range(100_000)),
        "table": {str(n): n for n in range(9_000)},
    }
    graph = graph_of(
        *[("a", f'text == "{n}" or items == {n} or table == {n}', None) for n in range(5)], (END, None, None)
    )
    pane = WhyPane()
    lines = told(pane, Driven(graph, big).step().now())
    assert "TAKEN" in text_of(story(Driven(graph, big).step().now()))
    assert lines
    assert len(pane.copied() or "") < 20_000


def test_values_that_take_long_to_look_up_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(1_000))
    graph = graph_of(("a", "n == 2", None), (END, "n == 1", None), returns={"n": 1})
    moment = Driven(graph).step().now()
    monkeypatch.setattr("stepgraph_tui.widgets.why.edges.thread_time", lambda: float(next(ticks)))
    seen = text_of(story(moment))
    assert "n == 2 its values are left out" in seen
    assert "n 1 written by step 1, this node" in seen  # the edge that won is always explained


def test_of_very_many_edges_the_one_that_won_is_always_told() -> None:
    edges = [("a", f"n == {n}", f"e{n}") for n in range(1, 401)]
    moment = Driven(graph_of(*edges, returns={"n": 300})).step().now()
    pane = WhyPane()
    told(pane, moment)
    page = pane.copied() or ""
    assert "TAKEN  300 e300 → a" in page
    assert "… 199 more edges" in page
    assert "… 100 more edges" in page


def test_a_store_that_cannot_be_read_is_an_error_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    from stepgraph.values.errors import StoreError

    moment = Driven().step(4).now()

    def refuse(self: object, *given: object) -> None:
        raise StoreError("the disk is gone", hint="find it")

    monkeypatch.setattr(MemoryStore, "values", refuse)
    assert "the disk is gone (find it)" in text_of(told(WhyPane(), moment))


def test_a_template_that_takes_long_is_not_rendered_for_every_verb(monkeypatch: pytest.MonkeyPatch) -> None:
    moment: RunSnapshot = Driven().step(4).now()
    ticks = iter(range(100))
    monkeypatch.setattr("stepgraph_tui.widgets.why.answers.thread_time", lambda: float(next(ticks)) / 10 * 3)
    assert "its question takes a while to build" in text_of(story(moment))


def test_the_state_is_rebuilt_once_however_many_edges_are_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = Driven(graph_of(*[("a", f"n == {n}", None) for n in range(9)], returns={"n": 8})).step().now()
    read: list[int] = []
    values = MemoryStore.values

    def counted(self: MemoryStore, run_id: str, seq: int) -> Any:
        read.append(seq)
        return values(self, run_id, seq)

    monkeypatch.setattr(MemoryStore, "values", counted)
    assert "TAKEN 9 → a true n == 8" in text_of(story(moment))
    assert len(read) == 1


def approval(*edges: tuple[str, str | None], **more: Any) -> StateGraph:
    """A graph whose only node asks a person."""
    graph = StateGraph("g", start="ask", **more)
    settings: dict[str, Json] = {"prompt": "ok?", "editable": {"n": "number"}}
    graph.add_entry(NodeEntry("ask", ApprovalNode("ask", **settings), "approval", settings))
    graph.add_node("act", lambda state: {})
    for target, when in edges:
        graph.add_edge("ask", target, when=when)
    graph.add_edge("act", "ask", when="n == 1")
    graph.add_edge("act", END)
    return graph


def test_answers_that_fail_end_or_depend_on_an_edit_say_so() -> None:
    graph = approval(("act", 'decision == "approve" and n > 0'), ("ask", 'decision == "edit"'))
    seen = text_of(story(Driven(graph, {"n": 5}).now()))
    assert "y approve 1 → act → depends on what it does" in seen
    assert "unless n changes that" in seen
    assert "n reject fails: no edge matches, and the run fails" in seen
    graph = approval(("act", 'decision == "approve"'), on_no_match="end")
    assert "n reject END: no edge matches" in text_of(story(Driven(graph, {"n": 5}).now()))


def test_an_answer_that_asks_again_or_meets_the_cap_says_so() -> None:
    again = text_of(story(Driven(approval(("ask", None)), {"n": 5}).now()))
    assert "y approve → ask asks a person" in again
    capped = text_of(story(Driven(approval(("act", None), max_steps=1), {"n": 5}).now()))
    assert "y approve → the run stops at its cap before act" in capped


def test_a_run_that_was_stopped_by_its_clock_says_so() -> None:
    graph = StateGraph("g", start="a", max_seconds=2)

    def slow(state: object) -> dict[str, Any]:
        driven.clock.advance(3)
        return {}

    graph.add_node("a", slow)
    graph.add_edge("a", "a")
    driven = Driven(graph)
    assert "its nodes have run for 2 seconds or more" in text_of(story(driven.step().now()))
