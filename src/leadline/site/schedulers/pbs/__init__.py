"""PBS: OpenPBS, PBS Professional, Torque."""
