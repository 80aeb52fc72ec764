"""Tools of servers that speak the Model Context Protocol; its SDK is imported at the first use."""
