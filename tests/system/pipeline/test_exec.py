"""`leadline exec` and `leadline exec --print` without the builds, which tests/runtime has."""

import json
import os
import stat
import subprocess
import sys

import pytest
from replaced import replace_everywhere

from leadline.cli import main
from leadline.model.installation import Installation
from leadline.model.software import Item
from leadline.site.software import dependencies


@pytest.fixture
def there(tmp_path, monkeypatch):
    """An installation whose launcher prints what it is given, and whose runtime is there."""
    launcher = tmp_path / "bin/mpiexec"
    launcher.parent.mkdir()
    launcher.write_text('#!/bin/sh\necho "$@ $LD_PRELOAD $LEADLINE_PROFILE $LEADLINE_REPORT"\n')
    launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR)
    home = tmp_path / "home"
    installation = Installation(
        name="m-1", family="mpich", version="1", prefix="/m", source="", mpicc="c",
        mpiexec=str(launcher),
    )  # fmt: skip
    monkeypatch.setenv("LEADLINE_HOME", str(home))
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    monkeypatch.delenv("LEADLINE_PROFILE", raising=False)
    replace_everywhere(
        monkeypatch,
        "leadline.measure.build.runtime.runtime_for",
        lambda made, _: home / "runtime" / made.name,
    )
    replace_everywhere(
        monkeypatch, "leadline.site.mpi.discovery.find_installations", lambda: [installation]
    )
    return installation


@pytest.fixture
def executed(monkeypatch):
    """What the process would have become."""
    seen = []
    monkeypatch.setattr(os, "execve", lambda *words: seen.append(words))
    return seen


def status(*words):
    with pytest.raises(SystemExit) as ended:
        main([*map(str, words)])
    return ended.value.code


def test_the_command_becomes_the_process_with_the_library_before_it(there, executed, tmp_path):
    profile = tmp_path / "home/profiles/m-1.toml"
    profile.parent.mkdir(parents=True)
    profile.write_text("format = 1\n")
    assert status("exec", "--report", "--", there.mpiexec, "-n", 2, "./a", "--report") == 0
    [(program, argv, variables)] = executed
    assert program == there.mpiexec
    assert argv == (there.mpiexec, "-n", "2", "./a", "--report")
    assert variables["LD_PRELOAD"] == str(tmp_path / "home/runtime/m-1/libleadline.so")
    assert variables["LEADLINE_PROFILE"] == str(profile)
    assert variables["LEADLINE_REPORT"] == "1"


def test_with_neither_profile_nor_learning_it_says_so_and_goes_on(there, executed, capsys):
    assert status("exec", "--frozen", there.mpiexec) == 0
    assert len(executed) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "m-1 has no profile" in said and "leadline tune --mpi m-1" in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nosuch-program"], "nosuch-program: command not found"),
        (["true"], "true: unknown MPI: name the program's with --mpi"),
        (["--mpi", "m-2", "true"], "no MPI 'm-2'"),
        (["--profile", "/nowhere.toml", "--mpi", "m-1", "true"], "/nowhere.toml: No such file"),
        (["--profile", __file__, "--mpi", "m-1", "true"], "is no profile: "),
        ([], "nothing to execute"),
    ],
)
def test_bad_input_is_one_line(there, executed, capsys, words, says):
    assert status("exec", *words) == 2
    said = capsys.readouterr().err
    assert says in said and said.count("\n") == 1
    assert not executed


