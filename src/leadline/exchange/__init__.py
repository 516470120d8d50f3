"""What other programs measured, read; what leadline measured, written for others; itself, packed."""
