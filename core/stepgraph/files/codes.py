"""The problem codes of graph files, each with the explanation that ``stepgraph check --explain`` shows."""

from __future__ import annotations

CODES: dict[str, str] = {
    "F001": "There is no file at that path. Check the spelling and the folder you are in.",
    "F002": "The path is a folder, a device or a pipe. A graph file is a plain file, such as graph.toml.",
    "F003": "The file is there, but the system did not let it be read. Check its permissions.",
    "F004": "Graph files may have at most 1,000,000 bytes. Keep data in files of its own, and let a tool "
    "or a handler read it when the graph runs.",
    "F005": "Graph files are UTF-8 text. The message names the first byte that is not; save the file as "
    "UTF-8 in your editor.",
    "F006": "The file is not valid TOML, so nothing in it could be read. The most common reasons: text "
    "without quotes, a quote that is not closed, a key or table that is given twice, and True, False or "
    "None instead of TOML's true and false.",
    "F007": "The file goes beyond a limit that keeps reading it fast and safe: keys of at most 32 parts, "
    "numbers of at most 4,000 digits, 100 levels of nesting, 5,000 nodes, state keys and tools, "
    "20,000 edges, 120,000 characters between the braces of templates. Of very many problems only the "
    "first thousand are told.",
    "F008": "The graph does not say its format. A graph file says in its first line which one it is "
    "written in.",
    "F009": "The file is written in a newer format than this version of Stepgraph knows. Update Stepgraph.",
    "F010": "The file could not be written; what was there before is unchanged.",
    "F011": "The file changed on disk since it was read, so writing it would lose those changes. Read it "
    "again and repeat your change, or write to another path.",
    "F012": "A graph file holds text, numbers, booleans, lists and tables. It cannot hold Python objects, "
    "nulls, or names that are no text.",
    "F020": "A table has a key that graph files do not know. It is most often a typing mistake.",
    "F021": "A table lacks a key that it cannot do without.",
    "F022": "A value is of the wrong type, or not one of the values that its key takes.",
    "F023": "A value has no place in the state of a run, which is JSON: dates, times, nan and inf are "
    "refused. Write dates as text, in quotes.",
}
