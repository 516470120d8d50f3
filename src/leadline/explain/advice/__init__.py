"""What to do about a program's time: one kind of advice a file, found by its `advise`."""
