"""Runs flows on LangGraph. The only package that imports it; the web process never imports this one."""

import os

# Before LangGraph is imported anywhere: checkpoints are decoded as plain values, never as calls.
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
