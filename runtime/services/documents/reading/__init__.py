"""Turns the bytes of a document into text. It runs inside the sandbox, where it has pypdf and the standard library."""
