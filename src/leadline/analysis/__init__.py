"""Samples to figures: pure functions with their sources."""
