"""Commands in containers: what is promised of podman and of bubblewrap, tried by what breaks out of less."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stepgraph.tools.command_part import CommandPart
from stepgraph.tools.containers import refuse_missing
from stepgraph.tools.protocols import ToolEntry
from stepgraph.values.errors import StepgraphError
from tests.servers.redis import skipping
from tests.workers.processes import until

PODMAN = shutil.which("podman") or ""
_LIMITS = ("--pids-limit", "64", "--ulimit", "nofile=1024:1024", "--ulimit", "nproc=64:64")
IMAGE = "localhost/stepgraph-tests:busybox"
CALL = """
import json, os, sys
from pathlib import Path
from stepgraph.tools.command_part import read_command
from stepgraph.tools.commands import CommandTool
from stepgraph.values.errors import StepgraphError

folder, table = Path(sys.argv[1]), json.loads(sys.argv[2])
if "sandbox" in table["container"] and os.geteuid() == 0:  # its bounds do not hold for root
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    print(json.dumps(CommandTool("t", read_command(table), folder).execute({})["output"]))
except StepgraphError as error:
    print(json.dumps(f"error: {error}"))
"""
STORAGE = """
[storage]
driver = "vfs"
graphroot = "{folder}/graph"
runroot = "{folder}/run"
"""


@dataclass
class Place:
    """Where commands are run: in a container of podman's, or in bubblewrap's sandbox."""

    kind: str
    folder: Path
    """The tool's folder, which others may look into."""
    env: dict[str, str]

    def start(self, *command: str, timeout: str = "20s", max_output: int = 10_000, **more: Any) -> Any:
        """Start a command, in a process that is no root's where that is needed."""
        where = {"image": IMAGE} if self.kind == "podman" else {"sandbox": "bwrap"}
        table: dict[str, Any] = {"command": [*command], "container": {**where, **more}, "timeout": timeout}
        table["max_output"] = max_output
        words = [sys.executable, "-c", CALL, str(self.folder), json.dumps(table)]
        return subprocess.Popen(words, env=self.env, stdout=subprocess.PIPE, text=True, cwd="/")

    def run(self, *command: str, **more: Any) -> str:
        """Run a command, and give what it wrote, or the error that is told."""
        out, _ = self.start(*command, **more).communicate()
        return str(json.loads(out))

    def sh(self, script: str, **more: Any) -> str:
        """Run a script of the shell."""
        return self.run("sh", "-c", script, **more)

    def engine(self, *words: str) -> str:
        """Ask podman."""
        return _asked(self.env, *words)


def _asked(env: dict[str, str], *words: str, text: bytes = b"") -> str:
    done = subprocess.run([PODMAN, *words], env=env, input=text, capture_output=True, check=True)
    return done.stdout.decode()


def _podman(folder: Path) -> dict[str, str]:
    """Make a storage of podman's with an image of busybox in it.

    Raises:
        LookupError: Either is not installed.
    """
    busybox = shutil.which("busybox")
    if not PODMAN or busybox is None:
        raise LookupError("podman or busybox is not installed")
    (folder / "storage.conf").write_text(STORAGE.format(folder=folder))
    env = {**os.environ, "CONTAINERS_STORAGE_CONF": str(folder / "storage.conf")}
    root = folder / "root"
    for name in ("bin", "tmp", "proc", "sys", "dev", "etc"):
        (root / name).mkdir(parents=True)
    shutil.copy(busybox, root / "bin/busybox")
    for name in ("sh", "cat", "touch", "sleep", "head", "yes", "env", "echo"):
        (root / "bin" / name).symlink_to("busybox")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.add(root, ".")
    _asked(env, "import", "-", IMAGE, text=packed.getvalue())
    return env


@pytest.fixture(scope="module")
def podman() -> Iterator[dict[str, str]]:
    """What the environment has where podman keeps its containers in a folder of the tests."""
    with skipping(), tempfile.TemporaryDirectory(prefix="stepgraph-podman-") as folder:
        try:
            env = _podman(Path(folder))
            _asked(env, "run", "--rm", "--network", "none", "--memory", "64m", *_LIMITS, IMAGE, "echo")
        except subprocess.CalledProcessError as error:
            raise LookupError(f"podman cannot be used here: {error.stderr.decode()}") from None
        yield env


