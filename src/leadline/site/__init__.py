"""What is here: hardware, what else runs on it, MPIs, software, schedulers, virtual clusters."""
