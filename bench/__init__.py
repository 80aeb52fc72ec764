"""How fast and how large: the engine beside a bare floor and beside the engines one would pick instead."""
