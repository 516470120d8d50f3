"""What on this machine disturbs a measurement, and what to do about it."""
