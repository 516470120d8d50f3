"""Others beside launches: a cost is claimed where chance does not explain it, and only there."""

import itertools
import math
import random
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from leadline.analysis.compare.differences import differences
from leadline.analysis.compare.interference import interference_text, launches_text, seen_at
from leadline.analysis.findings.evidence import Past
from leadline.analysis.findings.rules.interference import busy_machine, company, slower_in_company
from leadline.analysis.findings.rules.links import link_errors
from leadline.analysis.findings.rules.machine import changed_since
from leadline.analysis.stats.ranks import Stratum, association, launches_to_tell, rank_test
from leadline.model.interference import Interference, InterferingJob, InterferingProgram, Link

NOBODY = Interference(host="here", seconds=10.0, looks=3, looks_cpu_s=0.001)


def program(cores=1.0, command="eater", user="ann"):
    return InterferingProgram(command=command, user=user, processes=1, cores=cores)


def neighbour(nodes=64, name="flow", shared=0, seconds=10.0, number="7"):
    return InterferingJob(
        id=number,
        user="bob",
        name=name,
        nodes=nodes,
        hosts=("n1", "n2", "n3", "n4", "n5")[:nodes],
        shared_nodes=shared,
        seconds=seconds,
    )


@pytest.fixture
def run_of(evidence, figure):
    """Make a run whose launches took so long at three sizes, and had such company."""

    def make(seconds, companies, **changes):
        figures = [
            figure(
                factor * seconds[0],
                size,
                launches=len(seconds),
                launch_medians_s=tuple(factor * each for each in seconds),
                **changes,
            )
            for factor, size in ((1.0, 8), (1.1, 1024), (3.0, 2**20))
        ]
        whole = evidence(figures)
        (launch, *_) = whole.run.launches
        whole.run.launches = [
            msgspec.structs.replace(
                launch,
                launch=number,
                company=each,
                started="2026-01-01T00:00:00+00:00",
                ended="2026-01-01T00:00:10+00:00",
            )
            for number, each in enumerate(companies)
        ]
        return whole

    return make


def beside(launches, of, **company_of):
    other = msgspec.structs.replace(NOBODY, **company_of)
    return [other if number in launches else NOBODY for number in range(of)]


def noisy(of, slow=(), factor=1.0, seed=3):
    chance = random.Random(seed)
    return [
        1e-3 * math.exp(chance.gauss(0, 0.02)) * (factor if number in slow else 1.0)
        for number in range(of)
    ]


def test_a_neighbour_with_whom_figures_were_slower_is_named(run_of):
    there = (1, 2, 3)
    whole = run_of(noisy(10, there, 1.33), beside(there, 10, jobs=(neighbour(),)))
    (found,) = slower_in_company.find(whole)
    assert found.severity == "notice" and set(found.points) == {0, 1, 2}
    assert found.text.startswith(
        "job flow of bob on 64 nodes (n1, n2, n3, n4, ...) ran in launches 2 to 4. "
        "family/thing was 1.4x (1.3 to 1.4) slower meanwhile (most: family/thing, 8 B, "
    )
    assert "MB/s against " in found.text
    # One way of 120 to choose three launches of ten is as slow.
    assert found.evidence["p_value"] == pytest.approx(1 / 120)
    assert found.evidence["slower_ratio"] == pytest.approx(1.33, rel=0.05)
    assert found.evidence["slower_ratio_low"] > 1.2
    assert (found.evidence["launches"], found.evidence["launches_with"]) == (10, 3)
    assert "Something else may have changed" in found.text
    assert found.evidence["at_once"] == 1
    assert "--launches 10" in found.command
    assert list(company.find(whole)) == []


def test_probabilities_are_evidence_and_no_text(run_of):
    there = range(1, 30, 3)
    whole = run_of(noisy(30, there, 1.5), beside(there, 30, programs=(program(),)))
    (found,) = slower_in_company.find(whole)
    assert "probability" not in found.text
    assert 0 < found.evidence["p_value"] < 1e-3


