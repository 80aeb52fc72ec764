"""The text of a graph file with its comments: cut into tables, changed where values change, formatted."""
