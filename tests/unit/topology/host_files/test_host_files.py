"""Host files as launchers read them; `tests/full/lab/test_host_files.py` asks the launchers."""

import json

import pytest

from leadline.cli import main
from leadline.core.errors import UserError
from leadline.topology.host_file import explain

COUNTS = "h0:2\nh1:1\n\n# c\nh2\n"
VISITS = "h0:2\nh1:1\nh0:1\nh2:1\n"
SLOTS = "h0 slots=2\nh1 slots = 1 # c\nroot@h2\n"
LINES = "h0\nh0\nh1\nh2\n"
RANKS = "rank 0=h0 slot=0\nrank 1=h1 slot=0\nrank 2=h0 slot=1\n"
STARS = "n1*2\nn2,n1\n"


def read(text, processes=None, cores=2):
    found = explain(text, "f", processes, cores)
    return {each.reader: each for each in found.readings}


def hosts(text):
    return tuple(f"h{number}" for number in text)


@pytest.mark.parametrize(
    ("text", "processes", "expected"),
    [
        (COUNTS, 8, {"hydra": "00120012", "intel_machines": "00120012", "intel": "00112200"}),
        (VISITS, 8, {"hydra": "00102001", "intel_machines": "00102001", "intel": "00110022"}),
        (LINES, 8, {"hydra": "00120012", "intel_machines": "00120012", "intel": "00112200"}),
        (LINES, 6, {"openmpi": "001122"}),
        (LINES, 4, {"openmpi": "0011", "slurm": "0012"}),
        ("h0\nh1\nh0\n", 4, {"openmpi": "0011"}),
        (SLOTS, 5, {"openmpi": "00122"}),
        ("h1 slots=1\nh0 slots=2\n", 3, {"openmpi": "100"}),
        (RANKS, 3, {"openmpi": "001", "openmpi_ranks": "010", "openmpi_4_ranks": "010"}),
        ("rank 0=u@h1 slot=*\nrank 1=h0 slot=0:*\n", 2, {"openmpi_ranks": "10"}),
        ("rank 0=h1\nrank 1=h0\n", 2, {"openmpi_ranks": "10"}),
        ("rank 0=h1 slot=p0\nrank 1=h0 slot=p0,1\n", 2, {"openmpi_4_ranks": "10"}),
        ("h0:2:mlx5_0\nh1:1:mlx5_1\n", 3, {"hydra": "001", "mvapich": "001"}),
    ],
)  # fmt: skip
def test_where_ranks_go(text, processes, expected):
    found = read(text, processes)
    for reader, ranks in expected.items():
        assert found[reader].ranks == hosts(ranks), reader


@pytest.mark.parametrize(
    ("text", "reader", "line"),
    [
        (COUNTS, "openmpi", "line 1: h0:2 is taken for the name of a host, and none is called so, "
         "write h0 slots=2"),
        (SLOTS, "hydra", "line 1: slots=2 is not known, write h0:2"),
        (SLOTS, "intel", "line 1: slots=2 is not known, write h0:2"),
        (SLOTS, "intel_machines", "line 1: slots=2 is not known, write h0:2"),
        (COUNTS, "slurm", "line 1: h0:2 is no name of a node, write h0*2"),
        ("a slots=2\na slots=1\n", "openmpi", "line 2: a has its slots given more than once"),
        ("a slots=2 max_slots=1\n", "openmpi", "line 1: more slots than max_slots"),
        ("a slots=x\n", "openmpi", "line 1: slots=x is no number of slots"),
        ("a slots=99999999\n", "openmpi", "line 1: slots=99999999 is no number of slots"),
        ("a slots=\u00b2\n", "openmpi", "line 1: slots=\u00b2 is no number of slots"),
        ("a*99999999\n", "slurm", "line 1: a*99999999 is no name of a node"),
        ("rank 0=a slot=5-3\n", "openmpi_ranks", "line 1: 5-3 ends before it begins"),
        ("rank 0=a slot=0-99999999999\n", "openmpi_ranks", "line 1 is none of a rank file"),
        ("a foo=3\n", "openmpi", "line 1: foo=3 is not known"),
        ("n[1-2]\n", "openmpi", "line 1: n[1-2] is no name, write each host's"),
        ("n[1-2]\n", "slurm", "line 1: n[1-2] counts as one rank and names several "
         "nodes, write each"),
        ("n[1-2]\n", "hydra", "line 1: n[1-2] is taken for the name of one host, "
         "and none is called so"),
        ("a:x\n", "hydra", "line 1: a:x has no number of ranks, and mpiexec may end with a "
         "floating point exception"),
        ("a:x\n", "intel", "line 1: a:x has no number of ranks, and every rank starts on the "
         "machine of mpiexec"),
        (STARS, "openmpi", "line 1: n1*2 is taken for the name of a host, and none is called so, "
         "write n1 slots=2"),
        ("rank 0=a slot=0\nrank 2=b slot=0\n", "openmpi_ranks", "rank 1 has no line"),
        ("rank 0=a slot=0-1\nrank 1=a slot=1\n", "openmpi_ranks",
         "line 2: core 1 of a is rank 0's too"),
        ("rank 0=a slot=2\n", "openmpi_4_ranks", "core 2, and a host has 2"),
        ("rank 0=a slot=p0\n", "openmpi_ranks", "line 1: slot=p0, a core as the system counts it, "
         "ends Open MPI 5.0 with a segmentation fault"),
        ("rank 0=a\n", "openmpi_4_ranks", "line 1: Open MPI 4 wants cores, write slot=0"),
        ("rank 0=+n0 slot=0\n", "openmpi_4_ranks", "line 1: +n0 counts nodes of a batch system, "
         "and without one nothing starts"),
        ("+n0\n", "openmpi", "line 1: +n0 counts nodes of a batch system, and without one "
         "nothing starts"),
        ("+n0\n", "hydra", "line 1: +n0 is taken for the name of one host, and none is called so"),
        ("a:1:mlx5_0\n", "intel", "line 1: a:1:mlx5_0 is taken for the name of one host, and none "
         "is called so"),
        ("a:1:mlx5_0\n", "slurm", "line 1: a:1:mlx5_0 is no name of a node, write a*1"),
    ],
)  # fmt: skip
def test_what_is_refused(text, reader, line):
    answer = read(text)[reader]
    assert answer.refused == line
    assert answer.ranks == ()


