"""Faults of launches and hangs of programs, injected for real, and what leadline says of them."""
