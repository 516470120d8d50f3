"""Which build serves an MPI library: that for its ABI if the library agrees, or one of its own."""

import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.processes import ask
from leadline.measure.build.cache import PROBE, BuildSpec, build_once, ready, require_plain
from leadline.model.installation import Installation
from leadline.site.mpi.families import STANDARD, abi_of

LOADER = "leadline-probe"
# The part of a probe that has the self-test alone.
_SELF_TEST = "abi"
# What people are told of an ABI, by the first word of its name.
_ABIS = {"mpich": "MPICH's ABI", "openmpi": "Open MPI's ABI", STANDARD: "MPI's standard ABI"}
# Of an MPI that came without its header.
_NO_HEADER = "/mpi.h"
_PATIENCE_S = 60
# What a launcher tells a process that it has started; the self-test is none of its ranks.
_OF_LAUNCHERS = re.compile(r"PMI_|PMIX_|PALS_|OMPI_COMM_WORLD_|SLURM_(STEP|PROCID|TASK)")


class Abi(msgspec.Struct, frozen=True):
    """What builds are made for: `name` is that of an ABI, or of one installation.

    `standard` says that they use MPI's standard ABI.
    """

    name: str
    headers: str
    standard: bool = False

    @property
    def title(self) -> str:
        """What people are told that builds are made for.

        >>> Abi("mpich-4", "").title, Abi("mpi-4.0.2", "").title
        ("MPICH's ABI, MPI 4", 'mpi-4.0.2')
        >>> Abi("openmpi-3.1-sessions", "").title
        "Open MPI's ABI, MPI 3.1 and sessions"
        """
        family, _, standard = self.name.partition("-")
        known = family in _ABIS and not standard.count(".") > 1
        return f"{_ABIS[family]}, MPI {standard.replace('-', ' and ')}" if known else self.name

    @property
    def definitions(self) -> tuple[str, ...]:
        """CMake's definitions of a build with these headers."""
        return (
            "-DCMAKE_BUILD_TYPE=Release",
            "-DLEADLINE_API=mpi",
            f"-DLEADLINE_HEADERS={self.headers}",
            *(["-DLEADLINE_STANDARD_ABI=ON"] if self.standard else []),
        )

    @property
    def programs(self) -> dict[str, str | None]:
        """What such a build depends on beside its sources and compilers."""
        return {"header": f"{self.headers}/mpi.h"}

    @property
    def folder(self) -> Path:
        """The folder of the parts of probes that are built with these headers."""
        return paths.probes() / self.name

    def spec(self, source: Path, targets: tuple[str, ...]) -> BuildSpec:
        """Return the build of these parts of a probe."""
        return BuildSpec(
            what=f"the {'self-test' if targets == (_SELF_TEST,) else 'probe'} for {self.title}",
            folder=self.folder,
            source=source,
            parts=PROBE,
            made_for=self.name,
            definitions=self.definitions,
            programs=self.programs,
            targets=targets,
            files=_files(targets),
        )


class _Tested(msgspec.Struct, frozen=True, kw_only=True):
    """What a library said to a build for its ABI: `difference` is empty where they agree."""

    library: str
    build: str
    difference: str


def base_spec(source: Path, targets: tuple[str, ...]) -> BuildSpec:
    """Return the build of what knows no MPI, once for a machine and a compiler."""
    return BuildSpec(
        what="the parts of probes that know no MPI",
        folder=paths.probes() / "base",
        source=source,
        parts=PROBE,
        made_for="any",
        definitions=("-DCMAKE_BUILD_TYPE=Release", "-DLEADLINE_API=base"),
        targets=targets,
        files=_files(targets),
    )


def _files(targets: Iterable[str]) -> tuple[str, ...]:
    return tuple(name if name == LOADER else f"{name}.so" for name in targets)


def build(spec: BuildSpec, say: Callable[[str], None]) -> Path:
    """Return the folder that has the targets of `spec`: the wheel's, or one for builds of now.

    Raises `UserError` where a build fails, and where one lacks the header that it needs.
    """
    require_plain(":")  # what separates a probe's parts
    if folder := ready(spec):
        return folder
    require_header(spec)
    return build_once(spec, lambda: spec.folder, lambda: spec.folder, say)


