"""Why a parallel program does not go on: each rank's current call, beside what its process does.

`current` reads the calls from a recording, `processes` what the kernel shows; `watch` looks at both
for a second; `rules` judge what was seen. `nodes` does so for the watchers of a job, one on each
node, which ask when they see none of its ranks move (runtime/explain/watch).
"""
