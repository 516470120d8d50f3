"""A link that counted errors in one of three launches."""

from leadline.model.interference import Interference, Link

SOURCE = "synthetic"


def evidence(makers):
    link = Link(name="ib0", received_bytes=10**9, sent_bytes=10**9, errors=3, dropped=7)
    company = Interference(host="a", seconds=1.0, looks=1, looks_cpu_s=0.0, links=(link,))
    return makers.evidence([makers.figure()], launch={"company": company})
