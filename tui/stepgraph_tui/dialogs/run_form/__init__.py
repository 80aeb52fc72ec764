"""The form that starts a run."""

from __future__ import annotations

from .form import RunForm, RunInputs

__all__ = ["RunForm", "RunInputs"]
