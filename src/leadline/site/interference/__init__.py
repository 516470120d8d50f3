"""What else runs on this machine, and what it does to measurements."""
