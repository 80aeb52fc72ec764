"""Running a graph: the executor, its steps, and the history of runs."""
