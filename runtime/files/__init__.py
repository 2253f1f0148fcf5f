"""Files that people give and steps make: stored once, known by their id, read back whole or not at all."""
