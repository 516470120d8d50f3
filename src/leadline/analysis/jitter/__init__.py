"""Jitter and noise: which calls took longer, why, and what more ranks would do."""
