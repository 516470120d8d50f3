"""Why a parallel program does not go on: each rank's current call, beside what its process does.

`current` reads the calls from a recording, `outside` what the kernel shows; `watch` looks at both
for a second; `verdicts` judge what was seen.
"""
