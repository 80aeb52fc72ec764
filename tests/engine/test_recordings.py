"""A run answers another one that asks the same; what it cannot answer stops that run, with the difference."""

from __future__ import annotations

import pytest

from stepgraph import END, Executor, LLMNode, MemoryStore, RunStatus, StateGraph, UnknownRun
from stepgraph.documents.loader import from_document
from stepgraph.graphs.plan import CompiledGraph
from stepgraph.runs.bind import CallRules
from stepgraph.runs.modes import mode_of
from stepgraph.runs.recordings import RunRecordings
from stepgraph.testing import ScriptedModel


def loop(
    prompt: str = "Improve {{ topic }}.", *, feedback: bool = True, model: str = "default"
) -> CompiledGraph:
    """Build a writer that is visited three times, as a file would have it."""
    node = {"type": "llm", "prompt": prompt, "system": "You write.", "output": "draft", "model": model}
    edges = [
        {"from": "write", "to": "END", "when": "visits.write == 3"},
        {"from": "write", "to": "write"},
    ]
    graph = {"format": 1, "name": "loop", "start": "write", "feedback": feedback}
    return from_document({**graph, "nodes": {"write": node}, "edges": edges}).compile()


def recorded(store: MemoryStore, app: CompiledGraph, *replies: str | Exception) -> Executor:
    model = ScriptedModel(replies)
    executor = Executor(app, store, models={"default": model}, live=True)
    executor.run(executor.start({"topic": "cats"}, "r-1"))
    return executor


def replayed(store: MemoryStore, app: CompiledGraph, run_id: str = "r-2", topic: str = "cats") -> Executor:
    """Run a graph on the recordings of r-1; no model is there to be asked."""
    executor = Executor(app, store, calls=CallRules(RunRecordings(store, "r-1")))
    executor.run(executor.start({"topic": topic}, run_id))
    return executor


def test_the_same_words_get_the_same_answers_without_a_model() -> None:
    store, app = MemoryStore(), loop()
    recorded(store, app, "one", "two", "three")
    run = replayed(store, app).load("r-2")
    assert run.status is RunStatus.ENDED
    assert run.outputs == {"write": ["one", "two", "three"]}
    assert {call["source"] for record in run.history for call in record.calls} == {"replay"}
    assert mode_of(store, "r-2").replay == "r-1"


def test_words_that_are_repeated_are_answered_in_their_order() -> None:
    store, app = MemoryStore(), loop(feedback=False)  # each visit says the same
    recorded(store, app, "one", "two", "three")
    assert replayed(store, app).load("r-2").outputs == {"write": ["one", "two", "three"]}


def test_another_process_goes_on_with_the_answer_of_the_next_visit() -> None:
    store, app = MemoryStore(), loop(feedback=False)
    recorded(store, app, "one", "two", "three")
    first = Executor(app, store, calls=CallRules(RunRecordings(store, "r-1")))
    first.step(first.start({"topic": "cats"}, "r-2"))
    other = Executor(app, store, calls=CallRules(RunRecordings(store, "r-1")))
    other.run(other.load("r-2"))
    assert other.load("r-2").outputs == {"write": ["one", "two", "three"]}


def test_the_alias_of_a_model_may_change() -> None:
    store = MemoryStore()
    recorded(store, loop(), "one", "two", "three")
    assert replayed(store, loop(model="other")).load("r-2").status is RunStatus.ENDED


def test_a_miss_stops_and_shows_the_nearest_recording_and_the_difference() -> None:
    store = MemoryStore()
    recorded(store, loop(), "one", "two", "three")
    run = replayed(store, loop("Improve {{ topic }} a lot.")).load("r-2")
    assert run.status is RunStatus.FAILED
    assert run.step == 0
    message = str(run.error)
    assert "run 'r-1' has no recorded answer of the model 'default'" in message
    assert "step 1 (visit 1) is nearest, and differs:" in message
    assert "\n- user: Improve cats.\n+ user: Improve cats a lot." in message
    assert "- system" not in message  # what is the same is not shown


