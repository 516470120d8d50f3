import os

import msgspec
import pytest

from leadline.model.installation import Installation
from leadline.site.mpi.discovery import FAKE, find_installations, name_each


def test_a_machine_without_mpi_has_only_the_fake_one(machine):
    assert find_installations(places=machine.places("bin")) == [FAKE]
    assert FAKE.apis == ("fake",)


def test_mpich_is_described_by_its_header_and_mpichversion(machine):
    machine.mpich("opt/m", "4.0.2")
    found, _ = find_installations(places=machine.places("opt/m/bin"))
    bin_folder = machine.root / "opt/m/bin"
    assert found == Installation(
        name="mpich-4.0.2",
        family="mpich",
        version="4.0.2",
        prefix=str(machine.root / "opt/m"),
        source="PATH",
        mpicc=str(bin_folder / "mpicc"),
        mpicxx=str(bin_folder / "mpicxx"),
        mpiexec=str(bin_folder / "mpiexec"),
        headers=str(machine.root / "opt/m/hidden"),
        standard="4",
        built={
            "device": "ch4:ucx",
            "network": "ucx",
            "configure": "--with-device=ch4:ucx --enable-fortran=all",
            "compiler": "gcc",
        },
    )
    assert found.apis == ("mpi",)


def test_openmpi_is_described_with_its_openshmem(machine):
    machine.openmpi("opt/o", "4.1.4")
    found, _ = find_installations(places=machine.places("opt/o/bin"))
    assert (found.name, found.built) == (
        "openmpi-4.1.4",
        {
            "network": "ucx ofi",
            "configure": "'--prefix=/usr' '--with-ucx'",
            "compiler": "gcc 12.2.0",
        },
    )
    names = ("oshcc", "oshc++", "oshrun")
    bin_folder = machine.root / "opt/o/bin"
    assert [found.oshcc, found.oshcxx, found.oshrun] == [str(bin_folder / name) for name in names]
    assert found.apis == ("mpi", "shmem")


def test_intel_takes_gnu_wrappers_and_its_own_libraries_first(machine, monkeypatch):
    monkeypatch.setenv("LD_LIBRARY_PATH", "/elsewhere")
    machine.header("i/include", '#define I_MPI_VERSION "2021.18.1"\n#define MPICH_VERSION "3.4a2"')
    for name in ("mpicc", "mpicxx", "mpigcc", "mpigxx", "mpiexec"):
        machine.program(f"i/bin/{name}")
    machine.program("i/bin/mpiexec.hydra", "Intel(R) MPI Library, Version 2021.18.1 Build 2026")
    machine.header("i/lib", "")
    (machine.root / "i/lib/libfabric.so.1").touch()
    found, _ = find_installations(places=machine.places("i/bin"))
    prefix = machine.root / "i"
    assert (found.name, found.mpicc) == ("intel-2021.18.1", str(prefix / "bin/mpigcc"))
    assert (found.mpicxx, found.mpiexec) == (
        str(prefix / "bin/mpigxx"),
        str(prefix / "bin/mpiexec.hydra"),
    )
    assert found.built == {"release": "2021.18.1 Build 2026", "network": "ofi"}
    assert found.environment["I_MPI_ROOT"] == str(prefix)
    assert found.environment["LD_LIBRARY_PATH"] == f"{prefix}/lib:/elsewhere"
    assert found.environment["PATH"].startswith(f"{prefix}/bin:")


@pytest.mark.parametrize(
    ("macros", "name"),
    [
        ('#define MVAPICH2_VERSION "2.3.7"\n#define MPICH_VERSION "3.2.1"', "mvapich-2.3.7"),
        ("#define MPI_VERSION 3\n#define MPI_SUBVERSION 1", "mpi-3.1"),
    ],
)
def test_relatives_and_strangers_are_recognised(machine, macros, name):
    machine.header("x/include", macros)
    machine.program("x/bin/mpicc")
    machine.program("x/bin/mpirun")
    found, _ = find_installations(places=machine.places("x/bin"))
    assert (found.name, found.mpiexec) == (name, str(machine.root / "x/bin/mpirun"))


def test_cray_is_recognised_by_its_folder(machine, monkeypatch):
    monkeypatch.setenv("CRAY_MPICH_VERSION", "8.1.25")
    machine.mpich("opt/cray/pe/mpich/8.1.25/ofi/gnu/9.1", "3.4a2")
    names = [each.name for each in find_installations(places=machine.places())]
    assert names == ["cray-mpich-8.1.25", "fake"]


def test_a_wrapper_of_nothing_known_is_left_out(machine):
    machine.program("x/bin/mpicc", "gcc -I/nowhere")
    assert find_installations(places=machine.places("x/bin")) == [FAKE]


def debian(machine):
    """Both MPIs in one folder, told apart by suffix; plain names are links that can be turned."""
    machine.openmpi("scratch", "4.1.4")
    machine.mpich("usr", "4.0.2", suffix=".mpich", include="usr/include/mpich")
    wrapper = machine.program("usr/bin/opal_wrapper", f"gcc -I{machine.root}/scratch/include")
    launcher = machine.program("usr/bin/orterun")
    for name in ("mpicc.openmpi", "mpicxx.openmpi", "oshcc", "oshc++"):
        machine.link(f"usr/bin/{name}", wrapper.name)
    machine.link("usr/bin/mpiexec.openmpi", launcher.name)
    machine.link("usr/bin/oshrun", "mpiexec.openmpi")
    machine.link("alternatives/mpi", f"{machine.root}/usr/bin/mpicc.openmpi")
    machine.link("alternatives/mpiexec", f"{machine.root}/usr/bin/mpiexec.openmpi")
    machine.link("usr/bin/mpicc", f"{machine.root}/alternatives/mpi")
    machine.link("usr/bin/mpiexec", f"{machine.root}/alternatives/mpiexec")
    return machine.places("usr/bin")


