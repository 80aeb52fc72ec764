"""Live and replayed steps, beside the official libraries' own calls to the same server."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from stepgraph import END, Executor, LLMNode, MemoryStore, StateGraph
from stepgraph.models.catalog import ModelCatalog
from stepgraph.models.settings import ModelSettings
from stepgraph.runs.answering import Answering
from stepgraph.runs.modes import RunMode
from stepgraph_tui.text.system import command

from .measure import ROOT, Timed, processor, take_turns, work_folder
from .table import Line

OVERHEAD_GOAL = 0.002
"""Seconds that a step may add to the library's own call."""
EQUAL_GOAL = 1.05
EXTRAS = ("openai", "anthropic", "mcp", "keyring", "genai_prices", "httpx2")
_CALLS = 20
_PROMPT = "Write one short sentence about rain."


def lines() -> list[Line]:
    """Measure what a live step adds, and that nobody else pays for it."""
    store = MemoryStore()  # what a commit costs is measured elsewhere
    with _server() as address:
        measured: list[Line] = []
        for provider, bare in (("openai", _bare_openai), ("anthropic", _bare_anthropic)):
            url = f"{address}/v1" if provider == "openai" else address
            table = {"provider": provider, "model": "m", "base_url": url, "max_tokens": 256}
            answering = Answering(ModelCatalog({"default": ModelSettings(table)}))
            call, close = bare(url)
            contenders = {
                "step": _steps(answering, store, RunMode(live=True)),
                "bare": call,
                "replayed": _replayed(answering, store, provider),
            }
            rounds = take_turns(contenders, rounds=7)
            more = rounds.median("step") - rounds.median("bare")
            measured += [
                Line(f"a live step, more than the bare call ({provider})", more, "s", OVERHEAD_GOAL),
                Line(f"the bare call itself ({provider})", rounds.median("bare"), "s"),
                Line(f"a replayed step ({provider})", rounds.median("replayed"), "s"),
            ]
            answering.close()
            close()
    return [*measured, *_start_lines()]


@contextmanager
def _server() -> Iterator[str]:
    """Start the fake server of the tests in a process of its own, and give its address."""
    words = [sys.executable, "-m", "tests.models.fake_server", "--delay", "0"]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None  # noqa: S101  # it is a pipe
        found = re.search(r"Anthropic: (\S+)", started.stdout.readline())
        assert found is not None  # noqa: S101  # it says where it listens
        try:
            yield found[1]
        finally:
            started.terminate()


def _graph() -> StateGraph:
    graph = StateGraph("live", start="ask", max_steps=_CALLS + 1, feedback=False)
    graph.add_node("ask", LLMNode(prompt=_PROMPT))
    graph.add_edge("ask", "ask")
    graph.add_edge("ask", END)
    return graph


def _steps(answering: Answering, store: MemoryStore, mode: RunMode) -> Timed:
    app = _graph().compile()

    def steps() -> float:
        executor = answering.executor(app, store, mode)
        return _timed(executor)

    return steps


def _timed(executor: Executor, run_id: str | None = None) -> float:
    run = executor.start({}, run_id)
    began = time.perf_counter()
    for _ in range(_CALLS):
        executor.step(run)
    taken = time.perf_counter() - began
    run.raise_for_status()
    return taken / _CALLS


def _replayed(answering: Answering, store: MemoryStore, provider: str) -> Timed:
    app, recorded = _graph().compile(), f"recorded-{provider}"
    _timed(answering.executor(app, store, RunMode(live=True)), recorded)
    return _steps(answering, store, RunMode(replay=recorded))


def _bare_openai(url: str) -> tuple[Timed, Callable[[], None]]:
    from openai import OpenAI

    client = OpenAI(api_key="none", base_url=url, max_retries=0)
    said: Any = {"model": "m", "messages": [{"role": "user", "content": _PROMPT}], "max_tokens": 256}

    def calls() -> float:
        began = time.perf_counter()
        for _ in range(_CALLS):
            stream: Any = client.chat.completions.create(
                **said, stream=True, stream_options={"include_usage": True}
            )
            for _ in stream:
                pass
        return (time.perf_counter() - began) / _CALLS

    return calls, client.close


def _bare_anthropic(url: str) -> tuple[Timed, Callable[[], None]]:
    from anthropic import Anthropic

    client = Anthropic(api_key="none", base_url=url, max_retries=0)
    said: Any = {"model": "m", "messages": [{"role": "user", "content": _PROMPT}], "max_tokens": 256}

    def calls() -> float:
        began = time.perf_counter()
        for _ in range(_CALLS):
            stream: Any = client.messages.create(**said, stream=True)
            for _ in stream:
                pass
        return (time.perf_counter() - began) / _CALLS

    return calls, client.close


def _start_lines() -> list[Line]:
    """Whole processes with the extras, and where they cannot be imported: what each takes of a processor."""
    measured = []
    with work_folder() as folder:
        store = f"sqlite:///{folder / 'runs.db'}"
        for words in (["--version"], ["run", "graphs/threshold_router.toml", "--store", store]):
            contenders = {"with": _process(words, ()), "without": _process(words, EXTRAS)}
            rounds = take_turns(contenders, rounds=15)
            ratio = rounds.ratio("with", "without")
            shown = command(*words[:2])
            measured.append(
                Line(f"{shown} with the extras, times what it takes without", ratio, "x", EQUAL_GOAL)
            )
    return measured


def _process(words: list[str], hidden: tuple[str, ...]) -> Timed:
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({hidden!r}));"
        f"from stepgraph_tui.cli import main; sys.exit(main({words!r}))"
    )
    return processor([sys.executable, "-c", code])


if __name__ == "__main__":
    from .table import show_lines

    show_lines(lines())
