"""Pictures of machines in letters: one file a kind of topology, with a `PICTURE`."""
