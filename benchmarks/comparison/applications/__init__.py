"""Real programs of the standing table, one file each."""
