"""Which files a program loads, by the loader's own answer: the program itself is never started.

`ld.so --list` maps what it would load and stops before it runs any of it. It does run the auditors
that a program names in its own dynamic section (DT_AUDIT, see rtld-audit(7)), so such programs are
refused, and so is a loader that is not the system's.
"""

import re
import sys
from pathlib import Path

import msgspec

from leadline.core.errors import UserError
from leadline.site.software import elf
from leadline.site.software.host import Host

# Where a system, Nix and Guix keep their loaders.
_LOADERS = ("/lib", "/lib32", "/lib64", "/libx32", "/usr/lib", "/usr/lib32", "/usr/lib64",
            "/usr/libx32", "/nix/store", "/gnu/store")  # fmt: skip
# Not the search for libraries, but what makes the loader run or print something else.
_LEFT_OUT = ("LD_AUDIT", "LD_DEBUG_OUTPUT", "LD_BIND_NOW", "LD_WARN", "LD_VERBOSE", "LD_PROFILE",
             "LD_SHOW_AUXV", "LD_TRACE_LOADED_OBJECTS")  # fmt: skip
_PATIENCE_S = 10.0
_LINE = re.compile(r"^\t(?:(?P<name>\S.*?) => )?(?P<path>.*?)(?: \(0x[0-9a-f]+\))?$")
_MISSING = re.compile(r"Error loading shared library (\S+): .*\(needed by (.*)\)$")
_SYSTEM = "a folder of the system"


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """A library: the name that was asked for, the file (empty: not found), and what led there."""

    name: str
    path: str
    because: str = ""
    needed_by: str = ""


def resolve(program: Path, here: Host) -> list[Loaded]:
    """Return what the loader would load for the program or library, in its order.

    Empty for a program that is linked statically. Raises `UserError` where the program must not
    be given to a loader, or the loader refuses it.
    """
    described = elf.read(program)
    if not described.is_dynamic:
        return []
    loader = _loader(program, described)
    variables = {name: text for name, text in here.environment.items() if name not in _LEFT_OUT}
    asking = Host({**variables, "LD_DEBUG": "libs,files"}, here.root, here.cwd)
    listing = [str(loader), "--list", str(program)]
    output = asking.ask(*listing, errors=True, failing=True, patience_s=_PATIENCE_S)
    if re.search(r"error while loading shared libraries", output) and _is_glibc(loader):
        # It stops at the first missing library; as a trace it goes on.
        tracing = Host({**asking.environment, "LD_TRACE_LOADED_OBJECTS": "1"}, here.root, here.cwd)
        traced = [str(loader), str(program)]
        output = tracing.ask(*traced, errors=True, failing=True, patience_s=_PATIENCE_S)
    for remark in asking.remarks:
        here.remark(remark)
    found = parse_listing(output, here)
    if not found and described.needed:
        last = [line for line in output.splitlines() if not re.match(r"\s*\d+:", line)]
        raise UserError(
            f"{loader} cannot load {program}: {last[-1] if last else 'it says nothing'}"
        )
    return found


def _loader(program: Path, described: elf.Elf) -> Path:
    if described.audit:
        raise UserError(
            f"{program} names a library that the loader runs at once (DT_AUDIT): only start it if "
            "you trust it, and look at it with `leadline mpi software --pid`"
        )
    python = elf.read(Path(sys.executable))
    loader = Path(described.interpreter or python.interpreter)
    if described.machine != python.machine and not loader.exists():
        raise UserError(
            f"{program} is built for {described.machine}, and this machine is {python.machine}: "
            "ask on a machine that can run it"
        )
    try:
        real = loader.resolve(strict=True)
    except (OSError, RuntimeError):
        raise UserError(
            f"{program} asks for the loader {loader}, which is not here: it cannot start either"
        ) from None
    if not any(real.is_relative_to(Path(folder).resolve()) for folder in _LOADERS):
        raise UserError(
            f"{program} asks for the loader {loader}, which is not the system's: leadline does not "
            "start it; use `leadline mpi software --pid` on a process if you trust it"
        )
    return loader


def _is_glibc(loader: Path) -> bool:
    return bool(re.match(r"ld(64|-linux|-\d)", loader.name))


def parse_listing(output: str, here: Host) -> list[Loaded]:
    """Return the libraries of the list, each with the place that the log of the search names.

    musl's loader logs no search, and lists missing libraries in another form.
    """
    reasons = _searches(output)
    preloaded = _find_preloaded(here)
    found = []
    for line in output.splitlines():
        if missing := _MISSING.match(line):
            found.append(
                Loaded(name=missing[1], path="", because="not found", needed_by=missing[2])
            )
        match = _LINE.match(line)
        if not match or "error while" in line or line.strip() == "statically linked":
            continue
        path = match["path"]
        name = match["name"] or path
        # What the kernel gives to each process is no file; the loader itself has no search.
        if "/" not in path and path != "not found":
            continue
        because, needed_by = reasons.get(name, ("", ""))
        if not match["name"] and (name in preloaded or Path(name).name in preloaded):
            because, needed_by = preloaded.get(name) or preloaded[Path(name).name], ""
        found.append(
            Loaded(
                name=Path(name).name,
                path="" if path == "not found" else path,
                because="not found" if path == "not found" else because,
                needed_by=needed_by,
            )
        )
    return found


def _searches(output: str) -> dict[str, tuple[str, str]]:
    reasons: dict[str, tuple[str, str]] = {}
    needed_by: dict[str, str] = {}
    name = ""
    for line in (re.sub(r"^\s*\d+:\s*", "", each) for each in output.splitlines()):
        if match := re.match(r"file=(.+?) \[\d+\];\s+needed by (.+?) \[\d+\]", line):
            needed_by[match[1]] = match[2]
            reasons[match[1]] = ("named by its path" if "/" in match[1] else "", match[2])
        elif match := re.match(r"find library=(.+?) \[\d+\]; searching", line):
            name = match[1]
        elif match := re.match(r"search path=.*\t\((.+)\)$", line):
            because = _SYSTEM if match[1] == "system search path" else match[1]
            reasons[name] = (because.replace("from file", "of"), needed_by.get(name, ""))
        elif line.startswith("search cache="):
            reasons[name] = ("the loader's cache", needed_by.get(name, ""))
    return reasons


def _find_preloaded(here: Host) -> dict[str, str]:
    found = {}
    try:
        for word in (here.root / "etc/ld.so.preload").read_text().split():
            found[word] = "/etc/ld.so.preload"
    except OSError:
        pass
    for word in re.split(r"[: ]", here.environment.get("LD_PRELOAD", "")):
        if word:
            found[word] = "LD_PRELOAD"
    return found
