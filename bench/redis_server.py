"""What a step costs on Redis, on a server of its own that keeps what it acknowledges."""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from stepgraph import Executor
from stepgraph.extras.redis.store import RedisStore
from tests.servers.redis import RedisServer, running_server

from .contenders.engine import ring
from .measure import ROOT, alternate
from .table import Line
from .waiting import list_line

_ROUNDS = 40
_STEPS = 25
_GOAL = 1.3

_BARE = """
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'at', ARGV[3])
redis.call('RPUSH', KEYS[2], ARGV[4])
return 1
"""


def lines() -> list[Line]:
    """A step beside a bare script that compares and swaps on the same server; nothing where there is none."""
    folder = ROOT / ".bench"
    folder.mkdir(exist_ok=True)
    try:
        with running_server({"appendfsync": "always"}, str(folder)) as server:
            with _step(server) as ours, _bare_step(server) as bare:
                rounds = alternate({"engine": ours, "bare": bare}, _ROUNDS, _STEPS)
            with RedisStore(server.url(prefix="reviews:")) as store:
                listed = list_line(store)
    except LookupError as error:
        print(f"left out: {error}", file=sys.stderr)
        return []
    ratio = rounds.ratio("engine", "bare")
    return [
        Line("one step on Redis", rounds.median("engine"), "s", None, ratio),
        Line("a step there : a bare compare-and-swap script", ratio, "x", _GOAL),
        listed,
    ]


@contextmanager
def _step(server: RedisServer) -> Iterator[Callable[[], object]]:
    """A function that does one step each time it is called."""
    with RedisStore(server.url()) as store:
        executor = Executor(ring(2, _ROUNDS * _STEPS), store)
        run = executor.start({"n": 0})
        yield lambda: executor.step(run)


@contextmanager
def _bare_step(server: RedisServer) -> Iterator[Callable[[], object]]:
    """A function that does the like by hand."""
    with server.client() as client:
        client.hset("bare", "version", "0")
        script = client.register_script(_BARE)
        versions = itertools.count(1)

        def step() -> None:
            version, now = next(versions), time.time()
            row = json.dumps([version, "a", now, {"n": version}])
            if not script(keys=["bare", "bare:rows"], args=[version - 1, version, now, row]):
                raise SystemExit("the bare script has not swapped")

        yield step
