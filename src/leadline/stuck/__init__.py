"""Why a parallel program does not go on: each rank's current call, beside what its process does.

`current` reads the calls from a recording, `processes` what the kernel shows; `watch` looks at both
for a second; `rules` judge what was seen. `watchdog` does so while a program runs, where `glance`
sees none of its ranks move; `nodes` judges for the watchers of a job, one on each node.
"""
