"""Let one contender do one piece of work, in its own environment.

``python -m bench.contend NAME WORK STEPS`` prints the cost as one number: seconds a step, or bytes.
"""

from __future__ import annotations

import statistics
import sys

from .contenders import contender
from .measure import work_folder


def main(name: str, work: str, steps: int) -> float:
    """The cost of that work for that contender."""
    engine = contender(name)
    if work == "memory_step":
        return statistics.median(engine.memory_step(steps) for _ in range(5))
    with work_folder() as folder:
        return float(getattr(engine, work)(folder, steps))


if __name__ == "__main__":
    print(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
