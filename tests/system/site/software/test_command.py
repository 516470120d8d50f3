"""`leadline mpi software` as people call it."""

import json
import shutil
import subprocess

import msgspec
import pytest

from leadline.cli import main
from leadline.model.installation import Installation
from leadline.model.plan import Plan
from leadline.model.run import Outcome, Run
from leadline.model.software import Software
from leadline.store.folder import RunFolder


@pytest.fixture
def env(machine, monkeypatch, capsys):
    """Call the command on the made-up machine; it returns status, output and errors."""
    machine.gcc("bin", "12.2.0")
    machine.link("bin/cc", "gcc")
    monkeypatch.setattr("leadline.site.software.inventory.Host", lambda: machine.here("bin"))

    def call(*words):
        with pytest.raises(SystemExit) as ended:
            main(["mpi", "software", *map(str, words)])
        said = capsys.readouterr()
        return ended.value.code or 0, said.out, said.err

    return call


def test_the_table_has_versions_and_defaults(env):
    status, output, _ = env()
    assert status == 0
    (row,) = (line.split() for line in output.splitlines() if "gcc " in line and "bin/gcc" in line)
    assert row[:3] == ["compiler", "gcc", "12.2.0"]
    (default,) = (line.split() for line in output.splitlines() if line.split()[:1] == ["cc"])
    assert default[1:3] == ["gcc", "12.2.0"]


def test_json_is_what_the_model_says(env):
    status, output, _ = env("--json")
    software = msgspec.json.decode(output, type=Software)
    assert status == 0
    assert ("gcc", "12.2.0") in {(item.name, item.version) for item in software.items}


def test_two_dates_of_one_machine(env, machine, tmp_path):
    """A compiler is replaced, and another takes over cc."""
    file = tmp_path / "before.json"
    assert env("--save", file)[0] == 0
    assert env("--against", file, "--fail-if-different")[0] == 0
    machine.gcc("bin", "13.1.0")
    machine.program("bin/clang", "clang version 14.0.6")
    (machine.root / "bin/cc").unlink()
    machine.link("bin/cc", "clang")
    status, output, _ = env("--against", file, "--json")
    found = {(each["name"], each["change"]): each for each in json.loads(output)["changes"]}
    assert status == 0
    assert set(found) == {("gcc", "other version"), ("clang", "only in other"),
                          ("cc", "other default")}  # fmt: skip
    assert (found["gcc", "other version"]["base"], found["gcc", "other version"]["other"]) == (
        "12.2.0", "13.1.0")  # fmt: skip
    assert env("--against", file, "--fail-if-different")[0] == 1
    after = tmp_path / "after.json"
    env("--save", after)
    status, output, _ = env("--diff", file, after, "--fail-if-different")
    assert status == 1
    assert output.startswith("3 differences in ")


def _run(runs, name, gcc, openmpi):
    used = Installation(name="o", family="openmpi", version=openmpi, prefix="/o", source="PATH")
    compilers = {"gcc": f"gcc (Own 1) {gcc}", "g++": f"g++ (Own 1) {gcc}"}
    run = Run(
        run=name, leadline="1", plan=Plan(entries=()), started="2026-11-21T00:00:00+00:00",
        outcome=Outcome(state="complete"), installations=[used],
        machine={"host": "h", "kernel": "6.1", "compilers": compilers},
    )  # fmt: skip
    (runs / name).mkdir(parents=True)
    (runs / name / "run.json").write_bytes(msgspec.json.encode(run))
    assert RunFolder.open(name, runs).read().run == name


def test_two_runs_differ_in_what_they_recorded(env, tmp_path):
    _run(tmp_path, "one", "12.2.0", "4.1.4")
    _run(tmp_path, "two", "13.1.0", "4.1.4")
    status, output, _ = env("--diff", "one", "two", "--runs", tmp_path, "--json")
    assert status == 0
    assert json.loads(output)["changes"] == [
        {"kind": "compiler", "name": "gcc", "change": "other version",
         "base": "12.2.0", "other": "13.1.0"}
    ]  # fmt: skip


def test_a_run_does_not_miss_what_it_did_not_record(env, tmp_path, machine):
    _run(tmp_path, "one", "12.2.0", "4.1.4")
    machine.program("bin/clang", "clang version 14.0.6")
    _, output, _ = env("--against", "one", "--runs", tmp_path, "--json")
    assert {each["kind"] for each in json.loads(output)["changes"]} <= {"system"}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--against", "nothing"], "neither a file"),
        (["--diff", "nothing", "nowhere"], "'nothing'"),
        (["--diff", "a", "b", "--save", "c"], "leave out --save"),
        (["--fail-if-different"], "--against"),
        (["ls", "--pid", "1"], "not both"),
        (["ls", "--diff", "a", "b"], "leave out"),
        (["no-such-program"], "is no file"),
        (["--pid", "999999999"], "no process"),
    ],
)
def test_bad_input_is_one_line(env, words, says):
    status, output, errors = env(*words)
    assert (status, output, errors.count("\n")) == (2, "", 1)
    assert says in errors


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"format": 9}', '{"format": 1, "items": 3}', "\x00\xff"]
)
def test_a_file_of_something_else_is_refused(env, tmp_path, text):
    file = tmp_path / "other.json"
    file.write_text(text)
    status, output, errors = env("--against", file)
    assert (status, output, errors.count("\n")) == (2, "", 1)
    assert str(file) in errors


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_a_program_before_and_after_its_library_was_built_again(env, tmp_path):
    """Two builds of a library under one name, and the program as it was saved."""

    def cc(source, *words):
        (tmp_path / "source.c").write_text(source)
        subprocess.run(["cc", tmp_path / "source.c", *words], check=True)

    def library(returns):
        flags = ("-shared", "-fPIC", "-Wl,--build-id", "-Wl,-soname,libvalue.so.1.2")
        cc(f"int value(void) {{ return {returns}; }}", *flags, "-o", tmp_path / "libvalue.so.1.2")

    program, kept = tmp_path / "program", tmp_path / "kept.json"
    library(1)
    main = "int value(void); int main(void) { return value(); }"
    cc(main, tmp_path / "libvalue.so.1.2", f"-Wl,-rpath,{tmp_path}", "-o", program)
    assert env(program, "--save", kept)[0] == 0
    assert env(program, "--against", kept, "--fail-if-different")[0] == 0
    library(2)
    status, output, _ = env(program, "--against", kept, "--json")
    (change,) = json.loads(output)["changes"]
    assert status == 0
    assert (change["name"], change["change"]) == ("libvalue.so.1.2", "other build")
    assert change["base"] != change["other"]
