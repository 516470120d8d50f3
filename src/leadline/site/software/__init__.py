"""The software of this machine, and what a program loads of it."""
