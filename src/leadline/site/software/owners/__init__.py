"""What files may have come in, one file each."""
