"""What each family of libraries can be told of its own algorithms. One file each, an `EXPORT`."""
