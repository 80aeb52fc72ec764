"""Graphs and runs in the formats of others: what can be written, and what can be read."""
