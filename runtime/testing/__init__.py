"""Tests of flows: the real engine in a process of its own, with stand-ins for everything outside of the flow."""
