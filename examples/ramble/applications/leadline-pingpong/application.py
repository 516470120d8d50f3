"""A ping-pong of leadline's as a Ramble application, for Benchpark too."""

from ramble.appkit import *


class LeadlinePingpong(ExecutableApplication):
    """Time and bandwidth of a message there and back, over message sizes"""

    name = "leadline-pingpong"

    runs = "--runs {experiment_run_dir}/runs"
    figures = "{experiment_run_dir}/figures.txt"

    executable("measure", f"leadline run mpi/pingpong --bytes {{sizes}} {runs}", use_mpi=False)
    executable(
        "export", f"leadline show last --export lines {runs}", use_mpi=False, redirect=figures
    )
    workload("sizes", executables=["measure", "export"])
    workload_variable("sizes", default="8,64K", description="Message sizes", workloads=["sizes"])

    figure_of_merit_context("figure", regex=r"(?P<figure>\S+)/\w+: ", output_format="{figure}")
    for quantity, unit in {
        "median": "s",
        "ci95_low": "s",
        "ci95_high": "s",
        "p99": "s",
        "bandwidth": "MB/s",
    }.items():
        figure_of_merit(
            quantity,
            log_file=figures,
            fom_regex=rf"\S+/{quantity}: (?P<value>\S+) {unit}$",
            group_name="value",
            units=unit,
            contexts=["figure"],
        )

    success_criteria("complete", mode="string", match=r"leadline/complete: 1 ", file=figures)
    success_criteria("verified", mode="string", match=r"leadline/unverified: 0 ", file=figures)