def test_nothing_is_claimed_of_scrambled_labels(run_of):
    """Where company is dealt out by chance, it is blamed as often as chance allows: 5 %."""
    blamed, cases = 0, 200
    for seed in range(cases):
        there = random.Random(seed).sample(range(10), 4)
        slow = random.Random(1000 + seed).sample(range(10), 4)
        seconds = noisy(10, slow, 1.5, seed)
        whole = run_of(seconds, beside(there, 10, programs=(program(),)))
        blamed += bool(list(slower_in_company.find(whole)))
    # Binomial: 5 % of 200 is 10, and 20 or more has a probability of 0.3 %.
    assert blamed < 20


def test_too_few_launches_only_say_who_was_there(run_of):
    whole = run_of(noisy(6, (2, 4), 2.0), beside((2, 4), 6, programs=(program(0.98),)))
    assert list(slower_in_company.find(whole)) == []
    (found,) = company.find(whole)
    assert found.severity == "fact"
    assert found.text.startswith(
        "family/thing was 2.0x slower in 2 launches with eater of ann (0.98 cores)."
    )
    assert "6 launches are too few to be sure" in found.text
    assert found.evidence["with_ratio"] == pytest.approx(2.0, rel=0.05)
    assert found.evidence["least_p_value"] == pytest.approx(1 / 15)
    assert found.command.endswith("--launches 14")


def test_enough_launches_without_an_effect_clear_the_neighbour(run_of):
    whole = run_of(noisy(10), beside((1, 3, 6), 10, jobs=(neighbour(),)))
    assert list(slower_in_company.find(whole)) == []
    assert list(company.find(whole)) == []


def test_company_without_a_large_effect_is_no_finding(run_of):
    whole = run_of(noisy(6, (2, 4), 1.1), beside((2, 4), 6, programs=(program(0.98),)))
    assert list(slower_in_company.find(whole)) == list(company.find(whole)) == []


def test_slower_in_company_stays_silent_where_it_was_faster(run_of):
    whole = run_of(noisy(10, (1, 3, 6), 0.5), beside((1, 3, 6), 10, programs=(program(),)))
    assert list(slower_in_company.find(whole)) == []


def test_nobody_and_runs_where_nobody_looked_are_silent(run_of):
    for companies in ([NOBODY] * 6, [None] * 6):
        whole = run_of(noisy(6), companies)
        assert not list(company.find(whole)) and not list(slower_in_company.find(whole))


def test_company_stays_silent_of_who_takes_little(run_of):
    quiet = msgspec.structs.replace(
        NOBODY,
        programs=(program(0.05),),
        cores=0.2,
        stolen_fraction=0.01,
        links=(
            Link(name="eth0", received_bytes=10**6, sent_bytes=0, errors=0, dropped=0,
                 others_bytes=10**6),
            Link(name="lo", received_bytes=10**12, sent_bytes=0, errors=0, dropped=0),
        ),
        jobs=(neighbour(seconds=0.2),),
    )  # fmt: skip
    whole = run_of(noisy(6), [quiet] * 3 + [NOBODY] * 3)
    assert not list(company.find(whole))


def test_all_kinds_of_company_in_words(run_of):
    busy = msgspec.structs.replace(
        NOBODY,
        programs=(program(0.5, "cc1plus", "eve"),),
        cores=1.5,
        stolen_fraction=0.12,
        links=(
            Link(name="eth0", received_bytes=10**9, sent_bytes=0, errors=0, dropped=0,
                 others_bytes=10**9),
        ),
        jobs=(neighbour(2, shared=1),),
        jobs_running=1,
        jobs_nodes=2,
        batch_system="slurm",
    )  # fmt: skip
    text = interference_text(run_of(noisy(2), [busy, NOBODY]).run)
    assert text == (
        "job flow of bob on 2 nodes (n1, n2), other virtual machines (12 % of the processors' "
        "time) and 3 more in launch 1"
    )


def test_jobs_that_are_always_there_are_counted(run_of):
    crowd = {"jobs_running": 340, "jobs_nodes": 1200, "batch_system": "slurm"}
    companies = beside(range(3), 3, jobs=(neighbour(),), **crowd)
    text = interference_text(run_of(noisy(3), companies).run)
    assert text == "up to 340 other jobs of slurm on 1200 nodes"


