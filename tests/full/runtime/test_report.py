"""The report at exit, and hints for files."""

import json

import pytest


@pytest.fixture(scope="module")
def program(runtime):
    return runtime.compile("reported.c", "-O1")


@pytest.fixture(scope="module")
def report(runtime, program, tmp_path_factory):
    file = tmp_path_factory.mktemp("files") / "a.dat"
    return runtime.report(program, file, LEADLINE_PROFILE=runtime.profile)


def test_calls_and_bytes_by_algorithm(report):
    (row,) = [each for each in report["calls"] if each["algorithm"]]
    assert row["function"] == "allreduce" and row["algorithm"] == "shared"
    assert (row["processes"], row["nodes"], row["ranks"]) == (2, 1, 2)
    assert (row["from_bytes"], row["to_bytes"]) == (32, 63)
    assert row["calls"] == 20 and row["bytes"] == 20 * 32
    assert 0 < row["slowest_s"] <= row["seconds"] <= 2 * row["slowest_s"]
    # The profile's times are of another run.
    assert row["saved_s"] == 0


def test_what_was_left_to_the_library_and_why(report):
    left = {
        (each["function"], each["reason"]): each["calls"]
        for each in report["calls"]
        if not each["algorithm"]
    }
    assert left == {
        ("allreduce", "new communicator"): 6,
        ("allreduce", "one process"): 4,
        ("MPI_Ibcast", "non-blocking"): 2,
        ("MPI_Alltoallw", "no algorithm"): 2,
    }


def test_a_program_without_finalize_is_reported_by_one_rank(runtime, program, tmp_path):
    file = tmp_path / "report.json"
    runtime.run(program, tmp_path / "a.dat", "exit", status=None, LEADLINE_REPORT=str(file))
    report = json.loads(file.read_text())
    assert (report["ranks"], report["processes"]) == (1, None)
    assert sum(each["calls"] for each in report["calls"] if each["function"] == "allreduce") == 15


def test_a_program_that_calls_nothing_is_reported(runtime, program):
    report = runtime.report(program)
    assert (report["ranks"], report["calls"]) == (2, [])


def test_the_table_has_all_columns(runtime, program, tmp_path):
    words = runtime.run(
        program, tmp_path / "a.dat", LEADLINE_REPORT="1", LEADLINE_PROFILE=runtime.profile
    ).stderr
    assert "leadline: 2 of 2 ranks, " in words
    assert "shared" in words and "library: new communicator" in words


def test_a_report_that_cannot_be_written_is_one_line(runtime, program, tmp_path):
    file = tmp_path / "nowhere/report.json"
    said = runtime.run(program, LEADLINE_REPORT=str(file)).stderr
    assert said.splitlines() == [
        f"leadline: the report {file} cannot be written: No such file or directory; "
        "LEADLINE_REPORT=1 prints one"
    ]


def hints(runtime, *command, text):
    (file,) = runtime.report(*command, LEADLINE_MPIIO_HINTS=text)["files"]
    # Open MPI's OMPIO returns what it is given, whatever that is.
    assert file["returns_any_key"] == (runtime.installation.family == "openmpi")
    assert "leadline_no_such_hint" not in file["requested"] + file["returned"]
    return file["requested"].split(), file["returned"].split(), file["name"]


def test_hints_are_given_to_files_of_a_pattern_and_the_programs_own_hold(
    runtime, program, tmp_path
):
    file = tmp_path / "a.dat"
    text = "*.dat:cb_nodes=2:cb_buffer_size=65536,*.h5:cb_buffer_size=1,*/a.*:cb_buffer_size=131072"
    requested, returned, name = hints(runtime, program, file, text=text)
    assert name == str(file)
    assert requested == ["cb_buffer_size=131072", "cb_nodes=2"]
    assert "cb_nodes=1" in returned and "cb_buffer_size=131072" in returned


def test_the_table_says_what_a_returned_hint_proves(runtime, program, tmp_path):
    words = {"LEADLINE_REPORT": "1", "LEADLINE_MPIIO_HINTS": "*:cb_buffer_size=65536"}
    said = runtime.run(program, tmp_path / "a.dat", **words).stderr
    unknown = "it returns any key: unknown whether it uses these"
    echoes = runtime.installation.family == "openmpi"
    assert ("the library has: " in said, unknown in said) == (not echoes, echoes)
    del words["LEADLINE_MPIIO_HINTS"]
    said = runtime.run(program, tmp_path / "a.dat", **words).stderr
    assert "asked for: nothing" in said and "the library returns: " in said


def test_hints_for_files_that_fortran_opens(runtime, mpifort, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program = runtime.compile("opens.F90", wrapper=mpifort)
    requested, returned, name = hints(runtime, program, text="fortran.*:cb_buffer_size=131072")
    assert name == "fortran.dat"
    assert requested == ["cb_buffer_size=131072"] and requested[0] in returned


@pytest.mark.parametrize("text", ["cb_nodes=2", "*.h5", "*.h5:cb_nodes", "*.h5:=4", ",", "a b:c=d"])
def test_hints_that_make_no_sense_are_one_line(runtime, program, tmp_path, text):
    said = runtime.run(
        program, tmp_path / "a.dat", ranks=1, LEADLINE_MPIIO_HINTS=text
    ).stderr.splitlines()
    assert len(said) == 1
    assert said[0].startswith("leadline: LEADLINE_MPIIO_HINTS is not used: ")
    assert "write" in said[0]
