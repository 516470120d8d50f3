"""Extras: which command refuses what, before it does anything, where a package is missing."""

import re
import shutil
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from leadline.cli import main
from leadline.cli.commands.pack import _EXTRAS
from leadline.core.errors import UserError
from leadline.core.extras import EXTRAS, require
from leadline.measure.build.cmake import tool

CHECKOUT = Path(__file__).parents[3]


@pytest.fixture
def lacks(monkeypatch):
    """Return a function that makes a module one that cannot be imported."""
    return lambda module: monkeypatch.setitem(sys.modules, module, None)


def test_nothing_is_said_where_all_is_there():
    for extra, modules in EXTRAS.items():
        if all(find_spec(module) for module in modules):
            require(extra)


def test_all_missing_packages_are_named(lacks):
    lacks("jinja2")
    lacks("vl_convert")
    with pytest.raises(UserError) as refused:
        require("report")
    assert str(refused.value) == (
        "this needs the packages jinja2, vl-convert-python: pip install 'leadline[report]'"
    )


def _project():
    return tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]


def test_all_extras_of_the_first_page_can_be_packed():
    text = (CHECKOUT / "README.md").read_text().partition("extras: ")[2].partition("pack FILE")[0]
    named = set(re.findall(r"`(\w+)` \(", text))
    assert named == set(_EXTRAS) <= set(_project()["optional-dependencies"])


def test_the_extras_are_those_of_the_project():
    project = _project()
    optional = project["optional-dependencies"]

    def packages(extra):
        for each in optional[extra]:
            name, inner = re.match(r"([\w-]+)(?:\[(.*)\])?", each).groups()
            if name == project["name"]:
                for other in inner.split(","):
                    yield from packages(other)
            else:
                yield name

    for extra, modules in EXTRAS.items():
        assert sorted(packages(extra)) == sorted(modules.values()), extra
    # Of build tools the programs are looked for, whoever brought them.
    every = {name for extra in (*EXTRAS, "build") for name in packages(extra)}
    assert every == set(packages("all"))


@pytest.mark.parametrize(
    ("module", "package", "extra", "arguments"),
    [
        ("vl_convert", "vl-convert-python", "report", "run mpi/pingpong --html a.html"),
        ("vl_convert", "vl-convert-python", "report", "survey --html a.html"),
        ("jinja2", "jinja2", "report", "run quick --dry-run --html a.html"),
        ("jinja2", "jinja2", "report", "show last --html a.html"),
        ("jinja2", "jinja2", "report", "compare first last --html a.html"),
        ("jinja2", "jinja2", "report", "view map --html a.html"),
        ("vl_convert", "vl-convert-python", "report", "show last --plot x --output a.pdf"),
        ("werkzeug", "werkzeug", "serve", "serve --port 0"),
        ("waitress", "waitress", "serve", "serve --port 0"),
        ("pymetis", "pymetis", "place", "rank-order --place 2x2 --matrix traffic.txt"),
    ],
)
def test_a_command_refuses_before_it_does_anything(
    module, package, extra, arguments, lacks, monkeypatch, tmp_path, capsys
):
    home = tmp_path / "home"
    monkeypatch.setenv("LEADLINE_HOME", str(home))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "traffic.txt").write_text("0,1,2,3\n1,0,4,5\n2,4,0,6\n3,5,6,0\n")
    lacks(module)
    with pytest.raises(SystemExit) as ended:
        main(arguments.split())
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        f"leadline: this needs the package {package}: pip install 'leadline[{extra}]'\n"
    )
    assert not home.exists()


@pytest.mark.parametrize("name", ["cmake", "ninja"])
def test_build_tools_are_asked_for_in_one_line(name, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(UserError, match=rf"^{name} is not .*: pip install 'leadline\[build\]'$"):
        tool(name)
