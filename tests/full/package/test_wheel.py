"""The wheel: all that leadline needs is in it, and it measures where nothing else of it is."""

import json
import sys
import zipfile
from pathlib import Path

import pytest
from checkout import CHECKOUT
from packages import finish, plain
from programs import run as run_to_its_end

import leadline

SHIPPED = ("probes", "algorithms", "runtime", "schedules", "kernels", "plans", "platforms",
           "datasets")  # fmt: skip


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The folder of programs of an environment with nothing but the wheel and an MPI."""
    folder = tmp_path_factory.mktemp("environment")
    finish(sys.executable, "-m", "venv", folder)
    finish(folder / "bin/python", "-m", "pip", "install", "--quiet", f"{wheel}[mpich]")
    return folder / "bin"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


def run(installed, home, *arguments):
    environment = plain(LEADLINE_HOME=str(home), PATH="/usr/bin:/bin")
    words = (installed / "leadline", *arguments)
    return run_to_its_end(*words, environment=environment, cwd=home)


def test_sources_data_and_pages_came_along(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    package = Path(leadline.__file__).parent
    assert all(name.startswith(("leadline/", "leadline-")) for name in names)
    wanted = {"leadline/_sources/CMakeLists.txt"}
    wanted |= {f"leadline/{each.relative_to(package)}" for each in package.rglob("*")
              if each.is_file() and "__pycache__" not in each.parts}  # fmt: skip
    for folder in SHIPPED:
        wanted |= {f"leadline/_sources/{each.relative_to(CHECKOUT)}"
                   for each in (CHECKOUT / folder).rglob("*")
                   if each.is_file() and "__pycache__" not in each.parts}  # fmt: skip
    assert {"leadline/output/html/page/page.js", "leadline/_sources/plans/quick.toml"} <= wanted
    assert wanted - names == set()
    assert f"leadline-{leadline.__version__}.dist-info/licenses/LICENSE" in names
    assert {"leadline/reference/commands.md", "leadline/reference/schema.json"} <= names


@pytest.mark.timeout(2400)
@pytest.mark.mpi
def test_it_measures_in_an_empty_environment(installed, home):
    ended = run(installed, home, "run", "mpi/pingpong", "--bytes", "8", "--launches", "1", "--json")
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert (found["outcome"]["state"], len(found["points"])) == ("complete", 1)
    written = json.loads((Path(found["folder"]) / "run.json").read_text())
    assert written["leadline"] == leadline.__version__


def test_data_is_found_in_an_empty_environment(installed, home):
    assert "cray-t3e" in run(installed, home, "platforms").stdout
    assert run(installed, home, "run", "quick", "--mpi", "fake", "--dry-run").returncode == 0


def test_what_an_extra_brings_is_asked_for_before_anything_is_measured(installed, home):
    before = sorted(home.glob("runs/*"))
    ended = run(installed, home, "run", "mpi/pingpong", "--html", "report.html")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        "leadline: this needs the packages jinja2, vl-convert-python: "
        "pip install 'leadline[report]'\n"
    )
    assert sorted(home.glob("runs/*")) == before
