"""Forms: fields that are described without widgets, their editors, and the dialog that shows them."""

from __future__ import annotations

from .dialog import EditElsewhere, FormDialog

__all__ = ["EditElsewhere", "FormDialog"]
