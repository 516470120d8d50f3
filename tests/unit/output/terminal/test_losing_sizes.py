"""Where something gains, the sizes at which it loses stand beside those at which it does."""

import io

import msgspec
import pytest
from example_run import example_analysis

from leadline.analysis.compare.compare import compare
from leadline.model.profile import LIBRARY
from leadline.model.tuning import Left, Trial, Tuning, Verdict
from leadline.output.html.comparison import section
from leadline.output.terminal.comparison import print_comparison
from leadline.output.terminal.tuning import print_tuning


@pytest.fixture(scope="module")
def points():
    """Three sizes of one curve, each with ten steady launches."""
    first = example_analysis().points[1]
    return [at_size(first, size, 1e-6) for size in (8, 64, 512)]


def at_size(point, size, seconds):
    launches = tuple(seconds * (1 + 0.001 * at) for at in range(10))
    return msgspec.structs.replace(
        point, axes={"bytes": size}, bytes=size, median_s=seconds, launch_medians_s=launches,
        launches=10, ci95_low_s=seconds * 0.999, ci95_high_s=seconds * 1.01,
    )  # fmt: skip


def changed(points, *factors):
    """Return the comparison with the same sizes at so many times their time."""
    others = [
        at_size(point, point.bytes, point.median_s * factor)
        for point, factor in zip(points, factors, strict=True)
    ]
    return compare("before", points, "after", others)


def printed(print_it, *what, **options):
    text = io.StringIO()
    print_it(*what, file=text, **options)
    return " ".join(text.getvalue().split())


def test_a_comparison_names_where_it_is_faster_slower_and_the_same(points):
    mixed = changed(points, 0.5, 1.0, 2.0)
    told = "faster at 8 B; slower at 512 B; the same at 64 B"
    assert told in printed(print_comparison, mixed)
    # What is left out of the table is not left out of the sentence.
    assert told in printed(print_comparison, mixed, only_changed=True)
    captions = [
        each["sheet"].caption
        for family in section(mixed, 1, ())["families"]
        for benchmark in family["benchmarks"]
        for each in benchmark["panels"]
    ]
    assert any(told in caption for caption in captions)


def test_a_comparison_without_a_change_has_no_such_sentence(points):
    assert "the same at" not in printed(print_comparison, changed(points, 1.0, 1.0, 1.0))


def test_times_that_are_no_medians_are_said_to_be_means(points):
    note = "Times are means over launches; `leadline show` prints medians"
    near = [msgspec.structs.replace(one, median_s=1.0045e-6) for one in points]
    assert note not in printed(print_comparison, compare("before", near, "after", near))
    off = [msgspec.structs.replace(one, median_s=1.03e-6) for one in points]
    assert note in printed(print_comparison, compare("before", near, "after", off))


def verdict(size, gain, reason="", choice="ring"):
    trial = Trial(
        collective="bcast", nodes=1, processes=2, bytes=size, choice=choice,
        without_s=(1e-6,), with_s=(1e-6 / gain,),
    )  # fmt: skip
    return Verdict(
        trial=trial, without_us=1.0, with_us=1 / gain, gain=gain, gain_low=gain * 0.9,
        gain_high=gain * 1.1, p_value=0.01, reason=reason,
    )  # fmt: skip


def tuning(*verdicts, left=()):
    return Tuning(
        kind="profile", mpi="mpich-5", machine="this", library="", seconds=1.0, state="complete",
        runs=(), undecided=0, library_best=sum(not one.undecided for one in left),
        verdicts=verdicts, files=(), left=left,
    )  # fmt: skip


def test_a_tuning_names_where_a_choice_loses_and_where_the_library_is_left():
    def left(size, undecided):
        return Left(collective="bcast", nodes=1, processes=2, bytes=size, undecided=undecided)

    text = printed(
        print_tuning,
        tuning(
            verdict(8, 2.0), verdict(64, 1.02, "not for sure"), verdict(512, 0.5, "not faster"),
            left=(left(4096, undecided=False), left(65536, undecided=True)),
        ),
    )  # fmt: skip
    assert (
        "bcast on 1x2: faster at 8 B; slower at 512 B; unclear at 64 B and 64 KiB; "
        "the library stays at 4 KiB"
    ) in text
    assert "1 of 3 choices kept; nothing is faster than the library's own at 1 size" in text
    assert "; unclear at 1 size" in text


def test_what_a_disturbed_machine_hid_is_tried_again():
    text = printed(print_tuning, tuning(verdict(8, 2.0, "disturbed"), verdict(64, 3.0)))
    assert "1 choice met a disturbed machine: `leadline tune --resume` tries it again" in text


def test_a_size_that_other_choices_harm_is_one_that_loses():
    text = printed(
        print_tuning,
        tuning(verdict(8, 2.0), verdict(64, 0.5, "nothing chosen", choice=LIBRARY)),
    )
    assert "bcast on 1x2: faster at 8 B; slower at 64 B" in text


def test_the_last_line_of_a_tuning_is_what_to_type_next():
    use = "leadline exec mpiexec -n 2 ./app"
    won = msgspec.structs.replace(tuning(verdict(8, 2.0)), files=("/p.toml",), use=use)
    assert printed(print_tuning, won).endswith(f"now: {use}")
    lost = msgspec.structs.replace(tuning(verdict(8, 0.5, "not faster")), use=use)
    assert use not in printed(print_tuning, lost)
