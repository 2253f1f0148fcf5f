"""MCP servers: where an operator says they are, what they offer, and one connection to one of them."""
