"""OSU Micro-Benchmarks: old and new headers, full statistics, held against numbers read by eye."""

from pathlib import Path

import pytest

from leadline.core.errors import UserError
from leadline.exchange.imports.collect import import_files
from leadline.model.placement import Placement

DATA = Path(__file__).parent / "data"


@pytest.mark.parametrize(("file", "seconds"), [("osu-5.3.txt", 5.14e-6), ("osu-7.4.txt", 6.07e-6)])
def test_latency_of_old_and_new_versions(imported, pick, file, seconds):
    figure = pick(imported(file), "mpi/pingpong", "one-way", size=1)
    assert figure.median_s == pytest.approx(seconds)
    assert (figure.statistic, figure.processes, figure.mpi) == ("mean", 2, "osu")
    assert figure.axes == {"bytes": 1, "mode": "blocking"}


def test_bandwidths_are_times_of_a_message(imported, pick):
    found = imported("osu-7.4.txt")
    one_way = pick(found, "mpi/bandwidth", "per message", size=65536)
    assert one_way.bandwidth_MBps == pytest.approx(2199.78)
    assert one_way.median_s == pytest.approx(65536 / 2199.78e6)
    both = pick(found, "mpi/bidirectional", "per message each way", size=65536)
    assert both.bandwidth_MBps == pytest.approx(4589.64)
    assert both.median_s == pytest.approx(2 * 65536 / 4589.64e6)


def test_a_message_rate_is_of_all_pairs(imported, pick):
    figure = pick(imported("osu-7.4.txt"), "mpi/message_rate", size=4096)
    assert (figure.processes, figure.message_rate_per_s) == (4, 46990.63)
    assert figure.median_s == pytest.approx(2 / 46990.63)
    assert figure.bandwidth_MBps == pytest.approx(192.47, abs=0.005)


def test_rates_over_windows(imported, pick):
    found = imported("osu-7.4-windows.txt")
    assert len(found.figures) == 7 * 8
    figure = pick(found, "mpi/message_rate", size=64, window=128)
    assert figure.message_rate_per_s == pytest.approx(float(last_word("osu-7.4-windows.txt")))


def last_word(name):
    return (DATA / name).read_text().split()[-1]


def test_a_collective_without_its_slowest_rank_is_an_average(imported, pick):
    figure = pick(imported("osu-7.4.txt"), "mpi/allreduce", size=4096)
    assert (figure.series, figure.processes) == ("average over ranks", 0)
    assert figure.median_s == pytest.approx(1911.38e-6)


def test_full_statistics_give_the_slowest_rank_and_the_median(imported, pick):
    found = imported("osu-7.4-full.txt")
    slowest = pick(found, "mpi/allreduce", "completion", size=4)
    assert slowest.median_s == pytest.approx(3364.33e-6)
    assert slowest.metrics == pytest.approx(
        {"min_over_ranks_s": 2128.45e-6, "mean_over_ranks_s": 3028.19e-6}
    )
    average = pick(found, "mpi/allreduce", "average over ranks", size=4)
    assert (average.median_s, average.p90_s, average.p99_s, average.mean_s) == pytest.approx(
        (2309.26e-6, 5859.80e-6, 6454.75e-6, 3028.19e-6)
    )
    assert average.statistic == "median"
    barrier = pick(found, "mpi/barrier", "completion")
    assert barrier.median_s == pytest.approx(2530.42e-6)


def test_percentiles_and_validation_of_a_latency(imported, pick):
    figure = pick(imported("osu-7.4-full.txt"), "mpi/pingpong", "one-way", size=2)
    assert (figure.median_s, figure.p90_s, figure.p99_s, figure.mean_s) == pytest.approx(
        (1.43e-6, 1.53e-6, 1.70e-6, 1.40e-6)
    )
    assert figure.verified


def test_percentiles_of_a_bandwidth_are_of_the_rate(imported, pick):
    figure = pick(imported("osu-7.4-full.txt"), "mpi/bandwidth", size=8)
    assert figure.statistic == "median"
    assert figure.bandwidth_MBps == pytest.approx(2.01)
    assert figure.mean_s == pytest.approx(8 / 1.95e6)
    assert figure.p90_s is None, "the 90th percentile of a rate is not that of a time"


def test_wrong_data_is_marked(tmp_path, pick):
    text = (DATA / "osu-7.4-checked.txt").read_text()
    path = tmp_path / "out.txt"
    path.write_text(text.replace("Pass", "Fail", 1))
    found = import_files([path]).imported
    assert not pick(found, "mpi/allreduce", size=4).verified
    assert pick(found, "mpi/allreduce", size=8).verified


def test_one_sided(imported, pick):
    found = imported("osu-7.4.txt")
    put = pick(found, "rma/put", "origin", size=1024)
    assert put.axes == {"bytes": 1024, "synchronisation": "flush", "window": "allocate"}
    assert put.median_s == pytest.approx(0.13e-6)
    both = pick(found, "osu/put_bidirectional", size=4096, synchronisation="pscw")
    assert both.bandwidth_MBps == pytest.approx(47822.53)
    swap = pick(imported("osu-5.3.txt"), "osu/compare_and_swap", size=8)
    assert swap.median_s == pytest.approx(0.07e-6)


