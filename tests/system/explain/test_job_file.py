"""The small file that each job leaves in a site's folder."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from programs import kill_all, run

from leadline.explain.job_file import read_job

pytestmark = pytest.mark.mpi

HERE = Path(__file__).parent
RUNNING, FINALIZED, EXITED, ABORTED = "1234"
AT_MOST = 10240


@pytest.fixture
def watch(observed, files):
    """Return a function that runs a program whose job leaves a file, and gives its end."""

    def watched(source, *words, jobs=files, processes=2, preload="", launch=(), **variables):
        program = observed.program(HERE / source)
        command = observed.command(program, *words)
        command[command.index("2")] = str(processes)
        environment = observed.environment("") | {"LEADLINE_JOBS": str(jobs)} | variables
        if preload:
            environment["LD_PRELOAD"] += f":{preload}"
        command[1:1] = launch
        return run(*command, environment=environment)

    return watched


def today():
    return time.strftime("%Y/%m/%d", time.gmtime())


def files_of(folder):
    return [each for each in folder.rglob("*") if not each.is_dir()]


def lines_of(folder):
    """Return the fields of each line of the folder's one file."""
    (file,) = folder.rglob("*.job")
    assert file.stat().st_size <= AT_MOST
    read_job(file)
    found = [line.split(" ") for line in file.read_text().splitlines()]
    assert found[0] == ["leadline-job", "1"] and found[-1] == ["end"]
    return found


def all_of(lines, what):
    return [line[1:] for line in lines if line[0] == what]


def rows_of(lines, function):
    """Return the calls, seconds and waiting of a function's rows, each of its rank."""
    (number,) = (number for number, name, _ in all_of(lines, "function") if name == function)
    found, rank = {}, None
    for what, *fields in lines:
        rank = int(fields[0]) if what == "rank" else rank
        if what == "row" and fields[0] == number:
            calls, _, time_us, waiting_us = map(int, fields[6:10])
            found[rank] = calls, time_us * 1e-6, waiting_us * 1e-6
    return found


def test_a_job_leaves_one_file_and_nothing_else_changes(watch, files, observed):
    alone = observed.run("", "late.c", "1", "20", "0.01", "0.02", "0")
    ended = watch("late.c", "1", "20", "0.01", "0.02", "0", SLURM_JOB_ID="12", SLURM_STEP_ID="3")
    assert ended.returncode == alone.returncode == 0
    assert ended.stderr == alone.stderr
    lines = lines_of(files)
    (file,) = files_of(files)
    began = time.gmtime(float(all_of(lines, "began")[0][0]))
    assert file.parent == files / time.strftime("%Y/%m/%d", began)
    assert file.name.startswith(time.strftime("%H%M%S-12.3-", began))
    assert file.stat().st_mode & 0o777 == 0o600
    assert all_of(lines, "user")[0][0] == str(os.getuid())
    assert all_of(lines, "job") == [["12", "3"]]
    assert all_of(lines, "program")[0][0].endswith("/late")
    assert [(each[0], each[2]) for each in all_of(lines, "rank")] == [
        ("0", FINALIZED), ("1", FINALIZED),
    ]  # fmt: skip
    told = [float(each) for each in ended.stdout.split()[1:]]
    for rank, (calls, seconds, waiting_s) in rows_of(lines, "MPI_Allreduce").items():
        assert calls == 20 and waiting_s <= seconds
        assert abs(waiting_s - told[rank]) < 0.05 + 0.2 * told[rank]


def test_ranks_of_several_nodes_have_one_file(watch, files, observed):
    if observed.installation.family != "mpich":
        pytest.skip(f"{observed.installation.name}'s launcher starts no two nodes on one machine")
    hosts = ("-launcher", "fork", "-hosts", "first,second", "-ppn", "1")
    ended = watch("late.c", "1", "20", "0.01", "0.02", "0", launch=hosts)
    assert ended.returncode == 0, ended.stderr
    lines = lines_of(files)
    assert [each[0] for each in all_of(lines, "host")] == ["0", "1"]
    assert [each[:3] for each in all_of(lines, "rank")] == [
        ["0", "0", FINALIZED], ["1", "1", FINALIZED],
    ]  # fmt: skip
    assert [calls for calls, *_ in rows_of(lines, "MPI_Allreduce").values()] == [20, 20]


@pytest.mark.parametrize("scenario,state", [("exit", EXITED), ("abort", ABORTED)])
def test_a_job_that_ends_without_mpis_end_has_one(watch, files, scenario, state):
    watch("waits.c", scenario)
    ranks = all_of(lines_of(files), "rank")
    assert state in [each[2] for each in ranks]
    if Path("/proc/self/schedstat").exists():
        assert all(each[8] != "-" for each in ranks if each[2] == state)


