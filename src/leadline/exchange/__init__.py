"""What other programs measured, read; what leadline measured, written; leadline itself, packed."""
