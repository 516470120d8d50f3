"""What `leadline exec` makes of a command reaches every host of every MPI by a real launcher."""

import os
from pathlib import Path

import pytest
from programs import run

from leadline.measure.launch.preload import owner, preloading

pytestmark = pytest.mark.mpi

# A remote shell hands on nothing, as ssh does.
SSH = '#!/bin/sh\nexec env -i PATH="$PATH" HOME="$HOME" {roots} {lab}/ssh "$@"\n'
ROOTS = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")
PROGRAM = '#!/bin/sh\necho "$(hostname) $LD_PRELOAD $LEADLINE_PROFILE"\n'
HYDRA = "-launcher-exec {ssh} -hosts h0,h1 -ppn 1"
OPENMPI4 = "--mca plm_rsh_agent {ssh} --host h0:1,h1:1 --bind-to none"
OPENMPI5 = "--prtemca plm_ssh_agent {ssh} --host h0:1,h1:1 --bind-to none"


def executable(path, text):
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("name", "options", "program", "behind"),
    [
        ("mpich-5", HYDRA, "-n 2 {0}", ""),
        ("mpich-4", HYDRA, "-n 2 {0}", ""),
        ("intel", HYDRA, "-n 2 {0}", ""),
        ("openmpi-4", OPENMPI4, "-np 2 {0}", ""),
        ("openmpi-4", OPENMPI4, "-x HOME -np 1 {0} : -np 1 {0}", ""),
        ("openmpi-4", OPENMPI4, "-x LD_PRELOAD={1} -np 2 {0}", "user"),
        ("openmpi-5", OPENMPI5, "-np 2 {0}", ""),
        ("openmpi-5", OPENMPI5, "-x HOME -np 1 {0} : -np 1 {0}", ""),
        ("openmpi-5", OPENMPI5, "-x LD_PRELOAD={1} -np 2 {0}", "user"),
    ],
)
def test_each_host_gets_library_and_settings(flat, tmp_path, name, options, program, behind):
    there = flat.installation(name)
    library, own = tmp_path / "leadline.so", tmp_path / "user.so"
    for made in (library, own):
        run("cc", "-shared", "-x", "c", "/dev/null", "-o", made, status=0)
    roots = " ".join(f"{each}=1" for each in ROOTS)
    ssh = executable(tmp_path / "ssh", SSH.format(roots=roots, lab=flat.folder))
    script = executable(tmp_path / "program", PROGRAM)
    assert there.mpiexec is not None
    assert owner(str(Path(there.mpiexec)), [there]) == there
    environment = {**os.environ, **there.environment, **dict.fromkeys(ROOTS, "1")}
    environment.pop("LD_PRELOAD", None)
    words = [there.mpiexec, *f"{options} {program}".format(script, own, ssh=ssh).split()]
    start = preloading(words, there, library, {"LEADLINE_PROFILE": "/p.toml"}, environment)
    head = flat.folder / "head"
    done = run(head, *start.argv, environment={**environment, **start.environment})
    wanted = f"{library}:{own}" if behind else f"{library}"
    told = sorted(line for line in done.stdout.splitlines() if line.startswith("h"))
    assert told == [f"h{host} {wanted} /p.toml" for host in range(2)], done.stderr
