import shutil

from leadline.site.mpi.discovery import find_installations

AVAIL = "modules:\\ngcc/12\\nopenmpi/4.1.4(default)\\nimpi/2021\\nmpifileutils/1\\n"
MODULECMD = """#!/bin/sh
case "$*" in
  "bash -t avail") printf '{avail}' >&2;;
  "bash load openmpi/4.1.4")
    echo 'export PATH={root}/o/bin:$PATH OMPI_HOME={root}/o LOADEDMODULES=openmpi;';;
  *) echo "unable to load $*" >&2; echo "touch {root}/asked; false;";;
esac
"""


def module_places(machine, **environment):
    """A machine with the module system's command and a shell, but no MPI on its PATH."""
    command = machine.root / "lmod/modulecmd"
    command.parent.mkdir()
    command.write_text(MODULECMD.format(root=machine.root, avail=AVAIL))
    command.chmod(0o755)
    for name in ("bash", "env", "touch"):
        machine.link(f"tools/{name}", shutil.which(name))
    (machine.root / "modules/openmpi").mkdir(parents=True)
    usual = {"PATH": f"{machine.root}/tools", "MODULEPATH": str(machine.root / "modules")}
    return machine.places(**{**usual, **environment})


def found(places):
    return find_installations(places=places)[:-1]


def test_a_module_that_sounds_like_mpi_is_loaded_and_searched(machine):
    machine.openmpi("o", "4.1.4")
    places = module_places(machine, LMOD_CMD=str(machine.root / "lmod/modulecmd"))
    (openmpi,) = found(places)
    assert (openmpi.name, openmpi.source) == ("openmpi-4.1.4", "module openmpi/4.1.4")
    assert openmpi.environment == {
        "OMPI_HOME": str(machine.root / "o"),
        "PATH": f"{machine.root}/o/bin:{machine.root}/tools",
    }


def test_the_module_command_is_found_on_the_path(machine):
    machine.openmpi("o", "4.1.4")
    places = module_places(machine, PATH=f"{machine.root}/lmod:{machine.root}/tools")
    assert [each.source for each in found(places)] == ["module openmpi/4.1.4"]


def test_without_a_module_command_nothing_is_searched(machine):
    machine.openmpi("o", "4.1.4")
    assert found(module_places(machine)) == []


def test_a_module_that_does_not_load_is_left_out(machine):
    places = module_places(machine, LMOD_CMD=str(machine.root / "lmod/modulecmd"))
    assert found(places) == []
    assert (machine.root / "asked").exists()


def test_a_new_module_is_seen(machine):
    places = module_places(machine, LMOD_CMD=str(machine.root / "lmod/modulecmd"))
    assert found(places) == []
    machine.openmpi("o", "4.1.4")
    assert found(places) == []
    (machine.root / "modules/openmpi/4.1.4.lua").touch()
    assert [each.name for each in found(places)] == ["openmpi-4.1.4"]
