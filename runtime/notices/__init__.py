"""Notices for when nobody watches: what is wrong, who is told of it, and that it is over. docs/decisions/013."""
