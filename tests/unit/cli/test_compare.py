"""`leadline compare` as a user types it."""

import json

import pytest
from in_process import leadline


@pytest.fixture
def compare(runs):
    return lambda *words: leadline("compare", *words, "--runs", runs)


def refused(result, words: str) -> None:
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("leadline: ") and result.stderr.count("\n") == 1
    assert words in result.stderr


def test_a_table_with_verdicts_and_a_summary(compare, stored, curve):
    before, after = stored(curve()), stored([*curve(1.2, [8]), *curve(1.0, [65536])])
    result = compare(before, after)
    assert (result.returncode, result.stderr) == (0, "")
    assert "\x1b" not in result.stdout
    lines = result.stdout.splitlines()
    assert lines[0] == f"{after} against {before}"
    assert lines[1].strip() == (
        "The other run is slower than the base in 1 of 2 figures, at most 1.2x: "
        "family/thing at 8 B."
    )
    (slow,) = [line for line in lines if line.startswith("   8 B")]
    assert "1.200" in slow and "slower" in slow
    assert result.stdout.replace(" \n", " ").endswith(
        "2 figures: 1 slower, 0 faster, 1 the same within 5 %, 0 unclear; "
        "geometric mean of the ratios 1.095\n"
    )


def test_of_many_figures_those_that_changed_are_shown(compare, stored, curve):
    sizes = [2**n for n in range(14)]
    before = stored(curve(sizes=sizes))
    after = stored([*curve(1.2, [8]), *curve(sizes=[size for size in sizes if size != 8])])
    rows = [line for line in compare(before, after).stdout.splitlines() if "B  " in line]
    assert len(rows) == 1 and "slower" in rows[0]
    assert "13 figures the same or unclear: --full" in compare(before, after).stdout
    every = compare(before, after, "--full").stdout
    assert sum("B  " in line for line in every.splitlines()) == 14


def test_gates_decide_the_status_and_say_for_which_figures(compare, stored, curve):
    before, after = stored(curve()), stored(curve(1.2))
    assert compare(before, after, "--fail-if", "slower:30%").returncode == 0
    assert compare(before, after, "--fail-if", "faster", "--fail-if", "missing").returncode == 0
    failed = compare(before, after, "--fail-if", "slower:10%", "--fail-if", "changed")
    assert failed.returncode == 1
    assert failed.stderr.splitlines() == [
        "leadline: fails for slower:10%: family/thing at 8 B; family/thing at 64 KiB",
        "leadline: fails for changed: family/thing at 8 B; family/thing at 64 KiB",
    ]


def test_wrong_data_and_missing_figures_can_fail_too(compare, stored, curve):
    before, after = stored(curve()), stored(curve(sizes=[8], verified=False))
    failed = compare(before, after, "--fail-if", "unverified", "--fail-if", "missing")
    assert failed.returncode == 1
    assert failed.stderr.splitlines() == [
        "leadline: fails for unverified: family/thing at 8 B",
        "leadline: fails for missing: family/thing at 64 KiB",
    ]
    assert "WRONG DATA in other" in failed.stdout


def test_json_has_all_of_it(compare, stored, curve):
    before, others = stored(curve()), [stored(curve(factor)) for factor in (0.5, 1.0)]
    result = compare(before, *others, "--json", "--fail-if", "faster:10%")
    assert result.returncode == 1
    found = json.loads(result.stdout)["comparisons"]
    assert [each["other"] for each in found] == others
    assert [figure["verdict"] for figure in found[0]["figures"]] == ["faster", "faster"]
    assert found[0]["failures"][0]["gate"] == "faster:10%"
    assert found[1]["failures"] == []


def test_parts_of_one_run_are_held_against_each_other(compare, stored, curve):
    both = stored([*curve(), *curve(2.0, mpi="second-2.0"), *curve(mpi="third-1.0")])
    part = compare(f"{both}:mpi=first", f"{both}:mpi=second", "--json")
    (found,) = json.loads(part.stdout)["comparisons"]
    assert [figure["ratio"] for figure in found["figures"]] == pytest.approx([2.0, 2.0])
    split = json.loads(compare(both, "--by", "mpi", "--json").stdout)["comparisons"]
    assert [(each["base"], each["other"]) for each in split] == [
        ("mpi=first-1.0", "mpi=second-2.0"),
        ("mpi=first-1.0", "mpi=third-1.0"),
    ]


def test_the_page_is_written(compare, stored, curve, tmp_path):
    page = tmp_path / "page.html"
    assert compare(stored(curve()), stored(curve(1.2)), "--html", page).returncode == 0
    assert "slower" in page.read_text()


def test_what_cannot_be_compared_is_said_in_one_line(compare, stored, curve, runs):
    name = stored(curve())
    refused(compare(name), "name a second one, or split it with --by mpi")
    refused(compare(name, name), f"{name} and {name} are one run, {name}: name another one")
    refused(compare("last", f"{name}:bytes=8"), "are one run")
    refused(compare(name, "nothing"), "no run 'nothing' in")
    refused(compare(f"{name}:mpi=none", name), "its values are first-1.0")
    refused(
        compare(f"{name}:colour=red", name), "has no choice 'colour': it has benchmark, bytes, way"
    )
    refused(compare(f"{name}:mpi=,way", name), "is not NAME=VALUE")
    refused(compare(name, "--by", "mpi"), "has mpi=first-1.0 only")
    refused(compare(name, name, "--by", "mpi"), "--by takes one run, not 2")
    refused(compare(name, name, "--fail-if", "slow"), "write slower, faster, changed")
    refused(compare(name, name, "--fail-if", "unverified:5%"), "unknown condition 'unverified:5%'")
    refused(compare(name, name, "--same-within", "-1"), "no percentage")
    refused(compare(name, "--since", "soon"), "write it as 2026-01-31")
    refused(compare(stored([]), name), "has no figures")


def test_without_a_figure_in_common_nothing_passes(compare, stored, curve):
    before, after = stored(curve()), stored(curve(benchmark="family/other"))
    result = compare(before, after, "--fail-if", "slower:10%")
    assert result.returncode == 2
    assert "have no figure in common" in result.stdout
    assert compare(before, after, "--fail-if", "missing").returncode == 1


def test_a_file_is_one_with_itself_by_any_name(compare, tmp_path, monkeypatch):
    (tmp_path / "osu.txt").write_text(
        "# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n8            1.02\n"
    )
    monkeypatch.chdir(tmp_path)
    refused(compare("osu.txt", "./osu.txt"), "osu.txt and ./osu.txt are one run")
