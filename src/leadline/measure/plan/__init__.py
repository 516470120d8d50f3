"""What to run: plans checked, and the points that they mean."""