@pytest.fixture(params=["podman", "bwrap"])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """Both of them; the folder is not pytest's, into which nobody else may look."""
    kind: str = request.param
    env = dict(os.environ)
    if kind == "podman":
        env = request.getfixturevalue("podman")
    else:
        with skipping():
            if shutil.which("bwrap") is None:
                raise LookupError("bubblewrap is not installed")
            tried = [str(shutil.which("bwrap")), "--unshare-all", "--ro-bind", "/", "/", "/bin/true"]
            if subprocess.run(tried, check=False).returncode:
                raise LookupError("bubblewrap may make no namespaces here")
    with tempfile.TemporaryDirectory(prefix="stepgraph-contained-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "store").write_text("all runs")
        (folder / "tool").mkdir()
        (folder / "tool").chmod(0o777)
        (folder / "tool/data").write_text("mine")
        (folder / "tool/link").symlink_to(folder / "store")
        yield Place(kind, folder / "tool", env | {"SECRET": "hunter2"})


def test_a_command_is_run_and_nothing_is_left_of_it(place: Place) -> None:
    assert place.run("echo", "a b") == "a b\n"
    if place.kind == "podman":
        assert place.engine("ps", "--all", "--quiet") == ""


def test_it_writes_nowhere_outside(place: Place) -> None:
    scratch = "/tmp/x"  # noqa: S108  # in the container
    targets = f"/x /bin/x /usr/x /etc/x /work/x /proc/sys/kernel/x {scratch}"
    script = f"for target in {targets}; do touch $target 2> /dev/null && echo $target; done; true"
    assert place.sh(script) == f"{scratch}\n"
    assert sorted(path.name for path in place.folder.iterdir()) == ["data", "link"]


def test_it_reads_the_folder_of_its_tool_as_declared_and_nothing_else(place: Place) -> None:
    outside = place.folder.parent / "store"
    reads = f"cat {outside} {place.folder}/data /work/link /work/data 2> /dev/null"
    script = f"{reads}; touch /work/new 2> /dev/null; true"
    assert place.sh(script) == ""
    assert place.sh(script, mount="read") == "mine"
    assert not (place.folder / "new").exists()
    assert place.sh(script, mount="write") == "mine"
    assert (place.folder / "new").exists()


def test_it_has_no_network_and_no_variables_of_ours(place: Place) -> None:
    devices = [line.split(":")[0].strip() for line in place.sh("cat /proc/net/dev").splitlines()[2:]]
    assert devices == ["lo"]
    found = place.sh("env")
    assert "hunter2" not in found
    assert str(place.folder) not in found


def test_a_bomb_of_processes_goes_out(place: Place) -> None:
    script = "i=0; while [ $i -lt 100 ]; do sleep 9 & i=$((i+1)); set -- /proc/[0-9]*; echo $#; done"
    counted = place.sh(f"({script}) 2> /dev/null; true", processes=20, timeout="30s")
    numbers = [int(word) for word in counted.split() if word.isdigit()]
    assert numbers, counted
    assert max(numbers) <= 20 + 1  # the sandbox's own first process aside


def test_memory_time_and_output_are_bounded(place: Place) -> None:
    filled = place.sh("x=$(yes | head -c 200000000); echo ${#x}", memory=64_000_000, timeout="60s")
    assert filled.startswith("error: ") or filled.strip() in ("", "0"), filled
    assert "took longer than 1 s, and was killed" in place.run("sleep", "60", timeout="1s")
    assert "wrote more than 10 KB, and was killed" in place.run("yes")
    if place.kind == "podman":
        until(lambda: place.engine("ps", "--all", "--quiet") == "", "no container is left")


def test_it_ends_with_the_process_that_called_it(place: Place) -> None:
    mark, long = place.folder / "begun", f"sleep {100_000 + os.getpid()}"  # nobody else's
    started = place.start("sh", "-c", f"touch /work/begun; {long}", timeout="100s", mount="write")
    until(mark.exists, "it has begun")
    started.send_signal(signal.SIGKILL)
    started.wait()
    started.stdout.close()
    if place.kind == "podman":
        until(lambda: place.engine("ps", "--all", "--quiet") == "", "its container is gone")
    else:
        until(lambda: not _runs(long), "its processes are gone")


def _runs(command: str) -> bool:
    """Tell whether any process runs a command."""
    words = command.encode().replace(b" ", b"\0")
    found = (path for path in Path("/proc").glob("[0-9]*/cmdline"))
    return any(words in _read(path) for path in found)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def entry(container: dict[str, Any], **more: Any) -> ToolEntry:
    """A tool of a graph that runs in a container."""
    return ToolEntry("t", command=CommandPart({"command": ["ls"], "container": container}), **more)


def test_an_image_that_is_missing_is_told_before_a_run_begins(
    podman: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTAINERS_STORAGE_CONF", podman["CONTAINERS_STORAGE_CONF"])
    refuse_missing([entry({"image": IMAGE})], live=False)
    with pytest.raises(StepgraphError, match="of localhost/none:1, which cannot be used") as caught:
        refuse_missing([entry({"image": "localhost/none:1"})], live=False)
    assert "podman pull localhost/none:1" in caught.value.hint


def test_what_runs_containers_is_missed_before_a_run_begins_where_it_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    scripted = entry({"image": IMAGE}, returns={})
    refuse_missing([scripted], live=False)
    with pytest.raises(StepgraphError, match="neither podman nor docker is there"):
        refuse_missing([scripted], live=True)
    with pytest.raises(StepgraphError, match="bwrap is not there"):
        refuse_missing([entry({"sandbox": "bwrap"})], live=False)
