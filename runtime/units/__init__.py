"""Code units: handlers, routers and tools. How their code is written, checked, kept, and run in the sandbox."""
