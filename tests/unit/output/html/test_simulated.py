"""The report of a simulated run says so wherever a figure could be taken for a real one."""

import html
import re

import msgspec

from leadline.output.html.html import render
from leadline.topology.platforms.catalogue import change_platform, read_platform


def test_page_names_the_machine_and_marks_figures(run, analysis, kept):
    platform = change_platform(read_platform("cray-t3e"), "nodes=64,topology.shape=4x4x4")
    simulated = msgspec.structs.replace(run, platform=platform, platform_digest=platform.digest)
    points = tuple(msgspec.structs.replace(each, simulated=True) for each in analysis.points)
    page = render(simulated, msgspec.structs.replace(analysis, points=points), kept)
    header = page.partition("<header>")[2].partition("</header>")[0]
    assert "Simulated on cray-t3e" in header and "node17" not in header
    facts = page.partition("<caption>What was simulated</caption>")[2].partition("</table>")[0]
    rows = dict(re.findall(r"<tr><th[^>]*>(.*?)</th><td>(.*?)</td>", html.unescape(facts), re.S))
    assert rows["Nodes"] == "64"
    assert rows["Changed"] == "nodes=64,topology.shape=4x4x4"
    assert rows["Digest"] == simulated.platform_digest
    marked = re.findall(r'<p class="conditions">(.*?)</p>', page, re.S)
    assert all("<b>simulated</b> yes" in each for each in marked)
    assert len(marked) == len({point.benchmark for point in run.points})
