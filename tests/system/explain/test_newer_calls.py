"""Calls that MPI has had since versions 4.0 and 4.1: sessions, and flushing of buffers."""

from pathlib import Path

import pytest
from explain_file import read_node

pytestmark = pytest.mark.mpi

HERE = Path(__file__).parent
# Those of each program that are not tested elsewhere.
SESSIONS = (
    "Session_init", "Session_finalize", "Comm_create_from_group", "Intercomm_create_from_groups",
    "Win_create_dynamic", "Win_attach", "Win_detach", "Win_free", "Alloc_mem", "Free_mem",
)  # fmt: skip
FLUSHES = (
    "Buffer_flush", "Buffer_iflush", "Buffer_detach", "Comm_flush_buffer", "Comm_iflush_buffer",
    "Comm_detach_buffer", "Session_flush_buffer", "Session_iflush_buffer", "Session_detach_buffer",
)  # fmt: skip


@pytest.fixture
def run(observed, files):
    """Give what runs a program, and skips where it cannot be run without leadline."""

    def run(source, *words):
        try:
            observed.program(HERE / source)
        except AssertionError:
            pytest.skip(f"{observed.installation.name} has no such functions")
        if observed.run("", source, *words).returncode != 0:
            pytest.skip(f"{observed.installation.name} fails without leadline, too")
        ended = observed.run(files, source, *words)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        assert ended.stdout.count("ended") == 2
        return ended.stdout

    return run


@pytest.mark.parametrize(
    "program,names", [(("sessions.c", "mixed"), SESSIONS), (("flushes.c",), FLUSHES)]
)
def test_each_call_is_counted_once(run, files, program, names):
    run(*program)
    (file,) = files.iterdir()
    for rank in read_node(file):
        counted = {row.function: rank.row(row.function).calls for row in rank.rows}
        assert counted.items() >= {f"MPI_{name}": 1 for name in names}.items()
        assert rank.calls == sum(counted.values())


@pytest.mark.timing
def test_the_late_rank_of_a_session_is_known(run, files):
    output = run("sessions.c", "mixed")
    (expected,) = [float(line.split()[1]) for line in output.splitlines() if "late " in line]
    (file,) = files.iterdir()
    first, last = read_node(file)
    barrier = first.row("MPI_Barrier")
    assert barrier.waiting_s == pytest.approx(expected, rel=0.05)
    assert not barrier.flags
    assert first.peers[1][2] >= 0.95 * expected
    assert last.waiting_s < 0.25 * expected


def test_a_program_of_sessions_alone_is_left_alone(run, files):
    """Without MPI_Init there is no world whose ranks could agree, so it is only said why."""
    run("sessions.c", "alone")
    (file,) = files.iterdir()
    assert file.name == "unobserved" and file.read_text().startswith("not begun: /")
