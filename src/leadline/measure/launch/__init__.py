"""From a job to running processes, and to none left behind."""
