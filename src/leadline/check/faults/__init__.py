"""What may be wrong with a launch: one rule a file, found by its `find`."""
