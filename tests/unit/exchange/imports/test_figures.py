"""Figures of each program, held against numbers that were read off its outputs by eye."""

import pytest

ALL = "average over ranks"

# File, benchmark, series, what picks one figure, and what it is.
CASES = [
    # Intel MPI Benchmarks: one time and a rate, times over ranks, overlap, modes, pairs, groups.
    ("imb-mpi1.txt", "mpi/pingpong", "one-way", {"size": 65536}, {
        "median_s": 53.22e-6, "mean_s": 53.22e-6, "processes": 2, "nodes": 1, "mpi": "imb",
        "bandwidth_MBps": pytest.approx(1231.50, rel=1e-4), "statistic": "mean", "samples": 0,
        "interval": None}),
    ("imb-mpi1.txt", "mpi/allreduce", None, {"size": 1024, "processes": 2}, {
        "median_s": 106.31e-6}),
    ("imb-mpi1.txt", "mpi/allreduce", None, {"size": 1024, "processes": 4}, {
        "median_s": 281.99e-6, "metrics.min_over_ranks_s": 146.07e-6,
        "metrics.mean_over_ranks_s": 185.84e-6}),
    ("imb-mpi1.txt", "mpi/barrier", None, {"processes": 4}, {"median_s": 113.03e-6}),
    ("imb-mpi1.txt", "imb/sendrecv", None, {"size": 65536, "processes": 4}, {
        "bandwidth_MBps": pytest.approx(1074.18, rel=1e-4)}),
    ("imb-nbc.txt", "mpi/ibcast", "together", {"size": 65536, "processes": 2}, {
        "median_s": 13.03e-6, "metrics.overlap_fraction": 0.7270}),
    ("imb-nbc.txt", "mpi/ibcast", "communication", {"size": 65536, "processes": 2}, {
        "median_s": 21.74e-6}),
    ("imb-nbc.txt", "mpi/ibcast", "computation", {"size": 65536, "processes": 2}, {
        "median_s": 7.09e-6}),
    ("imb-rma.txt", "rma/put", "origin", {"size": 65536}, {
        "axes": {"bytes": 65536, "synchronisation": "flush", "window": "create"}}),
    ("imb-rma.txt", "imb/unidir_put", None, {"size": 65536, "mode": "aggregate"}, {
        "median_s": 100.25e-6}),
    ("imb-rma.txt", "imb/bidir_put", None, {"size": 8, "mode": "non_aggregate"}, {
        "median_s": 120.25e-6}),
    ("imb-rma.txt", "imb/truly_passive_put", "together", {"size": 8}, {"median_s": 257.46e-6}),
    ("imb-p2p.txt", "imb/p2p_pingpong", None, {"size": 1024}, {
        "median_s": 47.06e-6, "message_rate_per_s": 34412,
        "bandwidth_MBps": pytest.approx(35.24, abs=0.005)}),
    ("imb-p2p.txt", "imb/p2p_stencil2d", None, {"size": 8}, {"axes.grid": "2x2"}),
    ("imb-groups.txt", "imb/multi_pingpong", None, {"size": 8, "groups": 2}, {
        "processes": 4, "axes.group": "slowest", "median_s": 58.82e-6}),
    ("imb-each-group.txt", "imb/multi_pingpong", None, {"size": 8, "group": 0}, {
        "median_s": 58.41e-6}),
    # -off_cache is in its calling sequence.
    ("imb-each-group.txt", "imb/multi_pingpong", None, {"size": 8, "group": 1}, {
        "median_s": 166.73e-6, "settings.cache": "cold"}),
    # OSU Micro-Benchmarks, of old and new versions.
    ("osu-5.3.txt", "mpi/pingpong", "one-way", {"size": 1}, {
        "median_s": 5.14e-6, "statistic": "mean", "processes": 2, "mpi": "osu",
        "axes": {"bytes": 1, "mode": "blocking"}}),
    ("osu-7.4.txt", "mpi/pingpong", "one-way", {"size": 1}, {"median_s": 6.07e-6}),
    # Bandwidths are times of a message, a message rate is of all pairs.
    ("osu-7.4.txt", "mpi/bandwidth", "per message", {"size": 65536}, {
        "bandwidth_MBps": 2199.78, "median_s": 65536 / 2199.78e6}),
    ("osu-7.4.txt", "mpi/bidirectional", "per message each way", {"size": 65536}, {
        "bandwidth_MBps": 4589.64, "median_s": 2 * 65536 / 4589.64e6}),
    ("osu-7.4.txt", "mpi/message_rate", None, {"size": 4096}, {
        "processes": 4, "message_rate_per_s": 46990.63, "median_s": 2 / 46990.63,
        "bandwidth_MBps": pytest.approx(192.47, abs=0.005)}),
    # A collective without its slowest rank is an average; full statistics give both.
    ("osu-7.4.txt", "mpi/allreduce", ALL, {"size": 4096}, {
        "processes": 0, "median_s": 1911.38e-6}),
    ("osu-7.4-full.txt", "mpi/allreduce", "completion", {"size": 4}, {
        "median_s": 3364.33e-6, "metrics.min_over_ranks_s": 2128.45e-6,
        "metrics.mean_over_ranks_s": 3028.19e-6}),
    ("osu-7.4-full.txt", "mpi/allreduce", ALL, {"size": 4}, {
        "median_s": 2309.26e-6, "p90_s": 5859.80e-6, "p99_s": 6454.75e-6, "mean_s": 3028.19e-6,
        "statistic": "median"}),
    ("osu-7.4-full.txt", "mpi/barrier", "completion", {}, {"median_s": 2530.42e-6}),
    ("osu-7.4-full.txt", "mpi/pingpong", "one-way", {"size": 2}, {
        "median_s": 1.43e-6, "p90_s": 1.53e-6, "p99_s": 1.70e-6, "mean_s": 1.40e-6,
        "verified": True}),
    # The 90th percentile of a rate is not that of a time.
    ("osu-7.4-full.txt", "mpi/bandwidth", None, {"size": 8}, {
        "statistic": "median", "bandwidth_MBps": 2.01, "mean_s": 8 / 1.95e6, "p90_s": None}),
    ("osu-7.4.txt", "rma/put", "origin", {"size": 1024}, {
        "axes": {"bytes": 1024, "synchronisation": "flush", "window": "allocate"},
        "median_s": 0.13e-6}),
    ("osu-7.4.txt", "osu/put_bidirectional", None, {"size": 4096, "synchronisation": "pscw"}, {
        "bandwidth_MBps": 47822.53}),
    ("osu-5.3.txt", "osu/compare_and_swap", None, {"size": 8}, {"median_s": 0.07e-6}),
    ("osu-5.3.txt", "mpi/iallgather", f"together, {ALL}", {"size": 128}, {
        "median_s": 6.85e-6, "metrics.overlap_fraction": 0.1745}),
    ("osu-5.3.txt", "mpi/iallgather", f"communication, {ALL}", {"size": 128}, {
        "median_s": 3.38e-6}),
    ("osu-7.4.txt", "osu/init", None, {}, {
        "median_s": 0.049, "processes": 2, "statistic": "single"}),
    ("osu-5.3-openshmem.txt", "osu/oshm_put", None, {"size": 1}, {"median_s": 0.04e-6}),
    ("osu-5.3-openshmem.txt", "osu/oshm_put_rate", None, {"size": 1}, {
        "message_rate_per_s": 25e6}),
    ("osu-5.3-openshmem.txt", "osu/oshm_atomics", None, {"operation": "shmem_int_fadd"}, {
        "median_s": 0.05e-6}),
    # nccl-tests, out of place and in place, and wrong elements.
    ("nccl-invented.txt", "nccl/all_reduce", None, {"size": 262144, "buffers": "separate"}, {
        "median_s": 49.80e-6, "bandwidth_MBps": pytest.approx(5.26e3, rel=1e-3),
        "metrics": {"bus_bandwidth_MBps": 7900.0}}),
    ("nccl-invented.txt", "nccl/all_reduce", None, {"size": 262144, "buffers": "in_place"}, {
        "median_s": 48.93e-6}),
    ("nccl-invented.txt", "nccl/all_reduce", None, {"size": 8388608, "buffers": "separate"}, {
        "verified": True}),
    ("nccl-invented.txt", "nccl/all_reduce", None, {"size": 8388608, "buffers": "in_place"}, {
        "verified": False}),
    # NetPIPE: data files, and what version 5 prints in colour.
    ("netpipe-3.out", "netpipe/pingpong", "one-way", {"size": 512}, {
        "median_s": 7.51e-6, "statistic": "minimum", "processes": 2,
        "bandwidth_MBps": pytest.approx(520.126984 * 2**20 / 8e6, rel=1e-3)}),
    ("netpipe-5-console.txt", "netpipe/pingpong", None, {"size": 96}, {
        "median_s": 4.001e-3, "statistic": "mean"}),
    ("netpipe-5.out", "netpipe/pingpong", None, {"size": 96}, {"median_s": 4.00127e-3}),
    # ReproMPI: a summary, and times of each process, of which the slowest counts.
    ("reprompi-summary.txt", "mpi/allgather", None, {"size": 1024}, {
        "median_s": 0.0141742280, "mean_s": 0.0126604870, "min_s": 0.0039380160,
        "max_s": 0.0196309500, "interval": None, "processes": 2}),
    ("reprompi-processes.txt", "mpi/bcast", None, {"size": 8}, {
        "median_s": pytest.approx(0.501e-6, rel=1e-2), "max_s": pytest.approx(1.512e-6, rel=1e-2)}),
]  # fmt: skip


def part(figure, name):
    """A field of a figure, or an entry of one."""
    field, _, entry = name.partition(".")
    value = getattr(figure, field)
    return value[entry] if entry else value


@pytest.mark.parametrize(("file", "benchmark", "series", "picked", "expected"), CASES)
def test_a_figure_is_what_was_printed(imported, pick, file, benchmark, series, picked, expected):
    figure = pick(imported(file), benchmark, series, **picked)
    for name, value in expected.items():
        seen = part(figure, name)
        assert seen == (pytest.approx(value) if isinstance(value, float) else value), name
