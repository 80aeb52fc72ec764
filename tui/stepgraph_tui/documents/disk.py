"""Graph files on disk: reading, saving, drafts, the editor, and watching for changes from elsewhere."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shlex
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Literal, Protocol

from stepgraph.files import MAX_BYTES, read_bytes, write_atomically
from stepgraph.values import GraphFileError, StepgraphError, data_folder, make_data_folder

if TYPE_CHECKING:
    from stepgraph.runs import Clock


DiskState = Literal["same", "changed", "gone"]
"""How a file stands against what is known of it."""

_HINTS = {
    errno.ENOSPC: "free some space and save again, or save a copy elsewhere",
    errno.EDQUOT: "free some space and save again, or save a copy elsewhere",
    errno.ENOENT: "its folder is gone: create it again, or save a copy elsewhere",
    errno.ENOTDIR: "its folder is gone: create it again, or save a copy elsewhere",
    errno.EISDIR: "a folder has this name: save a copy elsewhere",
    errno.EROFS: "nothing can be written there: save a copy elsewhere",
    errno.ENAMETOOLONG: "save it under a shorter name",
}


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of a file."""

    digest: str | None = None
    """The SHA-256 of its content; None where there was none that could be read."""
    stamp: tuple[int, ...] | None = None
    """When it last changed, and its size; None where the content must be looked at to tell."""


class DiskFile:
    """A file, and what is known of it.

    Args:
        path: Where it is.
        most: How many bytes it may have.
        kind: What the names of such files end in.
    """

    def __init__(self, path: Path, most: int = MAX_BYTES, kind: str = ".toml") -> None:
        self.path = path
        self._most, self._kind = most, kind
        self.seen = Seen()

    def read(self) -> bytes:
        """Read its content, which counts as known from now on.

        Raises:
            GraphFileError: It is missing, no plain file, unreadable or too large; that is known then too.
        """
        self.seen = Seen(None, _stamp(self.path))  # before reading: what changes meanwhile is found out
        data = read_bytes(self.path, str(self.path), self._most, self._kind)
        self.seen = Seen(digest_of(data), self.seen.stamp)
        return data

    def disk_state(self, *, closely: bool = False) -> DiskState:
        """Check whether the file is still what is known of it.

        Args:
            closely: Whether to compare the content also where time and size are the known ones.
        """
        stamp = _stamp(self.path)
        if stamp is None:
            return "gone" if self.seen.digest is not None else "same"
        if stamp == self.seen.stamp and not closely:
            return "same"
        try:
            digest = digest_of(read_bytes(self.path, str(self.path), self._most))
        except GraphFileError:
            digest = None
        if digest is None or digest != self.seen.digest:
            return "changed"
        self.seen = Seen(digest, stamp)
        return "same"

    def keep_backup(self) -> Path | None:
        """Copy it as it is now to a file beside it; None when there is nothing to copy.

        Raises:
            GraphFileError: That cannot be written.
        """
        try:
            mode, data = self.path.stat().st_mode & 0o7777, self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _not_written(self.path, error) from error
        backup = self.path.with_name(f"{self.path.name}.bak")
        try:
            write_atomically(backup, data, mode)
        except OSError as error:
            raise _not_written(
                self.path, error, f"no copy of the old one could be left at {backup}: "
            ) from error
        return backup

    def write(self, data: bytes) -> None:
        """Replace its content, wholly or not at all.

        Raises:
            GraphFileError: It cannot be written; it is as it was.
        """
        try:
            if self.path.exists() and not os.access(self.path, os.W_OK):
                raise PermissionError(errno.EACCES, "you may not write it")  # replacing would not mind
            write_atomically(self.path, data)
        except (OSError, ValueError) as error:
            raise _not_written(self.path, error) from error
        self.seen = Seen(digest_of(data))


def digest_of(data: bytes) -> str:
    """Compute the SHA-256 of a content, as it is kept."""
    return sha256(data).hexdigest()


