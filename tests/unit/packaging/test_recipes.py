"""The recipes for Spack and conda: they ask for what pyproject.toml asks for."""

import re
import sys
import tomllib
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import yaml

import leadline

CHECKOUT = Path(__file__).parents[3]
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
OPTIONAL = PROJECT["project"]["optional-dependencies"]
# What other names packages go by there.
ON_CONDA = {"python-duckdb": "duckdb"}
TOOLS_ON_SPACK = ("cmake", "ninja")


def requirements(listed):
    """Return each package's lowest version, those of this project's own extras included."""
    found = {}
    for each in listed:
        name, extras, version = re.fullmatch(r"([\w-]+)(?:\[(.*)\])?(?:>=(.*))?", each).groups()
        if name == "leadline":
            for extra in extras.split(","):
                found |= requirements(OPTIONAL[extra])
        else:
            found[name] = version
    return found


NEEDED = requirements(PROJECT["project"]["dependencies"])
PYTHON = PROJECT["project"]["requires-python"].removeprefix(">=")
BACKEND = PROJECT["build-system"]["requires"]


def load_spack_package(monkeypatch):
    """Return the class in Spack's file, and what its directives said."""
    said = {"versions": [], "variants": [], "needs": []}
    module = ModuleType("spack.package")
    defaults = {}

    @contextmanager
    def default_args(**arguments):
        defaults.update(arguments)
        yield
        defaults.clear()

    def depends_on(spec, type=None, when=""):
        said["needs"].append((spec, type or defaults.get("type"), when))

    module.PythonPackage = object
    module.license = lambda name: said.update(license=name)
    module.version = lambda number, **_: said["versions"].append(number)
    module.variant = lambda name, **_: said["variants"].append(name)
    module.conflicts = lambda *_, **__: None
    module.default_args = default_args
    module.depends_on = depends_on
    module.__all__ = [name for name in vars(module) if not name.startswith("__")]
    monkeypatch.setitem(sys.modules, "spack", ModuleType("spack"))
    monkeypatch.setitem(sys.modules, "spack.package", module)
    file = CHECKOUT / "packaging/spack/package.py"
    names = {}
    exec(compile(file.read_text(), file, "exec"), names)
    return names["PyLeadline"], said


def test_spack_asks_for_the_same(monkeypatch):
    package, said = load_spack_package(monkeypatch)
    assert said["versions"] == [leadline.__version__]
    assert package.url.endswith(f"/leadline-{leadline.__version__}.tar.gz")
    assert said["license"] == PROJECT["project"]["license"]
    assert (f"python@{PYTHON}:", ("build", "run"), "") in said["needs"]
    builds = [spec for spec, when, _ in said["needs"] if when == "build"]
    assert builds == [f"py-{each.replace('==', '@')}" for each in BACKEND]
    assert not [spec for spec, _, _ in said["needs"] if "mpi" in spec]
    found = {}
    for spec, kind, variant in said["needs"]:
        if kind == ("build", "run") and not spec.startswith("python@"):
            name, version = spec.removesuffix(":").split("@")
            found.setdefault(variant.removeprefix("+"), {})[
                name if name in TOOLS_ON_SPACK else name.removeprefix("py-")
            ] = version
    assert found.pop("") == NEEDED
    # Spack's variant for pages is on top of that for reports, which it cannot be without.
    assert found.pop("serve") | found["report"] == requirements(OPTIONAL["serve"])
    assert found == {name: requirements(OPTIONAL[name]) for name in ("build", "report", "place")}
    assert sorted(said["variants"]) == ["build", "place", "report", "serve"]


def test_conda_asks_for_the_same():
    recipe = yaml.safe_load((CHECKOUT / "packaging/conda/recipe.yaml").read_text())
    assert recipe["context"] == {"version": leadline.__version__, "python_min": PYTHON}
    assert recipe["about"]["license"] == PROJECT["project"]["license"]
    assert recipe["about"]["summary"] == PROJECT["project"]["description"]
    host, run = recipe["requirements"]["host"], recipe["requirements"]["run"]
    assert {each.replace(" ", "") for each in host} >= set(BACKEND)
    assert host[0] == run[0] == "python >=${{ python_min }}"
    bounds = [each.split(" >=") for each in run[1:] if " >=" in each]
    found = {ON_CONDA.get(name, name): version for name, version in bounds}
    assert found == NEEDED | requirements(OPTIONAL["all"])
    assert [each for each in run if " " not in each] == ["cxx-compiler"]  # no MPI
