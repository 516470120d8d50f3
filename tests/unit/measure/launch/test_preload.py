"""What a user's command becomes so that each rank preloads a library."""

import itertools
from pathlib import Path

import pytest

from leadline.measure.launch.module_file import preloaded
from leadline.measure.launch.preload import owner, preloading
from leadline.model.installation import Installation

LIBRARY = Path("/l.so")
PROFILE = {"LEADLINE_PROFILE": "/p.toml"}
ADDED = "+/l.so,LD_PRELOAD,LEADLINE_PROFILE"
LIST = "OMPI_MCA_mca_base_env_list"


def installation(family, version, **programs):
    name = f"{family}-{version}"
    return Installation(
        name=name, family=family, version=version, prefix="/", source="", **programs
    )


MPICH = installation("mpich", "5.0.2")
OPENMPI4 = installation("openmpi", "4.1.4")
OPENMPI5 = installation("openmpi", "5.0.11")


def made(words, there=MPICH, **environment):
    start = preloading(words.split(), there, LIBRARY, PROFILE, environment)
    return " ".join(start.argv), start.environment


def test_what_hands_on_its_variables_is_left_as_it_is():
    for words in ("mpiexec -n 2 ./a -x b", "srun -n 2 ./a", "srun --export=ALL,A=1 ./a"):
        argv, variables = made(words)
        assert argv == words
        assert variables == {**PROFILE, "LD_PRELOAD": "/l.so", "LEADLINE_ADDED": ADDED}


def test_what_the_user_has_set_is_none_of_what_was_added():
    variables = made("srun ./a", SLURM_EXPORT_ENV="A", LD_PRELOAD="/u.so")[1]
    assert variables["LEADLINE_ADDED"] == "+/l.so,LEADLINE_PROFILE"
    variables = made("srun ./a", LD_PRELOAD="/u.so", LEADLINE_ADDED="+/u.so,LD_PRELOAD")[1]
    assert variables["LEADLINE_ADDED"] == "+/l.so,LEADLINE_PROFILE,/u.so,LD_PRELOAD"
    variables = made("mpirun a", OPENMPI4)[1]
    assert variables["LEADLINE_ADDED"] == f"{ADDED},{LIST},PMIX_{LIST.removeprefix('OMPI_')}"


@pytest.mark.parametrize(
    ("words", "become"),
    [
        ("env LD_PRELOAD=/u.so ./a", "env LD_PRELOAD=/l.so:/u.so ./a"),
        ("mpiexec -genv LD_PRELOAD /u.so ./a", "mpiexec -genv LD_PRELOAD /l.so:/u.so ./a"),
        ("srun --export=ALL,LD_PRELOAD=/u.so ./a", "srun --export=ALL,LD_PRELOAD=/l.so:/u.so ./a"),
        ("srun --export=NONE ./a", "srun --export=LD_PRELOAD,LEADLINE_ADDED,LEADLINE_PROFILE ./a"),
        (
            "srun --export=A,B=2 ./a",
            "srun --export=A,B=2,LD_PRELOAD,LEADLINE_ADDED,LEADLINE_PROFILE ./a",
        ),
    ],
)
def test_what_the_user_names_is_kept_behind(words, become):
    assert made(words)[0] == become


def test_what_slurm_exports_by_a_variable_grows():
    assert made("srun ./a", SLURM_EXPORT_ENV="ALL")[1]["SLURM_EXPORT_ENV"] == "ALL"
    listed = made("srun ./a", SLURM_EXPORT_ENV="A")[1]["SLURM_EXPORT_ENV"]
    assert listed == "A,LD_PRELOAD,LEADLINE_ADDED,LEADLINE_PROFILE"


@pytest.mark.parametrize("there", [OPENMPI4, OPENMPI5])
def test_open_mpi_is_told_what_to_hand_on(there):
    argv, variables = made("mpirun -n 1 a : -n 1 b", there, LEADLINE="off", LEADLINE_HOME="/h")
    assert argv == "mpirun -n 1 a : -n 1 b"
    assert variables[LIST] == "LD_PRELOAD;LEADLINE;LEADLINE_ADDED;LEADLINE_PROFILE"
    assert (
        made("mpirun a", there, **{LIST: "A"})[1][LIST]
        == "A;LD_PRELOAD;LEADLINE_ADDED;LEADLINE_PROFILE"
    )
    listed, variables = made("mpirun --mca mca_base_env_list A=1 a", there)
    names = "A=1;LD_PRELOAD;LEADLINE;LEADLINE_ADDED;LEADLINE_PROFILE"
    assert listed == f"mpirun --mca mca_base_env_list {names} a"
    assert LIST not in variables and variables["LEADLINE"] == "on"


def test_open_mpi_4_does_not_take_both_ways_at_once():
    argv, variables = made("mpirun -x A -n 1 a : -x B -n 1 b", OPENMPI4)
    both = "-x LD_PRELOAD -x LEADLINE -x LEADLINE_ADDED -x LEADLINE_PROFILE"
    assert argv == f"mpirun {both} -x A -n 1 a : {both} -x B -n 1 b"
    argv, variables = made("mpirun -x LD_PRELOAD=/u.so a", OPENMPI4)
    assert (
        argv
        == "mpirun -x LEADLINE -x LEADLINE_ADDED -x LEADLINE_PROFILE -x LD_PRELOAD=/l.so:/u.so a"
    )
    assert LIST not in variables and variables["LEADLINE"] == "on"
    assert made("mpirun -x A a", OPENMPI5)[0] == "mpirun -x A a"


def test_a_launcher_belongs_to_the_mpi_whose_file_it_is(tmp_path):
    both = tmp_path / "usr"
    own = tmp_path / "own"
    for folder, name in itertools.product((both, own), ("orterun", "hydra")):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    for name, real in (("mpirun", "orterun"), ("mpiexec.o", "orterun"), ("mpiexec.h", "hydra")):
        (both / name).symlink_to(real)
    (own / "mpirun").touch()
    (own / "ls").touch()
    openmpi = installation("openmpi", "4", mpiexec=str(both / "mpiexec.o"))
    mpich = installation("mpich", "4", mpiexec=str(both / "mpiexec.h"))
    intel = installation("intel", "1", mpiexec=str(own / "hydra"))
    there = [openmpi, mpich, intel]
    assert owner(str(both / "mpirun"), there) == openmpi
    assert owner(str(both / "hydra"), there) == mpich
    assert owner(str(own / "mpirun"), there) == intel
    assert owner(str(own / "ls"), there) is None
    assert owner("/bin/ls", there) is None
    twin = installation("intel", "2", mpiexec=str(own / "hydra"))
    assert owner(str(own / "mpirun"), [*there, twin]) is None


def test_a_module_tells_open_mpi_5_and_spares_4():
    def listed(there):
        made = preloaded("/l.so", PROFILE, there.family, int(there.version[0]))
        return {each.value for each in made if each.variable == LIST}

    assert listed(OPENMPI4) == listed(MPICH) == set()
    assert listed(OPENMPI5) == {"LD_PRELOAD", *PROFILE}


def test_several_libraries_keep_their_order_before_the_users():
    behind = (Path("/m.so"), Path("/n.so"))
    words = ["env", "LD_PRELOAD=/u.so", "./a"]
    start = preloading(words, MPICH, LIBRARY, {}, {"LD_PRELOAD": "/v.so"}, behind)
    assert start.argv == ("env", "LD_PRELOAD=/l.so:/m.so:/n.so:/u.so", "./a")
    assert start.environment["LD_PRELOAD"] == "/l.so:/m.so:/n.so:/v.so"
