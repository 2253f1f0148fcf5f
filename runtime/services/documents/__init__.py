"""Documents as text. Their bytes are opened in a sandbox only: whoever gives a document may mean harm by it."""
