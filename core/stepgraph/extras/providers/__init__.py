"""Models of providers: a wire for each protocol, and what is the same whichever it is."""