def _stamp(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


def _not_written(path: Path, error: OSError | ValueError, what: str = "") -> GraphFileError:
    number = getattr(error, "errno", None)
    reason = getattr(error, "strerror", None) or str(error)
    hint = _HINTS.get(number or 0, "change its permissions, or save a copy elsewhere")
    return GraphFileError(f"{path} was not saved: {what}{reason}", hint=hint)


_PLUS = frozenset(
    (
        "vi",
        "vim",
        "nvim",
        "view",
        "vimx",
        "nano",
        "pico",
        "emacs",
        "emacsclient",
        "micro",
        "kak",
        "joe",
        "ne",
        "jed",
    )
)
_COLON = frozenset(("hx", "helix"))
_VISUAL_STUDIO = frozenset(("code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"))
_WAITS = frozenset(("-w", "--wait"))


class Editor(Protocol):
    """Lets a person edit a text elsewhere."""

    def edit(self, path: Path, line: int | None = None) -> None:
        """Open a file, at a line counted from 1, and come back when it is closed.

        Raises:
            StepgraphError: It cannot be opened, or the editor failed.
        """
        ...

    def edit_text(self, text: str, suffix: str = ".txt") -> str | None:
        """Edit a text that is in no file; None when it was left as it is.

        Args:
            text: The text.
            suffix: The end of a name that tells the editor what it is.

        Raises:
            StepgraphError: It cannot be edited, or the editor failed.
        """
        ...


def chosen_editor(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Read the words of the command in ``$VISUAL``, else in ``$EDITOR``.

    Raises:
        StepgraphError: There is none, or it cannot be read as a command.
    """
    for name in ("VISUAL", "EDITOR"):
        command = environment.get(name, "").strip()
        if command:
            try:
                return shlex.split(command)
            except ValueError as error:
                raise StepgraphError(
                    f"${name} is not a command: {error}", hint=f"it is {command!r}"
                ) from None
    raise StepgraphError(
        "there is no editor: neither $VISUAL nor $EDITOR is set", hint="such as export EDITOR=nano"
    )


def editor_command(editor: list[str], path: Path, line: int | None = None) -> list[str]:
    """Spell the command that opens a file at a line; an editor that is not known just opens it.

    Args:
        editor: Its words, as ``chosen_editor`` tells them.
        path: The file.
        line: Counted from 1.
    """
    file, program = str(path.absolute()), Path(editor[0]).name.removesuffix(".exe")
    if program in _VISUAL_STUDIO:
        wait = [] if _WAITS & set(editor) else ["--wait"]
        return [*editor, *wait, "--goto", f"{file}:{line}"] if line is not None else [*editor, *wait, file]
    if line is None:
        return [*editor, file]
    if program in _PLUS:
        return [*editor, f"+{line}", file]
    if program in _COLON:
        return [*editor, f"{file}:{line}"]
    return [*editor, file]


class Later:
    """Does work in a thread of its own, in order; new work takes the place of what waits under its key.

    The thread lives for as long as there is work, and a process that ends waits for it.

    Args:
        pause: How long it waits for newer work before it begins, in seconds.
    """

    def __init__(self, pause: float = 0.0) -> None:
        self._pause = pause
        self._hurry = threading.Event()  # somebody waits for it
        self._waiting: dict[Hashable, Callable[[], None]] = {}
        self._lock = threading.Lock()
        self._idle = threading.Event()
        self._idle.set()

    def submit(self, key: Hashable, work: Callable[[], None]) -> None:
        """Queue some work, replacing what still waits under the same key."""
        with self._lock:
            self._waiting[key] = work
            if self._idle.is_set():
                self._idle.clear()
                threading.Thread(target=self._do_all, name="stepgraph-later").start()

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until all is done.

        Args:
            timeout: The longest to wait, in seconds; None for ever.

        Returns:
            Whether it is.
        """
        self._hurry.set()
        done = self._idle.wait(timeout)
        self._hurry.clear()
        return done

    def _do_all(self) -> None:
        self._hurry.wait(self._pause)
        try:
            while (work := self._next()) is not None:
                work()
        except BaseException:
            self._idle.set()  # the next work starts another thread
            raise

    def _next(self) -> Callable[[], None] | None:
        with self._lock:
            if not self._waiting:
                self._idle.set()
                return None
            return self._waiting.pop(next(iter(self._waiting)))


def began(process: int) -> str | None:
    """When a process began, in the system's own terms; None where the system does not tell."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # its name, in brackets, may have blanks
    return fields[19] if len(fields) > 19 else None


def is_alive(process: int, since: object) -> bool:
    """Whether a process of this user's that was seen before still runs.

    Args:
        process: Its number, which may have passed on to another one.
        since: What ``began`` said of it.
    """
    if os.name != "posix" or process <= 0:  # elsewhere there is no way of asking that does no harm
        return False
    try:
        os.kill(process, 0)
    except (OSError, OverflowError):  # there is none, or it is another user's
        return False
    return since is None or began(process) == since


_VERSION = 1
_PATIENCE = 2.0  # seconds
_PAUSE = 0.2  # seconds, in which edits that follow one another are kept as one
_LARGEST = 8_000_000  # bytes of a draft's file; the text of a graph file has at most one million


@dataclass(frozen=True, slots=True)
class GraphDraft:
    """What somebody left unsaved."""

    file: Path
    """Where it is kept."""
    path: Path
    """The graph file that it is a draft of."""
    text: str
    at: float
    """When it was last edited, in seconds since 1970."""
    digest: str | None
    """The digest of the file that was edited; None for one that was not on disk yet."""
    is_behind: bool
    """Whether the file has changed since."""


class GraphDrafts:
    """The drafts of all files and of all processes of this user.

    They are written in the background, and losing them is no harm: nothing here ever raises.

    Args:
        folder: Where they are kept; the user's own when None.
        clock: Tells when.
    """

    def __init__(self, folder: Path | None = None, clock: Clock = time) -> None:
        self._folder = folder if folder is not None else data_folder() / "drafts"
        self._clock = clock
        self._later = Later(_PAUSE)

    def begin(self, path: Path) -> Path:
        """Choose where a new draft of a file is to be kept, apart from those that are there already."""
        return self._folder / f"{_key(_absolute(path))}-{token_hex(8)}.json"

    def keep(self, file: Path, path: Path, text: Callable[[], str], digest: str | None) -> None:
        """Keep a draft, in the place of what it was before.

        Args:
            file: What ``begin`` gave.
            path: The graph file that it is a draft of.
            text: Makes its text; called in another thread.
            digest: The digest of the graph file as it is edited.
        """
        at = self._clock.time()
        self._later.submit(file, lambda: self._write(file, _absolute(path), text(), at, digest))

    def drop(self, file: Path) -> None:
        """Forget a draft that was begun: it was saved, or is not wanted."""
        self._later.submit(file, lambda: _remove(file))

    def of(self, path: Path) -> GraphDraft | None:
        """Find the newest draft of a file that nobody works on any more; None when there is none."""
        path = _absolute(path)
        self.flush(_PATIENCE)
        return max(self._abandoned(path), key=lambda draft: draft.at, default=None)

    def discard(self, draft: GraphDraft) -> None:
        """Remove a draft for good."""
        _remove(draft.file)

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until all that was asked for is on disk; False when that took longer than ``timeout``."""
        return self._later.flush(timeout)

    def _write(self, file: Path, path: Path, text: str, at: float, digest: str | None) -> None:
        process = os.getpid()
        data = {
            "version": _VERSION,
            "path": str(path),
            "at": at,
            "digest": digest,
            "process": process,
            "began": began(process),
            "text": text,
        }
        with contextlib.suppress(OSError, ValueError):
            if self._folder.parent == data_folder():
                make_data_folder()
            self._folder.mkdir(mode=0o700, exist_ok=True)
            write_atomically(file, json.dumps(data).encode(), mode=0o600)

    def _abandoned(self, path: Path) -> Iterator[GraphDraft]:
        now = _digest_on_disk(path)
        for file in self._folder.glob(f"{_key(path)}-*.json"):
            draft = _read(file, path, now)
            if draft is not None and digest_of(draft.text.encode()) not in {draft.digest, now}:
                yield draft


class DraftOfEdits:
    """Keeps the edits of one buffer where a crash does not reach them, until they are saved.

    Args:
        drafts: Where; nowhere when None.
    """

    def __init__(self, drafts: GraphDrafts | None) -> None:
        self._drafts = drafts
        self._file: Path | None = None  # None while there is none

    def find(self, path: Path | None) -> GraphDraft | None:
        """Find what somebody left unsaved in a file; None when there is nothing."""
        return self._drafts.of(path) if self._drafts is not None and path is not None else None

    def discard(self, draft: GraphDraft) -> None:
        """Remove for good what somebody left."""
        if self._drafts is not None:
            self._drafts.discard(draft)

    def keep(self, path: Path, text: Callable[[], str], digest: str | None) -> None:
        """Keep the edits as they are now.

        Args:
            path: The graph file.
            text: Makes its text with the edits; called in another thread.
            digest: The digest of the file that was edited.
        """
        if self._drafts is not None:
            self._file = self._file or self._drafts.begin(path)
            self._drafts.keep(self._file, path, text, digest)

    def drop(self) -> None:
        """Forget the draft: the edits are in the file, or not wanted."""
        if self._drafts is not None and self._file is not None:
            self._drafts.drop(self._file)
            self._file = None


def _read(file: Path, path: Path, now: str | None) -> GraphDraft | None:
    """Read a draft of a file, unless it is damaged or still worked on."""
    try:
        with file.open("rb") as stream:
            data = json.loads(stream.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or data.get("version") != _VERSION or data.get("path") != str(path):
        return None
    text, at, digest = data.get("text"), data.get("at"), data.get("digest")
    if not isinstance(text, str) or not isinstance(at, int | float) or not isinstance(digest, str | None):
        return None
    process = data.get("process")
    # A draft of this very process is one of a screen that was closed, or of a process of the same number.
    if isinstance(process, int) and process != os.getpid() and is_alive(process, data.get("began")):
        return None
    return GraphDraft(file, path, text, float(at), digest, now != digest)


def _digest_on_disk(path: Path) -> str | None:
    try:
        return digest_of(path.read_bytes())
    except (OSError, ValueError):
        return None


def _remove(file: Path) -> None:
    with contextlib.suppress(OSError):
        file.unlink()


def _key(path: Path) -> str:
    return sha256(os.fsencode(path)).hexdigest()[:32]


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100  # Path.absolute keeps ".."


_GATHER = 200  # milliseconds in which several changes count as one


class Watcher:
    """Watches a file in a thread, until it is stopped.

    It only makes things quicker: where a folder cannot be watched, nothing is ever heard.

    Args:
        path: The file. It need not exist; its folder is what is watched, for editors replace files.
        changed: Told in that thread, once for several changes that come together.
    """

    def __init__(self, path: Path, changed: Callable[[], object]) -> None:
        self._path = path
        self._changed = changed
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="stepgraph-watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Watch no more; nothing is reported after this."""
        self._stop.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(_PATIENCE)

    def _watch(self) -> None:
        from watchfiles import watch as changes_of  # it takes a while to import

        try:
            places = {self._path.absolute(), self._path.resolve()}
            changes = changes_of(
                *{place.parent for place in places},
                watch_filter=lambda _, path: Path(path) in places,
                debounce=_GATHER,
                step=_GATHER,  # a look every 50 ms, which is usual, takes time for ever
                stop_event=self._stop,
                raise_interrupt=False,
                recursive=False,
            )
            for _ in changes:
                if not self._stop.is_set():
                    self._changed()
        except (
            OSError,
            RuntimeError,
            ValueError,
        ):  # no such folder, no more watches, a loop of links, a bad name
            return
