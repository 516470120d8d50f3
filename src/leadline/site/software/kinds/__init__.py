"""The kinds of software, one file each."""
