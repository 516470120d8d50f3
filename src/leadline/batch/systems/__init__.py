"""One batch system a file."""
