"""What each launcher makes of a host file."""
