"""The API for programs: agents used with a token instead of a browser."""