@pytest.mark.parametrize("file", ["osu-5.3.txt", "osu-7.4.txt", "osu-7.4-full.txt"])
def test_overlap(imported, file):
    together = [
        one for one in imported(file).figures if one.series == "together, average over ranks"
    ]
    assert together
    assert all(0 <= one.metrics["overlap_fraction"] <= 1 for one in together)


def test_overlap_in_numbers(imported, pick):
    found = imported("osu-5.3.txt")
    together = pick(found, "mpi/iallgather", "together, average over ranks", size=128)
    assert together.median_s == pytest.approx(6.85e-6)
    assert together.metrics["overlap_fraction"] == pytest.approx(0.1745)
    alone = pick(found, "mpi/iallgather", "communication, average over ranks", size=128)
    assert alone.median_s == pytest.approx(3.38e-6)


def test_the_start_of_mpi(imported, pick):
    figure = pick(imported("osu-7.4.txt"), "osu/init")
    assert (figure.median_s, figure.processes, figure.statistic) == (0.049, 2, "single")


def test_openshmem(imported, pick):
    found = imported("osu-5.3-openshmem.txt")
    assert pick(found, "osu/oshm_put", size=1).median_s == pytest.approx(0.04e-6)
    assert pick(found, "osu/oshm_put_rate", size=1).message_rate_per_s == 25e6
    added = pick(found, "osu/oshm_atomics", operation="shmem_int_fadd")
    assert added.median_s == pytest.approx(0.05e-6)


def test_a_megabyte_was_larger_before_version_3_1(tmp_path, pick):
    path = tmp_path / "old.txt"
    path.write_text("# OSU MPI Bandwidth Test v3.0\n# Size\t\tBandwidth (MB/s)\n1024\t100.00\n")
    figure = pick(import_files([path]).imported, "mpi/bandwidth", size=1024)
    assert figure.bandwidth_MBps == pytest.approx(104.8576)


# Headers of versions 3.1 to 5, as their sources print them, with invented figures.
OLD = {
    "mpi/pingpong": "# OSU MPI Latency Test v3.1.1\n# Size            Latency (us)\n8   2.50\n",
    "osu/put": "# OSU One Sided MPI_Put Latency Test v3.1.1\n# Size  Latency (us)\n8   2.50\n",
    "mpi/bidirectional": "# OSU MPI Bi-Directional Bandwidth Test v3.1.1\n"
    "# Size     Bi-Bandwidth (MB/s)\n8   6.40\n",
    "mpi/message_rate": "# OSU MPI Multiple Bandwidth / Message Rate Test v3.1.1\n"
    "# [ pairs: 1 ] [ window size: 64 ]\n# Size    MB/s    Messages/s\n8   3.20   400000.00\n",
}


@pytest.mark.parametrize("name", OLD)
def test_headers_of_old_versions(tmp_path, pick, name):
    path = tmp_path / "old.txt"
    path.write_text(OLD[name])
    assert pick(import_files([path]).imported, name, size=8).median_s == pytest.approx(2.5e-6)


def test_memory_of_accelerators_stays_apart(tmp_path, pick):
    table = "# Size          Latency (us)\n8   2.50\n"
    title = "# OSU MPI-CUDA MANAGED Latency Test v5.6.2\n"
    path = tmp_path / "cuda.txt"
    path.write_text(
        f"{title}# Send Buffer on DEVICE (D) and Receive Buffer on DEVICE (D)\n{table}"
        f"{title}# Send Buffer on HOST (H) and Receive Buffer on DEVICE (D)\n{table}"
    )
    found = import_files([path]).imported
    for memory in ("device to device", "host to device"):
        assert (
            pick(found, "mpi/pingpong", size=8, memory=memory, buffers="cuda-managed").launches == 1
        )


@pytest.mark.parametrize("place", ["1x4", "2x2"])
def test_the_user_knows_how_many_processes_there_were(imported, pick, place):
    nodes, each = map(int, place.split("x"))
    found = imported("osu-7.4-checked.txt", places=[Placement(nodes, each)], mpi="mpich-5")
    figure = pick(found, "mpi/allreduce", size=8)
    assert (figure.processes, figure.nodes, figure.mpi) == (4, nodes, "mpich-5")
    assert not found.remarks


def test_what_it_does_not_say_is_remarked_and_is_no_damage(imported):
    found = imported("osu-7.4.txt")
    assert {one.kind for one in found.remarks} == {"assumed"}
    assert any("how many processes" in one.text for one in found.remarks)


def test_a_test_that_is_not_known_is_named(tmp_path):
    path = tmp_path / "out.txt"
    path.write_text("# OSU MPI Telepathy Test v9.9\n# Size  Latency (us)\n1  1.00\n")
    with pytest.raises(UserError, match=r"line 1.*Telepathy"):
        import_files([path])
