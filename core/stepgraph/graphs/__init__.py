"""The graph: a builder that takes anything, its validation, and the immutable plan that runs."""
