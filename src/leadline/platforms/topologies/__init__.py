"""Topologies, one file each: `TOPOLOGY` is found by its module."""
