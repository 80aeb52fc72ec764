"""The commands that do what the app does can be typed as they are."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from stepgraph.files import read_graph
from stepgraph.graphs.builder import StateGraph
from stepgraph.graphs.parts import END
from stepgraph.reviews.model import Decision, Review
from stepgraph.runs.executor import Executor
from stepgraph.runs.masks import Mask
from stepgraph.runs.modes import SCRIPTED, RunMode
from stepgraph.stores.memory import MemoryStore
from stepgraph.testing import FakeClock, sequential_ids
from stepgraph.values.json_values import Json
from stepgraph_tui import cli_equivalents
from stepgraph_tui.cli.inputs import read_changes, read_inputs
from stepgraph_tui.cli.parser import parse

REFUND = Path(__file__).parents[2] / "graphs" / "refund_triage.toml"


def words(command: str) -> list[str]:
    """The command's words without its name."""
    first, *others = shlex.split(command)
    assert first == "stepgraph"
    return others


def mask_with_a_token(values: Mapping[str, Json]) -> Mask:
    """What hides the values of the key ``token``."""
    graph = StateGraph("g", start="only")
    graph.add_key("token", secret=True)
    graph.add_node("only", lambda state: {})
    graph.add_edge("only", END)
    return Mask(graph.compile(), values)


def review_of_refund() -> Review:
    """The review that the shipped example waits for."""
    store = MemoryStore()
    executor = Executor(read_graph(REFUND).compile(), store, clock=FakeClock(), ids=sequential_ids())
    review = executor.run(executor.start({})).pending
    assert review is not None
    return review


def test_what_drives_a_run_is_a_command_that_names_the_store_where_it_must() -> None:
    assert cli_equivalents.step("r-7") == "stepgraph step r-7"
    assert cli_equivalents.resume("r-7", "runs.db") == "stepgraph resume r-7 --store runs.db"
    assert cli_equivalents.retry("r 7", "a b.db") == "stepgraph retry 'r 7' --once --store 'a b.db'"
    assert cli_equivalents.show_step("r-7", 3) == "stepgraph runs show r-7 --step 3"
    assert cli_equivalents.show_approval("a-1") == "stepgraph approvals show a-1"
    for command in (
        cli_equivalents.step("r"),
        cli_equivalents.resume("r"),
        cli_equivalents.retry("r"),
        cli_equivalents.show_step("r", 3),
    ):
        assert parse(words(command)).run == "r"


def test_a_run_that_is_stopped_on_the_way_is_the_command_that_stops_there() -> None:
    told = cli_equivalents.resume("r-7", "runs.db", until="pay", after={"notify", "draft"})
    assert told == "stepgraph resume r-7 --until pay --after draft --after notify --store runs.db"
    assert cli_equivalents.resume("r-7", until=END) == "stepgraph resume r-7"
    args = parse(words(cli_equivalents.resume("r", until="--odd one", after=["-1", "a'b"])))
    assert (args.until, args.after) == (["--odd one"], ["-1", "a'b"])


@pytest.mark.parametrize(
    "value",
    ["plain text", "it's", "1", "null", "true", '"quoted"', "@file", "", "a\nb\tc", "漢字 \u202e", "{}", 3,
     2.5, True, None, [1, "a"], {"a": {"b": [None]}}],
)  # fmt: skip
def test_every_value_is_read_as_it_was(value: Json) -> None:
    command = cli_equivalents.start(Path("graph.toml"), {"key": value}, "r-1")
    assert "\n" not in command
    args = parse(words(command))
    assert (args.file, args.run_id) == (Path("graph.toml"), "r-1")
    assert read_inputs(args.input, {}) == {"key": value}


@pytest.mark.parametrize("mode", [SCRIPTED, RunMode(live=True), RunMode(replay="r-0")])
def test_who_answers_is_said(mode: RunMode) -> None:
    args = parse(words(cli_equivalents.start(Path("graph.toml"), {}, "r-1", mode=mode)))
    assert RunMode(args.live, args.replay) == mode


def test_a_long_value_is_left_to_a_file() -> None:
    values: Mapping[str, Json] = {"text": "x" * 10_000_000, "list": list(range(100_000))}
    command = cli_equivalents.start(Path("g.toml"), values, None)
    assert command == "stepgraph run g.toml --input text=@FILE --input list=@FILE"


def test_secrets_are_left_to_a_file() -> None:
    values: Mapping[str, Json] = {"token": "hunter2!", "note": "uses hunter2!", "name": "Ana"}
    command = cli_equivalents.start(Path("g.toml"), values, None, mask=mask_with_a_token(values))
    assert command == "stepgraph run g.toml --input token=@FILE --input note=@FILE --input name=Ana"


@pytest.mark.parametrize(
    ("decision", "verb"),
    [
        (Decision.approve(by="ana"), ["--approve"]),
        (Decision.reject(comment="too  high,\nsorry"), ["--reject", "--comment", "too high, sorry"]),
        (Decision.respond("it's 5"), ["--respond", "it's 5"]),
        (Decision.edit({"order.amount": 90, "draft": "90"}),
         ["--edit", "--set", "order.amount=90", "--set", 'draft="90"']),
    ],
)  # fmt: skip
def test_a_decision_is_the_command_that_decides_the_same(decision: Decision, verb: list[str]) -> None:
    review = replace(review_of_refund(), decision=decision)
    command = cli_equivalents.decide(review, "runs.db")
    assert words(command) == [
        "approvals", "decide", review.id, *verb, "--expect-hash", review.hash, "--store", "runs.db"
    ]  # fmt: skip
    args = parse(words(command))
    assert read_changes(args.set, review.request.editable) == dict(decision.values)


def test_a_review_that_is_not_decided_can_be_shown() -> None:
    review = review_of_refund()
    assert cli_equivalents.decide(review) == f"stepgraph approvals show {review.id}"


def test_a_secret_in_a_comment_is_masked() -> None:
    mask = mask_with_a_token({"token": "hunter2!"})
    review = replace(review_of_refund(), decision=Decision.reject(comment="not hunter2!"))
    assert "hunter2" not in cli_equivalents.decide(review, mask=mask)
