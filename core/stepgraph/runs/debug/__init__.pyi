"""The names that others use of this room; each loads its module when it is first used."""

__all__: list[str]

from .breakpoint import Breakpoint as Breakpoint
from .breakpoint import format_breakpoint as format_breakpoint
from .breakpoint import parse_breakpoint as parse_breakpoint
from .compiled import BreakpointHit as BreakpointHit
from .compiled import CompiledBreakpoints as CompiledBreakpoints
from .kept import DamagedEntry as DamagedEntry
from .kept import KeptDebugging as KeptDebugging
from .monitor import BreakpointHistory as BreakpointHistory
from .monitor import LiveBreakpoints as LiveBreakpoints
from .stops import RunStops as RunStops
from .watches import Watch as Watch
from .watches import WatchedValue as WatchedValue
from .watches import WatchHistory as WatchHistory
from .watches import WatchPoint as WatchPoint
from .watches import WatchStrip as WatchStrip
from .watches import read_watches as read_watches
