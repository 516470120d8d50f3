"""`leadline module`: the files of the tool and of each MPI, in both languages."""

import re

import pytest
from replaced import replace_everywhere

from leadline import __version__
from leadline.cli import main
from leadline.core.errors import UserError
from leadline.model.installation import Installation


def installation(family, version, **more):
    return Installation(
        name=f"{family}-{version}", family=family, version=version, prefix=f"/{family}", source="",
        mpicc="cc", mpiexec="mpiexec", **more,
    )  # fmt: skip


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Return what writes the modules of some installations and gives their texts by name."""
    home = tmp_path / "home"
    monkeypatch.setenv("LEADLINE_HOME", str(home))
    monkeypatch.delenv("LEADLINE_LEARN", raising=False)

    def built(made, _):
        if made.version == "0":
            raise UserError("no C++ compiler")
        return home / "runtime" / made.name

    for name in ("runtime_for", "observer_for"):
        replace_everywhere(monkeypatch, f"leadline.measure.build.runtime.{name}", built)

    def written(*there, more=()):
        found = "leadline.site.mpi.discovery.find_installations"
        replace_everywhere(monkeypatch, found, lambda: list(there))
        with pytest.raises(SystemExit) as ended:
            main(["module", "--write", str(tmp_path / "modules"), *more])
        assert ended.value.code == 0
        files = (each for each in tmp_path.glob("modules/**/*") if each.is_file())
        return {str(each.relative_to(tmp_path / "modules")): each.read_text() for each in files}

    return written


def test_each_module_is_there_for_both_languages(write, tmp_path, capsys):
    modules = write(installation("mpich", "5"), installation("openmpi", "5"))
    named = {f"leadline/{__version__}", *(f"leadline-{what}/{mpi}" for what in ("exec", "explain")
                                          for mpi in ("mpich-5", "openmpi-5"))}  # fmt: skip
    assert set(modules) == named | {f"{each}.lua" for each in named}
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"module use {tmp_path / 'modules'}"
    assert {line.removeprefix("module load ") for line in said[1:]} == named
    for name, text in modules.items():
        assert text.startswith("help([[" if name.endswith(".lua") else "#%Module1.0\n")


def test_the_tool_is_on_the_path_without_its_environment(write, tmp_path):
    text = write(installation("mpich", "5"))[f"leadline/{__version__}"]
    (folder,) = re.findall(r"^prepend-path -d \{:\} PATH \{(.*)\}$", text, re.MULTILINE)
    assert folder == str(tmp_path / "home/bin")
    assert [each.name for each in (tmp_path / "home/bin").iterdir()] == ["leadline"]


def test_programs_preload_what_the_commands_preload(write, tmp_path):
    profile = tmp_path / "home/profiles/mpich-5.toml"
    profile.parent.mkdir(parents=True)
    profile.write_text("format = 1\n")
    modules = write(installation("mpich", "5"), installation("openmpi", "5"))
    runtime = tmp_path / "home/runtime/mpich-5"
    lines = modules["leadline-exec/mpich-5.lua"].splitlines()
    assert lines[-5:] == [
        'conflict("leadline-exec")',
        'conflict("leadline-explain")',
        f'append_path("LD_PRELOAD", "{runtime}/libleadline.so", ":")',
        'setenv("LEADLINE_LEARN", "1")',
        f'setenv("LEADLINE_PROFILE", "{profile}")',
    ]
    lines = modules["leadline-explain/openmpi-5"].splitlines()
    runtime = tmp_path / "home/runtime/openmpi-5"
    assert lines[-4:] == [
        f"prepend-path -d {{:}} LD_PRELOAD {{{runtime}/libleadline-explain.so}}",
        "setenv LEADLINE_EXPLAIN {./}",
        "prepend-path -d {;} OMPI_MCA_mca_base_env_list {LEADLINE_EXPLAIN}",
        "prepend-path -d {;} OMPI_MCA_mca_base_env_list {LD_PRELOAD}",
    ]


def test_jobs_are_watched_in_front_of_what_replaces_their_calls(write, tmp_path):
    (tmp_path / "all jobs").mkdir()
    here = installation("mpich", "5")
    modules = write(here, more=("--jobs", str(tmp_path / "all jobs")))
    assert "leadline-explain/mpich-5" in modules and "leadline-exec/mpich-5" not in modules
    runtime = tmp_path / "home/runtime/mpich-5"
    lines = modules["leadline-jobs/mpich-5"].splitlines()
    assert [line for line in lines if line.startswith("conflict")] == ["conflict leadline-jobs"]
    assert lines[-2:] == [
        f"prepend-path -d {{:}} LD_PRELOAD {{{runtime}/libleadline-explain.so}}",
        f"setenv LEADLINE_JOBS {{{tmp_path / 'all jobs'}}}",
    ]
    assert f"append-path -d {{:}} LD_PRELOAD {{{runtime}/libleadline.so}}" in (
        write(here)["leadline-exec/mpich-5"].splitlines()
    )


def test_an_mpi_that_cannot_be_built_for_is_one_line(write, capsys):
    modules = write(installation("mpich", "0"), installation("mpich", "5"))
    assert "leadline-exec/mpich-5" in modules and "leadline-exec/mpich-0" not in modules
    assert "no modules for mpich-0: no C++ compiler\n" in capsys.readouterr().err
