"""Code units: handlers, routers, tools, services. How their code is written, checked, kept, and run in the sandbox."""
