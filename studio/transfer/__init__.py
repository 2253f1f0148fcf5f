"""Flows on their way: taken in from a folder, a file or a zip, and given out as one, whole and without secrets."""
