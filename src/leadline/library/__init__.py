"""The face for Python: measure a plan, open a run, take tables (docs/reference/library.md)."""
