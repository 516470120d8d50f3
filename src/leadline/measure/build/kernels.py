"""Kernels: what variants, compilers and libraries there are, and each built on demand."""

import hashlib
import os
import platform
import re
import signal
import subprocess
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from leadline.core import paths
from leadline.core.processes import own_cores
from leadline.core.steps import ended_by_signals
from leadline.core.units import count
from leadline.measure.build.cache import can_be_written
from leadline.measure.build.cmake import compilers as probe_compilers
from leadline.measure.build.cmake import first_error
from leadline.model.description import COMPILER, NO_FLAGS, READY, VARIANT
from leadline.site.programs import fingerprint
from leadline.site.software.compiler import FoundCompiler, Language, find_compilers, kinds
from leadline.site.software.library import Library, find_libraries

_PATIENCE_S = 300
_STANDARDS = {"c++": ["-std=c++20"]}
_LANGUAGES: dict[str, Language] = {".c": "c", ".cpp": "c++", ".f90": "fortran"}


class Kernel(msgspec.Struct, frozen=True):
    """One variant with the compiler and the flags that it is built with, as on the axes."""

    variant: str
    compiler: str
    flags: str


class Catalogue(msgspec.Struct, frozen=True, kw_only=True):
    """The kernel in `folder`: its sources and ready libraries by variant, and the compilers."""

    folder: Path
    sources: dict[str, Path]
    libraries: dict[str, Library]
    compilers: dict[str, FoundCompiler]

    def choices(self, axis: str) -> tuple[str, ...]:
        """Return the values that an axis can have here; none where anything may be tried."""
        if axis == VARIANT:
            return (*self.sources, *self.libraries)
        if axis == COMPILER:
            return (*self.compilers, *([READY] if self.libraries else []))
        return ()

    def shim(self, library: Library) -> Path:
        """Return the source that calls a library."""
        return self.folder / READY / f"{library.shim}.c"


def catalogue(name: str, kernels: Path, environment: Mapping[str, str] | None = None) -> Catalogue:
    """Return what there is of the kernel `name`, a folder in the folder `kernels`."""
    folder = kernels / name
    sources = sorted(file for file in folder.iterdir() if file.suffix in _LANGUAGES)
    shims = [file.stem for file in sorted((folder / READY).glob("*.c"))]
    return Catalogue(
        folder=folder,
        sources={file.name: file for file in sources},
        libraries=find_libraries(shims) if shims else {},
        compilers=find_compilers(environment),
    )


def fits(kernel: Kernel) -> bool:
    """Tell whether a variant can have this compiler and these flags at all.

    >>> fits(Kernel("plain.c", "gcc-12.2.0", "-O2")), fits(Kernel("plain.f90", "gcc-12.2.0", "-O2"))
    (True, False)
    >>> fits(Kernel("blis-0.9.0", "ready", "none")), fits(Kernel("blis-0.9.0", "ready", "-O2"))
    (True, False)
    """
    language = language_of(kernel.variant)
    if language is None:
        return (kernel.compiler, kernel.flags) == (READY, NO_FLAGS)
    kind = kinds().get(kernel.compiler.rpartition("-")[0])
    return kind is not None and language in kind.programs and kernel.flags != NO_FLAGS


def language_of(variant: str) -> Language | None:
    """Return the language of a variant's source, None for a library."""
    return _LANGUAGES.get(Path(variant).suffix)


class KernelSpec(NamedTuple):
    """How a kernel is built: the command but for its output, and what the library depends on."""

    argv: tuple[str, ...]
    made_of: str

    @property
    def output(self) -> Path:
        """Return where the library lies once it is built."""
        digest = hashlib.blake2b(self.made_of.encode(), digest_size=12).hexdigest()
        return paths.kernels() / f"{digest}.so"


class Failure(NamedTuple):
    """Why a kernel cannot be built."""

    reason: str


def kernel_spec(kernel: Kernel, there: Catalogue) -> KernelSpec:
    """Return how `kernel` is built from what is `there`."""
    language = language_of(kernel.variant)
    if language is None:
        library = there.libraries[kernel.variant]
        source = there.shim(library)
        driver = probe_compilers(os.environ)["C compiler"] or "cc"
        definitions = {"LEADLINE_LIBRARY": str(library.path), **library.definitions}
        options = [f'-D{name}="{value}"' for name, value in definitions.items()]
        argv = [driver, "-O2", *options]
        identity = f"{fingerprint(Path(driver))} {fingerprint(library.path)}"
    else:
        compiler = there.compilers[kernel.compiler]
        source = there.sources[kernel.variant]
        argv = [compiler.programs[language], *_STANDARDS.get(language, [])]
        argv += [*compiler.kind.options, *words_of(kernel.flags)]
        identity = compiler.fingerprint(language)
    argv += ["-fPIC", "-shared"]
    if "native" in kernel.flags:
        identity += _processor()
    made_of = "\n".join([" ".join(argv), identity, _content(source, there.folder)])
    return KernelSpec(argv=(*argv, str(source)), made_of=made_of)


