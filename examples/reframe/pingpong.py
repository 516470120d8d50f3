"""A ping-pong of leadline's as a ReFrame test: every median and bandwidth is a performance variable.

Run it with `reframe -c pingpong.py -r`.
"""

import pathlib

import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class PingPong(rfm.RunOnlyRegressionTest):
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "leadline run mpi/pingpong --bytes 8,64K --launches 6 --runs runs"
    postrun_cmds = ["leadline show last --export lines --runs runs --output figures.txt"]
    figures = "figures.txt"

    @sanity_function
    def is_sound(self):
        wanted = ("leadline/complete: 1 ", "leadline/unverified: 0 ")
        return sn.all(sn.assert_found(f"^{line}", self.figures) for line in wanted)

    @run_before("performance")
    def read_figures(self):
        for line in (pathlib.Path(self.stagedir) / self.figures).read_text().splitlines():
            name, _, number = line.partition(": ")
            if name.endswith(("/median", "/bandwidth")):
                value, unit = number.split()
                measured = sn.make_performance_function(sn.defer(float(value)), unit)
                self.perf_variables[name] = measured
