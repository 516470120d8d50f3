"""Evidence as names and figures with units."""

from leadline.output.words import evidence_rows


def test_units_are_written_out_and_leave_the_names():
    found = evidence_rows(
        {"p99_s": 0.0003653, "at_bytes": 65536.0, "best_MBps": 10480.3, "late_start_fraction": 0.12}
    )
    assert found == [
        ("p99", "365 us"),
        ("at", "64 KiB"),
        ("best", "10.5 GB/s"),
        ("late start", "12 %"),
    ]


def test_ends_of_an_interval_stand_with_their_figure():
    found = evidence_rows(
        {
            "predicted_maximum_s": 478e-6,
            "predicted_maximum_low_s": 6.72e-6,
            "predicted_maximum_high_s": 2.98e-3,
            "rate_factor": 2.204,
            "rate_factor_low": 1.504,
            "rate_factor_high": 2.888,
        }
    )
    assert found == [
        ("predicted maximum", "478 us (6.72 us to 2.98 ms)"),
        ("rate factor", "2.20x (1.50x to 2.89x)"),
    ]


def test_counts_stay_whole_and_a_bare_unit_is_a_name():
    assert evidence_rows({"launches": 3.0, "ratio": 1.5, "gap": 0.25}) == [
        ("launches", "3"),
        ("ratio", "1.50x"),
        ("gap", "0.25"),
    ]
