"""Taking one of many by a part of its name, and giving names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.suggester import Suggester
from textual.widgets import Input, Static

from stepgraph.editing import EditError, new_name

from ..commands import bindings, dialog_bindings
from ..commands.live import live_keys
from ..drawing.picture.node_content import NodeCaption
from ..text.cells import cell_len, padded, widest
from ..text.characters import visible
from ..widgets.chrome.find_bar import LineField
from ..widgets.chrome.status_lines import KeyLine
from ..widgets.lines import LOOKS, Part, highlight_matches, strip_of
from ..widgets.part_styles import PartStyles
from ..widgets.words import Words, entitle
from .dialog import Dialog, key_line, key_text

if TYPE_CHECKING:
    from stepgraph.editing import Design


NEW = ""
"""The id of a new node; no edge can lead to a node without a name."""
BRANCH = "branch"
"""The id of a branch; other places are positions of edges."""
_LOOKED_AT = 400
"""Characters of a name or note that are searched and shown; what is longer is cut."""


@dataclass(frozen=True, slots=True)
class PickOption:
    """Something that can be taken. Its texts need not be safe to show."""

    id: str
    """What is handed back."""
    name: str
    note: str = ""
    """Its description."""
    mark: str = ""
    """A letter before the name, such as that of a node type."""
    off: str = ""
    """Why it cannot be taken now; empty where it can."""

    @property
    def short_name(self) -> str:
        """The name as far as it is searched and shown."""
        return self.name[:_LOOKED_AT]

    @property
    def short_note(self) -> str:
        """The note as far as it is searched and shown."""
        return self.note[:_LOOKED_AT]


def ranked(options: Sequence[PickOption], text: str, new: PickOption | None = None) -> list[PickOption]:
    """Order the options that fit a text, the best first, equally good ones in their own order.

    Best is the name itself, then names that begin with the text, names that contain all its words, names
    and notes that contain them together, and at last names that have its letters in this order.

    Args:
        options: What there is.
        text: What was typed.
        new: What is made of the text: it comes after the names that contain it, and first without a text.
    """
    wanted = text.casefold().split()
    made = [new] if new is not None else []
    if not wanted:
        return [*made, *options]
    found: list[list[PickOption]] = [[] for _ in range(5)]
    for option in options:
        rank = _rank(option, " ".join(wanted), wanted)
        if rank is not None:
            found[rank].append(option)
    found.insert(3, made)
    return [option for group in found for option in group]


def _rank(option: PickOption, text: str, words: list[str]) -> int | None:
    """Rank how well an option fits, 0 the best; None when it does not."""
    name = option.short_name.casefold()
    if text in (name, option.id.casefold()):
        return 0
    if name.startswith(text):
        return 1
    if all(word in name for word in words):
        return 2
    note = option.short_note.casefold()
    if all(word in name or word in note for word in words):
        return 3
    return 4 if _has_letters(name, "".join(words)) else None


def _has_letters(name: str, letters: str) -> bool:
    """Check whether a name has the letters in this order, with anything between them."""
    at = 0
    for letter in letters:
        at = name.find(letter, at) + 1
        if not at:
            return False
    return True


def types_to_pick() -> list[PickOption]:
    """List all node types that can be used, each with its letter and what it does."""
    from stepgraph.nodes import node_types

    return [
        PickOption(name, name, _first_line(cls).removesuffix("."), NodeCaption(name, name).letter)
        for name, cls in node_types().items()
    ]


def _first_line(cls: type) -> str:
    return next(iter((inspect.getdoc(cls) or "").splitlines()), "") if cls.__doc__ else ""


def new_to_pick(design: Design, text: str) -> PickOption | None:
    """Offer a node that is not there yet: of the type, or by the name, that was typed.

    Args:
        design: The graph.
        text: What was typed.

    Returns:
        None when no new node may have that name.
    """
    name = text.strip()
    if not name:
        return PickOption(NEW, "new node...", "type its name, or one of the node types", "+")
    if name in (option.id for option in types_to_pick()):
        return PickOption(NEW, f"new {name} node", "it is added, and an edge to it", "+")
    try:
        new_name(name, "nodes", design.nodes)
    except EditError:
        return None
    return PickOption(NEW, f"new node {name}", "you choose its type next", "+")


def places_to_pick(design: Design, node: str) -> list[PickOption]:
    """List the places for a node that is added after another: in the edges, or on a branch of its own."""
    places = []
    for position in design.outgoing.get(node, ()):
        edge = design.edges[position]
        label = edge.table.get("label", edge.table.get("when"))
        note = label if isinstance(label, str) else "always" if edge.unconditional else "on a condition"
        places.append(PickOption(str(position), f"between {node} and {edge.target or '?'}", note))
    return [
        *places,
        PickOption(BRANCH, "on a branch of its own", "all edges stay; the new one gets a condition"),
    ]


def targets_to_pick(design: Design, source: str = "") -> list[PickOption]:
    """List the places that an edge can lead to: the nodes in file order, then END.

    Args:
        design: The graph.
        source: The node that the edge leaves; a place's description says whether one leads there already.
    """
    led_to = {str(design.edges[at].table.get("to", "")) for at in design.outgoing.get(source, ())}

    def note(name: str, what: str) -> str:
        remarks = [
            what,
            "this node itself" if name == source else "",
            "has an edge" if name in led_to else "",
        ]
        return ", ".join(filter(None, remarks))

    nodes = [
        PickOption(name, name, note(name, type_), NodeCaption(name, type_).letter)
        for name, type_ in ((name, str(part.table.get("type", ""))) for name, part in design.nodes.items())
        if name != NEW
    ]
    return [*nodes, PickOption("END", "END", note("END", "the run ends here"))]


LONGEST = 1_000
"""Characters that can be typed or pasted; more would only be slow."""
_LOW = 10
"""Rows, below which there is room for the field and the list alone."""
_AROUND = 4
"""Rows around list and hint: the frame, the field and the keys."""
_LEAST, _GAP = 12, "  "
_OFFERED = 24
"""Cells for the name of something new, before it is typed."""
Offered: TypeAlias = Callable[[str], "PickOption | None"]


class PickField(LineField):
    """A field of one line above a list: other keys than those that type move the list's cursor.

    Args:
        options: The list.
        value: What is in the field at first.
        placeholder: What is to be typed.
        suggester: Completes what is typed, where that can be completed.
    """

    BINDINGS = bindings("pick")

    class Left(Message):
        """Nothing is to be taken."""

    def __init__(
        self, options: PickList, value: str = "", placeholder: str = "", suggester: Suggester | None = None
    ) -> None:
        longest = max(LONGEST, len(value))
        super().__init__(value, placeholder, suggester=suggester, max_length=longest, compact=True)
        self._options = options

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Allow completing only where there are completions."""
        return action != "complete" or self.suggester is not None

    def action_complete(self) -> None:
        """Accept the completion that is shown."""
        self.action_end()
        self.action_cursor_right()

    def action_move(self, by: int) -> None:
        """Move the cursor of the list."""
        self._options.move(by)

    def action_turn(self, by: int) -> None:
        """Move the cursor of the list by pages."""
        self._options.turn(by)

    def action_leave(self) -> None:
        """Return nothing."""
        self.post_message(self.Left())


