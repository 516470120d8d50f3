"""Run folders: written as measured, read back whole or honestly incomplete."""
