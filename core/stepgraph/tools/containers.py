"""Containers: where a command runs that is kept from this machine, by podman, docker or bubblewrap.

Whoever runs it, a command gets a root that it cannot change, a small ``/tmp``, no network unless its graph
asks for one, the folder of its tool as declared and nothing else of this machine, and bounds on its memory,
its processes and its time. It ends when its call does, and when the process that called it is killed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from tempfile import gettempdir

from ..values.errors import StepgraphError
from .command_part import CommandContainer, read_container
from .protocols import ToolEntry

ENGINES = ("podman", "docker")
_WORK = "/work"
_CLIENT = ("HOME", "PATH", "XDG_", "TMPDIR", "DOCKER_", "CONTAINER", "DBUS_", "USER", "LOGNAME")
_FILES = 1024  # open files of a process
_SCRATCH = 64_000_000  # bytes of /tmp
_MARGIN = 5  # seconds after its time in which we end it ourselves
_ANSWERS = 30.0  # seconds that an engine has to find an image

_GUARD = """exec 3<&0; (read -r done <&3 || exec "$@") > /dev/null 2>&1 &"""
"""Ends a container unless its input says that it is done, before it ends with the process that holds it."""


@dataclass(frozen=True, slots=True)
class Contained:
    """How a command is run in a container."""

    words: list[str]
    env: dict[str, str]
    folder: Path
    """Where whoever runs it is started: podman leaves a file there when memory runs out."""
    end: list[str]
    """What ends it when who started it is gone; empty where it ends by itself then."""


def contained(
    name: str,
    container: CommandContainer,
    words: Sequence[str],
    env: Mapping[str, str],
    folder: Path,
    seconds: float,
) -> Contained:
    """Find how a command is run.

    Args:
        name: The tool, for the messages.
        container: What its graph declares.
        words: The command.
        env: The variables that it may see.
        folder: The tool's folder.
        seconds: How long it may take.

    Raises:
        StepgraphError: Nothing here runs containers.
    """
    if container.sandbox is not None:
        return _sandboxed(name, container, words, env, folder)
    engine = _engine(name)
    called = f"stepgraph-{uuid.uuid4().hex[:12]}"
    memory = str(container.memory)
    run = [engine, "run", "--rm", "--interactive", "--name", called, "--pull", "never", "--read-only"]
    run += ["--tmpfs", f"/tmp:size={_SCRATCH},mode=1777", "--cap-drop", "ALL"]  # noqa: S108  # in the container
    run += ["--security-opt", "no-new-privileges", "--memory", memory, "--memory-swap", memory]
    run += ["--pids-limit", str(container.processes), "--ulimit", f"nofile={_FILES}:{_FILES}"]
    run += ["--ulimit", f"nproc={container.processes}:{container.processes}"]
    if not container.network:
        run += ["--network", "none"]
    if Path(engine).name == "podman":
        run += ["--timeout", str(ceil(seconds) + _MARGIN)]
    elif container.mount == "write":
        run += ["--user", f"{os.getuid()}:{os.getgid()}"]  # else its files would be root's
    for variable in env:
        run += ["--env", variable]
    if container.mount != "none":
        how = ",readonly" if container.mount == "read" else ""
        run += ["--mount", f"type=bind,source={folder.resolve()},target={_WORK}{how}", "--workdir", _WORK]
    return Contained(
        [*run, container.image, *words], _client(env), Path(gettempdir()), [engine, "kill", called]
    )


def _client(env: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of an engine's client: where its engine is, and what goes into the container."""
    return {**{name: value for name, value in os.environ.items() if name.startswith(_CLIENT)}, **env}


def _engine(name: str) -> str:
    path = os.environ.get("PATH", os.defpath)
    found = next(filter(None, (shutil.which(engine, path=path) for engine in ENGINES)), None)
    if found is None:
        raise StepgraphError(
            f"tool {name!r} runs in a container, and neither podman nor docker is there",
            hint="install one of them, or leave out `container` in the graph",
        )
    return found


