"""Runs against each other: what differs, how surely, and against which past."""
