"""The server-rendered pages, one module per noun. The chat, inbox and decision pages are built on frames instead."""
