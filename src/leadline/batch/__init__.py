"""Batch systems: a job script, its submission, its state and its end."""
