"""Machines as data: read, drawn as graphs, and written for a simulator."""
