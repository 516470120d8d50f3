"""IMB's output, captured from real runs, and what is no such output."""

import pytest
from comparison.cases import Contender
from comparison.imb import Imb, find_program, parse_table

from leadline.core.errors import UserError
from leadline.model.installation import Installation


@pytest.fixture
def allreduce(data):
    return data("imb_allreduce.txt")


def test_times_of_a_real_ping_pong_are_read_in_seconds(data):
    output = data("imb_pingpong.txt")
    assert parse_table(output, "PingPong", "t[usec]") == pytest.approx(
        {8: 5.81e-6, 65536: 28.93e-6}
    )


@pytest.mark.parametrize(
    ("column", "largest"),
    [("t_min[usec]", 12470.24), ("t_max[usec]", 12470.28), ("t_avg[usec]", 12470.26)],
)
def test_each_column_of_a_real_allreduce_is_its_own(allreduce, column, largest):
    assert parse_table(allreduce, "Allreduce", column)[2**20] == pytest.approx(largest * 1e-6)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("# Benchmarking Allreduce", "# Benchmarking Barrier", "0 tables of Allreduce"),
        ("# #processes = 2", "# #processes = 4", "4"),
        ("t_avg[usec]", "t_mean[usec]", "t_avg"),
        ("0.72         0.72         0.72", "out-of-mem.; needed X= 3 GB", "out-of-mem"),
        ("12470.26", "nan", "no time"),
        ("12470.26", "-1", "no time"),
        ("      1048576  ", "            8  ", "one a size"),
        ("            8         1000         0.72", "            8         1000", "no row"),
    ],
)
def test_anything_else_is_refused_in_one_line(allreduce, old, new, said):
    assert old in allreduce
    with pytest.raises(UserError, match=said) as refused:
        parse_table(allreduce.replace(old, new, 1), "Allreduce", "t_avg[usec]")
    assert "\n" not in str(refused.value)


def test_output_that_ends_early_is_refused(allreduce):
    for lines in range(allreduce.count("\n")):
        cut = "\n".join(allreduce.splitlines()[:lines])
        if "1048576  " not in cut:
            with pytest.raises(UserError):
                parse_figures(cut)


def parse_figures(output):
    imb = Imb("IMB-MPI1", MPICH)
    contender = Contender(
        name="IMB", tool="IMB", arguments=("Allreduce",), definition="", column="t_avg[usec]"
    )
    return imb.read(output, contender, (8, 2**20))


MPICH = Installation(
    name="mpich", family="mpich", version="5", prefix="/m", source="", mpiexec="/m/bin/mpiexec"
)


@pytest.mark.parametrize(("pinned", "options"), [(True, ("-bind-to", "core")), (False, ())])
def test_pinning_is_the_only_difference_of_the_two_starts(pinned, options):
    contender = Contender(
        name="IMB",
        tool="IMB",
        arguments=("-sync", "off", "Allreduce"),
        definition="",
        pinned=pinned,
    )
    start = Imb("/i/IMB-MPI1", MPICH).start(contender, (8, 64))
    assert start.argv == (
        "/m/bin/mpiexec",
        *options,
        *("-n", "2", "/i/IMB-MPI1", "-msgsize", "8,64", "-sync", "off", "Allreduce"),
    )
    assert start.environment == {"LD_LIBRARY_PATH": "/m/lib"}


def test_a_program_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UserError, match="cannot be executed"):
        find_program(tmp_path / "IMB-MPI1", print)
