"""The programs of tests/system/transparency with every call replaced, under the default MPI."""

import os

import pytest
from checkout import CHECKOUT, TESTS
from programs import compiled, library, rule, run, write_profile

PROGRAMS = TESTS / "system" / "transparency"
# More ranks than cores: see tests/ranks.cmake.
CROWDED = {
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "64",
    "I_MPI_PIN": "0",
    "I_MPI_WAIT_MODE": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
}
# Sums of 8 and 16 bits saturate in Open MPI 4.1's own vector code, and nowhere else.
EXACT = {"OMPI_MCA_op": "^avx"}
LIBRARIES = {"mpich": "MPICH Version", "openmpi": "Open MPI", "intel": "Intel"}
COLLECTIVES = tuple(sorted(each.stem for each in (CHECKOUT / "runtime/collectives").glob("*.cpp")))


def profile(runtime, path, version):
    return write_profile(path, runtime, version, *map(rule, COLLECTIVES))


def differing(only):
    """Return the words before a program that change the environment of one rank."""
    if not only:
        return []
    rank, changes = only
    shell = " ".join(
        f"export {name}={value};" if value else f"unset {name};" for name, value in changes.items()
    )
    mine = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
    return ["sh", "-c", f'if [ "{mine}" = {rank} ]; then {shell} fi; exec "$0" "$@"']


@pytest.fixture(scope="session")
def start(tmp_path_factory):
    """Starts one of the programs on some ranks, with the runtime unless `preload` is none.

    `only` has variables of one rank, its number before them; an empty one is unset there.
    """
    from leadline.measure.build import runtime_for
    from leadline.site.mpi.choice import choose_one

    # Another MPI by hand: LEADLINE_TEST_RUNTIME=openmpi-5.
    installation = choose_one(os.environ.get("LEADLINE_TEST_RUNTIME"))
    folder = tmp_path_factory.mktemp("transparency")
    runtime, here = runtime_for(installation, print), installation.environment
    ours = runtime / "libleadline.so"
    shared = profile(ours, folder / "shared.toml", LIBRARIES[installation.family])
    counter = library(installation.mpicc, PROGRAMS / "counter.c", folder, **here)
    library(installation.mpicc, PROGRAMS / "faults.c", folder, **here)
    for name in ("collectives", "neighbours", "scenarios", "failures", "learning", "heap"):
        flags = ("-O1", "-Wall", "-Wextra", "-pthread", counter, f"-Wl,-rpath,{folder}")
        compiled(installation.mpicc, PROGRAMS / f"{name}.c", folder, *flags, **here)

    def started(command, ranks, preload=ours, only=(), **variables):
        settings = {"LEADLINE_PROFILE": str(shared), "LEADLINE_PATIENCE": "8", **variables}
        # UCX writes its own over the mmap that is to fail.
        settings["UCX_MEM_MMAP_HOOK_MODE"] = "none"
        if preload:
            settings["LD_PRELOAD"] = f"{preload}:{folder}/libfaults.so"
        program, *words = command.split()
        launched = (installation.mpiexec, "-n", ranks, *differing(only), folder / program, *words)
        return run(*launched, **{**here, **CROWDED, **EXACT, **settings})

    started.installation = installation
    started.library = ours
    started.profile = shared
    started.folder = folder
    return started
