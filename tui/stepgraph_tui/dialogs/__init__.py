"""Dialogs: what lies over a screen until it is answered or closed."""
