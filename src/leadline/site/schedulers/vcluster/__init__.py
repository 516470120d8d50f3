"""The virtual cluster of `leadline lab` as a system with nodes."""
