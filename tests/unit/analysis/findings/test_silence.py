"""Each kind of finding has a test with data in which the numbers tempt and it stays silent.

Beside each such test stands what makes the same rule speak. Tests of this kind are called
`test_KIND_stays_silent_...`, in the file of their subject.
"""

import re
from pathlib import Path

from leadline.analysis.findings.kinds import kinds


def test_every_kind_has_a_test_in_which_it_stays_silent() -> None:
    text = "".join(path.read_text() for path in sorted(Path(__file__).parent.glob("test_*.py")))
    lacking = [kind for kind in kinds() if not re.search(rf"def test_{kind}_stays_silent_", text)]
    assert lacking == []