def _sandbox(name: str) -> tuple[str, str]:
    """Find the programs that bound a command and keep it apart.

    Raises:
        StepgraphError: One is missing, or they do not bind whoever runs this.
    """
    path = os.environ.get("PATH", os.defpath)
    bwrap, limits = (shutil.which(program, path=path) for program in ("bwrap", "prlimit"))
    if bwrap is None or limits is None:
        raise StepgraphError(
            f"tool {name!r} runs in a sandbox, and {'prlimit' if bwrap else 'bwrap'} is not there",
            hint="install bubblewrap, or name an image for podman or docker in the graph",
        )
    if os.geteuid() == 0:
        raise StepgraphError(
            f"tool {name!r} runs in a sandbox, whose bounds do not hold for root",
            hint="run Stepgraph as another user, or name an image for podman or docker in the graph",
        )
    return limits, bwrap


def _sandboxed(
    name: str, container: CommandContainer, words: Sequence[str], env: Mapping[str, str], folder: Path
) -> Contained:
    """Find how bubblewrap runs a command: with the programs of this machine, and nothing else of it."""
    limits, bwrap = _sandbox(name)
    run = [limits, f"--as={container.memory}", f"--nproc={container.processes}", f"--nofile={_FILES}", bwrap]
    run += ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    run += ["--share-net"] if container.network else []
    for place in ("/usr", "/bin", "/sbin", "/lib", "/lib64"):
        if Path(place).is_symlink():
            run += ["--symlink", str(Path(place).readlink()), place]
        elif Path(place).is_dir():
            run += ["--ro-bind", place, place]
    run += ["--proc", "/proc", "--dev", "/dev", "--size", str(_SCRATCH), "--tmpfs", "/tmp"]  # noqa: S108
    if container.mount != "none":
        run += ["--bind" if container.mount == "write" else "--ro-bind", str(folder.resolve()), _WORK]
        run += ["--chdir", _WORK]
    run += ["--remount-ro", "/"]
    return Contained([*run, "--", *words], {"PATH": os.defpath, **env}, Path("/"), [])


@contextmanager
def guarded(contained: Contained) -> Iterator[None]:
    """End a container when this process does, however that ends: a client that is killed leaves it behind.

    The guard is nobody's child, as a worker kills all that a node has started, and in a session of its own.
    """
    if not contained.end:
        yield
        return
    guard = subprocess.Popen(  # noqa: S603  # our own words
        ["/bin/sh", "-c", _GUARD, "sh", *contained.end],
        env=contained.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    guard.wait()
    assert guard.stdin is not None  # noqa: S101  # it is a pipe
    try:
        yield
        with suppress(OSError):
            guard.stdin.write(b"done\n")
    finally:
        guard.stdin.close()


def refuse_missing(tools: Iterable[ToolEntry], *, live: bool) -> None:
    """Refuse a graph whose commands run in containers that this machine cannot start.

    Args:
        tools: The tools of the graph.
        live: Whether commands with scripted answers are run.

    Raises:
        StepgraphError: Podman and docker are missing, or an image is: none is fetched by itself.
    """
    for entry in tools:
        if entry.command is None or (entry.returns is not None and not live):
            continue
        container = read_container(entry.command.container)
        if container is None:
            continue
        if container.sandbox is not None:
            _sandbox(entry.name)
            continue
        engine = _engine(entry.name)
        asked = [engine, "image", "inspect", "--format", "{{.Id}}", container.image]
        try:
            done = subprocess.run(asked, capture_output=True, text=True, timeout=_ANSWERS, check=False)  # noqa: S603
        except (OSError, subprocess.TimeoutExpired) as error:
            raise StepgraphError(f"{Path(engine).name} does not answer: {error}") from None
        if done.returncode:
            lines = done.stderr.strip().splitlines()
            raise StepgraphError(
                f"tool {entry.name!r} runs in a container of {container.image}, which cannot be used:"
                f" {lines[-1] if lines else 'it is not there'}",
                hint=f"get it first: {Path(engine).name} pull {container.image}",
            )
