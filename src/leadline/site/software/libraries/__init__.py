"""The libraries that have a kernel ready, one file each."""