def test_a_miss_is_never_answered_by_a_model_that_is_there() -> None:
    store = MemoryStore()
    recorded(store, loop(), "one", "two", "three")
    model = ScriptedModel(["live"])
    executor = Executor(
        loop(), store, models={"default": model}, live=True, calls=CallRules(RunRecordings(store, "r-1"))
    )
    run = executor.run(executor.start({"topic": "dogs"}, "r-2"))
    assert run.status is RunStatus.FAILED
    assert model.prompts == []


def test_of_a_node_that_was_never_asked_nothing_is_near() -> None:
    store = MemoryStore()
    recorded(store, loop(), "one", "two", "three")
    graph = StateGraph("other", start="talk")
    graph.add_node("talk", LLMNode(prompt="Hello"))
    graph.add_edge("talk", END)
    run = replayed(store, graph.compile()).load("r-2")
    assert "nothing else of that node" in str(run.error)


def test_failed_calls_answer_nothing_and_a_retried_one_does() -> None:
    store, app = MemoryStore(), loop()
    executor = recorded(store, app, RuntimeError("overloaded"), "one", "two", "three")
    assert executor.load("r-1").status is RunStatus.FAILED
    executor.retry("r-1")
    executor.run(executor.load("r-1"))
    run = replayed(store, app).load("r-2")
    assert run.status is RunStatus.ENDED
    assert run.attempts == []


def test_an_answer_that_its_node_could_not_use_gives_way_to_the_one_that_it_could() -> None:
    store, app = MemoryStore(), loop()
    executor = recorded(store, app, "CALL_TOOL: what", "one", "two", "three")
    executor.retry("r-1")
    executor.run(executor.load("r-1"))
    run = replayed(store, app).load("r-2")
    assert (run.status, run.attempts) == (RunStatus.ENDED, [])


def test_a_node_with_canned_replies_is_answered_by_the_recording_where_there_is_one() -> None:
    store = MemoryStore()
    graph = StateGraph("canned", start="write")
    graph.add_node("write", LLMNode(prompt="Hello", replies=("canned",)))
    graph.add_edge("write", END)
    recorded(store, graph.compile(), "from the model")
    assert replayed(store, graph.compile()).load("r-2").output == "from the model"


def test_a_run_that_was_answered_by_canned_replies_is_answered_by_them_again() -> None:
    store = MemoryStore()
    graph = StateGraph("mixed", start="plan")
    graph.add_node("plan", LLMNode(prompt="Plan", output="plan", replies=("canned",)))
    graph.add_node("write", LLMNode(prompt="Write"))
    graph.add_edge("plan", "write")
    graph.add_edge("write", END)
    app = graph.compile()
    executor = Executor(app, store, models={"default": ScriptedModel(["from the model"])})
    executor.run(executor.start({}, "r-1"))
    replay = Executor(app, store, calls=CallRules(RunRecordings(store, "r-1")))
    run = replay.run(replay.start({}, "r-2"))
    assert run.outputs == {"plan": ["canned"], "write": ["from the model"]}


def test_recordings_of_no_run_are_refused() -> None:
    with pytest.raises(UnknownRun):
        RunRecordings(MemoryStore(), "r-9")


def test_a_long_difference_is_cut() -> None:
    store = MemoryStore()
    recorded(store, loop(), "one", "two", "three")
    prompt = "\n".join(f"line {number} {'x' * 400}" for number in range(50))
    run = replayed(store, loop(prompt)).load("r-2")
    message = str(run.error)
    assert len(message) < 4_000
    assert "more lines" in message


def test_what_a_node_of_a_program_said_is_not_known() -> None:
    def built(prompt: str) -> CompiledGraph:
        graph = StateGraph("built", start="talk")
        graph.add_node("talk", LLMNode(prompt=prompt))
        graph.add_edge("talk", END)
        return graph.compile()

    store = MemoryStore()
    recorded(store, built("Hello"), "one")
    assert replayed(store, built("Hello")).load("r-2").output == "one"
    assert "nothing else of that node that could be shown" in str(
        replayed(store, built("Bye"), "r-3").load("r-3").error
    )
