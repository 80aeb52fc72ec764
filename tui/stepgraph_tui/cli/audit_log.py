"""``stepgraph approvals log``: who decided what, from where and when, as the store's audit has it."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from stepgraph.runs.masks import MASK
from stepgraph.stores.audit import broken_links
from stepgraph.values.errors import StoreError, UnknownRun
from stepgraph_tui.text.plain import clock, visible
from stepgraph_tui.view.reviews import RunMasks

from .exits import Exit
from .output import Each
from .stored import opened
from .usage import Parser, whole_number

if TYPE_CHECKING:
    from stepgraph.stores.base import AuditEntry, StateStore

    from .output import Output
    from .tables import Fit

_MOST = 200  # of the listing, unless so many are asked for
_COLUMNS: tuple[tuple[str, Fit], ...] = (
    ("NO", "keep"),
    ("WHEN", "keep"),
    ("WHO", "cut"),
    ("FROM", "keep"),
    ("DID", "keep"),
    ("REVIEW", "keep"),
    ("COMMENT", "fold"),
    ("RUN", "keep"),
    ("NODE", "cut"),
    ("GRAPH", "cut"),
)


_WITHDRAWN = {
    "edit": "the state was edited",
    "stop": "the run was stopped",
    "delete": "the run was deleted",
}
"""What has withdrawn a review, in words."""


def show_log(args: Namespace, output: Output) -> Exit:
    """List the entries of the audit, the latest last; a chain that is broken gives exit 1."""
    if args.last is not None and args.last < 1:
        output.error(f"--last {args.last} lists nothing", "give a number from 1 on")
        return Exit.USAGE
    with opened(output) as store:
        end = store.audit_end()
        links = store.audit()
        broken = broken_links(links, max(end, links[-1].number if links else 0))
        found = [link for link in links if args.run in (None, link.entry.get("run"))]
        if args.run is not None and not found:
            store.load(args.run)  # says when there is no such run
        most = args.last if args.last is not None else None if output.as_json else _MOST
        shown = found if most is None else found[max(0, len(found) - most) :]
        comments = _Comments(store)
        if output.as_json:
            output.data(Each(map(comments.json, shown)))
        elif shown:
            from .tables import listing

            output.table(listing(_COLUMNS, map(comments.cells, shown), output.data_stream.columns))
    if not shown and not output.as_json:
        output.narrate("nothing was decided yet" + (f" in run {visible(args.run)}" if args.run else ""))
    if len(shown) < len(found) and args.last is None:
        output.narrate(f"these are the last {_MOST} of {len(found):,} entries; --last N lists more")
    return _warned(output, [str(damage) for damage in broken])


def _warned(output: Output, broken: Sequence[str]) -> Exit:
    """Warn in one line where the chain is broken."""
    if not broken:
        return Exit.DONE
    more = f", and {len(broken) - 1:,} more" if len(broken) > 1 else ""
    output.narrate(visible(f"warning: the audit is broken: {broken[0]}{more}; see `stepgraph doctor`"))
    return Exit.FAILED


class _Comments:
    """Writes entries with what was said in them; what was declared secret since is hidden in it as well.

    Args:
        store: Where the runs are.
    """

    def __init__(self, store: StateStore) -> None:
        self._store = store
        self._masks = RunMasks(store)
        self._hiding: dict[tuple[str, bool], Callable[[str], str]] = {}

    def json(self, link: AuditEntry) -> dict[str, Any]:
        """Write an entry as JSON, in the parts that its hash is made of."""
        entry = {**link.entry}
        if entry.get("comment"):
            entry["comment"] = self._comment(link)
        return {"number": link.number, "entry": entry, "previous": link.previous, "hash": link.hash}

    def cells(self, link: AuditEntry) -> tuple[str, ...]:
        """Write an entry as a row of the table."""
        entry = link.entry
        at, verb, what = entry.get("at"), _text(entry.get("verb")), _text(entry.get("what"))
        names = (_text(entry.get(part)) for part in ("run", "node", "graph"))
        return (
            str(link.number),
            clock(at, zone=False) if isinstance(at, float) else "",
            _text(entry.get("by")),
            _text(entry.get("source")),
            _did(what, verb),
            _text(entry.get("review")),
            "; ".join(self._said(link)),
            *names,
        )

    def _said(self, link: AuditEntry) -> Iterator[str]:
        entry = link.entry
        if not entry or "unreadable" in entry:
            yield "it cannot be read"
        if _text(entry.get("what")) == "withdrawn":
            yield _WITHDRAWN.get(_text(entry.get("verb")), "")
        if edited := _texts(entry.get("edited")):
            yield f"changes {', '.join(edited)}"
        if runs := _texts(entry.get("runs")):
            yield f"the store was repaired, and lacks later rows of {', '.join(runs)}"
        if entry.get("comment"):
            yield self._comment(link)
        if entry.get("carried"):
            yield "(from before the audit)"

    def _comment(self, link: AuditEntry) -> str:
        run, is_carried = _text(link.entry.get("run")), bool(link.entry.get("carried"))
        if (run, is_carried) not in self._hiding:
            self._hiding[run, is_carried] = self._hider(run, is_carried)
        return self._hiding[run, is_carried](_text(link.entry.get("comment")))

    def _hider(self, run: str, is_carried: bool) -> Callable[[str], str]:
        try:
            return self._masks.of(self._store.load(run)).text
        except UnknownRun:  # its secrets were hidden when the entry was made, unless it is from before
            return (lambda _: MASK) if is_carried else str
        except StoreError:  # nobody knows what is secret in it
            return lambda _: MASK


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def log_options(parser: Parser) -> None:
    """Declare what ``approvals log`` takes."""
    parser.add_argument("--run", metavar="RUN", help="only what was decided in this run, deleted or not")
    parser.add_argument("--last", metavar="N", type=whole_number, help="only the last N entries")
    parser.set_defaults(command=show_log)


def _did(what: str, verb: str) -> str:
    if (what, verb) == ("timeout", "approve"):
        return "APPROVED UNSEEN"
    return verb if what == "decision" else what