def require_header(spec: BuildSpec) -> None:
    """Raise `UserError` where a build for an MPI lacks the header that it needs."""
    if spec.programs.get("header") == _NO_HEADER:
        raise UserError(
            f"{spec.what} is not ready, and there is no mpi.h to build it: install the development "
            "package of this MPI"
        )


def abi_for(installation: Installation, say: Callable[[str], None], source: Path) -> Abi | None:
    """Return what the builds are made for that serve `installation`; None without a library.

    That is its family's ABI where the library passes the self-test of a build for it: handles,
    sizes of datatypes, the layout of MPI_Status. Otherwise, `say` is told, it is this very
    installation. Raises `UserError` where the test does not build.
    """
    headers = installation.headers or ""
    standard = installation.family == STANDARD
    own = Abi(installation.name, headers, standard)
    name = abi_of(installation)
    if not name:
        return own if headers and installation.library else None
    shared = Abi(name, common_headers(paths.probes() / name, headers), standard)
    loader = build(base_spec(source, (LOADER,)), say) / LOADER
    part = build(shared.spec(source, (_SELF_TEST,)), say) / f"{_SELF_TEST}.so"
    if difference := _difference(installation, loader, part):
        say(
            f"{installation.name}: the build for {shared.title} does not serve it ({difference}): "
            "it gets one of its own"
        )
        return own
    return shared


def common_headers(folder: Path, mine: str) -> str:
    """Return the headers for all builds in `folder`: of the first that asked, while they are there.

    Commands for two MPIs of an ABI that begin at the same time agree before either builds.
    """
    chosen = folder.with_name(f".{folder.name}.headers")
    if (there := _headers_in(chosen)) or not mine:
        return there or mine
    partial = chosen.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        folder.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(mine)
        try:
            chosen.hardlink_to(partial)
        except FileExistsError:
            if there := _headers_in(chosen):
                return there
            partial.replace(chosen)
        except OSError:  # a file system without hard links
            partial.replace(chosen)
        finally:
            partial.unlink(missing_ok=True)
    return mine


def _headers_in(file: Path) -> str:
    """Return the folder that `file` names, empty where it has no `mpi.h`."""
    try:
        there = file.read_text()
    except (OSError, UnicodeDecodeError):
        return ""
    return there if there and (Path(there) / "mpi.h").is_file() else ""


def _difference(installation: Installation, loader: Path, part: Path) -> str:
    """Return what the library and the build disagree on; what it says itself is remembered.

    What is preloaded into programs is left out: it is the library that is asked. So is what a
    launcher above leadline has set, which would make the test a rank of its job.
    """
    file = paths.probes() / installation.name / "abi.json"
    library = str(installation.library)
    asked = (f"{library} {_state(Path(library))}", f"{part} {_state(part)}")
    try:
        known = msgspec.json.decode(file.read_bytes(), type=_Tested)
    except (OSError, msgspec.DecodeError):
        known = None
    if known and (known.library, known.build) == asked:
        return known.difference
    argv = (str(loader), "--self-test", f"{library}:{part}")
    environment = {
        name: value
        for name, value in {**os.environ, **installation.environment}.items()
        if name != "LD_PRELOAD" and not _OF_LAUNCHERS.match(name)
    }
    answer = ask(argv, _PATIENCE_S, environment)
    lines = [line for line in answer.output.splitlines() if line.startswith(("ok", "differs: "))]
    if answer.status == 0 and lines and lines[0] == "ok":
        difference = ""
    elif lines and lines[0] != "ok":
        difference = lines[0].removeprefix("differs: ")
    else:
        return f"its self-test ended with status {answer.status}"
    tested = _Tested(library=asked[0], build=asked[1], difference=difference)
    # A home that cannot be written is asked again.
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(f".{os.getpid()}")
        partial.write_bytes(msgspec.json.encode(tested))
        partial.replace(file)
    return difference


def _state(file: Path) -> str:
    stat = file.stat()
    return f"{stat.st_size} {stat.st_mtime_ns}"
