"""roff takes the manual page of an MPI without a word."""

import shutil
import subprocess

import pytest
from tests.unit.measure.knobs.test_known import MPICH5, OPENMPI4

from leadline.measure.knobs.listing import named_knobs, variables
from leadline.model.software import Setting
from leadline.output.manual import manual_page

HOSTILE = Setting(
    name="evil",
    kind="control",
    description=".so /etc/passwd\n'br \\fBbold\\n(xx `a` ü " + "a/b=" * 60 + " " + "x" * 70,
    categories=('x" "y',),
    default="\\",
    value=".",
)


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not here (Debian: groff)")
@pytest.mark.parametrize("installation", [MPICH5, OPENMPI4])
@pytest.mark.parametrize("device", ["utf8", "ps"])
def test_groff_has_nothing_to_say(installation, device):
    settings = [*named_knobs(installation), *variables(installation, {}), HOSTILE]
    page = manual_page(installation, settings, "2030-01-01", "1.2")
    done = subprocess.run(
        ["groff", "-ww", "-man", f"-T{device}"],
        input=page.encode(),
        capture_output=True,
        check=True,
    )
    assert done.stderr == b""
    if device == "utf8":
        shown = done.stdout.decode()
        assert "/etc/passwd" in shown
        assert "root:" not in shown
        assert "\\fBbold\\n(xx" in shown
