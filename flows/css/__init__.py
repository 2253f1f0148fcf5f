"""A page's own style sheet: what it may say, and the judge that holds it to that."""
