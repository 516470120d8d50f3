"""What a page shows of noise."""

import msgspec
import pytest
from more_panels import noisy

from leadline.output.html.charts import panels_with_data
from leadline.output.html.plots.noise import NOISE_COST, SPECTRUM


@pytest.fixture(scope="module")
def panel(run):
    (found,) = noisy(run)
    return found


def test_the_spectrum_peaks_where_the_period_is_marked(panel):
    (row,), (mark,) = panel.data["spectrum"]["spectra"], panel.data["spectrum"]["periods"]
    assert mark["at_hz"] == pytest.approx(1 / 40e-4, rel=0.01)
    assert mark["duration_us"] == pytest.approx(3, rel=0.1)
    near = [
        power
        for frequency, power in zip(row["frequency_hz"], row["power"], strict=True)
        if abs(frequency / mark["at_hz"] - 1) < 0.02
    ]
    assert max(near) > 20 * sorted(row["power"])[len(row["power"]) // 2]


def test_a_page_grows_by_little(panel):
    rows = (panel.data["spectrum"], panel.data["noise_cost"])
    assert len(rows[0]["spectra"][0]["power"]) <= 400
    assert len(msgspec.json.encode(rows)) < 30_000


def test_lower_bounds_are_told_and_not_drawn(panel):
    reach = {row["reach"]: row for row in panel.data["noise_cost"]}
    assert set(reach) == {"samples", "tail", "beyond"}
    assert reach["beyond"]["high"] is None and reach["tail"]["high"] > reach["tail"]["low"]
    drawn = [layer["transform"][-1]["filter"] for layer in NOISE_COST.specification(panel)["layer"]]
    assert "datum.reach == 'beyond'" not in drawn
    phases = {row["phase"] for row in panel.data["noise_cost"]}
    assert phases >= {"phases of 10 µs", "phases of 1 ms"}


def test_without_noise_nothing_is_drawn(run, analysis, kept):
    silent = msgspec.structs.replace(analysis, noise=())
    drawn = panels_with_data(run, silent, kept)
    assert not any(p.applies(each) for p in (SPECTRUM, NOISE_COST) for each in drawn)
