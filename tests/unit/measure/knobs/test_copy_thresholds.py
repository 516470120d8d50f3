"""The thresholds of memcpy in the C library: how they are written, and that it takes them."""

import pytest

from leadline.core.errors import UserError
from leadline.measure.knobs.knob import Unsupported
from leadline.measure.knobs.known import knob_values, with_knobs
from leadline.measure.knobs.memory import with_tunables
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.model.placement import Placement
from leadline.site.hardware.software import Tunable

MOVSB = "glibc.cpu.x86_rep_movsb_threshold"
NON_TEMPORAL = "glibc.cpu.x86_non_temporal_threshold"
LISTED = {
    MOVSB: Tunable(value=2112, low=512, high=2**64 - 1),
    NON_TEMPORAL: Tunable(value=0xF000000, low=0x4040, high=2**60 - 1),
}
JOB = Job(program=("./probe",), placement=Placement(1, 2))
MPI = Installation(name="mpi", family="mpi", version="4", prefix="/", source="")


@pytest.fixture(autouse=True)
def nothing_tuned(monkeypatch):
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("vector,default", ["vector", "default"]),
        ("rep_movsb:65536", ["rep_movsb:64K"]),
        ("non_temporal:8M+rep_movsb:4K", ["rep_movsb:4K+non_temporal:8M"]),
        ("non_temporal:never+rep_movsb:never", ["vector"]),
        ("rep_movsb:never", ["rep_movsb:never"]),
    ],
)
def test_values_have_one_spelling(text, values):
    assert knob_values("copy_thresholds", text) == values


@pytest.mark.parametrize("text", ["", "64K", "rep_movsb", "rep_movsb:", "rep_stosb:1K", "vectors"])
def test_what_is_no_value_is_told(text):
    with pytest.raises(UserError, match=f"knob copy_thresholds={text}: take vector, or rep_movsb"):
        knob_values("copy_thresholds", text)
    with pytest.raises(UserError, match="not a whole number"):
        knob_values("copy_thresholds", "rep_movsb:big")


@pytest.mark.parametrize(
    ("value", "variable"),
    [
        ("rep_movsb:64K", f"{MOVSB}=65536"),
        ("rep_movsb:4K+non_temporal:8M", f"{MOVSB}=4096:{NON_TEMPORAL}=8388608"),
        ("vector", f"{MOVSB}={2**48}:{NON_TEMPORAL}={2**48}"),
    ],
)
def test_thresholds_become_tunables(value, variable):
    assert with_tunables(value, JOB, LISTED).environment == {"GLIBC_TUNABLES": variable}


def test_other_settings_of_the_c_library_stay(monkeypatch):
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.check=0")
    both = with_tunables("rep_movsb:1K", with_knobs(JOB, MPI, {"huge_pages": "on"}), LISTED)
    assert both.environment["GLIBC_TUNABLES"].split(":") == [
        "glibc.malloc.check=0", "glibc.malloc.hugetlb=1", f"{MOVSB}=1024",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "listed", "words"),
    [
        ("vector", {}, "lists no glibc.cpu.x86_rep_movsb_threshold: it takes glibc 2.33"),
        ("rep_movsb:1K", {NON_TEMPORAL: LISTED[NON_TEMPORAL]}, "lists no .*rep_movsb"),
        ("rep_movsb:511", LISTED, "rep_movsb takes 512 bytes or more"),
        ("non_temporal:4000000000G", LISTED, "non_temporal takes .* bytes or less"),
    ],
)
def test_what_the_c_library_would_ignore_is_told(value, listed, words):
    with pytest.raises(Unsupported, match=words):
        with_tunables(value, JOB, listed)
