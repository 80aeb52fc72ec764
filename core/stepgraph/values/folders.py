"""Where a user's data and settings are kept on this machine."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder() -> Path:
    """Find the folder of the default store and of trust: STEPGRAPH_HOME, else the system's usual place."""
    home = os.environ.get("STEPGRAPH_HOME")
    if home:
        return Path(home)
    from platformdirs import user_data_path  # only when it is asked for: most commands name a store

    return user_data_path("stepgraph", appauthor=False)


def config_folder() -> Path:
    """Find the folder of the user's settings: STEPGRAPH_HOME, else the system's usual place."""
    home = os.environ.get("STEPGRAPH_HOME")
    if home:
        return Path(home)
    from platformdirs import user_config_path

    return user_config_path("stepgraph", appauthor=False)


def make_data_folder() -> Path:
    """Create the data folder where it is missing: for its owner alone, since runs may hold secrets.

    Raises:
        OSError: It cannot be made.
    """
    folder = data_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