@pytest.fixture
def app(there, tmp_path, monkeypatch):
    """A program that loads the MPI m-1, and a launcher of another family."""
    program = tmp_path / "app"
    program.touch()
    other = tmp_path / "other/mpirun"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\n")
    other.chmod(other.stat().st_mode | stat.S_IXUSR)
    open_mpi = Installation(
        name="o-1", family="openmpi", version="1", prefix="/o", source="", mpiexec=str(other)
    )
    found = [there, open_mpi]
    replace_everywhere(monkeypatch, "leadline.site.mpi.discovery.find_installations", lambda: found)
    monkeypatch.setattr(dependencies, "resolve", lambda *_: [])
    monkeypatch.setattr(
        dependencies,
        "find_mpis",
        lambda path, *_: (
            [Item(kind="MPI", name="mpich", detail={"called": "m-1"})] if path == program else []
        ),
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def test_a_program_alone_has_the_mpi_that_it_loads(app, executed, tmp_path):
    assert status("exec", app) == 0
    assert executed[0][2]["LD_PRELOAD"] == str(tmp_path / "home/runtime/m-1/libleadline.so")


def test_a_launcher_of_another_mpi_is_refused_with_the_right_command(
    app, there, executed, tmp_path, capsys
):
    launcher = tmp_path / "other/mpirun"
    assert status("exec", launcher, "-n", 2, app) == 2
    assert not executed
    said = capsys.readouterr().err
    assert f"{app} is built with m-1, {launcher} starts o-1: " in said
    assert f"`leadline exec {there.mpiexec} -n 2 {app}`" in said and said.count("\n") == 1


def test_a_launcher_by_name_is_that_of_the_programs_mpi(
    app, there, executed, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("PATH", str(tmp_path / "other"))
    assert status("exec", "mpirun", "-n", 2, app) == 0
    assert status("exec", "--mpi", "m-1", "mpirun", "-n", 2, "python", "app.py") == 0
    assert [(done[0], done[1][0]) for done in executed] == [(there.mpiexec, there.mpiexec)] * 2
    said = capsys.readouterr().err
    assert said.count(f"{app} is built with m-1: starting it with {there.mpiexec}\n") == 1


def test_a_launcher_of_no_path_and_one_of_the_site(app, there, executed, tmp_path, monkeypatch):
    site = tmp_path / "site/mpirun"
    site.parent.mkdir()
    site.write_text("#!/bin/sh\n")
    site.chmod(site.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(site.parent))
    assert status("exec", "mpiexec", app) == status("exec", "mpirun", app) == 0
    assert [done[0] for done in executed] == [there.mpiexec, str(site)]


def test_the_runtime_says_what_to_set(there, tmp_path, capsys):
    assert status("exec", "--print", "--mpi", "m-1", "--json") == 0
    said = capsys.readouterr()
    library = str(tmp_path / "home/runtime/m-1/libleadline.so")
    assert json.loads(said.out)["variables"] == {"LD_PRELOAD": library}
    assert "has no profile" in said.err


def test_bad_commands_end_in_time_and_without_a_trace():
    done = subprocess.run(
        [sys.executable, "-m", "leadline", "exec", "--mpi"], capture_output=True, text=True
    )
    assert done.returncode == 2 and "Traceback" not in done.stderr


def learnt(tmp_path, *texts):
    folder = tmp_path / "home/learnt/m-1"
    folder.mkdir(parents=True)
    for number, text in enumerate(texts):
        (folder / f"{number:03}.toml").write_text(text)
    return folder


@pytest.fixture
def this_machine(monkeypatch):
    monkeypatch.delenv("LEADLINE_LEARN", raising=False)
    monkeypatch.delenv("LEADLINE_LEARNT", raising=False)
    replace_everywhere(monkeypatch, "leadline.tune.profile.machine_name", lambda _: "here")


def test_programs_learn_and_start_from_what_was_learnt_on_this_machine(
    there, executed, this_machine, tmp_path, capsys
):
    folder = learnt(tmp_path, 'machine = "here"\n', 'machine = "elsewhere"\n', "no TOML")
    assert status("exec", there.mpiexec) == 0
    [(_, _, variables)] = executed
    assert variables["LEADLINE_LEARN"] == str(folder)
    assert variables["LEADLINE_LEARNT"] == str(folder / "000.toml")
    assert capsys.readouterr().err == ""


def test_a_profile_that_is_newer_than_what_was_learnt_is_the_start(
    there, executed, this_machine, tmp_path
):
    folder = learnt(tmp_path, 'machine = "here"\n')
    os.utime(folder / "000.toml", (1, 1))
    profile = tmp_path / "home/profiles/m-1.toml"
    profile.parent.mkdir(parents=True)
    profile.write_text("format = 1\n")
    assert status("exec", there.mpiexec) == 0
    assert executed[0][2]["LEADLINE_LEARN"] == str(folder)
    assert "LEADLINE_LEARNT" not in executed[0][2]


def test_files_of_earlier_programs_go(there, executed, this_machine, tmp_path):
    folder = learnt(tmp_path, *['machine = "here"\n'] * 20)
    assert status("exec", there.mpiexec) == 0
    assert len(list(folder.iterdir())) == 8
    assert executed[0][2]["LEADLINE_LEARNT"] == str(folder / "019.toml")


def test_frozen_and_a_site_that_forbids_it_learn_nothing(
    there, executed, this_machine, tmp_path, monkeypatch, capsys
):
    learnt(tmp_path, 'machine = "here"\n')
    assert status("exec", "--frozen", there.mpiexec) == 0
    monkeypatch.setenv("LEADLINE_LEARN", "0")
    assert status("exec", there.mpiexec) == 0
    for _, _, variables in executed:
        assert variables["LEADLINE_LEARN"] == "0"
        assert "LEADLINE_LEARNT" not in variables
    assert capsys.readouterr().err.count("m-1 has no profile") == 2
    assert status("exec", "--learn", there.mpiexec) == 2
    assert "--learn: forbidden by LEADLINE_LEARN=0" in capsys.readouterr().err


SETTINGS = (
    'format = 1\nmachine = "here"\nlibrary = "MPICH Version: 1"\n'
    '[[setting]]\nvariable = "MPIR_CVAR_CELLS"\nvalue = "256"\n'
    '[[setting]]\nvariable = "UCX_TLS"\nvalue = "posix,self"\n'
)


@pytest.fixture
def tuned(tmp_path, this_machine, monkeypatch):
    """A profile with settings for m-1 on this machine, and a user who has set none of them."""
    for name in ("LEADLINE", "MPIR_CVAR_CELLS", "UCX_TLS"):
        monkeypatch.delenv(name, raising=False)
    profile = tmp_path / "home/profiles/m-1.toml"
    profile.parent.mkdir(parents=True)
    profile.write_text(SETTINGS)
    return profile


def test_the_program_has_the_settings_of_the_profile(there, executed, tuned, capsys):
    assert status("exec", there.mpiexec) == status("exec", "--frozen", there.mpiexec) == 0
    for _, _, variables in executed:
        assert variables["MPIR_CVAR_CELLS"] == "256"
        assert variables["UCX_TLS"] == "posix,self"
    assert capsys.readouterr().err == ""


def test_a_setting_of_the_user_stays_and_one_line_says_so(
    there, executed, tuned, monkeypatch, capsys
):
    monkeypatch.setenv("MPIR_CVAR_CELLS", "9")
    assert status("exec", there.mpiexec) == 0
    variables = executed[0][2]
    assert (variables["MPIR_CVAR_CELLS"], variables["UCX_TLS"]) == ("9", "posix,self")
    said = capsys.readouterr().err
    assert "MPIR_CVAR_CELLS=9 is set (environment): MPIR_CVAR_CELLS=256 of the profile" in said
    assert said.count("\n") == 1


def test_switched_off_the_library_is_as_it_was(there, executed, tuned, monkeypatch):
    monkeypatch.setenv("LEADLINE", "off")
    assert status("exec", there.mpiexec) == 0
    assert "MPIR_CVAR_CELLS" not in executed[0][2]


@pytest.mark.parametrize(("was", "is_"), [('"here"', '"elsewhere"'), ("Version: 1", "Version: 2")])
def test_settings_of_another_machine_or_library_are_left_out_and_told(
    there, executed, tuned, capsys, was, is_
):
    tuned.write_text(SETTINGS.replace(was, is_))
    assert status("exec", there.mpiexec) == 0
    assert "MPIR_CVAR_CELLS" not in executed[0][2]
    said = capsys.readouterr().err
    assert f"the settings of {tuned} are for " in said and said.count("\n") == 1


@pytest.mark.parametrize(
    ("was", "is_", "says"),
    [
        ("MPIR_CVAR_CELLS", "PATH", "the setting PATH is of no MPI library"),
        ('"256"', '""', "a value is one line of text"),
        ('"256"', "256", "write text"),
        ("format = 1", "format = 9", "in format 9"),
    ],
)
def test_a_wrong_setting_is_one_line_and_starts_nothing(
    there, executed, tuned, capsys, was, is_, says
):
    tuned.write_text(SETTINGS.replace(was, is_))
    assert status("exec", there.mpiexec) == 2
    said = capsys.readouterr().err
    assert str(tuned) in said and says in said and said.count("\n") == 1
    assert not executed


def test_settings_are_shown_and_exported_in_the_librarys_form(there, tuned, capsys):
    assert status("tune", "--show", tuned) == 0
    said = capsys.readouterr().out
    assert "MPIR_CVAR_CELLS" in said and "posix,self" in said
    assert status("tune", "--export", "--mpi", "m-1") == 0
    assert "export MPIR_CVAR_CELLS=256\n" in capsys.readouterr().out
    tuned.write_text(SETTINGS.partition("[[")[0])
    assert status("tune", "--export", "--mpi", "m-1") == 2
    assert "has no settings: `leadline tune --mpi m-1`" in capsys.readouterr().err
