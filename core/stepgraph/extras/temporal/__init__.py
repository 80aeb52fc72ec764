"""Temporal as an engine: a run is a workflow, one of its steps an activity; the ledger stays in the store.

``workflow`` is what Temporal runs and replays, ``worker`` the process that does its steps, ``engine`` what
everybody else asks, and ``server`` Temporal's own development server on this machine.
"""
