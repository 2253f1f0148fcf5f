"""Runs as OpenTelemetry spans, where an installation names a collector; nothing is loaded otherwise."""
