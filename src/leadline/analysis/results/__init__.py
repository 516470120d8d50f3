"""Results: what the samples of points come to, and curves of them."""
