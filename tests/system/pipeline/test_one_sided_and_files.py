"""One-sided operations and files with real ranks: every choice, its data verified."""

import os
import signal

from real_ranks import REAL_RANKS

pytestmark = REAL_RANKS
PLAN = """
launches = 1
[stopping]
seconds = 0.02
minimum = 5
maximum = 50
[[entries]]
benchmarks = ["rma/put", "rma/get", "rma/accumulate"]
axes = { bytes = "8,64K", synchronisation = "flush,fence,pscw,lock" }
[[entries]]
benchmarks = ["rma/accumulate"]
axes = { bytes = "8", operation = "replace" }
[[entries]]
benchmarks = ["rma/pingpong"]
axes = { bytes = "1,64K", window = "allocate,create,shared" }
[[entries]]
benchmarks = ["rma/fetch_and_op", "rma/compare_and_swap"]
axes = { origins = "one,all", synchronisation = "flush,lock", window = "shared" }
[[entries]]
benchmarks = ["mpi/file_write", "mpi/file_read"]
axes = { bytes = "0,10000", access = "collective,independent", layout = "blocks,strided" }
[[entries]]
benchmarks = ["mpi/file_write"]
axes = { bytes = "10000", cb_nodes = 1, romio_cb_write = "enable" }
"""
POINTS = 3 * 2 * 4 + 1 + 2 * 3 + 2 * 2 * 2 + 2 * 2 * 2 * 2 + 1


def test_every_choice(leadline, mpi, tmp_path):
    (tmp_path / "all.toml").write_text(PLAN)
    folder = tmp_path / "files"
    folder.mkdir()
    leadline.environment |= {"LEADLINE_IO_FOLDER": str(folder)}
    answer = leadline.measure(tmp_path / "all.toml", "--mpi", mpi)
    assert answer["outcome"] == {"state": "complete", "message": ""}
    assert all(point["verified"] for point in answer["points"])
    firsts = [p for p in answer["points"] if p["series"] not in ("target", "sync")]
    assert len(firsts) == POINTS
    syncs = [p for p in answer["points"] if p["series"] == "sync"]
    assert len(syncs) == len([p for p in firsts if p["benchmark"] == "mpi/file_write"])
    swaps = [p for p in firsts if p["benchmark"] == "rma/compare_and_swap"]
    assert all(0 < p["metrics"]["swapped_fraction"] <= 1 for p in swaps)
    alone = [p for p in swaps if p["axes"]["origins"] == "one"]
    assert all(p["metrics"]["swapped_fraction"] == 1 for p in alone)
    (hinted,) = [p for p in firsts if p["axes"].get("romio_cb_write") == "enable"]
    if mpi.startswith("openmpi"):
        # It returns any key: that proves nothing.
        assert hinted["metrics"]["hints_unknown"] == 2
        assert not hinted["metrics"].keys() & {"cb_nodes", "hints_ignored"}
    else:
        assert hinted["metrics"]["cb_nodes"] == 1
        assert hinted["metrics"]["hints_ignored"] in (0, 1)
    assert list(folder.iterdir()) == []


def test_many_ranks(leadline, mpi, tmp_path):
    text = """
launches = 1
placements = ["1x4"]
oversubscribe = true
[stopping]
seconds = 0.02
minimum = 3
maximum = 10
[[entries]]
benchmarks = ["rma/fetch_and_op", "rma/compare_and_swap"]
axes = { origins = "all", window = "shared" }
[[entries]]
benchmarks = ["mpi/file_write", "mpi/file_read"]
axes = { bytes = "10000", layout = "strided", piece = 1000 }
"""
    (tmp_path / "many.toml").write_text(text)
    leadline.environment |= {"LEADLINE_IO_FOLDER": str(tmp_path)}
    answer = leadline.measure(tmp_path / "many.toml", "--mpi", mpi)
    assert len(answer["points"]) == 5
    assert all(point["verified"] for point in answer["points"])
    assert {point["processes"] for point in answer["points"]} == {4}
    assert not list(tmp_path.glob("leadline-*.data"))


def test_a_folder_without_the_file_is_told(leadline, mpi, tmp_path):
    leadline.environment = {
        **leadline.environment,
        "LEADLINE_IO_FOLDER": str(tmp_path / "nowhere"),
    }
    result = leadline.in_runs("run", "mpi/file_read", "--bytes", "8", "--mpi", mpi)
    assert result.returncode == 2
    told = " ".join(result.stdout.split())
    assert "No such file or directory: set LEADLINE_IO_FOLDER" in told


def test_a_killed_rank_leaves_no_file(leadline, begun, mpi, tmp_path):
    leadline.environment |= {"LEADLINE_IO_FOLDER": str(tmp_path)}
    started = begun(
        "mpi/file_read", "--bytes", "8", "--launches", "1", "--mpi", mpi,
        "--seconds", "60", "--minimum", "100000000", "--maximum", "100000000",
    )  # fmt: skip
    # Before that it is only tried whether a file can be there.
    started.wait_for(started.has_samples)
    assert list(tmp_path.glob("leadline-*.data"))
    os.kill(started.events("rank")[0]["pid"], signal.SIGKILL)
    started.end()
    started.wait_until_gone()
    assert not list(tmp_path.glob("leadline-*.data"))