def test_one_launch_in_words(run_of):
    odd = msgspec.structs.replace(NOBODY, programs=(program(0.5, "{} {}"),))
    launches = run_of(noisy(3), [odd, NOBODY, None]).run.launches
    assert [seen_at(each) for each in launches] == ["{} {} of ann (0.5 cores)", "nobody", "-"]


def test_jobs_of_the_same_name_are_one_neighbour(run_of):
    companies = beside((1,), 10, jobs=(neighbour(number="7"),))
    companies[4] = msgspec.structs.replace(NOBODY, jobs=(neighbour(number="8"),))
    companies[7] = msgspec.structs.replace(NOBODY, jobs=(neighbour(number="9"),))
    (found,) = slower_in_company.find(run_of(noisy(10, (1, 4, 7), 1.4), companies))
    assert "in launches 2, 5 and 8" in found.text


def test_a_busy_machine_is_told_with_who_kept_it_busy(run_of):
    there = {"programs": (program(1.9, "eater", "ann"),), "cores": 1.9, "processors": 2}
    whole = run_of(noisy(6), beside((2, 4), 6, **there))
    whole.run.load_during = {"busy_fraction": 0.31}
    (found,) = busy_machine.find(whole)
    assert (
        "used 31 % of the processors' time: eater of ann (1.9 cores) in launches 3 and 5."
        in found.text
    )
    assert found.advice == "Stop these programs, then measure again."
    assert found.command == "leadline run family/thing --place 1x2"
    assert found.evidence == {"busy_fraction": 0.31, "launches": 2.0}
    whole.run.load_during = {"busy_fraction": 0.08}
    (found,) = busy_machine.find(whole)
    assert "used up to 95 % of the processors' time in launches 3 and 5: eater" in found.text
    whole = run_of(noisy(6), beside((5,), 6, stolen_fraction=0.3))
    (found,) = busy_machine.find(whole)
    assert found.text.startswith(
        "Other virtual machines took up to 30 % of the processors' time in launch 6."
    )


def test_threads_of_the_kernel_are_named_to_nobody(run_of):
    thread = msgspec.structs.replace(program(1.9, "kdamond.0", "root"), kernel=True)
    whole = run_of(noisy(6), beside((2, 4), 6, programs=(thread,), cores=1.9, processors=2))
    (found,) = busy_machine.find(whole)
    assert "kdamond" not in found.text
    assert found.advice is found.command is None


def test_errors_of_links_are_counted(run_of):
    def link(name, errors, dropped):
        return Link(name=name, received_bytes=10**6, sent_bytes=0, errors=errors, dropped=dropped)

    companies = beside((1,), 6, links=(link("eth0", 3, 0), link("eth1", 0, 50)))
    companies[4] = msgspec.structs.replace(NOBODY, links=(link("eth0", 2, 7),))
    (found,) = link_errors.find(run_of(noisy(6), companies))
    assert found.text.startswith("Link eth0 counted 5 errors and dropped 7 packets in launches 2 ")
    assert found.evidence == {"errors": 5.0, "dropped": 7.0, "launches": 2.0}
    assert not list(link_errors.find(run_of(noisy(6), [NOBODY, None] * 3)))


def test_two_runs_differ_in_their_company(run_of):
    alone = run_of(noisy(4), [NOBODY] * 4).run
    beside_one = run_of(noisy(4), beside((1, 2), 4, programs=(program(1.0),))).run
    unwatched = run_of(noisy(4), [None] * 4).run
    told = {each.name: (each.base, each.other) for each in differences(alone, beside_one)}
    assert told == {"others there": ("nobody", "eater of ann (1 core) in launches 2 and 3")}
    assert differences(alone, alone) == differences(unwatched, beside_one) == ()
    assert differences(beside_one, beside_one) == ()
    # More of the same, or somebody who took little, is no other company.
    more = run_of(noisy(4), beside((1, 2, 3), 4, programs=(program(1.5),))).run
    little = run_of(noisy(4), beside((0,), 4, programs=(program(0.3, "other"),))).run
    assert differences(beside_one, more) == differences(alone, little) == ()