def test_too_many_ranks_are_refused_or_begin_again():
    found = read(SLOTS, 6)
    assert found["openmpi"].refused == "6 processes, and 5 slots"
    found = read(STARS, 5)
    assert found["slurm"].refused == "5 processes, and hosts for 4"
    assert read(STARS, 4)["slurm"].ranks == ("n1", "n1", "n2", "n1")


def test_cores_that_nobody_told_leave_the_ranks_open():
    found = read("a\nb\n", 2, cores=None)
    assert (found["openmpi"].slots, found["openmpi"].ranks) == (None, ())
    assert found["hydra"].ranks == ("a", "b")


def test_what_is_read_otherwise_than_it_looks():
    assert read(COUNTS)["intel"].remarks == (
        "numbers and repeated lines do not count: give the file with -machinefile, or say -ppn",
    )
    assert read("a 2\n")["openmpi"].remarks == ("line 1: 2 is not read, write slots=2",)
    assert read("a slots=1\n")["slurm"].remarks == ("line 1: slots=1 is not read",)
    assert {"openmpi_ranks", "openmpi_4_ranks", "mvapich"}.isdisjoint(read(COUNTS))
    relative = read("rank 0=+n1 slot=0\n")["openmpi_ranks"]
    assert relative.ranks == ("node 1",)
    assert relative.remarks[0].startswith("node N is the one of this number")
    assert "slurm" not in read(RANKS)


def test_hosts_may_be_called_rank():
    assert explain("rank01:2\nrank02:2\n", "f", None, 2).kind == "MPICH or Intel MPI (HOST:N)"


def test_a_file_without_hosts_is_one_line():
    with pytest.raises(UserError, match=r"^f names no host: write one a line$"):
        explain("# nothing\n", "f", None, None)


def test_the_command(tmp_path, capsys):
    file = tmp_path / "hosts"
    file.write_text(SLOTS)
    with pytest.raises(SystemExit) as ended:
        main(["view", "hosts", str(file), "--cores", "2", "-n", "5"])
    assert not ended.value.code
    text = capsys.readouterr().out
    assert "written for Open MPI (slots=); 5 ranks" in text
    assert "h0 0-1, h1 2, h2 3-4" in text
    assert f"\nmpirun --hostfile {file} -n 5 PROGRAM\n" in text
    assert "mpiexec" not in text
    with pytest.raises(SystemExit):
        main(["view", "hosts", str(file), "--json"])
    readings = json.loads(capsys.readouterr().out)["readings"]
    assert [each["reader"] for each in readings] == [
        "openmpi", "hydra", "intel", "intel_machines", "slurm",
    ]  # fmt: skip
    with pytest.raises(SystemExit) as ended:
        main(["view", "hosts", str(tmp_path / "none")])
    assert ended.value.code == 2
