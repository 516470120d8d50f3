"""What knows how the nodes of this machine are joined: one file each, with a `GROUND`."""
