"""Output of other programs to figures. Each format is one file in `readers`."""
