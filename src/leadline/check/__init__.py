"""What is wrong with a parallel program as it was started: seen from outside, in seconds.

`watch` starts the command and looks; `faults` judge what was seen; `launchers` spell the fix.
"""
