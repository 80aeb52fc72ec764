"""What went wrong while a module was imported: what, where in a person's own files, what to do next."""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from traceback import FrameSummary

from ..values.carets import pointed
from ..values.errors import StepgraphError
from ..values.json_values import class_name
from ..values.messages import said, shortened
from ..values.problems import nearest, proposal
from .importing import own_names

_INSTALLED = {"site-packages", "dist-packages"}


@dataclass(frozen=True, slots=True)
class ImportFailure:
    """Why code of a module did not come to its end."""

    message: str
    """What happened, to be read behind the name of what was run: ``raised ValueError: no config``."""
    hint: str
    file: Path | None = None
    """The file of the person's own in which it happened last; None where it did in none."""
    line: int | None = None
    excerpt: str = ""
    """That line, with a caret at the place."""

    @property
    def where(self) -> str:
        """The place as people write it, behind a blank; empty where there is none."""
        return f" ({self.file.name}:{self.line})" if self.file is not None else ""


def import_failure(error: BaseException, folder: Path | None, failed: str = "") -> ImportFailure:
    """Describe what a module raised while it was imported, or code of it that was called later.

    Args:
        error: What was raised.
        folder: The folder of the person's own modules; None where there is none.
        failed: What that code was for, to begin the message with; empty for an import.
    """
    place, what = _place(error, folder), failed or "does not import"
    if isinstance(error, SyntaxError) and _is_own(error.filename, folder):
        message = f"{what}: {class_name(error)}: {error.msg}"
        return ImportFailure(message, "mend it, then try again", *_of_syntax(error))
    if isinstance(error, SystemExit):
        code = f", with exit code {shortened(str(error.code))}" if error.code not in (None, 0) else ""
        hint = 'put what it does as a program below: if __name__ == "__main__":'
        ends = f"{failed}: it ends the program" if failed else "ends the program while it is imported"
        return ImportFailure(f"{ends}{code}", hint, *place)
    if isinstance(error, ImportError):
        return ImportFailure(f"{what}{own_names(said(error))}", _import_hint(error, folder), *place)
    if isinstance(error, StepgraphError):
        return ImportFailure(f"{what}: {own_names(error.message)}", error.hint, *place)
    message = f"{what}: {class_name(error)}{own_names(said(error))}"
    return ImportFailure(message, "import it in a Python shell to see the whole traceback", *place)


def _import_hint(error: ImportError, folder: Path | None) -> str:
    if "beyond top-level package" in str(error):
        return "relative imports need a package: put an __init__.py into the folders that are parts of it"
    missing = own_names(error.name or "").partition(".")[0]
    if not isinstance(error, ModuleNotFoundError):
        return "check the name, and whether two modules import each other"
    beside = sorted(path.stem for path in folder.glob("*.py")) if folder is not None else []
    close = nearest(missing, beside)
    if close is not None and close != missing:
        return proposal(close)
    return "install it where stepgraph is installed, or put it beside the file"


def _of_syntax(error: SyntaxError) -> tuple[Path, int | None, str]:
    line = (error.text or "").rstrip("\n")
    excerpt = pointed(line, min(max((error.offset or 1) - 1, 0), len(line))) if line.strip() else ""
    return Path(error.filename or ""), error.lineno or None, excerpt


def _place(error: BaseException, folder: Path | None) -> tuple[Path | None, int | None, str]:
    """Find the deepest line of the person's own files that was running."""
    own = [frame for frame in _frames(error) if _is_own(frame.filename, folder)]
    if not own:
        return None, None, ""
    frame = own[-1]
    line = linecache.getline(frame.filename, frame.lineno or 0).rstrip("\n")
    column = frame.colno if frame.colno is not None and line.isascii() else len(line) - len(line.lstrip())
    return Path(frame.filename), frame.lineno, pointed(line, min(column, len(line))) if line.strip() else ""


def _frames(error: BaseException) -> Iterator[FrameSummary]:
    try:
        yield from traceback.extract_tb(error.__traceback__)
    except Exception:  # an exception of theirs may hold anything
        return


def _is_own(file: str | None, folder: Path | None) -> bool:
    """Tell whether a file is a person's own: below the folder, and not of an installed package."""
    if file is None or folder is None:
        return False
    path = Path(file)
    return path.is_relative_to(folder) and not _INSTALLED & set(path.parts)
