"""The directory as tools for agents: the Model Context Protocol, over HTTP at `/mcp` and over standard input."""