class PickList(ScrollView, can_focus=False, inherit_bindings=False):
    """Shows options, all of them or those that fit a text; the best has the cursor until it is moved.

    Args:
        options: What there is, in its own order.
        current: The id of the one that has the cursor while all are shown; else it is the first.
        offered: Offers something new for what is typed, and for nothing.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    PickList {
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
    }
    """

    class Taken(Message):
        """An option was clicked twice."""

    class Moved(Message):
        """Another option has the cursor."""

    def __init__(
        self, options: Sequence[PickOption], current: str | None = None, offered: Offered | None = None
    ) -> None:
        super().__init__()
        self._part_styles = PartStyles(self, LOOKS, over=("found",))
        self._all, self._current, self._offered = options, current, offered
        self._shown = options
        self._typed = ""
        self._words: re.Pattern[str] | None = None
        self._cursor = 0
        # One column for all, so that nothing jumps while they are narrowed down.
        names = widest(one.short_name for one in options)
        self._column = max([_LEAST if offered is None else _OFFERED, names])
        self._marks = widest(one.mark for one in options)

    def on_mount(self) -> None:
        """Show all."""
        self.narrow_down("")

    @property
    def selected(self) -> PickOption | None:
        """The option with the cursor; None when there is none."""
        return self._shown[self._cursor] if self._shown else None

    def narrow_down(self, text: str) -> None:
        """Show what fits a text, the best first."""
        self._typed = text.strip()
        new = self._offered(self._typed) if self._offered is not None else None
        self._shown = ranked(self._all, text, new)
        words = sorted(text.split(), key=len, reverse=True)
        self._words = re.compile(f"({'|'.join(map(re.escape, words))})", re.IGNORECASE) if words else None
        self.virtual_size = Size(1, max(1, len(self._shown)))
        places = (at for at, one in enumerate(self._shown) if one.id == self._current)
        self._cursor = 0 if words else next(places, 0)
        self._show_cursor()

    def move(self, by: int) -> None:
        """Move the cursor by ``by`` options, as far as there are any."""
        self._cursor = max(0, min(self._cursor + by, len(self._shown) - 1))
        self._show_cursor()
        self.post_message(self.Moved())

    def turn(self, by: int) -> None:
        """Move the cursor by ``by`` pages."""
        self.move(by * max(1, self.size.height - 1))

    def _show_cursor(self) -> None:
        self.scroll_to_region(Region(0, self._cursor, 1, 1), animate=False, x_axis=False)
        self.refresh()

    def on_resize(self) -> None:
        """There is more or less room."""
        self._show_cursor()

    def on_click(self, event: events.Click) -> None:
        """Select what is clicked; take what is clicked twice."""
        at = round(self.scroll_offset.y) + event.y
        if at < len(self._shown):
            self.move(at - self._cursor)
            if event.chain == 2:
                self.post_message(self.Taken())

    def render_line(self, y: int) -> Strip:
        """Draw an option, or that there is none."""
        at = round(self.scroll_offset.y) + y
        width = self.scrollable_content_region.width
        if at < len(self._shown):
            has_cursor = at == self._cursor
            base = self._part_styles["cursor-focused"] if has_cursor else self.rich_style
            return strip_of(self._parts(self._shown[at], has_cursor, width), width, base)
        if self._shown or at:
            return Strip.blank(width, self.rich_style)
        text = f" Nothing here fits {self._typed!r}." if self._typed else " There is nothing to choose."
        return strip_of([(text, self._part_styles["dim"])], width, self.rich_style)

    def _parts(self, option: PickOption, has_cursor: bool, width: int) -> Iterator[Part]:
        base = self._part_styles["cursor-focused"] if has_cursor else self.rich_style
        quiet = base if has_cursor else self._part_styles["dim"]
        yield ("▸ " if has_cursor else "  ", base)
        if self._marks:
            yield (f"{padded(option.mark, self._marks)}  ", base)
        name, note = visible(option.short_name), option.off or option.short_note
        column = min(self._column, max(_LEAST, width // 2)) if note else cell_len(name)
        shown = [(padded(name, column), quiet if option.off else base)]
        found = self._part_styles["found"]
        yield from shown if self._words is None else highlight_matches(shown, self._words, found)
        yield (f"{_GAP}{note}", quiet)


class Pick(Dialog[str | None], inherit_bindings=False):
    """Asks for one of several options; hands back its id, or None.

    Args:
        title: What is asked for.
        options: What there is, in an order that people know.
        hint: What to know before taking one.
        current: The id of the option that has the cursor at first; None for the first.
        offered: Offers something new for what is typed.
    """

    BINDINGS = dialog_bindings()
    AUTO_FOCUS = "PickField"
    CSS_PATH = "pick.tcss"

    def __init__(
        self,
        title: str,
        options: Sequence[PickOption],
        *,
        hint: str = "",
        current: str | None = None,
        offered: Offered | None = None,
    ) -> None:
        super().__init__()
        self._heading, self._hint = title, hint
        self._count = len(options) + (offered is not None)
        self._list = PickList(options, current, offered)

    @property
    def typed(self) -> str:
        """What is in the field."""
        return self.query_one(PickField).value.strip()

    def compose(self) -> ComposeResult:
        """Show the field above the list."""
        with Vertical(classes="pick") as frame:
            entitle(frame, self._heading)
            yield PickField(self._list, placeholder="part of a name")
            if self._hint:
                yield Words(self._hint, classes="hint")
            yield self._list
            yield KeyLine()

    def on_resize(self, event: events.Resize) -> None:
        """Be as high as all options need, and stay so while they are narrowed down."""
        low = event.size.height < _LOW
        self.set_class(low, "-low")
        rows = self._count + _AROUND + (1 if self._hint and not low else 0)
        self.query_one(".pick").styles.height = min(event.size.height, max(rows, _AROUND + 1))

    @on(Input.Changed)
    def narrow_down(self, message: Input.Changed) -> None:
        """Show what fits what was typed."""
        self._list.narrow_down(message.value)

    @on(Input.Submitted)
    @on(PickList.Taken)
    def take(self) -> None:
        """Return what is selected."""
        selected = self._list.selected
        if selected is None:
            self.app.bell()
        else:
            self.dismiss(selected.id)

    @on(PickField.Left)
    def leave(self) -> None:
        """Return nothing."""
        self.dismiss(None)


class NamePrompt(Dialog[str | None], inherit_bindings=False):
    """Asks for a name; hands it back without blanks around it, or None.

    Args:
        title: What is to be named.
        value: The name that is there at first, selected. It is handed back as it is when it was left so.
        check: What is wrong with a name; None when nothing is. It is asked at every key.
        verb: What Enter does, in one or two words.
    """

    AUTO_FOCUS = "LineField"
    BINDINGS = dialog_bindings("form")
    CSS_PATH = "pick.tcss"

    def __init__(
        self, title: str, value: str, check: Callable[[str], str | None], *, verb: str = "Rename"
    ) -> None:
        super().__init__()
        self._heading, self._value, self._check, self._verb = title, value, check, verb
        self._shown = visible(value)

    def compose(self) -> ComposeResult:
        """Show the field, what is wrong below it, and the keys."""
        with Vertical(classes="pick") as frame:
            entitle(frame, self._heading)
            yield LineField(self._shown, compact=True, max_length=max(LONGEST, len(self._shown)))
            yield Words(classes="wrong -wrong")
            yield Static(classes="hint keys")

    def begin(self) -> None:
        """Show what the keys do."""
        cancel = live_keys(self).get("form.cancel", ())[:1]
        keys = [key_text("Enter", self._verb), *(key_text(key, "Cancel") for key in cancel)]
        self.query_one(".keys", Static).update(key_line(keys))

    @property
    def name_given(self) -> str:
        """The name as it is in the field."""
        typed = self.query_one(LineField).value
        return self._value if typed == self._shown else typed.strip()

    @on(Input.Changed)
    def say_what_is_wrong(self) -> None:
        """Show what is wrong below the field."""
        self._tell(self._check(self.name_given))

    def _tell(self, wrong: str | None) -> None:
        self.query_one(Words).say(wrong or "", wrong=wrong is not None)

    @on(Input.Submitted)
    def action_accept(self) -> None:
        """Return the name, unless something is wrong with it."""
        wrong = self._check(self.name_given)
        if wrong is None:
            self.dismiss(self.name_given)
        else:
            self._tell(wrong)
            self.app.bell()

    def action_cancel(self) -> None:
        """Return nothing."""
        self.dismiss(None)

    def action_next_field(self) -> None:
        """There is one field only."""

    def action_previous_field(self) -> None:
        """There is one field only."""
