"""Machines as graphs, and the places of ranks on them."""
