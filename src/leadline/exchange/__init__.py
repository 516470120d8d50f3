"""What other programs measured, read; what leadline measured, written for other programs."""
