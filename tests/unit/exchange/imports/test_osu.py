"""OSU Micro-Benchmarks: old and new headers, full statistics, held against numbers read by eye."""

from pathlib import Path

import pytest

from leadline.core.errors import UserError
from leadline.exchange.imports.collect import import_files
from leadline.model.placement import Placement

DATA = Path(__file__).parent / "data"


def test_wrong_data_is_marked(tmp_path, pick):
    text = (DATA / "osu-7.4-checked.txt").read_text()
    path = tmp_path / "out.txt"
    path.write_text(text.replace("Pass", "Fail", 1))
    found = import_files([path]).imported
    assert not pick(found, "mpi/allreduce", size=4).verified
    assert pick(found, "mpi/allreduce", size=8).verified


@pytest.mark.parametrize("file", ["osu-5.3.txt", "osu-7.4.txt", "osu-7.4-full.txt"])
def test_overlap(imported, file):
    together = [
        one for one in imported(file).figures if one.series == "together, average over ranks"
    ]
    assert together
    assert all(0 <= one.metrics["overlap_fraction"] <= 1 for one in together)


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
