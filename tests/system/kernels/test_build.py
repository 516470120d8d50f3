"""Kernels are built once for what they are made of, and one that fails keeps no other back."""

from pathlib import Path

import pytest

from leadline.core.errors import UserError
from leadline.measure.build.kernels import (
    Failure,
    Kernel,
    build_kernels,
    catalogue,
    fits,
    kernel_spec,
    words_of,
)


@pytest.fixture
def there(machine):
    machine.gcc()
    machine.source("plain.c", "one")
    machine.source("plain.cpp", "two")
    return lambda: catalogue("sum", machine.kernels)


def build(there, *kernels):
    said: list[str] = []
    return build_kernels(kernels, there(), said.append), said


def test_a_library_is_built_once(machine, there):
    kernel = Kernel("plain.c", "gcc-12.1.0", "-O3+-march=native")
    first, said = build(there, kernel)
    assert said == ["building 1 kernel of sum"]
    assert first[kernel].read_text() == "built\n"
    assert build(there, kernel) == (first, [])
    (command,) = machine.calls("gcc")[1:]
    assert command.startswith("-fopenmp-simd -O3 -march=native -fPIC -shared ")
    assert [file.name for file in first[kernel].parent.iterdir() if file.suffix != ".json"] == [
        first[kernel].name
    ]


def test_whatever_it_is_made_of_makes_another_library(machine, there):
    def output(variant="plain.c", flags="-O2"):
        return kernel_spec(Kernel(variant, "gcc-12.1.0", flags), there()).output

    seen = [output(), output(flags="-O3"), output("plain.cpp")]
    machine.source("plain.c", "changed")
    seen.append(output())
    machine.source("sum.h", "included")
    seen.append(output())
    (machine.kernels / "kernel.inc").write_text("included")
    seen.append(output())
    machine.compiler("gcc", "gcc (Fake 2, upgraded) 12.1.0")
    seen.append(output())
    assert len(set(seen)) == len(seen)
    assert output() == seen[-1]


def test_a_variant_that_does_not_build_is_told_and_the_others_are_built(machine, there):
    machine.source("broken.c", "three")
    machine.source("silent.c", "four")
    kernels = [Kernel(name, "gcc-12.1.0", "-O2") for name in ("broken.c", "silent.c", "plain.c")]
    found, _ = build(there, *kernels)
    broken, silent, plain = (found[kernel] for kernel in kernels)
    assert isinstance(broken, Failure) and isinstance(silent, Failure)
    assert broken.reason.startswith("broken.c:3:1: error: no such thing (all of it: ")
    log = broken.reason.partition("all of it: ")[2].rstrip(")")
    assert "-O2" in Path(log).read_text().splitlines()[0]
    assert plain.exists()
    # Nothing half built is found the next time, and the log goes once it builds.
    found, said = build(there, *kernels)
    assert said == ["building 2 kernels of sum"]


def test_a_home_that_cannot_be_written_is_named(machine, there, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "file"))
    with pytest.raises(UserError, match=r"cannot write to .*LEADLINE_HOME"):
        build(there, Kernel("plain.c", "gcc-12.1.0", "-O2"))


def test_what_can_be_built_with_what(machine):
    assert fits(Kernel("plain.cpp", "clang-14.0.6", "-O2"))
    assert not fits(Kernel("plain.f90", "clang-14.0.6", "-O2"))
    assert fits(Kernel("plain.f90", "flang-16.0.6", "-O2"))
    assert not fits(Kernel("plain.c", "gcc-12.1.0", "none"))
    assert not fits(Kernel("plain.c", "ready", "none"))
    assert fits(Kernel("openblas-0.3.21", "ready", "none"))
    assert not fits(Kernel("openblas-0.3.21", "gcc-12.1.0", "-O2"))


def test_flags_are_words_joined_by_plus():
    assert words_of("-O3+-march=native+-ffast-math") == ["-O3", "-march=native", "-ffast-math"]
    assert words_of("-std=c++20") == ["-std=c++20"]
