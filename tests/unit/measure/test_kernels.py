"""From the words of an axis to points with a library, and what is left out on the way."""

from pathlib import Path

import pytest

from leadline.core.errors import UserError
from leadline.measure.build.kernels import Catalogue, Failure
from leadline.measure.plan import kernels
from leadline.measure.plan.kernels import with_catalogues, with_libraries, words
from leadline.measure.plan.points import expand
from leadline.measure.plan.schedule import plan_text
from leadline.model.description import Axis
from leadline.model.plan import Entry, Plan
from leadline.site.software.compiler import FoundCompiler
from leadline.site.software.compiler import kinds as compiler_kinds
from leadline.site.software.library import Library
from probes import made_benchmark, made_description, made_probe_set

WORD = {"kind": "word", "summary": ""}
KERNEL = made_benchmark(
    "test/kernel",
    Axis(name="elements", kind="integer", summary="", default="100"),
    Axis(name="variant", default="all", **WORD),
    Axis(name="compiler", default="all", **WORD),
    Axis(name="flags", default="-O2,-O3+-march=native", **WORD),
    kernels="sum",
)
NAMES = ("gcc-12.2.0", "gcc-13.2.0", "gfortran-12.2.0")


@pytest.fixture
def probe_sets(monkeypatch):
    kinds = {name: compiler_kinds()[name.partition("-")[0]] for name in NAMES}
    there = Catalogue(
        folder=Path("/kernels/sum"),
        sources={name: Path("/kernels/sum") / name for name in ("plain.c", "wide.c", "plain.f90")},
        libraries={"blas-1.0": Library(name="blas-1.0", shim="blas", path=Path("/libblas.so"))},
        compilers={
            name: FoundCompiler(
                name=name,
                kind=kind,
                programs={language: f"/{names[0]}" for language, names in kind.programs.items()},
            )
            for name, kind in kinds.items()
        },
    )
    monkeypatch.setattr(kernels, "catalogue", lambda name, folder: there)
    return [made_probe_set(made_description(KERNEL))]


def points_of(probe_sets, said=None, **axes):
    plan = Plan(entries=(Entry(benchmarks=("test/kernel",), axes=axes),))
    plan, chosen, there = with_catalogues(
        plan, probe_sets, (said if said is not None else []).append
    )
    return expand(plan, chosen, 2**40), chosen, there


def told(points):
    return [
        tuple(point.axes[axis] for axis in ("variant", "compiler", "flags")) for point in points
    ]


def test_only_what_makes_sense_together_is_a_point(probe_sets):
    points, *_ = points_of(probe_sets)
    assert len(points) == 2 * 2 * 2 + 1 * 1 * 2 + 1
    assert ("plain.f90", "gfortran-12.2.0", "-O2") in told(points)
    assert told(points).count(("blas-1.0", "ready", "none")) == 1


def test_flags_of_ones_own_leave_the_libraries_in(probe_sets):
    points, *_ = points_of(
        probe_sets, variant="plain,blas", compiler="gcc-12,ready", flags="-O1+-g"
    )
    assert told(points) == [("plain.c", "gcc-12.2.0", "-O1+-g"), ("blas-1.0", "ready", "none")]


def test_one_compiler_leaves_everything_else_out(probe_sets):
    points, *_ = points_of(probe_sets, compiler="gfortran")
    assert {each[:2] for each in told(points)} == {("plain.f90", "gfortran-12.2.0")}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("all", NAMES),
        ("*", NAMES),
        ("gcc", NAMES[:2]),
        ("gcc-13", NAMES[1:2]),
        ("*fortran*,gcc-12.2.0", (NAMES[2], NAMES[0])),
    ],
)
def test_words_mean_what_is_here(text, meant):
    axis = Axis(name="compiler", default="all", choices=NAMES, **WORD)
    assert words(axis, text) == list(meant)


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        ({"variant": "wild.c"}, r"variant=wild.c is not here: there is plain.c, wide.c"),
        ({"compiler": "tcc"}, r"compiler=tcc is not here: there is gcc-12.2.0, .*, ready"),
        ({"compiler": "flang-new"}, r"flang-new is not installed: there is gcc-12.2.0"),
        ({"flags": "O2"}, r"flags=O2 are no flags: each begins with -"),
        ({"flags": "-O2 -g"}, r"flags=-O2 -g is not here: there is words such as"),
        ({"variant": "plain.f90", "compiler": "gcc"}, r"none of these variants is for one of"),
    ],
)
def test_bad_words_are_one_line(probe_sets, axes, message):
    with pytest.raises(UserError, match=message):
        points_of(probe_sets, **axes)


def test_a_compiler_that_is_missing_is_left_out_beside_others(probe_sets):
    said: list[str] = []
    points, *_ = points_of(probe_sets, said, compiler="gcc-12,flang-new,g++-14", flags="-O2")
    assert said == ["left out: flang-new is not installed", "left out: g++-14 is not installed"]
    assert {each[1] for each in told(points)} == {"gcc-12.2.0"}


def test_points_get_their_library_and_failures_are_left_out(probe_sets, monkeypatch):
    def build(wanted, there, say):
        return {
            each: Failure("no such option") if each.flags == "-Ofast" else Path(f"/{each.variant}")
            for each in wanted
        }

    monkeypatch.setattr(kernels, "build_kernels", build)
    points, chosen, there = points_of(
        probe_sets, elements="100,200", compiler="gcc-12,ready", flags="-O2,-Ofast"
    )
    said: list[str] = []
    left = with_libraries(points, chosen, there, said.append)
    assert said == ["left out: plain.c and 1 more with gcc-12.2.0 -Ofast: no such option"]
    assert [point.index for point in left] == list(range(6))
    assert {point.library for point in left} == {"/plain.c", "/wide.c", "/blas-1.0"}
    assert plan_text(Plan(entries=()), left[:1], 1, False).splitlines()[-2:] == [
        "library /plain.c",
        "point 0 test/kernel elements=100 variant=plain.c compiler=gcc-12.2.0 flags=-O2",
    ]
    with pytest.raises(UserError, match=r"plain.c.*: no such option"):
        with_libraries([p for p in points if p.axes["flags"] == "-Ofast"], chosen, there, print)
