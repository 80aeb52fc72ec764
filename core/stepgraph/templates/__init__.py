"""Prompts: Jinja2 in its sandbox, with bounds on what a rendering may cost."""
