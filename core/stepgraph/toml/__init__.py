"""TOML as text: where things stand in it, and changing it with its comments and layout kept."""
