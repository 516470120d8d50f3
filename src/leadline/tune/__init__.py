"""Tuning: which algorithm is best for what, measured, proved in fresh processes, and written."""
