"""A run answers another one that asks the same; what it cannot answer stops that run, with the difference."""

from __future__ import annotations

import pytest

from stepgraph import END, Executor, LLMNode, MemoryStore, RunStatus, StateGraph, UnknownRun
from stepgraph.documents.loader import from_document
from stepgraph.graphs.plan import CompiledGraph
from stepgraph.runs.recordings import RunRecordings
from stepgraph.runs.visit import CallRules
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


def test_another_process_goes_on_with_the_answer_of_the_next_visit() -> None:
    store, app = MemoryStore(), loop(feedback=False)
    recorded(store, app, "one", "two", "three")
    first = Executor(app, store, calls=CallRules(RunRecordings(store, "r-1")))
    first.step(first.start({"topic": "cats"}, "r-2"))
    other = Executor(app, store, calls=CallRules(RunRecordings(store, "r-1")))
    other.run(other.load("r-2"))
    assert other.load("r-2").outputs == {"write": ["one", "two", "three"]}


def test_failed_calls_answer_nothing_and_a_retried_one_does() -> None:
    store, app = MemoryStore(), loop()
    executor = recorded(store, app, RuntimeError("overloaded"), "one", "two", "three")
    assert executor.load("r-1").status is RunStatus.FAILED
    executor.retry("r-1")
    executor.run(executor.load("r-1"))
    run = replayed(store, app).load("r-2")
    assert run.status is RunStatus.ENDED
    assert run.attempts == []


def test_a_node_with_scripted_replies_is_answered_by_the_recording_where_there_is_one() -> None:
    store = MemoryStore()
    graph = StateGraph("scripted", start="write")
    graph.add_node("write", LLMNode(prompt="Hello", replies=("scripted",)))
    graph.add_edge("write", END)
    recorded(store, graph.compile(), "from the model")
    assert replayed(store, graph.compile()).load("r-2").output == "from the model"


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