def test_numbers_are_told_as_numbers(run_of):
    run = run_of(noisy(4), [NOBODY] * 4).run
    stopping = msgspec.structs.replace(run.plan.stopping, seconds=2.0)
    other = msgspec.structs.replace(run, plan=msgspec.structs.replace(run.plan, stopping=stopping))
    (found,) = differences(run, other)
    assert (found.name, found.base, found.other) == ("stopping seconds", "1.0", "2.0")


def test_a_change_since_an_earlier_run_names_company_that_differs(run_of):
    now = run_of(noisy(10, range(10), 2.0), beside(range(3), 10, programs=(program(),)))
    for company_then, told in (("", "none"), ("cc1 of eve (2 cores) in launch 1",) * 2):
        then = Past("earlier", "2026-01-01", run_of(noisy(10), [NOBODY] * 10).points, company_then)
        (found,) = changed_since.find(replace(now, past=(then,)))
        assert found.text.endswith(
            f" Other programs now: eater of ann (1 core) in launches 1 to 3; in earlier: {told}."
        )
    same = interference_text(now.run)
    for company_then in (same, None):
        past = (then._replace(interference=company_then),)
        (found,) = changed_since.find(replace(now, past=past))
        assert "Others there" not in found.text


def strata(*groups):
    return [Stratum(np.log(np.array([times])), np.array(present)) for times, present in groups]


def test_one_stratum_is_mann_and_whitneys_test():
    chance = random.Random(5)
    for _ in range(20):
        times = [math.exp(chance.gauss(0, 1)) for _ in range(9)]
        present = [True] * 4 + [False] * 5
        found = association(strata((times, present)))
        within, without = np.array(times[:4]), np.array(times[4:])
        two_sided = rank_test(without, within)
        if np.median(within) > np.median(without) and found.p_value < 0.5:
            assert 2 * found.p_value == pytest.approx(two_sided)


def test_strata_are_counted_by_brute_force():
    one, two = [1.0, 5.0, 2.0, 7.0], [10.0, 30.0, 20.0]
    found = association(strata((one, [False, True, False, True]), (two, [False, True, False])))
    # The highest of the one's six ways and of the other's three.
    assert found == (1 / 18, 1 / 18)
    # A stratum where the company always was tells nothing.
    assert association(strata((one, [True] * 4))) is None
    with_it = association(strata((one, [False, True, False, True]), (two, [True] * 3)))
    assert with_it.p_value == pytest.approx(1 / 6)


def test_many_ways_are_drawn_and_agree_with_all_of_them():
    chance = random.Random(11)
    times = [math.exp(chance.gauss(0, 1)) for _ in range(18)]
    present = np.array([number % 3 == 0 for number in range(18)])
    (stratum,) = strata((times, present))
    ranks = np.argsort(np.argsort(stratum.scores))
    sums = [sum(ranks[list(each)]) for each in itertools.combinations(range(18), 6)]
    exact = np.mean(np.array(sums) >= ranks[present].sum())
    assert stratum.ways < 20_000
    assert association([stratum]).p_value == pytest.approx(exact)
    (second,) = strata(([1.0, 2.0], [False, True]))
    drawn = association([stratum, second]).p_value
    assert association([stratum, second]).least_p_value < 1e-4
    assert drawn == pytest.approx(association([stratum, second]).p_value)


def test_how_many_launches_would_tell():
    assert launches_to_tell(2, 6, 0.05) == 7
    assert math.comb(7, 2) > 20 > math.comb(6, 2)


@pytest.mark.parametrize(
    ("numbers", "text"), [((0,), "in launch 1"), ((0, 2, 3, 4), "in launches 1 and 3 to 5")]
)
def test_launches_in_words(numbers, text):
    assert launches_text(numbers, 9) == text


def test_link_errors_stays_silent_of_packets_that_hosts_drop(run_of):
    dropped = Link(name="eth0", received_bytes=10**6, sent_bytes=0, errors=0, dropped=10**6)
    assert not list(link_errors.find(run_of(noisy(6), beside((1, 2), 6, links=(dropped,)))))
