"""The request desk needs no code of its own: its router is made of regular when-sentences."""
