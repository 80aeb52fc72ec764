"""A process that runs nodes, as its worker sees it: started, told what to do, and ended when it must be."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from dataclasses import asdict

from ..runs import operations
from ..runs.timeouts import timed_out
from ..runs.views import open_run
from ..stores.base import StateStore
from ..stores.ledger import READY
from ..values.errors import Conflict, NodeFailed, StepgraphError
from .outcomes import CodeLoaded, JobOutcome, Message, NodeBegins, Ready, WorkerOptions, from_json

GRACE = 1.0
"""How many seconds after its timeout a node's process is ended: at first it is only interrupted."""
_LONGEST_LINE = 1 << 22


class SupervisedHand:
    """Starts a process that runs nodes, and starts another when that one is gone.

    Args:
        options: How the worker works.
        store: Where the failures of nodes are recorded whose process had to be ended.
    """

    def __init__(self, options: WorkerOptions, store: StateStore) -> None:
        self._options, self._store = options, store
        self._process: Process | None = None
        self._why = ""
        self._begun: NodeBegins | None = None
        self._failed_at: int | None = None
        self._is_loaded = False  # whether the code of the run's graph was imported
        self._began = time.monotonic()

    @property
    def pid(self) -> int | None:
        """The process; None before the first job."""
        return self._process.pid if self._process is not None else None

    async def start(self) -> None:
        """Start the process where there is none, so that it is ready when a job comes."""
        if self._process is not None and self._process.returncode is None:
            return
        command = (sys.executable, "-P", "-m", "stepgraph.workers.hand")  # -P: nothing of the current folder
        self._process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, start_new_session=True, limit=_LONGEST_LINE
        )
        self._why = ""
        self._tell(asdict(self._options))
        message = await self._heard(self._process)
        if not isinstance(message, Ready):
            what = message.what if isinstance(message, JobOutcome) else ""
            raise StepgraphError(f"a process to run nodes in cannot be started: {what or 'it ended at once'}")

    @staticmethod
    async def _heard(process: Process) -> Message | None:
        """Wait for a message; None when the process is gone."""
        line = await process.stdout.readline() if process.stdout is not None else b""
        return from_json(json.loads(line)) if line else None

    async def advance(self, run_id: str, failed_at: int | None, until: float) -> JobOutcome:
        """Have a run advanced, and end the process when a node takes longer than its timeout.

        Args:
            run_id: The run.
            failed_at: The version at which it has failed, and is to be retried; None for one that is ready.
            until: When others may take it over, unless ``prolong`` says otherwise by then.
        """
        await self.start()
        process, self._begun, self._began = self._process, None, time.monotonic()
        self._failed_at, self._is_loaded = failed_at, False
        assert process is not None  # noqa: S101  # it was started
        self._tell({"do": "advance", "run": run_id, "failed_at": failed_at, "until": until})
        ends: asyncio.TimerHandle | None = None
        try:
            while (message := await self._heard(process)) is not None:
                if ends is not None:
                    ends.cancel()
                if isinstance(message, JobOutcome):
                    if message.ending != "killed":
                        return message
                    self._why = "killed"
                    continue
                if isinstance(message, CodeLoaded):
                    self._is_loaded = True
                    continue
                if isinstance(message, Ready):
                    continue
                self._begun, self._began = message, time.monotonic()
                loop = asyncio.get_running_loop()
                ends = loop.call_later(message.timeout + GRACE, self.end, "timeout")
        finally:
            if ends is not None:
                ends.cancel()
        return await self._ended(process, run_id)

    def leave(self) -> None:
        """Let it stop after the current node."""
        self._tell({"do": "leave"})

    def prolong(self, until: float) -> None:
        """Let it go on with what it runs until another moment of the monotonic clock."""
        self._tell({"do": "prolong", "until": until})

    def end(self, why: str = "killed") -> None:
        """End the process at once, with all that its nodes have started."""
        if self._process is not None and self._process.returncode is None:
            self._why = why
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def close(self) -> None:
        """End the process, and wait until it is gone."""
        self.end()
        if self._process is not None:
            await self._process.wait()

    def _tell(self, order: object) -> None:
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):  # it is gone, as is seen by its answer
                self._process.stdin.write(json.dumps(order).encode() + b"\n")

    async def _ended(self, process: Process, run_id: str) -> JobOutcome:
        """Say what became of a job whose process is gone; record it where the node was the cause."""
        code = await process.wait()
        if self._why == "killed":
            return JobOutcome("killed", run_id)
        begun = self._begun
        how = f"signal {-code} ({signal.strsignal(-code)})" if code < 0 else f"exit code {code}"
        if not self._is_loaded:  # no node has run: the run stays as it is, as where code is missing
            return JobOutcome("refused", run_id, what=f"importing its graph's code ended the process: {how}")
        if self._why == "timeout" and begun is not None:
            reason = timed_out(begun.timeout, "its process was ended")
            version = begun.version
        else:
            reason = NodeFailed(
                f"its process ended while it ran: {how}",
                hint="was there too little memory? Retry the run to execute the node again",
            )
            version = None
        took = time.monotonic() - self._began
        try:
            await asyncio.to_thread(self._record, run_id, reason, version, took)
        except StepgraphError as error:
            return JobOutcome(
                "died", run_id, what=f"{reason.message}; it could not be recorded: {error.message}"
            )
        return JobOutcome("advanced", run_id, "failed", what=reason.message)

    def _record(self, run_id: str, reason: NodeFailed, version: int | None, took: float) -> None:
        run = open_run(self._store, run_id)
        was_at_it = run.status is READY or run.version == self._failed_at
        if was_at_it and version in (None, run.version):
            with suppress(Conflict):  # somebody has moved it on meanwhile
                operations.fail_visit(run, reason, time.time() - took, took)
