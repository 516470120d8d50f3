"""Which programs on the PATH are compilers, and of which kind and version."""

import re

import pytest

from leadline.site.software.compiler import find_compilers, kind_named, kinds

# The first lines of what the programs really print.
SAID = {
    "gcc": ("gcc (Debian 12.2.0-14+deb12u1) 12.2.0", "12.2.0"),
    "gfortran": ("GNU Fortran (Ubuntu 13.3.0-6ubuntu2~24.04) 13.3.0", "13.3.0"),
    "clang": ("Debian clang version 14.0.6\nTarget: x86_64-pc-linux-gnu", "14.0.6"),
    "aocc": ("AMD clang version 16.0.3 (CLANG: AOCC_4.1.0-Build#270 2023_07_10)", "4.1.0"),
    "flang": ("Debian flang-new version 16.0.6 (15~deb12u1)", "16.0.6"),
    "icx": ("Intel(R) oneAPI DPC++/C++ Compiler 2024.1.0 (2024.1.0.20240308)", "2024.1.0"),
    "ifx": ("ifx (IFX) 2024.1.0 20240308", "2024.1.0"),
    "nvc": ("\nnvc 24.5-1 64-bit target on x86-64 Linux -tp znver4", "24.5"),
    "nvfortran": ("\nnvfortran 24.5-1 64-bit target on x86-64 Linux -tp znver4", "24.5"),
    "armclang": ("Arm C/C++/Fortran Compiler version 23.10 (build number 67)", "23.10"),
    "armflang": ("Arm C/C++/Fortran Compiler version 23.10 (build number 67)", "23.10"),
    "craycc": ("Cray clang version 17.0.0  (0e8ff1e)", "17.0.0"),
    "crayftn": ("Cray Fortran : Version 17.0.0 (20231107204132)", "17.0.0"),
}


@pytest.mark.parametrize("name", kinds())
def test_each_kind_knows_its_version(name):
    said, version = SAID[name]
    match = re.search(kinds()[name].version, said, re.M)
    assert match is not None and match[1] == version


def test_compilers_are_called_after_kind_and_version(machine):
    machine.gcc()
    machine.compiler("gcc-13", "gcc-13 (Fake 1) 13.2.0")
    machine.compiler("gcc-12", "gcc-12 (Fake 1) 12.1.0")
    machine.compiler("flang-new-16", "flang-new version 16.0.6")
    found = find_compilers()
    assert list(found) == ["flang-16.0.6", "gcc-12.1.0", "gcc-13.2.0"]
    # gcc-12 is the plain one by another name, and gcc-13 has no C++ here.
    assert found["gcc-12.1.0"].programs == {
        "c": str(machine.path / "gcc"),
        "c++": str(machine.path / "g++"),
    }
    assert found["gcc-13.2.0"].programs == {"c": str(machine.path / "gcc-13")}


def test_another_program_of_that_name_is_no_such_compiler(machine):
    machine.compiler("gcc", "Apple clang version 15.0.0")
    machine.compiler("gcc-ar", "GNU ar 2.40")
    assert not find_compilers()
    assert not machine.calls("gcc-ar")


def test_a_compiler_is_asked_once_until_it_changes(machine):
    machine.gcc()
    for _ in range(3):
        assert list(find_compilers()) == ["gcc-12.1.0"]
    assert machine.calls("gcc") == ["--version"]
    machine.compiler("gcc", "gcc (Fake, a longer one) 14.1.0")
    assert list(find_compilers()) == ["gcc-14.1.0"]


def test_words_that_name_a_kind():
    assert [kind_named(word) for word in ("clang++", "gcc-13", "tcc", "all")] == [
        "clang",
        "gcc-13",
        None,
        None,
    ]
