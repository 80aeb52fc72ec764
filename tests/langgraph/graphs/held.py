"""Functions that hold something open for their graph; what they do is written beside this file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

NO_SERVER = True


class State(TypedDict, total=False):
    answer: int


def built(node: Any) -> Any:
    builder = StateGraph(State)
    builder.add_node("ask", node)
    builder.add_edge(START, "ask")
    builder.add_edge("ask", END)
    return builder.compile()


def note(what: str) -> None:
    with Path(__file__).with_name("notes.txt").open("a", encoding="utf-8") as notes:
        notes.write(f"{what} ")


class Session:
    """A client that answers while a task serves it, and in no other loop, as a session of MCP does."""

    def __init__(self) -> None:
        self._asked: asyncio.Queue[asyncio.Future[int]] = asyncio.Queue()

    async def serve(self) -> None:
        while True:
            (await self._asked.get()).set_result(41)

    async def ask(self) -> int:
        answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        await self._asked.put(answer)
        return await answer


@asynccontextmanager
async def awaited() -> AsyncIterator[Any]:
    session, entered_by = Session(), asyncio.current_task()
    serving = asyncio.create_task(session.serve())
    note("opened")

    async def ask(state: State) -> dict[str, Any]:
        return {"answer": await session.ask()}

    try:
        yield built(ask)
    finally:
        serving.cancel()
        await asyncio.sleep(0)
        note("closed" if asyncio.current_task() is entered_by else "closed by another task")


@contextmanager
def plain() -> Iterator[Any]:
    note("opened")
    yield built(lambda state: {"answer": 41})
    note("closed")


@asynccontextmanager
async def fails() -> AsyncIterator[Any]:
    if NO_SERVER:
        raise ConnectionError("no server there")
    yield built(lambda state: {})


@asynccontextmanager
async def fails_to_close() -> AsyncIterator[Any]:
    yield built(lambda state: {"answer": 41})
    raise ConnectionError("it is gone")
