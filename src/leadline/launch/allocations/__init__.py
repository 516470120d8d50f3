"""One source of hosts a file."""
