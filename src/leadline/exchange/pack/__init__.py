"""One file that installs leadline on a machine without network: wheels behind an installer."""
