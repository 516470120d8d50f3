"""The time-step loop with real ranks: every pattern gives the serial result."""

from real_ranks import REAL_RANKS, YIELDING

pytestmark = REAL_RANKS
PATTERNS = ("two_sided", "persistent", "neighbourhood", "put_flag", "pscw")
PLAN = f"""
launches = 1
placements = ["1x1", "1x2", "1x4"]
oversubscribe = true
[stopping]
seconds = 0.02
minimum = 3
maximum = 10
[[entries]]
benchmarks = ["app/timestep"]
axes = {{ cells = 37, exchanges = 6, values = 5, pattern = "{",".join(PATTERNS)}" }}
[[entries]]
benchmarks = ["app/timestep"]
axes = {{ cells = 9, scaling = "weak", pattern = "two_sided", values = 9, input = "collective" }}
"""


def test_every_pattern_on_any_number_of_processes(leadline, mpi, tmp_path):
    (tmp_path / "steps.toml").write_text(PLAN)
    folder = tmp_path / "files"
    folder.mkdir()
    leadline.environment |= {"LEADLINE_IO_FOLDER": str(folder), **YIELDING}
    answer = leadline.measure(tmp_path / "steps.toml", "--mpi", mpi)
    assert answer["outcome"] == {"state": "complete", "message": ""}
    assert all(point["verified"] for point in answer["points"])
    steps = [point for point in answer["points"] if point["series"] == "step"]
    assert len(steps) == 3 * (len(PATTERNS) + 1) == len(answer["points"]) / 2
    assert list(folder.iterdir()) == []
    for point in steps:
        metrics, processes = point["metrics"], point["processes"]
        weak = point["axes"]["scaling"] == "weak"
        assert metrics["problem_size"] == (81 * processes if weak else 37 * 37)
        # Chains of two and squares of four: so many messages pass sides in one exchange.
        exchanges = point["axes"]["exchanges"] + 1
        assert metrics["messages_per_step"] == {1: 0, 2: 2, 4: 8}[processes] * exchanges
        assert metrics["message_bytes"] == 8 * point["axes"]["values"]
        assert ("exchange_us" in metrics) == (processes > 1)
        assert 0 <= metrics["communication_percent"] <= 100
    starts = [point for point in answer["points"] if point["series"] == "initialisation"]
    assert all("communication_percent" not in point["metrics"] for point in starts)
    table = leadline.in_runs("show", "last", "--as", "by-processes").stdout
    assert "put flag" in table and "initialisation" in table


def test_blocks_that_are_too_small_are_said_to_be(leadline, mpi, tmp_path):
    leadline.environment |= {"LEADLINE_IO_FOLDER": str(tmp_path)}
    words = ("--cells", "8", "--values", "9", "--launches", "1", "--pattern", "two_sided")
    result = leadline.in_runs("run", "app/timestep", *words, "--mpi", mpi)
    assert result.returncode == 2
    assert "blocks of 4 cells have no room for 9 values" in " ".join(result.stdout.split())
