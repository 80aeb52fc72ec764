"""Graphs as indented lists: every node and every edge on a line of its own."""
