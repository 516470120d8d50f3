"""`tools/tidy`: what it looks at again."""

import pytest

CMAKE = """#!/bin/sh
while [ "$1" != -B ]; do shift; done
mkdir -p "$2" && echo "$*" >"$2/compile_commands.json"
"""
RUN = '#!/bin/sh\necho "looked at $4"\n[ ! -e broken ]\n'


@pytest.fixture
def machine(make_machine):
    made = make_machine(
        ("tidy",), ("sh", "dirname", "mkdir", "cat", "find", "sort", "xargs", "cksum", "rm")
    )
    for folder in ("algorithms", "kernels", "probes", "runtime", "schedules"):
        (made.checkout / folder).mkdir()
        (made.checkout / folder / "one.cpp").touch()
    (made.checkout / ".clang-tidy").touch()
    programs = {"cmake": CMAKE, "run-clang-tidy.py": RUN, "clang-tidy": "#!/bin/sh\necho 23\n"}
    for name, text in programs.items():
        made.has(name, text, made.checkout / ".venv/bin")
    return made


def looked(answer):
    return answer.stdout.count("looked at")


def test_what_was_found_good_is_not_looked_at_again_until_it_changes(machine):
    assert looked(machine.run("tidy")) == 4
    assert looked(machine.run("tidy")) == 0
    assert looked(machine.run("tidy", "probes/one")) == 4
    (machine.checkout / "probes" / "one.cpp").write_text("int one;\n")
    assert looked(machine.run("tidy")) == 4
    (machine.checkout / ".clang-tidy").write_text("Checks: '*'\n")
    assert looked(machine.run("tidy")) == 4


def test_what_was_found_bad_is_looked_at_again(machine):
    (machine.checkout / "broken").touch()
    assert machine.run("tidy").returncode != 0
    (machine.checkout / "broken").unlink()
    assert looked(machine.run("tidy")) == 4
