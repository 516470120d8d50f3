"""Who runs where now: the jobs and nodes of a batch system, or of this machine alone."""
