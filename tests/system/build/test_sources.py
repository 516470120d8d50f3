import os

import pytest

from leadline.core.errors import UserError
from leadline.core.shipped import source_folder
from leadline.measure.build.cache import ENGINE, PROBE, signature_by_content, signature_by_time


def test_a_checkouts_sources_are_above_the_package(project):
    assert source_folder(project.root / "src/leadline") == project.root


def test_an_installed_package_has_its_own_even_inside_a_checkout(project):
    package = project.root / ".venv/lib/leadline"
    (package / "_sources/probes").mkdir(parents=True)
    (package / "_sources/CMakeLists.txt").touch()
    assert source_folder(package) == package / "_sources"


def test_no_sources_are_one_line(tmp_path):
    with pytest.raises(UserError, match="install it again"):
        source_folder(tmp_path / "leadline")


def test_this_package_has_its_sources():
    assert (source_folder() / "probes/harness").is_dir()


def test_times_and_contents_are_told_apart(project):
    def both():
        return signature_by_time(project.root, PROBE), signature_by_content(project.root, PROBE)

    time, content = both()
    assert both() == (time, content)
    os.utime(project.main, ns=(1, 1))
    assert both()[0] != time
    assert both()[1] == content


@pytest.mark.parametrize("change", ["edit", "rename", "add", "remove"])
def test_every_change_changes_both(project, change):
    before = signature_by_time(project.root, PROBE), signature_by_content(project.root, PROBE)
    if change == "edit":
        project.write("other")
    elif change == "rename":
        project.main.rename(project.main.with_name("other.cpp"))
    elif change == "add":
        (project.root / "algorithms/ring.cpp").touch()
    else:
        project.main.unlink()
    after = signature_by_time(project.root, PROBE), signature_by_content(project.root, PROBE)
    assert after[0] != before[0] and after[1] != before[1]


def test_the_runtime_is_no_reason_to_build_a_probe_again(project):
    probe, runtime = (signature_by_content(project.root, parts) for parts in (PROBE, ENGINE))
    (project.root / "runtime/library.cpp").write_text("int second;")
    assert signature_by_content(project.root, PROBE) == probe
    assert signature_by_content(project.root, ENGINE) != runtime


def test_other_files_of_the_checkout_do_not_count(project):
    before = signature_by_content(project.root, PROBE)
    (project.root / "README.md").write_text("new")
    assert signature_by_content(project.root, PROBE) == before
