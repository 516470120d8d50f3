"""Findings: verdicts on results in plain words."""
