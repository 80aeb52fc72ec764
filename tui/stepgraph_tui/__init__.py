"""Everything that a person meets at the terminal: the app, the drawing, the command line."""
