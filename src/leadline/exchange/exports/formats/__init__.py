"""One export format a file."""
