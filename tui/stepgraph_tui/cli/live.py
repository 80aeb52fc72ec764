"""Who answers in a run: real models, once somebody knows at what price, or what another run recorded.

Replies of models are printed as they stream.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from stepgraph.runs import SCRIPTED, RunMode, mode_of, open_run, set_limits, set_mode
from stepgraph.values import ModelError, RunError
from stepgraph_tui.connections import Connections
from stepgraph_tui.text.calls import limits_text, spent_text
from stepgraph_tui.text.characters import visible
from stepgraph_tui.text.plain import QUOTE, THINKING
from stepgraph_tui.text.system import is_missing, settings_file

from .acting import acting_name
from .output import can_ask, says_yes
from .parser import Parser, amount, whole_number

if TYPE_CHECKING:
    from argparse import Namespace

    from stepgraph.graphs import CompiledGraph
    from stepgraph.models import CallEvent
    from stepgraph.runs import Run, SpendingLimits
    from stepgraph.stores import StateStore
    from stepgraph.values import Json

    from .output import Output


@dataclass(slots=True)
class CallNarrator:
    """Tells of calls to models while they last: each line of a reply once it is whole, the last one passing.

    Args:
        output: Where to.
    """

    output: Output
    stopped: Callable[[], bool] = lambda: False
    """Whether somebody has asked to stop."""
    is_telling: bool = False
    """Whether a reply is shown now, so that nobody else writes there."""
    has_heard: bool = False
    """Whether anything was called."""
    _line: str = field(default="", init=False)
    _thinks: bool = field(default=False, init=False)

    def is_stopped(self) -> bool:
        """Check whether somebody has asked to stop."""
        return self.stopped()

    def hear(self, event: CallEvent) -> None:
        """Receive an event."""
        from stepgraph.models import CallBegan, CallEnded, CallWaits, TextCame

        match event:
            case CallBegan():
                self._line, self._thinks, self.has_heard = "", False, True
            case TextCame(_, text, is_thought) if self.output.told_stream.is_styled:
                if is_thought != self._thinks:
                    self._end()
                    self._thinks, text = is_thought, f"{THINKING}{text}" if is_thought else text
                self._show(text)
            case CallWaits(place, seconds, why):
                self._end()
                name, waits = place.name, f" in {seconds:.0f} s" if seconds >= 1 else ""
                self.output.narrate(f"      retrying model {name}{waits}: {why}")
            case CallEnded():
                self._end()

    def _show(self, text: str) -> None:
        from stepgraph_tui.text.cells import ends_of_rows, wrapped

        self.is_telling = True
        room = max(20, self.output.told_stream.columns - 4)
        *ended, line = map(visible, (self._line + text).split("\n"))
        whole = [row for each in ended for row in wrapped(each, room)]
        starts = [0, *ends_of_rows(line, room, room)][:-1] or [0]
        whole += [line[start:end].rstrip() for start, end in pairwise(starts)]
        self._line = line[starts[-1] :]
        if whole:
            self.output.quote(whole)
        self.output.told_stream.show_passing(f"{QUOTE}{self._line}")

    def _end(self) -> None:
        if self._line:
            self.output.quote([self._line])
        self._line, self.is_telling = "", False


def connections(output: Output, *, tells: bool = False) -> Connections:
    """Return the models and tools of the user's settings.

    Args:
        output: Where to report what is wrong with them.
        tells: Whether to report it.
    """
    if tells and not is_missing(settings_file()):
        from stepgraph_tui.settings import read_settings

        settings, wrong = read_settings(settings_file())
        for remark in wrong:
            output.narrate(f"warning: {remark}", "bold yellow")
        return Connections.from_settings(settings)
    return Connections.of_user()


def require_models(found: Connections, app: CompiledGraph) -> dict[str, list[str]]:
    """Return the models that a live run of a graph may ask, each with the nodes that do.

    Raises:
        RunError: One is not configured.
        ModelError: The library or the key of one is missing.
    """
    from stepgraph.models import check_library, key_source
    from stepgraph_tui.text.calls import callers

    asked = callers(app)
    for alias, nodes in asked.items():
        settings = found.models.settings.get(alias)
        if settings is None:
            raise RunError(
                f"node {nodes[0]!r} asks the model {alias!r}, which is not configured",
                hint=found.models.advice(alias),
            )
        try:
            check_library(settings)
            key_source(settings).read()
        except ModelError as error:
            raise ModelError(f"the model {alias!r}: {error.message}", hint=error.hint) from None
    return asked


def consent(
    output: Output,
    found: Connections,
    app: CompiledGraph,
    limits: SpendingLimits,
    head: str = "this run is LIVE; it asks:",
) -> bool:
    """Print whom a live run calls and what that costs; ask for consent on a terminal.

    Raises:
        RunError: A model is not configured.
        ModelError: Its key is missing.
    """
    from stepgraph.files import addresses_of
    from stepgraph_tui.text.calls import model_text, price_text, scripted_tools

    asked = require_models(found, app)
    scripted = scripted_tools(app, found.tools.sources)
    if not asked:
        if not addresses_of(app):  # what asks servers is live without any model
            output.narrate("note: no node of the graph asks a model")
        for line in scripted:
            output.narrate(f"note: {line}")
        return True
    output.narrate(head)
    for alias, nodes in asked.items():
        settings = found.models.settings[alias]
        by = ", ".join(nodes[:5]) + (f" and {len(nodes) - 5} more" if len(nodes) > 5 else "")
        output.narrate(f"  {alias}: {model_text(settings)}, {price_text(settings)}; for {by}")
    for line in scripted:
        output.narrate(f"  {line}")
    bound = limits_text(limits)
    output.narrate(f"  it may spend {bound}" if bound else "  nothing bounds what it spends but its steps")
    return not can_ask() or says_yes(output, "Go live?")


def mode_asked(args: Namespace) -> RunMode:
    """Read who answers in a new run."""
    return RunMode(args.live, args.replay)


def mode_told(mode: RunMode) -> str:
    """Describe who answers in a run, behind its name; nothing where its own scripted replies do."""
    if mode.replay is not None:
        return f", answered by what run {mode.replay} recorded"
    return ", live" if mode.live else ""


def recorded_inputs(store: StateStore, run_id: str, app: CompiledGraph) -> dict[str, Json]:
    """Return what a run began with under the keys that a graph asks for.

    Raises:
        UnknownRun: There is no such run.
    """
    began = open_run(store, run_id).values_at(0)
    return {name: began[name] for name, key in app.keys.items() if key.input and name in began}


def limits_of(args: Namespace) -> SpendingLimits:
    """Read ``--max-cost`` and ``--max-tokens``."""
    from stepgraph.runs import SpendingLimits

    return SpendingLimits(args.max_cost, args.max_tokens)


def _says_limits(args: Namespace) -> bool:
    return args.max_cost is not None or args.max_tokens is not None


def say_limits(args: Namespace, run: Run, by: str) -> None:
    """Record what a run may spend, where ``--max-cost`` or ``--max-tokens`` says it."""
    if _says_limits(args):
        set_limits(run, limits_of(args), by, time.time())


def tell_spent(output: Output, run: Run) -> None:
    """Print what a run has spent, if it called a model."""
    text = spent_text(run.spending)
    if text:
        output.narrate(f"models: {text}")


def say_how(args: Namespace, output: Output, store: StateStore, found: Connections) -> None:
    """Ask for the mode of a stored run, and record it with what it may spend, whoever goes on with it.

    Raises:
        StepgraphError: See ``mode_to_go_on``.
    """
    if mode_asked(args) == SCRIPTED and not _says_limits(args):
        return
    mode = mode_to_go_on(args, output, store, found)
    record_how(args, output, open_run(store, args.run), mode)


def mode_to_go_on(args: Namespace, output: Output, store: StateStore, found: Connections) -> RunMode:
    """Find out who answers in a stored run from here on; nothing is recorded.

    Raises:
        RunError: Its models may not be asked, or one is not configured.
        ModelError: The key of one is missing.
        UnknownRun: The run that is to answer is not there.
    """
    asked, before = mode_asked(args), mode_of(store, args.run)
    if asked in (SCRIPTED, before):
        return before
    if asked.replay is not None:
        store.load(asked.replay)
        return asked
    plan = open_run(store, args.run).plan
    if not consent(output, found, plan, limits_of(args).over(plan.settings)):
        raise RunError(f"run {args.run!r} does not continue: its models may not be called")
    return asked


def record_how(args: Namespace, output: Output, run: Run, mode: RunMode) -> None:
    """Record who answers in a run from here on, and what it may spend, where that is something new."""
    by = acting_name(None)
    if mode != mode_of(run.store, run.id):
        set_mode(run, mode, by, time.time())
        output.narrate(f"run {run.id} goes on" + mode_told(mode).removeprefix(","))
    say_limits(args, run, by)


def add_live(parser: Parser, help: str) -> None:
    """Declare ``--live``, ``--replay``, ``--max-cost`` and ``--max-tokens``."""
    who = parser.add_mutually_exclusive_group()
    who.add_argument("--live", action="store_true", help=help)
    who.add_argument(
        "--replay", metavar="RUN", help="replay the answers that run recorded; a missing one stops the run"
    )
    parser.add_argument(
        "--max-cost", metavar="USD", type=amount, help="the spending limit for models, in US dollars"
    )
    parser.add_argument(
        "--max-tokens", metavar="N", type=whole_number, help="the token limit for models, read and written"
    )
