"""The face for Python programs: measure a plan, open a run, take tables (docs/reference/library.md)."""
