"""One module a format, each with its `READER`."""
