"""What only some use, each behind an extra: stores of servers, workers, LangGraph, MCP, providers, diagrams.

The engine does not import it: registries name its modules, as they name those of others' packages, and load
one when it is wanted. An error about a missing library names the extra to install.
"""
