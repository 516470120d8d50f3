"""Figures to verdicts in plain words."""
