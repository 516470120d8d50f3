import time

from leadline.site.software.kinds.building import find_compilers


def found(here):
    return {(item.name, item.version): item for item in find_compilers(here)}


def test_every_version_in_every_folder_is_found(machine):
    machine.gcc("usr/bin", "12.2.0")
    machine.gcc("usr/bin", "11.3.0", "-11")
    machine.gcc("own/bin", "13.1.0")
    machine.program("own/bin/gfortran", "GNU Fortran (GCC) 13.1.0")
    items = found(machine.here("own/bin", "usr/bin"))
    assert set(items) == {("gcc", "13.1.0"), ("gcc", "12.2.0"), ("gcc", "11.3.0"),
                          ("gfortran", "13.1.0")}  # fmt: skip
    assert items["gcc", "11.3.0"].detail["c++"] == str(machine.root / "usr/bin/g++-11")
    assert items["gcc", "12.2.0"].detail["hidden"] == f"behind {machine.root}/own/bin/gcc on PATH"
    assert "hidden" not in items["gcc", "11.3.0"].detail


def test_a_vendor_s_compiler_is_found_off_the_path(machine):
    text = "Intel(R) oneAPI DPC++/C++ Compiler 2024.1.0 (2024.1.0.20240308)"
    machine.program("opt/intel/oneapi/compiler/2024.1/bin/icx", text)
    item = found(machine.here("usr/bin"))["icx", "2024.1.0"]
    assert item.detail["hidden"] == "not on PATH"


def test_amd_s_compiler_is_not_taken_for_llvm_s(machine):
    machine.program("llvm/clang", "Own clang version 14.0.6")
    machine.program(
        "amd/clang", "AMD clang version 16.0.3 (CLANG: AOCC_4.1.0-Build#270 2023_07_10)"
    )
    items = found(machine.here("llvm", "amd"))
    assert set(items) == {("clang", "14.0.6"), ("aocc", "4.1.0")}


def test_two_names_of_one_compiler_are_one(machine):
    machine.gcc("usr/bin", "12.2.0", "-12")
    machine.link("usr/bin/gcc", "gcc-12")
    machine.link("usr/bin/g++", "g++-12")
    (item,) = find_compilers(machine.here("usr/bin"))
    assert item.path == str(machine.root / "usr/bin/gcc")


def test_cc_is_what_the_alternatives_lead_to(machine):
    machine.gcc("usr/bin", "12.2.0")
    machine.program("usr/bin/clang", "clang version 14.0.6")
    machine.link("usr/bin/cc", machine.root / "etc/alternatives/cc")
    machine.link("etc/alternatives/cc", machine.root / "usr/bin/clang")
    record = machine.root / "var/lib/dpkg/alternatives/cc"
    record.parent.mkdir(parents=True)
    record.write_text("manual\n/usr/bin/cc\n")
    items = found(machine.here("usr/bin"))
    folder = machine.root / "usr/bin"
    assert items["clang", "14.0.6"].default_for == {
        "cc": f"first on PATH: {folder}; manual alternatives: {folder}/clang"
    }
    assert items["gcc", "12.2.0"].default_for == {}


def test_a_wrapper_is_the_compiler_that_answers(machine):
    """As Cray's cc, which is no link."""
    machine.gcc("usr/bin", "12.2.0")
    machine.script("wrappers/cc", f'exec {machine.root}/usr/bin/gcc "$@"')
    items = found(machine.here("wrappers", "usr/bin"))
    assert items["gcc", "12.2.0"].default_for == {"cc": f"first on PATH: {machine.root}/wrappers"}


def test_variables_name_a_default(machine):
    machine.gcc("usr/bin", "12.2.0")
    machine.gcc("usr/bin", "11.3.0", "-11")
    items = found(machine.here("usr/bin", CC="ccache gcc-11 -m64", FC="nothing-here"))
    assert items["gcc", "11.3.0"].default_for == {"$CC": "variable CC=ccache gcc-11 -m64"}


def test_a_compiler_of_which_nothing_is_known_is_told(machine):
    machine.program("usr/bin/cc", "I say nothing")
    here = machine.here("usr/bin")
    (item,) = find_compilers(here)
    assert (item.name, item.version) == ("cc", "")
    assert here.remarks == [f"{machine.root}/usr/bin/cc does not say which compiler it is"]


def test_a_compiler_that_hangs_is_told_and_ended(machine, monkeypatch):
    monkeypatch.setattr("leadline.site.software.host.PATIENCE_S", 0.3)
    mark = f"{time.time_ns() % 10**6 + 10**6}"
    hanging = machine.script("usr/bin/gcc", f"sleep {mark} &\nsleep {mark}")
    machine.program("usr/bin/clang", "clang version 14.0.6")
    here = machine.here("usr/bin")
    assert set(found(here)) == {("clang", "14.0.6")}
    assert here.remarks == [f"{hanging} --version does not answer within 0.3 s"]
    # Nor is what it started left behind.
    assert not _running(f"sleep {mark}")


def test_a_compiler_that_prints_without_end_fills_no_memory(machine):
    machine.script("usr/bin/gcc", "while :; do echo gcc; done")
    machine.link("usr/bin/clang", "clang")
    here = machine.here("usr/bin")
    assert not found(here)
    assert len(here.remarks) == 1


def test_what_a_program_leaves_behind_is_not_waited_for(machine):
    mark = f"{time.time_ns() % 10**6 + 10**6}"
    machine.script("usr/bin/gcc", f"echo 'gcc (Own) 12.2.0'\nsleep {mark} &")
    here = machine.here("usr/bin")
    assert set(found(here)) == {("gcc", "12.2.0")}
    assert not here.remarks
    assert not _running(f"sleep {mark}")


def _running(command):
    import psutil

    words = command.split()
    return [each for each in psutil.process_iter(["cmdline"]) if each.info["cmdline"] == words]