def words_of(flags: str) -> list[str]:
    """Return the words of a compiler's flags as an axis spells them: `+` stands before the next.

    >>> words_of("-O3+-march=native"), words_of("-std=c++20+-O2")
    (['-O3', '-march=native'], ['-std=c++20', '-O2'])
    """
    return re.split(r"\+(?=-)", flags)


def build_kernels(
    kernels: Collection[Kernel], there: Catalogue, say: Callable[[str], None]
) -> dict[Kernel, Path | Failure]:
    """Return for each kernel the library that it is built into, or why there is none.

    `say` is told how many are new. Raises `UserError` where nothing can be written.
    """
    lacking = {
        kernel: Failure(there.libraries[kernel.variant].lacking)
        for kernel in kernels
        if kernel.variant in there.libraries and there.libraries[kernel.variant].lacking
    }
    specs = {kernel: kernel_spec(kernel, there) for kernel in kernels if kernel not in lacking}
    needed = {each.output: each for each in specs.values()}
    missing = [each for output, each in needed.items() if not output.exists()]
    outcomes: dict[Path, Failure | None] = {}
    if missing:
        say(f"building {count(len(missing), 'kernel')} of {there.folder.name}")
        with can_be_written(paths.kernels()):
            pass
        outcomes = dict(zip((each.output for each in missing), build_all(missing), strict=True))
    built = {kernel: outcomes.get(spec.output) or spec.output for kernel, spec in specs.items()}
    return {kernel: lacking.get(kernel) or built[kernel] for kernel in kernels}


def build_all(specs: Sequence[KernelSpec]) -> list[Failure | None]:
    """Return what kept each kernel from being built, None where it was; on all cores.

    No compiler outlives leadline.
    """
    running: set[subprocess.Popen[str]] = set()
    with ended_by_signals(), ThreadPoolExecutor(len(own_cores())) as pool:
        try:
            return list(pool.map(partial(_build, running=running), specs))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(running):
                _end(process)
            raise


def _build(spec: KernelSpec, running: set[subprocess.Popen[str]]) -> Failure | None:
    """Build one kernel; its log stays where it fails. Written at once, never in pieces."""
    log = spec.output.with_suffix(".log")
    with tempfile.TemporaryDirectory(prefix=".build-", dir=spec.output.parent) as folder:
        output = Path(folder) / spec.output.name
        argv = [*spec.argv, "-o", str(output), "-lm"]
        try:
            process = subprocess.Popen(
                argv,
                cwd=folder,
                env={**os.environ, "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                process_group=0,
            )
        except OSError as error:
            return Failure(f"{argv[0]}: {error.strerror}")
        running.add(process)
        try:
            said, _ = process.communicate(timeout=_PATIENCE_S)
        except subprocess.TimeoutExpired:
            _end(process)
            return Failure(f"the compiler takes longer than {_PATIENCE_S} s")
        finally:
            running.discard(process)
        if process.returncode != 0 or not output.exists():
            log.write_text(f"{' '.join(argv)}\n{said}")
            return Failure(f"{first_error(said)} (all of it: {log})")
        output.replace(spec.output)
    log.unlink(missing_ok=True)
    return None


def _end(process: subprocess.Popen[str]) -> None:
    """End a compiler with all that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    process.wait()


def _content(source: Path, folder: Path) -> str:
    """Return a digest of a source and of all that it may include."""
    shared = [file for each in (folder, folder.parent) for file in each.glob("*.[hi]*")]
    digest = hashlib.blake2b(digest_size=16)
    for file in [source, *sorted(shared)]:
        digest.update(file.read_bytes())
    return digest.hexdigest()


@cache
def _processor() -> str:
    """Return what `native` means here: the instructions of this processor, as its kernel says."""
    try:
        lines = Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
    except OSError:
        return platform.processor()
    wanted = ("model", "model name", "flags", "features", "cpu part")
    return "".join(line for line in lines if line.partition(":")[0].strip().lower() in wanted)