def test_a_job_that_is_killed_has_one(observed, files):
    program = observed.program(HERE / "late.c")
    environment = observed.environment("") | {"LEADLINE_JOBS": str(files)}
    words = observed.command(program, "0", "100000", "0.01", "0.01", "0")
    launched = subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + 60
    while not any("MPI_Allreduce" in each.read_text() for each in files.rglob("*.job")):
        assert time.monotonic() < until and launched.poll() is None
        time.sleep(0.1)
    kill_all(launched)
    launched.communicate()
    lines = lines_of(files)
    assert [each[2] for each in all_of(lines, "rank")] == [RUNNING, RUNNING]
    assert rows_of(lines, "MPI_Allreduce")[1][0] > 10


def test_many_ranks_and_places_find_room(watch, files):
    ended = watch("waits.c", "many", processes=8)
    assert ended.returncode == 0, ended.stderr
    lines = lines_of(files)
    assert len(all_of(lines, "rank")) == 8
    assert len(all_of(lines, "row")) > 8


@pytest.mark.parametrize("variable", ["LEADLINE_EXPLAIN", "LEADLINE_JOBS"])
@pytest.mark.parametrize("value", ["off", ""])
def test_who_says_off_leaves_none(watch, files, variable, value):
    assert watch("late.c", "1", "2", "0", "0", "0", **{variable: value}).returncode == 0
    assert files_of(files) == []


def test_what_is_preloaded_twice_writes_once(watch, files, observed, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    for library in observed.runtime.glob("*.so"):
        (other / library.name).write_bytes(library.read_bytes())
    ended = watch("late.c", "1", "20", "0", "0", "0", preload=other / "libleadline-explain.so")
    assert ended.returncode == 0 and ended.stderr == ""
    assert rows_of(lines_of(files), "MPI_Allreduce")[0][0] == 20


def test_the_status_is_that_of_the_program(watch, files, observed):
    alone = observed.run("", "late.c", "1", "20", "0", "0", "7")
    assert watch("late.c", "1", "20", "0", "0", "7").returncode == alone.returncode
    assert rows_of(lines_of(files), "MPI_Allreduce")[0][0] == 20


def test_a_folder_that_is_not_there_is_no_reason_to_speak(watch, files, observed):
    alone = observed.run("", "late.c", "1", "20", "0", "0", "0")
    (files / "file").touch()
    for jobs in (files / "nothing", files / "file", "/dev/null", "/proc"):
        ended = watch("late.c", "1", "20", "0", "0", "0", jobs=jobs)
        assert (ended.returncode, ended.stderr) == (0, alone.stderr)


@pytest.fixture
def full(tmp_path):
    """Give a folder on a file system without room."""
    path = tmp_path / "full"
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(path)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a tmpfs needs root and a container that may mount")
    (path / today()).mkdir(parents=True)
    (path / "fills").write_bytes(bytes(16384))
    yield path
    subprocess.run(["umount", "-l", str(path)], check=True)


def test_a_full_disk_keeps_no_part_of_a_file(watch, full, observed):
    alone = observed.run("", "late.c", "1", "20", "0", "0", "0")
    ended = watch("late.c", "1", "20", "0", "0", "0", jobs=full)
    assert (ended.returncode, ended.stderr) == (0, alone.stderr)
    assert [each.name for each in files_of(full)] == ["fills"]


# What others have put into the site's folder is not gone into.
needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only root makes files of others")


@needs_root
def test_a_folder_that_is_not_the_sites_is_not_gone_into(watch, files):
    site, other = 4321, 4322
    for folder in (files, files / today()[:4]):
        folder.mkdir(exist_ok=True)
        os.chown(folder, site, site)
    planted = files / today()[:7]
    planted.mkdir()
    os.chown(planted, other, other)
    assert watch("late.c", "1", "2", "0", "0", "0").returncode == 0
    (file,) = files_of(files)
    assert file.parent == files / today()[:4]


@needs_root
def test_a_link_is_not_followed(watch, files, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (files / today()[:4]).symlink_to(elsewhere)
    assert watch("late.c", "1", "2", "0", "0", "0").returncode == 0
    assert list(elsewhere.iterdir()) == []
    assert [each.parent for each in files_of(files) if each.suffix == ".job"] == [files]


@needs_root
def test_the_group_of_a_folder_that_hands_it_on_may_read(watch, files):
    group = 4321
    folder = files / today()
    folder.mkdir(parents=True)
    os.chown(folder, -1, group)
    folder.chmod(0o3773)
    assert watch("late.c", "1", "2", "0", "0", "0").returncode == 0
    (file,) = files_of(files)
    assert file.parent == folder
    assert (file.stat().st_gid, file.stat().st_mode & 0o777) == (group, 0o640)


@needs_root
def test_who_may_write_to_the_folder_and_not_read_it_leaves_a_file(observed, files):
    folder = files / today()
    folder.mkdir(parents=True)
    for each in (folder, folder.parent, folder.parent.parent, files):
        os.chown(each, 4321, 4321)
        each.chmod(0o3773)
    # What root may do beyond the rights of a file.
    deprived = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
    command = observed.command(observed.program(HERE / "late.c"), "1", "2", "0", "0", "0")
    environment = observed.environment("") | {"LEADLINE_JOBS": str(files)}
    assert run(*deprived, *command, environment=environment).returncode == 0
    (file,) = files_of(files)
    assert file.parent == folder
