"""``make fuzz``: the fuzz targets, each in turn with new examples, for as long as one likes."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from itertools import cycle
from pathlib import Path

FOLDER = Path(__file__).parent


def main() -> int:
    """Run round after round until the time is over; stop at the first finding, which pytest prints whole."""
    targets = {file.stem.removeprefix("test_fuzz_"): file for file in sorted(FOLDER.glob("test_fuzz_*.py"))}
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=main.__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="how long in all (default: 10)")
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help=f"of {', '.join(targets)} (default: all)"
    )
    args = parser.parse_args()
    unknown = set(args.targets) - set(targets)
    if unknown:
        parser.error(f"there is no target {', '.join(sorted(unknown))}; there are {', '.join(targets)}")

    end = time.monotonic() + args.minutes * 60
    rounds = dict.fromkeys(args.targets or targets, 0)
    for name in cycle(rounds):
        left = end - time.monotonic()
        if left <= 0:
            break
        print(f"{name}, round {rounds[name] + 1}, {left / 60:.1f} minutes left", flush=True)
        if status := _round(targets[name]):
            return status
        rounds[name] += 1
    print(", ".join(f"{name}: {count:,} rounds" for name, count in rounds.items()) + "; nothing found")
    return 0


def _round(file: Path) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider"]
    command += ["--hypothesis-profile=fuzz", "-o", "timeout=0", "-o", "faulthandler_timeout=0", str(file)]
    ran = subprocess.run(
        command,
        cwd=FOLDER.parents[1],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if ran.returncode:
        print(ran.stdout)
    return ran.returncode


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("stopped; nothing found so far")
