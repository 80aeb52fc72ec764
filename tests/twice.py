"""Run the tests, and those that fail once more: alone, one at a time, in the order of their files.

A test that fails twice fails the run. One that passes the second time depends on something that it should not
depend on (how busy the machine is, which test ran before it); it is printed as ``flaky: NAME``::

    python -m tests.twice -q -n 3 tests/engine
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence

import pytest

MANY = 30
"""So many failures are a fault of the product, and are not run again."""
_ALONE = ("-n", "0", "-p", "no:randomly", "--last-failed", "--last-failed-no-failures", "none")
_COUNTED = ("failed", "passed", "skipped", "xfailed", "error", "flaky")


class Outcome:
    """A pytest plugin that keeps how many tests did what, and the names of those that failed."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.failed: set[str] = set()
        self._config: pytest.Config | None = None

    def pytest_configure(self, config: pytest.Config) -> None:
        """Keep where pytest writes down what failed last."""
        self._config = config

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Keep what the last line of pytest is made of."""
        self.counts.update({kind: len(reports) for kind, reports in terminalreporter.stats.items()})
        for kind in ("failed", "error"):
            self.failed |= {report.nodeid for report in terminalreporter.stats.get(kind, ())}

    def failed_last(self) -> set[str]:
        """Return the names of the tests that failed when they were run last, by whatever process."""
        assert self._config is not None
        assert self._config.cache is not None
        return set(self._config.cache.get("cache/lastfailed", {}))


def main(words: Sequence[str]) -> int:
    """Run the tests, and print the outcome in a last line of the form that pytest has.

    Args:
        words: What pytest is told.

    Returns:
        The exit code of pytest; 0 where all that failed passed the second time.
    """
    start = time.monotonic()
    outcome = Outcome()
    code = int(pytest.main([*words], plugins=[outcome]))
    if code != pytest.ExitCode.TESTS_FAILED or not 0 < len(outcome.failed) < MANY:
        return code
    print("\nOnce more, one at a time, what failed:", flush=True)
    alone = [word for word in words if not word.startswith("--randomly-seed")]
    code = subprocess.run([sys.executable, "-m", "pytest", *alone, *_ALONE], check=False).returncode
    flaky = outcome.failed - outcome.failed_last()
    failed = len(outcome.failed) - len(flaky)
    counts = outcome.counts
    counts.update(passed=min(len(flaky), counts["failed"]), flaky=len(flaky))
    counts.update(failed=failed - counts["failed"], error=-counts["error"])
    for name in sorted(flaky):
        print(f"flaky: {name}")
    told = ", ".join(f"{counts[kind]} {kind}" for kind in _COUNTED if counts[kind])
    print(f"{told} in {time.monotonic() - start:.2f}s", flush=True)
    return code if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
