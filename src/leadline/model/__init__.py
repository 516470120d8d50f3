"""What one stage hands to the next: plain values, no behaviour beyond their own checks."""
