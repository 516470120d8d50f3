"""Why a program may hang: one rule a file, found by its `find`."""
