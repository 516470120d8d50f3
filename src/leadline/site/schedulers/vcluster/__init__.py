"""The virtual cluster of `leadline virtual-cluster` as a system with nodes."""
