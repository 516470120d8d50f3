"""Plans in files are the command line spelt out."""

import pytest

PLAN = """
launches = 2
seed = 5
placements = ["1x2"]
mpi = ["fake"]

[stopping]
minimum = 50
maximum = 100
seconds = 5

[[entries]]
benchmarks = ["fake/transfer"]
axes = { bytes = [8, "1K"], spread = 0.1 }
settings = { cache = "cold" }
"""
SAME = (
    "fake/transfer", "--launches", "2", "--seed", "5", "--place", "1x2", "--mpi", "fake",
    "--minimum", "50", "--maximum", "100", "--seconds", "5",
    "--bytes", "8,1K", "--spread", "0.1", "--cache", "cold",
)  # fmt: skip
ENTRY = '[[entries]]\nbenchmarks = ["fake/transfer"]\n'
WRONG = {
    "unknown key": ('colour = "red"\n' + ENTRY, "colour"),
    "unknown key of an entry": (ENTRY + 'axis = { bytes = "8" }', "axis"),
    "unknown key of stopping": (ENTRY + "[stopping]\nsecond = 1", "second"),
    "text for a number": ('launches = "three"\n' + ENTRY, "launches"),
    "text for a list": ('[[entries]]\nbenchmarks = "fake/transfer"', "benchmarks"),
    "number for a table": ("entries = [3]", "entries"),
    "fraction for a count": ("launches = 1.5\n" + ENTRY, "launches"),
    "no entries": ("launches = 1", "entries"),
    "no benchmark": ("[[entries]]\nbenchmarks = []", "no benchmark"),
    "no placement": ("placements = []\n" + ENTRY, "placement"),
    "placement": ('placements = ["two"]\n' + ENTRY, "'two'"),
    "placement as a table": (
        "placements = [{ nodes = 0, processes_per_node = 2 }]\n" + ENTRY,
        "'0x2'",
    ),
    "placement of an entry": (ENTRY + 'placements = ["1x4"]', "not among the plan's 1x2"),
    "program without ranks": (
        ENTRY + '[program]\nname = "a"\nranks = 0\ncalls = []',
        "ranks",
    ),
    "unknown axis": (ENTRY + "axes = { byts = 8 }", "'byts'"),
    "unknown setting": (ENTRY + 'settings = { cash = "warm" }', "'cash'"),
    "axis that is no size": (ENTRY + "axes = { bytes = true }", "bytes"),
    "no time": ("time_limit_s = 0\n" + ENTRY, "time limit"),
    "not TOML": ("launches = \n", "line 1"),
    "not text": ("\udcff", "not text"),
}


def points(leadline, answer):
    run = leadline.stored(answer["run"])
    return answer["points"], run["points"], run["plan"]


def test_a_plan_is_the_command_line(leadline, tmp_path):
    (tmp_path / "transfer.toml").write_text(PLAN)
    from_file = leadline.measure(tmp_path / "transfer.toml")
    from_words = leadline.measure(*SAME)
    assert points(leadline, from_file) == points(leadline, from_words)


def test_options_win_over_the_plan(leadline, tmp_path):
    (tmp_path / "transfer.toml").write_text(PLAN)
    answer = leadline.measure(tmp_path / "transfer.toml", "--launches", "1", "--name", "other")
    assert {point["launches"] for point in answer["points"]} == {1}
    assert "-other-" in answer["run"]


@pytest.mark.parametrize("case", WRONG, ids=lambda case: case.replace(" ", "-"))
def test_refused(leadline, tmp_path, case):
    text, told = WRONG[case]
    plan = tmp_path / "plan.toml"
    plan.write_text(text, errors="surrogateescape")
    line = leadline.refused("run", plan, "--mpi", "fake", "--runs", leadline.runs)
    assert told in line
    assert not leadline.runs.exists()
