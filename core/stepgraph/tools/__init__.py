"""Tools: what nodes call by name, be it Python, a program, or a server of the Model Context Protocol."""
