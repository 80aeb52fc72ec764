"""Load a run once, in this fresh process, and print how long it took in seconds, imports aside.

``python -m bench.fresh load STYLE PATH`` opens the store and loads the run; ``bare`` opens the same file and
reads the run's last 100 rows as JSON, which is the least that any loading has to do.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
import time

import apsw

import stepgraph
from stepgraph import Executor, SqliteStore

from .past import LOAD_STEPS, app_of


def import_everything() -> None:
    """Load every module of the engine, so that none is loaded while the clock runs."""
    for module in pkgutil.walk_packages(stepgraph.__path__, "stepgraph."):
        if not module.name.startswith("stepgraph.examples"):
            importlib.import_module(module.name)


def load(style: str, path: str) -> float:
    """Open the store and load the run."""
    app = app_of(style, LOAD_STEPS)
    began = time.perf_counter()
    with SqliteStore(path) as store:
        run = Executor(app, store).load("r")
        values = run.values
        took = time.perf_counter() - began
    if values["n"] != LOAD_STEPS:
        raise SystemExit(f"the run was not loaded to its end: n is {values['n']}")
    return took


def bare(path: str) -> float:
    """Open the file, and read the rows that were written last."""
    began = time.perf_counter()
    database = apsw.Connection(path)
    database.pragma("journal_mode", "WAL")
    for (updates,) in database.execute("SELECT updates FROM ledger ORDER BY id DESC LIMIT 100"):
        json.loads(updates or "null")
    took = time.perf_counter() - began
    database.close()
    return took


if __name__ == "__main__":
    import_everything()
    print(load(sys.argv[2], sys.argv[3]) if sys.argv[1] == "load" else bare(sys.argv[3]))
