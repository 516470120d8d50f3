"""Every run in the documents is one that could start, as a probe that is built here says."""

import pytest
from checkout import CHECKOUT
from click.testing import CliRunner
from documents import blocks, commands, declared, words_of

from leadline.cli import group
from leadline.model.hosts import Hosts
from leadline.site.schedulers.vcluster import allocation as lab

PLAN = "plan.toml"
COMMANDS = commands()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the plan of the documents."""
    folder = tmp_path_factory.mktemp("documents")
    (plan,) = blocks((CHECKOUT / "docs" / "reference" / "formats.md").read_text(), "toml")
    (folder / PLAN).write_text(plan)
    guide = (CHECKOUT / "docs" / "how-to" / "replay-a-program.md").read_text()
    (replayed,) = blocks(guide, "toml")
    (folder / "app.toml").write_text(replayed)
    with pytest.MonkeyPatch.context() as patch:
        # The one that a tuning makes before.
        profile = folder / "profile.toml"
        profile.touch()
        patch.setenv("LEADLINE_PROFILE", str(profile))
        patch.chdir(folder)
        # Those of the virtual cluster that the documents make before.
        names = tuple(f"h{number}" for number in range(10))
        there = Hosts(names=names, cores=(2,) * 10, shared_cores=20)
        patch.setattr(lab, "ALLOCATION", lab.ALLOCATION._replace(find=lambda which: there))
        yield folder


def _dry_run(words):
    result = CliRunner().invoke(group, [*words, "--dry-run"])
    assert result.exit_code == 0, result.exception or result.output
    return [line for line in result.output.splitlines() if "leadline-probe" in line]


FAKE = [line for line in COMMANDS if words_of(line)[0] == "run" and "--mpi fake" in line]


@pytest.mark.parametrize("line", FAKE)
def test_a_simulated_run_could_start(folder, line):
    assert _dry_run(words_of(line))


def test_the_plan_of_the_documents_is_one(folder):
    from leadline.measure.plan.plans import read_plan

    plan = read_plan(PLAN)
    assert {name for entry in plan.entries for name in entry.benchmarks} <= declared(
        r'\.name = "(\w+/\w+)"'
    )


REAL = [
    pytest.param(line, marks=pytest.mark.full if " shmem/" in line else ())
    for line in COMMANDS
    if words_of(line)[0] in ("run", "survey")
    and line not in FAKE
    # What is only listed or explained, and a question that is asked inside a job of two nodes.
    and not {"--help", "--list", "crossbar"} & set(words_of(line))
]


@pytest.mark.mpi
@pytest.mark.parametrize("line", REAL)
def test_a_run_could_start(folder, line):
    """With the values of its axes, checked by the probes of an MPI that is here."""
    from leadline.site.mpi.discovery import find_installations

    words = words_of(line)
    api = "shmem" if any(word.startswith("shmem/") for word in words) else "mpi"
    there = [each for each in find_installations() if api in each.apis]
    if not there:
        package = "openmpi-bin with libopenmpi-dev" if api == "shmem" else "mpich"
        pytest.skip(f"nothing here starts {api} programs: install {package}")
    # The MPIs that a document names are those of its own machine, and so are its cores.
    assert _dry_run([*words, "--mpi", there[0].name, "--oversubscribe"])
