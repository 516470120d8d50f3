"""Failures in Slurm's words, which `srun` and `sbatch` share."""

from leadline.core.failures import CRASHED, ENDED, Failure

FAILURES = (
    Failure(
        r"[Ii]nvalid partition (name )?specified(: \S+)?",
        "`sinfo` lists the partitions; name one with --batch-option --partition=NAME",
    ),
    Failure(
        r"Invalid account or account/partition combination specified",
        "name an account of yours with --batch-option --account=NAME (`sacctmgr show assoc`)",
    ),
    Failure(r"Invalid qos specification", "name another with --batch-option --qos=NAME"),
    Failure(
        r"Requested time limit is invalid( \(missing or exceeds some limit\))?",
        "give a --time-limit that `sinfo` (column TIMELIMIT) allows",
    ),
    Failure(
        r"DUE TO TIME LIMIT|Job \S+ has exceeded its time limit[^.]*",
        "the job's time was over: measure less or give a longer --time-limit",
    ),
    Failure(
        r"DUE TO NODE FAILURE|Node failure on \S+",
        "a node went away (`sinfo -R` says why): measure again without it",
    ),
    Failure(
        r"DUE TO (JOB )?PREEMPTION",
        "a job of higher priority took the nodes: measure again, or ask for another partition",
    ),
    Failure(
        r"Invalid node name specified|Requested node configuration is not available"
        r"|Node count specification invalid",
        "there is no such node, or no partition has as many with as many cores: see `sinfo`",
    ),
    Failure(
        r"More processors requested than permitted|Only allocated \d+ nodes asked for \d+",
        "the job has fewer cores or nodes than this placement wants: ask for more with `salloc`, "
        "take fewer processes, or add --oversubscribe",
    ),
    Failure(
        r"Job violates accounting/QOS policy[^.]{0,80}",
        "it asks for more nodes, time or jobs than you may have: ask for less",
    ),
    Failure(
        r"Invalid MPI type '\w+'|cannot find mpi plugin for mpi/\w+|MPI: Unable to load any plugin",
        "this Slurm lacks the plugin that the MPI needs (`srun --mpi=list`): leave out --launcher",
    ),
    Failure(
        r"execve\(\): \S+: [^:]{1,40}(?= \w+: error|$)",
        "the program is missing on that node: LEADLINE_HOME must be on a shared file system",
    ),
    Failure(
        r"Detected \d+ oom[-_]kill event[^.]{0,40}|Out Of Memory",
        "the ranks used more memory than the job may: take smaller sizes, or ask for more with "
        "--batch-option --mem=0",
    ),
    Failure(
        r"Unable to contact slurm controller[^:]{0,40}|Unable to process configuration file"
        r"|Could not establish a configuration source",
        "Slurm's controller does not answer from here: see `scontrol ping`",
    ),
    Failure(
        r"\S+: tasks? [\d,-]+: (Segmentation fault|Aborted|Bus error|Illegal instruction)\w*",
        CRASHED,
    ),
    Failure(
        r"\S+: tasks? [\d,-]+: Killed",
        "somebody killed a rank, or the kernel did for want of memory",
    ),
    Failure(r"\S+: tasks? [\d,-]+: Exited with exit code \d+", ENDED),
)
