"""A machine without a batch system."""
