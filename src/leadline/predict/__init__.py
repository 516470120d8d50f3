"""Times of collectives and halo exchanges on more processes than can be run, by LogGP."""
