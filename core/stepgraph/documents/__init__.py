"""Graphs as data: reading the tables of a graph file or of a stored definition, and comparing two of them."""
