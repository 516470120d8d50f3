"""Programs that ask at run time which functions the library has, as Python's modules do."""


def test_what_the_library_has_not_is_not_there_under_the_runtime_either(runtime):
    program = runtime.compile("weak.c")
    there = {"openmpi": "0 0 0\n", "mpich": "1 1 1\n"}
    assert runtime.run(program, ranks=1).stdout == there[runtime.installation.family]
