"""The Ask bar: words become operations through the same check as everybody's edits, and wait as a proposal."""
