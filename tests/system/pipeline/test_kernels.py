"""Kernels from source to finding: built here, measured by a real probe, held to their trials."""

import json
import shutil

import pytest

pytestmark = pytest.mark.mpi
BRIEF = ("--seconds", "0.02", "--minimum", "5", "--maximum", "20", "--launches", "1")
FEW = ("--elements", "100,2000", "--work", "10000", "--place", "1x1", *BRIEF)


@pytest.fixture(autouse=True)
def gcc(leadline):
    there = leadline.json("mpi")["installations"]
    if not any(each["mpiexec"] for each in there):
        pytest.skip("no MPI here: install mpich or openmpi-bin")
    if not (shutil.which("gcc") and shutil.which("g++")):
        pytest.skip("no gcc here")


def ways(answer, name="node/dot"):
    found = {}
    for point in answer["points"]:
        if point["benchmark"] == name:
            axes = point["axes"]
            way = (axes["variant"], axes["compiler"].partition("-")[0], axes["flags"])
            found.setdefault(way, []).append(point)
    return found


def test_variants_flags_and_libraries_side_by_side(leadline):
    listed = leadline("run", "--list", "node/dot", "--build", "--json")
    assert listed.returncode == 0, listed.stderr
    (benchmark,) = json.loads(listed.stdout)["benchmarks"]
    choices = {axis["name"]: axis["choices"] for axis in benchmark["axes"]}
    assert {"plain.c", "plain.cpp", "kahan.c"} < set(choices["variant"])
    libraries = [name for name in choices["variant"] if "." not in name.partition("-")[0]]
    libraries = [name for name in libraries if not name.endswith((".c", ".cpp", ".f90"))]
    result = leadline.in_runs(
        "run", "node/dot", "--variant", ",".join(["plain.c", "kahan.c", *libraries]),
        "--compiler", "gcc,flang-new,ready", "--flags", "-O2,-Ofast,-fno-such-flag",
        *FEW, "--json",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert "left out: plain.c and 1 more with gcc-" in result.stderr
    assert "-fno-such-flag" in result.stderr
    if not shutil.which("flang-new"):
        assert "left out: flang-new is not installed" in result.stderr
    answer = json.loads(result.stdout)
    found = ways(answer)
    assert {way for way in found if way[1] == "gcc"} == {
        (variant, "gcc", flags) for variant in ("plain.c", "kahan.c") for flags in ("-O2", "-Ofast")
    }
    for way, points in found.items():
        assert [point["axes"]["elements"] for point in points] == [100, 2000]
        for point in points:
            assert point["flops_per_s"] == pytest.approx(
                2 * point["axes"]["elements"] / point["median_s"]
            )
            assert point["bound"]["seconds"] > 0
            # What -Ofast makes of them is wrong, all else is right.
            assert point["verified"] == (way[2] != "-Ofast"), (way, point["failed_trials"])
    assert {way[0] for way in found if way[1] == "ready"} <= set(libraries)
    kinds = {finding["kind"] for finding in answer["findings"]}
    assert "wrong_answers" in kinds
    shown = leadline.in_runs("show", "last", "--as", "kernels")
    assert shown.returncode == 0, shown.stderr
    assert "WRONG: " in shown.stdout and "kahan.c gcc-" in shown.stdout


def test_every_compiler_builds_the_plain_loop(leadline):
    answer = leadline.measure(
        "node/dot", "--variant", "plain", "--flags", "-O3+-march=native", "--no-roofs", *FEW
    )
    found = ways(answer)
    assert ("plain.c", "gcc", "-O3+-march=native") in found
    for compiler in ("clang", "gfortran"):
        if shutil.which(compiler):
            assert any(way[1] == compiler for way in found)
    assert all(point["verified"] for points in found.values() for point in points)
    assert not any(point["bound"] for points in found.values() for point in points)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--variant", "wild.c"), "variant=wild.c is not here: there is "),
        (("--compiler", "tcc"), "compiler=tcc is not here: there is "),
        (("--flags", "O3"), "each begins with -"),
        (("--variant", "plain.c", "--flags", "-fno-such-flag"), "plain.c"),
    ],
)
def test_bad_words_are_refused(leadline, words, said):
    result = leadline("run", "node/dot", "--no-roofs", *FEW, *words)
    assert result.returncode == 2
    last = result.stderr.splitlines()[-1]
    assert last.startswith("leadline: ") and said in last
