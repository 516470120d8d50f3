"""One system that knows jobs and nodes a file."""
