"""One launcher a file: a pure function from job to argument list."""
