"""Edits of a flow's draft: operations, declared once, and the primitive changes that each of them comes down to."""