def test_debian_alternatives_are_two_installations_with_their_own_launchers(machine):
    openmpi, mpich, _ = find_installations(places=debian(machine))
    folder = machine.root / "usr/bin"
    assert (openmpi.name, mpich.name) == ("openmpi-4.1.4", "mpich-4.0.2")
    assert (openmpi.mpicc, openmpi.mpiexec) == (
        str(folder / "mpicc.openmpi"),
        str(folder / "mpiexec.openmpi"),
    )
    assert (mpich.mpicc, mpich.mpiexec) == (
        str(folder / "mpicc.mpich"),
        str(folder / "mpiexec.mpich"),
    )
    assert openmpi.apis == ("mpi", "shmem")
    assert mpich.apis == ("mpi",)


def test_foreign_openshmem_in_the_folder_is_not_taken(machine):
    places = debian(machine)
    (machine.root / "usr/bin/oshcc").unlink()
    machine.program("usr/bin/oshcc")
    openmpi, _, _ = find_installations(places=places)
    assert (openmpi.oshcc, openmpi.apis) == (None, ("mpi",))


def test_another_mpichs_mpichversion_is_not_believed(machine):
    machine.mpich("opt/m", "4.0.2")
    machine.program("opt/m/bin/mpichversion", "MPICH Version: 3.3\nMPICH Device: ch3:nemesis")
    found, _ = find_installations(places=machine.places("opt/m/bin"))
    assert found.built == {}


def test_every_source_is_searched_and_nothing_found_twice(machine):
    machine.mpich("own", "5.0.2")
    machine.mpich("home/mpi/mpich", "5.0.1")
    machine.mpich("home/mpi/.mpich-partial", "5.0.0")
    machine.openmpi("opt/hand/made", "5.0.11")
    machine.openmpi("usr/lib64/openmpi", "4.1.1")
    found = find_installations(places=machine.places("own/bin:opt/hand/made/bin"))
    assert [(each.name, each.source) for each in found[:-1]] == [
        ("mpich-5.0.2", "leadline's environment"),
        ("mpich-5.0.1", "leadline mpi install"),
        ("openmpi-5.0.11", "PATH"),
        ("openmpi-4.1.1", "usual folders"),
    ]


def test_names_clash_in_order_and_stay(machine):
    machine.mpich("a", "4.0.2")
    machine.mpich("b", "4.0.2")
    first, second, _ = find_installations(places=machine.places("a/bin:b/bin"))
    assert (first.name, second.name) == ("mpich-4.0.2", "mpich-4.0.2-2")
    turned = find_installations(places=machine.places("b/bin:a/bin"))
    assert [(each.name, each.prefix[-1]) for each in turned[:-1]] == [
        ("mpich-4.0.2-2", "b"),
        ("mpich-4.0.2", "a"),
    ]


def test_a_former_name_of_another_version_is_dropped():
    new = Installation(
        name="m-2.0", family="m", version="2.0", prefix="", source="", mpicc="/m/mpicc"
    )
    assert name_each([new], {"/m/mpicc": "m-1.0"}) == [new]


def test_the_second_search_asks_no_program(machine):
    machine.openmpi("o", "4.1.4")
    include = machine.root / "o/include"
    machine.program("o/bin/mpicc", f"gcc -I{include}", log="calls")
    places = machine.places("o/bin")
    first = find_installations(places=places)
    calls = (machine.root / "calls").read_text()
    assert find_installations(places=places) == first
    assert (machine.root / "calls").read_text() == calls
    find_installations(fresh=True, places=places)
    assert (machine.root / "calls").read_text() > calls


def test_a_change_on_the_machine_is_seen(machine):
    machine.mpich("m", "4.0.2")
    places = machine.places("m/bin")
    find_installations(places=places)
    machine.mpich("opt/new", "4.1")
    assert len(find_installations(places=places)) == 3
    machine.mpich("m", "4.2")
    os.utime(machine.root / "m/bin/mpicc", ns=(1, 1))
    assert "mpich-4.2" in [each.name for each in find_installations(places=places)]
    (machine.root / "m/bin/mpicc").unlink()
    assert [each.name for each in find_installations(places=places)] == ["mpich-4.1", "fake"]
    other = msgspec.structs.replace(places, environment={"PATH": ""}, root=machine.root / "none")
    assert find_installations(places=other) == [FAKE]


def test_a_spoilt_memory_and_a_home_that_cannot_be_written_do_no_harm(machine):
    machine.mpich("m", "4.0.2")
    places = machine.places("m/bin")
    places.installed.mkdir(parents=True)
    (places.installed / "found.json").write_text("{")
    assert len(find_installations(places=places)) == 2
    (machine.root / "file").touch()
    nowhere = msgspec.structs.replace(places, installed=machine.root / "file")
    assert len(find_installations(places=nowhere)) == 2
