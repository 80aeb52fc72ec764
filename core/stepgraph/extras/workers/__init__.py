"""Workers: processes, on any number of machines, that run the graphs of one store.

``worker`` takes its jobs from a queue of procrastinate's, in the store's own PostgreSQL database, and
supervises; ``hand`` is the process in which nodes run, whoever gives the jobs; ``queue`` is what everybody
else asks of that queue. ``stepgraph.stores.engines`` says which engine drives which run.
"""
