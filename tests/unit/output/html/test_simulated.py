"""The report of a simulated run says so wherever a figure could be taken for a real one."""


def test_a_measured_run_is_not_marked(page):
    assert "What was simulated" not in page
    assert "Simulated on" not in page
