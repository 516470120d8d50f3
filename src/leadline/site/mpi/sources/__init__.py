"""Places where installations are found, one file each."""
