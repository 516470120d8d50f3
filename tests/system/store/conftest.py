"""Runs that were made without any probe."""

from measured import measured, runs
