"""Breakpoints and watches: where a run halts, and expressions that are followed from step to step."""
