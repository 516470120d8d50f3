"""What a comparison cannot tell comes with the command that would."""

import msgspec

from leadline.analysis.compare.compare import compare
from leadline.analysis.findings.open_verdicts import settling_commands

UNSURE = (1.15e-6, 1.2e-6, 1.25e-6)


def commands(evidence, base, other):
    runs = [evidence(side).run for side in (base, other)]
    return list(settling_commands(compare("a", base, "b", other), *runs))


def test_two_ways_are_measured_in_one_run_until_it_is_sure(evidence, figure):
    base = [figure(1e-6, way="plain", launch_medians_s=(1e-6, 1.1e-6, 1.2e-6))]
    other = [figure(1.2e-6, way="other", launch_medians_s=UNSURE)]
    (found,) = commands(evidence, base, other)
    assert found.startswith("leadline run family/thing ")
    assert "--way plain,other" in found or "--way other,plain" in found
    assert found.endswith("--launches 3 --until-sure 5m")


def test_two_runs_of_the_same_are_each_measured_again(evidence, figure):
    base = [figure(1e-6, launch_medians_s=(1e-6, 1.1e-6, 1.2e-6))]
    other = [figure(1.2e-6, launch_medians_s=UNSURE)]
    (found,) = commands(evidence, base, other)
    needed = compare("a", base, "b", other).figures[0].launches_needed
    assert found.endswith(f"--launches {needed}") and "--until-sure" not in found


def test_what_is_told_needs_no_command(evidence, figure):
    assert not commands(evidence, [figure(1e-6)], [figure(3e-6)])
    assert not commands(evidence, [figure(1e-6)], [figure(1e-6)])


def test_nobody_can_measure_an_import_again(evidence, figure):
    base = [figure(1e-6, launch_medians_s=(1e-6, 1.1e-6, 1.2e-6))]
    other = [figure(1.2e-6, launch_medians_s=UNSURE)]
    compared = compare("a", base, "b", other)
    run = msgspec.structs.replace(evidence(base).run, imported=object())
    assert not list(settling_commands(compared, run, run))
