"""The breakpoints of a graph, one by one."""

from .pane import NO_LIST, BreakList, BreaksPane

__all__ = ["NO_LIST", "BreakList", "BreaksPane"]
