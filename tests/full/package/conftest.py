"""The wheel, built as `make dist` builds it."""

import shutil
import sys
from importlib.util import find_spec

import pytest
from checkout import CHECKOUT
from packages import finish


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """The wheel; without the compiler of `tools/setup dist` it has nothing ready."""
    pytest.importorskip("build", reason="needs the package build: tools/setup dist")
    folder = tmp_path_factory.mktemp("dist")
    finish(sys.executable, CHECKOUT / "tools/reference.py", CHECKOUT / "build/reference")
    if find_spec("ziglang"):
        finish(sys.executable, CHECKOUT / "tools/dist.py")
    else:
        shutil.rmtree(CHECKOUT / "build/built", ignore_errors=True)
    finish(sys.executable, "-m", "build", "--wheel", "--outdir", folder, CHECKOUT)
    (found,) = folder.iterdir()
    return found
