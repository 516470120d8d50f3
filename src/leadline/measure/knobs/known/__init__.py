"""One knob a file, found by its `KNOB`."""
