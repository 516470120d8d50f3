"""The compilers that are known, one file each."""
