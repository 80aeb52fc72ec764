"""Prompts: Jinja2 parses them; they are checked and computed by an allow-list, with a bound on the work."""
