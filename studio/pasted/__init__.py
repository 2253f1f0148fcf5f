"""What people paste, a curl command or the description of an API, read into a tool: no model is asked."""
