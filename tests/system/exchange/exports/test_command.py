"""`leadline export` of figures, as a user types it."""

import subprocess
import sys


def test_help_imports_no_format():
    code = (
        "import sys, leadline.cli.commands.show_export; "
        "print([name for name in sys.modules if 'exports.' in name])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
