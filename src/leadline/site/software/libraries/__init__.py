"""The libraries with a kernel ready that take code to find, one file each."""
