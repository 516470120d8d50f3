"""What programs built here load: two versions of a library, and all that leads to either."""

import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from leadline.core.errors import UserError
from leadline.site.software import elf
from leadline.site.software.dependencies import of_process, of_program
from leadline.site.software.host import Host
from leadline.site.software.loader import parse_listing

CC = shutil.which("cc")
LOADER = elf.read(Path(sys.executable)).interpreter
pytestmark = pytest.mark.skipif(not (CC and LOADER), reason="no C compiler, or a static Python")

AUDITOR = """
#include <stdio.h>
#include <stdlib.h>
unsigned la_version(unsigned version) { fclose(fopen("%s", "w")); return version; }
"""


class Workshop:
    """`v1` and `v2` hold libvalue.so.1, which says 1 and 2; programs return what it says."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for number in (1, 2):
            source = folder / f"v{number}.c"
            source.write_text(f"int value(void) {{ return {number}; }}\n")
            place = folder / f"v{number}"
            place.mkdir()
            real = place / f"libvalue.so.1.{number}.0"
            self.cc("-shared", "-fPIC", source, "-Wl,-soname,libvalue.so.1", "-o", real)
            (place / "libvalue.so.1").symlink_to(real.name)
            (place / "libvalue.so").symlink_to(real.name)
        (folder / "main.c").write_text("int value(void);\nint main(void) { return value(); }\n")

    def cc(self, *words: object) -> None:
        subprocess.run([CC, *map(str, words)], check=True, capture_output=True)

    def program(self, name: str, *flags: object) -> Path:
        path = self.folder / name
        self.cc(self.folder / "main.c", "-o", path, f"-L{self.folder}/v1", "-lvalue", *flags)
        return path

    def here(self, **variables: str) -> Host:
        here = Host({"PATH": os.environ["PATH"], **variables})
        here.installations = []
        return here


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    return Workshop(tmp_path_factory.mktemp("workshop"))


def libraries(software):
    return {item.name: item for item in software.items if item.kind == "library"}


def value(workshop, program, **variables):
    """The file of libvalue and why, held against what the program really does."""
    item = libraries(of_program(str(program), workshop.here(**variables)))["libvalue.so.1"]
    environment = {"PATH": os.environ["PATH"], **variables}
    says = subprocess.run([program], env=environment, check=False).returncode
    assert item.version == f"1.{says}.0"
    assert item.path == str(workshop.folder / f"v{says}/libvalue.so.1.{says}.0")
    return says, item.detail["because"]


def test_each_way_to_a_library(workshop):
    first, second = (str(workshop.folder / name) for name in ("v1", "v2"))
    runpath = workshop.program("runpath", "-Wl,--enable-new-dtags", f"-Wl,-rpath,{first}")
    rpath = workshop.program("rpath", "-Wl,--disable-new-dtags", f"-Wl,-rpath,{first}")
    origin = workshop.program("origin", "-Wl,-rpath,$ORIGIN/v1")
    bare = workshop.program("bare")
    preload = f"{second}/libvalue.so.1"
    assert value(workshop, runpath) == (1, f"RUNPATH of {runpath}")
    assert value(workshop, origin) == (1, f"RUNPATH of {origin}")
    # A RUNPATH comes after the variable, an RPATH before it.
    assert value(workshop, runpath, LD_LIBRARY_PATH=second) == (2, "LD_LIBRARY_PATH")
    assert value(workshop, rpath, LD_LIBRARY_PATH=second) == (1, f"RPATH of {rpath}")
    assert value(workshop, bare, LD_LIBRARY_PATH=f"{second}:{first}") == (2, "LD_LIBRARY_PATH")
    assert value(workshop, runpath, LD_PRELOAD=preload) == (2, "LD_PRELOAD")


def test_what_leads_the_loader_elsewhere_is_told(workshop):
    program = workshop.program("told", f"-Wl,-rpath,{workshop.folder}/v1")
    software = of_program(str(program), workshop.here(LD_LIBRARY_PATH="/nowhere"))
    assert software.remarks == ("LD_LIBRARY_PATH=/nowhere is set; without it nothing would change",)
    second = f"{workshop.folder}/v2"
    software = of_program(str(program), workshop.here(LD_LIBRARY_PATH=second))
    assert software.remarks == (
        f"LD_LIBRARY_PATH={second} is set; without it libvalue.so.1 would be "
        f"{workshop.folder}/v1/libvalue.so.1",
    )
    assert not of_program(str(program), workshop.here()).remarks


def test_a_library_that_is_missing_is_told_and_the_rest_is_there(workshop):
    software = of_program(str(workshop.program("missing")), workshop.here())
    found = libraries(software)
    assert (found["libvalue.so.1"].version, found["libvalue.so.1"].path) == ("not found", "")
    assert found["libc.so.6"].path
    assert any("libvalue.so.1 is not found" in line for line in software.remarks)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a program to another user")
def test_a_program_with_rights_of_its_own_heeds_no_variable():
    # The user as whom it starts has to be able to read it: tests' own folders are closed.
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        open_to_all = Workshop(Path(name))
        program = open_to_all.program("another", f"-Wl,-rpath,{name}/v1")
        if os.statvfs(program).f_flag & os.ST_NOSUID:
            pytest.skip("this file system gives no rights")
        os.chown(program, 65534, 65534)
        program.chmod(0o4755)
        assert value(open_to_all, program, LD_LIBRARY_PATH=f"{name}/v2")[0] == 1
        program.chmod(0o755)
        assert value(open_to_all, program, LD_LIBRARY_PATH=f"{name}/v2")[0] == 2


def test_a_program_of_another_machine_is_refused(workshop):
    """One byte of the header says for which processor it is; 183 is AArch64."""
    data = bytearray(workshop.program("foreign").read_bytes())
    data[18:20] = (183).to_bytes(2, "little")
    foreign = workshop.folder / "foreign-here"
    foreign.write_bytes(data)
    with pytest.raises(UserError, match=f"cannot load {foreign}"):
        of_program(str(foreign), workshop.here())
    start = data.index(LOADER.encode())
    data[start : start + len(LOADER)] = b"/none".ljust(len(LOADER), b"\0")
    foreign.write_bytes(data)
    with pytest.raises(UserError, match="built for AArch64"):
        of_program(str(foreign), workshop.here())


def test_what_musl_s_loader_prints():
    said = (
        "\t/lib/ld-musl-x86_64.so.1 (0x7fb97d712000)\n"
        "\tlibf.so.1 => /v1/libf.so.1 (0x7fb97d700000)\n"
        "Error loading shared library libg.so.2: No such file or directory (needed by ./own)\n"
        "Error relocating ./own: g: symbol not found\n"
    )
    found = {each.name: (each.path, each.needed_by) for each in parse_listing(said, Host({}))}
    assert found == {
        "ld-musl-x86_64.so.1": ("/lib/ld-musl-x86_64.so.1", ""),
        "libf.so.1": ("/v1/libf.so.1", ""),
        "libg.so.2": ("", "./own"),
    }


def test_a_build_tells_libraries_without_a_version_apart(workshop):
    source = workshop.folder / "plain.c"
    versions = set()
    for number in (1, 2):
        source.write_text(f"int value(void) {{ return {number}; }}\n")
        file = workshop.folder / "v2/libvalue.so.1"
        plain = workshop.folder / f"plain{number}"
        plain.mkdir()
        workshop.cc("-shared", "-fPIC", source, "-Wl,--build-id", "-Wl,-soname,libvalue.so.1",
                    "-o", plain / file.name)  # fmt: skip
        program = workshop.program(f"build{number}", f"-Wl,-rpath,{plain}")
        versions.add(libraries(of_program(str(program), workshop.here()))["libvalue.so.1"].version)
    assert len(versions) == 2
    assert all(version.startswith("build ") for version in versions)


def test_the_elf_reader_and_readelf_agree(workshop):
    if not shutil.which("readelf"):
        pytest.skip("no readelf")
    program = workshop.program("read", "-Wl,-rpath,/a:/b", "-Wl,--build-id")
    said = subprocess.run(["readelf", "-dn", program], capture_output=True, text=True).stdout
    described = elf.read(program)
    assert described.paths == ("/a", "/b") and "[/a:/b]" in said
    assert described.build_id in said and len(described.build_id) > 8
    assert all(f"[{name}]" in said for name in described.needed)


def test_a_program_linked_statically_loads_nothing(workshop):
    source = workshop.folder / "alone.c"
    source.write_text("void _start(void) { for (;;) ; }\n")
    workshop.cc("-static", "-nostdlib", source, "-o", workshop.folder / "alone")
    software = of_program(str(workshop.folder / "alone"), workshop.here())
    assert not software.items
    assert software.remarks[0].endswith("is linked statically: it loads no library")


class TestNothingIsRun:
    """Programs that want something run before it is known what they load."""

    @pytest.fixture
    def audited(self, workshop, tmp_path):
        """A program that makes the loader run an auditor, and the file that this then writes."""
        mark = tmp_path / "ran"
        (tmp_path / "auditor.c").write_text(AUDITOR % mark)
        auditor = tmp_path / "auditor.so"
        workshop.cc("-shared", "-fPIC", tmp_path / "auditor.c", "-o", auditor)
        program = workshop.program(
            f"audited-{tmp_path.name}", f"-Wl,--audit={auditor}", f"-Wl,-rpath,{workshop.folder}/v1"
        )
        return program, mark

    @staticmethod
    def _is_dangerous(program, mark):
        """Whether the loader itself, asked directly, runs the auditor."""
        subprocess.run([LOADER, "--list", program], capture_output=True, check=False)
        ran = mark.exists()
        mark.unlink(missing_ok=True)
        return ran

    def test_an_auditor(self, workshop, audited):
        program, mark = audited
        if not self._is_dangerous(program, mark):
            pytest.skip("this loader runs no auditors")
        with pytest.raises(UserError, match="DT_AUDIT"):
            of_program(str(program), workshop.here())
        assert not mark.exists()

    def test_an_auditor_behind_offsets_that_lie(self, workshop, audited):
        """The loader reads the section by its address: the offset in the file may be false."""
        program, mark = audited
        data = bytearray(program.read_bytes())
        (table,) = struct.unpack_from("<Q", data, 32)
        (count,) = struct.unpack_from("<H", data, 56)
        for header in (table + 56 * index for index in range(count)):
            if struct.unpack_from("<I", data, header)[0] == 2:
                struct.pack_into("<Q", data, header + 8, len(data))
        lying = program.with_name(program.name + "-lying")
        lying.write_bytes(data + bytes(64))
        lying.chmod(0o755)
        if not self._is_dangerous(lying, mark):
            pytest.skip("this loader is not deceived, or runs no auditors")
        with pytest.raises(UserError, match="damaged"):
            of_program(str(lying), workshop.here())
        assert not mark.exists()

    def test_a_loader_of_its_own(self, workshop, tmp_path):
        mark = tmp_path / "ran"
        loader = tmp_path / "loader"
        loader.write_text(f"#!/bin/sh\ntouch {mark}\n")
        loader.chmod(0o755)
        program = workshop.program("own-loader", f"-Wl,--dynamic-linker={loader}")
        with pytest.raises(UserError, match="not the system's"):
            of_program(str(program), workshop.here())
        assert not mark.exists()

    def test_the_program_itself(self, workshop, tmp_path):
        mark = tmp_path / "ran"
        source = tmp_path / "begins.c"
        source.write_text(
            "#include <stdio.h>\n__attribute__((constructor)) static void begin(void)"
            f' {{ fclose(fopen("{mark}", "w")); }}\nint main(void) {{ return 0; }}\n'
        )
        workshop.cc(source, "-o", tmp_path / "begins")
        assert libraries(of_program(str(tmp_path / "begins"), workshop.here()))
        assert not mark.exists()


def test_damaged_programs_are_refused_in_one_line(workshop, tmp_path):
    whole = workshop.program("whole", f"-Wl,-rpath,{workshop.folder}/v1").read_bytes()
    refused = 0
    for position in range(0, 4096, 41):
        for data in (whole[: position + 1], _flipped(whole, position)):
            file = tmp_path / "damaged"
            file.write_bytes(data)
            try:
                elf.read(file)
            except UserError as error:
                refused += 1
                assert str(file) in str(error) and "\n" not in str(error)
            elf.symbols(file, defined=True)
    assert refused > 50


def _flipped(data, position):
    return data[:position] + bytes([data[position] ^ 0xFF]) + data[position + 1 :]


@pytest.mark.parametrize(
    ("text", "says"), [("#!/bin/sh\n", "script of /bin/sh"), ("", "no program"), ("words", "ELF")]
)
def test_what_is_no_program_is_refused(tmp_path, text, says):
    (tmp_path / "file").write_text(text)
    with pytest.raises(UserError, match=says):
        of_program(str(tmp_path / "file"))
    for name in ("no-such-program", str(tmp_path), str(tmp_path / "none")):
        with pytest.raises(UserError, match="is no file"):
            of_program(name)


def test_a_program_is_found_on_the_path(workshop):
    workshop.program("by-name", f"-Wl,-rpath,{workshop.folder}/v1")
    here = workshop.here()
    here.environment["PATH"] += f":{workshop.folder}"
    assert of_program("by-name", here).of == str(workshop.folder / "by-name")


class TestAProcess:
    """A live process that has loaded a library by itself."""

    @pytest.fixture
    def start(self, workshop):
        started = []

        def start(library, **variables):
            code = (
                f"import ctypes, sys; ctypes.CDLL({str(library)!r}); print(1, flush=True); input()"
            )
            process = subprocess.Popen(
                [sys.executable, "-S", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                env={**os.environ, **variables},
            )  # fmt: skip
            started.append(process)
            process.stdout.readline()
            return process.pid

        yield start
        for process in started:
            process.communicate(b"\n")

    def test_what_it_loaded_itself_is_told_from_what_the_loader_did(self, workshop, start):
        pid = start(workshop.folder / "v2/libvalue.so.1")
        found = libraries(of_process(pid))
        mapped = Path(f"/proc/{pid}/maps").read_text()
        assert all(item.path in mapped for item in found.values())
        item = found["libvalue.so.1.2.0"]
        assert (item.version, item.detail["because"]) == ("1.2.0", "loaded while it ran (dlopen)")
        assert "dlopen" not in found["libc.so.6"].detail["because"]

    def test_its_own_variables_count_and_not_ours(self, workshop, start):
        pid = start("libvalue.so.1", LD_PRELOAD=str(workshop.folder / "v1/libvalue.so.1"))
        software = of_process(pid)
        assert libraries(software)["libvalue.so.1"].detail["because"] == "LD_PRELOAD"
        assert any(line.startswith("LD_PRELOAD=") for line in software.remarks)

    def test_a_library_that_was_replaced_since(self, workshop, start, tmp_path):
        file = tmp_path / "libvalue.so.1.9.0"
        shutil.copy(workshop.folder / "v1/libvalue.so.1.1.0", file)
        pid = start(file)
        shutil.copy(workshop.folder / "v2/libvalue.so.1.2.0", tmp_path / "new")
        (tmp_path / "new").replace(file)
        software = of_process(pid)
        assert libraries(software)[file.name].version == "replaced since"
        assert any(str(file) in line and "replaced" in line for line in software.remarks)

    def test_no_such_process(self):
        with pytest.raises(UserError, match="no process 999999999"):
            of_process(999999999)
