"""What the pages' commands are on a machine for tests, and what cannot be there.

Each is a pattern of a command line with its reason or replacement.
"""

# What no machine for tests has.
NOT_HERE = (
    (r"--batch |salloc|--hosts slurm|srun|--recover", "a batch system"),
    (r"leadline serve", "a browser"),
    (r"leadline (mpi install|pack)", "a package index"),
)
# Pages that take minutes: followed where LEADLINE_FOLLOW=1 asks for them.
LONG = frozenset(
    {
        "accept-a-cluster", "applications", "install", "interference",
        "kernels", "make-a-program-faster", "map", "memory", "noise-and-jitter", "predict",
        "rank-order", "screen-a-cluster", "simulate", "suspects", "tune-and-deploy",
        "virtual-cluster",
    }
)  # fmt: skip
# What goes on until Ctrl-C.
ENDLESS = (r"^(?!.* module ).*--watch", r"--every", r"congest alltoall")
# What is here in place of what the pages name, and brief where it measures.
HERE = (
    (r"openmpi-5(\.0\.11)?", "openmpi-4"),
    (r"--launches 6", "--launches 3"),
    (r"--place 1x2,1x4", "--place 1x2"),
    (
        r"leadline (run|survey) (?!--list)",
        r"leadline \1 --anyway --launches 3 --minimum 5 --maximum 20 --seconds 0.02 ",
    ),
    (r"module --write", "module --mpi mpich-5 --write"),
    (r"leadline tune --mpi", "leadline tune mpi/barrier mpi/allreduce --bytes 8 --mpi"),
    (r"(leadline tune)(?! --(export|show))", r"\1 --anyway --seconds 2"),
    (r"--seconds \d\d+", "--seconds 2"),
    (r"--until-sure 5m", "--until-sure 2s"),
    (r"--budget 5m", "--budget 2s"),
    (r"--confirm --summary", "--confirm --budget 2s --summary"),
    (r"512M|128M|64M(?=:)", "8M"),
    (r"(node/memcpy --routine library,chosen\S+)", r"\1 --bytes 4K,1M"),
    (r"64:65536:x4", "64:256:x4"),
    (r"--quanta 40000", "--quanta 2000"),
    (r"--level 5,6,7,8", "--level 3,4,5,6"),
    (r"watch quick", "watch plan.toml"),
    (r"(leadline (?:run|screen) .*--hosts) (?!lab|slurm)\S+", r"\1 lab"),
    (r"/opt|/shared(?!/leadline/bin)|/var/lib/node_exporter", "$SHARED"),
    (r"/shared/leadline/bin/", ""),
    (r"/scratch", "$SHARED"),
    (r"compare (RUN|2026-11-21T081056) last", "compare $RUN_A last"),
    (r"--diff RUN last", "--diff $RUN_A last"),
    (r"show RUN_A RUN_B", "show $RUN_A $RUN_B"),
    (r"--diff 2026-01-31T10 2026-01-31T11", "--diff $RUN_A $RUN_B"),
    (r"--against 2026-10-21T081036", "--against $RUN_A"),
    (r"4711", "$PID"),
    (r"check -- mpirun -n 2", "check -- mpirun -bind-to user:0,0 -n 2"),
    (r"-n \d+ \./app", "-n 2 ./app"),
    (r"-n \d+ python app.py", "-n 2 ./app"),
)
# What makes what the next command looks at: page, command, what is done before it.
_LAB = "leadline virtual-cluster up --cores 2 --nodes"
_APP = "leadline explain -- mpirun -n 2 ./app"
_JOB = (
    "mkdir -p $SHARED/jobs && LEADLINE_JOBS=$SHARED/jobs "
    "LD_PRELOAD=$(ls $LEADLINE_HOME/runtime/mpich-5.*[0-9]/libleadline-explain.so) "
    "mpirun -n 2 ./app"
)
_PINGPONG = "leadline run mpi/pingpong --bytes 8,64K"
BEFORE = (
    ("README", r"compare RUN", "leadline watch plan.toml"),
    ("accept-a-cluster", r"--dry-run", f"{_LAB} 2"),
    ("applications", r"--hosts a,b", f"{_LAB} 4"),
    ("find-a-hang", r"stuck", "leadline explain -- mpirun -n 2 ./hangs &"),
    ("find-a-hang", r"stuck", "until leadline stuck $PID | grep -q tag; do sleep 1; done"),
    ("make-a-program-faster", r"run placement", f"{_LAB} 4"),
    ("noise-and-jitter", r"--hosts lab", f"{_LAB} 4"),
    ("plot-for-a-paper", r"--plot$", _PINGPONG),
    (
        "plot-for-a-paper",
        r"--benchmark mpi/allreduce",
        "leadline run mpi/allreduce --bytes 8,64K --algorithm library,ring",
    ),
    ("plot-for-a-paper", r"RUN_A", _PINGPONG),
    ("plot-for-a-paper", r"RUN_A", _PINGPONG),
    ("plot-for-a-paper", r"last:mpi", f"{_PINGPONG} --mpi mpich-5,openmpi-4"),
    ("predict", r"--hosts a,b", f"{_LAB} 2"),
    ("rank-order", r"run mpi/allreduce", f"{_LAB} 4"),
    (
        "regression-gate",
        r"compare last:mpi",
        f"{_PINGPONG} --mpi mpich-5,openmpi-4 --knob shm_eager_limit=default,2K",
    ),
    ("replay-a-program", r"--diff", _APP),
    ("replay-a-program", r"--diff", _APP),
    (
        "tutorial",
        r"completion bash",
        "mkdir -p ~/.local/share/bash-completion/completions",
    ),
    ("software", r"--pid", "env LASTS=60 ./app &"),
    ("software", r"--diff RUN", _PINGPONG),
    ("screen-a-cluster", r"screen --hosts n1", f"{_LAB} 4"),
    ("screen-a-cluster", r"virtual-cluster up", "leadline virtual-cluster down --yes"),
    ("suspects", r"screen", f"{_LAB} 8 --link 100mbit --switches 2"),
    ("suspects", r"screen", "leadline virtual-cluster link h3 50mbit"),
    ("tune-and-deploy", r"--from last", _APP),
    ("watch-all-jobs", r"--since", _APP),
    ("watch-all-jobs", r"--since", _JOB),
)
# Which exit status other than 0 a command may have, and the words in which its page says so.
STATUS = (
    ("README", r"--fail-if", 1, "exit status 1: something is slower for sure"),
    ("accept-a-cluster", r"--strict", 1, "exits with status 1 if a check is bad"),
    ("accept-a-cluster", r"run quick", 1, "hangs is ended after two minutes with exit status 1"),
    ("check-a-launch", r"check -- ", 1, "The exit status is 1 with faults"),
    ("choose-an-mpi", r"--fault wrong_data", 1, "a wrong byte makes the exit status 1"),
    ("find-a-hang", r"stuck", 1, "The exit status is 1 when the job is stuck"),
    ("regression-gate", r"--fail-if|--confirm", 1, "1: a gate holds"),
    ("screen-a-cluster", r"screen", 1, "The exit status is 0 without suspects, 1 with"),
    ("simulate", r"calibrate|--on mine", 2, "misses the measured one by more than half is not"),
    ("tune-and-deploy", r"--export", 2, "nothing to print, and the exit status is 2"),
    ("suspects", r"screen", 1, "The exit status is 1 with a suspect"),
)
# What a page's text speaks of, by the command that prints it.
NAMED = (
    ("tutorial", r"^leadline check", ("other-load", "virtualization", "left-over-processes")),
    ("tutorial", r"run mpi/pingpong$", ("MB/s", "max")),
    ("tutorial", r"show last --as choices", ("ratio", "verdict")),
    ("tutorial", r"run --list questions", ("collectives",)),
    ("screen-a-cluster", r"screen --hosts lab", ("node h3:", "It is slow with every partner")),
)
# What is shown as it was on a day: page, part of the line, why.
OF_THAT_DAY = (
    ("README", r"^collective +place|^(allreduce|barrier) ", "what could be proved in 2 s"),
    ("README", r"bytes +base us", "what became slower or faster"),
    ("tutorial", r"other-load", "what else runs"),
    ("tutorial", r"Latency, 8 B|Bandwidth, 1 MiB", "how far launches agreed"),
    ("tutorial", r"^collective +place|^(allreduce|barrier) ", "what could be proved in 2 s"),
    ("batch-systems", r"job +user +name +queue", "the queue of a batch system"),
    (
        "explain-a-program",
        r"Measure what is missing|explain --replay|leadline run app",
        "as much of the transfer as other pages have measured",
    ),
    ("explain-a-program", r"^data: rank 3", "which other owners have half a percent of the time"),
    ("explain-a-program", r"Rank 3 computes", "by more than half: `2.8x as long`"),
    ("replay-a-program", r"the second is|waits .* more", "as much as the two differ"),
    ("replay-a-program", r"is the fastest", "as much as the two MPIs differ"),
    ("interference", r"^Also ran", "another program"),
    ("make-a-program-faster", r"bytes  median us", "samples enough for a p99"),
    ("screen-one-node", r"slurm.conf|HealthCheck", "a file of the site"),
    (
        "screen-a-cluster",
        r"suspected: 1 node|node h3: (bandwidth|hangs)|also: bandwidth|slow with every|scontrol",
        "one of 32 nodes, under Slurm",
    ),
    ("suspects", r"uplink switch B|its nodes", "a slow uplink"),
    (
        "watch-all-jobs",
        r"leadline jobs: |^ranks, |^\d+ Nov|lost h|explain (--diff )?/scratch"
        r"|wave of|It cost|Node n041|were spent waiting",
        "the jobs of a site",
    ),
    ("software", r"because: #|intel|NOT the one", "Intel MPI in LD_LIBRARY_PATH"),
)
