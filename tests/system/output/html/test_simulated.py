"""The report of a simulated run says so wherever a figure could be taken for a real one."""

import msgspec
import pytest
from example_run import MadeUpSamples, example_analysis, example_run

from leadline.output.html.charts import keep_samples
from leadline.output.html.html import render
from leadline.topology.platforms.catalogue import change_platform, read_platform

from chromium import show  # isort: skip


@pytest.fixture(scope="module")
def simulated():
    platform = change_platform(read_platform("cray-t3e"), "nodes=64,topology.shape=4x4x4")
    return msgspec.structs.replace(
        example_run(), platform=platform, platform_digest=platform.digest
    )


@pytest.fixture(scope="module")
def simulated_page(simulated):
    kept = keep_samples(simulated, MadeUpSamples(simulated))
    return render(simulated, example_analysis(simulated), kept)


@pytest.fixture(scope="module")
def path(simulated_page, tmp_path_factory):
    written = tmp_path_factory.mktemp("simulated") / "report.html"
    written.write_text(simulated_page, encoding="utf-8")
    return written


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_page_names_the_machine_that_was_simulated(browser, path, simulated, theme):
    assert show(browser, path.as_uri(), theme=theme) == []
    header = browser.find_element("css selector", "header").text
    assert "Simulated on cray-t3e" in header
    assert "node17" not in header
    facts = {
        row.find_element("tag name", "th").text: row.find_element("tag name", "td").text
        for row in browser.find_elements("css selector", "[aria-label='What was simulated'] tr")
    }
    assert facts["Nodes"] == "64"
    assert facts["Changed"] == "nodes=64,topology.shape=4x4x4"
    assert facts["Digest"] == simulated.platform_digest


@pytest.mark.browser
def test_figures_of_each_benchmark_are_marked(browser, path, simulated):
    show(browser, path.as_uri())
    marked = browser.execute_script(
        "return [...document.querySelectorAll('.conditions')].map(each => each.textContent)"
    )
    benchmarks = {point.benchmark for point in simulated.points}
    assert len(marked) == len(benchmarks)
    assert all("simulated yes" in " ".join(text.split()) for text in marked)
