"""Jobs that are to survive the death of a rank are the library's alone."""


def test_a_job_that_survives_the_death_of_a_rank_is_left_alone(runtime, mpifort, tmp_path):
    """As `mpirun --with-ft ulfm` of Open MPI 5 says it; version 4 takes no notice."""
    program = runtime.compile("names.c", wrapper=mpifort)
    file = tmp_path / "report.json"
    settings = {"LEADLINE_PROFILE": runtime.profile, "LEADLINE_REPORT": str(file)}
    ended = runtime.run(program, OMPI_MCA_mpi_ft_enable="1", **settings)
    assert ended.stderr.count("\n") == 1 and "survives the death of a rank" in ended.stderr
    assert not file.exists()
    runtime.run(program, OMPI_MCA_mpi_ft_enable="0", **settings)
    assert file.exists()
