"""Ranks that give their core away when idle, as Open MPI's do with more ranks than cores."""


def test_the_last_rank_of_a_collective_keeps_its_core(runtime):
    program = runtime.compile("yields.c")
    settings = {"LEADLINE_PROFILE": runtime.profile, "LEADLINE_PATIENCE": "1"}
    assert runtime.run(program, **settings).stdout == "last 0 waiting 1\n"
